/**
 * Each alert of deploy/alerts.yml fires when a real server is in the state that it is about, and none does when all is
 * well: a server is put into each state and scraped, and promtool is given the hours that such scrapes make.
 */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../src/accounts/registry.ts'
import { removeBuildFailure, writeBuildFailure } from '../../src/build-failure.ts'
import { type LastUpdate, type LastUpdates, writeLastUpdates } from '../../src/last-updates.ts'
import { Store } from '../../src/store/store.ts'
import { assertFiring, changed, lasting, type Seen, see, silentAt, sumOf, Timeline } from '../deploy/promtool.ts'
import { makePair } from '../support/certificates.ts'
import { accounts, runAccountsHere, temporaryFolder, withModules } from '../support/command.ts'
import { FileServer, status } from '../support/file-server.ts'
import { quietUpdate } from '../support/last-update.ts'
import { Postgres } from '../support/postgres.ts'
import { type Disk, mountDisk, skipWithout, skipWithoutMounting } from '../support/programs.ts'
import { requestText, Wire } from '../support/proxy-wire.ts'
import { type Service, startService } from '../support/service.ts'
import { Fleet } from '../support/sharing-servers.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent, versionNamed } from '../support/versions.ts'
import { Line } from './line.ts'

const skip = skipWithout('promtool') || skipWithout('postgres') || skipWithoutMounting()
const hours = 60
const day = 24 * hours
/** More than a request a second, if all of them ask within a minute. */
const accountsAsking = 80
const requestsAsMany = 20

const indexDir = temporaryFolder()
const mortalDir = temporaryFolder()
const keys: Record<string, string> = {}
let disk: Disk
let service: Service
let version: string

const serve = (env: NodeJS.ProcessEnv = {}): Promise<Service> =>
  startService({
    INDEX_DIR: indexDir,
    STORE_DIR: disk.folder,
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ACCESS_LOG: '1',
    ...withModules('test/process/mortal.cjs'),
    MORTAL_DIR: mortalDir,
    ...env,
  })

async function restart(env: NodeJS.ProcessEnv = {}): Promise<void> {
  assert.equal(await service.stop(), 0)
  service = await serve(env)
}

const now = () => see(service.metrics)

/** Sends `count` equal requests, one after another. Returns how often each status came. */
async function ask(count: number, path: string, key?: string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const wire = await Wire.open(Number(new URL(service.address).port))
  for (let i = 0; i < count; i++) {
    const { status } = (await wire.ask(requestText(path, key)))!
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  wire.close()
  return statuses
}

/** Returns the first scrape that has a wanted value. A scrape leaves out what the server can't read in half a second. */
async function untilMetric(name: string, isWanted: (value: number) => boolean): Promise<Seen> {
  let seen!: Seen
  const isSo = async () => {
    seen = await now()
    return isWanted(sumOf(seen, name))
  }
  await until(`${name}: ${isWanted}`, isSo, undefined, () => `it is ${sumOf(seen, name)}`)
  return seen
}

before(async () => {
  if (skip) return
  disk = mountDisk(64 * 2 ** 20)
  // Data of today: it is never old.
  const today = new Date().toISOString().slice(0, 10)
  const history = `date,id,market,low,high\n${today},${aCard.id},1,1,1\n`
  version = await addVersion(
    indexDir,
    snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard], 'history/a.csv': history }),
  )
  makeCurrent(indexDir, version)
  for (const name of ['shop', 'other', 'late', 'small']) {
    const plan = name === 'small' ? 'free' : 'business'
    keys[name] = (await accounts(disk.folder, 'create', name, '--plan', plan)).key
  }
  service = await serve()
})

after(async () => {
  if (skip) return
  assert.equal(await service.stop(), 0)
  await disk.unmount()
})

describe('The alerts', { skip }, () => {
  it('No alert fires with requests or without, at a start, over a restart, or when a scrape is missed', async () => {
    const first = await now()
    await ask(500, `/v1/cards/${aCard.id}`, keys['shop'])
    await ask(20, '/v1/search?q=char', keys['shop'])
    await ask(5, '/v1/cards/nope', keys['shop'])
    await ask(2, '/v1/games')
    const calm = await now()
    await restart()
    const restarted = await now()
    assert.ok(sumOf(restarted, 'cpl_http_requests_total') < sumOf(calm, 'cpl_http_requests_total'))
    const timeline = new Timeline().as(first, 60).between(first, calm, 60).as(calm, 90).away(1).as(calm, 30)
    timeline.restarted().as(restarted, 90)
    const each15 = Array.from({ length: timeline.minutes / 15 }, (_, i) => i * 15 + 5)
    assertFiring(silentAt(...each15, 211, 212, 213, 242, 243), timeline)
  })

  it('Alerts fire for an update that failed, for one that held sets back, and for one that did not run', async () => {
    const updated = (source: string, success: boolean, ageMs: number, held: LastUpdate['held'] = []) => {
      const endedAt = new Date(Date.now() - ageMs).toISOString()
      const error = success ? null : 'tcgcsv.com answered 403'
      return { [source]: { ...quietUpdate, endedAt, success, error, held } }
    }
    const snapshots = temporaryFolder()
    const after = async (...updates: LastUpdates[]): Promise<Seen> => {
      await writeLastUpdates(snapshots, indexDir, Object.assign({}, ...updates))
      return untilMetric('cpl_last_update_success', (value) => value > 0)
    }
    const well = await after(updated('tcgcsv', true, 0), updated('scryfall', true, 0))
    const failed = await after(updated('tcgcsv', false, 0), updated('scryfall', true, 0))
    const sets = ['base1', 'swsh12'].map((code) => ({ game: 'pokemon', code, runs: 1, figures: '40 of 40 …' }))
    const held = await after(updated('tcgcsv', true, 0, sets))
    const old = await after(updated('tcgcsv', true, 35.5 * 3_600_000))
    rmSync(join(indexDir, 'updates.json'))
    assertFiring({ 59: '', 70: '', 80: 'UpdateFailed' }, lasting(well, failed, 60))
    assertFiring({ 59: '', 70: '', 80: 'SetsHeld' }, lasting(well, held, 60))
    assertFiring({ 20: '', 60: 'UpdateOld' }, new Timeline().as(old, 120))
  })

  it('An alert fires if a build failed, until one succeeds', async () => {
    const calm = await now()
    const failure = { error: new Error('a reason'), advice: 'a remedy' }
    await writeBuildFailure(indexDir, temporaryFolder(), failure)
    const failed = await untilMetric('cpl_last_build_failed', (value) => value === 1)
    await removeBuildFailure(indexDir)
    assertFiring({ 59: '', 70: '', 80: 'BuildFailed', 130: '' }, lasting(calm, failed, 60))
  })

  it('An alert fires if the date of the data lies in the future', async () => {
    const calm = await now()
    for (const name of ['as_of', 'published']) {
      const line = new RegExp(`^(cpl_data_${name}_timestamp_seconds) .*`, 'm')
      const ahead = changed(calm, line, `$1 ${calm.at + 30 * 24 * 3600}`)
      assertFiring({ 59: '', 70: '', 80: 'DataAhead', 130: '' }, lasting(calm, ahead, 60))
    }
  })

  it('An alert fires if a server is away, and another if all are', async () => {
    const calm = await now()
    const one = new Timeline().as(calm, 60).away(30).as(calm, 30)
    assertFiring({ 61: '', 63: 'Away', 89: 'Away', 92: '' }, one)
    const other = new Timeline(1, 'prices2:8082').as(calm, 120)
    assertFiring({ 63: '', 69: '', 71: 'ServerAway', 92: '' }, one, other)
  })

  it('An alert fires if data grows old', async () => {
    const calm = await now()
    const timeline = new Timeline(15).as(calm, 40 * hours)
    assertFiring({ [35 * hours]: '', [36 * hours]: '', [37 * hours]: 'NoNewData' }, timeline)
    // Published day by day, and what is published ends on the same day.
    const stuck = new Timeline(15)
    for (let days = 0; days < 5; days++) {
      const asOf = /^(cpl_data_as_of_timestamp_seconds) .*/m
      stuck.as(changed(calm, asOf, `$1 ${calm.at - days * 24 * 3600}`), day)
    }
    assertFiring({ [90 * hours]: '', [95 * hours]: '', [97 * hours]: 'NoNewData' }, stuck)
  })

  it('An alert fires for a server without data, and for responses of 5xx', async () => {
    await restart({ INDEX_DIR: temporaryFolder() })
    const first = await now()
    assert.equal((await ask(100, '/healthz')).get(503), 100)
    const watched = await now()
    const unused = new Timeline().as(first, 4).between(first, watched, 60)
    assertFiring({ 3: '', 40: 'WithoutData' }, unused)
    assert.equal((await ask(100, '/v1/games', keys['shop'])).get(503), 100)
    const refused = await now()
    const failing = new Timeline().as(watched, 60).between(watched, refused, 15).as(refused, 60)
    assertFiring({ 59: 'WithoutData', 74: 'Errors WithoutData', 100: 'WithoutData' }, failing)
    await restart()
  })

  it('An alert fires while a version is refused', async () => {
    const calm = await now()
    makeCurrent(indexDir, versionNamed(1))
    await untilMetric('cpl_version_refused', (value) => value === 1)
    const refused = await now()
    assert.equal(sumOf(refused, 'cpl_version_changes_total', '"refused"'), 1)
    makeCurrent(indexDir, version)
    await untilMetric('cpl_version_refused', (value) => value === 0)
    assertFiring(silentAt(59, 62, 64, 90), lasting(calm, refused, 3))
    assertFiring({ 63: '', 67: 'VersionRefused', 239: 'VersionRefused', 241: '' }, lasting(calm, refused, 180))
  })

  it('An alert fires if INDEX_URL is away, or a published version does not arrive', async () => {
    const folder = temporaryFolder()
    for (const name of [version, 'current']) cpSync(join(indexDir, name), join(folder, name), { recursive: true })
    const files = await FileServer.start(folder)
    await restart({ INDEX_URL: files.url })
    const [up, behind] = ['cpl_index_url_up', 'cpl_index_version_behind_seconds']
    await untilMetric(up, (value) => value === 1)
    const calm = await now()
    assert.equal(sumOf(calm, behind), 0)
    files.failures[''] = status(500)
    await untilMetric(up, (value) => value === 0)
    const away = await now()
    assertFiring(silentAt(59, 63, 66, 90), lasting(calm, away, 4))
    assertFiring({ 64: '', 67: 'IndexUrlAway', 89: 'IndexUrlAway', 91: '' }, lasting(calm, away, 30))

    files.failures = {}
    const next = await addVersion(folder, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
    files.failures[`${next}/manifest.json`] = status(404)
    makeCurrent(folder, next)
    await untilMetric(behind, (value) => value > 0)
    const stuck = await now()
    await pause(1000)
    const later = await now()
    const stuckFor = (minutes: number) => new Timeline().as(calm, 60).goOn(behind, stuck, later, minutes).as(calm, 30)
    assertFiring(silentAt(63, 66), stuckFor(4))
    assertFiring({ 64: '', 68: 'VersionBehind', 89: 'VersionBehind', 91: '' }, stuckFor(30))
    await restart()
    await files.stop()
  })

  it('An alert fires for a failed thread, and another if threads fail again and again', async () => {
    const calm = await now()
    for (const name of readdirSync(mortalDir)) writeFileSync(join(mortalDir, name.replace('alive', 'kill')), '')
    await untilMetric('cpl_thread_failures_total', (value) => value === 1)
    await untilMetric('cpl_threads', (value) => value === 1)
    const failed = await now()
    const once = new Timeline().as(calm, 60).between(calm, failed, 1).as(failed, 120)
    assertFiring({ 59: '', 63: 'ThreadFailed', 110: 'ThreadFailed', 130: '' }, once)
    const often = new Timeline().as(calm, 60)
    for (let minute = 0; minute < 15; minute++) often.between(calm, failed, 1)
    assertFiring({ 64: 'ThreadFailed', 74: 'ThreadFailed ThreadsFailing' }, often)
  })

  it('An alert fires if a thread hung, and another if the pages’ thread failed', async () => {
    await restart({ WEB_PORT: '0' })
    const calm = await now()
    for (const [metric, alert] of [
      ['cpl_threads_hung_total', 'ThreadHung'],
      ['cpl_pages_thread_failures_total', 'PagesThreadFailed'],
    ]) {
      const failed = changed(calm, new RegExp(`^(${metric}) 0$`, 'm'), '$1 1')
      const once = new Timeline().as(calm, 60).between(calm, failed, 1).as(failed, 120)
      assertFiring({ 59: '', 63: alert!, 110: alert!, 130: '' }, once)
    }
    await restart()
  })

  it('Alerts fire if the database is away, if a server refuses it, and if a server’s copy of the accounts is behind', async () => {
    const shared = await Postgres.start()
    const fleet = await Fleet.of(shared)
    await fleet.do('first', 'create', 'shop', '--plan', 'free')
    await restart({ STORE_DIR: fleet.storeDir('first'), DATABASE_URL: shared.url() })
    const calm = await now()
    // Whatever is asked meanwhile fails, counts of requests among it, which nobody sends to a refused database.
    shared.hang()
    await untilMetric('cpl_database_up', (value) => value === 0)
    const away = await now()
    shared.resume()
    await shared.replace()
    await untilMetric('cpl_accounts_copy_refused', (value) => value === 1)
    await untilMetric('cpl_database_up', (value) => value === 1)
    const refused = await now()
    const behind = changed(calm, /^(cpl_accounts_changes_behind) .*/m, '$1 3')
    const timeline = lasting(calm, away, 30, 30).as(refused, 30).as(calm, 30).as(behind, 30)
    assertFiring({ 59: '', 61: '', 63: 'DatabaseAway', 91: '' }, timeline)
    assertFiring({ 122: 'AccountsRefused', 151: '', 183: 'AccountsBehind' }, timeline)
    await restart()
    await shared.end()
  })

  it('An alert fires if requests wait for a database that is slow to answer', async () => {
    const [shared, storeDir] = [await Postgres.start(), temporaryFolder()]
    const store = new Store(storeDir)
    const issued = store.change(() =>
      Array.from({ length: accountsAsking }, (_, i) => createAccount(store, `shop ${i}`, 'trader', 1).key),
    )
    await store.close()
    const moved = await runAccountsHere(storeDir, 'move', shared.url())
    assert.equal(moved.code, 0, moved.stderr)
    const line = await Line.open(shared.port)
    await restart({ STORE_DIR: storeDir, DATABASE_URL: shared.url(line.port) })
    // The first request of an account waits for a lease, and later ones for nothing.
    const askFirst = async (from: number, to: number) => {
      for (const key of issued.slice(from, to)) assert.deepEqual([...(await ask(1, '/v1/games', key))], [[200, 1]])
    }
    await askFirst(0, 1)
    const calm = await now()
    await ask(requestsAsMany * accountsAsking, '/v1/games', issued[0])
    const quick = await now()
    line.set('slow')
    await askFirst(1, accountsAsking)
    const slow = await now()
    const each = (from: Seen, to: Seen) => {
      const timeline = new Timeline().as(calm, 60)
      for (let minute = 0; minute < 30; minute++) timeline.between(from, to, 1)
      return timeline.as(to, 30)
    }
    assertFiring(silentAt(70, 80, 89), each(calm, quick))
    assertFiring({ 65: '', 80: 'Slow', 89: 'Slow', 119: '' }, each(quick, slow))
    await restart()
    await shared.end()
    line.close()
  })

  it('An alert fires if counts can’t be stored', async () => {
    const calm = await now()
    disk.fill(0)
    await ask(1, '/v1/games', keys['shop'])
    const age = 'cpl_usage_flush_age_seconds'
    await untilMetric(age, (value) => value > 1)
    const failing = await now()
    await pause(1000)
    const later = await now()
    disk.free()
    const timeline = new Timeline().as(calm, 60).goOn(age, failing, later, 30).as(calm, 30)
    assertFiring({ 61: '', 65: 'UsageNotStored', 89: 'UsageNotStored', 92: '' }, timeline)
  })

  it('An alert fires if a backup is old, and no server has a newer one', async () => {
    await accounts(disk.folder, 'backup', join(temporaryFolder(), 'backup'))
    const calm = await now()
    const timeline = new Timeline(15).as(calm, 40 * hours)
    const alone = new Timeline(15).as(changed(calm, /^cpl_data_.*_timestamp_seconds .*\n/gm, ''), 40 * hours)
    assertFiring({ [35 * hours]: '', [37 * hours]: 'BackupOld' }, alone)
    const newer = new Timeline(15, 'prices2:8082').as(calm, 20 * hours).as(calm, 20 * hours)
    assertFiring({ [35 * hours]: '', [37 * hours]: 'NoNewData' }, timeline, newer)
  })

  it('An alert fires if a certificate expires soon', { skip: skipWithout('openssl') }, async () => {
    const { cert, key } = await makePair('shop')
    const other = await serve({ STORE_DIR: temporaryFolder(), TLS_CERT: cert, TLS_KEY: key })
    const seen = await see(other.metrics)
    assert.equal(await other.stop(), 0)
    const moment = /^(cpl_certificate_expires_timestamp_seconds) .*/m
    const good = (days: number) => changed(seen, moment, `$1 ${seen.at + days * 24 * 3600}`)
    // It is good for a day.
    const timeline = new Timeline().as(good(8), 60).as(seen, 60).as(good(90), 60)
    assertFiring({ 59: '', 70: '', 80: 'CertificateExpires', 119: 'CertificateExpires', 122: '' }, timeline)
  })

  it('An alert fires for more refusals than usual, and none for as many as usual', async () => {
    await ask(200, '/v1/games', keys['small'])
    const calm = await now()
    assert.equal((await ask(500, '/v1/games', keys['small'])).get(429), 500)
    const spent = await now()
    assert.equal((await ask(500, '/v1/games', `cpl_live_${'0'.repeat(38)}`)).get(401), 500)
    const guessed = await now()
    const surprised = new Timeline(15).as(calm, day).between(calm, spent, 60).as(spent, 120)
    assertFiring({ [day]: '', [day + 15]: '', [day + 60]: 'QuotaRefusals', [day + 165]: '' }, surprised)
    const attacked = new Timeline(15).as(spent, day).between(spent, guessed, 60).as(guessed, 120)
    assertFiring({ [day]: '', [day + 60]: 'KeyRefusals', [day + 165]: '' }, attacked)
    const daily = new Timeline(15)
    const rest = 22 * hours
    for (let days = 0; days < 8; days++) daily.as(calm, rest).between(calm, guessed, 60).as(calm, 60)
    const evenings = [1, 2, 3].flatMap((days) => [15, 30, 45, 60, 90].map((minutes) => days * day + rest + minutes))
    assertFiring(silentAt(...evenings), daily)
  })

  it('An alert fires if lines of the access log are dropped', async () => {
    const calm = await now()
    service.child.stderr!.pause()
    const dropped = async () => sumOf(await now(), 'cpl_access_log_lines_dropped_total')
    for (let asked = 0; (await dropped()) === 0; asked += 500) {
      assert.ok(asked < 200_000, `no line is dropped of ${asked}`)
      await ask(500, '/v1/nope')
    }
    const full = await now()
    service.child.stderr!.resume()
    const moment = new Timeline().as(calm, 60).between(calm, full, 5).as(full, 60)
    assertFiring(silentAt(62, 66, 74, 85), moment)
    const on = new Timeline().as(calm, 60)
    for (let minutes = 0; minutes < 40; minutes += 5) on.between(calm, full, 5)
    on.as(full, 60)
    assertFiring({ 70: '', 80: 'LogDropped', 130: '' }, on)
  })
})
