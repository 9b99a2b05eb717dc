/** Quotas that servers share, when one of them was killed and started again and the store has then forgotten all it granted. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { plans } from '../../src/plans.ts'
import { reviewMs } from '../../src/quota/leases/lease-manager.ts'
import { previousInstancesMax } from '../../src/quota/leases/previous-instances.ts'
import { quotaRecoveryMs } from '../../src/quota/leases/timing.ts'
import { Counting } from '../quota/counting.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const accounts = await startRedis()
const quotas = await startRedis()
const fleet = await Fleet.of(accounts)
const quota = plans.free.requestsPerDay
const sinceKey = 'card-prices:quota:since'
let client: Redis
const running = new Map<string, Service>()

const start = async (machine: string) => {
  running.set(machine, await fleet.start(machine, { QUOTA_STORE: quotas.url }))
}

before(async () => {
  if (skip) return
  client = new Redis(quotas.url)
  await Promise.all(['a', 'b'].map(start))
})

after(async () => {
  if (skip) return
  client.disconnect()
  await Promise.all([...running.values()].map((server) => server.stop()))
})

/** So many requests in turn; how many were let in. */
async function letIn(machine: string, key: string, requests: number): Promise<number> {
  let count = 0
  for (let i = 0; i < requests; i++) if ((await statusFor(running.get(machine)!, key)) === 200) count++
  return count
}

/** Its counts are in its file, and it is not running. */
async function end(machine: string, name: string, used: number, signal: NodeJS.Signals): Promise<void> {
  await until('its counts are written', async () => {
    const [today] = (await fleet.do(machine, 'usage', name)).slice(-1)
    return today.requests === used
  })
  const { child } = running.get(machine)!
  child.kill(signal)
  await once(child, 'exit')
}

/** Counts so many requests on a machine's store, as a server that is started and stopped. */
async function countHere(machine: string, key: string, requests: number): Promise<void> {
  const server = new Counting()
  server.time.wall = Date.now()
  await server.startOn({ storeDir: fleet.storeDir(machine), accountsStore: accounts.url, quotaStore: quotas.url })
  assert.equal(await server.letIn(key, requests), requests)
  await server.close()
}

/** All servers have seen what happened to the store, and it grants again. */
const settled = () => pause(2 * reviewMs + quotaRecoveryMs + 500)

for (const [ended, signal, least] of [
  ['killed', 'SIGKILL', 0],
  ['stopped', 'SIGTERM', quota],
] as const) {
  const what = `${ended}, twice, and all is forgotten`
  it(`a server ${what}: no quota is passed, and none is cut`, { skip }, async () => {
    const { key } = await fleet.do('office', 'create', what, '--plan', 'free')
    let used = await letIn('a', key, 60)
    await end('a', what, used, signal)
    await start('a')
    used += await letIn('a', key, 40)
    await end('a', what, used, signal)
    await start('a')
    assert.equal(used, 100)
    await client.flushall()
    await settled()
    used += await letIn('b', key, quota)
    used += await letIn('a', key, 20)
    assert.ok(used <= quota && used >= least, `${used} were let in`)
  })
}

it('a server that was started more often than is remembered: no quota is passed, and none is cut', {
  skip,
}, async () => {
  const what = 'started often'
  const { key } = await fleet.do('office', 'create', what, '--plan', 'free')
  const used = 2 * previousInstancesMax
  // Of the first ones, which are forgotten, nobody asked anything.
  for (let i = -3; i < previousInstancesMax; i++) await countHere('c', key, i < 0 ? 0 : 2)
  await client.del(sinceKey)
  running.set('c', await fleet.start('c', { QUOTA_STORE: quotas.url }))
  await settled()
  const { account_ids: ids } = await fleet.copyOf('c')
  const [name] = await client.keys(`card-prices:quota:*:${ids.at(-1)!['id']}`)
  const granted = (await client.hvals(name!)).reduce((sum, each) => sum + Number(each), 0)
  assert.equal(granted, used, 'none is cut')
  await client.flushall()
  await settled()
  const more = (await letIn('b', key, quota)) + (await letIn('c', key, 20))
  assert.equal(used + more, quota, 'none is passed')
})
