/**
 * The Lua scripts of the quota store (Redis or Valkey) and its keys:
 *
 *   card-prices:quota:2026-11-21:ACCOUNT ID   { server id: requests granted to it, … }      expires after two days
 *   card-prices:quota:since                   the epoch: run id of the store, and since when (ms) servers have seen that run
 *   card-prices:quota:recalled                { quota key: when (ms) it was last recalled, … }
 *
 * Only the exchange script grants, so the sum of a hash never exceeds the quota. Each exchange sets the server's own
 * field to the number that the server reports. A server releases requests by reporting a lower number. If a response is
 * lost, the server's next exchange corrects the field.
 *
 * A restarted store may have lost fields, and an emptied store has lost them. Servers notice this by the epoch. Then
 * each server reports its own leases, and those of other servers that it knows. The store grants nothing until servers
 * have had time for these reports.
 */

import { dayMs } from '../../calendar.ts'
import { recallShare } from './lease.ts'
import { quotaRecoveryMs } from './timing.ts'

/** A grant is at most a sixteenth of what remains of the quota. So grants shrink to 1 as the quota runs out. */
export const leaseShare = 16

const keptSeconds = (2 * dayMs) / 1000
/** How long the store lists a recalled quota. Servers read the list twice a second. */
const recalledMs = 2000

const prefix = 'card-prices:quota:'
export const epochKey = `${prefix}since`
export const recalledKey = `${prefix}recalled`

export const quotaKey = (date: string, accountId: string) => `${prefix}${date}:${accountId}`

/**
 * KEYS: epoch, recalled, quotas. ARGV: JSON of run id, server id and leases, as QuotaStore sends it. Returns JSON of
 * ExchangeAnswer (quota-store.ts).
 */
const exchange = `
local ask = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stamp = string.format('%.0f', now)
local epoch = redis.call('GET', KEYS[1])
if string.match(epoch or '', '^%S+') ~= ask.run then
  epoch = ask.run .. ' ' .. stamp
  redis.call('SET', KEYS[1], epoch)
end
local recovery = ${quotaRecoveryMs} - (now - tonumber(string.match(epoch, '%d+$')))
local answers = {}
for k, lease in ipairs(ask.leases) do
  local key = KEYS[k + 2]
  for id, granted in pairs(lease.others) do redis.call('HSETNX', key, id, granted) end
  redis.call('HSET', key, ask.server, lease.held)
  redis.call('EXPIRE', key, ${keptSeconds})
  local total, others, fields = 0, {}, redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    total = total + tonumber(fields[i + 1])
    if fields[i] ~= ask.server then others[fields[i]] = tonumber(fields[i + 1]) end
  end
  local granted = 0
  if recovery <= 0 and total < lease.limit and lease.size > 0 then
    granted = math.max(1, math.min(lease.size, math.floor((lease.limit - total) / ${leaseShare})))
    redis.call('HSET', key, ask.server, lease.held + granted)
  end
  if lease.size > 0 and next(others) and total + granted > lease.limit * ${recallShare} then
    redis.call('ZADD', KEYS[2], stamp, key)
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - ${recalledMs}))
    redis.call('PEXPIRE', KEYS[2], ${recalledMs})
  end
  answers[k] = { granted = granted, others = others }
end
return cjson.encode({ epoch = epoch, recoveryMs = math.max(recovery, 0), leases = answers })
`

/**
 * Raises the sum under some ids to the requests used, if the sum is lower. KEYS: quotas. ARGV: JSON of the ids; JSON of
 * the requests used, a number for each quota.
 */
const reportUsed = `
local ids, used = cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
for k = 1, #KEYS do
  local known = 0
  for _, granted in ipairs(redis.call('HMGET', KEYS[k], unpack(ids))) do known = known + (tonumber(granted or 0)) end
  if known < used[k] then
    redis.call('HINCRBY', KEYS[k], ids[#ids], used[k] - known)
    redis.call('EXPIRE', KEYS[k], ${keptSeconds})
  end
end
`

declare module 'ioredis' {
  interface RedisCommander {
    exchangeLeases(keys: number, ...keysAndJson: string[]): Promise<string>
    reportUsed(quotas: number, ...keysAndJson: string[]): Promise<void>
  }
}

export const quotaScripts = { exchangeLeases: { lua: exchange }, reportUsed: { lua: reportUsed } }
