/** Starts that fail, wherever they do: one line that tells why, and the process ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pino from 'pino'
import { startService } from '../../src/process/supervisor.ts'
import { readSettings } from '../../src/settings.ts'
import { itInAll } from '../support/amount.ts'
import { accounts, collect, start, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { makeCurrent, versionNamed } from '../support/versions.ts'

/** So long after its line a process may take to end; most of it is a busy machine's. */
const endMsMax = 4000

interface Start {
  readonly env: NodeJS.ProcessEnv
  readonly says: RegExp
  readonly script?: string
}

/** A folder whose `server.db`, which a server locks, is a folder. */
function storeWithoutLock(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'server.db'))
  return folder
}

const table: Readonly<Record<string, () => Promise<Start>>> = {
  'a bad setting': async () => ({ env: { THREADS: 'many' }, says: /^THREADS: / }),
  'a taken port, one thread': async () => ({ env: { PORT: await takenPort() }, says: taken('PORT') }),
  'a taken port of the metrics': async () => ({
    env: { METRICS_PORT: await takenPort() },
    says: taken('METRICS_PORT'),
  }),
  'a taken port of the pages': async () => ({ env: { WEB_PORT: await takenPort() }, says: taken('WEB_PORT') }),
  'a taken port, by npm start, three threads': async () => ({
    env: { PORT: await takenPort(), THREADS: '3', INDEX_DIR: await fixtureIndex() },
    says: taken('PORT'),
    script: 'build/start.ts',
  }),
  'an address of others': async () => ({
    env: { HOST: '203.0.113.1' },
    says: /^HOST: can't listen on 203\.0\.113\.1:0 \(address not available\)/,
  }),
  'an address of others for the metrics': async () => ({
    env: { METRICS_HOST: '203.0.113.1', METRICS_PORT: '0' },
    says: /^METRICS_HOST: can't listen on 203\.0\.113\.1:0 \(address not available\)/,
  }),
  'STORE_DIR/server.db is a folder': async () => ({ env: { STORE_DIR: storeWithoutLock() }, says: /server\.db/ }),
  'a version that is not there': async () => {
    const indexDir = temporaryFolder()
    makeCurrent(indexDir, versionNamed(7))
    return { env: { INDEX_DIR: indexDir }, says: /manifest.json is not there: is the version still being copied\?/ }
  },
  'a current that names none': async () => {
    const indexDir = temporaryFolder()
    makeCurrent(indexDir, 'nonsense')
    return { env: { INDEX_DIR: indexDir }, says: new RegExp(`${indexDir}/current names no version`) }
  },
  'a file as INDEX_DIR': async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    return { env: { INDEX_DIR: file }, says: /^INDEX_DIR: must be a folder \(/ }
  },
  'a certificate that is none': async () => {
    const file = join(temporaryFolder(), 'cert.pem')
    writeFileSync(file, 'none')
    return { env: { TLS_CERT: file, TLS_KEY: file }, says: /^TLS_CERT: is not a certificate/ }
  },
}

const taken = (setting: string) =>
  new RegExp(`^${setting}: can't listen on 127\\.0\\.0\\.1:\\d+ \\(address already in use\\)`)

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return String((server.address() as { port: number }).port)
}

/** npm test starts a process for this one; npm run test:all for every row. */
const quick = ['an address of others for the metrics']
/** The same starts in this process, for npm test: what they throw is the line. */
const quickHere = [
  'a bad setting',
  'STORE_DIR/server.db is a folder',
  'a version that is not there',
  'a certificate that is none',
]

describe('a start that fails ends the process with one line and exit 1', { concurrency: 2 }, () => {
  for (const [what, prepare] of Object.entries(table)) {
    const test = quick.includes(what) ? it : itInAll
    test(what, () => fails(prepare))
  }
})

describe('a start that fails throws the line', () => {
  for (const what of quickHere) {
    it(what, async () => {
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
  const { env, says, script = 'src/cli/serve-command.ts' } = await prepare()
  const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: env['STORE_DIR'] ?? temporaryFolder() }
  const child = start(script, [], { PORT: '0', LOG_LEVEL: 'error', ...dirs, ...env })
  const output = collect(child)
  const closed = once(child, 'close')
  try {
    await until('it tells why', () => output.stderr() !== '', 60_000)
    const reported = performance.now()
    await until('it ends', () => child.exitCode !== null || child.signalCode !== null, endMsMax)
    assert.ok(performance.now() - reported < endMsMax)
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
