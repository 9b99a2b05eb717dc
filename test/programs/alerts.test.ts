/**
 * Each alert of deploy/alerts.yml fires when a real server is in the state that it is about, and none does when all is
 * well: a server is put into each state and scraped, and promtool is given the hours that such scrapes make.
 */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { loadVersion } from '../../src/indexes/load.ts'
import { type LastUpdate, writeLastUpdates } from '../../src/last-updates.ts'
import { assertFiring, promtool, rulesFile, see, sumOf, Timeline } from '../deploy/promtool.ts'
import { makePair } from '../support/certificates.ts'
import { accounts, documentText, projectDir, temporaryFolder } from '../support/command.ts'
import { FileServer, status } from '../support/file-server.ts'
import { type Disk, mountDisk, skipWithout, skipWithoutMounting } from '../support/programs.ts'
import { Wire } from '../support/proxy-wire.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { Scrape } from '../support/scrape.ts'
import { type Service, startService } from '../support/service.ts'
import { Fleet } from '../support/sharing-servers.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, columnsOf, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

const rules = readFileSync(rulesFile, 'utf8').split('\n      - alert: ').slice(1)
const skip = skipWithout('promtool') || skipWithout('redis-server') || skipWithoutMounting()
const hours = 60
const day = 24 * hours

const indexDir = temporaryFolder()
const mortalDir = temporaryFolder()
const keys: Record<string, string> = {}
/** Of the store. */
let disk: Disk
let redis: RedisServer
let service: Service
let version: string

async function serve(env: NodeJS.ProcessEnv = {}): Promise<Service> {
  return startService({
    INDEX_DIR: indexDir,
    STORE_DIR: disk.folder,
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ACCESS_LOG: '1',
    QUOTA_STORE: redis.url,
    NODE_OPTIONS: `--require ${join(projectDir, 'test/process/mortal.cjs')}`,
    MORTAL_DIR: mortalDir,
    ...env,
  })
}

const now = () => see(service.metrics)

/** So many of the same, on some connections; how often which status came. */
async function ask(count: number, path: string, key?: string): Promise<Map<number, number>> {
  const text = `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}\r\n`
  const statuses = new Map<number, number>()
  let left = count
  const connections = Array.from({ length: Math.min(count, 20) }, async () => {
    const wire = await Wire.open(Number(new URL(service.address).port))
    while (left-- > 0) {
      const { status } = (await wire.ask(text))!
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    wire.close()
  })
  await Promise.all(connections)
  return statuses
}

async function untilMetric(name: string, isWanted: (value: number) => boolean): Promise<void> {
  let value = 0
  const isSo = async () => {
    value = sumOf(await now(), name)
    return isWanted(value)
  }
  await until(`${name}: ${isWanted}`, isSo, 30_000, () => `it is ${value}`)
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
  for (const name of ['shop', 'other', 'late']) {
    keys[name] = (await accounts(disk.folder, 'create', name, '--plan', 'business')).key
  }
  keys['small'] = (await accounts(disk.folder, 'create', 'small', '--plan', 'free')).key
  redis = await startRedis()
  service = await serve()
})

after(async () => {
  if (skip) return
  assert.equal(await service.stop(), 0)
  await redis.stop()
  await disk.unmount()
})

it('each rule waits, has a severity, says what it means and what to do, and has its row in docs/operating.md', () => {
  const rows = [...documentText('docs/operating.md').matchAll(/^\| (CardPrices\w+)(, critical)? \|/gm)].map(
    ([, name, critical]) => [name, critical],
  )
  assert.deepEqual(
    rows,
    rules.map((rule) => [/^\w+/.exec(rule)![0], rule.includes('severity: critical') ? ', critical' : undefined]),
  )
  for (const rule of rules) {
    const name = /^\w+/.exec(rule)![0]
    assert.match(rule, /\n {8}for: \d+m\n/, name)
    assert.match(rule, /\n {10}severity: (critical|warning)\n/, name)
    assert.match(rule, /\n {10}summary: '?[A-Z{].*\.'?\n/, name)
    assert.match(rule, /\n {10}runbook: >-\n( {12}\S.*\n?)+/, name)
  }
})

describe('alerts', { skip }, () => {
  it('are what Prometheus takes', () => {
    const { status, stdout, stderr } = promtool('check', 'rules', rulesFile)
    assert.deepEqual([status, stderr], [0, ''], stdout)
  })

  it('are silent with requests and without, at a start, over a restart, and when a scrape is missed', async () => {
    const first = await now()
    await ask(500, `/v1/cards/${aCard.id}`, keys['shop'])
    await ask(20, '/v1/search?q=char', keys['shop'])
    await ask(5, '/v1/cards/nope', keys['shop'])
    await ask(2, '/v1/games')
    const calm = await now()
    assert.equal(await service.stop(), 0)
    service = await serve()
    const restarted = await now()
    assert.ok(sumOf(restarted, 'cpl_http_requests_total') < sumOf(calm, 'cpl_http_requests_total'))
    const timeline = new Timeline()
      .as(first, 60)
      .between(first, calm, 60)
      .as(calm, 90)
      .away(1)
      .as(calm, 30)
      .restarted()
      .as(restarted, 60)
      .between(restarted, restarted, 30)
    const each15 = Array.from({ length: timeline.minutes / 15 }, (_, i) => [i * 15 + 5] as const)
    assertFiring([timeline], [...each15, [211], [212], [213], [242], [243]])
  })

  it('tell of an update that failed, and of one that did not come', async () => {
    const run = {
      startedAt: '',
      stamp: null,
      isNew: false,
      requests: 1,
      bytes: 0,
      counts: null,
      day: null,
      missingDays: [],
    }
    const updated = (source: string, success: boolean, ageMs: number, held: LastUpdate['held'] = []) => {
      const endedAt = new Date(Date.now() - ageMs).toISOString()
      const error = success ? null : 'tcgcsv.com answered 403'
      return { [source]: { ...run, endedAt, success, error, held, imported: {}, version: null } }
    }
    const snapshots = temporaryFolder()
    try {
      await writeLastUpdates(snapshots, indexDir, { ...updated('tcgcsv', true, 0), ...updated('scryfall', true, 0) })
      const well = await now()
      await writeLastUpdates(snapshots, indexDir, { ...updated('tcgcsv', false, 0), ...updated('scryfall', true, 0) })
      const failed = await now()
      assertFiring([new Timeline().as(well, 60).as(failed, 60)], [[59], [70], [80, 'CardPricesUpdateFailed']])
      const sets = ['base1', 'swsh12'].map((code) => ({ game: 'pokemon', code, runs: 1, figures: '40 of 40 …' }))
      await writeLastUpdates(snapshots, indexDir, updated('tcgcsv', true, 0, sets))
      assertFiring([new Timeline().as(well, 60).as(await now(), 60)], [[59], [70], [80, 'CardPricesSetsHeld']])
      await writeLastUpdates(snapshots, indexDir, updated('tcgcsv', true, 35.5 * 3_600_000))
      assertFiring([new Timeline().as(await now(), 120)], [[20], [60, 'CardPricesUpdateOld']])
    } finally {
      rmSync(join(indexDir, 'updates.json'))
    }
  })

  it('tell of a server that is away, and of all', async () => {
    const calm = await now()
    const one = new Timeline().as(calm, 60).away(30).as(calm, 30)
    assertFiring([one], [[61], [63, 'CardPricesAway'], [89, 'CardPricesAway'], [92]])
    const other = new Timeline(1, 'prices2:8082').as(calm, 120)
    assertFiring([one, other], [[63], [69], [71, 'CardPricesServerAway'], [92]])
  })

  it('tell of data that grows old', async () => {
    const calm = await now()
    const timeline = new Timeline(15).as(calm, 40 * hours)
    assertFiring([timeline], [[35 * hours], [36 * hours], [37 * hours, 'CardPricesNoNewData']])
    // Published day by day, and what is published ends on the same day.
    const stuck = new Timeline(15)
    for (let days = 0; days < 5; days++) {
      const aged = calm.reported.text.replace(
        /^(cpl_data_as_of_timestamp_seconds) .*/m,
        `$1 ${calm.at - days * 24 * 3600}`,
      )
      stuck.as({ at: calm.at, reported: new Scrape(aged) }, day)
    }
    assertFiring([stuck], [[90 * hours], [95 * hours], [97 * hours, 'CardPricesNoNewData']])
  })

  it('tell of a server without data, and of answers that are 5xx', async () => {
    assert.equal(await service.stop(), 0)
    service = await serve({ INDEX_DIR: temporaryFolder() })
    const first = await now()
    assert.equal((await ask(100, '/healthz')).get(503), 100)
    const watched = await now()
    const unused = new Timeline().as(first, 4).between(first, watched, 60)
    assertFiring([unused], [[3], [40, 'CardPricesWithoutData']])
    assert.equal((await ask(100, '/v1/games', keys['shop'])).get(503), 100)
    const failing = new Timeline()
      .as(watched, 60)
      .between(watched, await now(), 15)
      .as(await now(), 60)
    const both = ['CardPricesErrors', 'CardPricesWithoutData'] as const
    assertFiring(
      [failing],
      [
        [59, 'CardPricesWithoutData'],
        [74, ...both],
        [100, 'CardPricesWithoutData'],
      ],
    )
    assert.equal(await service.stop(), 0)
    service = await serve()
  })

  it('tell of a version that is refused, as long as it is', async () => {
    const calm = await now()
    const good = await loadVersion(indexDir, version)
    const { file, start } = columnsOf(good).find(({ name }) => name === 'wordLetters')!
    damagedCopy(indexDir, good, versionNamed(1), file, (bytes) => bytes.fill(0xff, start, start + 1))
    makeCurrent(indexDir, versionNamed(1))
    await untilMetric('cpl_version_refused', (value) => value === 1)
    const refused = await now()
    assert.equal(sumOf(refused, 'cpl_version_changes_total', '"refused"'), 1)
    makeCurrent(indexDir, version)
    await untilMetric('cpl_version_refused', (value) => value === 0)
    const back = await now()
    const copied = new Timeline().as(calm, 60).as(refused, 3).as(back, 60)
    assertFiring([copied], [[59], [62], [64], [90]])
    const timeline = new Timeline().as(calm, 60).as(refused, 180).as(back, 60)
    assertFiring([timeline], [[63], [67, 'CardPricesVersionRefused'], [239, 'CardPricesVersionRefused'], [241]])
  })

  it('tell of an INDEX_URL that is away, and of a version that is published and does not come', async () => {
    assert.equal(await service.stop(), 0)
    const folder = temporaryFolder()
    for (const name of [version, 'current']) cpSync(join(indexDir, name), join(folder, name), { recursive: true })
    const files = await FileServer.start(folder)
    service = await serve({ INDEX_URL: files.url })
    const [up, behind] = ['cpl_index_url_up', 'cpl_index_version_behind_seconds']
    await untilMetric(up, (value) => value === 1)
    const calm = await now()
    assert.equal(sumOf(calm, behind), 0)
    files.failures[''] = status(500)
    await untilMetric(up, (value) => value === 0)
    const away = await now()
    const restarted = new Timeline().as(calm, 60).as(away, 4).as(calm, 60)
    assertFiring([restarted], [[59], [63], [66], [90]])
    const long = new Timeline().as(calm, 60).as(away, 30).as(calm, 30)
    assertFiring([long], [[64], [67, 'CardPricesIndexUrlAway'], [89, 'CardPricesIndexUrlAway'], [91]])

    files.failures = {}
    const next = await addVersion(folder, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
    files.failures[`${next}/manifest.json`] = status(404)
    makeCurrent(folder, next)
    await untilMetric(behind, (value) => value > 0)
    const stuck = await now()
    await pause(1000)
    const later = await now()
    const soon = new Timeline().as(calm, 60).goOn(behind, stuck, later, 4).as(calm, 30)
    assertFiring([soon], [[63], [66]])
    const never = new Timeline().as(calm, 60).goOn(behind, stuck, later, 30).as(calm, 30)
    assertFiring([never], [[64], [68, 'CardPricesVersionBehind'], [89, 'CardPricesVersionBehind'], [91]])
    assert.equal(await service.stop(), 0)
    await files.stop()
    service = await serve()
  })

  it('tell of a thread that failed, and of threads that go on failing', async () => {
    const calm = await now()
    for (const name of readdirSync(mortalDir)) writeFileSync(join(mortalDir, name.replace('alive', 'kill')), '')
    await untilMetric('cpl_thread_failures_total', (value) => value === 1)
    await untilMetric('cpl_threads', (value) => value === 1)
    const failed = await now()
    const once = new Timeline().as(calm, 60).between(calm, failed, 1).as(failed, 120)
    assertFiring([once], [[59], [63, 'CardPricesThreadFailed'], [110, 'CardPricesThreadFailed'], [130]])
    const often = new Timeline().as(calm, 60)
    for (let minute = 0; minute < 15; minute++) often.between(calm, failed, 1)
    assertFiring(
      [often],
      [
        [64, 'CardPricesThreadFailed'],
        [74, 'CardPricesThreadFailed', 'CardPricesThreadsFailing'],
      ],
    )
  })

  it("tell of an accounts' store that is away, that is refused, and that a copy is behind", async () => {
    const single = service
    const shared = await startRedis()
    const fleet = await Fleet.of(shared)
    await fleet.do('first', 'create', 'shop', '--plan', 'free')
    service = await serve({ STORE_DIR: fleet.storeDir('first'), ACCOUNTS_STORE: shared.url, QUOTA_STORE: '' })
    const calm = await now()
    await shared.stop()
    await untilMetric('cpl_accounts_store_up', (value) => value === 0)
    const away = await now()
    await shared.start()
    await untilMetric('cpl_accounts_copy_refused', (value) => value === 1)
    const refused = await now()
    const text = calm.reported.text.replace(/^(cpl_accounts_changes_behind) .*/m, '$1 3')
    const behind = { at: calm.at, reported: new Scrape(text) }
    const timeline = new Timeline().as(calm, 60).as(away, 30).as(calm, 30).as(refused, 30).as(calm, 30).as(behind, 30)
    assertFiring(
      [timeline],
      [
        [59],
        [64],
        [66, 'CardPricesAccountsStoreAway'],
        [91],
        [122, 'CardPricesAccountsRefused'],
        [151],
        [183, 'CardPricesAccountsBehind'],
      ],
    )
    assert.equal(await service.stop(), 0)
    await shared.stop()
    service = single
  })

  it('tell of a quota store that is away, and of answers that wait for it', async () => {
    const calm = await now()
    redis.hang()
    // They have no lease yet.
    const waiting = Promise.all(['other', 'late'].map((name) => ask(10, '/v1/games', keys[name])))
    await untilMetric('cpl_quota_store_up', (value) => value === 0)
    const away = await now()
    redis.resume()
    await waiting
    await untilMetric('cpl_quota_store_up', (value) => value === 1)
    await ask(700, '/v1/games', keys['shop'])
    const back = await now()
    const restarted = new Timeline().as(calm, 60).as(away, 1).as(calm, 60)
    assertFiring([restarted], [[61], [63]])
    const gone = new Timeline().as(calm, 60).as(away, 60).as(calm, 60)
    assertFiring([gone], [[61], [63, 'CardPricesQuotaStoreAway'], [119, 'CardPricesQuotaStoreAway'], [121]])
    const slow = new Timeline().as(calm, 60).between(calm, back, 10).between(calm, back, 10).as(back, 60)
    assertFiring([slow], [[65], [79, 'CardPricesSlow'], [95]])
  })

  it('tell of counts that can not be stored', async () => {
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
    assertFiring([timeline], [[61], [65, 'CardPricesUsageNotStored'], [89, 'CardPricesUsageNotStored'], [92]])
  })

  it('tell of a backup that is old, where no server has a newer one', async () => {
    await accounts(disk.folder, 'backup', join(temporaryFolder(), 'backup'))
    const calm = await now()
    const timeline = new Timeline(15).as(calm, 40 * hours)
    const [early, late] = [35 * hours, 37 * hours]
    const isStale = (lines: string) => lines.replace(/^cpl_data_.*_timestamp_seconds .*\n/gm, '')
    const alone = new Timeline(15).as({ at: calm.at, reported: new Scrape(isStale(calm.reported.text)) }, 40 * hours)
    assertFiring([alone], [[early], [late, 'CardPricesBackupOld']])
    const newer = new Timeline(15, 'prices2:8082').as(calm, 20 * hours).as(calm, 20 * hours)
    assertFiring([timeline, newer], [[early], [late, 'CardPricesNoNewData']])
  })

  it('tell of a certificate that expires', { skip: skipWithout('openssl') }, async () => {
    const { cert, key } = await makePair('shop')
    const other = await serve({ STORE_DIR: temporaryFolder(), TLS_CERT: cert, TLS_KEY: key, QUOTA_STORE: '' })
    const { reported, at } = await see(other.metrics)
    assert.equal(await other.stop(), 0)
    const moment = /^(cpl_certificate_expires_timestamp_seconds) .*/m
    const good = (days: number) => ({
      at,
      reported: new Scrape(reported.text.replace(moment, `$1 ${at + days * 24 * 3600}`)),
    })
    // It is good for a day.
    const timeline = new Timeline().as(good(8), 60).as({ reported: reported, at }, 60).as(good(90), 60)
    assertFiring(
      [timeline],
      [[59], [70], [80, 'CardPricesCertificateExpires'], [119, 'CardPricesCertificateExpires'], [122]],
    )
  })

  it('tell of refusals above what is usual, and not of what is', async () => {
    await ask(200, '/v1/games', keys['small'])
    const calm = await now()
    assert.equal((await ask(500, '/v1/games', keys['small'])).get(429), 500)
    const spent = await now()
    assert.equal((await ask(500, '/v1/games', `cpl_live_${'0'.repeat(38)}`)).get(401), 500)
    const guessed = await now()
    const surprised = new Timeline(15).as(calm, day).between(calm, spent, 60).as(spent, 120)
    assertFiring([surprised], [[day], [day + 15], [day + 60, 'CardPricesQuotaRefusals'], [day + 165]])
    const attacked = new Timeline(15).as(spent, day).between(spent, guessed, 60).as(guessed, 120)
    assertFiring([attacked], [[day], [day + 60, 'CardPricesKeyRefusals'], [day + 165]])
    const daily = new Timeline(15)
    for (let days = 0; days < 8; days++)
      daily
        .as(calm, 22 * hours)
        .between(calm, guessed, 60)
        .as(calm, 60)
    const evenings = [1, 2, 3].map((days) => days * day + 22 * hours)
    const moments = evenings.flatMap((evening) => [15, 30, 45, 60, 90].map((minutes) => [evening + minutes] as const))
    assertFiring([daily], moments)
  })

  it('tell of lines of the access log that are dropped', async () => {
    const calm = await now()
    service.child.stderr!.pause()
    const dropped = async () => sumOf(await now(), 'cpl_access_log_lines_dropped_total')
    for (let asked = 0; (await dropped()) === 0; asked += 5000) {
      assert.ok(asked < 200_000, `no line is dropped of ${asked}`)
      await ask(5000, '/v1/nope')
    }
    const full = await now()
    service.child.stderr!.resume()
    const moment = new Timeline().as(calm, 60).between(calm, full, 5).as(full, 60)
    assertFiring([moment], [[62], [66], [74], [85]])
    const on = new Timeline().as(calm, 60)
    for (let minutes = 0; minutes < 40; minutes += 5) on.between(calm, full, 5)
    on.as(full, 60)
    assertFiring([on], [[70], [80, 'CardPricesLogDropped'], [130]])
  })
})
