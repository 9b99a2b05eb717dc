/** Keys and counts as a server thread asks for them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator, keyRefusals } from '../../src/accounts/authenticator.ts'
import { notifyServer } from '../../src/accounts/control.ts'
import { hashOf, isWellFormed, makeKey } from '../../src/accounts/keys.ts'
import * as registry from '../../src/accounts/registry.ts'
import { Answers } from '../../src/api/answers.ts'
import { Problems } from '../../src/api/problems.ts'
import { routes } from '../../src/api/routes.ts'
import { Admissions, endpointOf } from '../../src/http/admission.ts'
import type { HttpRequest } from '../../src/http/connections/uws.ts'
import { plans } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

const log = pino({ level: 'silent' })
const noon = Date.parse('2026-11-21T12:00:00Z')

describe('A key', () => {
  it('A key has the published form, with check digits over all characters before them', () => {
    const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    for (let i = 0; i < 200; i++) {
      const { key, prefix, hash } = makeKey()
      assert.match(key, /^cpl_live_[0-9A-Za-z]{38}$/)
      const digits = [...key.slice(41)].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0)
      assert.equal(digits, crc32(key.slice(0, 41)))
      assert.equal(prefix, key.slice(0, 13))
      assert.deepEqual(hash, hashOf(key))
      assert.ok(isWellFormed(key))
    }
  })

  it('A key uses every character about equally often', () => {
    const seen = new Map<string, number>()
    for (let i = 0; i < 2000; i++)
      for (const char of makeKey().key.slice(9, 41)) seen.set(char, (seen.get(char) ?? 0) + 1)
    assert.equal(seen.size, 62)
    for (const count of seen.values()) assert.ok(count > 800 && count < 1270, `${count} of about 1032`)
  })

  it('A key with any one character wrong, left out, added or swapped is not well-formed', () => {
    const { key } = makeKey()
    for (let at = 0; at < key.length; at++) {
      for (const char of ['0', 'z', '-', ' ', 'é']) {
        if (char !== key[at]) assert.ok(!isWellFormed(key.slice(0, at) + char + key.slice(at + 1)))
        assert.ok(!isWellFormed(key.slice(0, at) + char + key.slice(at)))
      }
      assert.ok(!isWellFormed(key.slice(0, at) + key.slice(at + 1)))
      const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
      assert.ok(swapped === key || !isWellFormed(swapped))
    }
  })
})

describe('The authenticator', () => {
  const storeDir = temporaryFolder()
  const refusals = new Float64Array(keyRefusals.length)
  let now = noon
  let host: AccountsHost
  let authenticator: Authenticator
  let store: Store
  before(async () => {
    host = await AccountsHost.open({ storeDir, log })
    store = new Store(storeDir)
    authenticator = new Authenticator(host.shared, () => now, refusals)
  })
  after(async () => {
    await authenticator.close()
    await host.close()
    await store.close()
  })

  it('The authenticator refuses a revoked key even if the revoking command never notified the server', async () => {
    const { key, keyId } = registry.createAccount(store, 'told nobody', 'free', noon)
    assert.notEqual(authenticator.identify(key), undefined)
    registry.revokeKey(store, keyId, noon)
    await until('it is refused', () => authenticator.identify(key) === undefined, 3000)
  })

  /** A new account's or key's text; as with the commands, the server knows of it when this returns. */
  async function issued(key: registry.IssuedKey): Promise<string> {
    assert.equal(await notifyServer(store), undefined)
    return key.key
  }

  it('The authenticator accepts a live key with its account and plan, and no other key', async () => {
    const one = await issued(registry.createAccount(store, 'one', 'trader', noon))
    const two = await issued(registry.createAccount(store, 'two', 'free', noon))
    assert.deepEqual(authenticator.identify(one)?.plan, 'trader')
    assert.deepEqual(authenticator.identify(one)?.limit, plans.trader.requestsPerDay)
    assert.deepEqual(authenticator.identify(two)?.plan, 'free')
    for (const none of [
      '',
      'x',
      makeKey().key,
      one.slice(1),
      `${one} `,
      one.toLowerCase(),
      'é'.repeat(47),
      '__proto__',
    ]) {
      assert.equal(authenticator.identify(none), undefined)
    }
  })

  it('The authenticator refuses a key from the very moment that it expires', async () => {
    registry.createAccount(store, 'expiring', 'free', noon)
    const key = await issued(registry.createKey(store, 'expiring', { name: 'short', expiresAt: noon + 1000 }, noon))
    now = noon + 999
    assert.ok(authenticator.identify(key))
    now = noon + 1000
    assert.equal(authenticator.identify(key), undefined)
    now = noon
    assert.ok(authenticator.identify(key))
  })

  it('The authenticator counts refused requests by reason: missing, malformed, unknown or expired key', async () => {
    registry.createAccount(store, 'counted', 'free', noon)
    const expired = await issued(registry.createKey(store, 'counted', { name: 'short', expiresAt: noon + 1000 }, noon))
    const { keyId, key: revoked } = registry.createKey(store, 'counted', { name: 'revoked', expiresAt: null }, noon)
    registry.revokeKey(store, keyId, noon)
    const live = await issued(registry.createKey(store, 'counted', { name: 'live', expiresAt: null }, noon))
    const admissions = new Admissions(authenticator, undefined)
    const problems = { A: new Problems('A'), B: new Problems('B') }
    const endpoint = endpointOf(routes[0]!, 'A', new Answers().of[routes[0]!.operation], problems)
    const sent = (key: string) => ({ getHeader: () => key, getQuery: () => '' }) as unknown as HttpRequest
    now = noon + 1000
    const expected = [...refusals]
    for (const [key, reason] of [
      [makeKey().key, 'unknown'],
      [revoked, 'unknown'],
      ['cpl_live_x', 'malformed'],
      [expired, 'expired'],
      [expired, 'expired'],
      [live, undefined],
      ['', 'missing'],
    ] as const) {
      admissions.admit(endpoint, sent(key), true)
      // An answer before the key's turn tells the quota as well, and refuses nobody for a key.
      admissions.rateOf(sent(key))
      if (reason !== undefined) expected[keyRefusals.indexOf(reason)]!++
      assert.deepEqual([...refusals], expected)
    }
    now = noon
  })
})
