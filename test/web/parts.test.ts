/** The decisions behind the pages, each by itself and by the clock, and a change of a key that is in force before its page is shown. */
import assert from 'node:assert/strict'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import pino from 'pino'
import { createAccount, createKey, regenerateKey, renameKey, revokeKey } from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { removeOld } from '../../src/accounts/retention.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { hashOfToken, makeToken, SignIns, sessionNoteMs } from '../../src/accounts/sign-ins.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { guessersMax, lookUpsPerMinuteMax, strangerLookUpsPerMinuteMax } from '../../src/limits.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { makeLookUps } from '../../src/web/shared/look-ups.ts'
import { changeText, durationText } from '../../src/web/shared/page-figures.ts'
import { seal, unseal } from '../../src/web/shared/shown-once.ts'
import { CurrentData } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion } from '../support/versions.ts'
import { rowsOf, textOf } from './person.ts'
import { posted } from './posted.ts'
import { appOf } from './service-here.ts'

const minute = 60_000
const hour = 60 * minute
const now = Date.parse('2026-11-22T12:00:00Z')

function storeWith(name: string): Store {
  const store = new Store(temporaryFolder())
  createAccount(store, name, 'free', now)
  return store
}

const alone = noReplication()
const signInsOf = (store: Store) => new SignIns(store, alone)

async function signIn(store: Store, at: number, account = 'acme'): Promise<string> {
  const signIns = signInsOf(store)
  const used = await signIns.useLink((await signIns.makeLink(account, at)).token, at)
  assert.ok(used !== undefined && 'session' in used)
  return used.session
}

const count = (store: Store, table: string) =>
  store.database.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)!.count

it('A sign-in link works for 15 minutes', async () => {
  const store = storeWith('acme')
  const signIns = signInsOf(store)
  const { token, expiresAt } = await signIns.makeLink('acme', now)
  assert.equal(expiresAt, now + 15 * minute)
  assert.equal((await signIns.findLink(token, expiresAt - 1))?.state, 'good')
  assert.equal((await signIns.findLink(token, expiresAt))?.state, 'old')
  assert.deepEqual(await signIns.useLink(token, expiresAt), { state: 'old' })
  assert.equal(count(store, 'sessions'), 0)
  await store.close()
})

describe('A session', () => {
  it('A session that another process ends while a page is opened stays ended', async () => {
    const folder = temporaryFolder()
    const [store, other] = [new Store(folder), new Store(folder)]
    createAccount(store, 'acme', 'free', now)
    const token = await signIn(store, now)
    /** Between the moment in which a session was found and that in which its page is noted. */
    const change = async <T>(action: () => T): Promise<T> => {
      await signInsOf(other).endSession(token)
      return action()
    }
    const signIns = new SignIns(store, { ...noReplication(), change })
    assert.ok(await signIns.findSession(token, now, false))
    assert.ok(await signIns.findSession(token, now + sessionNoteMs, true), 'it was found before it ended')
    assert.equal(await signIns.findSession(token, now, false), undefined)
    for (const each of [store, other]) await each.close()
  })

  const pagesEvery8Hours = Array.from({ length: 20 }, (_, i) => (i + 1) * 8 * hour)
  const polls = Array.from({ length: 12 }, (_, i) => (i + 1) * hour)
  // When pages are opened, or an open page asks for usage by itself, and when the session is looked up: in ms after signing in.
  for (const [what, visits, isPage, at, isGood] of [
    ['lasts 12 hours after signing in', [], true, 12 * hour, true],
    ['ends 12 hours and a minute after signing in', [], true, 12 * hour + minute + 1, false],
    ['lasts 12 hours after the last page', [11 * hour, 22 * hour], true, 34 * hour, true],
    ['ends 12 hours and a minute after the last page', [11 * hour, 22 * hour], true, 34 * hour + minute + 1, false],
    ['lasts at most 7 days', pagesEvery8Hours, true, 7 * 24 * hour - 1, true],
    ['ends after 7 days though pages are opened', pagesEvery8Hours, true, 7 * 24 * hour, false],
    ['is not prolonged by requests of an open page', polls, false, 13 * hour, false],
  ] as const) {
    it(`A session ${what}`, async () => {
      const store = storeWith('acme')
      const signIns = signInsOf(store)
      const token = await signIn(store, now)
      for (const visit of visits) assert.ok(await signIns.findSession(token, now + visit, isPage))
      assert.equal((await signIns.findSession(token, now + at, false)) !== undefined, isGood)
      await store.close()
    })
  }
})

it('A sign-out ends the sessions of its account alone, and counts the live ones', async () => {
  const store = storeWith('acme')
  createAccount(store, 'other', 'free', now)
  const tokens = [await signIn(store, now), await signIn(store, now), await signIn(store, now - 13 * hour)]
  const other = await signIn(store, now, 'other')
  const signIns = signInsOf(store)
  assert.equal(await signIns.signOut('acme', now), 2)
  for (const token of tokens) assert.equal(await signIns.findSession(token, now, true), undefined)
  assert.ok(await signIns.findSession(other, now, true))
  assert.equal(await signIns.signOut('acme', now), 0)
  await store.close()
})

describe('The sessions in the store', () => {
  it('The store has only hashes of links and sessions', async () => {
    const store = storeWith('acme')
    const { token } = await signInsOf(store).makeLink('acme', now)
    const session = await signIn(store, now)
    const hashes = (table: string) =>
      store.database.all<{ hash: Uint8Array }>(`SELECT hash FROM ${table}`).map(({ hash }) => Buffer.from(hash))
    assert.deepEqual(hashes('sessions'), [hashOfToken(session)])
    assert.ok(hashes('sign_in_links').some((hash) => hash.equals(hashOfToken(token)!)))
    for (const table of ['sign_in_links', 'sessions', 'audit_log', 'settings']) {
      const texts = store.database
        .all<Record<string, unknown>>(`SELECT * FROM ${table}`)
        .flatMap((row) =>
          Object.values(row).map((value) =>
            value instanceof Uint8Array
              ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('base64url')}`
              : String(value),
          ),
        )
      for (const text of texts) for (const secret of [token, session]) assert.ok(!text.includes(secret))
    }
    await store.close()
  })

  it('A store that has a session without its account is reported as damaged', async () => {
    const store = storeWith('acme')
    const token = await signIn(store, now)
    store.database.run('DELETE FROM accounts')
    await assert.rejects(signInsOf(store).findSession(token, now, true), AccountsError)
    await store.close()
  })

  it('The retention deletes ended sessions, old links and a leftover copy, and nothing else', async () => {
    const store = storeWith('acme')
    // One wait for the disk, not one a session.
    store.database.run('PRAGMA synchronous = OFF')
    for (let i = 0; i < 1200; i++) await signIn(store, now)
    const last = await signIn(store, now + 10 * 24 * hour)
    const signIns = signInsOf(store)
    const fresh = (await signIns.makeLink('acme', now + 10 * 24 * hour)).token
    const tables = ['sign_in_links', 'sessions']
    const counts = () => tables.map((table) => count(store, table))
    const snapshot = join(store.dir, 'snapshot.tmp')
    writeFileSync(snapshot, '')
    utimesSync(snapshot, now / 1000, now / 1000)
    await removeOld(store, alone, now + hour)
    assert.deepEqual([...counts(), existsSync(snapshot)], [1202, 1201, true])
    const later = now + 10 * 24 * hour + minute
    await removeOld(store, alone, later)
    assert.deepEqual([...counts(), existsSync(snapshot)], [2, 1, false])
    assert.ok(await signIns.findSession(last, later, false))
    assert.equal((await signIns.findLink(fresh, later))?.state, 'good')
    await store.close()
  })
})

it('The minute in which look-ups are limited begins with its first look-up', () => {
  const lookUps = makeLookUps().cards
  for (let i = 0; i < lookUpsPerMinuteMax; i++) assert.equal(lookUps.take(0, now + i * 500), 0)
  assert.equal(lookUps.take(0, now + 59_000), 1000)
  assert.equal(lookUps.take(1, now + 59_000), 0)
  assert.equal(lookUps.take(0, now + minute), 0)
  for (let i = 1; i < lookUpsPerMinuteMax; i++) assert.equal(lookUps.take(0, now + minute + i), 0)
  assert.equal(lookUps.take(0, now + 2 * minute - 1), 1)
  assert.equal(lookUps.take(0, now - hour), 0, 'a clock that was set back locks nobody out')
})

it('The look-ups of addresses and accounts are counted apart, and the oldest addresses are forgotten beyond a maximum', () => {
  const lookUps = makeLookUps().cards
  const takeAll = (address: string) => {
    for (let i = 0; i < strangerLookUpsPerMinuteMax; i++) assert.equal(lookUps.take(address, now), 0)
    assert.equal(lookUps.take(address, now + 1000), minute - 1000)
  }
  takeAll('192.0.2.1')
  assert.equal(lookUps.take(0, now), 0)
  for (let i = 2; i < guessersMax; i++) lookUps.take(`address ${i}`, now)
  assert.ok(lookUps.take('192.0.2.1', now) > 0, 'it is known still')
  for (let i = 0; i < 2 * guessersMax; i++) lookUps.take(`other ${i}`, now)
  takeAll('192.0.2.1')
})

it('An address that was seen long ago is not forgotten first if its current minute began recently', () => {
  const lookUps = makeLookUps().cards
  for (let i = 0; i < guessersMax - 1; i++) lookUps.take(`address ${i}`, now)
  const later = now + minute
  for (let i = 0; i < strangerLookUpsPerMinuteMax; i++) assert.equal(lookUps.take('address 0', later), 0)
  for (const other of ['another', 'one more']) lookUps.take(other, later)
  assert.equal(lookUps.take('address 0', later), minute)
})

it('A duration is rounded up to minutes, and a price change without a percentage shows none', () => {
  const texts = { 0: '0 min', 1: '1 min', 3540000: '59 min', 3540001: '1 h', 3600001: '1 h 1 min', 86400000: '24 h' }
  for (const [ms, text] of Object.entries(texts)) assert.equal(durationText(Number(ms)), text, ms)
  const change = changeText({ from: 0, to: 1200, amount: 1200, percent: null } as never)
  assert.equal(textOf(String(change)), '▲ up +1,200.00')
})

it('A new key sealed in a cookie can be opened only undamaged, with its own token and id', () => {
  const [token, other] = [makeToken().token, makeToken().token]
  const sealed = seal(token, 'id', 'secret')
  assert.notEqual(seal(token, 'id', 'secret'), sealed)
  assert.equal(unseal(token, 'id', sealed), 'secret')
  assert.equal(unseal(other, 'id', sealed), undefined)
  assert.equal(unseal(token, 'other id', sealed), undefined)
  const whole = Buffer.from(sealed, 'base64url')
  assert.ok(!whole.includes('secret'))
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 1
    assert.equal(unseal(token, 'id', damaged.toString('base64url')), undefined)
    assert.equal(unseal(token, 'id', whole.subarray(0, at).toString('base64url')), undefined)
  }
})

it('The pages open a version again for the next page if it could not be opened before', async () => {
  const indexDir = temporaryFolder()
  const name = await addVersion(indexDir, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
  const whole = await loadVersion(indexDir, name)
  const files = new Map(whole.files)
  files.delete('search.msgpack')
  const data = new CurrentData()
  data.show({ ...whole, files }, 0)
  await assert.rejects(data.open(), IndexError)
  files.set('search.msgpack', whole.files.get('search.msgpack')!)
  assert.equal((await data.open())?.catalog.find(aCard.id as string), 0)
})

it('The audit log has the end of a session once, however often its user signs out', async () => {
  const store = new Store(temporaryFolder())
  after(() => store.close())
  const signIns = new SignIns(store, noReplication())
  createAccount(store, 'shop', 'free', Date.now())
  const used = await signIns.useLink((await signIns.makeLink('shop', Date.now())).token, Date.now())
  assert.ok(used !== undefined && 'session' in used)
  for (let i = 0; i < 2; i++) await signIns.endSession(used.session)
  const entries = store.auditEntries({ since: 0 }, 100)
  assert.equal(entries.filter(({ action }) => action === 'sessions ended').length, 1)
})

describe('A change of a key on a page', () => {
  const url = 'http://127.0.0.1:1'
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  after(() => store.close())

  /** When a change is confirmed, and by what. */
  let confirmation: Promise<string | undefined>
  const logged: string[] = []
  const accounts = reserveAccounts(storeDir, false)
  const replication = noReplication(() => confirmation)
  const signIns = new SignIns(store, replication)
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) })
  let clock = Date.parse('2026-11-28T12:00:00Z')
  const app = appOf(store, { accounts, replication, url, log, clock: () => clock })

  let shops = 0
  /** A session of a new account, or another session of a known one. */
  async function shop(known?: string) {
    const name = known ?? `shop ${++shops}`
    const keyId = known === undefined ? createAccount(store, name, 'free', clock).keyId : ''
    const { token } = await signIns.makeLink(name, clock)
    const used = await signIns.useLink(token, clock)
    assert.ok(used !== undefined && 'session' in used)
    const headers = { cookie: `cpl_session=${used.session}`, 'content-type': 'application/x-www-form-urlencoded' }
    const open = async (path: string) => app.request(url + path, { headers })
    const send = async (path: string): Promise<Response> => posted(app, url + path, 'name=another+name', headers)
    return { keyId, open, send }
  }

  const paths: Readonly<Record<string, (keyId: string) => string>> = {
    created: () => '/dashboard/keys',
    renamed: (keyId) => `/dashboard/keys/${keyId}/rename`,
    regenerated: (keyId) => `/dashboard/keys/${keyId}/regenerate`,
    revoked: (keyId) => `/dashboard/keys/${keyId}/revoke`,
  }
  const generation = () => new Int32Array(accounts.generation)[0]!

  for (const [change, pathOf] of Object.entries(paths)) {
    it(`A key that is ${change} is known to all threads, and confirmed, before the next page is shown`, async () => {
      const { keyId, send } = await shop()
      const before = generation()
      let confirm!: (outcome: undefined) => void
      confirmation = new Promise((resolve) => {
        confirm = resolve
      })
      let isShown = false
      const reply = send(pathOf(keyId)).finally(() => {
        isShown = true
      })
      await until('threads know it', () => generation() === before + 1)
      for (let i = 0; i < 20; i++) await turn()
      assert.equal(isShown, false)
      confirm(undefined)
      assert.equal((await reply).status, 303)
      assert.equal(generation(), before + 1)
      assert.ok(logged.some((line) => line.includes(`a key was ${change} on a page`)))
    })
  }

  for (const [change, path] of [
    ['created', () => '/dashboard/keys'],
    ['renamed', (keyId) => `/dashboard/keys/${keyId}/rename`],
    ['regenerated', (keyId) => `/dashboard/keys/${keyId}/regenerate`],
  ] as const satisfies [string, (keyId: string) => string][]) {
    it(`The 101st key that is ${change} on a day by an account's sessions gets 429, and changes nothing`, async () => {
      const { keyId, send } = await shop()
      const name = `shop ${shops}`
      confirmation = Promise.resolve(undefined)
      const revokeLive = () => {
        for (const key of store.liveKeysOf(shops - 1, clock))
          if (key.keyId !== keyId) revokeKey(store, key.keyId, clock)
      }
      // Commands, and other accounts, do not count.
      for (let i = 0; i < 5; i++) {
        renameKey(store, keyId, `command ${i}`)
        regenerateKey(store, keyId, clock)
      }
      for (let i = 1; i <= 100; i++) {
        assert.equal((await send(path(keyId))).status, 303, `${i}`)
        revokeLive()
      }
      const before = store.changesOnPages(shops - 1, `key ${change}`, 0)
      const refused = await (await shop(name)).send(path(keyId))
      const message = `You have ${change} 100 keys today, which is the limit: try again after 00:00 UTC.`
      const body = await refused.text()
      assert.deepEqual([refused.status, /role="alert">(.*?)</.exec(body)?.[1]], [429, message])
      assert.equal(refused.headers.get('Retry-After'), `${12 * 3600}`)
      assert.equal(store.changesOnPages(shops - 1, `key ${change}`, 0), before)
      // A command still can.
      const { keyId: made } = createKey(store, name, { name: 'by a command', expiresAt: null }, clock)
      renameKey(store, made, 'renamed', clock)
      regenerateKey(store, made, clock)
      assert.equal((await send(`/dashboard/keys/${made}/revoke`)).status, 303)
      clock += 12 * hour
      assert.equal((await send(path(keyId))).status, 303, 'the next day')
      clock -= 12 * hour
    })
  }

  it('Keys that have ended are shown 50 at a time, the latest first', async () => {
    const { keyId, open } = await shop()
    for (let i = 1; i <= 120; i++) {
      const { keyId } = createKey(store, `shop ${shops}`, { name: `key ${i}`, expiresAt: null }, clock)
      revokeKey(store, keyId, clock - 1000 + i)
    }
    confirmation = Promise.resolve(undefined)
    for (const [query, first, last, links] of [
      ['', 120, 71, ['/dashboard/keys?page=2']],
      ['?page=2', 70, 21, ['/dashboard/keys?page=1', '/dashboard/keys?page=3']],
      ['?page=3', 20, 1, ['/dashboard/keys?page=2']],
      ['?page=4', 0, 1, ['/dashboard/keys?page=3']],
    ] as const) {
      const body = await (await open(`/dashboard/keys${query}`)).text()
      const names = rowsOf(body, 'Keys of this account').map(([name]) => name)
      const ended = Array.from({ length: Math.max(first - last + 1, 0) }, (_, i) => `key ${first - i}`)
      assert.deepEqual(names, ['Name', 'default', ...ended])
      assert.deepEqual(
        [...body.matchAll(/href="([^"]*\?page=\d+)"/g)].map(([, link]) => link),
        links,
      )
    }
    assert.equal(store.key(keyId)?.revokedAt, null)
  })

  it('A session that another process has ended opens no page, even just after the store was read', async () => {
    const { open } = await shop()
    assert.equal((await open('/dashboard')).status, 200)
    // From here to the answer nothing gives the event loop a turn.
    assert.equal(store.accountNumber(`shop ${shops}`), shops - 1)
    const sessions = store.countSessions(0, 0)
    const other = new Store(storeDir)
    const ended = new SignIns(other, noReplication()).signOut(`shop ${shops}`, clock)
    const { status } = await open('/dashboard')
    assert.deepEqual([status, await ended, store.countSessions(0, 0)], [303, 1, sessions - 1])
    await other.close()
  })
})
