/** Imports killed at any moment: the folder is as it was, or as it is to be. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeMirrorAndArchive } from '../../bench/parts/import-files.ts'
import { finishImport } from '../../build/import/write/staging.ts'
import { itInAll } from '../support/amount.ts'
import { run, start, temporaryFolder } from '../support/command.ts'
import { contentOf, importInto } from '../support/import.ts'

/** A digest of each file that counts: not of the leftovers of a killed import. */
const kept = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(contentOf(folder))
      .filter(([name]) => !/^import\/\.(staging|lock)/.test(name))
      .map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]),
  )

const moments = 12

itInAll('an import that is killed leaves the folder as it was, or as it is to be, and can be repeated', async () => {
  const files = temporaryFolder()
  writeMirrorAndArchive(files, 6000, 0)
  const mirror = join(files, 'mirror')
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  await importInto(before, 'tcgcsv', [mirror])
  cpSync(before, after, { recursive: true })
  const args = ['tcgcsv', mirror, '--date', '2026-11-21']
  const started = performance.now()
  assert.equal((await run('build/import/import-main.ts', [...args, '--out', after])).code, 0)
  const wholeMs = performance.now() - started
  const [was, will] = [kept(before), kept(after)]
  const ends = { before: 0, after: 0, finished: 0 }
  for (let i = 0; i < moments; i++) {
    const out = temporaryFolder()
    cpSync(before, out, { recursive: true })
    const child = start('build/import/import-main.ts', [...args, '--out', out])
    const ended = once(child, 'exit')
    // The last moments, when files are put in place, are the dangerous ones.
    if (i % 2 === 0) await sleep((wholeMs * (i + 1)) / moments)
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
    assert.equal((await run('build/import/import-main.ts', [...args, '--out', out])).code, 0)
    assert.deepEqual(kept(out), will)
    rmSync(out, { recursive: true })
  }
  assert.ok(ends.before > 1, JSON.stringify(ends))
})
