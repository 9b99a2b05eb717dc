/** A fuzzer's knowledge of the server before it starts: accounts and their keys, and good requests with their answers. */
import assert from 'node:assert/strict'
import { createAccount } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { send } from '../support/service.ts'

/** A request that is right, and its answer as long as the version stays the same. */
export interface Good {
  readonly method: 'GET' | 'POST'
  readonly target: string
  /** Of a POST. */
  readonly body: string
  readonly status: number
  /** Bytes as latin1 characters. */
  readonly answer: string
}

export interface Known {
  /** Each of an account of its own on the Business plan, and used for fewer requests than it has. */
  readonly keys: readonly string[]
  /** Their quotas may be used up: 429 is right then. */
  readonly freeKey: string
  readonly traderKey: string
  readonly ids: readonly string[]
  readonly goods: readonly Good[]
}

export const businessQuota = 100_000
export const freeQuota = 200

/** Makes the accounts, so many on the Business plan. To be called while no server runs. */
export async function makeKeys(storeDir: string, business: number): Promise<Omit<Known, 'ids' | 'goods'>> {
  const store = new Store(storeDir)
  const keyOf = (name: string, plan: 'free' | 'trader' | 'business') => createAccount(store, name, plan, Date.now()).key
  const keys = Array.from({ length: business }, (_, i) => keyOf(`business ${i}`, 'business'))
  const made = { keys, freeKey: keyOf('free', 'free'), traderKey: keyOf('trader', 'trader') }
  await store.close()
  return made
}

const searches = [
  'q=charizard',
  'q=a&limit=3',
  'q=e&offset=7&limit=2',
  'q=monkey+d+luffy',
  'q=%E3%83%94%E3%82%AB',
  'q=N',
  'q=ch&game=pokemon',
  'q=pika&set=base1',
  'q=dark&rarity=rare',
  'q=chrizard',
  'q=_____',
  'q=qqqq',
]
const pages = ['games', 'sets?limit=3', 'sets?game=mtg&limit=2&offset=1', 'sets?offset=1000']
const wrong = ['search', 'search?q=', 'search?q=a&limit=0', 'sets?game=chess', 'cards/nobody', 'cards/%zz', 'nothing']

/** Asks each good request once, over a connection of its own. */
export async function askGoods(address: string, key: string, ids: readonly string[]): Promise<Good[]> {
  const some = ids.filter((_, i) => i % 7 === 0)
  const targets = [
    '/healthz',
    '/openapi.json',
    ...[...pages, ...wrong].map((page) => `/v1/${page}`),
    ...searches.map((query) => `/v1/search?${query}`),
    ...some.map((id) => `/v1/cards/${id}`),
    ...some.slice(0, 12).map((id) => `/v1/cards/${id}/history?period=7d`),
    ...some.slice(0, 12).map((id) => `/v1/cards/${id}/prices?days=3`),
    `/v1/cards/${ids[0]}/history?period=all`,
    `/v1/cards/${ids[0]}/prices?days=91`,
  ]
  const bodies = [[], some.slice(0, 1), some.slice(0, 20), ['nobody', ids[5], ids[5]], some.slice(0, 21)]
  const goods: Good[] = []
  const ask = async (method: Good['method'], target: string, body: string) => {
    const headers = { 'x-api-key': key, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) }
    const { status, bytes } = await send(address, target, { method, headers, body })
    assert.ok(status < 405, `${method} ${target} is answered ${status}`)
    goods.push({ method, target, body, status, answer: bytes.toString('latin1') })
  }
  for (const target of targets) await ask('GET', target, '')
  for (const list of bodies) await ask('POST', '/v1/cards/batch', JSON.stringify({ ids: list }))
  for (const list of bodies) {
    await ask('POST', '/v1/cards/batch/history', JSON.stringify({ ids: list, period: '7d' }))
    await ask('POST', '/v1/cards/batch/prices', JSON.stringify({ ids: list, days: 2 }))
  }
  await ask('POST', '/v1/cards/batch/history', '{"ids":[],"period":"2d"}')
  return goods
}
