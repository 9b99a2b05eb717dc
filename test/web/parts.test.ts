/** The decisions behind the pages, each by itself and by the clock: times that no test can wait for. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { takeLookUp } from '../../src/accounts/look-ups.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { endSession, findSession } from '../../src/accounts/sessions.ts'
import { findSignInLink, makeSignInLink, useSignInLink } from '../../src/accounts/sign-in.ts'
import { OwnSignIns } from '../../src/accounts/sign-ins.ts'
import { sweepPeople } from '../../src/accounts/sweep.ts'
import { makeToken } from '../../src/accounts/tokens.ts'
import {
  guessersMax,
  lookUpsPerMinuteMax,
  newKeysWaitingMax,
  sessionNoteMs,
  wrongLinksPerMinuteMax,
} from '../../src/limits.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { Guesses } from '../../src/web/guesses.ts'
import { HeldNewKeys } from '../../src/web/new-keys.ts'
import { seal, unseal } from '../../src/web/sealed-new-keys.ts'
import { type Sender, senderOf } from '../../src/web/sender.ts'
import { temporaryFolder } from '../support/command.ts'
import { sessionCases, visitsOf } from '../support/session-cases.ts'

const minute = 60_000
const hour = 60 * minute
const now = Date.parse('2026-11-22T12:00:00Z')

function storeWith(name: string): Store {
  const store = new Store(temporaryFolder())
  createAccount(store, name, 'free', now)
  return store
}

function signIn(store: Store, at: number): string {
  const used = useSignInLink(store, makeSignInLink(store, 'acme', at).token, at)
  assert.ok(used !== undefined && 'session' in used)
  return used.session
}

describe('a sign-in link', () => {
  it('is good for 15 minutes, and old from then on', async () => {
    const store = storeWith('acme')
    const { token, expiresAt } = makeSignInLink(store, 'acme', now)
    assert.equal(expiresAt, now + 15 * minute)
    assert.equal(findSignInLink(store, token, expiresAt - 1)?.state, 'good')
    assert.equal(findSignInLink(store, token, expiresAt)?.state, 'old')
    assert.deepEqual(useSignInLink(store, token, expiresAt), { state: 'old' })
    assert.equal(store.people.sessions.getCount(), 0)
    await store.close()
  })
})

describe('a session', () => {
  it('that another process ends while a page is opened stays ended', async () => {
    const folder = temporaryFolder()
    const [store, other] = [new Store(folder), new Store(folder)]
    createAccount(store, 'acme', 'free', now)
    const token = signIn(store, now)
    // All reads in one turn of the event loop see one moment.
    assert.ok(findSession(store, token, now, false))
    endSession(other, token)
    assert.ok(findSession(store, token, now + sessionNoteMs, true), 'it was found before it ended')
    store.refresh()
    assert.equal(findSession(store, token, now, false), undefined)
    for (const each of [store, other]) await each.close()
  })

  for (const each of sessionCases) {
    it(each.what, async () => {
      const store = storeWith('acme')
      const token = signIn(store, now)
      for (const { at, isPage } of visitsOf(each)) assert.ok(findSession(store, token, now + at, isPage))
      assert.equal(findSession(store, token, now + each.at, false) !== undefined, each.isGood)
      await store.close()
    })
  }
})

it('sessions are ended of their account alone, and those that live are counted', async () => {
  const store = storeWith('acme')
  createAccount(store, 'other', 'free', now)
  const tokens = [signIn(store, now), signIn(store, now), signIn(store, now - 13 * hour)]
  const other = useSignInLink(store, makeSignInLink(store, 'other', now).token, now) as { session: string }
  const signIns = new OwnSignIns(store)
  assert.equal(await signIns.signOut('acme', now), 2)
  for (const token of tokens) assert.equal(findSession(store, token, now, true), undefined)
  assert.ok(findSession(store, other.session, now, true))
  assert.equal(await signIns.signOut('acme', now), 0)
  await store.close()
})

describe('the store', () => {
  it('has of links and sessions their hashes alone', async () => {
    const store = storeWith('acme')
    const { token } = makeSignInLink(store, 'acme', now)
    const session = signIn(store, now)
    const { signInLinks, sessions } = store.people
    const texts = [...signInLinks.getRange({}), ...sessions.getRange({})].map(({ key, value }) => {
      return `${Buffer.from(key).toString('latin1')} ${Buffer.from(key).toString('base64url')} ${JSON.stringify(value)}`
    })
    assert.equal(texts.length, 3)
    for (const text of texts) for (const secret of [token, session]) assert.ok(!text.includes(secret))
    await store.close()
  })

  it('of a version before this one gets the tables when they are first asked for', async () => {
    const folder = temporaryFolder()
    const store = new Store(folder)
    createAccount(store, 'acme', 'free', now)
    await store.close()
    const again = new Store(folder)
    assert.equal(again.accountNumber('acme'), 0)
    assert.equal(findSession(again, 'A'.repeat(43), now, true), undefined)
    assert.ok(signIn(again, now))
    await again.close()
  })

  it('that is damaged there says so', async () => {
    const store = storeWith('acme')
    const token = signIn(store, now)
    const { sessions, lookUps } = store.people
    const { key } = [...sessions.getRange({})][0]!
    for (const damaged of [['x', 1, 2], [0, 1], null, 7]) {
      sessions.putSync(key, damaged as never)
      assert.throws(() => findSession(store, token, now, true), AccountsError)
    }
    lookUps.putSync(0, ['x'] as never)
    assert.throws(() => takeLookUp(store, 0, now), /damaged record in its table lookUps/)
    await store.close()
  })

  it('is swept of what has ended, and of nothing else', async () => {
    const store = storeWith('acme')
    for (let i = 0; i < 1200; i++) signIn(store, now)
    const last = signIn(store, now + 10 * 24 * hour)
    const fresh = makeSignInLink(store, 'acme', now + 10 * 24 * hour).token
    takeLookUp(store, 0, now)
    const { signInLinks, sessions, lookUps } = store.people
    for (const _ of sweepPeople(store, now + hour));
    assert.deepEqual([signInLinks.getCount(), sessions.getCount(), lookUps.getCount()], [1202, 1201, 0])
    const later = now + 10 * 24 * hour + minute
    for (const _ of sweepPeople(store, later));
    assert.deepEqual([signInLinks.getCount(), sessions.getCount()], [2, 1])
    assert.ok(findSession(store, last, later, false))
    assert.equal(findSignInLink(store, fresh, later)?.state, 'good')
    await store.close()
  })
})

it('look-ups are so many in the minute that the first one begins', async () => {
  const store = storeWith('acme')
  createAccount(store, 'other', 'free', now)
  for (let i = 0; i < lookUpsPerMinuteMax; i++) assert.equal(takeLookUp(store, 0, now + i * 500), 0)
  assert.equal(takeLookUp(store, 0, now + 59_000), 1000)
  assert.equal(takeLookUp(store, 1, now + 59_000), 0)
  assert.equal(takeLookUp(store, 0, now + minute), 0)
  for (let i = 1; i < lookUpsPerMinuteMax; i++) assert.equal(takeLookUp(store, 0, now + minute + i), 0)
  assert.equal(takeLookUp(store, 0, now + 2 * minute - 1), 1)
  assert.equal(takeLookUp(store, 0, now - hour), 0, 'a clock that was set back locks nobody out')
  await store.close()
})

it('guesses are counted by their address, and the addresses have a bound', () => {
  const guesses = new Guesses()
  for (let i = 0; i < wrongLinksPerMinuteMax; i++) assert.equal(guesses.isTooMany('a', now), false)
  assert.equal(guesses.isTooMany('a', now), true)
  assert.equal(guesses.isTooMany('b', now), false)
  assert.equal(guesses.isTooMany('a', now + minute), false)
  for (let i = 0; i < 3 * guessersMax; i++) guesses.isTooMany(`address ${i}`, now)
})

it('a new key is given out once, to its session, for a minute, and not too many wait', async () => {
  const keys = new HeldNewKeys()
  const [own, other] = [{ id: 'session' }, { id: 'other' }]
  await keys.put(own, 'id', 'secret', now)
  assert.equal(await keys.take(other, 'id', now), undefined)
  assert.equal(await keys.take(own, 'id', now + 1), 'secret')
  assert.equal(await keys.take(own, 'id', now + 1), undefined)
  await keys.put(own, 'id', 'secret', now)
  assert.equal(await keys.take(own, 'id', now + minute), undefined)
  for (let i = 0; i <= newKeysWaitingMax; i++) await keys.put(own, `id ${i}`, 'secret', now)
  assert.equal(await keys.take(own, 'id 0', now), undefined)
  assert.equal(await keys.take(own, 'id 1', now), 'secret')
})

it('a new key that is sealed is opened by its own token alone, and whole alone', () => {
  const [token, other] = [makeToken().token, makeToken().token]
  const sealed = seal(token, 'secret')
  assert.ok(!sealed.includes('secret'))
  assert.notDeepEqual(seal(token, 'secret'), sealed)
  assert.equal(unseal(token, sealed), 'secret')
  assert.throws(() => unseal(other, sealed))
  for (let at = 0; at < sealed.length; at++) {
    const damaged = Buffer.from(sealed)
    damaged[at]! ^= 1
    assert.throws(() => unseal(token, damaged))
  }
})

describe('a form’s sender', () => {
  const own = ['http://here:1']
  const table: readonly (readonly [origin: string | undefined, site: string | undefined, sender: Sender])[] = [
    [undefined, undefined, 'here'],
    ['http://here:1', undefined, 'here'],
    ['http://here:1', 'same-origin', 'here'],
    ['null', 'same-origin', 'here'],
    ['null', 'none', 'here'],
    ['null', undefined, 'untold'],
    ['http://here:1', 'cross-site', 'elsewhere'],
    ['http://here:1', 'same-site', 'elsewhere'],
    ['http://here:1', 'anything', 'elsewhere'],
    ['http://here', 'same-origin', 'elsewhere'],
    ['http://here:1.evil', undefined, 'elsewhere'],
    ['', undefined, 'elsewhere'],
    ['null', 'cross-site', 'elsewhere'],
    [undefined, 'cross-site', 'elsewhere'],
  ]
  for (const [origin, site, sender] of table) {
    it(`with Origin ${origin} and Sec-Fetch-Site ${site} is ${sender}`, () => {
      assert.equal(senderOf({ origin, site }, own), sender)
    })
  }
})
