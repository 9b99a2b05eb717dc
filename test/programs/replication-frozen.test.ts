/** A server that was frozen as virtual machines are: when it goes on, it reads what has come before any of its timers runs. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pino from 'pino'
import { createAccount } from '../../src/accounts/registry.ts'
import { Follower } from '../../src/accounts/replication/follower.ts'
import { FreshnessLease } from '../../src/accounts/replication/freshness-lease.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { replicationGapMsMax } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
let redis: RedisServer

before(async () => {
  if (skip) return
  redis = await startRedis()
})
after(() => redis?.stop())

it('trusts no answer to what it asked before', { skip, timeout: 60_000 }, async () => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const replication = SharedReplication.open(store, redis.url)
  await replication.change(() => createAccount(store, 'acme', 'free', Date.now()))
  const now = performance.now.bind(performance)
  const happened: string[] = []
  let isToFreeze = false
  // Each look at the clock extends the trust: the first one with a question under way is the last before the freeze.
  class Watched extends FreshnessLease {
    override extend(ms: number): void {
      super.extend(ms)
      happened.push('extended')
      if (!isToFreeze) return
      isToFreeze = false
      happened.length = 0
      const frozenMs = 2 * replicationGapMsMax
      performance.now = () => now() + frozenMs
      redis.resume()
    }
  }
  const log = pino({ level: 'warn' }, { write: (line) => happened.push(JSON.parse(line).msg) })
  const trust = new Watched(new SharedArrayBuffer(4))
  const options = {
    store,
    storeDir,
    url: redis.url,
    log,
    freshness: trust,
    invalidateThreads: () => undefined,
    address: 'here',
  }
  const follower = await Follower.start(options)
  try {
    redis.hang()
    happened.length = 0
    await until('a question is under way', () => happened.length >= 2)
    isToFreeze = true
    await until('it goes on', () => !isToFreeze && happened.length > 0)
    assert.match(happened[0]!, /was frozen for a while/)
    await until('it has asked anew', () => happened.includes('extended'))
  } finally {
    performance.now = now
    redis.resume()
    await follower.close()
    await replication.close()
    await store.close()
  }
})
