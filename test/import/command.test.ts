/** The import's command line, and a folder that is being written, was left half written, or can't be written. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { finishImport, lockFolder } from '../../build/import/write/staging.ts'
import { start, temporaryFolder } from '../support/command.ts'
import { contentOf, importInto, runImportHere } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'

const mirror = writeMirror()
const out = temporaryFolder()
await importInto(out, 'tcgcsv', [mirror])
const good = contentOf(out)

describe('the command', () => {
  const wrong: readonly (readonly [args: string[], expected: RegExp])[] = [
    [[], /^a source must be named/],
    [['cardtrader', 'x'], /^unknown source cardtrader/],
    [['tcgcsv'], /^tcgcsv takes DIR/],
    [['tcgcsv', 'a', 'b'], /^tcgcsv takes DIR/],
    [['tcgcsv', 'a', '--games', 'chess'], /^--games: must be of .*\(chess\)/],
    [['scryfall', 'a', '--games', 'pokemon'], /^--games: scryfall has only mtg/],
    [['tcgcsv', 'a', '--date', '2026-02-30'], /^--date: must be a date/],
    [['tcgcsv', 'a', '--base', 'images'], /^--base: must be an http or https address/],
    [['tcgcsv', 'a', '--base', 'https://'], /^--base: must be an http or https address/],
    [['tcgcsv', 'a', '--prefer', 'ebay'], /^--prefer: must be of/],
    [['tcgcsv', 'a', '--what'], /--what/],
  ]
  for (const [args, expected] of wrong) {
    it(`is wrong usage: ${args.join(' ')}`, async () => {
      const { code, stderr } = await runImportHere(...args)
      assert.equal(code, 2)
      assert.match(stderr, expected)
      assert.match(stderr, /^Usage: card-prices import/m)
    })
  }

  it('exits 0 with its help, 1 with a line for each fault', async () => {
    const help = await runImportHere('--help')
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /^Usage: card-prices import/)
    const nowhere = join(mirror, 'nowhere')
    const { code, stdout, stderr } = await runImportHere('tcgcsv', nowhere, '--out', temporaryFolder())
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /nowhere: does not exist\n1 error; nothing was written\n$/)
  })

  it('writes into prices/ without a folder given', async () => {
    const here = temporaryFolder()
    const child = start('build/import/import-main.ts', ['tcgcsv', mirror], {}, here)
    assert.deepEqual(await once(child, 'exit'), [0, null])
    assert.deepEqual(readdirSync(here), ['prices'])
    assert.deepEqual(contentOf(join(here, 'prices')), good)
  })
})

describe('a folder that is being written', () => {
  it('is left to the import that has it', async () => {
    const folder = temporaryFolder()
    const release = await lockFolder(folder)
    await assert.rejects(
      importInto(folder, 'tcgcsv', [mirror]),
      /^Error: another import is running \(process \d+ on .+, since .+\)$/,
    )
    release()
    await importInto(folder, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(folder), good)
  })

  it('and whose import was killed while it put its files in place, is finished first', async () => {
    // Left by a killed import: a journal, a part of the files moved, the rest staged.
    const folder = temporaryFolder()
    const names = Object.keys(good)
    for (const moved of [0, 1, 5, names.length]) {
      rmSync(folder, { recursive: true })
      for (const name of names) {
        const path = join(folder, names.indexOf(name) < moved ? name : `import/.staging-1/${name}`)
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, good[name]!, 'latin1')
      }
      for (const name of ['sets', 'cards', 'history', 'import/kept']) mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, 'cards/scryfall-mtg.ndjson'), '')
      writeFileSync(
        join(folder, 'import/.journal'),
        JSON.stringify({ stage: 'import/.staging-1', files: names, removed: ['cards/scryfall-mtg.ndjson'] }),
      )
      await finishImport(folder)
      assert.deepEqual(contentOf(folder), good)
    }
  })

  it('and whose import was killed before, is as it was', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'import/.staging-1/cards'), { recursive: true })
    writeFileSync(join(folder, 'import/.staging-1/cards/tcgcsv-mtg.ndjson'), '{}\n')
    await importInto(folder, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(folder), good)
  })

  it('is left as it was by a report that cannot be written, with one line', async () => {
    const later = writeMirror(withGroups({ 604: (group) => ({ ...group, products: [] }) }))
    const report = join(temporaryFolder(), 'no/report.json')
    const { code, stderr } = await runImportHere('tcgcsv', later, '--out', out, '--report', report)
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `${report}: can't be written: ENOENT: no such file or directory, open '${report}'; nothing was changed\n`,
    )
    assert.deepEqual(contentOf(out), good)
  })

  it('is reported in a line if it cannot be one', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const { code, stderr } = await runImportHere('tcgcsv', mirror, '--out', file)
    assert.equal(code, 1)
    assert.match(stderr, /^\S+file: can't be written: is no folder \(ENOTDIR\); nothing was changed\n$/)
  })
})
