/**
 * The scripts and keys by which servers share usage in the accounts' store.
 *
 *   usage:2026-11:BLOCK   { '2026-11-22 SERVER': that server's counts, bytes as in usage-block.ts, … }
 *   last-uses             { KEY NUMBER: second, … }, a sorted set
 *   sent                  { SERVER: its fencing token, see usage-sender.ts, … }
 *
 * Each server writes its own blocks, and always whole ones, so writing a block again changes nothing. Each month of a
 * block has a key of its own. The key expires if nothing is written to it for as many days as usage is kept.
 */
import type { Redis } from 'ioredis'
import { dateOfDay } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'

export const keptSeconds = usageDaysKept * 86_400

/** The length of YYYY-MM-DD. */
const dateChars = 10

/**
 * KEYS: `sent`; for each block that is sent, the key of the block's month. ARGV: server; last token; new token; for
 * each block, field and counts. Returns the token that the store has afterwards: the new one if the batch was accepted.
 */
const sendUsage = `
local known = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if known ~= ARGV[2] then return known end
for i = 2, #KEYS do
  redis.call('HSET', KEYS[i], ARGV[i * 2], ARGV[i * 2 + 1])
  redis.call('EXPIRE', KEYS[i], ${keptSeconds})
end
if ARGV[3] ~= known then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('EXPIRE', KEYS[1], ${keptSeconds})
end
return ARGV[3]
`

/** KEYS: the key of a block's month. ARGV: first date; last date; the server to omit. Returns dates and counts. */
const readUsage = `
local found = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local date = string.sub(field, 1, ${dateChars})
  if date >= ARGV[1] and date <= ARGV[2] and string.sub(field, ${dateChars + 2}) ~= ARGV[3] then
    found[#found + 1] = date
    found[#found + 1] = redis.call('HGET', KEYS[1], field)
  end
end
return found
`

type Argument = string | number | Buffer

declare module 'ioredis' {
  interface RedisCommander {
    sendUsage(keys: number, ...values: Argument[]): Promise<string>
    readUsageBuffer(keys: number, ...values: Argument[]): Promise<Buffer[]>
  }
}

/** Call it once for each connection. */
export function defineUsageScripts(redis: Redis): void {
  redis.defineCommand('sendUsage', { lua: sendUsage })
  redis.defineCommand('readUsage', { lua: readUsage })
}

export const sentName = 'sent'
export const lastUsesName = 'last-uses'
export const usageName = (month: string, block: number): string => `usage:${month}:${block}`

export const monthOf = (date: string): string => date.slice(0, 'YYYY-MM'.length)

/** The months of the days from the first to the last. */
export function monthsOf(first: number, last: number): string[] {
  const dates = Array.from({ length: last - first + 1 }, (_, i) => dateOfDay(first + i))
  return [...new Set(dates.map(monthOf))]
}
