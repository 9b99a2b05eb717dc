/** Damaged stores, many: all that commands and a server do with each ends with a word, never with a signal. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { run, temporaryFolder } from '../support/command.ts'
import { fillStore } from '../support/damage.ts'

const folder = temporaryFolder()
await fillStore(join(folder, 'first'), 400)

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
