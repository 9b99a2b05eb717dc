/** Changes in a real Redis, without servers: what meets another change, gets no answer, is too large, or is not confirmed. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { replicationAnswerBytesMax } from '../../src/accounts/replication/accounts-scripts.ts'
import { Replica } from '../../src/accounts/replication/replica.ts'
import {
  connectionNameOf,
  keyNamed,
  ReplicationConnection,
} from '../../src/accounts/replication/replication-connection.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { SharedStore, type SyncResult } from '../../src/accounts/replication/shared-store.ts'
import { serverGoneMsMin } from '../../src/accounts/replication/timing.ts'
import { pushAccounts } from '../../src/accounts/replication/upload.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const redis = await startRedis()
type Changes = Extract<SyncResult, { state: 'changes' }>

describe('a change of shared accounts', { skip, timeout: 60_000 }, () => {
  let office: Awaited<ReturnType<typeof machine>>
  const open: { close(): unknown }[] = []
  before(async () => {
    office = await machine()
    await create(office, 'first')
  })
  after(async () => {
    for (const each of open) await each.close()
  })

  /** A machine's replica and its connection. */
  async function machine(Shared = SharedStore, storeDir = temporaryFolder()) {
    const [store, connection] = [new Store(storeDir), new ReplicationConnection(redis.url)]
    await connection.connect()
    const shared = new Shared(connection)
    open.push(connection, store)
    return { store, connection, shared, replica: new Replica(store), replication: new SharedReplication(store, shared) }
  }
  const create = ({ store, replication }: typeof office, ...names: string[]) =>
    replication.change(() => {
      for (const name of names) createAccount(store, name, 'free', 1)
    })

  it('is tried again if the server of its machine applied another one just then', async () => {
    const storeDir = temporaryFolder()
    const server = await machine(SharedStore, storeDir)
    let applyTheirs: (() => void) | undefined
    /** Another machine makes a change as soon as the replica is up to date. */
    class Slow extends SharedStore {
      override async sync(...about: Parameters<SharedStore['sync']>): Promise<SyncResult> {
        const result = await super.sync(...about)
        if (result.state !== 'same' || applyTheirs !== undefined) return result
        await create(office, 'theirs')
        const { state, nextNumbers } = server.replica
        const { changes } = (await super.sync(state, nextNumbers)) as Changes
        applyTheirs = () => server.replica.apply(state!, changes)
        return result
      }
    }
    const ours = await machine(Slow, storeDir)
    const tryIt = ours.store.try.bind(ours.store)
    let tries = 0
    ours.store.try = (action) => {
      const tried = tryIt(action)
      if (tries++ === 0) applyTheirs!()
      return tried
    }
    await create(ours, 'ours')
    assert.equal(tries, 2)
    await office.replication.refresh()
    const names = [...office.store.allAccounts()].map(({ name }) => name)
    assert.deepEqual(names, ['first', 'theirs', 'ours'])
    assertSameContents(contentsOf(ours.store), contentsOf(office.store))
  })

  for (const isSent of [true, false]) {
    it(`that was ${isSent ? '' : 'not '}sent and not answered ${isSent ? 'may have been' : 'was not'} made`, async () => {
      let attempts = 0
      /** It hangs when the change is sent, and is gone when it is sent again; or it is gone before. */
      class Failing extends SharedStore {
        async goAway() {
          this.connection.redis.disconnect()
          await until('it is gone', () => this.connection.runId === undefined)
        }
        override async sync(...about: Parameters<SharedStore['sync']>): Promise<SyncResult> {
          const result = await super.sync(...about)
          if (!isSent && result.state === 'same') await this.goAway()
          return result
        }
        override async append(...about: Parameters<SharedStore['append']>): ReturnType<SharedStore['append']> {
          attempts++
          if (attempts === 1 && isSent) redis.hang()
          if (attempts === 2 && isSent) await this.goAway()
          return super.append(...about)
        }
      }
      const failing = await machine(Failing)
      const reason = isSent ? /: whether the change was made is not known$/ : /can't be asked \([^)]*\)$/
      await assert.rejects(create(failing, `made ${isSent}`), { message: reason }).finally(() => redis.resume())
      assert.ok(attempts >= 2, `${attempts} attempts`)
      await until('it answers', () => office.connection.runId !== undefined)
    })
  }

  it('is sent to a replica that is far behind in pieces, each of a bounded size', async () => {
    const late = await machine()
    await late.replication.refresh()
    for (const many of ['one', 'two', 'three']) {
      await create(office, ...Array.from({ length: 2500 }, (_, i) => `${many} ${i} ${'x'.repeat(70)}`))
    }
    const result = await late.shared.sync(late.replica.state, late.replica.nextNumbers)
    assert.equal(result.state, 'changes')
    const sizes = (result as Changes).changes.map(({ changeset }) => changeset.length)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(sizes.length === 1 || bytes <= replicationAnswerBytesMax, `${sizes} bytes`)
    assert.ok(bytes + Math.max(...sizes) > replicationAnswerBytesMax, `${sizes} bytes`)
    await late.replication.refresh()
    assertSameContents(contentsOf(late.store), contentsOf(office.store))
  })

  it('replaces the snapshot when the changes since then have become large', async () => {
    const { redis } = office.connection
    const snapshot = () => redis.hget(keyNamed('store'), 'snapshot')
    const first = await snapshot()
    await create(office, 'small')
    assert.equal(await snapshot(), first)
    await redis.hset(keyNamed('store'), 'log', 16 * 1024 * 1024)
    await create(office, 'large')
    assert.notEqual(await snapshot(), first)
    assert.equal(await redis.hget(keyNamed('store'), 'log'), '0')
    const late = await machine()
    await late.replication.refresh()
    assertSameContents(contentsOf(late.store), contentsOf(office.store))
  })

  describe('that lies before a snapshot of several parts', () => {
    let key: string
    let name: string
    before(async () => {
      // The test before this one has made 7,500 accounts.
      await office.replica.withSnapshot((file, state) => office.shared.saveSnapshot(file, state!))
      name = (await office.connection.redis.hget(keyNamed('store'), 'snapshot'))!
      key = keyNamed(`snapshot:${name}`)
      assert.ok((await office.connection.redis.llen(key)) >= 2)
    })

    it('is loaded from it', async () => {
      const late = await machine()
      await late.replication.refresh()
      assertSameContents(contentsOf(late.store), contentsOf(office.store))
    })

    it('is not loaded from it if one of its bytes is lost or different', async () => {
      const { redis: client } = office.connection
      const whole = (await client.lindexBuffer(key, 0))!
      const different = Buffer.from(whole)
      different[whole.length - 1]! ^= 1
      for (const damaged of [whole.subarray(0, -1), different]) {
        await client.lset(key, 0, damaged)
        const late = await machine()
        await assert.rejects(late.replication.refresh(), {
          message: "the accounts' store holds a damaged snapshot: push a replica (card-prices accounts push)",
        })
        assert.equal(late.replica.hasData, false)
      }
      await client.lset(key, 0, whole)
    })

    it('is not loaded from it if it expires meanwhile', async () => {
      const { connection, shared } = await machine()
      const { redis: client } = connection
      const query = connection.query.bind(connection)
      connection.query = async (asked) => {
        const answer = await query(asked)
        if (Buffer.isBuffer(answer)) await client.rename(key, 'gone')
        return answer
      }
      const loading = shared.loadSnapshot(name, join(temporaryFolder(), 'snapshot'))
      await assert.rejects(loading, {
        message: "the accounts' store has replaced the snapshot that was read: try again",
      })
      await assert.rejects(shared.loadSnapshot('none', join(temporaryFolder(), 'snapshot')), {
        message: "the accounts' store has lost its snapshot: push a replica (card-prices accounts push)",
      })
      await client.rename('gone', key)
    })
  })

  it('gives no number again under which a server counts, also after a push of a store that is behind', async () => {
    const server = { serverId: 'ahead', process: 'ahead', isFirst: true, address: 'ahead:1' }
    const ahead = {
      nextAccount: office.store.counter('nextAccount') + 70,
      nextKey: office.store.counter('nextKey') + 90,
    }
    await office.shared.sync(undefined, ahead, server)
    await pushAccounts(office.store.dir, redis.url, true)
    await create(office, 'after')
    assert.equal(office.store.accountNumber('after'), ahead.nextAccount)
    assert.equal(office.store.counter('nextKey'), ahead.nextKey + 1)
  })

  it('is waited for until a killed server counts as dead, and as long as a frozen one may take to confirm', async () => {
    // The store has run for long, so a server without a heartbeat is not expected to be reconnecting.
    await office.connection.redis.hset(keyNamed('store'), 'since', 0)
    /** Sends the heartbeat of a server that has no replica. */
    const connect = async (serverId: string, name?: string) => {
      const connection = new ReplicationConnection(redis.url, name)
      open.push(connection)
      await connection.connect()
      const server = { serverId, process: serverId, isFirst: true, address: `${serverId}:1` }
      await new SharedStore(connection).sync(undefined, { nextAccount: 0, nextKey: 0 }, server)
      return connection
    }
    const confirm = async (): Promise<[warning: string | undefined, ms: number]> => {
      const from = performance.now()
      return [await office.replication.confirm(100), performance.now() - from]
    }
    const killed = await connect('killed')
    const [nothing, msUntilDead] = await confirm()
    assert.equal(nothing, undefined)
    assert.ok(msUntilDead > serverGoneMsMin / 2, `${msUntilDead} ms`)
    killed.close()
    await connect('frozen', connectionNameOf('frozen'))
    const [warning, msUntilNamed] = await confirm()
    assert.equal(warning, 'the change is stored, but frozen:1 did not confirm it within 0.1 s')
    assert.ok(msUntilNamed < serverGoneMsMin, `${msUntilNamed} ms`)
  })
})
