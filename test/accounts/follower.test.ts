/** A server that follows the accounts' store, without its threads: what it logs of each state, and when keys are let in. */

import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { createAccount } from '../../src/accounts/registry.ts'
import { Follower } from '../../src/accounts/replication/follower.ts'
import { keyNamed, ReplicationConnection } from '../../src/accounts/replication/replication-connection.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { replicationPollMs } from '../../src/accounts/replication/timing.ts'
import { pushAccounts } from '../../src/accounts/replication/upload.ts'
import { FreshnessLease, reserveAccounts } from '../../src/accounts/shared.ts'
import { rejectionLogMs } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const redis = await startRedis()
const wayOut = "restore Redis's own backup, or upload a replica (card-prices accounts push)"

describe('a server that shares accounts', { skip, timeout: 60_000 }, () => {
  const place = new URL(redis.url).host
  const office = new Store(temporaryFolder())
  const replication = SharedReplication.open(office, redis.url)
  const followers: Follower[] = []
  after(async () => {
    await replication.close()
    await office.close()
  })
  afterEach(() => Promise.all(followers.splice(0).map((follower) => follower.close())))
  const create = (name: string) => replication.change(() => createAccount(office, name, 'free', 1))

  async function following(serverId?: string) {
    const [lines, rare]: [string[], string[]] = [[], []]
    /** Of a machine that is busy, and of a replica that the test changes while the store answers. */
    const isRare = (line: string) => /was frozen|than what servers have/.test(line)
    const write = (line: string) => (isRare(line) ? rare : lines).push(line)
    const log = pino({ base: null, timestamp: false }, { write })
    const store = new Store(temporaryFolder())
    store.write(() => store.setSetting('serverId', serverId))
    const freshness = new FreshnessLease(reserveAccounts(store.dir, false, true).freshness!)
    const options = { store, url: redis.url, log, freshness, invalidateThreads: () => {}, address: 'web:8080' }
    const follower = await Follower.start(options)
    followers.push(follower)
    /** The lines since the last call, and no further one. */
    const logged = async (...wanted: (readonly [level: number, text: string])[]) => {
      await until('it is logged', () => lines.length >= wanted.length)
      await pause(replicationPollMs)
      const found = lines.splice(0).map((line) => JSON.parse(line))
      const actual = found.map(({ level, msg }) => [level, msg])
      assert.deepEqual(actual, wanted)
    }
    return { store, follower, freshness, logged, rare }
  }
  const rejected = (why: string, effect = 'keys are checked against the replica') =>
    [50, `the accounts' store at ${place} ${why}; until then ${effect}`] as const

  it('logs once why it can not follow the store, and follows it when it can', async ({ mock }) => {
    const { store, follower, freshness, logged, rare } = await following()
    const accepted = [30, "the accounts' store is accepted again"] as const
    assert.deepEqual(follower.figures, { isUp: true, behind: 0, isRejected: true })
    await logged(rejected('is empty: no account has been created there yet', 'requests get 503'))
    assert.equal(freshness.holds, false)
    await create('first')
    await logged(accepted)
    assert.deepEqual([follower.figures, freshness.holds], [{ isUp: true, behind: 0, isRejected: false }, true])
    assertSameContents(contentsOf(store), contentsOf(office))

    const state = store.setting('copyOf')!
    for (const [changed, why] of [
      [{ number: 9 }, `is older, with 2 changes, than this replica with 9: ${wayOut}`],
      [{ mark: '1' }, `has other changes than this replica: ${wayOut}`],
      [{ id: 'x' }, 'has other accounts than this replica: correct ACCOUNTS_STORE, or empty STORE_DIR'],
    ] as const) {
      store.write(() => store.setSetting('copyOf', { ...state, ...changed }))
      await logged(rejected(why))
      assert.deepEqual([follower.figures, freshness.holds], [{ isUp: true, behind: 0, isRejected: true }, true])
      if ('number' in changed) {
        const message = `the accounts' store at ${place} is older than what servers have: ${wayOut}`
        await assert.rejects(create('late'), { message })
      }
      store.write(() => store.setSetting('copyOf', state))
      await logged(accepted)
    }
    await redis.stop()
    await logged([40, `the accounts' store is away: keys are checked against the replica, and changes are refused`])
    assert.deepEqual([follower.figures, freshness.holds], [{ isUp: false, behind: 0, isRejected: false }, true])
    await redis.start()
    const isEmpty = rejected(`is empty, and this replica has 2 changes: ${wayOut}`)
    await logged([30, "the accounts' store is back"], isEmpty)
    // It was frozen for longer than a rejection is logged again.
    const { now } = performance
    mock.method(performance, 'now', () => now.call(performance) + rejectionLogMs)
    assert.equal(freshness.holds, false)
    await logged(isEmpty)
    const frozen = 'this server was frozen for a while: it answers 503 until its accounts are up to date'
    assert.equal(rare.at(-1), `{"level":40,"msg":"${frozen}"}\n`)
    assert.equal(freshness.holds, true)
    mock.restoreAll()
    await pushAccounts(office.dir, redis.url, false)
    await logged(accepted)
    assertSameContents(contentsOf(store), contentsOf(office))
  })

  it('that has the id of a later one, since a STORE_DIR was copied, accepts no key, and signs off alone', async () => {
    const first = await following()
    const { store, ...second } = await following(first.store.serverId())
    const advice = "is used by another server with this one's id: was its STORE_DIR copied?"
    await first.logged(rejected(`${advice} Stop one of them and empty its STORE_DIR`, 'requests get 503'))
    await second.logged()
    assert.deepEqual([first.freshness.holds, second.freshness.holds], [false, true])
    second.follower.address = 'web:8081'
    await first.follower.close()
    await pause(2 * replicationPollMs)
    const { id, number } = store.setting('copyOf')!
    // Nor is the server of the case before among them.
    const { servers } = await second.follower.shared.servers()
    const found = servers.map(({ silentMs: _, ...server }) => ({ ...server, process: '' }))
    const expected = {
      process: '',
      address: 'web:8081',
      store: id,
      number,
      nextAccount: 1,
      nextKey: 1,
      isConnected: true,
    }
    assert.deepEqual(found, [expected])

    const { redis: client } = second.follower.shared.connection
    const name = keyNamed(`snapshot:${await client.hget(keyNamed('store'), 'snapshot')}`)
    await client.rename(name, 'gone')
    const third = await following()
    const effect = 'requests get 503, because there is no replica yet'
    await third.logged([40, `the accounts' store is away: ${effect}, and changes are refused`])
    assert.deepEqual([third.follower.figures.isUp, third.freshness.holds], [false, false])
    await client.rename('gone', name)
    await third.logged([30, "the accounts' store is back"])
    assert.equal(third.freshness.holds, true)
  })

  it('stays signed off if its connection comes back while it signs off', async () => {
    const { store, follower } = await following()
    const { shared } = follower
    const sync = shared.sync.bind(shared)
    shared.sync = async (...about) => {
      const result = await sync(...about)
      if (about[2]?.leaves) {
        shared.connection.redis.disconnect(true)
        await until('it is gone', () => shared.connection.runId === undefined)
        await until('it is back', () => shared.connection.runId !== undefined)
        // As long as a heartbeat takes.
        await shared.connection.redis.ping()
      }
      return result
    }
    await follower.close()
    const client = new ReplicationConnection(redis.url)
    await client.connect()
    try {
      assert.equal(await client.redis.hexists(keyNamed('servers'), store.serverId()), 0)
    } finally {
      client.close()
    }
  })
})
