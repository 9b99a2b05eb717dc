/** A real Prometheus scrapes four threads under a million requests: what it has then is what was sent. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accounts, temporaryFolder } from '../support/command.ts'
import { pipelined, requestText } from '../support/pipelined.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { startPrometheus } from './prometheus.ts'

const batches = 2000
const mixesInBatch = 100
/** Of a mix, as sent with the key. */
const mix = (key: string) => [
  requestText('/v1/search?q=char', key),
  requestText('/v1/cards/pokemon-base1-004', key),
  requestText('/v1/cards/none', key),
  requestText('/v1/sets'),
  requestText('/nothing', key),
]
const answered = ['/v1/search 200', '/v1/cards/:id 200', '/v1/cards/:id 404', '/v1/sets 401', 'other 404']
/** Accounts enough for the day's quotas. */
const accountCount = 10
const connectionCount = 16

it('Prometheus has exactly what was sent, and at each scrape what belongs together agreed', {
  timeout: 600_000,
  skip: skipWithout('prometheus'),
}, async (context) => {
  const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
  await fixtureIndex(indexDir)
  const keys: string[] = []
  for (let i = 0; i < accountCount; i++) {
    keys.push((await accounts(storeDir, 'create', `a${i}`, '--plan', 'business')).key)
  }
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, THREADS: '4', METRICS_PORT: '0' })
  const prometheus = await startPrometheus(service.metrics)
  const from = performance.now()
  const texts = keys.map((key) => mix(key).join('').repeat(mixesInBatch))
  const next = Array.from({ length: batches }, (_, i) => texts[i % accountCount]!).values()
  const one = async () => {
    for (const text of next) {
      const statuses = await pipelined(service.address, text, 1, mixesInBatch * answered.length)
      assert.deepEqual([statuses.get(200), statuses.get(401), statuses.get(404)], [200, 100, 200])
    }
  }
  await Promise.all(Array.from({ length: connectionCount }, one))
  const seconds = (performance.now() - from) / 1000
  const each = batches * mixesInBatch
  const requests = () => prometheus.query('cpl_http_requests_total > 0')
  const total = async () => [...(await requests()).values()].reduce((sum, count) => sum + count, 0)
  await until('all are scraped', async () => (await total()) >= each * answered.length)
  assert.deepEqual([...(await requests())].sort(), answered.map((label) => [label, each]).sort())
  const differences =
    'abs(sum by (route) (cpl_http_request_duration_seconds_count) - sum by (route) (cpl_http_requests_total))'
  const worst = await prometheus.query(`max_over_time((${differences})[20m:1s])`)
  assert.ok(worst.size > 10 && [...worst.values()].every((difference) => difference === 0))
  const infinite =
    'cpl_http_request_duration_seconds_bucket{le="+Inf"} - ignoring(le) cpl_http_request_duration_seconds_count'
  assert.ok([...(await prometheus.query(infinite)).values()].every((difference) => difference === 0))
  assert.equal((await prometheus.query('sum(cpl_page_cache_total)')).get(''), each)
  assert.equal((await prometheus.query('min_over_time(up[20m])')).get(''), 1, 'no scrape failed')
  const scrapes = (await prometheus.query('count_over_time(up[20m])')).get('')
  const slowest = (await prometheus.query('max_over_time(scrape_duration_seconds[20m])')).get('')
  context.diagnostic(
    `${each * answered.length} requests in ${seconds.toFixed(0)} s, ${scrapes} scrapes, slowest ${slowest} s`,
  )
  await prometheus.stop()
  assert.equal(await service.stop(), 0)
})
