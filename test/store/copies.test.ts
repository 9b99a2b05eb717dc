/** A store hands on snapshots and changes of the tables that servers share, counts and last uses that are not sent, and backups. */
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import * as registry from '../../src/accounts/registry.ts'
import { startSession } from '../../src/accounts/sign-ins.ts'
import { type PlanName, planNames } from '../../src/plans.ts'
import { storeFileName } from '../../src/store/database.ts'
import type { SharedRow } from '../../src/store/shared-rows.ts'
import { Store } from '../../src/store/store.ts'
import { sharedTableNames } from '../../src/store/store-schema.ts'
import { temporaryFolder } from '../support/command.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'

const now = Date.UTC(2026, 10, 20)
const state = { id: '0123456789abcdef', number: 7, mark: '12', whole: true }
/** More rows than one step copies. */
const accountCount = 1200
/** More rows than two changesets have. */
const triedCount = 900

const newStore = () => new Store(temporaryFolder())

const filled = temporaryFolder()
before(() => {
  const store = new Store(filled)
  store.change(() => {
    for (let i = 0; i < accountCount; i++) registry.createAccount(store, `shop ${i}`, planNames[i % 3]!, now)
    startSession(store, 0, now)
    store.putSignInLink(Buffer.from('a'), { account: 0, expiresAt: now, usedAt: null })
  })
  return store.close()
})

/** Each with the same rows. */
function filledStore(): Store {
  const dir = temporaryFolder()
  copyFileSync(join(filled, storeFileName), join(dir, storeFileName))
  return new Store(dir)
}

it('A change that a store only tries is not made there, and its rows make it in another store, even if applied twice', async () => {
  const [from, to] = [newStore(), newStore()]
  from.write(() => from.setSetting('copy', state))
  const tried = from.try(() => {
    for (let i = 0; i < triedCount; i++) registry.createAccount(from, `shop ${i}`, 'free', now)
    for (let i = 0; i < triedCount; i += 2) registry.renameAccount(from, `shop ${i}`, `shop ${5000 - i}`, now)
    return 'done'
  })
  assert.deepEqual([tried.result, tried.copy], ['done', state])
  assert.equal(from.counter('nextAccount'), 0)
  assert.deepEqual(from.try(() => undefined).changes, [])
  const apply = (store: Store) =>
    store.write(() => {
      for (const rows of tried.changes) store.applyShared(rows)
    })
  const { generation } = to
  apply(to)
  assert.ok(to.generation > generation, 'threads look accounts up again')
  assert.equal(to.counter('nextAccount'), triedCount)
  const once = contentsOf(to)
  apply(to)
  assertSameContents(contentsOf(to), once)
  apply(from)
  assertSameContents({ ...contentsOf(from), copy: undefined }, once)
  for (const store of [from, to]) await store.close()
})

it('The shared rows of a store, applied to another one in batches, make it the same and remove its other rows', async () => {
  const [from, to] = [filledStore(), newStore()]
  registry.createAccount(to, 'gone', 'free', now)
  to.write(() => {
    to.addUsage(20_000, 3, 8)
    to.putSession(Buffer.alloc(32, 9), { account: 0, startedAt: 1, lastPageAt: 1 })
  })
  for (const table of sharedTableNames) {
    let after: SharedRow | undefined
    const batches = [...from.database.sharedRows(table, 100), []]
    for (const rows of batches) {
      to.write(() => {
        to.database.removeShared(table, after, rows.at(-1))
        to.applyShared({ table, keys: [], rows })
      })
      after = rows.at(-1) ?? after
    }
  }
  assertSameContents({ ...contentsOf(to), copy: undefined }, { ...contentsOf(from), copy: undefined })
  assert.equal(to.usedOn(20_000, 3), 8)
  for (const store of [from, to]) await store.close()
})

describe('The last uses and counts in the store', () => {
  const usesOf = (store: Store) => store.keysOf(0).map(({ lastUsed }) => lastUsed)

  it('The store of a single server saves last uses and counts, and has none to send', async () => {
    const store = newStore()
    registry.createAccount(store, 'acme', 'free', now)
    assert.deepEqual(usesOf(store), [null])
    store.putKeyUse(0, 5)
    store.putKeyUse(0, 9)
    store.addUsage(20_000, 300, 7)
    store.addUsage(20_000, 300, 2)
    assert.deepEqual([usesOf(store), store.usedOn(20_000, 300), store.usedOn(20_000, 299)], [[9], 9, 0])
    store.addUsage(20_000, 300, -10)
    assert.equal(store.usedOn(20_000, 300), 0, 'more taken back than was counted')
    assert.deepEqual([store.unsentKeyUses(10), store.unsentUsage(10)], [[], []])
    await store.close()
  })

  it('The store of shared accounts has last uses and counts to send until they are marked as sent', async () => {
    const store = newStore()
    store.write(() => store.setSetting('copy', state))
    for (const key of [0, 1]) store.putKeyUse(key, 5)
    for (const day of [20_000, 20_001]) store.addUsage(day, 1, 7)
    const [uses, blocks] = [store.unsentKeyUses(10), store.unsentUsage(10)]
    assert.deepEqual([uses.length, blocks.map(({ day }) => day), store.firstUnsentDay()], [2, [20_001, 20_000], 20_000])
    // Meanwhile there are more.
    store.putKeyUse(1, 6)
    store.addUsage(20_001, 1, 1)
    store.markKeyUsesSent(uses)
    store.markUsageSent(blocks)
    assert.deepEqual(store.unsentKeyUses(10), [{ key: 1, second: 6 }])
    assert.deepEqual([store.unsentUsage(10).length, store.firstUnsentDay()], [1, 20_001])
    store.markUnsent(20_000)
    assert.deepEqual([store.unsentKeyUses(1).length, store.unsentKeyUses(10).length], [1, 2])
    assert.deepEqual([store.unsentUsage(1).length, store.unsentUsage(10).length], [1, 2])
    const id = store.serverId()
    store.becomeAnotherServer()
    assert.deepEqual([store.unsentUsage(10), store.usedOn(20_000, 1)], [[], 0])
    assert.notEqual(store.serverId(), id)
    await store.close()
  })
})

it('A backup copy of a store has all rows of its moment', async () => {
  const store = filledStore()
  store.putKeyUse(0, 5)
  const dir = temporaryFolder()
  await store.database.copyTo(join(dir, 'accounts.db'))
  const before = contentsOf(store)
  registry.createAccount(store, 'later', 'free', now + 1)
  const log = [...store.auditLog(undefined, now)]
  const actual = log.map(({ length }) => length)
  assert.deepEqual(actual, [1000, 1000, 2 * accountCount + 2 - 2000])
  const entries = log.flat().map(({ action, account }) => `${action} ${account}`)
  assert.deepEqual(
    entries.toReversed().slice(0, -2),
    before.audit_log.map(({ action, account }) => `${action} ${account}`),
  )
  assert.deepEqual(
    [[...store.auditLog(0, 0)].flat().length, [...store.auditLog(undefined, now + 1)].flat().length],
    [2, 2],
  )
  const copy = new Store(dir)
  assertSameContents(contentsOf(copy), before)
  assert.deepEqual(copy.keysOf(0), store.keysOf(0))
  for (const each of [store, copy]) await each.close()
})

it('The store counts accounts and live keys by plan', async () => {
  const store = newStore()
  const create = (name: string, plan: PlanName) => registry.createAccount(store, name, plan, now).keyId
  for (const name of ['one', 'two']) create(name, 'free')
  registry.revokeKey(store, create('revoked', 'free'), now)
  registry.createKey(store, 'two', { name: 'short', expiresAt: now + 1000 }, now)
  create('suspended', 'trader')
  registry.suspendAccount(store, 'suspended', undefined, now)
  create('gone', 'trader')
  registry.deleteAccount(store, 'gone', now)
  for (const [at, liveKeys] of [
    [now + 999, 3],
    [now + 1000, 2],
  ] as const) {
    const counts = Object.entries(store.countByPlan(at)).map(([plan, found]) => [plan, found.accounts, found.liveKeys])
    assert.deepEqual(counts, [
      ['free', 3, liveKeys],
      ['trader', 1, 1],
      ['business', 0, 0],
    ])
  }
  await store.close()
})
