/** For how long a change waits for servers that do not confirm it: one without a connection may turn out to be dead. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Redis } from 'ioredis'
import { connectionNameOf, keyNamed, ReplicationConnection } from '../../src/accounts/replication/connection.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { SharedStore } from '../../src/accounts/replication/shared-store.ts'
import { serverGoneMsMin } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { runAccountsOf, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'

it('a killed server is waited for until it counts as dead, a frozen one for as long as it may take to confirm', {
  skip: skipWithout('redis-server'),
  timeout: 30_000,
}, async (test) => {
  const redis = await startRedis()
  test.after(() => redis.stop())
  const storeDir = temporaryFolder()
  const created = await runAccountsOf(
    { STORE_DIR: storeDir, ACCOUNTS_STORE: redis.url },
    'create',
    'acme',
    '--plan',
    'free',
  )
  assert.equal(created.code, 0, created.stderr)
  // The store has run for long, so a server without a heartbeat is not expected to be reconnecting.
  const client = new Redis(redis.url)
  await client.hset(keyNamed('store'), 'since', 0)
  client.disconnect()
  const store = new Store(storeDir)
  const replication = SharedReplication.open(store, redis.url)
  await replication.refresh()

  /** Sends the heartbeat of a server that has no replica. */
  const sendHeartbeat = async (serverId: string, connection: ReplicationConnection) => {
    await connection.connect()
    const server = { serverId, process: serverId, isFirst: true, address: `${serverId}:1` }
    await new SharedStore(connection).sync(undefined, { nextAccount: 0, nextKey: 0 }, server)
  }
  const confirm = async (): Promise<[warning: string | undefined, ms: number]> => {
    const from = performance.now()
    return [await replication.confirm(100), performance.now() - from]
  }

  const killed = new ReplicationConnection(redis.url)
  await sendHeartbeat('killed', killed)
  const [nothing, msUntilDead] = await confirm()
  assert.equal(nothing, undefined)
  assert.ok(msUntilDead > serverGoneMsMin / 2, `${msUntilDead} ms`)
  killed.close()

  const frozen = new ReplicationConnection(redis.url, connectionNameOf('frozen'))
  await sendHeartbeat('frozen', frozen)
  const [warning, msUntilNamed] = await confirm()
  assert.equal(warning, 'the change is stored, but frozen:1 did not confirm it within 0.1 s')
  assert.ok(msUntilNamed < serverGoneMsMin, `${msUntilNamed} ms`)
  frozen.close()
  await replication.close()
  await store.close()
})
