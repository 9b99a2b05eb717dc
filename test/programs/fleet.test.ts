/** Three servers behind HAProxy, with PostgreSQL and nginx. Rounds of failures are in fleet-rounds.test.ts. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plans } from '../../src/plans.ts'
import { accounts } from '../support/command.ts'
import { until } from '../support/until.ts'
import { Fleet, serverCount, skipFleet } from './fleet.ts'
import { type MadeKey, mustChange } from './fleet-failures.ts'
import { halfLoad, useUp } from './fleet-load.ts'

/** Ten times what is promised: the machine of the tests is busy with much else. */
const servedMsMax = 100_000
/** Before another server is stopped, HAProxy must have seen twice that this one answers. */
const seenUpMs = 2500
const loadAccounts = 8

const callers = 8
const awayMs = 5000
const kills = 2

describe('Three servers behind a balancer', { skip: skipFleet }, () => {
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

  it('All three servers serve a new version soon after `current` is replaced', async (t) => {
    for (const version of fleet.versions.slice(1)) {
      fleet.publish(version)
      const ms = await fleet.untilServed(servedMsMax)
      t.diagnostic(`served by all after ${Math.round(ms)} ms`)
    }
  })

  it('Three servers let exactly a quota of requests through if none dies', async () => {
    const losses = () =>
      fleet.members.reduce((sum, { service }) => sum + service!.log().split(' is away: ').length - 1, 0)
    const limit = plans.free.requestsPerDay
    // With QUOTA_FAIL=open, a server that PostgreSQL has not answered for a second may let more through.
    for (let tries = 1; ; tries++) {
      const lossesBefore = losses()
      const { key } = await mustChange(fleet, fleet.members[0]!, `all is well ${tries}`)
      const letIn = await Promise.all([1, 2, 3].map(() => useUp(port, key, limit + 50, 6)))
      const actual = letIn.reduce((sum, one) => sum + one, 0)
      if (losses() !== lossesBefore && tries < 4) continue
      assert.equal(actual, limit)
      return
    }
  })

  it('A rolling restart of three servers at half load loses no response', async (t) => {
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

  it('A server that is killed at half load loses no response', async (t) => {
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

  it('Three servers lose no response and no change while PostgreSQL is stopped', async (t) => {
    const before = await mustChange(fleet, fleet.members[0]!, 'before PostgreSQL stops')
    const calling = await load()
    await fleet.postgres.end()
    await pause(awayMs / 2)
    const { code, stdout, stderr } = await fleet.accounts(fleet.members[1]!, 'create', 'without', '--plan', 'free')
    assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1], stderr)
    assert.deepEqual(await fleet.askAll(before.key), [200, 200, 200], 'keys are checked against the copies')
    for (const member of fleet.members) assert.equal(await fleet.served(member), fleet.current, 'it is healthy')
    await pause(awayMs / 2)
    await fleet.postgres.begin()
    const since = await mustChange(fleet, fleet.members[2]!, 'PostgreSQL is back')
    for (const { key } of [before, since]) assert.deepEqual(await fleet.askAll(key), [200, 200, 200])
    await calling.stop()
    t.diagnostic(`${calling.count(200)} answers`)
    lost(calling.troubles, 'PostgreSQL stopped')
  })

  it('A failover to a synchronous standby on a slow network loses no response, and no change whose command exited with 0', async (t) => {
    for (const { line } of fleet.members) line.set('slow')
    await fleet.addStandby()
    await fleet.postgres.waitForStandby()
    const calling = await load()
    const made: MadeKey[] = []
    let hasFailedOver = false
    const changing = (async () => {
      while (!hasFailedOver) made.push(await mustChange(fleet, fleet.members[1]!, 'PostgreSQL fails over'))
    })()
    await until('changes were made', () => made.length > 1)
    await fleet.postgres.end('SIGKILL')
    await pause(awayMs / 2)
    await fleet.failOver()
    const before = made.length
    await until('changes are made again', () => made.length > before + 1, servedMsMax)
    hasFailedOver = true
    await changing
    for (const { name, key } of made) assert.deepEqual(await fleet.askAll(key), [200, 200, 200], name)
    await calling.stop()
    for (const { line } of fleet.members) line.set('whole')
    t.diagnostic(`${calling.count(200)} answers, ${before} changes before it, ${made.length - before} after it`)
    lost(calling.troubles, 'a failover')
  })

  it('After a failover to a standby that lacks changes, servers wait until a copy is pushed, and no response is lost', async (t) => {
    const standby = await fleet.addStandby()
    await standby.end()
    const lacking = await mustChange(fleet, fleet.members[0]!, 'the standby does not follow')
    const calling = await load()
    await fleet.postgres.end('SIGKILL')
    await standby.begin()
    await fleet.failOver()
    for (const { service } of fleet.members) await service!.logs(/ is older, with \d+ changes, than this copy with \d+/)
    const refused = await fleet.accounts(fleet.members[1]!, 'create', 'refused', '--plan', 'free')
    assert.deepEqual([refused.code, /is older/.test(refused.stderr)], [1, true], refused.stderr)
    assert.deepEqual(await fleet.askAll(lacking.key), [200, 200, 200], 'keys are checked against the copies')
    const pushed = await fleet.accounts(fleet.members[2]!, 'push')
    assert.equal(pushed.code, 0, pushed.stderr)
    const since = await mustChange(fleet, fleet.members[1]!, 'a copy was pushed')
    for (const { key } of [lacking, since]) assert.deepEqual(await fleet.askAll(key), [200, 200, 200])
    await calling.stop()
    t.diagnostic(`${calling.count(200)} answers`)
    lost(calling.troubles, 'a failover')
  })
})
