/** The metrics of a real server, over HTTP: each is there, and counts are what was sent. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { writeLastUpdates } from '../../src/last-updates.ts'
import { softwareVersion } from '../../src/version.ts'
import { amount, itInAll } from '../support/amount.ts'
import { makePair, TlsCaller } from '../support/certificates.ts'
import { accounts, temporaryFolder, withModules } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { quietUpdate } from '../support/last-update.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { pipelined, requestText } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { assertAgrees, type Scrape, scrape } from '../support/scrape.ts'
import { type Sent, type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const indexDir = temporaryFolder()
await fixtureIndex(indexDir)

/** The last one of a source: it failed, and a set keeps earlier prices. */
const update = {
  ...quietUpdate,
  success: false,
  error: 'a line',
  held: [{ game: 'pokemon', code: 'base1', runs: 2, figures: '40 of 40 …' }],
}

async function store() {
  const storeDir = temporaryFolder()
  const business = (await accounts(storeDir, 'create', 'Shop', '--plan', 'business')).key as string
  const free = (await accounts(storeDir, 'create', 'Small', '--plan', 'free')).key as string
  return { storeDir, business, free }
}

/** Sends each case so often, a few at a time; returns how many there were of each route and status. */
async function sendAll(
  address: string,
  cases: readonly (readonly [path: string, sent: Sent, route: string, status: number])[],
  times: number,
): Promise<Map<string, number>> {
  const expected = new Map<string, number>()
  const all = Array.from({ length: times }, () => cases).flat()
  const next = all.values()
  const one = async () => {
    for (const [path, sent, route, status] of next) {
      const reply = await send(address, path, sent)
      assert.equal(reply.status, status, `${sent.method ?? 'GET'} ${path}: ${reply.body}`)
      expected.set(`${route} ${status}`, (expected.get(`${route} ${status}`) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, one))
  return expected
}

/** Own metrics without a series. */
const withoutValue = ({ types, values }: Pick<Scrape, 'types' | 'values'>) => {
  const valued = new Set([...values.keys()].map((series) => series.replace(/(_count)?(\{.*)?$/, '')))
  return [...types.keys()].filter((name) => name.startsWith('cpl_') && !valued.has(name))
}

const add = (counts: Map<string, number>, key: string, more: number) => counts.set(key, (counts.get(key) ?? 0) + more)

it('A scrape of a server that uses all its parts has every metric of the documented table', {
  skip: skipWithout('postgres') || skipWithout('openssl'),
}, async (context) => {
  const postgres = await Postgres.start()
  const { storeDir, business } = await store()
  const files = await FileServer.start(indexDir)
  await accounts(storeDir, 'move', postgres.url())
  const backedUp = Date.now()
  await accounts(storeDir, 'backup', join(temporaryFolder(), 'backup'))
  const { cert, key } = await makePair('shop')
  const shared = { DATABASE_URL: postgres.url(), INDEX_URL: files.url }
  // Its versions are those of another folder: until the first one has come, it is behind.
  const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: storeDir }
  await writeLastUpdates(temporaryFolder(), dirs.INDEX_DIR, { tcgcsv: update })
  const env = { ...dirs, METRICS_PORT: '0', WEB_PORT: '0', TLS_CERT: cert, TLS_KEY: key, ...shared }
  const service = await startService(env)
  await until('the version has come', async () => (await send(service.metrics, '/healthz')).status === 200)
  const caller = await TlsCaller.open(Number(new URL(service.address).port))
  assert.equal(await caller.ask('/v1/search?q=char', business), 200)
  caller.close()
  const { types, values, text } = await scrape(service.metrics)
  assert.deepEqual(withoutValue({ types, values }), [])
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) assert.ok(types.has(name))
  const one = {
    [`cpl_build_info{version="${softwareVersion}"}`]: 1,
    'cpl_data_info{version="VERSION",as_of="2026-11-20"}': 1,
    'cpl_last_update_timestamp_seconds{source="tcgcsv"}': Date.UTC(2026, 10, 20, 7) / 1000,
    'cpl_last_update_success{source="tcgcsv"}': 0,
    'cpl_update_sets_held{source="tcgcsv",game="pokemon",set="base1"}': 2,
    cpl_data_as_of_timestamp_seconds: Date.UTC(2026, 10, 20) / 1000,
    cpl_data_cards: 30,
    cpl_data_sets: 6,
    'cpl_version_changes_total{result="taken"}': 1,
    'cpl_version_changes_total{result="refused"}': 0,
    cpl_version_refused: 0,
    cpl_index_url_up: 1,
    cpl_index_version_behind_seconds: 0,
    cpl_threads: 1,
    cpl_thread_failures_total: 0,
    cpl_threads_hung_total: 0,
    cpl_usage_flush_failures_total: 0,
    cpl_database_up: 1,
    cpl_accounts_changes_behind: 0,
    cpl_accounts_copy_refused: 0,
    'cpl_accounts{plan="business"}': 1,
    'cpl_accounts{plan="trader"}': 0,
    'cpl_live_keys{plan="free"}': 1,
    cpl_search_duration_seconds_count: 1,
    cpl_sessions: 0,
    cpl_access_log_lines_dropped_total: 0,
  }
  const version = readFileSync(join(indexDir, 'current'), 'utf8').trim()
  for (const [series, value] of Object.entries(one)) {
    assert.equal(values.get(series.replace('VERSION', version)), value, series)
  }
  const backup = values.get('cpl_backup_timestamp_seconds')!
  assert.ok(backup >= backedUp / 1000 && backup <= Date.now() / 1000, `${backup}`)
  const { validTo } = new X509Certificate(readFileSync(cert))
  assert.equal(values.get('cpl_certificate_expires_timestamp_seconds'), Date.parse(validTo) / 1000)
  await until('all is stored', async () => (await scrape(service.metrics)).value('cpl_usage_flush_age_seconds')! < 1)
  await until('a thread idles', async () => {
    await pause(200)
    return (await scrape(service.metrics)).value('cpl_event_loop_delay_seconds{thread="1",quantile="0.5"}')! < 0.009
  })
  assert.doesNotMatch(service.log(), /"level":[56]0/)
  await files.stop()
  await postgres.end()
  await until('the database is away', async () => (await scrape(service.metrics)).value('cpl_database_up') === 0)
  assert.equal(await service.stop(), 0)
  context.diagnostic(`${values.size} series, ${text.length} bytes`)
})

describe('The metrics of two threads', () => {
  const [folder, served] = [temporaryFolder(), temporaryFolder()]
  let service: Service
  let business: string
  let free: string

  before(async () => {
    const { storeDir, ...keys } = await store()
    ;({ business, free } = keys)
    const own = { INDEX_DIR: served, STORE_DIR: storeDir, METRICS_PORT: '0', LOG_LEVEL: 'fatal' }
    const mortal = { MORTAL_DIR: folder, ...withModules('test/process/mortal.cjs') }
    service = await startService({ ...own, ...mortal, THREADS: '2', API_FORM: 'B' })
  })

  async function serveData(): Promise<void> {
    if (!existsSync(join(served, 'current'))) cpSync(indexDir, served, { recursive: true })
    await until('it serves', async () => (await send(service.metrics, '/healthz')).status === 200)
  }

  it('The metrics port answers /healthz as PORT does, and has no series of unused parts', async () => {
    const assertSame = async (status: number) => {
      const [there, here] = await Promise.all([send(service.address, '/healthz'), send(service.metrics, '/healthz')])
      assert.deepEqual([here.status, here.body], [there.status, there.body])
      assert.equal(here.status, status)
      for (const header of ['content-type', 'retry-after']) assert.equal(here.headers[header], there.headers[header])
      const head = await send(service.metrics, '/healthz', { method: 'HEAD' })
      assert.deepEqual([head.status, head.body, head.headers['content-length']], [status, '', `${there.bytes.length}`])
    }
    await assertSame(503)
    const data = ['data_info', 'data_as_of_timestamp_seconds', 'data_published_timestamp_seconds']
    const others = ['index_url_up', 'index_version_behind_seconds', 'pages_thread_failures_total', 'database_up']
    const unused = [...data, 'data_cards', 'data_sets', 'data_history_rows', ...others]
    const accounts = ['accounts_changes_behind', 'accounts_copy_refused', 'sessions']
    unused.push(...accounts, 'certificate_expires_timestamp_seconds', 'backup_timestamp_seconds')
    const updates = ['last_update_timestamp_seconds', 'last_update_success', 'update_sets_held']
    assert.deepEqual(
      withoutValue(await scrape(service.metrics)),
      [...unused, ...updates].map((name) => `cpl_${name}`),
    )
    await serveData()
    await assertSame(200)
    const [none, other] = ['There is /metrics, and /healthz.\n', 'GET or HEAD.\n']
    const rows = [
      ...['/', '/v1/games', '/metrics/'].map((path) => [path, 'GET', 404, undefined, none] as const),
      ...['/metrics', '/healthz'].map((path) => [path, 'POST', 405, 'GET, HEAD', other] as const),
      ['/metrics?name=x', 'GET', 200, undefined, '# HELP cpl_http_requests_total Requests'],
      ['/metrics', 'HEAD', 200, undefined, ''],
    ] as const
    for (const [path, method, status, allow, start] of rows) {
      const { headers, body, ...reply } = await send(service.metrics, path, { method })
      const seen = [reply.status, headers.allow, headers['content-type'], body.startsWith(start)]
      const type = `text/plain;${status === 200 ? ' version=0.0.4;' : ''} charset=utf-8`
      assert.deepEqual(seen, [status, allow, type, true], `${method} ${path}`)
    }
  })

  it('The metrics count every request exactly, and their labels have no text from callers', {
    timeout: 300_000,
  }, async () => {
    const { address, metrics } = service
    await serveData()
    const fresh = await scrape(metrics)
    const before = fresh.counts('cpl_http_requests_total')
    assert.ok([...before.keys()].every((series) => series.startsWith('/healthz ')))
    assert.ok(
      fresh.values.has('cpl_http_requests_total{route="/v1/search",status="429"}'),
      'there before the first one',
    )
    const key = { 'x-api-key': business }
    const json = { ...key, 'content-type': 'application/json' }
    const tag = (await send(address, '/v1/games', { headers: key })).headers.etag!
    const batch = '{"ids":["pokemon-base1-004"]}'
    const cases: readonly (readonly [path: string, sent: Sent, route: string, status: number])[] = [
      ['/v1/search?q=char', { headers: key }, '/v1/search', 200],
      ['/v1/search?q=', { headers: key }, '/v1/search', 400],
      ['/v1/search?q=forest&api_key=secret-text', {}, '/v1/search', 401],
      ['/v1/suggest?q=ch', { headers: key }, '/v1/suggest', 200],
      ['/v1/cards?game=mtg', { headers: key, method: 'HEAD' }, '/v1/cards', 200],
      ['/v1/cards/pokemon-base1-004', { headers: key }, '/v1/cards/:id', 200],
      ['/v1/cards/no-such', { headers: key }, '/v1/cards/:id', 404],
      ['/v1/cards/pokemon-base1-004', { headers: key, method: 'DELETE' }, '/v1/cards/:id', 405],
      ['/v1/cards/pokemon-base1-004/history', { headers: key }, '/v1/cards/:id/history', 200],
      ['/v1/cards/pokemon-base1-004/prices', { headers: { 'x-api-key': free } }, '/v1/cards/:id/prices', 403],
      ['/v1/sets', { method: 'OPTIONS' }, '/v1/sets', 204],
      ['/v1/games', { headers: { ...key, 'if-none-match': tag } }, '/v1/games', 304],
      ['/v1/games', {}, '/v1/games', 401],
      ['/v1/games', { headers: { 'x-api-key': 'cpl_live_x' } }, '/v1/games', 401],
      ['/v1/cards/batch', { method: 'POST', headers: json, body: batch }, '/v1/cards/batch', 200],
      ['/v1/cards/batch', { method: 'POST', headers: key, body: batch }, '/v1/cards/batch', 415],
      ['/v1/cards/batch', { method: 'POST', headers: json, body: 'x'.repeat(20_000) }, '/v1/cards/batch', 413],
      ['/v1/cards/batch', { headers: key }, '/v1/cards/batch', 405],
      ['/v1/bulk/pokemon', { headers: key }, '/v1/bulk/:game', 200],
      ['/v1/bulk/pokemon', { headers: { ...key, 'accept-encoding': 'identity' } }, '/v1/bulk/:game', 406],
      ['/healthz', {}, '/healthz', 200],
      ['/openapi.json', {}, '/openapi.json', 200],
      ['/v1/nothing/secret-path', { headers: key }, 'other', 404],
    ]
    const times = amount(8, 60)
    const expected = await sendAll(address, cases, times)
    for (const [series, count] of before) add(expected, series, count)
    add(expected, '/v1/games 200', 1)
    // Pipelined, beyond the quota of one account.
    const statuses = await pipelined(address, requestText('/v1/games', free), 400)
    assert.deepEqual(Object.fromEntries(statuses), { 200: 200 - times, 429: 200 + times })
    for (const [status, count] of statuses) add(expected, `/v1/games ${status}`, count)
    // Whose client leaves has no answer.
    const head = 'Content-Type: application/json\r\nContent-Length: 10\r\n'
    const unended = requestText('/v1/cards/batch', business, head).replace('GET', 'POST')
    const leaving: Socket[] = []
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(new URL(address).port), '127.0.0.1')
      await new Promise((sent) => socket.write(unended, sent))
      leaving.push(socket)
    }
    await until('they are heard', async () => (await scrape(metrics)).value('cpl_connections') === leaving.length)
    for (const socket of leaving) socket.resetAndDestroy()
    await until('nobody is connected', async () => (await scrape(metrics)).value('cpl_connections') === 0)
    const counted = await scrape(metrics)
    assert.deepEqual(counted.counts('cpl_http_requests_total'), expected)
    assertAgrees(counted)
    const countsOf = (name: string) => Object.fromEntries(counted.counts(name))
    assert.deepEqual(countsOf('cpl_key_refusals_total'), { missing: times, malformed: 2 * times })
    assert.deepEqual(countsOf('cpl_quota_refusals_total'), { free: 200 + times })
    const pages = counted.counts('cpl_page_cache_total')
    // Twice to know a page, in each thread, and once for each that is refused.
    assert.equal(pages.get('hit')! + pages.get('miss')!, 4 * times)
    assert.equal(pages.get('hit')! > times, true)
    assert.ok(counted.value('cpl_search_duration_seconds_count')! <= 4)
    const secrets = [business, free, business.slice('cpl_live_'.length), 'Shop', 'base1-004', 'secret', 'forest']
    for (const secret of secrets) assert.ok(!counted.text.includes(secret), secret)
    const series = [...counted.values.keys()].filter((name) => name.startsWith('cpl_'))
    const strange = amount(500, 10_000)
    const paths = Array.from({ length: strange }, (_, i) => requestText(`/${'x'.repeat(i % 7)}/${i}?a=${i}`))
    for (let i = 0; i < paths.length; i += 500) await pipelined(address, paths.slice(i, i + 500).join(''), 1, 500)
    const unknown = 'cpl_http_requests_total{route="other",status="404"}'
    let after = await scrape(metrics)
    // A thread counts a response after it has sent it, and a scrape waits half a second for a busy thread and no longer.
    await until('the last is counted', async () => {
      after = await scrape(metrics)
      return after.value(unknown)! >= times + strange
    })
    assert.equal(after.value(unknown), times + strange)
    const seriesAfter = [...after.values.keys()].filter((name) => name.startsWith('cpl_'))
    assert.deepEqual(seriesAfter, series)
  })

  it('The tool promtool finds nothing wrong in the metrics', { skip: skipWithout('promtool') }, async () => {
    const { text } = await scrape(service.metrics)
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  itInAll('A replaced thread loses no count, and a hung one delays no scrape', async () => {
    const { address, metrics } = service
    const pagesOf = (now: Scrape) => {
      const pages = now.counts('cpl_page_cache_total')
      return pages.get('hit')! + pages.get('miss')!
    }
    const requests = 'cpl_http_requests_total{route="/v1/search",status="200"}'
    const before = await scrape(metrics)
    const alive = () => readdirSync(folder).filter((name) => name.startsWith('alive-'))
    await until('both threads are', () => alive().length === 2)
    let sent = before.value(requests)!
    const sentBefore = sent
    const ask = async () => {
      for (let i = 0; i < 30; i++, sent++) {
        const reply = await send(address, '/v1/search?q=char', { headers: { 'x-api-key': business } })
        assert.equal(reply.status, 200)
      }
    }
    await ask()
    for (const [killed, name] of alive().slice(0, amount(1, 2)).entries()) {
      writeFileSync(join(folder, name.replace('alive', 'kill')), '')
      await until('it is gone', () => !existsSync(join(folder, name)))
      assert.equal((await scrape(metrics)).value(requests), sent)
      await until('it is replaced', async () => {
        const now = await scrape(metrics)
        return now.value('cpl_threads') === 2 && now.value('cpl_thread_failures_total') === killed + 1
      })
      await ask()
      const now = await scrape(metrics)
      assert.equal(now.value(requests), sent)
      assert.equal(pagesOf(now) - pagesOf(before), sent - sentBefore)
      assertAgrees(now)
    }
    const hang = join(folder, alive()[0]!.replace('alive', 'hang'))
    writeFileSync(hang, '')
    await until('it hangs', async () => {
      const from = performance.now()
      assert.equal((await scrape(metrics)).value(requests), sent)
      return performance.now() - from > 400
    })
    for (let i = 0; i < 3; i++) assert.equal((await scrape(metrics)).value(requests), sent)
    rmSync(hang)
    await until('it tells what was', async () => {
      const { values } = await scrape(metrics)
      return [1, 2].some((thread) => values.get(`cpl_event_loop_delay_seconds{thread="${thread}",quantile="1"}`)! > 0.4)
    })
  })

  it('A slow or gone reader of metrics delays no stop', async () => {
    const { hostname, port } = new URL(service.metrics)
    for (const text of ['', 'GET /met', 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200)]) {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      await once(socket, 'connect')
      socket.pause().write(text)
    }
    const from = performance.now()
    assert.equal(await service.stop(), 0)
    assert.ok(performance.now() - from < 20_000)
  })
})
