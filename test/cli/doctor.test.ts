/** card-prices doctor: what it finds where all is well, where each part is broken, and where there is nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Mirror } from '../../build/fetch-state.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { softwareVersion } from '../../src/version.ts'
import { makeExpiredPair, makePair } from '../support/certificates.ts'
import { accounts, collect, runAccountsHere, runHere, start, temporaryFolder, withLimits } from '../support/command.ts'
import { mountDisk, skipWithout, skipWithoutMounting } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'

interface Examined {
  readonly code: number | null
  readonly text: string
  /** `state` and `found: advice` by part. */
  of(part: string): string
}

async function doctor(env: NodeJS.ProcessEnv): Promise<Examined> {
  // On a busy machine, pages give way to all else.
  const patience = withLimits({ doctorAskMsMax: 25_000, doctorMsMax: 30_000 })
  const given = { CARD_PRICES_ENV: '', ...patience, ...env }
  const child = start('src/cli/main.ts', ['doctor', '--json'], given, temporaryFolder())
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  assert.deepEqual([output.stderr().replace(/^warning: .*\n/gm, ''), code === null], ['', false])
  const findings: Finding[] = JSON.parse(output.stdout())
  assert.equal(code, findings.some(({ state }) => state === 'bad') ? 1 : 0)
  return { code, ...examined(findings, output.stdout() + output.stderr()) }
}

/** The findings, without a process. */
async function doctorHere(env: NodeJS.ProcessEnv, cwd = temporaryFolder()): Promise<Examined> {
  const [envBefore, cwdBefore] = [process.env, process.cwd()]
  process.env = { ...envBefore, CARD_PRICES_ENV: '', ...env }
  process.chdir(cwd)
  try {
    const findings = await examine()
    const code = findings.some(({ state }) => state === 'bad') ? 1 : 0
    return { code, ...examined(findings, JSON.stringify(findings)) }
  } finally {
    process.env = envBefore
    process.chdir(cwdBefore)
  }
}

function examined(findings: readonly Finding[], text: string): Pick<Examined, 'text' | 'of'> {
  for (const finding of findings) {
    assert.deepEqual(Object.keys(finding), ['part', 'state', 'found', 'advice'])
    assert.equal(finding.advice === null, finding.state === 'ok', JSON.stringify(finding))
  }
  const of = (part: string) => {
    const { state, found, advice } = findings.find((finding) => finding.part === part)!
    return `${state} ${found}: ${advice}`
  }
  return { text, of }
}

/** Names, sizes and times of all that a folder holds. */
const stateOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name))
      return [name, size, mtimeMs]
    })

/** Another time of the current version's build. */
function changeManifest(indexDir: string, builtAt: string): string {
  const version = readFileSync(join(indexDir, 'current'), 'utf8').trim()
  const manifest = join(indexDir, version, 'manifest.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"builtAt": "[^"]+"/, builtAt))
  return manifest
}

async function madeStore(): Promise<string> {
  const storeDir = temporaryFolder()
  await accounts(storeDir, 'create', 'a', '--plan', 'free')
  return storeDir
}

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return `${(server.address() as AddressInfo).port}`
}

const skip = skipWithout('redis-server') || skipWithout('openssl')

describe('doctor', { skip }, () => {
  /** The server of the first test, and what it serves. */
  let left: { readonly INDEX_DIR: string; readonly STORE_DIR: string; readonly service: Service }
  let redis: RedisServer
  before(async () => {
    redis = await startRedis('hidden')
  })
  after(() => redis.stop())

  it('finds all well beside a server', async () => {
    const [INDEX_DIR, STORE_DIR] = [temporaryFolder(), await madeStore()]
    await fixtureIndex(INDEX_DIR)
    changeManifest(INDEX_DIR, `"builtAt": "${new Date().toISOString()}"`)
    assert.equal((await runAccountsHere(STORE_DIR, 'backup', join(temporaryFolder(), 'file'))).code, 0)
    const given = { INDEX_DIR, STORE_DIR, QUOTA_STORE: redis.url }
    const service = await startService({ ...given, WEB_PORT: '0', METRICS_PORT: '0' })
    const port = (address: string) => new URL(address).port
    const settings = {
      ...given,
      PORT: port(service.address),
      WEB_PORT: port(service.pages),
      METRICS_PORT: port(service.metrics),
    }
    const { code, of, text } = await doctor(settings)
    assert.equal(code, 0, text)
    assert.match(of('Node.js'), /^ok \d+\./)
    assert.match(of('HTTP library'), /^(ok|warn) /)
    assert.match(of('settings'), /^ok those of the environment: /)
    assert.match(
      of('INDEX_DIR'),
      /^ok version 2026-11-20-\w+, as of 2026-11-20, built 0 minutes ago; the checksums of all \d+ files are right/,
    )
    assert.match(of('build'), /^ok the last one 0 minutes ago \(.*Z\); versions kept: 1/)
    assert.match(of('import'), /^ok none in snapshots or prices/)
    assert.match(of('fetch'), /^ok none into snapshots or prices/)
    assert.equal(of('STORE_DIR'), `ok undamaged, with 1 account; the server has process id ${service.child.pid}: null`)
    assert.match(of('backup'), /^ok the last one 0 minutes ago, on the same disk as the store/)
    assert.match(of('port'), /^ok a server answers at http:\/\/127\.0\.0\.1:\d+ with version 2026-/)
    assert.match(of('pages'), /^ok they are at http:/)
    assert.match(of('metrics'), /^ok they are at http:.*\/metrics/)
    assert.match(of('Redis'), /^ok QUOTA_STORE answers at 127\.0\.0\.1:\d+: /)
    assert.match(of('disk space'), /INDEX_DIR [\d.]+ GB free, STORE_DIR [\d.]+ GB free/)
    assert.match(of('descriptors'), /the server has \d+ open and may have \d+/)
    assert.doesNotMatch(text, /hidden/)

    const addresses: readonly (readonly [settings: NodeJS.ProcessEnv, found: RegExp])[] = [
      [
        { WEB_URL: service.pages },
        /^warn they are at http.*; they send programs to http.*: set API_URL to the address of PORT/,
      ],
      [{ WEB_URL: service.address }, /^ok they are at http/],
      [{ WEB_URL: service.pages, API_URL: service.address }, /^ok they are at http/],
    ]
    for (const [more, found] of addresses) assert.match((await doctorHere({ ...settings, ...more })).of('pages'), found)
    left = { INDEX_DIR, STORE_DIR, service }
  })

  it('finds what is broken, says no secret, and changes nothing', async () => {
    const [INDEX_DIR, STORE_DIR, cwd] = [await fixtureIndex(), await madeStore(), temporaryFolder()]
    const manifest = changeManifest(INDEX_DIR, '"builtAt": "2020-11-20T00:00:00.000Z"')
    const cards = join(dirname(manifest), 'cards-000.msgpack')
    const bytes = readFileSync(cards)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(cards, bytes)
    const store = join(STORE_DIR, 'accounts.db')
    writeFileSync(store, readFileSync(store).fill(255, 8192, 5 * 8192))
    mkdirSync(join(cwd, 'prices/import/mirror/tcgcsv'), { recursive: true })
    writeFileSync(join(cwd, 'prices/import/.journal'), '')
    new Mirror(join(cwd, 'prices/import/mirror/tcgcsv'), 'tcgcsv').begin('2026-11-20', ['mtg'])
    redis.hang()
    const { cert, key } = await makeExpiredPair('a')
    const silent = createServer(() => {})
    const other = createHttpServer((_, response) => response.end('other'))
    const env = {
      INDEX_DIR,
      STORE_DIR,
      WEBPORT: 'hidden',
      PORT: await listening(silent),
      METRICS_PORT: await listening(other),
      TLS_CERT: cert,
      TLS_KEY: key,
      QUOTA_STORE: redis.url,
      ACCOUNTS_STORE: redis.url.replace(/:\d+$/, ':1'),
    }
    const folders = [INDEX_DIR, STORE_DIR, cwd]
    const before = folders.map(stateOf)
    const { code, text, of } = await doctorHere(env, cwd)
    assert.equal(code, 1)
    assert.match(of('settings'), /^warn WEBPORT is no setting: did you mean WEB_PORT\?/)
    assert.match(of('INDEX_DIR'), /^bad .*cards-000\.msgpack has a wrong checksum: .*rollback/)
    assert.match(of('build'), /^warn the last one \d+ days ago/)
    assert.match(of('import'), /^warn one into prices is being put in place, or was cut short/)
    assert.match(
      of('fetch'),
      /^warn prices\/import\/mirror\/tcgcsv is unfinished: the next card-prices update continues it/,
    )
    assert.match(of('STORE_DIR'), /^bad .*accounts\.db is damaged .*: restore a backup/)
    assert.match(of('backup'), /^warn no backup of the store is known/)
    assert.match(
      of('port'),
      /^bad another program has https:.*, and does not answer as this server \(no answer for 3 s\)/,
    )
    assert.match(of('metrics'), /^bad another program answers at http:.* \(200\)/)
    assert.match(of('certificate'), /^bad the certificate expired on /)
    assert.match(
      of('Redis'),
      /^bad QUOTA_STORE can't be used at .* \(no answer for 3 s\); ACCOUNTS_STORE .*ECONNREFUSED/,
    )
    assert.doesNotMatch(text, /hidden/)
    assert.deepEqual(folders.map(stateOf), before)
  })

  it('finds what is not there yet, makes none of it, and tells it in aligned lines', async () => {
    const folder = temporaryFolder()
    const { cert } = await makePair('a')
    const { key } = await makePair('b')
    const missing = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const free = createServer()
    const PORT = await listening(free)
    free.close()
    const env = { ...missing, CARD_PRICES_ENV: '', PORT, TLS_CERT: cert, TLS_KEY: key, WEB_PORT: '0' }
    const { code, of } = await doctorHere(env)
    const { stdout, ...aligned } = await runHere('src/cli/doctor/doctor-command.ts', [], env)
    assert.deepEqual([code, aligned], [1, { code: 1, stderr: '' }])
    for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^(ok {4}|warn {2}|bad {3})\S.{11} {2}\S/)
    assert.match(of('settings'), /^bad TLS_CERT: is not a certificate for TLS_KEY/)
    assert.match(of('INDEX_DIR'), /^bad there is no folder .*indexes: build one/)
    assert.match(of('build'), /^warn there is no version/)
    assert.match(of('STORE_DIR'), /^warn there is no store in .*store: /)
    assert.match(of('port'), /^warn no server runs; https:.* is free: start one/)
    assert.match(of('pages'), /^ok WEB_PORT is any free port/)
    assert.match(of('certificate'), /^bad \S+cert\.pem is not a certificate for \S+key\.pem/)
    assert.ok(!existsSync(missing.INDEX_DIR) && !existsSync(missing.STORE_DIR))
  })

  it('names the sets that keep earlier prices', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'prices/import'), { recursive: true })
    const held = { source: 'tcgcsv', set: '604', game: 'pokemon', code: 'bs', runs: 2, day: '2026-11-20' }
    const lines = [held, { ...held, set: '605', code: 'b2' }].map((set) =>
      JSON.stringify({ ...set, figures: 'all gone' }),
    )
    writeFileSync(join(cwd, 'prices/import/held.ndjson'), `${lines.join('\n')}\n`)
    const { of } = await doctorHere({}, cwd)
    assert.match(
      of('import'),
      /^warn sets that keep .*: pokemon\/bs of tcgcsv \(run 2: all gone\); pokemon\/b2 of tcgcsv .*--accept/,
    )
  })

  it('warns of a store without any account', async () => {
    const STORE_DIR = await madeStore()
    await accounts(STORE_DIR, 'delete', 'a', '--yes')
    const { of } = await doctorHere({ STORE_DIR, PORT: '0' })
    assert.match(
      of('STORE_DIR'),
      new RegExp(`^warn no accounts in ${STORE_DIR}: every key gets 401: .*correct STORE_DIR`),
    )
  })

  it('tells each bad setting, and looks at nothing that depends on them', async () => {
    const wrong = { PORT: 'http', LOG_LEVEL: 'loud', QUOTA_STORE: 'http://hidden', INDEX_URL: 'ftp://hidden' }
    const { code, text, of } = await doctorHere(wrong)
    assert.equal(code, 1)
    for (const name of Object.keys(wrong)) assert.match(of('settings'), new RegExp(`${name}: `))
    assert.deepEqual(
      (JSON.parse(text) as Finding[]).map(({ part }) => part),
      ['Node.js', 'HTTP library', 'settings'],
    )
    assert.doesNotMatch(text, /hidden/)
  })

  it('finds a store of a newer release, and a certificate that will expire', async () => {
    const STORE_DIR = await madeStore()
    const db = new DatabaseSync(join(STORE_DIR, 'accounts.db'))
    db.exec('PRAGMA user_version = 999')
    db.close()
    const { cert, key } = await makePair('a')
    const { of } = await doctorHere({ PORT: '0', STORE_DIR, TLS_CERT: cert, TLS_KEY: key })
    assert.match(of('STORE_DIR'), /^bad .* was written by a newer release/)
    assert.match(of('certificate'), /^bad 0 days are left: renew it/)
  })

  it('finds a server of another release, and a store that a killed server left', async () => {
    const { INDEX_DIR, STORE_DIR, service } = left
    service.child.kill('SIGKILL')
    await once(service.child, 'close')
    const reported = JSON.stringify({ status: 'ok', version: '2026-11-20-0123456789ab', software: '0.0.1' })
    const PORT = await listening(createHttpServer((_, response) => response.end(reported)))
    const state = () => stateOf(STORE_DIR).filter(([name]) => name !== 'accounts.db-shm')
    const before = state()
    const file = join(temporaryFolder(), 'file.env')
    writeFileSync(file, `STORE_DIR='${STORE_DIR}'\n`)
    const { of } = await doctorHere({ INDEX_DIR, PORT, CARD_PRICES_ENV: file, STORE_DIR })
    assert.equal(of('settings'), `ok those of the environment and of ${file}: null`)
    assert.ok(of('port').includes(`and is of release 0.0.1, not ${softwareVersion}: restart it`), of('port'))
    assert.equal(of('STORE_DIR'), 'ok undamaged, with 1 account; no server runs on it: null')
    assert.deepEqual(state(), before)
  })

  it('finds a full disk', { skip: skipWithoutMounting() }, async () => {
    const disk = mountDisk(16 * 1024 * 1024)
    const [INDEX_DIR, STORE_DIR] = [await fixtureIndex(), join(disk.folder, 'store')]
    const { of } = await doctorHere({ INDEX_DIR, STORE_DIR, PORT: '0' })
    assert.match(of('disk space'), /^bad .*STORE_DIR 0\.0 GB free: make room/)
    await disk.unmount()
  })
})
