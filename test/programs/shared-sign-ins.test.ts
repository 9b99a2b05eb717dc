/** Links and sessions in the accounts' store: how long they last, by the clock, as those of one server alone do. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FeedConnection } from '../../src/accounts/feed/connection.ts'
import { openFeed } from '../../src/accounts/feed/feed.ts'
import { SharedSignIns } from '../../src/accounts/fleet/shared-sign-ins.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { makeToken } from '../../src/accounts/tokens.ts'
import { sessionIdleMsMax, sessionMsMax, sessionNoteMs, signInLinkKeptMs, signInLinkMsMax } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { sessionCases, visitsOf } from '../support/session-cases.ts'

const skip = skipWithout('redis-server')
let redis: RedisServer
let store: Store
let connection: FeedConnection
let signIns: SharedSignIns

before(async () => {
  if (skip) return
  redis = await startRedis()
  const storeDir = temporaryFolder()
  store = new Store(storeDir)
  const feed = await openFeed(store, storeDir, redis.url)
  await feed.change(() => createAccount(store, 'acme', 'free', Date.now()))
  await feed.close()
  connection = new FeedConnection(redis.url)
  await connection.connect()
  signIns = new SharedSignIns(connection, store)
})

after(async () => {
  if (skip) return
  connection.close()
  await store.close()
  await redis.stop()
})

async function signIn(now: number): Promise<string> {
  const used = await signIns.useLink((await signIns.makeLink('acme', now)).token, now)
  assert.ok(used !== undefined && 'session' in used)
  return used.session
}

/** How long the store keeps what has such a name, in ms; several must agree. */
async function keptMs(pattern: string): Promise<number[]> {
  const names = await connection.redis.keys(pattern)
  return Promise.all(names.map((name) => connection.redis.pttl(name)))
}

describe('a session that servers share', { skip }, () => {
  for (const each of sessionCases) {
    it(each.what, async () => {
      const now = Date.now()
      const token = await signIn(now)
      for (const { at, isPage } of visitsOf(each)) assert.ok(await signIns.findSession(token, now + at, isPage))
      assert.equal((await signIns.findSession(token, now + each.at, false)) !== undefined, each.isGood)
    })
  }

  it('is counted until it ends, and gone from the store soon after', async () => {
    await signIns.signOut('acme', Date.now())
    const now = Date.now()
    const others = [await signIn(now), await signIn(now - 2 * sessionIdleMsMax)]
    const token = await signIn(now)
    const lists = await connection.redis.keys('*:sessions*')
    assert.deepEqual(
      await Promise.all(lists.map((list) => connection.redis.zcard(list))),
      [2, 2],
      'the ended one has left',
    )
    for (const other of others) await signIns.endSession(other)
    const end = sessionIdleMsMax + sessionNoteMs
    assert.deepEqual([await signIns.count(now + end - 1), await signIns.count(now + end)], [1, 0])
    assert.ok((await keptMs('*:session:*')).every((ms) => ms > 0 && ms <= sessionMsMax))
    await signIns.findSession(token, now + sessionNoteMs, true)
    assert.equal(await signIns.count(now + end), 1)
    await signIns.endSession(token)
    await signIns.endSession(token)
    await signIns.endSession(makeToken().token)
    assert.equal(await signIns.count(now), 0)
    assert.equal(await signIns.findSession(token, now, true), undefined)
  })

  it('is ended with all of its account, and told how many there were', async () => {
    const now = Date.now()
    const tokens = [await signIn(now), await signIn(now), await signIn(now - 13 * 3_600_000)]
    assert.equal(await signIns.signOut('acme', now), 2)
    for (const token of tokens) assert.equal(await signIns.findSession(token, now, true), undefined)
    assert.equal(await signIns.count(now), 0)
  })
})

describe('a link that servers share', { skip }, () => {
  it('is good for 15 minutes, old from then on, and gone from the store a week later', async () => {
    const now = Date.now()
    const { token, expiresAt } = await signIns.makeLink('acme', now)
    assert.equal(expiresAt, now + signInLinkMsMax)
    assert.equal((await signIns.findLink(token, expiresAt - 1))?.state, 'good')
    assert.equal((await signIns.findLink(token, expiresAt))?.state, 'old')
    assert.deepEqual(await signIns.useLink(token, expiresAt), { state: 'old' })
    const kept = await keptMs('*:link:*')
    assert.ok(kept.every((ms) => ms > signInLinkKeptMs && ms <= signInLinkMsMax + signInLinkKeptMs))
    assert.ok((await keptMs('*:links:*')).every((ms) => ms > 0 && ms <= signInLinkMsMax))
  })

  it('is used once, and is used by the account being signed out', async () => {
    const now = Date.now()
    const [one, two] = [await signIns.makeLink('acme', now), await signIns.makeLink('acme', now)]
    assert.ok('session' in (await signIns.useLink(one.token, now))!)
    assert.deepEqual(await signIns.useLink(one.token, now), { state: 'used' })
    await signIns.signOut('acme', now)
    assert.deepEqual(await signIns.useLink(two.token, now), { state: 'used' })
    assert.ok(
      (await keptMs('*:link:*')).every((ms) => ms > signInLinkKeptMs),
      'used ones say so as long',
    )
    assert.equal(await signIns.findLink(makeToken().token, now), undefined)
  })
})
