/** Three servers behind HAProxy, with Redis and nginx: their promises together, each as a test over one fleet. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plans } from '../../src/plans.ts'
import { accounts } from '../support/command.ts'
import { mustChange } from '../support/fleet/failures.ts'
import { Fleet, type Member, serverCount, skipFleet } from '../support/fleet/fleet.ts'
import { halfLoad, useUp } from '../support/fleet/load.ts'
import { until } from '../support/until.ts'

const servedMsMax = 10_000
/** Before another server is stopped, HAProxy must have seen twice that this one answers. */
const seenUpMs = 2500
const loadAccounts = 8
/** More than a lease lasts where the quota is scarce. */
const givenBackMs = 3000

const callers = 8
const redisAwayMs = 5000
const kills = 2
const revocations = 3

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
    port = fleet.balancer.program.port
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

  it('a change is in force everywhere when its command has returned', async () => {
    for (let i = 0; i < revocations; i++) {
      const [from, other] = [fleet.members[i % serverCount]!, fleet.members[(i + 1) % serverCount]!]
      const { key, keyId } = await mustChange(fleet, from, 'all is well')
      assert.deepEqual(await fleet.askAll(key), [200, 200, 200])
      const { code, stderr } = await fleet.accounts(other, 'revoke', keyId)
      assert.equal(code, 0, stderr)
      assert.deepEqual(await fleet.askAll(key), [401, 401, 401])
    }
  })

  it('a quota lets through what it is, exactly, if no server dies', async () => {
    const { key } = await mustChange(fleet, fleet.members[0]!, 'all is well')
    const limit = plans.free.requestsPerDay
    const letIn = await Promise.all([1, 2, 3].map(() => useUp(port, key, limit + 50, 6)))
    assert.equal(
      letIn.reduce((sum, one) => sum + one, 0),
      limit,
    )
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
    await fleet.redis.program.end('SIGTERM')
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

  it('Redis emptied while it runs: no quota is passed', async () => {
    const { name, key } = await mustChange(fleet, fleet.members[0]!, 'before it is emptied')
    const [one, other] = [fleet.members[0]!, fleet.members[1]!]
    const askOften = async (member: Member, times: number) => {
      let letIn = 0
      for (let i = 0; i < times; i++) if ((await fleet.ask(member, key)) === 200) letIn++
      return letIn
    }
    const used = await askOften(one, 150)
    // It has given back what it did not use: from then on it has no reason to speak of this account.
    await pause(givenBackMs)
    await fleet.redis.asked((redis) => redis.flushall())
    const letIn = used + (await askOften(other, 250))
    assert.ok(letIn > 150 && letIn <= plans.free.requestsPerDay, `${name} was let in ${letIn} times`)
    await until('a copy is pushed', async () => (await fleet.accounts(one, 'push')).code === 0)
  })

  it('Redis restored from an older copy: nothing is merged, and nothing lost', async () => {
    const { redis } = fleet
    const copy = redis.copy()
    const lostOne = await mustChange(fleet, fleet.members[0]!, 'after the copy')
    await redis.program.end('SIGKILL')
    redis.putBack(copy)
    await redis.start()
    for (const member of fleet.members) {
      const { code, stderr } = await fleet.accounts(member, 'create', 'merged', '--plan', 'free')
      assert.equal(code, 1, stderr)
    }
    assert.deepEqual(await fleet.askAll(lostOne.key), [200, 200, 200], 'the servers keep what they have')
    await until('a copy is pushed', async () => (await fleet.accounts(fleet.members[1]!, 'push')).code === 0)
    const { key } = await mustChange(fleet, fleet.members[2]!, 'after the push')
    for (const one of [key, lostOne.key]) assert.deepEqual(await fleet.askAll(one), [200, 200, 200])
  })
})
