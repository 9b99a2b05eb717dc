/** The model of fleets: the same seed gives the same figures, and nothing that was granted is lost sight of. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AccountDay, grantOf } from '../../bench/fleet/account-day.ts'
import { machines } from '../../bench/fleet/costs.ts'
import { demandOf } from '../../bench/fleet/demand.ts'
import { Events } from '../../bench/fleet/events.ts'
import { type FleetPlan, fleetOf } from '../../bench/fleet/fleet.ts'
import { limitsOf, modelled, scheduleOf } from '../../bench/fleet/schedule.ts'
import { fetchedByAll } from '../../bench/fleet/versions.ts'
import { type PlanName, planNames, plans } from '../../src/plans.ts'

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

describe('events', () => {
  it('come by their time, and of one time by their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
        const events = new Events()
        const seen: [number, number][] = []
        for (const [i, time] of times.entries()) {
          events.at(time, () => {
            seen.push([events.now, i])
          })
        }
        events.run()
        const expected = times.map((time, i) => [time, i]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
        assert.deepEqual(seen, expected)
      }),
    )
  })

  it('wait for their turn', () => {
    const events = new Events()
    let came = 0
    events.at(10, () => events.after(5, () => came++))
    events.run(14)
    assert.deepEqual([came, events.now], [0, 14])
    events.run(15)
    assert.equal(came, 1)
  })
})

describe("an account's day in the model", () => {
  const happening = fc.record({
    ms: fc.integer({ min: 0, max: 3000 }),
    server: fc.integer({ min: 0, max: 4 }),
    requests: fc.integer({ min: 0, max: 60 }),
  })

  it('loses nothing and passes no quota, with any requests and any deaths', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PlanName>('free', 'trader'),
        fc.array(happening, { maxLength: 60 }),
        fc.integer({ min: 0, max: 900 }),
        (plan, happenings, questionMs) => {
          const events = new Events()
          const day = new AccountDay(events, plan, questionMs, (server) => server * 90)
          let at = 0
          let asked = 0
          for (const { ms, server, requests } of happenings) {
            at += ms
            asked += requests
            events.at(at, () => {
              for (let i = 0; i < requests; i++) day.request(server)
              if (requests === 0) day.die(server)
            })
          }
          events.run()
          day.assertConserved()
          const refused = day.refusedEarly + day.refusedForLost + day.refusedRightly
          assert.ok(day.letIn <= plans[plan].requestsPerDay)
          // A caller that waited at a server that died has no answer.
          assert.ok(day.letIn + refused <= asked)
          if (happenings.every(({ requests }) => requests > 0)) assert.equal(day.letIn + refused, asked)
        },
      ),
    )
  })

  it('lets in the whole quota, asked of however many servers', () => {
    for (const servers of [1, 3, 40]) {
      const events = new Events()
      const day = new AccountDay(events, 'free', 1)
      for (let i = 0; i < 1000; i++) events.at(i * 200, () => day.request(i % servers))
      events.run()
      assert.equal(day.letIn, 200, `${servers} servers`)
    }
  })

  it('grants a sixteenth of what remains at most, and never more than that', () => {
    assert.deepEqual([grantOf(200, 0, 2), grantOf(200, 0, 50), grantOf(200, 199, 50)], [2, 12, 1])
    assert.deepEqual([grantOf(200, 200, 50), grantOf(200, 0, 0)], [0, 0])
  })
})

describe('demand', () => {
  it('is that of all accounts, however few are looked at', () => {
    for (const samples of [1, 4, 16]) {
      const demand = demandOf(100_000, 100, samples)
      assert.equal(Math.round(sum(demand.accounts.map(({ weight }) => weight))), 100_000)
      const exact = demandOf(100_000, 100, 64)
      assert.ok(Math.abs(demand.wished / exact.wished - 1) < 0.02, `${samples}: ${demand.wished}, ${exact.wished}`)
      assert.deepEqual(new Set(demand.accounts.map(({ plan }) => plan)), new Set(planNames))
    }
  })
})

describe('a version on its way', () => {
  const plan = { seed: 1, bytes: 100e6 }

  it('is sent no faster than its server can', () => {
    for (const servers of [1, 10, 1000]) {
      const { allServe, bytes } = fetchedByAll({ ...plan, servers }, { ...machines, networkBits: 8e9 })
      assert.equal(bytes, servers * 100e6)
      // A gigabyte a second for all, a tenth of it for each.
      const seconds = Math.max(servers * 0.1, 1)
      assert.ok(allServe >= seconds * 1000 && allServe <= seconds * 1000 + 5000 + 2000, `${servers}: ${allServe}`)
    }
  })
})

describe('a fleet', () => {
  const plan = (seed: number, servers: number): FleetPlan => ({
    leases: { seed, servers, serversAnAccount: servers, deathsPerServerDay: 1, questionMs: 1 },
    kept: { accounts: 10_000, keysAnAccount: 1, changesPerSecond: 1 },
    versionBytes: 1e8,
  })
  const demand = demandOf(10_000, 5, 1)

  it('has the same figures by the same seed, and others by another', () => {
    const first = fleetOf(plan(1, 5), demand, machines)
    assert.deepEqual(fleetOf(plan(1, 5), demand, machines), first)
    assert.notDeepEqual(fleetOf(plan(2, 5), demand, machines).leases, first.leases)
  })

  it('lets in and refuses all that is asked', () => {
    const { letIn, refusedEarly, refusedForLost, refusedRightly, requests, lost } = fleetOf(
      plan(1, 5),
      demand,
      machines,
    ).leases
    assert.ok(
      requests - (letIn + refusedEarly + refusedForLost + refusedRightly) <= 10,
      'but for who waited at one that died',
    )
    assert.ok(lost > 0)
  })
})

it('requests at set times are the same by the same seed, and none goes to a dead server', () => {
  const kinds = [{ accounts: 3, plan: 'free', perSecond: 20 }] as const
  const schedule = scheduleOf(5, kinds, 3, 20, 5000)
  assert.deepEqual(scheduleOf(5, kinds, 3, 20, 5000), schedule)
  assert.ok(schedule.requests.every(({ at, server }) => at < 5000 || server !== 2))
  const { letIn, refused } = modelled(schedule, 1, 30_000)
  assert.equal(sum(letIn) + sum(refused), schedule.requests.length)
  assert.ok(letIn.every((count, account) => count <= limitsOf(schedule)[account]!))
  assert.ok(sum(letIn) > 500 && sum(letIn) < 600, 'a killed server costs something')
})
