/** Damaged stores, many: all that commands and a server do with each ends with a word, never with a signal. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { run, temporaryFolder } from '../support/command.ts'
import { fillStore } from '../support/damage.ts'

const folder = temporaryFolder()
await fillStore(join(folder, 'first'), 400)
const cases = 20_000
const casesAProcess = 500

it(`${cases} damaged stores are opened and used, and let no revoked key in`, {
  timeout: 3_600_000,
}, async (context) => {
  let opened = 0
  const next = Array.from({ length: cases / casesAProcess }, (_, i) => 1000 + i * casesAProcess).values()
  const work = async () => {
    for (const seed of next) {
      const to = seed + casesAProcess
      const { code, stdout } = await run('test/store/damage-process.ts', [folder, `${seed}`, `${to}`])
      const lines = stdout.trimEnd().split('\n')
      assert.equal(code, 0, `it ended at ${lines.at(-1)}`)
      assert.equal(lines.length, casesAProcess)
      assert.doesNotMatch(stdout, /THREW|LET IN/)
      opened += lines.filter((line) => line.includes(': opened')).length
    }
  }
  await Promise.all([work(), work()])
  context.diagnostic(`${opened} of ${cases} were opened`)
})
