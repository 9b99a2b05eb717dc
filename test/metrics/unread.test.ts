/** Metrics that nobody reads cost no memory and hold up nobody. test/long/unread-pages.test.ts takes longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { standUnread, told } from '../support/unread.ts'
import { metricsRequests, startUnread } from '../support/unread-pages.ts'

const moreMbMax = 64

it('500 unread answers of each route', { timeout: 120_000 }, async (t) => {
  const { service } = await startUnread(false)
  const requests = Object.values(metricsRequests)
  const unread = { address: service.metrics, requests, connections: 2 * requests.length, times: 500 }
  const seen = await standUnread(service, unread, '/healthz')
  t.diagnostic(told(seen))
  assert.ok(seen.peakMb <= moreMbMax, told(seen))
  assert.ok(seen.others > 0)
  assert.equal(await service.stop(), 0)
  assert.equal(service.log(), '')
})
