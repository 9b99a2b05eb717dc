/** Lists that grow: each page of them is read by an index, and equals what a scan of everything finds. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import * as registry from '../../src/accounts/registry.ts'
import { foldName } from '../../src/names/fold.ts'
import { planNames } from '../../src/plans.ts'
import { countAccounts, findAccounts } from '../../src/store/account-search.ts'
import { type NumberedEntry, Store } from '../../src/store/store.ts'
import { type Account, type AuditAction, auditActions } from '../../src/store/store-records.ts'
import { temporaryFolder } from '../support/command.ts'

const now = Date.UTC(2026, 10, 20)

/** Numbers that look random, and are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

describe('The lists of the store', () => {
  const store = new Store(temporaryFolder())
  after(() => store.close())
  const random = seeded(75)
  const { database } = store

  store.write(() => {
    for (let i = 0; i < 2500; i++) {
      const name = `${['Acme', 'Café', 'zebra', 'Ägir'][random(4)]} ${i}`
      registry.addAccount(store, name, planNames[random(3)]!, now)
      if (random(4) === 0) registry.suspendAccount(store, name, undefined, now)
      if (random(10) === 0) registry.deleteAccount(store, name, now)
    }
    for (let i = 0; i < 300; i++) {
      const { keyId } = registry.createKey(store, 'Busy', { name: `${i}`, expiresAt: keyExpiry(i) }, now)
      if (i % 3 !== 0) registry.revokeKey(store, keyId, now - random(200) * 86_400_000)
    }
    for (let i = 0; i < 3000; i++) {
      const [action, account] = [auditActions[random(4)]!, store.account(random(6))]
      store.as(random(2) === 0 ? 'command me' : 'page them', () =>
        store.record({ action, account }, now - random(50) * 3_600_000),
      )
    }
  })

  const busy = store.accountNumber('Busy')!

  function keyExpiry(i: number): number | null {
    if (i === 0) registry.addAccount(store, 'Busy', 'free', now)
    return i % 3 === 0 && i > 15 ? now - random(200) * 86_400_000 : null
  }

  /** Runs `read`, and asserts that no statement of it scans a table, or sorts. */
  function byIndex<T>(read: () => T): T {
    const statements: string[] = []
    const all = database.all.bind(database)
    const get = database.get.bind(database)
    database.all = (sql, ...values) => all(note(sql), ...values)
    database.get = (sql, ...values) => get(note(sql), ...values)
    function note(sql: string): string {
      statements.push(sql)
      return sql
    }
    let result: T
    try {
      result = read()
    } finally {
      Object.assign(database, { all, get })
    }
    assert.ok(statements.length > 0)
    for (const sql of statements) {
      const plan = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail)
      const slow = plan.filter((step) => /^SCAN (?!accounts USING INDEX|account_counts)|TEMP B-TREE/.test(step))
      assert.deepEqual(slow, [], sql)
    }
    return result
  }

  const accounts = [...store.allAccounts()].filter(({ deletedAt }) => deletedAt === null)
  const inOrder = accounts.toSorted((a, b) => {
    const [one, other] = [foldName(a.name), foldName(b.name)]
    return one === other ? a.number - b.number : one < other ? -1 : 1
  })

  it('The list of accounts is what a scan of all names finds, in both directions', () => {
    for (const text of ['', 'CAFE', '7', 'nobody'])
      for (const plan of [undefined, 'trader'] as const)
        for (const isSuspended of [undefined, true, false])
          for (const isBackward of [false, true])
            for (const from of [undefined, inOrder[1234]!.number, inOrder[0]!.number]) {
              const [begin, end] = isBackward
                ? [0, from === undefined ? inOrder.length : inOrder.findIndex(({ number }) => number === from)]
                : [from === undefined ? 0 : inOrder.findIndex(({ number }) => number === from) + 1, inOrder.length]
              const expected = inOrder
                .slice(begin, end)
                .filter(({ name }) => foldName(name).includes(foldName(text)))
                .filter((account) => plan === undefined || account.plan === plan)
                .filter(({ suspendedAt }) => isSuspended === undefined || (suspendedAt !== null) === isSuspended)
              const steps = byIndex(() => [...findAccounts(store, { text, plan, isSuspended }, from, isBackward)])
              assert.deepEqual(steps.flat(), isBackward ? expected.toReversed() : expected)
            }
  })

  it('The counts of accounts by plan and state stay right when accounts change plan, are replaced or are deleted', () => {
    const counts = () => {
      const live = database.all<Account>('SELECT plan, suspended_at FROM accounts WHERE deleted_at IS NULL')
      for (const plan of [undefined, ...planNames])
        for (const isSuspended of [undefined, true, false]) {
          const expected = live
            .filter((account) => plan === undefined || account.plan === plan)
            .filter(({ suspendedAt }) => isSuspended === undefined || (suspendedAt !== null) === isSuspended)
          assert.equal(
            byIndex(() => countAccounts(store, { plan, isSuspended })),
            expected.length,
          )
        }
    }
    counts()
    const [first, second] = inOrder
    registry.setPlan(store, first!.name, first!.plan === 'free' ? 'business' : 'free', now)
    counts()
    // A copy of shared accounts replaces rows so, also those that have only the name in common.
    database.run('INSERT OR REPLACE INTO accounts SELECT * FROM accounts WHERE number < 1500')
    counts()
    database.run(
      "INSERT OR REPLACE INTO accounts SELECT 99999, name, folded_name, 'business', created_at, NULL, NULL, NULL FROM accounts WHERE number = ?",
      second!.number,
    )
    counts()
    database.run('DELETE FROM accounts WHERE number >= 2000')
    counts()
  })

  it('The list of keys has live ones, and those that ended in the last 90 days by their end', () => {
    const all = registry.listKeys(store, busy, now)
    const ended = all.filter((key) => !registry.isLive(key, now))
    const expected = ended.toSorted((a, b) => registry.endOf(b) - registry.endOf(a) || b.number - a.number)
    assert.ok(expected.length > 80)
    const found = []
    for (let offset = 0; offset < expected.length + 50; offset += 50)
      found.push(...byIndex(() => registry.listEndedKeys(store, busy, now, { limit: 50, offset })))
    assert.deepEqual(found, expected)
    const live = store.liveKeysOf(busy, now).map(({ number }) => number)
    assert.deepEqual(
      live,
      all.filter((key) => registry.isLive(key, now)).map(({ number }) => number),
    )
  })

  it('The audit log is listed by account, action and time, and changes made on pages are counted', () => {
    const everything = database
      .all<{ number: number; time: number; action: string; accountNumber: number; actor: string }>(
        'SELECT number, time, action, account_number, actor FROM audit_log',
      )
      .toSorted((a, b) => b.time - a.time || b.number - a.number)
    for (const account of [undefined, 0, 3, 77])
      for (const action of [undefined, ...auditActions.slice(0, 2)] as (AuditAction | undefined)[])
        for (const since of [0, now - 20 * 3_600_000, now + 1]) {
          const expected = everything
            .filter(({ time }) => time >= since)
            .filter((entry) => account === undefined || entry.accountNumber === account)
            .filter((entry) => action === undefined || entry.action === action)
          const found: NumberedEntry[] = []
          for (let before: NumberedEntry | undefined; ; before = found.at(-1)) {
            const some = byIndex(() => store.auditEntries({ account, action, since, before }, 500))
            found.push(...some)
            if (some.length < 500) break
          }
          assert.deepEqual(
            found.map(({ number }) => number),
            expected.map(({ number }) => number),
          )
          if (account === undefined || action === undefined) continue
          const ofPages = expected.filter(({ actor }) => actor.startsWith('page '))
          assert.equal(
            byIndex(() => store.changesOnPages(account, action, since)),
            ofPages.length,
          )
        }
  })
})
