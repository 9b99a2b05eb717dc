/**
 * A quota that servers share through PostgreSQL, and what happens without it: a server keeps a rest of each account's quota, so that a
 * quiet account is served while the database is away, and returns that.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../src/accounts/registry.ts'
import { moveAccounts } from '../../src/accounts/replication/upload.ts'
import { dayMs } from '../../src/calendar.ts'
import { planNames, plans } from '../../src/plans.ts'
import { deniedMs } from '../../src/quota/leases/lease-manager.ts'
import { Store } from '../../src/store/store.ts'
import { passed } from '../support/accounts-server.ts'
import { someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { accountsIn, Counting, countDown, heldIn, oneServer } from './counting.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const quota = plans.free.requestsPerDay
const nowhere = 'postgres://127.0.0.1:1/none'
const isUp = (server: Counting) => server.host.replication!.isUp

describe('A quota that servers share', { skip, timeout: 300_000 }, () => {
  it('A server that stops gives back its unused lease, which another server can use', async (test) => {
    const { url, held, key, server: first } = await oneServer(test, postgres)
    for (let i = 0; i < 60; i++)
      assert.equal(await first.takeAnswered(key), 199 - i, `left after request ${i + 1} of 200 a day`)
    await until('more is leased than is used', async () => (await held())[0]! > 60)
    await first.close()
    assert.deepEqual(await held(), [60])
    const second = await new Counting().start(url)
    assert.equal(await letInSlowly(second, key, 200), 140)
    await second.close()
  })

  it('A quota is not granted twice when servers begin to share it, or when one of them restarts', async () => {
    const url = await postgres.database()
    const [storeDir, elsewhere] = [temporaryFolder(), temporaryFolder()]
    const store = new Store(storeDir)
    const { key } = createAccount(store, 'acme', 'free', 1)
    await store.close()
    const countOn = async (dir: string, requests: number, databaseUrl?: string) => {
      const server = await new Counting().startOn({ storeDir: dir, databaseUrl })
      const letIn = await letInSlowly(server, key, requests)
      await server.close()
      return letIn
    }
    assert.equal(await countOn(storeDir, 150), 150)
    // The test's clock stands on another day than the one on which the move reports.
    await moveAccounts(storeDir, url)
    assert.equal(await countOn(storeDir, 10, url), 10)
    assert.equal(await countOn(elsewhere, 30, url), 30)
    assert.equal(await countOn(storeDir, 200, url), 10)
    assert.equal(await countOn(elsewhere, 200, url), 0)
  })

  it('A server that starts without the database does not grant a shared quota twice', async () => {
    const url = await postgres.database()
    const { acme } = await accountsIn(url, ['acme'])
    const storeDir = temporaryFolder()
    const first = await new Counting().startOn({ storeDir, databaseUrl: url })
    assert.equal(await letInSlowly(first, acme, 150), 150)
    await first.close()
    const second = await new Counting().startOn({ storeDir, databaseUrl: nowhere, quotaFail: 'open' })
    assert.equal(await second.letIn(acme, 50), 50)
    assert.equal(await second.letIn(acme, 10), 0)
    await second.close()
    const third = await new Counting().startOn({ storeDir, databaseUrl: url })
    assert.equal(await letInSlowly(third, acme, 10), 0)
    await third.close()
  })

  it('A server reports its leases to a database that was restored from an older copy', async (test) => {
    const { url, held, key, server } = await oneServer(test, postgres)
    assert.equal(await server.takeAnswered(key), 199)
    await until('it has asked for more', async () => (await held())[0]! > 2)
    const before = await held()
    await postgres.asks('DELETE FROM card_prices.leases', url.replace(/.*\//, ''))
    await postgres.cut()
    await until('it is reported', async () => (await held()).length === 1)
    assert.deepEqual(await held(), before)
  })

  it('A server whose database is away uses up its leases, then refuses requests, and logs the absence and its end', async (test) => {
    const { key, server } = await oneServer(test, postgres)
    assert.ok((await server.takeAnswered(key)) >= 0)
    await postgres.end()
    const through = await server.letIn(key, 100)
    assert.ok(through >= 1 && through < 30, `${through} were leased`)
    assert.equal(await server.take(key), -2, 'the rest is unavailable')
    assert.equal(isUp(server), false)
    await postgres.begin()
    await until('it is back', () => isUp(server))
    assert.equal(server.log.split('is away').length, 2, 'logged once')
    assert.match(server.log, /is back/)
    assert.ok(!server.log.includes('CHANGE-THIS'))
  })

  it('A server that restarts while the database is away uses what it had leased', async () => {
    const url = await postgres.database()
    const { acme } = await accountsIn(url, ['acme'], 'trader')
    const storeDir = temporaryFolder()
    const first = await new Counting().startOn({ storeDir, databaseUrl: url })
    assert.equal(await letInSlowly(first, acme, 1), 1)
    await until('more is leased', async () => (await heldIn(postgres, url))[0]! > 50)
    const [leased] = await heldIn(postgres, url)
    await postgres.end()
    const used = 1 + (await first.letIn(acme, 9))
    await first.close()
    const second = await new Counting().startOn({ storeDir, databaseUrl: url })
    assert.equal(await second.letIn(acme, 2 * leased!), leased! - used)
    assert.equal(await second.take(acme), -2)
    await second.close()
    await postgres.begin()
    const third = await new Counting().startOn({ storeDir, databaseUrl: url })
    const { requestsPerDay } = plans.trader
    assert.equal(await letInSlowly(third, acme, requestsPerDay), requestsPerDay - leased!)
    await third.close()
  })

  for (const [quotaFail, expected] of [
    ['open', countDown(200, 210)],
    ['closed', new Array<number>(210).fill(-2)],
  ] as const) {
    it(`A server with the accounts and no database lets ${passed(expected)} requests through if QUOTA_FAIL is ${quotaFail}`, async () => {
      const url = await postgres.database()
      const { acme } = await accountsIn(url, ['acme'])
      const storeDir = temporaryFolder()
      await (await new Counting().startOn({ storeDir, databaseUrl: url })).close()
      const server = await new Counting().startOn({ storeDir, databaseUrl: nowhere, quotaFail })
      const lefts: number[] = []
      for (let i = 0; i < 210; i++) lefts.push(await server.take(acme))
      assert.deepEqual(lefts, expected)
      assert.deepEqual([isUp(server), server.host.leases!.questions], [false, 0])
      await server.close()
    })
  }
})

const quietMs = 31_000

/** Nobody asks it for half a minute, and it gives back what it does not keep. */
function keepsAtMost(server: Counting, held: () => Promise<number[]>, used: number, most: number) {
  let moved = Number.NEGATIVE_INFINITY
  return until(`it keeps ${most} at most`, async () => {
    if (performance.now() - moved > 300) {
      server.time.aheadMs += quietMs
      moved = performance.now()
    }
    const granted = (await held()).reduce((sum, one) => sum + one, 0)
    return granted > used && granted <= used + most
  })
}

describe('A lease, of which a server keeps a part', { skip, timeout: 300_000 }, () => {
  for (const plan of someOf(planNames, 1)) {
    it(`A quiet account on the plan ${plan} is served from what its server keeps leased while the database is away`, async (test) => {
      const { held, key, server } = await oneServer(test, postgres, plan)
      const used = 3 + plans[plan].requestsPerDay / 50
      await server.letInAll(key, used)
      const most = plans[plan].requestsPerDay / 100
      await keepsAtMost(server, held, used, most)
      await postgres.end()
      const letIn = await server.letIn(key, 3 * most)
      assert.ok(letIn >= most / 2 && letIn < 3 * most, `${letIn} are let in`)
      assert.equal(await server.take(key), -2)
      await postgres.begin()
      await until('it is back', () => isUp(server))
      await server.close()
      assert.deepEqual(await held(), [used + letIn])
    })
  }

  it('A server gives up the rest of its lease when another server needs the whole quota', async (test) => {
    const { url, held, key, server: quiet } = await oneServer(test, postgres)
    const asked = await new Counting().start(url)
    await quiet.letInAll(key, 1)
    let total = 1
    await keepsAtMost(quiet, held, total, quota / 100)
    await until('the whole quota is used', async () => {
      total += await asked.letIn(key, 20)
      return total >= quota
    })
    assert.equal(total + (await asked.letIn(key, 5)) + (await quiet.letIn(key, 5)), quota)
    assert.deepEqual((await held()).sort(), [1, quota - 1].sort())
    await asked.close()
  })
})

describe('A refused account', { skip, timeout: 300_000 }, () => {
  it('An account refused for a silent database is refused at once from then on, and accepted once the database is back', async (test) => {
    const { key, server } = await oneServer(test, postgres)
    postgres.hang()
    try {
      assert.equal(await server.take(key), -2)
      await until('it is away', () => !isUp(server))
      await pause(deniedMs + 100)
      const { waits } = server
      assert.equal(await server.take(key), -2)
      assert.equal(server.waits, waits, 'it did not wait')
    } finally {
      postgres.resume()
    }
    await until('it is back', () => isUp(server))
    assert.equal(await server.takeAnswered(key), quota - 1)
  })

  it('An account refused because another server held its quota is accepted once that server gave it back', async (test) => {
    const { url, key, server } = await oneServer(test, postgres)
    const name = url.replace(/.*\//, '')
    await postgres.asks("INSERT INTO card_prices.leases VALUES ('2026-11-21', 0, 'x', 'another', $1)", name, [quota])
    assert.deepEqual([await server.takeAnswered(key), await server.takeAnswered(key)], [-1, -1])
    await postgres.asks("UPDATE card_prices.leases SET granted = 0 WHERE process = 'another'", name)
    await pause(deniedMs + 100)
    assert.ok((await server.takeAnswered(key)) >= 0)
  })
})

it('A server asks for the leases of 600 accounts in under 200 exchanges, and gives unused ones back when it stops', {
  skip,
}, async () => {
  const url = await postgres.database()
  const names = Array.from({ length: 600 }, (_, i) => `one of many ${i}`)
  const keys = await accountsIn(url, names)
  const server = await new Counting().start(url)
  server.stopClock()
  const left = await Promise.all(names.map((name) => server.takeAnswered(keys[name]!)))
  assert.ok(left.every((each) => each === quota - 1))
  const database = url.replace(/.*\//, '')
  const [{ exchanges }] = await postgres.asks(
    'SELECT max(exchange)::int AS exchanges FROM card_prices.lessees',
    database,
  )
  assert.ok(exchanges < 200, `${exchanges} exchanges`)
  await server.close()
  const rows = await postgres.asks('SELECT DISTINCT granted FROM card_prices.leases', database)
  assert.deepEqual(rows, [{ granted: 1 }])
})

it('A lease that arrives after midnight is not used, and the quotas of both days stay whole', {
  skip,
}, async (test) => {
  const { key, server } = await oneServer(test, postgres)
  const questions = () => server.host.leases!.questions
  postgres.hang()
  const late = server.take(key)
  // The question is on its way when the clock is set: the answer finds another day's lease in use.
  await until('it is asked', () => questions() > 0)
  server.time.wall += dayMs
  const next = server.take(key)
  postgres.resume()
  assert.deepEqual(await Promise.all([late, next]), [quota - 1, quota - 2])
  server.time.wall -= dayMs
  assert.equal(await letInSlowly(server, key, quota + 1), quota)
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
