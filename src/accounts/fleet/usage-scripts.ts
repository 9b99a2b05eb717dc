/**
 * Requests and last uses of all servers, in the store of accounts that they share.
 *
 *   usage:2026-11:BLOCK   { '2026-11-22 SERVER': that server's counts, bytes as in usage-block.ts, … }
 *   last-uses:BLOCK       | second of the block's first key | of the second | …      4 bytes each, little-endian; 0: never
 *   sent                  { SERVER: a stamp, another one with all that it sends, … }
 *
 * A block is 256 neighbours. Each server writes what its own file holds of a day, as a whole: to write it again changes
 * nothing, and nobody else writes it. A month has a key a block, so that it goes by itself when its last day is no longer
 * kept. Of a key's uses the newest stays, whoever sends it.
 *
 * The stamp tells a server whether the store still holds what it was sent: one that was emptied has none, one that was
 * restored from before has an older one. It begins with its day, and what was sent later is of that day, of the one before,
 * which was still being written down, or of a later one.
 */
import type { Redis } from 'ioredis'
import { dateOfDay, dayEndMs, dayOfDate } from '../../calendar.ts'
import { usageDaysKept } from '../../limits.ts'
import { sameStore } from './same-store.ts'

/** A day: YYYY-MM-DD. */
const dateChars = 10
/** A second that is so far ahead of the store's clock is a wrong one. */
const aheadSecondsMax = 60

/** KEYS: store, sent, a month of a block for each that is sent. ARGV: id, server, stamp known, new stamp, [field, counts, end]… */
const sendUsage = `${sameStore}
local known = redis.call('HGET', KEYS[2], ARGV[2]) or ''
if known ~= ARGV[3] then return known end
for i = 3, #KEYS do
  local at = 5 + (i - 3) * 3
  redis.call('HSET', KEYS[i], ARGV[at], ARGV[at + 1])
  redis.call('EXPIREAT', KEYS[i], ARGV[at + 2])
end
if ARGV[4] ~= known then redis.call('HSET', KEYS[2], ARGV[2], ARGV[4]) end
return ARGV[4]
`

/** KEYS: store, a month of a block for each. ARGV: id, [field, counts, end]… What the store has of them stays. */
const handUsageOver = `${sameStore}
for i = 2, #KEYS do
  local at = 2 + (i - 2) * 3
  redis.call('HSETNX', KEYS[i], ARGV[at], ARGV[at + 1])
  redis.call('EXPIREAT', KEYS[i], ARGV[at + 2])
end
return 'OK'
`

/** KEYS: store, a month of a block. ARGV: id, first date, last date, the server that is left out, a place in the block or ''. */
const readUsage = `${sameStore}
local found = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
  local date = string.sub(field, 1, ${dateChars})
  if date >= ARGV[2] and date <= ARGV[3] and string.sub(field, ${dateChars + 2}) ~= ARGV[4] then
    local counts = redis.call('HGET', KEYS[2], field)
    if ARGV[5] ~= '' then counts = string.sub(counts, ARGV[5] * 4 + 1, ARGV[5] * 4 + 4) end
    found[#found + 1] = date
    found[#found + 1] = counts
  end
end
return found
`

/** KEYS: store, the block of each use. ARGV: id, and the uses: | place in the block | second | … */
const sendLastUses = `${sameStore}
local latest = redis.call('TIME')[1] + ${aheadSecondsMax}
for i = 2, #KEYS do
  local place, second = struct.unpack('<I4I4', ARGV[2], (i - 2) * 8 + 1)
  local before = redis.call('GETRANGE', KEYS[i], place * 4, place * 4 + 3)
  if second <= latest and (#before < 4 or struct.unpack('<I4', before) < second) then
    redis.call('SETRANGE', KEYS[i], place * 4, struct.pack('<I4', second))
  end
end
return 'OK'
`

/** KEYS: store, the block of each key. ARGV: id, the place of each. */
const readLastUses = `${sameStore}
local found = {}
for i = 2, #KEYS do
  local second = redis.call('GETRANGE', KEYS[i], ARGV[i] * 4, ARGV[i] * 4 + 3)
  found[i - 1] = #second < 4 and 0 or struct.unpack('<I4', second)
end
return found
`

type Argument = string | number | Buffer

declare module 'ioredis' {
  interface RedisCommander {
    sendUsage(keys: number, ...values: Argument[]): Promise<string>
    handUsageOver(keys: number, ...values: Argument[]): Promise<'OK'>
    readUsageBuffer(keys: number, ...values: Argument[]): Promise<Buffer[]>
    sendLastUses(keys: number, ...values: Argument[]): Promise<'OK'>
    readLastUses(keys: number, ...values: Argument[]): Promise<number[]>
  }
}

/** Once a connection. */
export function defineUsageScripts(redis: Redis): void {
  for (const [name, lua] of Object.entries({ sendUsage, handUsageOver, readUsage, sendLastUses, readLastUses })) {
    redis.defineCommand(name, { lua })
  }
}

export const sentName = 'sent'
export const usageName = (month: string, block: number): string => `usage:${month}:${block}`
export const lastUsesName = (block: number): string => `last-uses:${block}`

export const monthOf = (date: string): string => date.slice(0, 'YYYY-MM'.length)
export const fieldOf = (date: string, server: string): string => `${date} ${server}`

/** Unix seconds: when no day of the month is kept any longer. */
export function endOfMonthKept(month: string): number {
  const nextMonthBegunBy = dayOfDate(`${month}-01`) + 31
  return dayEndMs(nextMonthBegunBy + usageDaysKept) / 1000
}

/** The months of the days from the first to the last. */
export function monthsOf(first: number, last: number): string[] {
  const months: string[] = []
  for (let day = first; day <= last; ) {
    const month = monthOf(dateOfDay(day))
    months.push(month)
    // 31 days after its first one is the next month.
    day = dayOfDate(`${monthOf(dateOfDay(dayOfDate(`${month}-01`) + 31))}-01`)
  }
  return months
}
