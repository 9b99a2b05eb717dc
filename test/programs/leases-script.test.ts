/** The fleet model's rule for the quota store equals that of its script in a real Redis. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { grantOf } from '../../bench/fleet/account-day.ts'
import { quotaRecoveryMs } from '../../src/limits.ts'
import { plans } from '../../src/plans.ts'
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
  const nothing = () => undefined
  for (const name of ['one', 'two', 'three']) stores.push(new QuotaStore(redis.url, name, nothing, nothing))
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
    const { requestsPerDay: limit } = drawFrom(random, Object.values(plans))
    return { account: `account ${i}`, limit, held: stores.map(() => 0) }
  })
  for (let i = 0; i < questions; i++) {
    const { account, limit, held } = drawFrom(random, accounts)
    const asking = drawBelow(random, stores.length)
    // Some give back what they have not used.
    if (random() < 0.2) held[asking] = drawBelow(random, held[asking]! + 1)
    const want = random() < 0.2 ? 0 : 1 + drawBelow(random, limit / 4)
    const total = held.reduce((sum, one) => sum + one, 0)
    const question = {
      date: '2026-11-22',
      accountId: account,
      limit,
      held: held[asking]!,
      size: want,
      others: new Map(),
    }
    const { granted, others } = await stores[asking]!.lease(question)
    assert.equal(granted, grantOf(limit, total, want), `${want} of ${limit}, ${total} granted`)
    assert.equal(
      [...others.values()].reduce((sum, one) => sum + one, 0),
      total - held[asking]!,
    )
    held[asking]! += granted
  }
})
