/** The program card-prices as an operator types it: its commands, their help, and the settings file. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { softwareVersion } from '../../src/version.ts'
import { run, runHere, temporaryFolder } from '../support/command.ts'

const program = 'src/cli/main.ts'
const folder = temporaryFolder()
const indexes = (name: string) => join(folder, name)
const unset = { CARD_PRICES_ENV: '', INDEX_DIR: '' }

function fileWith(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const file = fileWith('own.env', `# ours\nINDEX_DIR="${indexes('of-file')}"\nWEBPORT=secret\nODD=secret\nsecret\n`)
const damaged = fileWith('damaged.env', "PORT=1\nQUOTA_STORE='secret\n")
const warnings = [
  `warning: ${file}:3: WEBPORT is no setting; ignored: did you mean WEB_PORT?`,
  `warning: ${file}:4: ODD is no setting; ignored`,
  `warning: ${file}:5: not a KEY=value line; ignored`,
]
const noneIn = (name: string) => `no version is published in ${indexes(name)} yet`

interface Case {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code: number
  readonly stdout?: RegExp | string
  /** The lines; a pattern for all of them. */
  readonly stderr?: RegExp | readonly string[]
}

const list = /^Usage: card-prices COMMAND[\s\S]*\n {2}start .*\n {2}serve [\s\S]*\n {2}doctor /m
const cases: readonly Case[] = [
  { args: ['--version'], code: 0, stdout: `${softwareVersion}\n` },
  { args: ['--help'], code: 0, stdout: list },
  { args: ['help'], code: 0, stdout: list },
  { args: [], code: 2, stderr: list },
  { args: ['nonsense'], code: 2, stderr: /^unknown command nonsense\n\nUsage: / },
  { args: ['help', 'nonsense'], code: 2, stderr: /^unknown command nonsense\n\nUsage: / },
  { args: ['rollback', '--env-file'], code: 2, stderr: /^--env-file takes a file\n/ },
  {
    args: ['rollback', '--nonsense', '--env-file', file],
    code: 2,
    stderr: /--nonsense[\s\S]*\nUsage: card-prices rollback/,
  },
  { args: ['--env-file', file, 'rollback'], code: 1, stderr: [...warnings, noneIn('of-file')] },
  { args: ['rollback', '--list', `--env-file=${file}`], code: 1, stderr: [...warnings, noneIn('of-file')] },
  { args: ['rollback'], env: { CARD_PRICES_ENV: file }, code: 1, stderr: [...warnings, noneIn('of-file')] },
  {
    args: ['rollback', '--env-file', file],
    env: { INDEX_DIR: indexes('of-env'), CARD_PRICES_ENV: damaged, PORTS: 'secret', HOSTNAME: 'a', DB_HOST: 'b' },
    code: 1,
    stderr: ['warning: PORTS is no setting: did you mean PORT?', ...warnings, noneIn('of-env')],
  },
  {
    args: ['rollback'],
    env: { CARD_PRICES_ENV: '/no/such.env' },
    code: 1,
    stderr: ["the settings file /no/such.env can't be read (no such file or directory)"],
  },
  {
    args: ['rollback', '--env-file', '/no/such.env'],
    code: 1,
    stderr: ["the settings file /no/such.env can't be read (no such file or directory)"],
  },
  { args: ['rollback', '--env-file', damaged], code: 1, stderr: [`${damaged}:2: QUOTA_STORE: a quote is not closed`] },
  { args: ['rollback', '--help'], env: { CARD_PRICES_ENV: '/no/such.env' }, code: 0, stdout: /^Usage: / },
]

describe('card-prices', { concurrency: 2 }, () => {
  for (const { args, env = {}, code, stdout = '', stderr = [] } of cases) {
    it(`${args.join(' ').replaceAll(folder, '')} ${Object.keys(env)} exits ${code}`, async () => {
      // The help of all and what is refused are of no command, and need no process of their own, but for the first.
      const isOfAll = !args.includes('rollback') && args[0] !== '--version'
      const outcome = await (isOfAll ? runHere : run)(program, args, { ...unset, ...env })
      assert.equal(outcome.code, code, outcome.stderr)
      if (stdout instanceof RegExp) assert.match(outcome.stdout, stdout)
      else assert.equal(outcome.stdout, stdout)
      if (stderr instanceof RegExp) assert.match(outcome.stderr, stderr)
      else assert.deepEqual(outcome.stderr.split('\n').slice(0, -1), stderr)
      assert.doesNotMatch(outcome.stdout + outcome.stderr, /secret/)
    })
  }
})

describe("a command's help", { concurrency: 2 }, async () => {
  const { stdout } = await runHere(program, ['--help'], unset)
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
  it('exists for each command of the list', () => assert.ok(commands.length >= 12))
  for (const name of commands.filter((name) => name !== 'help')) {
    it(`is ${name}'s own`, async () => {
      const { code, stdout } = await runHere(program, ['help', name], unset)
      assert.equal(code, 0)
      assert.ok(stdout.startsWith(`Usage: card-prices ${name}`), stdout)
    })
  }
})
