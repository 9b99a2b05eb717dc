/** A quota that servers share through Redis, and what happens without it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { deniedMs } from '../../src/quota/leases/lease-manager.ts'
import { passed } from '../support/accounts-server.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { Counting, Machines, noon, oneServer, ownStore } from './counting.ts'

const password = 'correct-horse-battery'
const skip = skipWithout('redis-server')

/** Each waits much of its time. */
describe('a quota that servers share', { skip, concurrency: true, timeout: 60_000 }, () => {
  it('gives back at a stop what nobody has used, so that another server can', async (test) => {
    const { redis, held } = await ownStore(test)
    const machines = new Machines()
    const { given } = await machines.accounts(['given'])
    const first = await new Counting().start(machines, redis.url)
    for (let i = 0; i < 60; i++)
      assert.equal(await first.take(given), 199 - i, `left after request ${i + 1} of 200 a day`)
    const [leased] = await held('given')
    assert.ok(leased! > 60, `${leased} are leased: more than are used`)
    await first.close()
    assert.deepEqual(await held('given'), [60])
    const second = await new Counting().start(machines, redis.url)
    let total = 0
    // A refused amount is requested again.
    for (let quiet = 0; quiet < 2; ) {
      const now = await second.letIn(given, 200)
      total += now
      quiet = now === 0 ? quiet + 1 : 0
      await pause(deniedMs + 100)
    }
    assert.equal(total, 140)
    await second.close()
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
    const { redis } = await ownStore(test, password)
    const machines = new Machines()
    const { away, late } = await machines.accounts(['away', 'late'])
    const server = await new Counting().start(machines, redis.url)
    assert.ok((await server.take(away)) >= 0)
    await redis.stop()
    const lefts: number[] = []
    for (let i = 0; i < 100; i++) lefts.push(await server.take(away))
    const through = passed(lefts)
    assert.ok(through >= 1 && through < 30, `${through} were leased`)
    assert.ok(
      lefts.slice(through).every((left) => left === -2),
      'the rest is unavailable',
    )
    assert.equal(await server.take(late), -2, 'an account without a lease too')
    await redis.start()
    await until('it is back', () => server.host.leases!.isStoreUp)
    assert.equal(server.log.split('is away').length, 2, 'logged once')
    assert.ok(!server.log.includes(password))
    await server.close()
  })
})

for (const [quotaFail, through, then] of [
  ['open', 200, -1],
  ['closed', 0, -2],
] as const) {
  it(`${quotaFail}: a server that has never seen the quota store lets ${through} through`, { skip }, async () => {
    const machines = new Machines()
    const { solo } = await machines.accounts(['solo'])
    const server = await new Counting().start(machines, 'redis://127.0.0.1:1', quotaFail)
    const lefts: number[] = []
    for (let i = 0; i < 210; i++) lefts.push(await server.take(solo))
    const expected = [
      ...Array.from({ length: through }, (_, i) => 199 - i),
      ...new Array<number>(210 - through).fill(then),
    ]
    assert.deepEqual(lefts, expected)
    assert.deepEqual([server.host.leases?.isStoreUp, server.host.leases?.questions], [false, 0])
    await server.close()
  })
}
