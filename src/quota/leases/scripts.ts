/**
 * The Lua scripts of the quota store (Redis or Valkey) and its keys:
 *
 *   card-prices:quota:2026-11-21:ACCOUNT ID   { server id: requests granted to it, … }      expires after two days
 *   card-prices:quota:since                   the epoch: run id of the store, and since when (ms) servers have seen that run
 *   card-prices:quota:recalled                { quota key: when (ms) it was last recalled, … }
 *
 * Only the lease script grants, so the sum of a hash never exceeds the quota. A server's own field is that server's word, and every
 * script call sets it: a server releases by reporting a lower number, and its next call corrects a response that was lost.
 *
 * A store that restarted may have lost fields; one that was emptied has. Servers notice by its epoch and report what they hold, and
 * as far as they know what others hold. Until they had time for that, the store grants nothing.
 */
import { dayMs, dayOfDate } from '../../calendar.ts'
import { quotaRecoveryMs } from '../../limits.ts'
import { recallShare } from './lease.ts'

/** A lease is at most this part of what remains, so leases shrink to 1 as the quota runs out. */
export const leaseShare = 16

const keptSeconds = (2 * dayMs) / 1000
/** The store recalls an account at most this often, */
const recallMs = 500
/** and lists it for this long. */
const recalledMs = 60_000

const prefix = 'card-prices:quota:'
export const epochKey = `${prefix}since`
export const recalledKey = `${prefix}recalled`

export const quotaKey = (date: string, accountId: string) => `${prefix}${date}:${accountId}`

/** The reverse of `quotaKey`. */
export function inQuotaKey(key: string): { readonly day: number; readonly accountId: string } {
  const idAt = prefix.length + 'YYYY-MM-DD:'.length
  return { day: dayOfDate(key.slice(prefix.length, idAt - 1)), accountId: key.slice(idAt) }
}

/** KEYS: quota, epoch, recalled. ARGV: run id, server id, requests held, requested size, limit, then each other server's id and lease. */
const lease = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run, since = string.match(redis.call('GET', KEYS[2]) or '', '^(%S+) (%d+)$')
if run ~= ARGV[1] then
  since = now
  redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. string.format('%.0f', now))
end
local server, held, size, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
for i = 6, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], server, held)
redis.call('EXPIRE', KEYS[1], ${keptSeconds})
local total, others = 0, {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  total = total + tonumber(fields[i + 1])
  if fields[i] ~= server then
    others[#others + 1] = fields[i]
    others[#others + 1] = fields[i + 1]
  end
end
local recovery = ${quotaRecoveryMs} - (now - tonumber(since))
local granted = 0
if recovery <= 0 and total < limit and size > 0 then
  granted = math.max(1, math.min(size, math.floor((limit - total) / ${leaseShare})))
  redis.call('HSET', KEYS[1], server, held + granted)
end
if #others > 0 and total + granted > limit * ${recallShare} then
  local before = redis.call('ZSCORE', KEYS[3], KEYS[1])
  if not before or now - before >= ${recallMs} then
    redis.call('ZADD', KEYS[3], string.format('%.0f', now), KEYS[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - ${recalledMs}))
    redis.call('PEXPIRE', KEYS[3], ${recalledMs})
  end
end
return { granted, math.max(recovery, 0), others }
`

/** KEYS: quotas. ARGV: server id, then for each quota the requests held, the number of other servers, and each one's id and lease. */
const report = `
local server, at, answers = ARGV[1], 2, {}
for k = 1, #KEYS do
  local held, count = ARGV[at], tonumber(ARGV[at + 1])
  at = at + 2
  for i = 1, count do
    redis.call('HSETNX', KEYS[k], ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  redis.call('HSET', KEYS[k], server, held)
  redis.call('EXPIRE', KEYS[k], ${keptSeconds})
  local fields, others = redis.call('HGETALL', KEYS[k]), {}
  for i = 1, #fields, 2 do
    if fields[i] ~= server then
      others[#others + 1] = fields[i]
      others[#others + 1] = fields[i + 1]
    end
  end
  answers[k] = others
end
return answers
`

/** Raises the sum of some ids to the requests used. KEYS: quotas. ARGV: number of ids, the ids, then the requests used of each quota. */
const reportUsed = `
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
    leaseQuota(
      quota: string,
      epoch: string,
      recalled: string,
      ...values: (string | number)[]
    ): Promise<[granted: number, recoveryMs: number, others: string[]]>
    reportLeases(quotas: number, ...keysAndValues: (string | number)[]): Promise<string[][]>
    reportUsed(quotas: number, ...keysAndValues: (string | number)[]): Promise<void>
  }
}

export const quotaScripts = {
  leaseQuota: { numberOfKeys: 3, lua: lease },
  reportLeases: { lua: report },
  reportUsed: { lua: reportUsed },
}
