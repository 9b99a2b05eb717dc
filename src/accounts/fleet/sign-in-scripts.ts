/**
 * Sign-in links and sessions in the accounts' store. Each goes by itself when it is of no use any more. HASH is the SHA-256
 * of a token, as hex; moments are ms since 1970 by the clock of the server that writes them.
 *
 *   link:HASH         'account expiresAt usedAt'             usedAt 0: not yet
 *   links:ACCOUNT     { HASH: expiresAt, … } in order of ends, used ones too
 *   session:HASH      'account startedAt lastPageAt'
 *   sessions          { HASH: end, … } in order of ends      sessions:ACCOUNT the same of an account
 *   new-key:HASH:ID   a key made in that session, sealed, for the one page that shows it
 */
import type { Redis } from 'ioredis'
import { sameStore } from './same-store.ts'

/** ARGV: id, value, ms to keep it. KEYS: store, name. */
const putRecord = `${sameStore}
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 'OK'
`

/** KEYS: store, name. ARGV: id, and 1 if what is found is taken away. */
const readRecord = `${sameStore}
local found = redis.call('GET', KEYS[2])
if ARGV[2] == '1' then redis.call('DEL', KEYS[2]) end
return found
`

/** Notes in a list when a link or a session ends; what has ended leaves it. */
const noteEnd = `
local function noteEnd(list, hash, ends, now)
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZADD', list, ends, hash)
  redis.call('PEXPIREAT', list, redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')[2])
end
`

/** KEYS: store, link, list of the account's links. ARGV: id, value, ms to keep it, the token's hash, its end, now. */
const putLink = `${sameStore}${noteEnd}
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
noteEnd(KEYS[3], ARGV[4], ARGV[5], ARGV[6])
return 'OK'
`

/** KEYS: store, link, list of all sessions. ARGV: id, now, hash of the session's token, its end. Returns the link before. */
const useLink = `${sameStore}${noteEnd}
local link = redis.call('GET', KEYS[2])
if not link then return { '', 0 } end
local account, expires, used = string.match(link, '^(%d+) (%d+) (%d+)$')
if used ~= '0' or tonumber(ARGV[2]) >= tonumber(expires) then return { link, 0 } end
redis.call('SET', KEYS[2], account .. ' ' .. expires .. ' ' .. ARGV[2], 'KEEPTTL')
local session = string.gsub(KEYS[3], 'sessions$', 'session:' .. ARGV[3])
redis.call('SET', session, account .. ' ' .. ARGV[2] .. ' ' .. ARGV[2], 'PX', ARGV[4] - ARGV[2])
noteEnd(KEYS[3], ARGV[3], ARGV[4], ARGV[2])
noteEnd(KEYS[3] .. ':' .. account, ARGV[3], ARGV[4], ARGV[2])
return { link, 1 }
`

/** KEYS: store, session, list of all, list of the account's. ARGV: id, its hash, what it is now, its end, now. */
const prolongSession = `${sameStore}${noteEnd}
if not redis.call('SET', KEYS[2], ARGV[3], 'XX', 'PX', ARGV[4] - ARGV[5]) then return 0 end
noteEnd(KEYS[3], ARGV[2], ARGV[4], ARGV[5])
noteEnd(KEYS[4], ARGV[2], ARGV[4], ARGV[5])
return 1
`

/** KEYS: store, session, list of all. ARGV: id, its hash. */
const endSession = `${sameStore}
local session = redis.call('GET', KEYS[2])
if not session then return 0 end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[3] .. ':' .. string.match(session, '^%d+'), ARGV[2])
return 1
`

/** KEYS: store, list of the account's sessions, list of all, list of its links. ARGV: id, now. */
const signOut = `${sameStore}
for _, hash in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local name = string.gsub(KEYS[4], 'links:%d+$', 'link:' .. hash)
  local used, isUnused = string.gsub(redis.call('GET', name) or '', '^(%d+ %d+) 0$', '%1 ' .. ARGV[2])
  if isUnused == 1 then redis.call('SET', name, used, 'KEEPTTL') end
end
local live = redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[2], '+inf')
for _, hash in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  redis.call('DEL', (string.gsub(KEYS[3], 'sessions$', 'session:' .. hash)))
  redis.call('ZREM', KEYS[3], hash)
end
redis.call('DEL', KEYS[2])
return live
`

/** KEYS: store, list of all sessions. ARGV: id, now. */
const countSessions = `${sameStore}
return redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[2], '+inf')
`

type Argument = string | number | Buffer

declare module 'ioredis' {
  interface RedisCommander {
    putRecord(keys: 2, ...values: Argument[]): Promise<'OK'>
    putLink(keys: 3, ...values: Argument[]): Promise<'OK'>
    readRecord(keys: 2, ...values: Argument[]): Promise<string | null>
    readRecordBuffer(keys: 2, ...values: Argument[]): Promise<Buffer | null>
    useLink(keys: 3, ...values: Argument[]): Promise<[link: string, isUsed: number]>
    prolongSession(keys: 4, ...values: Argument[]): Promise<number>
    endSession(keys: 3, ...values: Argument[]): Promise<number>
    signOut(keys: 4, ...values: Argument[]): Promise<number>
    countSessions(keys: 2, ...values: Argument[]): Promise<number>
  }
}

/** Once a connection. */
export function defineSignInScripts(redis: Redis): void {
  const scripts = { putRecord, readRecord, putLink, useLink, prolongSession, endSession, signOut, countSessions }
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua })
}
