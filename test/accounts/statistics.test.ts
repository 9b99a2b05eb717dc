/** Accounts and keys by plan, compared with a plain walk through the store. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import * as registry from '../../src/accounts/registry.ts'
import { AccountStatistics } from '../../src/accounts/statistics.ts'
import { planNames } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

const now = Date.UTC(2026, 10, 20)
const store = new Store(temporaryFolder())
after(() => store.close())

function reference(at: number) {
  const counted = Object.fromEntries(planNames.map((plan) => [plan, { accounts: 0, liveKeys: 0 }]))
  for (const { number, plan, deletedAt } of store.allAccounts()) {
    if (deletedAt !== null) continue
    counted[plan]!.accounts++
    for (const { expiresAt, revokedAt } of registry.listKeys(store, number, at)) {
      if (revokedAt === null && (expiresAt === null || at < expiresAt)) counted[plan]!.liveKeys++
    }
  }
  return counted
}

const figures = ({ counted }: AccountStatistics) =>
  Object.fromEntries(
    planNames.map((plan) => [plan, { accounts: counted![plan].accounts, liveKeys: counted![plan].liveKeys }]),
  )

it('counts as a walk through all of them does, after each change, and when keys have expired', async () => {
  const statistics = new AccountStatistics(store)
  assert.equal(statistics.counted, undefined)
  statistics.refresh(now)
  assert.deepEqual(figures(statistics), reference(now))
  const make = (i: number) => {
    const name = `a${i}`
    const { keyId } = registry.createAccount(store, name, planNames[i % 3]!, now)
    if (i % 5 === 0) registry.createKey(store, name, 'short', now + 60_000, now)
    if (i % 7 === 0) registry.revokeKey(store, keyId, now)
    if (i % 11 === 0 && i % 7 !== 0) registry.regenerateKey(store, keyId, now)
    if (i % 13 === 0) registry.suspendAccount(store, name, undefined, now)
    if (i % 250 === 0) registry.deleteAccount(store, name, now)
  }
  // One wait for the disk, not one a change.
  store.write(() => {
    for (let i = 0; i < 2500; i++) make(i)
  })
  for (const at of [now, now + 120_000]) {
    await until('the next count may begin', () => {
      statistics.refresh(at)
      return isDeepStrictEqual(figures(statistics), reference(at))
    })
    assert.equal(statistics.counted!.free.accounts, 830)
  }
})
