/** Servers that share accounts, without a store between them: changes as bytes, replicas that follow them, and their waits. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount, listKeys, revokeKey } from '../../src/accounts/registry.ts'
import { Replica, refuseOwnAccounts } from '../../src/accounts/replication/replica.ts'
import { lackingServers, type ServerStatus } from '../../src/accounts/replication/servers.ts'
import { type Change, changesAfter, newMark } from '../../src/accounts/replication/shared-store.ts'
import { replicationGapMsMax } from '../../src/accounts/replication/timing.ts'
import { FreshnessLease, invalidateThreads, reserveAccounts } from '../../src/accounts/shared.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const start = { id: '0123456789abcdef', number: 1, mark: newMark(), whole: true }

const newCopy = (): Replica => new Replica(new Store(temporaryFolder()))

function copyAt(): { store: Store; copy: Replica } {
  const copy = newCopy()
  copy.store.write(() => copy.store.setSetting('copyOf', start))
  return { store: copy.store, copy }
}

/** The change that `action` would make, as the store that servers share has it. */
function changesOf({ store, state }: Replica, action: () => unknown): Change[] {
  const { changesets } = store.try(action)
  return changesAfter(state!, changesets)
}

/** Makes one copy anew from another's rows. */
const replaceBy = (copy: Replica, from: Replica, at = from.state!): Promise<void> =>
  copy.replace(at.id, at, async (file) => void from.store.snapshotTo(file))

describe('a copy', () => {
  it('is no longer changed by who comes second, nor by who has begun before another did', async () => {
    const { store, copy } = copyAt()
    const made = changesOf(copy, () => createAccount(store, 'acme', 'free', 1))
    copy.apply(start, made)
    const once = contentsOf(store)
    copy.apply(start, made)
    assert.deepEqual([contentsOf(store), copy.state!.number], [once, 2])

    const [old, newer] = [copyAt(), copyAt()]
    newer.copy.apply(
      start,
      changesOf(newer.copy, () => createAccount(newer.store, 'other', 'free', 1)),
    )
    await copy.replace(start.id, { number: 9, mark: newMark() }, async (file) => {
      // Meanwhile another process copies everything.
      await replaceBy(copy, newer.copy, { ...newer.copy.state!, number: 10 })
      old.store.snapshotTo(file)
    })
    assert.deepEqual([copy.state!.number, copy.state!.whole], [10, true])
    assert.deepEqual({ ...contentsOf(store), copy: 0 }, { ...contentsOf(newer.store), copy: 0 })
    await Promise.all([store, old.store, newer.store].map((each) => each.close()))
  })

  it('whose rows are others than a change expects is made anew, and is not changed before', async () => {
    const { store, copy } = copyAt()
    const made = changesOf(copy, () => createAccount(store, 'acme', 'free', 1))
    copy.apply(start, made)
    const revoking = changesOf(copy, () => revokeKey(store, listKeys(store, 0)[0]!.keyId, 1))
    for (const [what, statement] of [
      ['a row is missing', 'DELETE FROM keys'],
      ['a row is another', 'UPDATE keys SET revoked_at = 5'],
      [
        'a row is there already',
        "INSERT INTO audit_log SELECT max(number) + 1, 1, 'x', 'y', 0, '', '', '' FROM audit_log",
      ],
    ] as const) {
      const broken = newCopy()
      await replaceBy(broken, copy)
      broken.store.database.run(statement)
      const before = contentsOf(broken.store)
      const message = `${broken.store.dir}/accounts.db differs from what a change expects: it is copied again`
      assert.throws(() => broken.apply(broken.state!, revoking), { message }, what)
      const { copy: at, ...rows } = contentsOf(broken.store)
      assert.deepEqual(at, { ...before.copy, whole: false })
      assert.deepEqual({ ...rows, copy: before.copy }, before)
      await replaceBy(broken, copy)
      assertSameContents(contentsOf(broken.store), contentsOf(store))
      await broken.store.close()
    }
    const message = "the accounts' store holds a damaged change: push a replica (card-prices accounts push)"
    for (const bytes of [40, revoking[0]!.changeset.length - 1]) {
      const cut = [{ ...revoking[0]!, changeset: revoking[0]!.changeset.subarray(0, bytes) }]
      const before = contentsOf(store)
      assert.throws(() => copy.apply(copy.state!, cut), { message }, `cut after ${bytes} bytes`)
      assertSameContents(contentsOf(store), before)
    }
    await store.close()
  })

  it('that is not whole says so, and is there if it was once', async () => {
    const broken = () => Promise.reject(new AccountsError('the store is away'))
    const { store, copy } = copyAt()
    await assert.rejects(copy.replace(start.id, { number: 7, mark: '1' }, broken), /is away/)
    assert.deepEqual([copy.state!.whole, copy.state!.number, copy.hasData], [false, 1, true])
    const first = newCopy()
    await assert.rejects(first.replace(start.id, { number: 7, mark: '1' }, broken), /is away/)
    assert.deepEqual([first.state!.whole, first.hasData], [false, false])
    const actual = readdirSync(store.dir).filter((name) => name.endsWith('.tmp'))
    assert.deepEqual(actual, [])
    await Promise.all([store.close(), first.store.close()])
  })

  it('is changed by nobody else', async () => {
    const { store } = copyAt()
    assert.throws(() => createAccount(store, 'acme', 'free', 1), {
      message: 'the accounts here are a replica of shared accounts: set ACCOUNTS_STORE to change them',
    })
    refuseOwnAccounts(store)
    await store.close()
    const own = new Store(temporaryFolder())
    refuseOwnAccounts(own)
    createAccount(own, 'acme', 'free', 1)
    const reason =
      'has accounts of its own, which are not in ACCOUNTS_STORE: move them there by card-prices accounts move'
    const message = `the store ${own.dir} ${reason}, or set another STORE_DIR`
    assert.throws(() => refuseOwnAccounts(own), { message })
    await own.close()
  })
})

it('servers that live are waited for: heard of, connected, or of a store that was just started', () => {
  const server = (silentMs: number, isConnected: boolean, number = 6, store = 'ours'): ServerStatus => ({
    address: 'web:8080',
    store,
    number,
    nextAccount: 0,
    nextKey: 0,
    silentMs,
    isConnected,
  })
  const cases: readonly [ServerStatus, runsMs: number, isWaitedFor: boolean][] = [
    [server(100, true), 60_000, true],
    [server(100, true, 7), 60_000, false],
    [server(100, true, 8), 60_000, false],
    [server(100, true, 8, 'other'), 60_000, true],
    [server(100, true, -1, '-'), 60_000, true],
    [server(3000, false), 60_000, true],
    [server(4000, false), 60_000, false],
    [server(60_000, true), 60_000, true],
    [server(60_000, false), 5000, true],
    [server(60_000, false), 11_000, false],
  ]
  for (const [found, runsMs, isWaitedFor] of cases) {
    const lacking = lackingServers({ servers: [found], runsMs }, 'ours', 7)
    assert.equal(lacking.length, Number(isWaitedFor), JSON.stringify([found, runsMs]))
  }
})

it('an authenticator accepts no key while the replica is stale, and valid keys when it is fresh', async () => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key, keyId } = createAccount(store, 'acme', 'free', Date.now())
  const shared = reserveAccounts(storeDir, false, true)
  const trust = new FreshnessLease(shared.freshness!)
  const authenticator = new Authenticator(shared)
  assert.deepEqual([authenticator.identify(key), authenticator.isFresh], [undefined, false])
  trust.extend(replicationGapMsMax)
  assert.equal(authenticator.identify(key)?.account, 0)
  assert.equal(authenticator.identify(key)?.account, 0)
  trust.extend(100)
  await until('time passes', () => authenticator.identify(key) === undefined && !authenticator.isFresh)
  revokeKey(store, keyId, Date.now())
  invalidateThreads(shared)
  trust.extend(replicationGapMsMax)
  assert.deepEqual([authenticator.identify(key), authenticator.isFresh], [undefined, true])
  trust.withdraw()
  assert.deepEqual([authenticator.identify(key), authenticator.isFresh], [undefined, false])
  await authenticator.close()
  await store.close()
})
