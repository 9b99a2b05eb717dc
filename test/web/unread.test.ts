/** Pages and metrics that nobody reads: they cost no memory, hold up nobody, nor the end. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { quickPace, reported, sendUnread, standUnread } from '../http/unread-clients.ts'
import { amount, itInAll, someOf } from '../support/amount.ts'
import { skipWithout } from '../support/programs.ts'
import { metricsRequests, startUnread } from './unread-pages.ts'

const moreMbMax = 64
const times = amount(40, 500)
const pace = amount(0, 1) === 1 ? undefined : quickPace

for (const isTls of someOf([false, true], 1)) {
  const skip = isTls && skipWithout('openssl')
  // Of answers over TLS, test/node-http/server.test.ts has those that are not begun.
  const itHere = isTls ? itInAll : it
  itHere(
    `${times} unread answers of each route ${isTls ? 'over TLS' : 'plain, and 2,000 of metrics'}`,
    {
      skip,
      timeout: 120_000,
    },
    async (t) => {
      const { service, pages } = await startUnread(isTls)
      const requests = isTls ? someOf(Object.values(pages), 7) : Object.values(pages)
      const unread = { address: service.pages, requests, connections: requests.length, times }
      const seen = await standUnread(service, unread, '/', pace)
      t.diagnostic(reported(seen))
      assert.ok(seen.peakMb <= moreMbMax, reported(seen))
      assert.ok(seen.others > 0)
      if (!isTls) {
        const ofMetrics = {
          address: service.metrics,
          requests: [metricsRequests.metrics],
          connections: amount(4, 15),
          times: 2000,
        }
        const seenThere = await standUnread(service, ofMetrics, '/healthz', pace)
        t.diagnostic(reported(seenThere))
        assert.ok(seenThere.peakMb <= moreMbMax, `metrics: ${reported(seenThere)}`)
        assert.ok(seenThere.others > 0)
      }
      const sockets = await sendUnread(unread)
      const from = performance.now()
      assert.equal(await service.stop(), 0)
      assert.ok(performance.now() - from < 10_000)
      for (const socket of sockets) socket.destroy()
      assert.equal(service.log(), '')
    },
  )
}
