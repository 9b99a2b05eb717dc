/**
 * A quota that servers share through Redis, and what happens without it: a server keeps a rest of each account's quota, so that a
 * quiet account is served while Redis is away, and returns that.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay, dayMs, dayOfMs } from '../../src/calendar.ts'
import { planNames, plans } from '../../src/plans.ts'
import { deniedMs } from '../../src/quota/leases/lease-manager.ts'
import { passed } from '../support/accounts-server.ts'
import { someOf } from '../support/amount.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { Counting, countDown, Machines, noon, oneServer, ownStore, type TestedStore } from './counting.ts'

const password = 'correct-horse-battery'
const skip = skipWithout('redis-server')

/** Each waits much of its time. */
describe('a quota that servers share', { skip, concurrency: true, timeout: 60_000 }, () => {
  it('gives back at a stop what nobody has used, so that another server can', async (test) => {
    const { redis, held, machines, key, server: first } = await oneServer(test)
    for (let i = 0; i < 60; i++)
      assert.equal(await first.take(key), 199 - i, `left after request ${i + 1} of 200 a day`)
    const [leased] = await held('acme')
    assert.ok(leased! > 60, `${leased} are leased: more than are used`)
    await first.close()
    assert.deepEqual(await held('acme'), [60])
    const second = await new Counting().start(machines, redis.url)
    let total = 0
    // A refused amount is requested again.
    for (let quiet = 0; quiet < 2; ) {
      const now = await second.letIn(key, 200)
      total += now
      quiet = now === 0 ? quiet + 1 : 0
      await pause(deniedMs + 100)
    }
    assert.equal(total, 140)
    await second.close()
  })

  it('is not opened anew when servers begin to share it in the middle of a day, nor when one stops and begins again', async (test) => {
    const { redis } = await ownStore(test)
    const machines = new Machines()
    const keys = await machines.accounts(['acme', 'other'])
    const [storeDir, elsewhere] = [machines.newStore(), machines.newStore()]
    const countOn = async (dir: string, requests: number, quotaStore?: string) => {
      const server = await new Counting().startOn({ storeDir: dir, quotaStore })
      const [acme, other] = [await letInSlowly(server, keys.acme, requests), await letInSlowly(server, keys.other, 1)]
      await server.close()
      return [acme, other]
    }
    assert.deepEqual(await countOn(storeDir, 150), [150, 1])
    assert.deepEqual(await countOn(elsewhere, 10), [10, 1])
    assert.deepEqual(await countOn(storeDir, 10, redis.url), [10, 1])
    assert.deepEqual(await countOn(storeDir, 5), [5, 1])
    assert.deepEqual(await countOn(elsewhere, 200, redis.url), [30, 1])
    assert.deepEqual(await countOn(storeDir, 200, redis.url), [0, 1])
  })

  it('is not opened anew by a server that finds no quota store and lets requests in', async () => {
    const machines = new Machines()
    const { acme } = await machines.accounts(['acme'])
    const storeDir = machines.newStore()
    for (const [options, letIn] of [
      [{}, 150],
      [{ quotaStore: 'redis://127.0.0.1:1', quotaFail: 'open' }, 50],
    ] as const) {
      const server = await new Counting().startOn({ storeDir, ...options })
      assert.equal(await server.letIn(acme, letIn), letIn)
      if (letIn === 50) assert.equal(await server.letIn(acme, 10), 0)
      await server.close()
    }
  })

  it('tells a quota store that has forgotten all what it holds, as soon as that is back', async (test) => {
    const { client, held, key, server } = await oneServer(test, 'free', password)
    const host = server.host
    assert.deepEqual([host.leases?.isStoreUp, host.leases?.questions, server.waits], [true, 0, 0])
    assert.equal(await server.take(key), 199)
    // Behind the first question it may already have asked for more.
    assert.deepEqual([host.leases?.isStoreUp, host.leases!.questions > 0, server.waits], [true, true, 1])
    await until('it has asked for more', async () => (await held('acme'))[0]! > 2)
    const name = `card-prices:quota:${dateOfDay(dayOfMs(noon))}:acme`
    const before = await client.hgetall(name)
    assert.equal(Object.keys(before).length, 1)
    await client.flushall()
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await until('it is reported', async () => (await client.exists(name)) === 1)
    assert.deepEqual(await client.hgetall(name), before)
    await server.close()
  })

  it('goes on with what is leased while Redis is away, then refuses', async (test) => {
    const { redis, key, server } = await oneServer(test, 'free', password)
    assert.ok((await server.take(key)) >= 0)
    await redis.stop()
    const through = await server.letIn(key, 100)
    assert.ok(through >= 1 && through < 30, `${through} were leased`)
    assert.equal(await server.take(key), -2, 'the rest is unavailable')
    await redis.start()
    await until('it is back', () => server.host.leases!.isStoreUp)
    assert.equal(server.log.split('is away').length, 2, 'logged once')
    assert.ok(!server.log.includes(password))
    await server.close()
  })
})

for (const [quotaFail, expected] of [
  ['open', countDown(200, 210)],
  ['closed', new Array<number>(210).fill(-2)],
] as const) {
  it(`${quotaFail}: a server that has never seen the quota store lets ${passed(expected)} through`, async () => {
    const machines = new Machines()
    const { solo } = await machines.accounts(['solo'])
    const server = await new Counting().start(machines, 'redis://127.0.0.1:1', quotaFail)
    const lefts: number[] = []
    for (let i = 0; i < 210; i++) lefts.push(await server.take(solo))
    assert.deepEqual(lefts, expected)
    assert.deepEqual([server.host.leases?.isStoreUp, server.host.leases?.questions], [false, 0])
    await server.close()
  })
}

const quietMs = 31_000
const quota = plans.free.requestsPerDay

/** Nobody asks it for half a minute, and it gives back what it does not keep. */
function keepsAtMost(server: Counting, { held }: TestedStore, used: number, most: number) {
  let moved = Number.NEGATIVE_INFINITY
  return until(`it keeps ${most} at most`, async () => {
    if (performance.now() - moved > 300) {
      server.time.aheadMs += quietMs
      moved = performance.now()
    }
    const granted = (await held('acme')).reduce((sum, one) => sum + one, 0)
    return granted > used && granted <= used + most
  })
}

/** Each waits much of its time. */
describe('what is kept', { skip, timeout: 60_000, concurrency: true }, () => {
  describe('an account that was quiet for half a minute', { concurrency: true }, () => {
    for (const plan of someOf(planNames, 1)) {
      it(`is served while Redis is away, on the plan ${plan}`, async (test) => {
        const store = await oneServer(test, plan)
        const { redis, held, key, server } = store
        const used = 3 + plans[plan].requestsPerDay / 50
        await server.letInAll(key, used)
        const most = plans[plan].requestsPerDay / 100
        await keepsAtMost(server, store, used, most)
        await redis.stop()
        const letIn = await server.letIn(key, 3 * most)
        assert.ok(letIn >= most / 2 && letIn < 3 * most, `${letIn} are let in`)
        assert.equal(await server.take(key), -2)
        await redis.start()
        await until('it is reported', async () => (await held('acme')).length > 0)
        await server.close()
        assert.deepEqual(await held('acme'), [used + letIn])
      })
    }

    it('has its whole quota at another server, which has it given back', async (test) => {
      const store = await oneServer(test)
      const { redis, held, machines, key, server: quiet } = store
      const asked = await new Counting().start(machines, redis.url)
      await quiet.letInAll(key, 1)
      let total = 1
      await keepsAtMost(quiet, store, total, quota / 100)
      await until('the whole quota is used', async () => {
        total += await asked.letIn(key, 20)
        return total >= quota
      })
      assert.equal(total + (await asked.letIn(key, 5)) + (await quiet.letIn(key, 5)), quota)
      assert.deepEqual((await held('acme')).sort(), [1, quota - 1].sort())
      await Promise.all([quiet.close(), asked.close()])
    })
  })

  describe('an account that was refused', { concurrency: true }, () => {
    it('because Redis is silent is refused at once from then on, and let in by the first request after it is back', async (test) => {
      const { redis, key, server } = await oneServer(test)
      redis.hang()
      assert.equal(await server.take(key), -2)
      assert.equal(server.host.leases!.isStoreUp, false)
      await pause(deniedMs + 100)
      const { waits } = server
      assert.equal(await server.take(key), -2)
      assert.equal(server.waits, waits, 'it did not wait')
      redis.resume()
      await until('it is back', () => server.host.leases!.isStoreUp)
      assert.equal(await server.take(key), quota - 1)
      await server.close()
    })

    it('because Redis was away is let in by the first request after it is back, which waits until Redis grants', async (test) => {
      const { redis, key, server } = await oneServer(test)
      await redis.stop()
      await until('it is away', () => !server.host.leases!.isStoreUp)
      assert.equal(await server.take(key), -2)
      await redis.start()
      await until('it is back', () => server.host.leases!.isStoreUp)
      assert.equal(await server.take(key), quota - 1)
      await server.close()
    })

    it('because others held its quota is let in by the first request after they gave it back', async (test) => {
      const { client, key, server } = await oneServer(test)
      const name = `card-prices:quota:${dateOfDay(dayOfMs(noon))}:acme`
      await client.hset(name, 'another', quota)
      assert.deepEqual([await server.takeAnswered(key), await server.takeAnswered(key)], [-1, -1])
      await client.hset(name, 'another', 0)
      await pause(deniedMs + 100)
      assert.ok((await server.takeAnswered(key)) >= 0)
      await server.close()
    })
  })

  it('a server that holds many leases tells of all when they were forgotten, and gives all back when it stops', async (test) => {
    const { redis, client, held } = await ownStore(test)
    const machines = new Machines()
    const names = Array.from({ length: 600 }, (_, i) => `one of many ${i}`)
    const keys = await machines.accounts(names)
    const server = await new Counting().start(machines, redis.url)
    server.stopClock()
    const left = await Promise.all(names.map((name) => server.takeAnswered(keys[name]!)))
    assert.ok(left.every((each) => each === quota - 1))
    const heldByAll = () => Promise.all(names.map(async (name) => (await held(name)).join()))
    await until('all leases are known', async () => (await heldByAll()).every((granted) => Number(granted) > 1))
    await client.flushall()
    // How much it holds is less than what Redis had, where an answer came too late on a busy machine.
    await until('all are reported', async () => (await heldByAll()).every((granted) => Number(granted) > 0))
    await server.close()
    assert.deepEqual(new Set(await heldByAll()), new Set(['1']))
  })
})

/** By itself: Redis may be silent only for so long as a question waits. */
it('what is granted for a day that is over is of no use, and taken from nobody', {
  skip,
  timeout: 60_000,
}, async (test) => {
  const { redis, key, server } = await oneServer(test)
  const questions = () => server.host.leases!.questions
  redis.hang()
  const late = server.take(key)
  // The question is on its way when the clock is set: the answer finds another day's lease in use.
  await until('it is asked', () => questions() > 0)
  const asked = questions()
  server.time.wall += dayMs
  const next = server.take(key)
  await until('it is asked', () => questions() > asked)
  redis.resume()
  assert.deepEqual(await Promise.all([late, next]), [quota - 1, quota - 2])
  server.time.wall -= dayMs
  assert.equal(await server.letIn(key, quota + 1), quota)
  await server.close()
})

/** How many of so many requests are let in; a refused one is asked again a moment later. */
async function letInSlowly(server: Counting, key: string, times: number): Promise<number> {
  let count = 0
  for (let quiet = 0; quiet < 2 && count < times; ) {
    const now = await server.letIn(key, times - count)
    count += now
    quiet = now === 0 ? quiet + 1 : 0
    if (count < times) await pause(deniedMs + 100)
  }
  return count
}
