/** Servers that share accounts, without a database between them: which are waited for, and when a copy may be used. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount, revokeKey } from '../../src/accounts/registry.ts'
import { Replica, refuseOwnAccounts } from '../../src/accounts/replication/replica.ts'
import { lackingServers, type ServerStatus } from '../../src/accounts/replication/servers.ts'
import { replicationGapMsMax } from '../../src/accounts/replication/timing.ts'
import { FreshnessLease, invalidateThreads, reserveAccounts } from '../../src/accounts/shared.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

it('A store with its own accounts can’t become a replica, and a replica refuses direct changes', async () => {
  const store = new Store(temporaryFolder())
  store.write(() => store.setSetting('copy', { id: 'ours', number: 1, mark: '1', whole: true }))
  assert.throws(() => createAccount(store, 'acme', 'free', 1), {
    message: 'the accounts here are a copy of shared accounts: set DATABASE_URL to change them',
  })
  refuseOwnAccounts(store)
  await store.close()
  const own = new Store(temporaryFolder())
  refuseOwnAccounts(own)
  createAccount(own, 'acme', 'free', 1)
  assert.throws(() => refuseOwnAccounts(own), {
    message: /has accounts of its own, .* card-prices accounts move postgres:/,
  })
  await own.close()
})

it('Older rows are not applied to a replica that another process has updated meanwhile', async () => {
  const store = new Store(temporaryFolder())
  const from = { id: 'ours', number: 7, mark: '7', whole: true }
  const to = { ...from, number: 8, mark: '8' }
  for (const [change, isApplied] of [
    [{}, true],
    [{ number: 8 }, false],
    [{ mark: 'of another change 7' }, false],
    [{ id: 'another' }, false],
    [{ whole: false }, false],
  ] as const) {
    const found = { ...from, ...change }
    store.write(() => store.setSetting('copy', found))
    assert.equal(new Replica(store).apply(from, [], to), isApplied, JSON.stringify(change))
    assert.deepEqual(store.setting('copy'), isApplied ? to : found)
  }
  await store.close()
})

it('A change waits for each server that lacks it and is connected, was heard recently, or may reconnect', () => {
  const server = (silentMs: number, isConnected: boolean, number = 6, store = 'ours'): ServerStatus => ({
    address: 'web:8080',
    store,
    version: null,
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

it('An authenticator accepts no key while its replica is stale, and accepts valid keys while it is fresh', async () => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key, keyId } = createAccount(store, 'acme', 'free', Date.now())
  const shared = reserveAccounts(storeDir, true)
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
