/** The quota as callers meet it: what counts, and that it is exact however many ask at once. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountNamed } from '../../src/accounts/registry.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { amount } from '../support/amount.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { requestText, Wire } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { serveHere } from './serve-here.ts'

const storeDir = temporaryFolder()
/** In this process, and on two threads of another one after the restart in the first test. */
let service: Pick<Service, 'address' | 'stop'>

before(async () => {
  service = await serveHere({ storeDir })
})
after(async () => assert.equal(await service.stop(), 0))

interface Counted {
  readonly status: number
  readonly remaining: number
}

const connections = 64
/** Sent in one piece. */
const pipelined = 25

/** So many requests over 64 connections, at once; each connection sends its next ones when all before are answered. */
async function flood(address: string, key: string, requests: number): Promise<Counted[]> {
  const counts = Array.from({ length: connections }, (_, i) => Math.floor((requests + i) / connections))
  return (await Promise.all(counts.map((count) => floodOne(address, key, count)))).flat()
}

async function floodOne(address: string, key: string, count: number): Promise<Counted[]> {
  const wire = await Wire.open(Number(new URL(address).port))
  const counted: Counted[] = []
  while (counted.length < count) {
    const sent = Math.min(pipelined, count - counted.length)
    wire.write(requestText('/v1/games', key).repeat(sent))
    for (let i = 0; i < sent; i++) {
      const { status, headers } = (await wire.answer())!
      counted.push({ status, remaining: Number(headers['x-ratelimit-remaining']) })
    }
  }
  wire.close()
  return counted
}

function assertExact(counted: readonly Counted[], quota: number): void {
  const passed = counted.filter(({ status }) => status === 200)
  assert.equal(passed.length, quota)
  assert.equal(counted.filter(({ status }) => status === 429).length, counted.length - quota)
  const left = passed.map(({ remaining }) => remaining).sort((a, b) => b - a)
  assert.deepEqual(
    left,
    Array.from({ length: quota }, (_, i) => quota - 1 - i),
    'Remaining falls by one each time',
  )
  assert.ok(counted.every(({ status, remaining }) => status === 200 || remaining === 0))
}

it('every request with a valid key counts one, with any status; a restart forgets nothing', async () => {
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
  for (const [path, sent] of [
    ['/v1/nope'],
    ['/v1/games', { method: 'POST' }],
    ['/v1/games', { method: 'OPTIONS' }],
  ] as const) {
    assert.equal(
      await left(service.address, path, sent),
      expected,
      'what is answered before the key’s turn does not count',
    )
  }
  assert.equal(await service.stop(), 0)

  service = await startService({ INDEX_DIR: await fixtureIndex(), STORE_DIR: storeDir, THREADS: '2' })
  const { address } = service
  assert.equal(await left(address, '/v1/games'), --expected)
  const { number } = (await accounts(storeDir, 'list')).find(({ account }: { account: string }) => account === 'a')
  const store = new Store(storeDir)
  const written = () => store.usedOn(dayOfMs(Date.now()), number)
  for (let i = 0; i < 100 && written() !== 200 - expected; i++) await sleep(50)
  await store.close()
  const [{ requests }] = await accounts(storeDir, 'usage', 'a')
  assert.equal(requests, 200 - expected)

  await accounts(storeDir, 'set-plan', 'a', 'trader')
  assert.equal(await left(address, '/v1/games'), 10_000 - (200 - --expected))
  const regenerated = await accounts(storeDir, 'regenerate', keyId)
  assert.equal((await send(address, '/v1/games', { headers })).status, 401)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': regenerated.key } })).status, 200)
  assert.equal((await runAccountsHere(storeDir, 'revoke', keyId)).code, 0)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': regenerated.key } })).status, 401)
  assert.equal((await send(address, '/v1/games', { headers: { 'x-api-key': second } })).status, 200)
})

/** Of the 10,000, so many are left when the flood begins. */
const traderLeft = amount(2000, 10_000)

it('exactly 200, 1 and 10,000 get through on two threads', async () => {
  const { address } = service
  const create = async (name: string, plan: string) => (await accounts(storeDir, 'create', name, '--plan', plan)).key
  const free = await create('free', 'free')
  const nearlyDone = await create('nearly done', 'free')
  assertExact(await flood(address, free, 800), 200)
  await flood(address, nearlyDone, 199)
  assertExact(await flood(address, nearlyDone, 4), 1)
  const trader = await create('trader', 'trader')
  const store = new Store(storeDir)
  store.addUsage(dayOfMs(Date.now()), accountNamed(store, 'trader').number, 10_000 - traderLeft)
  await store.close()
  assertExact(await flood(address, trader, traderLeft + 2000), traderLeft)

  const refused = await send(address, '/v1/games', { headers: { 'x-api-key': free } })
  assert.equal(refused.status, 429)
  assert.equal(refused.json.error.code, 'RATE_LIMIT_EXCEEDED')
  assert.equal(refused.headers['x-ratelimit-limit'], '200')
  assert.equal(refused.headers['x-ratelimit-remaining'], '0')
  const reset = Number(refused.headers['x-ratelimit-reset'])
  assert.equal(reset % 86_400, 0)
  const wait = reset - Date.now() / 1000
  assert.ok(wait > 0 && wait <= 86_400)
  assert.ok(Math.abs(Number(refused.headers['retry-after']) - wait) <= 2)
  assert.equal((await send(address, '/v1/sets?limit=x', { headers: { 'x-api-key': free } })).status, 429)
  assert.equal((await send(address, '/v1/sets', { method: 'PUT', headers: { 'x-api-key': free } })).status, 405)
})
