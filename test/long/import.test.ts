/** Imports killed at any moment, on a full disk, and of files damaged in 2,000 ways: the folder is as it was, or as it is to be. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeMirrorAndArchive } from '../../bench/parts/import-files.ts'
import { finishImport } from '../../build/import/write/staging.ts'
import { type Damage, damaged, damageOne } from '../import/import-damage.ts'
import { allPrices, allPrintings, scryfallCards } from '../import/magic.ts'
import { run, start, temporaryFolder } from '../support/command.ts'
import { contentOf, errorsOf, importInto } from '../support/import.ts'
import { mirrorFiles, writeFiles, writeMirror } from '../support/mirror.ts'
import { drawFrom, randomFrom } from '../support/random.ts'

/** Files that count: not the leftovers of a killed import. */
const kept = (folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(contentOf(folder)).filter(([name]) => !/^import\/\.(staging|lock)/.test(name)))

it('killed at 50 moments', async () => {
  const files = temporaryFolder()
  writeMirrorAndArchive(files, 6000, 0)
  const mirror = join(files, 'mirror')
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  await importInto(before, 'tcgcsv', [mirror])
  cpSync(before, after, { recursive: true })
  const args = ['tcgcsv', mirror, '--date', '2026-11-21']
  const started = performance.now()
  assert.equal((await run('build/import/main.ts', [...args, '--out', after])).code, 0)
  const wholeMs = performance.now() - started
  const [was, will] = [kept(before), kept(after)]
  const ends = { before: 0, after: 0, finished: 0 }
  for (let i = 0; i < 50; i++) {
    const out = temporaryFolder()
    cpSync(before, out, { recursive: true })
    const child = start('build/import/main.ts', [...args, '--out', out])
    const ended = once(child, 'exit')
    // The last moments, when files are put in place, are the dangerous ones.
    if (i % 2 === 0) await sleep((wholeMs * (i + 1)) / 50)
    else while (!existsSync(join(out, 'import/.journal')) && child.exitCode === null) await sleep(0)
    child.kill('SIGKILL')
    await ended
    const isFinished = existsSync(join(out, 'import/.journal'))
    await finishImport(out)
    const left = kept(out)
    const isAfter = left['history/2026-11-21-tcgcsv.csv.gz'] !== undefined
    assert.deepEqual(left, isAfter ? will : was, `moment ${i}`)
    assert(isAfter || !isFinished, 'what has a journal is finished')
    ends[isFinished ? 'finished' : isAfter ? 'after' : 'before']++
    assert.equal((await run('build/import/main.ts', [...args, '--out', out])).code, 0)
    assert.deepEqual(contentOf(out), will)
    rmSync(out, { recursive: true })
  }
  console.log(`# killed: ${JSON.stringify(ends)}`)
  assert(ends.before > 5, 'some before')
})

it('on a full disk', async () => {
  const files = temporaryFolder()
  writeMirrorAndArchive(files, 6000, 0)
  const disk = temporaryFolder()
  for (const megabytes of [1, 2, 3, 5]) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk])
    try {
      const out = join(disk, 'snapshots')
      mkdirSync(join(out, 'cards'), { recursive: true })
      writeFileSync(join(out, 'cards/own.ndjson'), '')
      const before = contentOf(out)
      const { code, stderr } = await run('build/import/main.ts', ['tcgcsv', join(files, 'mirror'), '--out', out])
      if (code === 0) continue
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^\S+: can't be written: no space left on the disk \(ENOSPC\): free some.*; nothing was changed$/m,
      )
      assert.deepEqual(contentOf(out), before)
    } finally {
      execFileSync('umount', [disk])
    }
  }
})

it('of 2,000 damaged downloads', async () => {
  const random = randomFrom(2026)
  const imported = temporaryFolder()
  await importInto(imported, 'tcgcsv', [writeMirror()])
  const good = contentOf(imported)
  const others: Readonly<Record<string, readonly (readonly [name: string, content: string])[]>> = {
    mtgjson: [
      ['AllPrintings.json', allPrintings()],
      ['AllPrices.json', allPrices()],
    ],
    scryfall: [['default-cards.jsonl', scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join('')]],
    overlay: [
      ['sales.csv', 'id,key,price\npokemon-bs-004-holofoil,near_mint,340\npokemon-bs-004-holofoil,psa_10,12000\n'],
    ],
    pricecharting: [['guide.csv', 'console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n']],
  }
  const counts = { refused: 0, imported: 0 }
  for (let i = 0; i < 2000; i++) {
    const isMirror = i % 2 === 0
    const source = isMirror ? 'tcgcsv' : drawFrom(random, Object.keys(others))
    const download = temporaryFolder()
    let name: string
    let damage: Damage
    let paths: string[]
    if (isMirror) {
      const files = mirrorFiles()
      ;[name, damage] = damageOne(files, random)
      paths = [writeFiles(files, download)]
    } else {
      const own = others[source]!
      const [chosen, content] = drawFrom(random, own)
      name = chosen
      damage = drawFrom(random, ['cut', 'flipped', 'flipped', 'reordered', 'doubled', 'emptied'] as const)
      paths = own.map(([file, text]) => {
        writeFileSync(join(download, file), file === chosen ? damaged(Buffer.from(content), damage, random) : text)
        return join(download, file)
      })
    }
    const out = temporaryFolder()
    cpSync(imported, out, { recursive: true })
    const what = `case ${i}: ${source} ${damage} ${name}`
    try {
      await importInto(out, source, paths)
      counts.imported++
      // The result must be a folder that can be imported into again.
      await importInto(out, 'tcgcsv', [writeMirror()])
    } catch {
      const errors = await errorsOf(importInto(out, source, paths)).catch((error: Error) =>
        assert.fail(`${what}: ${error.stack}`),
      )
      // A product whose number is another's shows in its prices.
      assert(errors.includes(isMirror ? dirname(name) : name), `${what}: ${errors}`)
      assert.deepEqual(contentOf(out), good, what)
      counts.refused++
    }
    rmSync(out, { recursive: true })
    rmSync(download, { recursive: true })
  }
  console.log(`# damaged: ${JSON.stringify(counts)}`)
  assert(counts.refused > 500 && counts.imported > 100)
})
