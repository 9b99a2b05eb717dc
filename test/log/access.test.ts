/** The access log of a real server: what it has of each request. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send, startService } from '../support/service.ts'
import { linesOf, untilLines } from './access-lines.ts'

it('the access log tells of each request what it was and what became of it', async () => {
  const [indexDir, storeDir] = [await fixtureIndex(), temporaryFolder()]
  await accounts(storeDir, 'create', 'first', '--plan', 'free')
  const { key } = await accounts(storeDir, 'create', 'Shop', '--plan', 'business')
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ACCESS_LOG: '1', THREADS: '2' })
  const headers = { 'x-api-key': key }
  const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"ids":[]}' }
  const asked = [
    ['/v1/search?q=secret-text', { headers }, '/v1/search', 'GET', 200, 1],
    ['/v1/cards/pokemon-base1-004', { headers }, '/v1/cards/:id', 'GET', 200, 1],
    ['/v1/cards/secret-card', { headers }, '/v1/cards/:id', 'GET', 404, 1],
    ['/v1/games', { headers, method: 'HEAD' }, '/v1/games', 'HEAD', 200, 1],
    ['/v1/games', { headers: { ...headers, 'if-none-match': '*' } }, '/v1/games', 'GET', 304, 1],
    ['/v1/games?api_key=secret-key', {}, '/v1/games', 'GET', 401, null],
    ['/v1/games', { headers, method: 'PATCH' }, '/v1/games', 'PATCH', 405, null],
    ['/v1/games', { headers, method: 'OPTIONS' }, '/v1/games', 'OPTIONS', 204, null],
    ['/v1/cards/batch', posted, '/v1/cards/batch', 'POST', 200, 1],
    ['/v1/cards/batch', { ...posted, headers }, '/v1/cards/batch', 'POST', 415, 1],
    ['/v1/bulk/mtg', { headers }, '/v1/bulk/:game', 'GET', 200, 1],
    ['/healthz', {}, '/healthz', 'GET', 200, null],
    ['/secret-path', { headers, method: 'PROPFIND' }, 'other', 'other', 404, null],
  ] as const
  const from = Date.now()
  const bytes: number[] = []
  for (const [path, sent, , , status] of asked) {
    const reply = await send(service.address, path, sent)
    assert.equal(reply.status, status, path)
    bytes.push(reply.bytes.length)
  }
  await untilLines(service, asked.length)
  const lines = linesOf(service).sort((a, b) => a.time - b.time)
  for (const { time, us } of lines) {
    assert.ok(Number.isSafeInteger(time) && time >= from - 2 && time <= Date.now() + 2)
    assert.ok(Number.isSafeInteger(us) && us >= 0 && us < 60_000_000)
  }
  // Lines of two threads within a millisecond have no fixed order.
  const reported = lines.map(({ time, us, ...rest }) => JSON.stringify(rest)).sort()
  const expected = asked.map(([, , route, method, status, account], i) =>
    JSON.stringify({ route, method, status, bytes: bytes[i], account }),
  )
  assert.deepEqual(reported, expected.sort())
  for (const secret of ['secret', key.slice('cpl_live_'.length), 'Shop']) assert.ok(!service.log().includes(secret))
})
