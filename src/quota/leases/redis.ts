/**
 * The quota store that servers share (Redis or Valkey): for each account and day, how much of the quota each server has
 * been granted.
 *
 *   card-prices:quota:2026-11-21:acme   { server id: granted to it, … }     kept for two days
 *   card-prices:quota:since             run id of the store, and since when (ms) it has been seen
 *   card-prices:quota:recalled          { such a name: when (ms) it was asked for last, … }     those of which little is left
 *
 * The sum of a hash never passes the quota, because only the script grants. A server's own field is the server's word:
 * it is written with every question, so giving back is writing a lower number, and an answer that got lost is put right
 * by the next question. A store that was restarted may have lost fields, one that was emptied while it ran has: the
 * servers notice the other run id, or the other moment, tell it anew what they and, as far as they know, others hold, and
 * it grants nothing until they had the time to.
 *
 * Of a quota that nears its end, servers that hold some and are not asked for it must give it back. They look at what is
 * recalled twice a second; an account that is asked for on is recalled again and again, so one that was missed does no harm.
 */
import type { Redis } from 'ioredis'
import { dayMs, dayOfDate } from '../../calendar.ts'
import { quotaCommandMsMax, quotaReconnectMs, quotaSettlingMs } from '../../limits.ts'
import { RedisConnection } from '../../redis.ts'
import { recallShare } from './lease.ts'
import type { Used } from './previous-instances.ts'

const keptSeconds = (2 * dayMs) / 1000
/** A lease is at most this part of what remains: it shrinks to 1 as the quota nears its end. */
export const leaseShare = 16

/** An account is recalled at most so often, */
const recallMs = 500
/** and that is known for so long. */
const recalledMs = 60_000

const prefix = 'card-prices:quota:'
const sinceKey = `${prefix}since`
const recalledKey = `${prefix}recalled`

const quotaKey = (date: string, account: string) => `${prefix}${date}:${account}`

/** The date and the account of a name. */
const inQuotaKey = (key: string): readonly [date: string, account: string] => {
  const accountAt = prefix.length + 'YYYY-MM-DD:'.length
  return [key.slice(prefix.length, accountAt - 1), key.slice(accountAt)]
}

const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run, since = string.match(redis.call('GET', KEYS[2]) or '', '^(%S+) (%d+)$')
if run ~= ARGV[1] then
  since = now
  redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. string.format('%.0f', now))
end
local me, mine, want, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
for i = 6, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], me, mine)
redis.call('EXPIRE', KEYS[1], ${keptSeconds})
local total, others = 0, {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  total = total + tonumber(fields[i + 1])
  if fields[i] ~= me then
    others[#others + 1] = fields[i]
    others[#others + 1] = fields[i + 1]
  end
end
local settling = ${quotaSettlingMs} - (now - tonumber(since))
local granted = 0
if settling <= 0 and total < limit and want > 0 then
  granted = math.max(1, math.min(want, math.floor((limit - total) / ${leaseShare})))
  redis.call('HSET', KEYS[1], me, mine + granted)
end
if #others > 0 and total + granted > limit * ${recallShare} then
  local before = redis.call('ZSCORE', KEYS[3], KEYS[1])
  if not before or now - before >= ${recallMs} then
    redis.call('ZADD', KEYS[3], string.format('%.0f', now), KEYS[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - ${recalledMs}))
    redis.call('PEXPIRE', KEYS[3], ${recalledMs})
  end
end
return { granted, math.max(settling, 0), others }
`

/** KEYS: quotas. ARGV: the server, then of each quota what it has, how many others there are, and each with what it has. */
const tellScript = `
local me, at, told = ARGV[1], 2, {}
for k = 1, #KEYS do
  local mine, count = ARGV[at], tonumber(ARGV[at + 1])
  at = at + 2
  for i = 1, count do
    redis.call('HSETNX', KEYS[k], ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  redis.call('HSET', KEYS[k], me, mine)
  redis.call('EXPIRE', KEYS[k], ${keptSeconds})
  local fields, others = redis.call('HGETALL', KEYS[k]), {}
  for i = 1, #fields, 2 do
    if fields[i] ~= me then
      others[#others + 1] = fields[i]
      others[#others + 1] = fields[i + 1]
    end
  end
  told[k] = others
end
return told
`

/** KEYS: quotas of accounts. ARGV: how many ids, the ids, what was used of each quota under all of them together. */
const usedScript = `
local count, ids = tonumber(ARGV[1]), {}
for i = 1, count do ids[i] = ARGV[1 + i] end
for k = 1, #KEYS do
  local known, used = 0, tonumber(ARGV[1 + count + k])
  for _, granted in ipairs(redis.call('HMGET', KEYS[k], unpack(ids))) do known = known + (tonumber(granted or 0)) end
  if known < used then
    redis.call('HINCRBY', KEYS[k], ids[count], used - known)
    redis.call('EXPIRE', KEYS[k], ${keptSeconds})
  end
end
`

declare module 'ioredis' {
  interface RedisCommander {
    lease(
      quota: string,
      since: string,
      recalled: string,
      ...values: (string | number)[]
    ): Promise<[number, number, string[]]>
    tell(quotas: number, ...keysAndValues: (string | number)[]): Promise<string[][]>
    used(quotas: number, ...keysAndValues: (string | number)[]): Promise<void>
  }
}

/** A server's part of a quota. */
export interface Held {
  /** YYYY-MM-DD */
  readonly date: string
  readonly account: string
  /** Granted to this server until now, less what it gives back by this. */
  readonly mine: number
  /** What other servers held when last heard of. */
  readonly others: Others
}

export interface Question extends Held {
  readonly limit: number
  /** How much more is wanted. */
  readonly want: number
}

/** A quota of which others need what is not used. */
export interface Recalled {
  readonly day: number
  readonly account: string
}

/** Server id → granted to it. */
export type Others = ReadonlyMap<string, number>

export interface Answer {
  readonly granted: number
  /** ms until the store grants again after its restart, 0: it does now. */
  readonly settlingMs: number
  readonly others: Others
}

export class QuotaStore {
  readonly #connection: RedisConnection
  readonly #server: string
  readonly #onBack: () => void
  /** What the store said of itself when it was greeted. */
  #since: string | undefined
  /** By its clock: what was recalled until then is known. */
  #recalledUntil = 0

  /**
   * @param server this server's id, of its own for every start
   * @param onBack runs when the store can be asked (again), or has forgotten
   * @param onAway runs when it can't be asked any more; the reason holds no secret
   */
  constructor(url: string, server: string, onBack: () => void, onAway: (reason: string) => void) {
    this.#server = server
    this.#onBack = onBack
    const bounds = { commandMsMax: quotaCommandMsMax, reconnectMs: quotaReconnectMs }
    this.#connection = new RedisConnection(url, bounds, undefined, (run) => this.#greet(run))
    this.#redis.defineCommand('lease', { numberOfKeys: 3, lua: script })
    this.#redis.defineCommand('tell', { lua: tellScript })
    this.#redis.defineCommand('used', { lua: usedScript })
    this.#connection.listen({ onBack, onAway })
  }

  /** Returns when it is connected, or the first attempt has failed: then it goes on trying. */
  connect(): Promise<void> {
    return this.#connection.connect()
  }

  get #redis(): Redis {
    return this.#connection.redis
  }

  get ready(): boolean {
    return this.#connection.run !== undefined
  }

  /** Rejects if the store can't be asked. */
  async ask({ date, account, limit, mine, want, others }: Question): Promise<Answer> {
    if (!this.ready) throw new Error('the quota store is away')
    const known = [...others].flat()
    const [granted, settling, fields] = await this.#redis.lease(
      quotaKey(date, account),
      sinceKey,
      recalledKey,
      ...[this.#connection.run!, this.#server, mine, want, limit, ...known],
    )
    return { granted, settlingMs: settling, others: othersIn(fields) }
  }

  /** Returns what others hold of each. Rejects if the store can't be told. */
  async tell(held: readonly Held[]): Promise<Others[]> {
    if (!this.ready) throw new Error('the quota store is away')
    const keys = held.map(({ date, account }) => quotaKey(date, account))
    const values = held.flatMap(({ mine, others }) => [mine, others.size, ...[...others].flat()])
    return (await this.#redis.tell(keys.length, ...keys, this.#server, ...values)).map(othersIn)
  }

  /** What it said of itself when it was greeted; undefined while it can't be asked. */
  get since(): string | undefined {
    return this.ready ? this.#since : undefined
  }

  /** Sees to it that what was granted under all these ids comes to what was used at least. Rejects if it can't be asked. */
  async tellOf(ids: readonly string[], date: string, used: Used): Promise<void> {
    if (!this.ready) throw new Error('the quota store is away')
    const keys = used.map(([account]) => quotaKey(date, account))
    await this.#redis.used(keys.length, ...keys, ids.length, ...ids, ...used.map(([, requests]) => requests))
  }

  /**
   * Asks whether it is as it was greeted: one that was emptied while it ran has forgotten too. Returns what was recalled since
   * the last look. Rejects if it can't be asked.
   */
  async look(): Promise<Recalled[]> {
    const { run } = this.#connection
    if (run === undefined) return []
    const [since, recalled] = await Promise.all([
      this.#redis.get(sinceKey),
      this.#redis.zrangebyscore(recalledKey, `(${this.#recalledUntil}`, '+inf', 'WITHSCORES'),
    ])
    if (since !== this.#since) {
      await this.#greet(run)
      this.#onBack()
    }
    const found: Recalled[] = []
    for (let i = 0; i < recalled.length; i += 2) {
      const [date, account] = inQuotaKey(recalled[i]!)
      found.push({ day: dayOfDate(date), account })
      this.#recalledUntil = Number(recalled[i + 1])
    }
    return found
  }

  close(): void {
    this.#connection.close()
  }

  /** Learns which run of the store this is. If nobody has seen it before, its settling begins now. */
  async #greet(run: string): Promise<void> {
    let since = await this.#redis.get(sinceKey)
    if (since?.split(' ')[0] !== run) {
      const [seconds, microseconds] = await this.#redis.time()
      since = `${run} ${Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)}`
      await this.#redis.set(sinceKey, since)
    }
    this.#since = since
    this.#recalledUntil = 0
  }
}

/** Of a hash's fields and values. */
function othersIn(fields: readonly string[]): Others {
  const others = new Map<string, number>()
  for (let i = 0; i < fields.length; i += 2) others.set(fields[i]!, Number(fields[i + 1]))
  return others
}
