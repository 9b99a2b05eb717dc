/** What servers that share accounts know together: requests, last uses, who is signed in. Through deaths of either side. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { Store } from '../../src/store/store.ts'
import type { AccountsServer } from '../support/accounts-server.ts'
import { passed } from '../support/accounts-server.ts'
import { runAccountsHere } from '../support/command.ts'
import { Machines, stop } from '../support/machines.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
let redis: RedisServer
let machines: Machines
let keys: Record<'busy' | 'calm', string>
const stores: string[] = []
let running: AccountsServer[] = []

before(async () => {
  if (skip) return
  redis = await startRedis()
  machines = new Machines(redis.url)
  keys = await machines.accounts(['calm', 'busy'], 'business')
  for (let i = 0; i < 3; i++) {
    const storeDir = machines.newStore()
    const store = new Store(storeDir)
    store.write(() => store.setCopyOf({ id: 'abc', number: 0, chain: '', whole: true }))
    await store.close()
    stores.push(storeDir)
  }
  const client = new Redis(redis.url)
  await client.hset('card-prices:accounts:store', 'id', 'abc')
  client.disconnect()
  process.env['ACCOUNTS_STORE'] = redis.url
  running = await Promise.all(stores.map((storeDir) => machines.start({ ACCOUNTS_STORE: redis.url }, storeDir)))
})
after(async () => {
  await stop(running)
  await redis?.stop()
})

const used = async (storeDir: string, name: string) => {
  const { stdout } = await runAccountsHere(storeDir, 'usage', name, '--json')
  return JSON.parse(stdout).at(-1).requests
}

describe('requests', { skip }, () => {
  it('are one sum at every server', async () => {
    let sum = 0
    for (const [i, server] of running.entries()) sum += passed(await server.take(keys.busy, 10 * (i + 1)))
    for (const storeDir of stores) await until('all are there', async () => (await used(storeDir, 'busy')) === sum)
    assert.equal(sum, 60)
  })
})
