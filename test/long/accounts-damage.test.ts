/** Damaged stores, many: the reader that looks them through ends with a word on each, and lmdb with no signal. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { damageOf } from '../../src/store/file.ts'
import { run, temporaryFolder } from '../support/command.ts'
import { damagedCopy, fillStore } from '../support/damage.ts'

const folder = temporaryFolder()
const first = join(folder, 'first', 'accounts.mdb')
await fillStore(join(folder, 'first'), 400)

it('20,000 damaged files are looked through', () => {
  const copy = join(folder, 'copy')
  let damaged = 0
  for (let seed = 10_000; seed < 30_000; seed++) {
    const what = damagedCopy(first, copy, seed)
    const start = performance.now()
    if (damageOf(copy) !== undefined) damaged++
    assert.ok(performance.now() - start < 5000, `${seed} ${what}`)
    rmSync(copy)
  }
  assert.ok(damaged > 10_000 && damaged < 20_000, `${damaged} were damaged`)
})

it('1,000 damaged stores are opened and used, ten processes a hundred each', async () => {
  for (let from = 1000; from < 2000; from += 200) {
    const outcomes = await Promise.all(
      [from, from + 100].map((seed) => run('test/support/damage-process.ts', [folder, `${seed}`, `${seed + 100}`])),
    )
    for (const { code, stdout } of outcomes) {
      const lines = stdout.trimEnd().split('\n')
      assert.equal(code, 0, `it ended at ${lines.at(-1)}`)
      assert.equal(lines.length, 100)
      assert.ok(!stdout.includes('THREW'), stdout)
    }
  }
})
