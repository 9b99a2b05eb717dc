/** What a server keeps of each account's quota, so that a quiet account is served while Redis is away, and how it gives that back. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pino from 'pino'
import { Gate } from '../../src/accounts/gate.ts'
import { AccountsHost } from '../../src/accounts/host.ts'
import { dateOfDay, dayMs, dayOfMs } from '../../src/calendar.ts'
import { quotaSettlingMs } from '../../src/limits.ts'
import { planNames, plans } from '../../src/plans.ts'
import { refusedMs, reviewMs } from '../../src/quota/leases/keeper.ts'
import { Machines } from '../support/machines.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const noon = Date.parse('2026-11-21T12:00:00Z')
const quietMs = 31_000
const quota = plans.free.requestsPerDay
let redis: RedisServer
let client: Redis

before(async () => {
  if (skip) return
  redis = await startRedis()
  client = new Redis(redis.url)
  client.on('error', () => undefined)
  // A store that was just started grants nothing.
  await client.set('card-prices:quota:since', `${/run_id:(\S+)/.exec(await client.info('server'))![1]} 0`)
})

after(async () => {
  redis?.resume()
  client?.disconnect()
  await redis?.stop()
})

/** A server without HTTP, on clocks that are set. */
class Counting {
  readonly time = { wall: noon, aheadMs: 0 }
  readonly #clocks = { wall: () => this.time.wall, steady: () => performance.now() + this.time.aheadMs }
  host!: AccountsHost
  #gate!: Gate

  async start(machines: Machines): Promise<this> {
    const log = pino({ level: 'silent' })
    const options = { storeDir: machines.newStore(), quotaStore: redis.url, log, clocks: this.#clocks }
    this.host = await AccountsHost.open(options)
    this.#gate = new Gate(this.host.shared, this.#clocks.wall)
    return this
  }

  async take(key: string): Promise<number> {
    const access = this.#gate.identify(key)!
    const left = this.#gate.take(access)
    return left === -3 ? (await this.#gate.settle(access)).left : left
  }

  /** So many times; how many were let in. */
  async letIn(key: string, times: number): Promise<number> {
    let count = 0
    for (let i = 0; i < times; i++) if ((await this.take(key)) >= 0) count++
    return count
  }

  async close(): Promise<void> {
    await this.#gate.close()
    await this.host.close()
  }
}

const held = async (account: string, day = dayOfMs(noon)): Promise<number[]> =>
  (await client.hvals(`card-prices:quota:${dateOfDay(day)}:${account}`)).map(Number)

/** Nobody asks it for half a minute, and it gives back what it does not keep. */
const keepsAtMost = (server: Counting, account: string, used: number, most: number) =>
  until(`it keeps ${most} at most`, async () => {
    server.time.aheadMs += quietMs
    const granted = (await held(account)).reduce((sum, one) => sum + one, 0)
    return granted > used && granted <= used + most
  })

describe('an account that was quiet for half a minute', { skip, timeout: 60_000 }, () => {
  for (const plan of planNames) {
    it(`is served while Redis is away, on the plan ${plan}`, async () => {
      const machines = new Machines(redis.url)
      const { [plan]: key } = await machines.accounts([plan], plan)
      const server = await new Counting().start(machines)
      const used = 3 + plans[plan].requestsPerDay / 50
      assert.equal(await server.letIn(key!, used), used)
      const most = plans[plan].requestsPerDay / 100
      await keepsAtMost(server, plan, used, most)
      await redis.stop()
      const letIn = await server.letIn(key!, 3 * most)
      assert.ok(letIn >= most / 2 && letIn < 3 * most, `${letIn} are let in`)
      assert.equal(await server.take(key!), -2)
      await redis.start()
      await until('it is told', async () => (await held(plan)).length > 0)
      await server.close()
      assert.deepEqual(await held(plan), [used + letIn])
    })
  }

  it('and asks every three seconds has no less kept for it', async () => {
    const machines = new Machines(redis.url)
    const { slow } = await machines.accounts(['slow'], 'trader')
    const server = await new Counting().start(machines)
    const most = plans.trader.requestsPerDay / 100
    for (let i = 0; i < 2 * most; i++) {
      assert.ok((await server.take(slow)) >= 0)
      server.time.aheadMs += 3000
      // The store answers before the next request.
      const { questions } = server.host.leases!
      await pause(1)
      if (server.host.leases!.questions !== questions) await pause(20)
    }
    redis.hang()
    const letIn = await server.letIn(slow, most)
    redis.resume()
    assert.ok(letIn >= most / 2, `${letIn} are let in`)
    await server.close()
  })

  it('has its whole quota at another server, which has it given back', async () => {
    const machines = new Machines(redis.url)
    const { needed } = await machines.accounts(['needed'])
    const [quiet, asked] = await Promise.all([new Counting().start(machines), new Counting().start(machines)])
    let total = await quiet.letIn(needed, 1)
    await keepsAtMost(quiet, 'needed', total, quota / 100)
    await until('the whole quota is used', async () => {
      total += await asked.letIn(needed, 20)
      return total >= quota
    })
    assert.equal(total + (await asked.letIn(needed, 5)) + (await quiet.letIn(needed, 5)), quota)
    assert.deepEqual((await held('needed')).sort(), [1, quota - 1].sort())
    await Promise.all([quiet.close(), asked.close()])
  })

  it('has nothing of it on the next day, and the rest of it when the clock is set back, however late', async () => {
    const machines = new Machines(redis.url)
    const { overnight } = await machines.accounts(['overnight'])
    const server = await new Counting().start(machines)
    assert.equal(await server.letIn(overnight, 10), 10)
    server.time.wall += dayMs
    assert.equal(await server.take(overnight), quota - 1)
    server.time.wall -= dayMs
    assert.equal(await server.letIn(overnight, 10), 10)
    // Nobody asks for an hour, by a clock that is a day ahead: the lease is forgotten.
    server.time.wall += dayMs
    await pause(2 * reviewMs)
    server.time.aheadMs += 4_000_000
    await pause(2 * reviewMs)
    server.time.wall -= dayMs
    let letIn = 20
    for (let i = 0; i < quota; i++) {
      letIn += await server.letIn(overnight, 1)
      // What it has left is asked about before it is used up.
      await pause(1)
    }
    assert.equal(letIn, quota)
    await server.close()
  })
})

it('what is granted for a day that is over is of no use, and taken from nobody', {
  skip,
  timeout: 60_000,
}, async () => {
  const machines = new Machines(redis.url)
  const { midnight } = await machines.accounts(['midnight'])
  const server = await new Counting().start(machines)
  redis.hang()
  const late = server.take(midnight)
  // The question is on its way when the clock is set: the answer finds another day's lease in use.
  await until('it is asked', () => server.host.leases!.questions === 1)
  server.time.wall += dayMs
  const next = server.take(midnight)
  await until('it is asked', () => server.host.leases!.questions === 2)
  redis.resume()
  assert.deepEqual(await Promise.all([late, next]), [quota - 1, quota - 2])
  server.time.wall -= dayMs
  assert.equal(await server.letIn(midnight, quota + 1), quota)
  await server.close()
})

describe('an account that was refused', { skip, timeout: 60_000 }, () => {
  it('because Redis was away is let in by the first request after it is back', async () => {
    const machines = new Machines(redis.url)
    const { hung, gone } = await machines.accounts(['hung', 'gone'])
    const server = await new Counting().start(machines)
    redis.hang()
    for (const key of [hung, gone]) assert.deepEqual([await server.take(key), await server.take(key)], [-2, -2])
    redis.resume()
    await until('it is back', () => server.host.leases!.storeUp)
    assert.equal(await server.take(hung), quota - 1)
    await redis.stop()
    await until('it is away', () => !server.host.leases!.storeUp)
    assert.equal(await server.take(gone), -2)
    await redis.start()
    await until('it is back', () => server.host.leases!.storeUp)
    assert.equal(await server.take(gone), quota - 1)
    await server.close()
  })

  it('because others held its quota is let in by the first request after they gave it back', async () => {
    const machines = new Machines(redis.url)
    const { taken } = await machines.accounts(['taken'])
    const server = await new Counting().start(machines)
    await pause(quotaSettlingMs)
    const name = `card-prices:quota:${dateOfDay(dayOfMs(noon))}:taken`
    await client.hset(name, 'another', quota)
    assert.deepEqual([await server.take(taken), await server.take(taken)], [-1, -1])
    await client.hset(name, 'another', 0)
    await pause(refusedMs + 100)
    assert.ok((await server.take(taken)) >= 0)
    await server.close()
  })
})

it('a server that holds many leases tells of all when they were forgotten, and gives all back when it stops', {
  skip,
}, async () => {
  const machines = new Machines(redis.url)
  const names = Array.from({ length: 600 }, (_, i) => `one of many ${i}`)
  const keys = await machines.accounts(names)
  const server = await new Counting().start(machines)
  const left = await Promise.all(names.map((name) => server.take(keys[name]!)))
  assert.ok(left.every((each) => each === quota - 1))
  const heldByAll = () => Promise.all(names.map(async (name) => (await held(name)).join()))
  await until('all leases are known', async () => (await heldByAll()).every((granted) => Number(granted) > 1))
  const before = await heldByAll()
  await client.flushall()
  await until('all are told of', async () => (await heldByAll()).join(' ') === before.join(' '))
  await server.close()
  assert.deepEqual(new Set(await heldByAll()), new Set(['1']))
})
