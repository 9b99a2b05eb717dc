/** Pages that nobody reads: they cost no memory, hold up nobody, nor the end. test/long/unread-pages.test.ts takes longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { skipWithout } from '../support/programs.ts'
import { sendUnread, standUnread, told } from '../support/unread.ts'
import { startUnread } from '../support/unread-pages.ts'

const moreMbMax = 64

for (const isTls of [false, true]) {
  const skip = isTls && skipWithout('openssl')
  it(`500 unread answers of each route ${isTls ? 'over TLS' : 'plain'}`, { skip, timeout: 120_000 }, async (t) => {
    const { service, pages } = await startUnread(isTls)
    const requests = Object.values(pages)
    const unread = { address: service.pages, requests, connections: requests.length, times: 500 }
    const seen = await standUnread(service, unread, '/')
    t.diagnostic(told(seen))
    assert.ok(seen.peakMb <= moreMbMax, told(seen))
    assert.ok(seen.others > 0)
    const sockets = await sendUnread(unread)
    const from = performance.now()
    assert.equal(await service.stop(), 0)
    assert.ok(performance.now() - from < 10_000)
    for (const socket of sockets) socket.destroy()
    assert.equal(service.log(), '')
  })
}
