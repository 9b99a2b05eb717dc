/** Each change of accounts and keys by itself: what it refuses, in its own words, and what it leaves as it was. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as registry from '../../src/accounts/registry.ts'
import { Refusal } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'

const now = Date.UTC(2026, 10, 20)
const newKey = { name: 'x'.repeat(100), expiresAt: null }

it('A refused change of an account or a key leaves the store unchanged, and its error says why', async () => {
  const store = new Store(temporaryFolder())
  const [most, long] = ['y'.repeat(100), 'y'.repeat(101)]
  const create = (name: string) => registry.createAccount(store, name, 'free', now).keyId
  const makeKey = (name: string, at = now) => registry.createKey(store, 'acme', { name, expiresAt: now + 1 }, at).keyId
  const live = create('acme')
  const revoked = makeKey('revoked')
  registry.revokeKey(store, revoked, now)
  const expired = makeKey('short')
  for (let i = 1; i < 10; i++) registry.createKey(store, 'acme', newKey, now + 1)
  create(most)
  const refusals: Readonly<Record<string, () => unknown>> = {
    'the name of an account is 1 to 100 characters long': () => create(long),
    'the name of a key holds no control characters': () => registry.renameKey(store, live, 'a\u200bb', now),
    'the name of a key begins with no blank or hyphen and ends with no blank': () => makeKey('x '),
    'a reason is 1 to 500 characters long': () => registry.suspendAccount(store, most, 'z'.repeat(501), now),
    'the account acme already exists': () => registry.renameAccount(store, most, 'Acme', now),
    'there is no account nobody': () => registry.setPlan(store, 'nobody', 'trader', now),
    'there is no account ACME; did you mean acme?': () => registry.deleteAccount(store, 'ACME', now),
    'the account acme has 10 live keys: revoke one first': () => registry.createKey(store, 'acme', newKey, now + 1),
    'there is no key key_none': () => registry.revokeKey(store, 'key_none', now),
    [`the key ${revoked} is revoked`]: () => registry.renameKey(store, revoked, 'other', now),
    [`the key ${revoked} is revoked: create a new one`]: () => registry.regenerateKey(store, revoked, now),
    [`the key ${expired} has expired: create a new one`]: () => registry.regenerateKey(store, expired, now + 1),
  }
  const before = contentsOf(store)
  for (const [message, refuse] of Object.entries(refusals)) {
    assert.throws(refuse, (error: Error) => error instanceof Refusal && error.message === message, message)
    assertSameContents(contentsOf(store), before)
  }
  await store.close()
})

it('A change to a value that is already set writes nothing, and other changes touch only what they name', async () => {
  const store = new Store(temporaryFolder())
  const { keyId } = registry.createAccount(store, 'acme', 'free', now)
  registry.createKey(store, 'acme', { name: 'short', expiresAt: now + 1 }, now)
  const before = contentsOf(store)
  registry.setPlan(store, 'acme', 'free', now + 1)
  registry.resumeAccount(store, 'acme', now + 1)
  assertSameContents(contentsOf(store), before)
  assert.deepEqual(registry.revokeKey(store, keyId, now + 1), { account: 'acme', revokedAt: now + 1 })
  const after = contentsOf(store)
  assert.deepEqual(registry.revokeKey(store, keyId, now + 2), { account: 'acme', revokedAt: now + 1 })
  assertSameContents(contentsOf(store), after)
  registry.suspendAccount(store, 'acme', 'a reason', now + 3)
  const suspended = { ...store.account(0), suspendedAt: now + 3, suspendedFor: null }
  assert.deepEqual(registry.suspendAccount(store, 'acme', undefined, now + 4), suspended)
  assert.deepEqual(store.account(0), suspended)
  registry.createKey(store, 'acme', newKey, now + 4)
  assert.equal(registry.deleteAccount(store, 'acme', now + 5), 1)
  const ends = registry.listKeys(store, 0, now + 5).map((each) => each.revokedAt)
  assert.deepEqual(ends, [now + 1, null, now + 5])
  assert.equal(registry.accountOnceNamed(store, 'acme').deletedAt, now + 5)
  registry.createAccount(store, 'acme', 'free', now)
  assert.equal(registry.accountOnceNamed(store, 'acme').deletedAt, null)
  // Of several names that are composed alike, as an older store may have, each is found by its own.
  const names = ['Caf\u00c9', 'CafE\u0301']
  store.change(() => names.map((name) => registry.addAccount(store, name, 'free', now)))
  const actual = names.map((name) => registry.accountNamed(store, name).name)
  assert.deepEqual(actual, names)
  await store.close()
})

it('A store is full after its millionth account and its ten millionth key', async () => {
  const store = new Store(temporaryFolder())
  store.setCounter('nextAccount', 999_999)
  store.setCounter('nextKey', 9_999_999)
  registry.createAccount(store, 'last', 'free', now)
  assert.throws(() => registry.createAccount(store, 'more', 'free', now), {
    message: 'there are already 1000000 accounts, the maximum of a store',
  })
  assert.throws(() => registry.createKey(store, 'last', newKey, now), {
    message: '10000000 keys have been made, the maximum of a store',
  })
  await store.close()
})
