/** Metrics that nobody reads cost no memory and hold up nobody. test/long/unread-pages.test.ts takes longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { standUnread, told } from '../support/unread.ts'
import { metricsRequests, startUnread } from '../support/unread-pages.ts'

const moreMbMax = 64

it('2,000 unread answers on each of 15 connections', { timeout: 120_000 }, async (t) => {
  const { service } = await startUnread(false)
  const unread = { address: service.metrics, requests: [metricsRequests.metrics], connections: 15, times: 2000 }
  const seen = await standUnread(service, unread, '/healthz')
  t.diagnostic(told(seen))
  assert.ok(seen.peakMb <= moreMbMax, told(seen))
  assert.ok(seen.others > 0)
  assert.equal(await service.stop(), 0)
  assert.equal(service.log(), '')
})
