/** The counts that a server sends, compared with its file, where the store that they go to forgets some, or answers late. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Redis } from 'ioredis'
import { OthersUsage } from '../../src/accounts/fleet/others-usage.ts'
import { UsageSender } from '../../src/accounts/fleet/usage-sender.ts'
import { Flusher } from '../../src/accounts/flusher.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { ReplicationConnection } from '../../src/accounts/replication/replication-connection.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dateOfDay, dayMs, dayOfDate, dayOfMs } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'
import { Counts } from '../../src/quota/counts.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const id = 'abc'
const accountCount = 600
let redis: RedisServer
let client: Redis

before(async () => {
  if (skip) return
  redis = await startRedis()
  client = new Redis(redis.url)
})
after(async () => {
  client?.disconnect()
  await redis?.stop()
})

/** A server as far as it counts, on a clock of the test's own. */
async function countingAt(storeDir: string, time: { wall: number }) {
  const connection = new ReplicationConnection(redis.url)
  const [store, shared, clock] = [new Store(storeDir), reserveAccounts(storeDir, false, true), () => time.wall]
  const sender = new UsageSender(connection, store, () => true, clock)
  const flusher = new Flusher(shared.quota, store, undefined, shared.lastUsed)
  const counts = new Counts(shared.quota, store, clock)
  await connection.connect()
  return {
    ...{ storeDir, time, store, sender, others: new OthersUsage(connection, store) },
    /** @param at when it came */
    request(account: number, at = time.wall): void {
      counts.take({ account, limit: 100_000 }, at)
      new Uint32Array(shared.lastUsed)[account] = Math.floor(Date.now() / 1000)
    },
    /** As the supervisor does four times in ten seconds. */
    tick(): void {
      flusher.flush()
      sender.send()
    },
    /** The process is gone, with what was not written down. */
    async kill(): Promise<void> {
      connection.close()
      await store.close()
    },
  }
}
type Counting = Awaited<ReturnType<typeof countingAt>>

function newServer(): string {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  store.write(() => {
    for (let i = 0; i < accountCount; i++) createAccount(store, `account ${i}`, 'free', 0)
    store.setSetting('copyOf', { id, number: 1, mark: '', whole: true })
  })
  return storeDir
}

/** The store's counts of a server. */
async function sentBy(server: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of await client.keys(`card-prices:accounts:2:${id}:usage:*`)) {
    const fields = await client.hgetallBuffer(name)
    for (const [field, counts] of Object.entries(fields)) {
      if (field.endsWith(server)) found.set(`${field.slice(0, 10)} ${name.split(':').at(-1)}`, counts.toString('hex'))
    }
  }
  return found
}

function writtenBy({ store, time }: Counting): Map<string, string> {
  const found = new Map<string, string>()
  for (const [day, block] of store.usageKeys([dayOfMs(time.wall) - usageDaysKept + 1, 0], 1_000_000)) {
    const counts = Buffer.from(store.usageBlock(day, block)!)
    found.set(`${dateOfDay(day)} ${block}`, counts.toString('hex'))
  }
  return found
}

const allSent = (server: Counting) =>
  until('all is sent', async () => {
    server.tick()
    const sent = await sentBy(server.store.serverId())
    return [...writtenBy(server)].every(([block, counts]) => sent.get(block) === counts)
  })

it('what was counted of the day before a midnight and sent after it comes again if the store loses that', {
  skip,
}, async () => {
  const midnight = dayOfDate('2026-11-30') * dayMs
  const server = await countingAt(newServer(), { wall: midnight - 1000 })
  server.request(1)
  await allSent(server)
  server.time.wall = midnight
  server.request(1)
  await allSent(server)
  const before = await redis.save()
  // A request of before midnight that was counted late.
  server.request(2, midnight - 1)
  await allSent(server)
  await server.kill()
  await redis.stop()
  await redis.start(before)
  const again = await countingAt(server.storeDir, server.time)
  await allSent(again)
  await again.kill()
})

it('uses of keys that the store did not take are sent again, and none in the place of a later one', {
  skip,
}, async () => {
  const server = await countingAt(newServer(), { wall: Date.now() })
  const { store, sender } = server
  const use = (key: number, second: number) => store.write(() => store.putKeyUse(key, second))
  await sender.sendAll()
  const second = 1_700_000_000
  use(1, second)
  use(300, second)
  redis.hang()
  const failed = assert.rejects(sender.sendAll())
  use(1, second + 5)
  await failed
  redis.resume()
  // A request without an answer in time may be carried out all the same.
  await until('it answers', async () => (await client.ping()) === 'PONG')
  await client.del(`card-prices:accounts:2:${id}:last-uses`)
  await until('it is sent', async () => {
    await sender.sendAll().catch(() => undefined)
    return store.unsentKeyUses(1).length === 0
  })
  // Of another server, whose counts come late.
  const other = await countingAt(newServer(), { wall: Date.now() })
  other.store.write(() => {
    other.store.putKeyUse(1, second + 3)
    other.store.putKeyUse(300, second + 3)
  })
  await other.sender.sendAll()
  const listed = [1, 300].map((number) => ({ number, lastUsedAt: null }))
  const known = await server.others.usedAnywhere(listed as unknown as Parameters<OthersUsage['usedAnywhere']>[0])
  assert.deepEqual(
    known.map(({ lastUsedAt }) => lastUsedAt),
    [(second + 5) * 1000, (second + 3) * 1000],
  )
  await server.kill()
  await other.kill()
})
