/** A real Redis's processor time for a question about a lease, by how many servers its account is known to use. */
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pino from 'pino'
import { quotaRecoveryMs } from '../../src/limits.ts'
import { Lease } from '../../src/quota/leases/lease.ts'
import { quotaKey } from '../../src/quota/leases/lease-scripts.ts'
import { QuotaStore } from '../../src/quota/leases/quota-store.ts'
import { startRedis } from '../../test/support/redis.ts'

const connections = 16
const questionsEach = 200

export async function questionCosts(): Promise<{ fields: number; us: number }[]> {
  const server = await startRedis()
  const redis = new Redis(server.url)
  const nothing = () => undefined
  const options = { url: server.url, failOpen: false, log: pino({ level: 'silent' }) }
  const asking = Array.from({ length: connections }, () => new QuotaStore(options, nothing, nothing))
  for (const store of asking) await store.connect()
  await pause(quotaRecoveryMs)
  const costs: { fields: number; us: number }[] = []
  for (const fields of [1, 10, 100, 1000]) {
    const others = Object.fromEntries(Array.from({ length: fields - 1 }, (_, i) => [`${i}`.padStart(8, '-'), 1]))
    const ask = async (store: QuotaStore, i: number) => {
      const lease = new Lease(0, quotaKey('2026-11-22', `${fields} ${i}`), 0, 'business')
      lease.others = others
      for (lease.granted = 0; lease.granted < questionsEach; lease.granted++) await store.exchange([lease])
    }
    const before = await cpuSeconds(redis)
    await Promise.all(asking.map(ask))
    const used = (await cpuSeconds(redis)) - before
    costs.push({ fields, us: (used / connections / questionsEach) * 1e6 })
  }
  for (const store of asking) store.close()
  redis.disconnect()
  await server.stop()
  return costs
}

async function cpuSeconds(redis: Redis): Promise<number> {
  const times = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)
  return [...times].reduce((sum, [, seconds]) => sum + Number(seconds), 0)
}
