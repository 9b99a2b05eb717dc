/** Three servers behind HAProxy, with Redis and nginx. Rounds of failures are in fleet-rounds.test.ts. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plans } from '../../src/plans.ts'
import { accounts } from '../support/command.ts'
import { until } from '../support/until.ts'
import { Fleet, serverCount, skipFleet } from './fleet.ts'
import { mustChange } from './fleet-failures.ts'
import { halfLoad, useUp } from './fleet-load.ts'

const servedMsMax = 10_000
/** Before another server is stopped, HAProxy must have seen twice that this one answers. */
const seenUpMs = 2500
const loadAccounts = 8

const callers = 8
const redisAwayMs = 5000
const kills = 2

describe('three servers', { skip: skipFleet }, () => {
  const keys: string[] = []
  let fleet: Fleet
  let port: number
  const lost = (troubles: string, what: string) => assert.equal(troubles, '', `${what} lost no answer`)
  const load = () => halfLoad({ port, keys, callers })

  before(async () => {
    const accountsOf = async (storeDir: string) => {
      for (let i = 0; i < loadAccounts; i++) {
        keys.push((await accounts(storeDir, 'create', `load ${i}`, '--plan', 'business')).key)
      }
    }
    fleet = await Fleet.start(accountsOf, { QUOTA_FAIL: 'open' })
    port = fleet.balancer.port
    await until('HAProxy has found the servers', async () => {
      const [key] = keys
      return (await useUp(port, key!, 3)) === 3
    })
  })

  after(() => fleet?.stop())

  it('a version is served by all within 10 s of `current` being replaced', async (t) => {
    for (const version of fleet.versions.slice(1)) {
      fleet.publish(version)
      const ms = await fleet.untilServed(servedMsMax)
      t.diagnostic(`served by all after ${Math.round(ms)} ms`)
    }
  })

  it('a quota lets through what it is, exactly, if no server dies', async () => {
    const { key } = await mustChange(fleet, fleet.members[0]!, 'all is well')
    const limit = plans.free.requestsPerDay
    const letIn = await Promise.all([1, 2, 3].map(() => useUp(port, key, limit + 50, 6)))
    const actual = letIn.reduce((sum, one) => sum + one, 0)
    assert.equal(actual, limit)
  })

  it('a rolling restart of all three at half load loses no answer', async (t) => {
    const calling = await load()
    for (const member of fleet.members) {
      await fleet.endServer(member, 'SIGTERM')
      await fleet.startServer(member)
      await pause(seenUpMs)
    }
    await calling.stop()
    t.diagnostic(`${calling.count(200)} answers`)
    lost(calling.troubles, 'a rolling restart')
  })

  it('a server that is killed at half load loses no answer', async (t) => {
    const calling = await load()
    for (let i = 0; i < kills; i++) {
      const member = fleet.members[i % serverCount]!
      await pause(500)
      await fleet.endServer(member, 'SIGKILL')
      await pause(1000)
      await fleet.startServer(member)
      await pause(seenUpMs)
    }
    await calling.stop()
    t.diagnostic(`${calling.count(200)} answers`)
    lost(calling.troubles, 'a killed server')
  })

  it('Redis stopped and back loses no answer and no change', async (t) => {
    const before = await mustChange(fleet, fleet.members[0]!, 'before Redis stops')
    const calling = await load()
    await fleet.redis.program.stop()
    await pause(redisAwayMs / 2)
    const { code, stdout, stderr } = await fleet.accounts(fleet.members[1]!, 'create', 'without', '--plan', 'free')
    assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1], stderr)
    assert.deepEqual(await fleet.askAll(before.key), [200, 200, 200], 'keys are checked against the copies')
    for (const member of fleet.members) assert.equal(await fleet.served(member), fleet.current, 'it is healthy')
    await pause(redisAwayMs / 2)
    await fleet.redis.start()
    const since = await mustChange(fleet, fleet.members[2]!, 'Redis is back')
    for (const { key } of [before, since]) assert.deepEqual(await fleet.askAll(key), [200, 200, 200])
    await calling.stop()
    t.diagnostic(`${calling.count(200)} answers`)
    lost(calling.troubles, 'Redis stopped')
  })
})
