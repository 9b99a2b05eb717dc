/** The rule by which the quota store grants, beside its script in a real Redis. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { planNames } from '../../src/plans.ts'
import { Lease } from '../../src/quota/leases/lease.ts'
import { leaseShare, quotaKey } from '../../src/quota/leases/lease-scripts.ts'
import { QuotaStore } from '../../src/quota/leases/quota-store.ts'
import { quotaRecoveryMs } from '../../src/quota/leases/timing.ts'
import { skipWithout } from '../support/programs.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'

/** As much as is wanted, at most a share of what is left, at least 1. @param total granted to all servers */
const grantOf = (limit: number, total: number, want: number): number =>
  total < limit && want > 0 ? Math.max(1, Math.min(want, Math.floor((limit - total) / leaseShare))) : 0

const seed = 18
const questions = 2000
const skip = skipWithout('redis-server')
let redis: RedisServer
const stores: QuotaStore[] = []

before(async () => {
  if (skip) return
  redis = await startRedis()
  const options = { url: redis.url, failOpen: false, log: pino({ level: 'silent' }) }
  const nothing = () => undefined
  for (let i = 0; i < 3; i++) stores.push(new QuotaStore(options, nothing, nothing))
  for (const store of stores) await store.connect()
  await pause(quotaRecoveryMs)
})

after(async () => {
  for (const store of stores) store.close()
  await redis?.stop()
})

it('the script grants what the rule says', { skip }, async () => {
  const random = randomFrom(seed)
  const accounts = Array.from({ length: 20 }, (_, i) => {
    const plan = drawFrom(random, planNames)
    return stores.map(() => new Lease(i, quotaKey('2026-11-22', `account ${i}`), 0, plan))
  })
  for (let i = 0; i < questions; i++) {
    const leases = drawFrom(random, accounts)
    const asking = drawBelow(random, stores.length)
    const lease = leases[asking]!
    const { limit } = lease
    // Some give back what they have not used.
    if (random() < 0.2) lease.granted = drawBelow(random, lease.granted + 1)
    const want = random() < 0.2 ? 0 : 1 + drawBelow(random, limit / 4)
    const total = leases.reduce((sum, { granted }) => sum + granted, 0)
    const before = lease.granted
    const { granted } = await stores[asking]!.exchange([lease], want)
    assert.equal(granted, grantOf(limit, total, want), `${want} of ${limit}, ${total} granted`)
    assert.deepEqual([lease.granted, lease.othersGranted], [before + granted, total - before])
  }
})
