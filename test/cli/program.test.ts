/** The program card-prices as an operator types it: its commands, their help, its tables, the settings file, and wrong names of settings. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadSettingsFile, settingMeantBy } from '../../src/cli/settings-file.ts'
import { table } from '../../src/command/table.ts'
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

const file = fileWith(
  'own.env',
  `# ours\nINDEX_DIR="${indexes('of-file')}"\nWEBPORT=secret\nODD=secret\nsecret\nexport PORT=secret\n-secret=secret`,
)
const damaged = fileWith('damaged.env', "PORT=1\nQUOTA_STORE='secret\n")
const warnings = [
  `warning: ${file}:3: WEBPORT is no setting; ignored: did you mean WEB_PORT?`,
  `warning: ${file}:4: ODD is no setting; ignored`,
  ...[5, 6, 7].map((line) => `warning: ${file}:${line}: not a KEY=value line; ignored`),
]
const missing = "the settings file /no/such.env can't be read (no such file or directory)"
const noneIn = (name: string) => `no version is published in ${indexes(name)} yet`

interface Case {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code: number
  readonly stdout?: RegExp | string
  /** The lines; a pattern for all of them. */
  readonly stderr?: RegExp | readonly string[]
  /** The command's module runs, which it does once in a process. */
  readonly isLoaded?: true
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
    args: ['inspect', 'a', 'b'],
    code: 2,
    stderr: /^unexpected argument b\n\nUsage: card-prices inspect \[CARD_ID\]\n/,
  },
  {
    args: ['rollback', '--nonsense', '--env-file', file],
    code: 2,
    stderr: /--nonsense[\s\S]*\nUsage: card-prices rollback/,
    isLoaded: true,
  },
  {
    args: ['rollback'],
    env: { CARD_PRICES_ENV: file },
    code: 1,
    stderr: [...warnings, noneIn('of-file')],
    isLoaded: true,
  },
  {
    args: ['rollback', '--env-file', file],
    env: { INDEX_DIR: indexes('of-env'), CARD_PRICES_ENV: damaged, PORTS: 'secret', HOSTNAME: 'a', DB_HOST: 'b' },
    code: 1,
    stderr: ['warning: PORTS is no setting: did you mean PORT?', ...warnings, noneIn('of-env')],
    isLoaded: true,
  },
  {
    args: ['rollback'],
    env: { CARD_PRICES_ENV: '/no/such.env' },
    code: 1,
    stderr: [missing],
  },
  ...[
    ['rollback', '--env-file', '/no/such.env'],
    ['rollback', '--list', '--env-file=/no/such.env'],
    ['--env-file', '/no/such.env', 'rollback'],
  ].map((args) => ({ args, code: 1, stderr: [missing] })),
  { args: ['rollback', '--env-file', damaged], code: 1, stderr: [`${damaged}:2: QUOTA_STORE: a quote is not closed`] },
]

describe('card-prices', { concurrency: 2 }, () => {
  for (const { args, env = {}, code, stdout = '', stderr = [], isLoaded = false } of cases) {
    it(`${args.join(' ').replaceAll(folder, '')} ${Object.keys(env)} exits ${code}`, async () => {
      const outcome = await (isLoaded ? run : runHere)(program, args, { ...unset, ...env })
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
  for (const [i, name] of commands.filter((name) => name !== 'help').entries()) {
    const args = i % 2 === 0 ? ['help', name] : [name, '--help']
    it(`is ${name}'s own, also where the settings file is missing: ${args.join(' ')}`, async () => {
      const { code, stdout } = await runHere(program, args, { ...unset, CARD_PRICES_ENV: '/no/such.env' })
      assert.equal(code, 0)
      assert.ok(stdout.startsWith(`Usage: card-prices ${name}`), stdout)
    })
  }
})

const path = join(folder, 'card-prices.env')

function loaded(text: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(path, text)
  return { ...loadSettingsFile(path, env), env }
}

describe('a value in the settings file is read as systemd reads it', () => {
  const values: readonly (readonly [line: string, value: string])[] = [
    ['STORE_DIR=/a b', '/a b'],
    ['  STORE_DIR = /a b \t', '/a b'],
    ['STORE_DIR=', ''],
    ['STORE_DIR="/a \'b\' "', "/a 'b' "],
    ['STORE_DIR=\'/a "b" \\\'', '/a "b" \\'],
    ['STORE_DIR="a\\"b\\\\c\\$d\\`e\\nf"', 'a"b\\c$d`e\\nf'],
    ['STORE_DIR="a\nb"', 'a\nb'],
    ['STORE_DIR="a\\\nb"', 'ab'],
    ['STORE_DIR=\'a\' "b" c', 'abc'],
    ['STORE_DIR=a "b" #c', 'a "b" #c'],
    ['STORE_DIR=a\\\nb', 'ab'],
    ['STORE_DIR=a\\\r\nb', 'ab'],
    ['STORE_DIR=a\\b\\\\c\\ ', 'ab\\c '],
    ['STORE_DIR=a\\', 'a'],
    ['STORE_DIR=a=b', 'a=b'],
    ['\ufeffSTORE_DIR=a\r\nPORT=1\r\n', 'a'],
    ['#STORE_DIR=b\n;STORE_DIR=c\nSTORE_DIR=a\n  # d\n', 'a'],
    ['STORE_DIR=b\nSTORE_DIR=a', 'a'],
    ['# a comment \\\nSTORE_DIR=a\n\n  ', 'a'],
  ]
  for (const [line, value] of values) {
    it(JSON.stringify(line), () => {
      const { env, warnings } = loaded(line)
      assert.equal(env['STORE_DIR'], value)
      assert.deepEqual(warnings, [])
    })
  }
})

it('the environment wins over the file, and nothing but settings comes from it', () => {
  const { env } = loaded('PORT=1\nHOST=a\nLD_PRELOAD=b\n', { PORT: '2', HOST: '' })
  assert.deepEqual(env, { PORT: '2', HOST: 'a', CARD_PRICES_ENV: path })
})

it('the usual file is passed over where it is missing or no file', () => {
  const usual = join(folder, 'usual')
  assert.deepEqual(loadSettingsFile(undefined, {}, usual), { path: undefined, warnings: [] })
  mkdirSync(usual)
  assert.equal(loadSettingsFile(undefined, {}, usual).path, undefined)
  writeFileSync(path, 'PORT=1')
  const env: NodeJS.ProcessEnv = {}
  assert.equal(loadSettingsFile(undefined, env, path).path, path)
  assert.equal(env['PORT'], '1')
})

it('a quote that is not closed is reported by its line and name', () => {
  for (const text of ['PORT=1\nHOST="secret', "HOST=a\nHOST='a'\nHOST='secret\n"]) {
    assert.throws(() => loaded(text), /:\d: HOST: a quote is not closed$/)
  }
})

describe('a wrong name', () => {
  const meant = 'WEBPORT WEB_PORT PORTS PORT INDEXDIR INDEX_DIR THREAD THREADS web_port WEB_PORT WBE_PORT WEB_PORT'
  const others = 'METRICPORT METRICS_PORT LOGLEVELS LOG_LEVEL TLS_CERTS TLS_CERT QUOTASTORES QUOTA_STORE'
  for (const [, name, setting] of `${meant} ${others}`.matchAll(/(\w+) (\w+)/g)) {
    it(`${name} means ${setting}`, () => assert.equal(settingMeantBy(name!), setting))
  }
  const ownOrOthers = 'PORT HOSTNAME HOME SHELL PATH POST DB_HOST DB_PORT DB_URL API_PORT APP_URL LGOLEVELS WEB_ROOT'
  for (const name of `${ownOrOthers} SSL_CERT_FILE NODE_ENV NODE_OPTIONS HTTP_PROXY LANG`.split(' ')) {
    it(`${name} is no mistake of ours`, () => assert.equal(settingMeantBy(name), undefined))
  }
})

it('a table without rows is empty', () => assert.equal(table([]), ''))
