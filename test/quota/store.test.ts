/** A lease and the quota store, each by itself: how much is asked for, and why nothing can be. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Redis } from 'ioredis'
import pino from 'pino'
import {
  availableOf,
  durationMs,
  fittingSize,
  hasExpired,
  keptSize,
  Lease,
  recordOthers,
  setLimit,
} from '../../src/quota/leases/lease.ts'
import { epochKey, quotaScripts } from '../../src/quota/leases/lease-scripts.ts'
import { QuotaStore } from '../../src/quota/leases/quota-store.ts'
import { RedisConnection } from '../../src/redis.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const redis = await startRedis()

const leaseWith = (fields: Partial<Lease>) => Object.assign(new Lease(7, 'key', 9, 'free'), fields)

it('the next lease is larger after one that was used up fast, smaller after one that lasted, within bounds', () => {
  assert.equal(fittingSize(leaseWith({ nextSize: 50 }), 0), 50, 'the first')
  for (const [nextSize, ms, expected] of [
    [4, 249, 8],
    [4, 250, 4],
    [4, 2000, 4],
    [4, 2001, 2],
    [5, 2001, 3],
    [2, 2001, 2],
    [8, 0, 13],
    [13, 1000, 13],
  ] as const) {
    assert.equal(fittingSize(leaseWith({ nextSize, grantedAt: 100 }), 100 + ms), expected, `${nextSize} after ${ms} ms`)
  }
})

it('a lease ends sooner, and less of it is kept, the more of the quota is granted', () => {
  for (const [granted, others, duration, kept] of [
    [0, 0, 30_000, 2],
    [60, 40, 30_000, 2],
    [60, 41, 1000, 2],
    [100, 75, 1000, 2],
    [100, 76, 1000, 0],
  ] as const) {
    const lease = leaseWith({ granted, grantedAt: 100, isRecalled: true, isUnreported: true })
    assert.deepEqual([durationMs(lease), keptSize(lease)], [1000, 0], 'recalled')
    recordOthers(lease, { one: others - 1, two: 1 })
    assert.deepEqual([lease.isRecalled, lease.isUnreported, lease.others], [false, false, { one: others - 1, two: 1 }])
    assert.deepEqual([durationMs(lease), keptSize(lease), availableOf(lease)], [duration, kept, 200 - others])
    assert.deepEqual([hasExpired(lease, 100 + duration), hasExpired(lease, 101 + duration)], [false, true])
    assert.equal(hasExpired({ ...lease, grantedAt: undefined }, 1e9), false)
  }
})

it('another plan gives a lease another limit', () => {
  const lease = leaseWith({})
  setLimit(lease, 'trader')
  recordOthers(lease, { one: 10_001 })
  assert.deepEqual([lease.limit, lease.nextSize, availableOf(lease)], [10_000, 100, 0])
})

it('a connection that is closed while it starts tells its listeners nothing', { skip }, async () => {
  const connection = new RedisConnection(redis.url, { commandMsMax: 1000, reconnectMs: 1000 })
  connection.listen({ onAway: assert.fail, onBack: assert.fail })
  connection.redis.once('ready', () => connection.close())
  await connection.connect()
})

it('a connection that was closed can’t be asked, and tells its listeners nothing', { skip }, async () => {
  const connection = new RedisConnection(redis.url, { commandMsMax: 1000, reconnectMs: 1000 })
  await connection.connect()
  assert.notEqual(connection.runId, undefined)
  connection.listen({ onAway: assert.fail, onBack: assert.fail })
  const closed = once(connection.redis, 'close')
  connection.close()
  assert.equal(connection.runId, undefined)
  await closed
})

it('a connection to Redis tells in one line why its server can not be asked, and is made again when it can', {
  skip,
}, async (test) => {
  const client = new Redis(redis.url)
  const connections: RedisConnection[] = []
  test.after(() => [client, ...connections.map((one) => one.redis)].map((one) => one.disconnect()))
  const heard: string[] = []
  const connect = async (url: string) => {
    const connection = new RedisConnection(url, { commandMsMax: 1000, reconnectMs: 20 }, 'a-name')
    connections.push(connection)
    connection.define(quotaScripts, epochKey)
    assert.equal(connection.reason, 'not connected yet')
    connection.listen({ onAway: (reason) => heard.push(reason), onBack: () => heard.push('back') })
    await connection.connect()
    return connection
  }
  assert.equal(
    new RedisConnection('redis://:secret@nowhere', { commandMsMax: 1, reconnectMs: 1 }).place,
    'nowhere:6379',
  )
  const nobody = await connect('redis://127.0.0.1:1')
  nobody.close()
  assert.deepEqual([nobody.place, nobody.reason], ['127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'])
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
  heard.length = 0
  const evicting = await connect(redis.url)
  assert.equal(evicting.reason, 'its maxmemory-policy is allkeys-lru: set noeviction, or it drops keys')
  assert.deepEqual([evicting.runId, new Set(heard)], [undefined, new Set([evicting.reason])])
  await client.config('SET', 'maxmemory-policy', 'noeviction')
  await until('it is back', () => evicting.runId !== undefined)
  assert.match(await client.info(), new RegExp(`^run_id:${evicting.runId}\r$`, 'm'))
  assert.match(String(await client.client('LIST')), / name=a-name /)
  await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await until('it is back again', () => heard.at(-2) === 'the connection is closed' && heard.at(-1) === 'back')
  for (const [rights, reason] of [
    [['+@all', '-hset', '-expire'], /^its user may not run hset, expire: allow that by ACL SETUSER$/i],
    [['+@all', '-info'], /^NOPERM .* 'info' .*: allow that by ACL SETUSER$/],
  ] as const) {
    await client.call('ACL', 'SETUSER', 'few', 'reset', 'on', '>word', '~*', ...rights)
    const few = await connect(redis.url.replace('//', '//few:word@'))
    few.close()
    assert.match(few.reason, reason)
    assert.equal(few.runId, undefined)
  }
})

it('a quota store that is closed while it does not answer logs nothing', { skip }, async () => {
  const log = pino({}, { write: (line) => assert.fail(line) })
  const store = new QuotaStore(
    { url: redis.url, failOpen: false, log },
    () => {},
    () => {},
  )
  await store.connect()
  redis.hang()
  const asked = store.poll()
  store.close()
  await asked.finally(() => redis.resume())
})
