/** card-prices doctor: what it finds where all is well, where each part is broken, and where there is nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Mirror } from '../../build/fetch-state.ts'
import { claimStore } from '../../src/accounts/control.ts'
import { ago, type Finding } from '../../src/cli/doctor/finding.ts'
import { lookAtCertificate, lookAtDisks } from '../../src/cli/doctor/machine.ts'
import { loadLibrary } from '../../src/http/connections/uws.ts'
import { lastUpdatesFile } from '../../src/last-updates.ts'
import type { Settings } from '../../src/settings.ts'
import { Store } from '../../src/store/store.ts'
import { softwareVersion } from '../../src/version.ts'
import { makeExpiredPair, makePair } from '../support/certificates.ts'
import { accounts, runAccountsHere, runHere, temporaryFolder, withModules } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { mountDisk, skipWithout, skipWithoutMounting } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'
import { doctor, doctorHere, madeStore } from './doctor.ts'

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

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return `${(server.address() as AddressInfo).port}`
}

const skip = skipWithout('postgres') || skipWithout('openssl')

describe('The doctor', { skip }, () => {
  /** The server of the first test, and what it serves. */
  let left: { readonly INDEX_DIR: string; readonly STORE_DIR: string; readonly service: Service }
  let postgres: Postgres
  before(async () => {
    postgres = await Postgres.start()
  })

  it('The doctor reports each part of a running server as ok', async () => {
    const [INDEX_DIR, STORE_DIR] = [temporaryFolder(), await madeStore()]
    await fixtureIndex(INDEX_DIR)
    changeManifest(INDEX_DIR, `"builtAt": "${new Date().toISOString()}"`)
    assert.equal((await runAccountsHere(STORE_DIR, 'backup', join(temporaryFolder(), 'file'))).code, 0)
    const given = { INDEX_DIR, STORE_DIR, DATABASE_URL: postgres.url() }
    assert.equal((await runAccountsHere(STORE_DIR, 'move', postgres.url())).code, 0)
    // The doctor waits for a page by the clock, and low priority exceeds its bound on a busy machine.
    const usual = withModules('test/support/no-priority.cjs')
    const service = await startService({ ...given, WEB_PORT: '0', METRICS_PORT: '0', ...usual })
    const port = (address: string) => new URL(address).port
    const settings = {
      ...given,
      PORT: port(service.address),
      WEB_PORT: port(service.pages),
      METRICS_PORT: port(service.metrics),
    }
    const { code, of, text, lines } = await doctor(settings)
    assert.equal(code, 0, text)
    const { node } = process.versions
    assert.equal(of('Node.js'), `ok ${node} on ${process.platform} ${process.arch}`)
    const { name, failsOnPieces } = loadLibrary()
    assert.ok(of('HTTP library').startsWith(`${failsOnPieces ? 'warn' : 'ok'} ${name}`), of('HTTP library'))
    assert.deepEqual(lines, [
      'settings: ok those of the environment',
      'INDEX_DIR: ok version VERSION, as of 2026-11-20, built 0 minutes ago; the checksums of all 9 files are right',
      'fetch: ok none in prices or snapshots here, and none into INDEX_DIR',
      'import: ok none in prices or snapshots here, and none into INDEX_DIR',
      'build: ok the last one 0 minutes ago (TIME); versions kept: 1',
      `STORE_DIR: ok undamaged, with 1 account; the server has process id ${service.child.pid}`,
      'backup: ok the last one 0 minutes ago, on the same disk as the store: copy it to another',
      `port: ok a server answers at ${service.address} with version VERSION`,
      `pages: ok they are at ${service.pages}`,
      `metrics: ok they are at ${service.metrics}/metrics`,
      `database: ok PostgreSQL ${await postgres.asks("SELECT split_part(current_setting('server_version'), ' ', 1) AS v").then(([row]) => row.v)} answers at 127.0.0.1:${postgres.port}`,
    ])
    assert.match(of('disk space'), /^\w+ INDEX_DIR [\d.]+ GB free, STORE_DIR [\d.]+ GB free/)
    assert.match(of('descriptors'), /^\w+ the server has \d+ open and may have \d+/)
    assert.doesNotMatch(text, /hidden|CHANGE-THIS/)

    const { pages, address } = service
    const advice =
      'set API_URL to the address of PORT as programs reach it, or let the proxy pass /v1/, /healthz and /openapi.json on to PORT'
    const wrong = `warn they are at ${pages}; they send programs to ${pages}, where the API does not answer: ${advice}`
    const addresses: readonly (readonly [settings: NodeJS.ProcessEnv, found: string])[] = [
      [{ WEB_URL: pages }, wrong],
      [{ WEB_URL: address }, `ok they are at ${pages}`],
      [{ WEB_URL: pages, API_URL: address }, `ok they are at ${pages}`],
    ]
    for (const [more, found] of addresses) assert.equal((await doctorHere({ ...settings, ...more })).of('pages'), found)
    left = { INDEX_DIR, STORE_DIR, service }
  })

  it('The doctor reports all that is broken, prints no secret, and changes nothing', async () => {
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
    postgres.hang()
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
      DATABASE_URL: postgres.url(),
    }
    const folders = [INDEX_DIR, STORE_DIR, cwd]
    const before = folders.map(stateOf)
    const { code, text, lines } = await doctorHere(env, cwd)
    const days = Math.floor((Date.now() - Date.parse('2020-11-20')) / 86_400_000)
    const [own, place] = [`https://127.0.0.1:${env.PORT}`, `127.0.0.1:${postgres.port}`]
    assert.deepEqual(
      [code, ...lines],
      [
        1,
        'settings: warn WEBPORT is no setting: did you mean WEB_PORT?: correct the names',
        `INDEX_DIR: bad ${INDEX_DIR}/VERSION/cards-000.msgpack has a wrong checksum: build one (card-prices update tcgcsv)`,
        'fetch: warn prices/import/mirror/tcgcsv is unfinished: continue it (card-prices update tcgcsv)',
        'import: warn one into prices is being put in place, or was cut short: the next import or build finishes it',
        `build: warn the last one ${days} days ago (TIME); versions kept: 1: build a new one (card-prices update tcgcsv)`,
        `STORE_DIR: bad ${store} is damaged (…): restore a backup, as docs/operating.md has it`,
        'backup: warn no backup of the store is known: write one a day (card-prices accounts backup backups/), and copy it to another disk',
        `port: bad another program has ${own}, and does not answer as this server (no answer for 3 s): stop the other program, or set another PORT`,
        `metrics: bad another program answers at http://127.0.0.1:${env.METRICS_PORT} (200): stop the other program, or set another METRICS_PORT`,
        `database: bad it can't be used at ${place} (timeout expired): start it, or correct it or DATABASE_URL with its password`,
        'certificate: bad the certificate expired on Jan  2 00:00:00 2020 GMT: renew it, or check the clock; a running server notices the new files',
      ],
    )
    assert.doesNotMatch(text, /hidden|CHANGE-THIS/)
    assert.deepEqual(folders.map(stateOf), before)
  })

  it('The doctor reports missing parts in aligned lines, and creates none of them', async () => {
    const folder = temporaryFolder()
    const { cert } = await makePair('a')
    const { key } = await makePair('b')
    const missing = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const free = createServer()
    const PORT = await listening(free)
    free.close()
    const nowhere = { WEB_HOST: 'nowhere.invalid', WEB_PORT: '8081', METRICS_PORT: '0' }
    const env = { ...missing, ...nowhere, CARD_PRICES_ENV: '', PORT, TLS_CERT: cert, TLS_KEY: key }
    const { code, lines } = await doctorHere(env)
    const later = await doctorHere({ ...env, INDEX_URL: 'http://127.0.0.1:1' })
    const downloads = 'a running server downloads one from INDEX_URL'
    assert.equal(later.of('INDEX_DIR'), `warn there is no folder ${missing.INDEX_DIR}: ${downloads}`)
    const { stdout, ...aligned } = await runHere(['doctor'], env)
    assert.deepEqual([code, aligned], [1, { code: 1, stderr: '' }])
    for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^(ok {4}|warn {2}|bad {3})\S.{11} {2}\S/)
    assert.deepEqual(lines, [
      'settings: bad TLS_CERT: is not a certificate for TLS_KEY (…): correct it',
      `INDEX_DIR: bad there is no folder ${missing.INDEX_DIR}: build one (card-prices update tcgcsv), or correct INDEX_DIR`,
      'fetch: ok none in prices or snapshots here, and none into INDEX_DIR',
      'import: ok none in prices or snapshots here, and none into INDEX_DIR',
      'build: warn there is no version that this release can read: build a new one (card-prices update tcgcsv)',
      `STORE_DIR: warn there is no store in ${missing.STORE_DIR}: the first server or account creates one; is STORE_DIR right?`,
      'backup: warn no backup of the store is known: write one a day (card-prices accounts backup backups/), and copy it to another disk',
      `port: warn no server runs; https://127.0.0.1:${PORT} is free: start one (card-prices serve); commands work without it`,
      "pages: bad WEB_HOST: can't listen on nowhere.invalid:8081 (…): correct WEB_HOST or WEB_PORT",
      'metrics: ok METRICS_PORT is any free port: the server prints which',
      `certificate: bad ${cert} is not a certificate for ${key} (…): correct the files`,
    ])
    assert.ok(!existsSync(missing.INDEX_DIR) && !existsSync(missing.STORE_DIR))
  })

  it('The doctor reports the last fetch and import, their failures, and sets that keep earlier prices', async () => {
    const cwd = temporaryFolder()
    const imported = join(cwd, 'prices/import')
    for (const name of ['kept', 'mirror/tcgcsv', 'mirror/mtgjson']) mkdirSync(join(imported, name), { recursive: true })
    const expects = async (part: string, found: string) => assert.equal((await doctorHere({}, cwd)).of(part), found)
    const [before, earlier] = [180, 2 * 1440].map((minutes) => Date.now() - minutes * 60_000 - 9) as [number, number]
    const mirrors = ['mtgjson', 'tcgcsv'].map((name) => new Mirror(join(imported, 'mirror', name), name))
    await mirrors[0]!.finish(earlier)
    await mirrors[1]!.finish(before)
    await expects('fetch', 'ok mtgjson 2 days ago, tcgcsv 3 hours ago')
    for (const name of ['mtgjson', 'tcgcsv', 'scryfall']) {
      writeFileSync(join(imported, 'kept', `${name}.ndjson`), '')
      const at = (name === 'tcgcsv' ? before : earlier) / 1000
      utimesSync(join(imported, 'kept', `${name}.ndjson`), at, at)
    }
    await expects('import', 'ok the last one 3 hours ago, of tcgcsv into prices')
    const held =
      '{"source":"tcgcsv","set":"4","game":"pokemon","code":"bs","runs":2,"day":"2026-11-20","figures":"all gone"}\n'
    writeFileSync(join(imported, 'held.ndjson'), held + held.replace('bs', 'b2'))
    const sets = 'pokemon/bs of tcgcsv (run 2: all gone); pokemon/b2 of tcgcsv (run 2: all gone)'
    const accept = 'look at their source; if it is right, take them as they are with --accept pokemon/bs,pokemon/b2'
    await expects('import', `warn sets that keep earlier prices: ${sets}: ${accept}`)
    const endedAt = new Date(before).toISOString()
    const update = {
      startedAt: endedAt,
      endedAt,
      success: true,
      error: null,
      stamp: null,
      isNew: false,
      requests: 0,
      bytes: 0,
      counts: null,
      day: null,
      missingDays: [],
      imported: {},
      version: null,
    }
    const failed = { ...update, success: false, error: 'it answered 403' }
    writeFileSync(lastUpdatesFile(join(cwd, 'prices')), JSON.stringify({ mtgjson: update, tcgcsv: failed }))
    const again = 'run it again after that (card-prices update tcgcsv)'
    const failure = 'the last update of tcgcsv failed 3 hours ago: it answered 403'
    const toTake = accept.replace('with --accept', '(card-prices update tcgcsv --accept')
    await expects('import', `warn ${failure}; sets that keep earlier prices: ${sets}: ${again}; ${toTake})`)
  })

  it('The doctor prints ages in words, and warns if a build or a backup is older than 36 hours', async () => {
    const texts = [-5, 0, 119, 120, 2879, 2880, 4319, 4320].map((minutes) => ago(-minutes * 60_000, 0))
    const expected = '5 minutes in the future, 0 minutes, 119 minutes, 2 hours, 47 hours, 2 days, 2 days, 3 days'
    assert.equal(texts.join(', ').replaceAll(' ago', ''), expected)
    const [INDEX_DIR, STORE_DIR] = [await fixtureIndex(), await madeStore()]
    assert.equal((await runAccountsHere(STORE_DIR, 'backup', join(temporaryFolder(), 'file'))).code, 0)
    const db = new DatabaseSync(join(STORE_DIR, 'accounts.db'))
    db.exec(`UPDATE settings SET value = '"/nowhere"' WHERE name = 'backedUpTo'`)
    for (const minutes of [2159, 2161]) {
      const ms = Date.now() - minutes * 60_000
      db.exec(`UPDATE settings SET value = '${ms}' WHERE name = 'backedUpAt'`)
      changeManifest(INDEX_DIR, `"builtAt": "${new Date(ms).toISOString()}"`)
      const { of } = await doctorHere({ INDEX_DIR, STORE_DIR, PORT: '0' })
      const found = minutes < 2160 ? 'ok the last one 35 hours ago' : 'warn the last one 36 hours ago'
      assert.deepEqual([of('build').split(' (')[0], of('backup').split(': ')[0]], [found, found])
    }
    db.close()
  })

  it('The doctor warns of a store without accounts', async () => {
    const STORE_DIR = await madeStore()
    await accounts(STORE_DIR, 'delete', 'a', '--yes')
    const { of } = await doctorHere({ STORE_DIR, PORT: '0' })
    const advice = 'create one (card-prices accounts create shop --plan free), or correct STORE_DIR'
    assert.equal(of('STORE_DIR'), `warn no accounts in ${STORE_DIR}: every key gets 401: ${advice}`)
  })

  it('The doctor reports each bad setting, and skips what depends on them', async () => {
    const wrong = { PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'http://hidden', INDEX_URL: 'ftp://hidden' }
    const { code, text, of } = await doctorHere(wrong)
    assert.equal(code, 1)
    for (const name of Object.keys(wrong)) assert.match(of('settings'), new RegExp(`${name}: `))
    assert.deepEqual(
      (JSON.parse(text) as Finding[]).map(({ part }) => part),
      ['Node.js', 'HTTP library', 'settings'],
    )
    assert.doesNotMatch(text, /hidden|CHANGE-THIS/)
  })

  it('The doctor reports a store of a newer release, and a certificate that expires soon', async () => {
    const STORE_DIR = await madeStore()
    const db = new DatabaseSync(join(STORE_DIR, 'accounts.db'))
    db.exec('PRAGMA user_version = 999')
    db.close()
    const { of } = await doctorHere({ PORT: '0', STORE_DIR })
    assert.equal(of('STORE_DIR'), `bad ${STORE_DIR}/accounts.db was written by a newer release: use that release`)
    for (const [days, state] of Object.entries({ 3: 'bad', 4: 'warn', 21: 'warn', 22: 'ok' })) {
      const { cert, key } = await makePair('a', undefined, Number(days))
      const advice = state === 'ok' ? null : 'renew it, or check the clock; a running server notices the new files'
      const found = { state, found: `${Number(days) - 1} days are left`, advice }
      assert.deepEqual(await lookAtCertificate({ TLS_CERT: cert, TLS_KEY: key } as Settings), found)
    }
  })

  it('The doctor reports a server of another release, and a store that a killed server left', async () => {
    const { INDEX_DIR, STORE_DIR, service } = left
    service.child.kill('SIGKILL')
    await once(service.child, 'close')
    const reported = JSON.stringify({ status: 'ok', version: '2026-11-20-0123456789ab', software: '0.0.1' })
    const PORT = await listening(createHttpServer((_, response) => response.end(reported)))
    const state = () => stateOf(STORE_DIR).filter(([name]) => name !== 'accounts.db-shm')
    const before = state()
    const file = join(temporaryFolder(), 'file.env')
    writeFileSync(file, `STORE_DIR='${STORE_DIR}'\n`)
    const settings = { INDEX_DIR, PORT, STORE_DIR, DATABASE_URL: postgres.url() }
    const { of } = await doctorHere({ ...settings, CARD_PRICES_ENV: file })
    assert.equal(of('settings'), `ok those of the environment and of ${file}`)
    const found = `a server answers at http://127.0.0.1:${PORT} with version 2026-11-20-0123456789ab`
    const other = `which is not the server of STORE_DIR: none runs on ${STORE_DIR}`
    const correct = 'correct STORE_DIR or PORT: the accounts and keys of STORE_DIR are not those of that server'
    assert.equal(of('port'), `bad ${found}, ${other}: ${correct}`)
    assert.deepEqual(state(), before)
    const store = new Store(STORE_DIR)
    const lock = claimStore(store)
    const served = await doctorHere(settings)
    assert.equal(served.of('port'), `warn ${found}, and is of release 0.0.1, not ${softwareVersion}: restart it`)
    lock.close()
    await store.close()
    assert.equal(of('STORE_DIR'), 'ok undamaged, with 1 account; no server runs on it')
  })

  it('The doctor reports a disk that is nearly full', { skip: skipWithoutMounting() }, async () => {
    const advice = 'make room: a build needs as much as a version, and counts of requests must be written'
    for (const [megabytes, state] of Object.entries({ 255: 'bad', 257: 'warn', 2047: 'warn', 2049: 'ok' })) {
      const { folder, unmount } = mountDisk(Number(megabytes) * 1024 ** 2)
      const settings = { INDEX_DIR: folder, STORE_DIR: join(folder, 'no/store') } as Settings
      const free = Number(megabytes) < 1024 ? '0.3' : '2.1'
      const found = `INDEX_DIR ${free} GB free, STORE_DIR ${free} GB free`
      assert.deepEqual(await lookAtDisks(settings), { state, found, advice: state === 'ok' ? null : advice })
      await unmount()
    }
  })
})
