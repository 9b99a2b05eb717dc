/** A quota that servers share through Redis, and what happens without it. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Redis } from 'ioredis'
import pino from 'pino'
import { Gate } from '../../src/accounts/gate.ts'
import { AccountsHost } from '../../src/accounts/host.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { passed } from '../support/accounts-server.ts'
import { drain, Machines, stop } from '../support/machines.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const password = 'correct-horse-battery'
const skip = skipWithout('redis-server')
const names = ['solo', 'shared', 'given', 'forgotten', 'away', 'late'] as const
let redis: RedisServer
let machines: Machines
let keys: Record<(typeof names)[number], string>

before(async () => {
  if (skip) return
  redis = await startRedis(password)
  machines = new Machines(redis.url)
  keys = await machines.accounts(names)
})

after(() => redis?.stop())

it('lets the first request through, and counts down by one each time', { skip }, async () => {
  const server = await machines.start()
  const taken: unknown[] = []
  for (let i = 0; i < 205; i++) taken.push(...(await server.take(keys.solo, 1)))
  assert.deepEqual(taken, [...Array.from({ length: 200 }, (_, i) => 199 - i), -1, -1, -1, -1, -1])
  assert.equal(await server.remaining(keys.solo), 0)
  await stop([server])
  assert.ok(!server.log.includes(password))
})

it('never lets more through than the quota, however the requests are spread', { skip }, async () => {
  const running = await machines.startMany(2, { THREADS: '2' })
  const taken = await Promise.all([
    running[0]!.take(keys.shared, 300, 0),
    running[0]!.take(keys.shared, 300, 1),
    running[1]!.take(keys.shared, 30, 0),
  ])
  const total = taken.reduce((sum, lefts) => sum + passed(lefts), 0)
  assert.equal(total + (await drain(running, keys.shared)), 200)
  // A server tells each of its callers another number, and none that the quota has not.
  for (const lefts of [taken.slice(0, 2).flat(), taken[2]!]) {
    const told = lefts.map(Number).filter((left) => left >= 0)
    assert.equal(new Set(told).size, told.length)
    assert.ok(Math.max(...told) < 200)
  }
  await stop(running)
})

it('gives back at a stop what nobody has used, so that another server can', { skip }, async () => {
  const log = pino({ level: 'silent' })
  const storeDir = machines.newStore()
  const host = await AccountsHost.open({ storeDir, quotaStore: redis.url, log })
  const gate = new Gate(host.shared)
  const access = gate.identify(keys.given)!
  for (let i = 0; i < 60; i++) {
    const left = gate.take(access)
    assert.equal(left === -3 ? (await gate.settle(access)).left : left, 199 - i)
  }
  const client = new Redis(redis.url)
  const held = async () => (await client.hvals(`card-prices:quota:${dateOfDay(dayOfMs(Date.now()))}:given`)).map(Number)
  const [leased] = await held()
  assert.ok(leased! > 60, `${leased} are leased: more than are used`)
  await gate.close()
  await host.close()
  assert.deepEqual(await held(), [60])
  client.disconnect()
  const second = await machines.start()
  assert.equal(await drain([second], keys.given), 140)
  await stop([second])
})

it('tells a quota store that has forgotten all what it holds, as soon as that is back', { skip }, async () => {
  const log = pino({ level: 'silent' })
  const host = await AccountsHost.open({ storeDir: machines.newStore(), quotaStore: redis.url, log })
  const gate = new Gate(host.shared)
  const access = gate.identify(keys.forgotten)!
  assert.deepEqual([host.leases?.storeUp, host.leases?.questions, gate.waits], [true, 0, 0])
  assert.equal(gate.take(access), -3)
  assert.equal((await gate.settle(access)).left, 199)
  assert.deepEqual([host.leases?.storeUp, host.leases?.questions, gate.waits], [true, 1, 1])
  const client = new Redis(redis.url)
  const name = `card-prices:quota:${dateOfDay(dayOfMs(Date.now()))}:forgotten`
  const held = await client.hgetall(name)
  assert.equal(Object.keys(held).length, 1)
  await client.flushall()
  await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await until('it is told', async () => (await client.exists(name)) === 1)
  assert.deepEqual(await client.hgetall(name), held)
  client.disconnect()
  await gate.close()
  await host.close()
})

it('goes on with what is leased while Redis is away, then refuses', { skip }, async () => {
  const server = await machines.start()
  assert.equal(passed(await server.take(keys.away, 1)), 1)
  await redis.stop()
  const lefts = await server.take(keys.away, 100)
  const through = passed(lefts)
  assert.ok(through >= 1 && through < 30, `${through} were leased`)
  assert.ok(
    lefts.slice(through).every((left) => left === -2),
    'the rest is unavailable',
  )
  assert.deepEqual(await server.take(keys.late, 1), [-2], 'an account without a lease too')
  await redis.start()
  assert.equal(server.log.split('is away').length, 2, 'logged once')
  assert.ok(!server.log.includes(password))
  await stop([server])
})

for (const [quotaFail, through, then] of [
  ['open', 200, -1],
  ['closed', 0, -2],
] as const) {
  it(`${quotaFail}: a server that has never seen the quota store lets ${through} through`, { skip }, async () => {
    const log = pino({ level: 'silent' })
    const host = await AccountsHost.open({
      storeDir: machines.newStore(),
      quotaStore: 'redis://127.0.0.1:1',
      quotaFail,
      log,
    })
    const gate = new Gate(host.shared)
    const access = gate.identify(keys.solo)!
    const lefts: number[] = []
    for (let i = 0; i < 210; i++) {
      const left = gate.take(access)
      lefts.push(left === -3 ? (await gate.settle(access)).left : left)
    }
    const expected = [
      ...Array.from({ length: through }, (_, i) => 199 - i),
      ...new Array<number>(210 - through).fill(then),
    ]
    assert.deepEqual(lefts, expected)
    assert.deepEqual([host.leases?.storeUp, host.leases?.questions], [false, 0])
    await gate.close()
    await host.close()
  })
}
