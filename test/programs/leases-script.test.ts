/** The fleet model's rule for the quota store equals that of its script in a real Redis. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { grantOf } from '../../bench/fleet/account-day.ts'
import { quotaRecoveryMs } from '../../src/limits.ts'
import { planNames } from '../../src/plans.ts'
import { newLease } from '../../src/quota/leases/lease.ts'
import { QuotaStore } from '../../src/quota/leases/quota-store.ts'
import { skipWithout } from '../support/programs.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'

const seed = 18
const questions = 2000
const skip = skipWithout('redis-server')
let redis: RedisServer
const stores: QuotaStore[] = []

before(async () => {
  if (skip) return
  redis = await startRedis()
  const options = { url: redis.url, failOpen: false, log: pino({ level: 'silent' }) }
  const events = { onBack: () => undefined, onConnected: () => undefined }
  for (const name of ['one', 'two', 'three']) stores.push(new QuotaStore(options, name, events))
  for (const store of stores) await store.connect()
  await pause(quotaRecoveryMs)
})

after(async () => {
  for (const store of stores) store.close()
  await redis?.stop()
})

it('the model grants what the script grants', { skip }, async () => {
  const random = randomFrom(seed)
  const accounts = Array.from({ length: 20 }, (_, i) => {
    const plan = drawFrom(random, planNames)
    const of = { account: i, day: 20_000, accountId: `account ${i}`, usedEarlier: 0, wasForgotten: false }
    return stores.map(() => newLease(of, plan))
  })
  for (let i = 0; i < questions; i++) {
    const leases = drawFrom(random, accounts)
    const asking = drawBelow(random, stores.length)
    const lease = leases[asking]!
    const { limit } = lease
    // Some give back what they have not used.
    if (random() < 0.2) lease.granted = drawBelow(random, lease.granted + 1)
    const want = random() < 0.2 ? 0 : 1 + drawBelow(random, limit / 4)
    const held = lease.granted
    const total = leases.reduce((sum, { granted }) => sum + granted, 0)
    const { granted } = await stores[asking]!.exchange([lease], want)
    assert.equal(granted, grantOf(limit, total, want), `${want} of ${limit}, ${total} granted`)
    assert.deepEqual([lease.granted, lease.othersGranted], [held + granted, total - held])
  }
})
