/**
 * What is done in the accounts' store (Redis), each at once and whole. Four kinds of keys:
 *
 *   …:store          id, snapshot: name of the present one, base: NUMBER-MARK of it, log: bytes of changes since; run of the
 *                    server there, since (ms)
 *   …:changes        stream: NUMBER-MARK → an SQLite changeset; a snapshot that replaced everything has none
 *   …:snapshot:NAME  list: an SQLite file in pieces
 *   …:servers        server id → PROCESS STORE-ID NUMBER NEXT-ACCOUNT NEXT-KEY HEARD(ms) ADDRESS
 *
 * Numbers rise by one; a mark is a hash of the mark before and the change, so two histories never share one.
 *
 *   a copy's number   below the oldest   in the stream        the last         above
 *   its mark          whatever it is     there     another    same   another
 *   it is told        copy               changes   diverged   same   diverged  older
 */
import { feedSettlingMs, serverHeardMsMax, serverKeptMs, snapshotKeptSeconds } from '../../limits.ts'

/** Of all: what time it is, which run of the server this is since when, and what the store holds. `run` is ARGV[1]. */
const start = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, snapshot, base, run, since = unpack(redis.call('HMGET', KEYS[1], 'id', 'snapshot', 'base', 'run', 'since'))
if run ~= ARGV[1] then
  since = now
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'since', string.format('%.0f', now))
end
local settling = ${feedSettlingMs} - (now - tonumber(since))
local function numberIn(entryId) return tonumber(string.match(entryId, '^%d+')) end
local function markIn(entryId) return string.match(entryId, '%d+$') end
local last = id and redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1][1]
local number = last and numberIn(last)
`

/** Servers that were heard of a moment ago, each by its entry's words. */
const live = `
local function live()
  local found = {}
  local entries = redis.call('HGETALL', KEYS[3])
  for i = 1, #entries, 2 do
    local process, store, held, account, key, heard, address =
      string.match(entries[i + 1], '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
    if now - tonumber(heard) < ${serverHeardMsMax} then
      found[#found + 1] = { store = store, number = tonumber(held), address = address }
    end
  end
  return found
end
`

/**
 * What a copy lacks. Who is a server tells with it that it lives.
 * ARGV: run, server id or '', process, 1 the first time on a connection, store id or -, number, mark, 1 if whole, next
 * account, next key, address, bytes of changes at most.
 * Returns: changes, id, number, [NUMBER-MARK, changeset]…; copy, id, number, snapshot, base; or a word, id, number.
 */
export const askScript = `${start}
local server = ARGV[2]
if server ~= '' then
  local before = redis.call('HGET', KEYS[3], server)
  if ARGV[4] == '1' then
    local entries = redis.call('HGETALL', KEYS[3])
    for i = 1, #entries, 2 do
      local heard = string.match(entries[i + 1], '^%S+ %S+ %S+ %S+ %S+ (%S+)')
      if now - tonumber(heard) > ${serverKeptMs} then redis.call('HDEL', KEYS[3], entries[i]) end
    end
  elseif before and string.match(before, '^%S+') ~= ARGV[3] then
    return { 'supplanted' }
  end
  local words = { ARGV[3], ARGV[5], ARGV[6], ARGV[9], ARGV[10], string.format('%.0f', now), ARGV[11] }
  redis.call('HSET', KEYS[3], server, table.concat(words, ' '))
end
if not id then return { 'empty' } end
local mine = tonumber(ARGV[6])
local copy = { 'copy', id, tostring(number), snapshot, base }
if ARGV[5] == '-' then return copy end
if ARGV[5] ~= id then return { 'other', id, tostring(number) } end
if mine > number then return { 'older', id, tostring(number) } end
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1][1]
if ARGV[8] == '0' or mine < numberIn(oldest) then return copy end
local own = ARGV[6] .. '-' .. ARGV[7]
if #redis.call('XRANGE', KEYS[2], own, own) == 0 then return { 'diverged', id, tostring(number) } end
if mine == number then return { 'same', id, tostring(number) } end
local told, bytes = { 'changes', id, tostring(number) }, 0
for n = mine + 1, number do
  local entry = redis.call('XRANGE', KEYS[2], n, n)[1]
  bytes = bytes + #entry[2][2]
  if n > mine + 1 and bytes > tonumber(ARGV[12]) then break end
  told[#told + 1] = entry[1]
  told[#told + 1] = entry[2][2]
end
return told
`

/**
 * Makes changes if the store is where their maker's copy is.
 * ARGV: run, store id, number, mark, the channel, [mark, changeset]…
 * Returns: made, changes since the snapshot, bytes of them; or a word.
 */
export const changeScript = `${start}${live}
if not id then return { 'empty' } end
if id ~= ARGV[2] then return { 'other' } end
local mine = tonumber(ARGV[3])
if mine > number then return { 'older' } end
if mine < number then return { 'behind' } end
if markIn(last) ~= ARGV[4] then return { 'diverged' } end
if settling > 0 then return { 'settling' } end
for _, server in ipairs(live()) do
  if server.store == id and server.number > number then return { 'older' } end
end
local bytes = 0
for i = 6, #ARGV, 2 do
  number = number + 1
  redis.call('XADD', KEYS[2], number .. '-' .. ARGV[i], 'changeset', ARGV[i + 1])
  bytes = bytes + #ARGV[i + 1]
end
bytes = redis.call('HINCRBY', KEYS[1], 'log', bytes)
redis.call('PUBLISH', ARGV[5], number)
return { 'made', tostring(number - numberIn(base)), tostring(bytes) }
`

/** The snapshot in KEYS[4] takes the place of the one before, which goes when nobody can be reading it any more. */
const takeSnapshot = `
local function takeSnapshot(name, at)
  if snapshot then redis.call('EXPIRE', string.gsub(KEYS[4], '[^:]+$', snapshot), ${snapshotKeptSeconds}) end
  redis.call('PERSIST', KEYS[4])
  redis.call('HSET', KEYS[1], 'snapshot', name, 'base', at, 'log', 0)
end
`

/**
 * A newer snapshot of the same accounts. ARGV: run, store id, its NUMBER-MARK, its name, how many pieces. Changes before the
 * last one are dropped.
 */
export const snapshotScript = `${start}${takeSnapshot}
if id ~= ARGV[2] or numberIn(ARGV[3]) <= numberIn(base) then return 0 end
if #redis.call('XRANGE', KEYS[2], ARGV[3], ARGV[3]) == 0 then return 0 end
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[5]) then return 0 end
redis.call('XTRIM', KEYS[2], 'MINID', base)
takeSnapshot(ARGV[4], ARGV[3])
return 1
`

/**
 * Makes a snapshot the accounts of the store, a new one, or an emptied or older one's, and makes changes of it.
 * ARGV: run, store id, number of the copy it is from, the new mark, begin or push, 1 to do it all the same, the channel, its
 * name, how many pieces, [mark, changeset]…
 */
export const replaceScript = `${start}${live}${takeSnapshot}
if settling > 0 then return { 'settling' } end
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[9]) then return { 'unstaged' } end
local mine, isForced = tonumber(ARGV[3]), ARGV[6] == '1'
if id and not isForced then
  if ARGV[5] == 'begin' then return { 'taken', id } end
  if id ~= ARGV[2] then return { 'other', id } end
  if number >= mine then return { 'newer', tostring(number) } end
end
local highest = math.max(mine, number or 0)
for _, server in ipairs(live()) do
  if not isForced and server.store ~= '-' and (server.store ~= ARGV[2] or server.number > mine) then
    return { 'server', server.address, tostring(server.number) }
  end
  highest = math.max(highest, server.number)
end
number = highest + 1
local at = number .. '-' .. ARGV[4]
redis.call('DEL', KEYS[2])
redis.call('XADD', KEYS[2], at, 'changeset', '')
redis.call('HSET', KEYS[1], 'id', ARGV[2])
takeSnapshot(ARGV[8], at)
local last = number
for i = 10, #ARGV, 2 do
  last = last + 1
  redis.call('XADD', KEYS[2], last .. '-' .. ARGV[i], 'changeset', ARGV[i + 1])
end
redis.call('PUBLISH', ARGV[7], last)
return { 'made', tostring(number) }
`

/** A server takes its leave. ARGV: server id, process. */
export const leaveScript = `
local entry = redis.call('HGET', KEYS[3], ARGV[1])
if entry and string.match(entry, '^%S+') == ARGV[2] then redis.call('HDEL', KEYS[3], ARGV[1]) end
`
