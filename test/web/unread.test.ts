/** Pages and metrics that nobody reads: they cost no memory, hold up nobody, nor the end. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addAccount } from '../../src/accounts/registry.ts'
import { startSession } from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { quickPace, reported, sendUnread, standUnread } from '../http/unread-clients.ts'
import { amount, itInAll, someOf } from '../support/amount.ts'
import { makePair } from '../support/certificates.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { requestText } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import { Person } from './person.ts'
import { assertShown } from './shown-address.ts'

const moreMbMax = 64
const times = amount(40, 500)
const pace = amount(0, 1) === 1 ? undefined : quickPace

const textOf = (path: string, more = '', method = 'GET') => requestText(path, undefined, more).replace('GET', method)

/** The largest answers, each kind of small one, and what is refused before a page is made. */
function requestsWith(cookie: string): string[] {
  const assets = loadAssets()
  const gzip = 'Accept-Encoding: gzip\r\n'
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4\r\n'
  const paths = ['/openapi.json', '/', '/docs', '/docs/reference', assets.path('uplot.js'), '/none', '/sign-in/none']
  const own = ['/dashboard', '/dashboard/keys', '/dashboard/usage.json', '/dashboard/look-up?q=charizard']
  return [
    ...paths.map((path) => textOf(path)),
    ...['/openapi.json', '/docs/reference', assets.path('uplot.js')].map((path) => textOf(path, gzip)),
    ...[...own, '/dashboard/cards/pokemon-base1-004'].map((path) => textOf(path, cookie)),
    textOf('/docs/reference', '', 'HEAD'),
    `${textOf('/sign-out', form, 'POST')}a=b&`,
    'GET / HTTP/1.1\r\n\r\n',
    textOf('/', 'Expect: all\r\n'),
    '\r\n'.repeat(20),
  ]
}

for (const isTls of someOf([false, true], 1)) {
  const skip = isTls && skipWithout('openssl')
  // test/node-http/bounded-server.test.ts has the answers over TLS that are not begun.
  const itHere = isTls ? itInAll : it
  const name = `Clients with ${times} unread responses of each route ${isTls ? 'over TLS' : 'and 2,000 of metrics'} take at most 64 MB of memory`
  itHere(name, { skip, timeout: 300_000 }, async (t) => {
    const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
    await fixtureIndex(indexDir)
    const store = new Store(storeDir)
    const now = Date.now()
    const session = store.change(() => startSession(store, addAccount(store, 'acme', 'trader', now).number, now))
    await store.close()
    const pair = isTls ? await makePair('localhost') : undefined
    const tls = pair && { TLS_CERT: pair.cert, TLS_KEY: pair.key }
    const dirs = { INDEX_DIR: indexDir, STORE_DIR: storeDir }
    const service = await startService({ ...dirs, WEB_PORT: '0', METRICS_PORT: '0', ...tls })
    const person = new Person(service.pages)
    person.cookie = `cpl_session=${session}`
    // As it is without API_URL and WEB_URL.
    if (!isTls) await assertShown(service, person, service.address, service.address)
    const all = requestsWith(`Cookie: ${person.cookie}\r\n`)
    const requests = isTls ? someOf(all, 7) : all
    const unread = { address: service.pages, requests, connections: requests.length, times }
    const many = { address: service.metrics, connections: amount(4, 15), times: 2000 }
    const ofPages = { ...unread, path: '/' }
    const ofMetrics = { ...many, requests: [textOf('/metrics')], path: '/healthz' }
    for (const { path, ...each } of isTls ? [ofPages] : [ofPages, ofMetrics]) {
      const seen = await standUnread(service, each, path, pace)
      t.diagnostic(reported(seen))
      assert.ok(seen.peakMb <= moreMbMax && seen.others > 0, `${path}: ${reported(seen)}`)
    }
    const sockets = await sendUnread(unread)
    const from = performance.now()
    assert.equal(await service.stop(), 0)
    assert.ok(performance.now() - from < 10_000)
    for (const socket of sockets) socket.destroy()
    assert.equal(service.log(), '')
  })
}
