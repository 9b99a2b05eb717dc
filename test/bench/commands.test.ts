/** Every command of the benchmark says what it measures, and none begins to when it is asked wrongly. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { itInAll } from '../support/amount.ts'
import { projectDir, run, runHere } from '../support/command.ts'

const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.entries(scripts).flatMap(([name, line]) => {
  const [script] = /bench\/\S+\.ts/.exec(line) ?? []
  return script === undefined ? [] : [{ name, script }]
})

describe('a command of the benchmark', () => {
  it('is a process', async () => {
    const { code, stderr } = await run('bench/parts/import.ts', ['--no-such-option'])
    assert.equal(code, 2)
    assert.match(stderr, /--no-such-option/)
  })

  it('is each one', () => assert(commands.length >= 8))

  for (const { name, script } of commands) {
    itInAll(`npm run ${name} -- --help exits 0`, async () => {
      const { code, stdout } = await runHere(script, ['--help'])
      assert.equal(code, 0)
      assert(stdout.startsWith(`Usage: npm run ${name}`), stdout)
    })

    itInAll(`npm run ${name} -- --no-such-option exits 2`, async () => {
      const { code, stderr } = await runHere(script, ['--no-such-option'])
      assert.equal(code, 2)
      assert.match(stderr, /--no-such-option/)
    })
  }

  const wrong = [
    ['--only', 'no-such-part'],
    ['--rounds', '0'],
    ['--seconds', '1.5'],
    ['--times', '1,2.5'],
    ['--profile', 'peers'],
    ['--wait-quiet', 'long'],
  ] as const
  for (const [option, value] of wrong) {
    itInAll(`npm run bench -- ${option} ${value} exits 2`, async () => {
      const { code, stderr } = await runHere('bench/main.ts', [option, value])
      assert.equal(code, 2)
      assert(stderr.startsWith(`${option}: `), stderr)
    })
  }
})
