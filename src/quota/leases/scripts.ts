/**
 * The Lua script of the quota store (Redis or Valkey) and its keys:
 *
 *   card-prices:quota:2026-11-21:ACCOUNT ID   { process: requests granted to it, … }        expires after two days
 *   card-prices:quota:since                   the epoch: run id of the store, and since when (ms) servers have seen that run
 *
 * A process is SERVER ID.RANDOM. Only the script grants, so the sum of a hash never exceeds the quota. A process's field is its own
 * word, which each call sets: it releases by reporting less, and its next call corrects a response that was lost.
 *
 * A store that restarted may have lost fields; one that was emptied has. Until servers had time to report what they hold, what they
 * know of others, and what earlier processes on their STORE_DIR used, the store grants nothing.
 */
import { dayMs } from '../../calendar.ts'
import { quotaRecoveryMs } from '../../limits.ts'

/** A lease is at most this part of what remains, so leases shrink to 1 as the quota runs out. */
export const leaseShare = 16
const keptSeconds = (2 * dayMs) / 1000

const prefix = 'card-prices:quota:'
export const epochKey = `${prefix}since`
export const quotaKey = (date: string, accountId: string) => `${prefix}${date}:${accountId}`

/**
 * KEYS: epoch, quotas. ARGV: run id, process, then for each quota: requests held, whether the process has forgotten some of them
 * (1 or 0), requests that earlier processes of the server used, requested size, limit, number of fields, and each field with its value.
 */
const lease = `
local time, run, process = redis.call('TIME'), ARGV[1], ARGV[2]
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)$')
if known ~= run then
  since = now
  redis.call('SET', KEYS[1], run .. ' ' .. string.format('%.0f', now))
end
local recovery = math.max(${quotaRecoveryMs} - (now - tonumber(since)), 0)
local server = string.match(process, '^.-%.')
local at, answers = 3, { recovery }
for k = 2, #KEYS do
  local key, numbers = KEYS[k], {}
  for i = 0, 5 do numbers[i + 1] = tonumber(ARGV[at + i]) end
  local held, wasForgotten, used, size, limit, count = unpack(numbers)
  at = at + 6
  for i = at, at + 2 * count - 1, 2 do redis.call('HSETNX', key, ARGV[i], ARGV[i + 1]) end
  at = at + 2 * count
  local total, earlier, others = 0, 0, {}
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local granted = tonumber(fields[i + 1])
    if fields[i] == process then
      if wasForgotten == 1 then held = math.max(held, granted) end
    else
      total = total + granted
      if string.sub(fields[i], 1, #server) == server then earlier = earlier + granted end
      others[#others + 1] = fields[i]
      others[#others + 1] = fields[i + 1]
    end
  end
  if earlier < used then
    total = total + used - earlier
    others[#others + 1] = server
    others[#others + 1] = tostring(redis.call('HINCRBY', key, server, used - earlier))
  end
  local granted = 0
  if recovery == 0 and total + held < limit and size > 0 then
    granted = math.max(1, math.min(size, math.floor((limit - total - held) / ${leaseShare})))
  end
  redis.call('HSET', key, process, held + granted)
  redis.call('EXPIRE', key, ${keptSeconds})
  answers[#answers + 1] = { held, granted, others }
end
return answers
`

declare module 'ioredis' {
  interface RedisCommander {
    leaseQuotas(
      keys: number,
      ...keysAndValues: (string | number)[]
    ): Promise<[recoveryMs: number, ...answers: [held: number, granted: number, others: string[]][]]>
  }
}

export const quotaScripts = { leaseQuotas: { lua: lease } }
