/** Quotas that several servers share through Redis, through the failures of either. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { drain, Machines, stop } from '../quota/machines.ts'
import { passed } from '../support/accounts-server.ts'
import { accounts } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'

const password = 'correct-horse-battery'
const skip = skipWithout('redis-server')
let redis: RedisServer
let machines: Machines
const names = ['even', 'uneven', 'killed', 'restarted', 'open', 'moved', 'given', 'both', 'hung'] as const
const traders = ['busy', 'busier', 'busiest'] as const
let keys: Record<(typeof names)[number] | (typeof traders)[number], string>

before(async () => {
  if (skip) return
  redis = await startRedis(password)
  machines = new Machines(redis.url)
  keys = { ...(await machines.accounts(names)), ...(await machines.accounts(traders, 'trader')) }
})

after(() => redis?.stop())

describe('a shared quota', { skip }, () => {
  for (const [name, shares] of Object.entries({ even: [400, 400], uneven: [700, 90, 10] } as const)) {
    it(`is exact over ${shares.length} servers, requests ${name}`, async () => {
      const running = await machines.startMany(shares.length, { THREADS: '2' })
      const lefts = await Promise.all(
        shares.map(async (share, i) => [
          ...(await running[i]!.take(keys[name as 'even'], share / 2, 0)),
          ...(await running[i]!.take(keys[name as 'even'], share / 2, 1)),
        ]),
      )
      const total = lefts.reduce((sum, taken) => sum + passed(taken), 0)
      assert.ok(total <= 200, `${total} got through`)
      assert.equal(total + (await drain(running, keys[name as 'even'])), 200)
      await stop(running)
    })
  }

  it('loses at most one lease of a server that is killed', async () => {
    const running = await machines.startMany(3)
    const taken = await Promise.all(running.map((server) => server.take(keys.killed, 30)))
    await running[0]!.kill('SIGKILL')
    const rest = running.slice(1)
    const total = taken.reduce((sum, lefts) => sum + passed(lefts), 0) + (await drain(rest, keys.killed))
    assert.ok(total <= 200 && total >= 200 - 25, `${total} got through`)
    await stop(rest)
  })

  it('survives a Redis that restarts and has forgotten everything', async () => {
    const running = await machines.startMany(2)
    let total = 0
    for (const server of running) total += passed(await server.take(keys.restarted, 60))
    assert.equal(total, 120)
    await redis.stop()
    await pause(300)
    await redis.start()
    total += await drain(running, keys.restarted)
    assert.equal(total, 200)
    await stop(running)
    for (const { log } of running) {
      assert.equal(log.split('is away').length, 2, 'logged once')
      assert.equal(log.split('is back').length, 2)
      assert.ok(!log.includes(password))
    }
  })

  it('knows what a killed server had, even if Redis has forgotten it', async () => {
    const [killed, rest] = await machines.startMany(2)
    let total = 0
    for (let i = 0; i < 3; i++) {
      for (const server of [killed!, rest!]) total += passed(await server.take(keys.both, 20))
    }
    await killed!.kill('SIGKILL')
    await redis.stop()
    await redis.start()
    total += await drain([rest!], keys.both)
    assert.ok(total <= 200 && total >= 200 - 25, `${total} got through`)
    await stop([rest!])
  })

  for (const name of traders) {
    it(`is never passed under load, a server killed and Redis restarted meanwhile (${name})`, async () => {
      const running = await machines.startMany(3, { THREADS: '2' })
      let through = 0
      let done = false
      // Uneven: the first server gets most of the requests, in bursts on both of its threads.
      const load = running.map(async (server, i) => {
        while (!done) {
          const bursts = [0, 1].map((thread) => server.take(keys[name], 60 / (i + 1), thread))
          const gone = server.ended.then((): number[][] => [])
          for (const lefts of await Promise.race([Promise.all(bursts), gone])) through += passed(lefts)
          if (server.hasEnded) return
        }
      })
      await pause(300 + Math.random() * 300)
      await running[1]!.kill('SIGKILL')
      await pause(Math.random() * 300)
      await redis.stop()
      await pause(Math.random() * 500)
      await redis.start()
      await pause(3000)
      done = true
      await Promise.all(load)
      const rest = [running[0]!, running[2]!]
      through += await drain(rest, keys[name])
      assert.ok(through <= 10_000, `${through} got through`)
      assert.ok(through >= 10_000 * (1 - 1.5 / 16) - 120, `${through} got through`)
      await stop(rest)
    })
  }

  it('gives back what a stopping server has not used', async () => {
    const first = await machines.start()
    assert.equal(passed(await first.take(keys.given, 60)), 60)
    await stop([first])
    const second = await machines.start()
    assert.equal(await drain([second], keys.given), 140)
    await stop([second])
  })

  it('follows a plan that is changed', async () => {
    const storeDir = machines.newStore()
    const server = await machines.start({}, storeDir)
    assert.equal(passed(await server.take(keys.moved, 300)), 200)
    await accounts(storeDir, 'set-plan', 'moved', 'trader')
    for (let i = 0; i < 100 && (await server.remaining(keys.moved)) !== 9800; i++) await pause(50)
    assert.equal(passed(await server.take(keys.moved, 1000)), 1000)
    await accounts(storeDir, 'set-plan', 'moved', 'free')
    for (let i = 0; i < 100 && (await server.remaining(keys.moved)) !== 0; i++) await pause(50)
    assert.equal(passed(await server.take(keys.moved, 100)), 0)
    assert.equal((await accounts(storeDir, 'usage', 'moved')).at(-1).requests, 1200)
    await server.kill('SIGTERM')
  })
})

describe('without the quota store', { skip }, () => {
  it('lets requests through, each server its quota, where the operator wants it', async () => {
    await redis.stop()
    const server = await machines.start({ QUOTA_FAIL: 'open' })
    assert.equal(passed(await server.take(keys.open, 150)), 150)
    await redis.start()
    await pause(2500)
    assert.equal(150 + (await drain([server], keys.open)), 200)
    await stop([server])
  })

  it('refuses within two seconds if it hangs, and recovers', async () => {
    const server = await machines.start()
    redis.hang()
    const start = Date.now()
    assert.deepEqual(await server.take(keys.hung, 3), [-2, -2, -2])
    assert.ok(Date.now() - start < 2000)
    redis.resume()
    assert.equal(await drain([server], keys.hung), 200)
    assert.equal(server.log.split('is away').length, 2, server.log)
    assert.equal(server.log.split('is back').length, 2)
    await stop([server])
  })

  it('says once that it is away, and starts nevertheless', async () => {
    await redis.stop()
    const server = await machines.start()
    await pause(1500)
    assert.equal(server.log.split('is away').length, 2)
    await stop([server])
    await redis.start()
  })
})
