/** The quota as callers meet it: what counts, and that it is exact however many ask at once. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { pipelined, requestText } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { serveHere } from './serve-here.ts'

const storeDir = temporaryFolder()
/** In this process, and on two threads of another one after the restart in the first test. */
let service: Pick<Service, 'address' | 'stop'>

before(async () => {
  service = await serveHere({ storeDir })
})
after(async () => assert.equal(await service.stop(), 0))

it('Each request with a key to an endpoint counts once, whatever its status, and a restart forgets none', async () => {
  const { key, keyId } = await accounts(storeDir, 'create', 'a', '--plan', 'free')
  const second = (await accounts(storeDir, 'create-key', 'a', '--name', 'second')).key
  const headers = { 'x-api-key': key }
  const json = { ...headers, 'content-type': 'application/json' }
  const left = async (address: string, path: string, sent = {}) =>
    Number((await send(address, path, { headers, ...sent })).headers['x-ratelimit-remaining'])
  const counting: readonly (readonly [path: string, sent?: object])[] = [
    ['/v1/games'],
    ['/v1/games', { method: 'HEAD' }],
    ['/v1/cards/nope'],
    ['/v1/search'],
    ['/v1/cards/pokemon-base1-004/history'],
    ['/v1/cards/batch', { method: 'POST', headers: json, body: '{"ids":["a","b","c"]}' }],
    ['/v1/cards/batch', { method: 'POST', headers, body: '{}' }],
    ['/v1/games', { headers: { 'x-api-key': second } }],
  ]
  let expected = 200
  for (const [path, sent] of counting) assert.equal(await left(service.address, path, sent), --expected, path)
  // These are answered before the key's turn, and do not count.
  for (const [path, method] of Object.entries({ '/v1/nope': 'GET', '/v1/games': 'POST', '/v1/sets': 'OPTIONS' }))
    assert.equal(await left(service.address, path, { method }), expected, path)
  assert.equal(await service.stop(), 0)

  service = await startService({ INDEX_DIR: await fixtureIndex(), STORE_DIR: storeDir, THREADS: '2' })
  const { address } = service
  assert.equal(await left(address, '/v1/games'), --expected)
  const written = async () => (await accounts(storeDir, 'usage', 'a'))[0].requests
  await until('all are written down', async () => (await written()) === 200 - expected)

  await accounts(storeDir, 'set-plan', 'a', 'trader')
  assert.equal(await left(address, '/v1/games'), 10_000 - (200 - --expected))
  const regenerated = await accounts(storeDir, 'regenerate', keyId)
  assert.equal((await send(address, '/v1/games', { headers })).status, 401)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': regenerated.key } })).status, 200)
  assert.equal((await runAccountsHere(storeDir, 'revoke', keyId)).code, 0)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': regenerated.key } })).status, 401)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': second } })).status, 200)
})

/** How exact it is on several threads at once: contract.test.ts. */
it('Exactly 200 requests get through on two threads, and a refusal says when to come back', async () => {
  const { address } = service
  const { key: free } = await accounts(storeDir, 'create', 'free', '--plan', 'free')
  const flood = () => pipelined(address, requestText('/v1/games', free), 25)
  const floods = await Promise.all(Array.from({ length: 16 }, flood))
  const countOf = (status: number) => floods.reduce((sum, statuses) => sum + (statuses.get(status) ?? 0), 0)
  assert.deepEqual([countOf(200), countOf(429)], [200, 200])
  const refused = await send(address, '/v1/games', { headers: { 'x-api-key': free } })
  assert.deepEqual([refused.status, refused.json.error.code], [429, 'RATE_LIMIT_EXCEEDED'])
  const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = refused.headers
  assert.deepEqual([limit, remaining], ['200', '0'])
  const reset = Number(refused.headers['x-ratelimit-reset'])
  assert.equal(reset % 86_400, 0)
  const wait = reset - Date.now() / 1000
  assert.ok(wait > 0 && wait <= 86_400)
  assert.ok(Math.abs(Number(refused.headers['retry-after']) - wait) <= 2)
  assert.equal((await send(address, '/v1/sets?limit=x', { headers: { 'x-api-key': free } })).status, 429)
  assert.equal((await send(address, '/v1/sets', { method: 'PUT', headers: { 'x-api-key': free } })).status, 405)
})
