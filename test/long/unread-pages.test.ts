/** 50 connections with 2,000 requests each, and no answer read: each route of the pages and of the metrics. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipWithout } from '../support/programs.ts'
import { leftMbMax, reported, standUnread } from '../support/unread.ts'
import { metricsRequests, startUnread } from '../web/unread-pages.ts'

const connections = 50
const times = 2000
const moreMbMax = 64
const healthMsMax = 200
const otherMsMax = 5000

for (const isTls of [false, true]) {
  describe(isTls ? 'over TLS' : 'in plain HTTP', { skip: isTls && skipWithout('openssl') }, async () => {
    const { service, pages } = await startUnread(isTls)
    const routes = [
      ...Object.entries(pages).map(([what, request]) => [what, request, service.pages, '/'] as const),
      ...Object.entries(metricsRequests).map(
        ([what, request]) => [`metrics: ${what}`, request, service.metrics, '/healthz'] as const,
      ),
    ]
    for (const [what, request, address, otherPath] of routes) {
      it(what, { timeout: 240_000 }, async (t) => {
        const seen = await standUnread(service, { address, requests: [request], connections, times }, otherPath)
        t.diagnostic(reported(seen))
        assert.ok(seen.peakMb <= moreMbMax, reported(seen))
        assert.ok(seen.leftMb <= leftMbMax, reported(seen))
        assert.ok(seen.slowestHealthMs <= healthMsMax, reported(seen))
        assert.ok(seen.others > 0 && seen.slowestOtherMs <= otherMsMax, reported(seen))
      })
    }
    it('the end', async () => {
      assert.equal(await service.stop(), 0)
      assert.equal(service.log(), '')
    })
  })
}
