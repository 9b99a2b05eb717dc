/**
 * The program card-prices as an operator types it: its commands, their help, the settings file, wrong settings and names of them, and
 * versions: published, rolled back and inspected.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { commandRows } from '../../src/cli/card-prices.ts'
import { loadSettingsFile, settingMeantBy } from '../../src/cli/settings-file.ts'
import { table } from '../../src/command/table.ts'
import { readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import { softwareVersion } from '../../src/version.ts'
import { accounts, build, copyOf, runHere, temporaryFolder } from '../support/command.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'

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
const damaged = fileWith('damaged.env', "PORT=1\nDATABASE_URL='secret\n")
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
}

const list = /^Usage: card-prices \[options\] \[command\][\s\S]*\n {2}start [\s\S]*\n {2}serve [\s\S]*\n {2}doctor /m
const cases: readonly Case[] = [
  { args: ['--version'], code: 0, stdout: `${softwareVersion}\n` },
  { args: ['--help'], code: 0, stdout: list },
  { args: ['help'], code: 0, stdout: list },
  { args: [], code: 2, stderr: list },
  { args: ['nonsense'], code: 2, stderr: /^unknown command 'nonsense'\nTry: card-prices --help\n$/ },
  { args: ['help', 'nonsense'], code: 2, stderr: /^unknown command 'nonsense'\nTry: card-prices --help\n$/ },
  { args: ['rollback', '--env-file'], code: 2, stderr: /^option '--env-file <FILE>' argument missing\nTry: / },
  {
    args: ['inspect', 'a', 'b'],
    code: 2,
    stderr: /^too many arguments[^\n]*\nTry: card-prices inspect --help\n$/,
  },
  {
    args: ['rollback', '--nonsense', '--env-file', file],
    code: 2,
    stderr: /^unknown option '--nonsense'\nTry: card-prices rollback --help\n$/,
  },
  {
    args: ['rollback'],
    env: { CARD_PRICES_ENV: file },
    code: 1,
    stderr: [...warnings, noneIn('of-file')],
  },
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
    stderr: [missing],
  },
  ...[
    ['rollback', '--env-file', '/no/such.env'],
    ['rollback', '--list', '--env-file=/no/such.env'],
    ['--env-file', '/no/such.env', 'rollback'],
  ].map((args) => ({ args, code: 1, stderr: [missing] })),
  { args: ['rollback', '--env-file', damaged], code: 1, stderr: [`${damaged}:2: DATABASE_URL: a quote is not closed`] },
]

describe('card-prices', { concurrency: 2 }, () => {
  for (const { args, env = {}, code, stdout = '', stderr = [] } of cases) {
    it(`"card-prices ${args.join(' ').replaceAll(folder, '')}" with the settings [${Object.keys(env)}] exits with ${code}`, async () => {
      const outcome = await runHere(args, { ...unset, ...env })
      assert.equal(outcome.code, code, outcome.stderr)
      if (stdout instanceof RegExp) assert.match(outcome.stdout, stdout)
      else assert.equal(outcome.stdout, stdout)
      if (stderr instanceof RegExp) assert.match(outcome.stderr, stderr)
      else assert.deepEqual(outcome.stderr.split('\n').slice(0, -1), stderr)
      assert.doesNotMatch(outcome.stdout + outcome.stderr, /secret/)
    })
  }
})

describe('The help of a command', { concurrency: 2 }, async () => {
  const nowhere = { ...unset, CARD_PRICES_ENV: '/no/such.env' }
  const commandsIn = (help: string) =>
    [
      ...help
        .split('\nCommands:\n')[1]!
        .split('\n\n')[0]!
        .matchAll(/^ {2}([a-z][a-z-]*)/gm),
    ].map(([, name]) => name!)
  const [ours, ofAccounts] = [await runHere(['--help'], unset), await runHere(['accounts', '--help'], unset)]
  const paths = [
    [],
    ...commandsIn(ours.stdout).map((name) => [name]),
    ...commandsIn(ofAccounts.stdout).map((name) => ['accounts', name]),
  ].filter((path) => path.at(-1) !== 'help')
  it('The help lists every command', () => assert.equal(paths.length, 1 + commandRows.length + 21))
  for (const path of paths) {
    it(`The help of "card-prices ${path.join(' ')}" is the same in three spellings, and needs no settings file`, async () => {
      const help = await runHere([...path, '--help'], nowhere)
      for (const words of [
        [...path, '-h'],
        ['help', ...path],
      ]) {
        assert.deepEqual(await runHere(words, nowhere), help)
      }
      assert.deepEqual([help.code, help.stderr], [0, ''])
      for (const line of help.stdout.split('\n')) assert.ok([...line].length <= 80, line)
      const words = path.map((word) => `${word} `).join('')
      const heads = '(Arguments:\\n( {2}[^\\n]+\\n)+\\n)?Options:\\n( {2}[^\\n]+\\n)* {2}-h, --help +shows this\\n'
      assert.match(
        help.stdout,
        new RegExp(`^Usage: card-prices ${words}\\[options\\][^\\n]*\\n\\n[A-Z][^]*\\.\\n\\n${heads}`),
      )
      const given = help.stdout.split('Arguments:\n')[1]?.split('\n\n')[0] ?? ''
      for (const argument of given.split(/\n(?= {2}\S)/).slice(given === '' ? 1 : 0)) {
        assert.match(argument, /^ {2}\S+ {2,}\S/, 'an argument has a description')
      }
      const options = help.stdout.split('Options:\n')[1]!.split('\n\n')[0]!
      for (const option of options.split(/\n(?= {2}-)/)) {
        const text = option.replaceAll(/\s+/g, ' ')
        if (!/^ (-h, --help|--version) /.test(text)) assert.match(text, /\((.*; )?(default: .+|required)\)$/)
      }
    })
  }
})

const path = join(folder, 'card-prices.env')

function loaded(text: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(path, text)
  return { ...loadSettingsFile(path, env), env }
}

describe('A value in the settings file, read as systemd reads it', () => {
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
    it(`The line ${JSON.stringify(line)} is read as systemd reads it`, () => {
      const { env, warnings } = loaded(line)
      assert.equal(env['STORE_DIR'], value)
      assert.deepEqual(warnings, [])
    })
  }
})

it('The environment wins over the settings file, and nothing but settings is read from the file', () => {
  const { env } = loaded('PORT=1\nHOST=a\nLD_PRELOAD=b\n', { PORT: '2', HOST: '' })
  assert.deepEqual(env, { PORT: '2', HOST: 'a', CARD_PRICES_ENV: path })
})

it('The default settings file may be missing, or be a folder', () => {
  const usual = join(folder, 'usual')
  assert.deepEqual(loadSettingsFile(undefined, {}, usual), { path: undefined, warnings: [] })
  mkdirSync(usual)
  assert.equal(loadSettingsFile(undefined, {}, usual).path, undefined)
  writeFileSync(path, 'PORT=1')
  const env: NodeJS.ProcessEnv = {}
  assert.equal(loadSettingsFile(undefined, env, path).path, path)
  assert.equal(env['PORT'], '1')
})

it('An unclosed quote in the settings file is reported with its line and the name of its setting', () => {
  for (const text of ['PORT=1\nHOST="secret', "HOST=a\nHOST='a'\nHOST='secret\n"]) {
    assert.throws(() => loaded(text), /:\d: HOST: a quote is not closed$/)
  }
})

describe('A wrong name of a setting', () => {
  const meant = 'WEBPORT WEB_PORT PORTS PORT INDEXDIR INDEX_DIR THREAD THREADS web_port WEB_PORT WBE_PORT WEB_PORT'
  const others = 'METRICPORT METRICS_PORT LOGLEVELS LOG_LEVEL TLS_CERTS TLS_CERT DATABASEURL DATABASE_URL'
  for (const [, name, setting] of `${meant} ${others}`.matchAll(/(\w+) (\w+)/g)) {
    it(`The mistyped setting ${name} is taken for ${setting}`, () => assert.equal(settingMeantBy(name!), setting))
  }
  const ownOrOthers = 'PORT HOSTNAME HOME SHELL PATH POST DB_HOST DB_PORT DB_URL API_PORT APP_URL LGOLEVELS WEB_ROOT'
  for (const name of `${ownOrOthers} SSL_CERT_FILE NODE_ENV NODE_OPTIONS HTTP_PROXY LANG`.split(' ')) {
    it(`The name ${name} is not taken for a mistyped setting`, () => assert.equal(settingMeantBy(name), undefined))
  }
})

it('A table without rows prints nothing', () => assert.equal(table([]), ''))

describe('The versions of an INDEX_DIR', () => {
  const snapshotAt = (price: number) =>
    snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [{ ...aCard, prices: { market: price } }] })
  // One server for all, from before there is a version.
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  let service: Service
  let key: string
  before(async () => {
    key = (await accounts(storeDir, 'create', 'a', '--plan', 'trader')).key
    service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, LOG_LEVEL: 'info' })
  })
  after(async () => assert.equal(await service.stop(), 0))

  const rollBack = (...args: string[]) => runHere(['rollback', ...args], { INDEX_DIR: indexDir })
  const health = () => runHere(['health'], { HOST: '127.0.0.1', PORT: new URL(service.address).port })
  const versionOf = (stdout: string) => /^version\s+(\S+)$/m.exec(stdout)![1]!

  it('A running server serves each published version and each rollback, and three versions are kept', async () => {
    const price = async () =>
      (await send(service.address, `/v1/cards/${aCard.id}`, { headers: { 'x-api-key': key } })).json?.data?.prices
        .market
    const becomes = (expected: number) => until(`the price is ${expected}`, async () => (await price()) === expected)

    const empty = await send(service.address, `/v1/cards/${aCard.id}`, { headers: { 'x-api-key': key } })
    assert.equal(empty.status, 503)
    assert.equal(empty.json.error.code, 'SERVICE_UNAVAILABLE')
    assert.match(String(empty.headers['retry-after']), /^\d+$/)
    assert.equal(empty.headers['x-ratelimit-remaining'], '10000', 'what can not be answered does not count')
    assert.equal((await send(service.address, '/healthz')).status, 503)
    assert.deepEqual(await health(), { code: 1, stdout: '', stderr: 'not healthy: 503\n' })
    assert.equal((await rollBack()).code, 1)

    const versions: string[] = []
    for (const market of [1, 2, 3, 4]) {
      const { code, stdout, stderr } = await build(snapshotAt(market), indexDir)
      assert.equal(code, 0, stderr)
      versions.push(versionOf(stdout))
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), versions.at(-1))
      await becomes(market)
    }
    assert.deepEqual(await health(), { code: 0, stdout: '', stderr: '' })
    const kept = readdirSync(indexDir).filter((name) => versions.includes(name))
    assert.deepEqual(kept.sort(), versions.slice(1).sort())

    for (const [expected, ...args] of [[3], [2], [4, versions[3]!], [2, versions[1]!]] as const) {
      assert.equal((await rollBack(...args)).code, 0)
      await becomes(expected)
    }
    const oldest = await rollBack()
    assert.equal(oldest.code, 1)
    assert.match(oldest.stderr, /oldest/)
    assert.equal((await rollBack('nonsense')).code, 1)
  })

  it('A rollback refuses a damaged version', async () => {
    const indexDir = temporaryFolder()
    const bad = versionOf((await build(snapshotAt(1), indexDir)).stdout)
    const good = versionOf((await build(snapshotAt(2), indexDir)).stdout)
    const damaged = join(indexDir, bad, 'cards-000.msgpack')
    const bytes = readFileSync(damaged)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(damaged, bytes)
    for (const args of [[], [bad]]) {
      const { code, stdout, stderr } = await runHere(['rollback', ...args], { INDEX_DIR: indexDir })
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(stderr, `${damaged} has a wrong checksum\n`)
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), good)
    }
  })
})

describe('The inspect command', () => {
  const indexDir = temporaryFolder()
  const inspect = (args: readonly string[], env = {}) => runHere(['inspect', ...args], { INDEX_DIR: indexDir, ...env })

  before(async () => {
    const cards = ['004', null].map((number, i) => ({ ...aCard, id: `${aCard.id}-${i}`, number }))
    const { id } = cards[0]!
    const rows = `date,id,market,low,high\n2026-11-19,${id},1,1,1\n2026-11-20,${id},2,1,3\n`
    const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': cards, 'history/a.csv': rows })
    assert.equal((await build(snapshot, indexDir)).code, 0)
  })

  it('The inspect command shows the current version with its counts and files', async () => {
    const { code, stdout, stderr } = await inspect([])
    const { version, builtAt, format, files } = await readManifest(indexDir, (await readCurrent(indexDir))!)
    const about = ['as of: 2026-11-20', `built at: ${builtAt}`, `format: ${format}`]
    const counts = ['cards: 2', 'sets: 1', 'history rows: 2', ...files.map(({ name }) => `${name}: 0.0 MB`)]
    const lines = [`version: ${version}`, ...about, ...counts, 'all files: 0.0 MB, held once for all threads', '']
    assert.deepEqual([code, stdout.replaceAll(/ {2,}/g, ': ').split('\n'), stderr], [0, lines, ''])
  })

  const newest = '{"date":"2026-11-20","market":2,"low":1,"high":3}'
  const shown: readonly (readonly [index: number, number: string | null, lines: string])[] = [
    [
      0,
      '004',
      `number: 004\nplace in the order: 1 of 2\nhistory: 2 days, 2026-11-19 to 2026-11-20\nnewest: ${newest}\n`,
    ],
    [1, null, 'number: unknown\nplace in the order: 2 of 2\nhistory: none\nnewest: none\n'],
  ]
  for (const [index, number, lines] of shown) {
    it(`The inspect command shows a card with the number ${number}`, async () => {
      const { code, stdout, stderr } = await inspect([`${aCard.id}-${index}`])
      const [details, table] = stdout.split('\n\n') as [string, string]
      const card = JSON.parse(details)
      assert.deepEqual([code, card.number, card.markets, stderr], [0, number, [], ''])
      assert.deepEqual([JSON.stringify(card, null, 2), table.replaceAll(/ {2,}/g, ': ')], [details, lines])
    })
  }

  it('The inspect command shows what changed in a version, or why it can’t', async () => {
    const version = (await readCurrent(indexDir))!
    const none = `version ${version} is compared with none: no version was current before it\n`
    assert.deepEqual(await inspect(['--changes']), { code: 0, stdout: none, stderr: '' })
    const folder = copyOf(indexDir)
    const cards = Array.from({ length: 60 }, (_, i) => ({
      ...aCard,
      id: `${aCard.id}-${i}`,
      number: `${100 + i}`,
      setCode: i === 0 ? 'base1' : 'new',
      prices: { market: i },
    }))
    const sets = [aSet, { ...aSet, code: 'new', name: 'Newest', releaseDate: '2026-11-01' }]
    assert.equal((await build(snapshotOf({ 'sets/a.ndjson': sets, 'cards/a.ndjson': cards }), folder)).code, 0)
    const now = (await readCurrent(folder))!
    const lines = (await inspect(['--changes'], { INDEX_DIR: folder })).stdout.replaceAll(/ {2,}/g, ': ').split('\n')
    assert.deepEqual(lines.slice(0, 8), [
      `from ${version} (as of 2026-11-20) to ${now}`,
      '',
      'game: new: gone: changed',
      'pokemon: 58: 0: 2',
      '',
      'new cards: 58, the first 50',
      'id: name: set: number: price',
      'pokemon-base1-004-2: Charizard: Newest: 102: 2.00',
    ])
    assert.deepEqual(lines.slice(-4), [
      'new sets: 1',
      'game: code: name: released: cards',
      'pokemon: new: Newest: 2026-11-01: 59',
      '',
    ])
    const named = await inspect(['--changes', version], { INDEX_DIR: folder })
    assert.deepEqual(named, { code: 0, stdout: none, stderr: '' })
    for (const [words, code, message] of [
      [['--changes', '../x'], 1, /^there is no version \.\.\/x; kept are \S+, \S+\n$/],
      [['--changes', '2026-11-20-0123456789ab'], 1, /^there is no version \S+; kept are \S+, \S+\n$/],
      [['a', '--changes', version], 2, /^--changes takes no card \(a\)\nTry: card-prices inspect --help\n$/],
    ] as const) {
      const { stderr, ...outcome } = await inspect(words, { INDEX_DIR: folder })
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''])
      assert.match(stderr, message)
    }
    writeFileSync(join(folder, now, 'report.json'), '{}\n')
    const damaged = await inspect(['--changes'], { INDEX_DIR: folder })
    assert.deepEqual([damaged.code, damaged.stdout], [1, ''])
    assert.match(damaged.stderr, /report\.json has 3 bytes, its manifest says \d+: is it still being copied\?\n$/)
  })

  it('The inspect command says in one line that a card or a version is missing', async () => {
    assert.deepEqual(await inspect(['none']), { code: 1, stdout: '', stderr: 'no card has the id none\n' })
    const stderr = 'no version is published in /nowhere yet\n'
    assert.deepEqual(await inspect([], { INDEX_DIR: '/nowhere' }), { code: 1, stdout: '', stderr })
  })
})
