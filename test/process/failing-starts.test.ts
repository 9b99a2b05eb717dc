/** Starts that fail, wherever they do: one line that tells why, and the process ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pino from 'pino'
import { startService } from '../../src/process/supervisor.ts'
import { readSetting, readSettings, SettingError, type SettingName, settingNames } from '../../src/settings.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, cardPrices, collect, projectDir, start, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { makeCurrent, versionNamed } from '../support/versions.ts'

const file = join(projectDir, 'package.json')
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const secret = ['DATABASE_URL', 'INDEX_URL', 'INDEX_URL_HEADER', 'PRICECHARTING_TOKEN']
const [host, port] = ['be an address or a host name', 'be a whole number from 0 to 65535']
const threads = 'be auto or a whole number from 1 to 256'
const share = 'be off, errors or a share of requests from 0.001 to 1'
const [web, database] = [
  'be an address http://… or https://… without a',
  'be an address postgres://… or postgresql://…',
]
const wrongHosts = 'nota_host;a.;-a;a b'
const wrongPorts = 'http;65536;-1;1.5;0000000080'
const wrongUrls = 'x;ftp://x;https://x/y;https://me@x;https://:word@x;https://x/?y;https://x/#y;http://'
const wrongHeaders = 'word;Name:;Na me: y;Name: y\nz;Name: é'

/** By setting: what it must be, values that it is not, and such as it is; with what is read, if that differs. */
const settings: readonly (readonly [SettingName, must: string, wrong: string, right: string, read?: object])[] = [
  ['HOST', host, `${wrongHosts};${'a'.repeat(254)}`, `::1;A-1.b;a;${'a'.repeat(253)}`],
  ['PORT', port, wrongPorts, '0;65535;000000080', [0, 65535, 80]],
  ['THREADS', threads, '0;many;257', 'auto;256', [availableParallelism(), 256]],
  ['INDEX_URL', `${web} query`, 'ftp://x;x;http://x/?sig=y;http://x/#y;http://', 'HTTP://me:word@x/y'],
  ['INDEX_URL_HEADER', 'be one header, Name: value', wrongHeaders, 'X-a_1:y;X: y z'],
  ['STORE_DIR', 'be a folder', file, `/not/there;${projectDir}`],
  ['WEB_PORT', port, wrongPorts, '0', [0]],
  ['WEB_HOST', host, wrongHosts, '0.0.0.0'],
  ['WEB_URL', `${web} path`, wrongUrls, 'HTTPS://Prices.Example:444/', ['https://prices.example:444']],
  ['WEB_TRUST_PROXY', 'be 0 or 1', 'yes', '1'],
  ['API_URL', `${web} path`, wrongUrls, 'http://[::1]:80', ['http://[::1]']],
  ['API_FORM', 'be A or B', 'C;a', 'B'],
  ['METRICS_PORT', port, wrongPorts, '0', [0]],
  ['METRICS_HOST', host, wrongHosts, '::'],
  ['LOG_LEVEL', `be one of ${levels.join(', ')}`, 'loud', levels.join(';')],
  ['ACCESS_LOG', share, 'all;0;0.0009;1.1;.;2;1e0', 'errors'],
  ['ACCESS_LOG', share, '0.0000000001', '.001;1;0.123456789', [0.001, 1, 0.123456789]],
  ['TLS_CERT', 'be a file that can be read', '/not/there', file],
  ['TLS_KEY', 'be a file that can be read', '/not/there', file],
  [
    'DATABASE_URL',
    database,
    'http://x;postgres://[;xpostgres://x;redis://x',
    'postgres://u:word@x:1,y:2/d?sslmode=verify-full',
  ],
  ['DRAIN_SECONDS', 'be a whole number from 0 to 3600', '3601;-1', '3600', [3600]],
  ['QUOTA_FAIL', 'be open or closed', 'maybe', 'open'],
  ['PRICECHARTING_TOKEN', 'have only letters and digits', `0123456;${'x'.repeat(201)};01234567-`, '012345aZ'],
]

const errorOf = (env: NodeJS.ProcessEnv): string => {
  try {
    return `accepted as ${JSON.stringify(readSettings(env))}`
  } catch (error) {
    return `${error instanceof SettingError ? '' : 'another error: '}${(error as Error).message}`
  }
}

it('A setting is read as it is, or refused in one line that shows no secret', () => {
  for (const [name, must, wrong, right, read = right.split(';')] of settings) {
    for (const value of wrong.split(';')) {
      const shown = secret.includes(name) ? '' : ` (${JSON.stringify(value)})`
      assert.equal(errorOf({ [name]: value }), `${name}: must ${must}${shown}`)
    }
    const found = right.split(';').map((value) => readSetting(name, { [name]: value }))
    assert.deepEqual(found, read)
  }
  assert.deepEqual(readSettings(Object.fromEntries(settingNames.map((name) => [name, '']))), readSettings({}))
  assert.equal(errorOf({ TLS_CERT: file }), 'TLS_CERT: needs TLS_KEY')
  assert.equal(errorOf({ TLS_KEY: file }), 'TLS_KEY: needs TLS_CERT')
})

interface Start {
  readonly env: NodeJS.ProcessEnv
  readonly says: RegExp
  readonly command?: string
}

/** A folder whose `server.db`, which a server locks, is a folder. */
function storeWithoutLock(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'server.db'))
  return folder
}

const table: Readonly<Record<string, () => Promise<Start>>> = {
  'a taken port of the metrics': async () => ({
    env: { METRICS_PORT: await takenPort() },
    says: taken('METRICS_PORT'),
  }),
  'a taken port of the pages': async () => ({ env: { WEB_PORT: await takenPort() }, says: taken('WEB_PORT') }),
  'a taken port, by npm start, three threads': async () => ({
    env: { PORT: await takenPort(), THREADS: '3', INDEX_DIR: await fixtureIndex() },
    says: taken('PORT'),
    command: 'start',
  }),
  'an address of another machine': async () => ({
    env: { HOST: '203.0.113.1' },
    says: /^HOST: can't listen on 203\.0\.113\.1:0 \(address not available\)\n?$/,
  }),
  'an address of another machine for the metrics': async () => ({
    env: { METRICS_HOST: '203.0.113.1', METRICS_PORT: '0' },
    says: /^METRICS_HOST: can't listen on 203\.0\.113\.1:0 \(address not available\)\n?$/,
  }),
  'STORE_DIR/server.db is a folder': async () => {
    const folder = storeWithoutLock()
    const says = new RegExp(`^${folder}/server\\.db can't be read or written \\(unable to open database file\\)\\n?$`)
    return { env: { STORE_DIR: folder }, says }
  },
  'a version that is not there': async () => {
    const indexDir = temporaryFolder()
    makeCurrent(indexDir, versionNamed(7))
    const file = `${indexDir}/${versionNamed(7)}/manifest.json`
    const says = new RegExp(`^${file} is not there: is the version still being copied\\? Publish current last\\n?$`)
    return { env: { INDEX_DIR: indexDir }, says }
  },
  'a file as INDEX_DIR': async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    return { env: { INDEX_DIR: file }, says: /^INDEX_DIR: must be a folder \(/ }
  },
  'a file that is no certificate': async () => {
    const file = join(temporaryFolder(), 'cert.pem')
    writeFileSync(file, 'none')
    return {
      env: { TLS_CERT: file, TLS_KEY: file },
      says: /^TLS_CERT: is not a certificate for TLS_KEY \(error:\w+:PEM routines::no start line\)\n?$/,
    }
  },
}

const taken = (setting: string) =>
  new RegExp(
    `^${setting}: can't listen on 127\\.0\\.0\\.1:\\d+ \\(address already in use\\); ${setting}=0 takes any free port, and "ss -ltnp sport = :\\d+" shows who has this one\\n?$`,
  )

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return String((server.address() as { port: number }).port)
}

/** npm test starts a process for this one; npm run test:all for every row. */
const quick = ['an address of another machine for the metrics']
/** The same starts in this process, for npm test: what they throw is the line. */
const quickHere = ['STORE_DIR/server.db is a folder', 'a version that is not there', 'a file that is no certificate']

describe('A start that fails, as a process', { concurrency: 2 }, () => {
  for (const [what, prepare] of Object.entries(table)) {
    const test = quick.includes(what) ? it : itInAll
    test(`A start ends with one line and exit code 1: ${what}`, () => fails(prepare))
  }
})

describe('A start that fails, as a function', () => {
  for (const what of quickHere) {
    it(`The function startService throws a one-line error for this fault: ${what}`, async () => {
      const { env, says } = await table[what]!()
      const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
      const starts = async () => startService(readSettings({ PORT: '0', ...dirs, ...env }), pino({ level: 'silent' }))
      const { message } = await starts().then(
        () => assert.fail('it starts'),
        (error: Error) => error,
      )
      assert.match(message, says)
      assert.doesNotMatch(message, /\n/, 'one line')
    })
  }
})

async function fails(prepare: () => Promise<Start>): Promise<void> {
  const { env, says, command = 'serve' } = await prepare()
  const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: env['STORE_DIR'] ?? temporaryFolder() }
  const child = start(cardPrices, [command], { PORT: '0', LOG_LEVEL: 'error', ...dirs, ...env })
  const output = collect(child)
  const closed = once(child, 'close')
  try {
    await until('it tells why', () => output.stderr() !== '')
    await until('it ends', () => child.exitCode !== null || child.signalCode !== null)
    await closed
    assert.equal(child.exitCode, 1, output.stderr())
    assert.match(output.stderr(), says)
    assert.match(output.stderr(), /^[^\n]+\n$/, 'one line')
    assert.doesNotMatch(output.stdout(), /listening/)
    // The account of a first start is made when its key can be shown.
    if (existsSync(join(dirs.STORE_DIR, 'accounts.db'))) assert.deepEqual(await accounts(dirs.STORE_DIR, 'list'), [])
  } finally {
    child.kill('SIGKILL')
  }
}
