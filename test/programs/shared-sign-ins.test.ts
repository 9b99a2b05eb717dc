/** Links and sessions that servers share: how long they last, by the clock, on whichever machine they are asked for. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { openReplication } from '../../src/accounts/replication/open-replication.ts'
import { removeOld, signInLinkKeptMs } from '../../src/accounts/retention.ts'
import {
  liveSince,
  makeToken,
  SignIns,
  sessionIdleMsMax,
  sessionNoteMs,
  signInLinkMsMax,
} from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { Fleet } from '../support/sharing-servers.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)
let here: Awaited<ReturnType<typeof open>>
let there: typeof here

/** The pages of a machine. */
async function open(storeDir: string) {
  const store = new Store(storeDir)
  const { replication } = await openReplication(store, postgres.url(), async () => undefined)
  /** Sessions that live at that time, as a server reports when it has all changes. */
  const count = async (now: number) => {
    await replication.refresh()
    return store.countSessions(...liveSince(now))
  }
  return { store, replication, signIns: new SignIns(store, replication), count }
}

before(async () => {
  if (skip) return
  ;[here, there] = await Promise.all([open(fleet.storeDir('here')), open(fleet.storeDir('there'))])
  await here.replication.change(() => createAccount(here.store, 'acme', 'free', Date.now()))
})

after(async () => {
  if (skip) return
  for (const { replication, store } of [here, there]) {
    await replication.close()
    await store.close()
  }
})

/** By a link that the other machine has made. */
async function signIn(now: number): Promise<string> {
  const used = await here.signIns.useLink((await there.signIns.makeLink('acme', now)).token, now)
  assert.ok(used !== undefined && 'session' in used)
  return used.session
}

describe('The sessions that servers share', { skip }, () => {
  it('A shared session is counted until it ends, and then deleted everywhere', async () => {
    await there.signIns.signOut('acme', Date.now())
    const now = Date.now()
    const others = [await signIn(now), await signIn(now - 2 * sessionIdleMsMax)]
    const token = await signIn(now)
    assert.deepEqual([await here.count(now), await there.count(now)], [2, 2])
    await removeOld(there.store, there.replication, now)
    assert.equal((await fleet.shared()).sessions.length, 2, 'the ended one has gone')
    for (const other of others) await there.signIns.endSession(other)
    const end = sessionIdleMsMax + sessionNoteMs
    assert.deepEqual([await here.count(now + end - 1), await here.count(now + end)], [1, 0])
    await there.signIns.findSession(token, now + sessionNoteMs, true)
    assert.equal(await here.count(now + end), 1)
    await there.signIns.endSession(token)
    await here.signIns.endSession(token)
    await here.signIns.endSession(makeToken().token)
    assert.deepEqual([await here.count(now), await there.count(now)], [0, 0])
    assert.equal(await here.signIns.findSession(token, now, true), undefined)
    assert.deepEqual((await fleet.shared()).sessions, [])
  })

  it('A sign-out ends all shared sessions of an account, and reports how many', async () => {
    const now = Date.now()
    const tokens = [await signIn(now), await signIn(now), await signIn(now - 13 * 3_600_000)]
    assert.equal(await there.signIns.signOut('acme', now), 2)
    for (const token of tokens) assert.equal(await here.signIns.findSession(token, now, true), undefined)
    assert.equal(await here.count(now), 0)
  })
})

describe('The sign-in links that servers share', { skip }, () => {
  it('A shared sign-in link works for 15 minutes, and is deleted a week later', async () => {
    const now = Date.now()
    const { token, expiresAt } = await here.signIns.makeLink('acme', now)
    assert.equal(expiresAt, now + signInLinkMsMax)
    assert.equal((await there.signIns.findLink(token, expiresAt - 1))?.state, 'good')
    assert.equal((await there.signIns.findLink(token, expiresAt))?.state, 'old')
    assert.deepEqual(await there.signIns.useLink(token, expiresAt), { state: 'old' })
    for (const [at, found] of [
      [expiresAt + signInLinkKeptMs - 1, 'old'],
      [expiresAt + signInLinkKeptMs, undefined],
    ] as const) {
      await removeOld(here.store, here.replication, at)
      assert.equal((await there.signIns.findLink(token, at))?.state, found)
    }
    assert.deepEqual((await fleet.shared()).sign_in_links, [])
  })

  it('A shared sign-in link works once, even if several use it at once, and not after a sign-out', async () => {
    const now = Date.now()
    const [one, two] = [await here.signIns.makeLink('acme', now), await here.signIns.makeLink('acme', now)]
    const used = await Promise.all([here, there].map(({ signIns }) => signIns.useLink(one.token, now)))
    assert.equal(used.filter((found) => 'session' in found!).length, 1)
    assert.deepEqual(await there.signIns.useLink(one.token, now), { state: 'used' })
    await here.signIns.signOut('acme', now)
    assert.deepEqual(await there.signIns.useLink(two.token, now), { state: 'used' })
    assert.equal(await there.signIns.findLink(makeToken().token, now), undefined)
  })
})
