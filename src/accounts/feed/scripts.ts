/**
 * What is done in the accounts' store, each at once and whole.
 *
 *   …:store    id, number of the last change, its chain; oldest in the log, bytes of it; run of the server there, since (ms)
 *   …:records  place → record, see entry.ts
 *   …:log      number → change, see entry.ts; of the oldest, the chain alone counts
 *   …:servers  server id → PROCESS STORE-ID NUMBER NEXT-ACCOUNT NEXT-KEY HEARD(ms) ADDRESS
 *
 *   a copy's number   below the oldest   within the log          the last         above
 *   its chain         whatever it is     there        another    same   another
 *   it is told        copy               changes      diverged   same   diverged  older
 */
import { feedLogBytesMax, feedLogChangesMax, feedSettlingMs, serverHeardMsMax, serverKeptMs } from '../../limits.ts'

/** Of all: what time it is, which run of the store this is since when, and what it holds. `run` is ARGV[1]. */
const start = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, number, chain, oldest, run, since = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'number', 'chain', 'oldest', 'run', 'since'))
number, oldest = tonumber(number), tonumber(oldest)
if run ~= ARGV[1] then
  since = now
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'since', string.format('%.0f', now))
end
local settling = ${feedSettlingMs} - (now - tonumber(since))
`

/** Servers that were heard of a moment ago, each by its entry's words. */
const live = `
local function live()
  local found = {}
  local entries = redis.call('HGETALL', KEYS[4])
  for i = 1, #entries, 2 do
    local process, store, held, account, key, heard, address =
      string.match(entries[i + 1], '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
    if now - tonumber(heard) < ${serverHeardMsMax} then
      found[#found + 1] = {
        store = store, number = tonumber(held), nextAccount = tonumber(account), nextKey = tonumber(key), address = address
      }
    end
  end
  return found
end
`

/**
 * What a copy lacks. Who is a server tells with it that it lives.
 * ARGV: run, server id or '', process, 1 the first time on a connection, store id or -, number, chain, 1 if whole, next
 * account, next key, address, bytes of changes at most.
 */
export const askScript = `${start}
local server = ARGV[2]
if server ~= '' then
  local before = redis.call('HGET', KEYS[4], server)
  if ARGV[4] == '1' then
    local entries = redis.call('HGETALL', KEYS[4])
    for i = 1, #entries, 2 do
      local heard = string.match(entries[i + 1], '^%S+ %S+ %S+ %S+ %S+ (%S+)')
      if now - tonumber(heard) > ${serverKeptMs} then redis.call('HDEL', KEYS[4], entries[i]) end
    end
  elseif before and string.match(before, '^%S+') ~= ARGV[3] then
    return { 'supplanted' }
  end
  local words = { ARGV[3], ARGV[5], ARGV[6], ARGV[9], ARGV[10], string.format('%.0f', now), ARGV[11] }
  redis.call('HSET', KEYS[4], server, table.concat(words, ' '))
end
if not id then return { 'empty' } end
local told = { 'same', id, tostring(number), chain }
local mine = tonumber(ARGV[6])
if ARGV[5] == '-' then told[1] = 'copy'
elseif ARGV[5] ~= id then told[1] = 'other'
elseif mine > number then told[1] = 'older'
elseif ARGV[8] == '0' or mine < oldest then told[1] = 'copy'
elseif mine == number then
  if ARGV[7] ~= chain then told[1] = 'diverged' end
else
  local known = redis.call('HGET', KEYS[3], mine)
  if not known or string.sub(known, 1, 32) ~= ARGV[7] then told[1] = 'diverged'
  else
    told[1] = 'changes'
    local bytes = 0
    for n = mine + 1, number do
      local entry = redis.call('HGET', KEYS[3], n)
      bytes = bytes + #entry
      if n > mine + 1 and bytes > tonumber(ARGV[12]) then break end
      told[#told + 1] = entry
    end
  end
end
return told
`

/**
 * Makes a change if the store is where its maker's copy is.
 * ARGV: run, store id, number, chain, the change's chain, its records, what the log keeps of it, the channel.
 */
export const changeScript = `${start}${live}
if not id then return { 'empty' } end
if id ~= ARGV[2] then return { 'other', id } end
local mine = tonumber(ARGV[3])
if mine > number then return { 'older' } end
if mine < number then return { 'behind' } end
if chain ~= ARGV[4] then return { 'diverged' } end
if settling > 0 then return { 'settling' } end
for _, server in ipairs(live()) do
  if server.store == id and server.number > number then return { 'older' } end
end
local at, place, record = 1, '', ''
while at <= #ARGV[6] do
  place, record, at = struct.unpack('>I4c0I4c0', ARGV[6], at)
  if record == '' then redis.call('HDEL', KEYS[2], place) else redis.call('HSET', KEYS[2], place, record) end
end
number = number + 1
local bytes = tonumber(redis.call('HGET', KEYS[1], 'logBytes')) + #ARGV[7]
redis.call('HSET', KEYS[3], number, ARGV[7])
if #ARGV[7] == #ARGV[5] then
  redis.call('DEL', KEYS[3])
  redis.call('HSET', KEYS[3], number, ARGV[7])
  oldest = number
  bytes = #ARGV[7]
end
while oldest < number and (number - oldest >= ${feedLogChangesMax} or bytes > ${feedLogBytesMax}) do
  bytes = bytes - redis.call('HSTRLEN', KEYS[3], oldest)
  redis.call('HDEL', KEYS[3], oldest)
  oldest = oldest + 1
end
redis.call('HSET', KEYS[1], 'number', number, 'chain', ARGV[5], 'oldest', oldest, 'logBytes', bytes)
redis.call('PUBLISH', ARGV[8], number)
return { 'made' }
`

/**
 * Makes the records that were staged those of the store: a new one, or an emptied or older one's.
 * ARGV: run, store id, number of the copy they are from, the new chain, begin or push, 1 to do it all the same, the channel.
 */
export const replaceScript = `${start}${live}
if settling > 0 then return { 'settling' } end
local mine, isForced = tonumber(ARGV[3]), ARGV[6] == '1'
if id and not isForced then
  if ARGV[5] == 'begin' then return { 'taken', id } end
  if id ~= ARGV[2] then return { 'other', id } end
  if number >= mine then return { 'newer', tostring(number) } end
end
local highest = math.max(mine, number or 0)
local counters = {
  nextAccount = tonumber(redis.call('HGET', KEYS[5], 'c:nextAccount') or 0),
  nextKey = tonumber(redis.call('HGET', KEYS[5], 'c:nextKey') or 0)
}
for _, server in ipairs(live()) do
  local isOurs = server.store == ARGV[2]
  if not isForced and server.store ~= '-' and (not isOurs or server.number > mine) then
    return { 'server', server.address, tostring(server.number) }
  end
  highest = math.max(highest, server.number)
  for name, next in pairs(counters) do counters[name] = math.max(next, server[name]) end
end
number = highest + 1
redis.call('DEL', KEYS[2], KEYS[3])
if redis.call('EXISTS', KEYS[5]) == 1 then redis.call('RENAME', KEYS[5], KEYS[2]) end
redis.call('PERSIST', KEYS[2])
for name, next in pairs(counters) do redis.call('HSET', KEYS[2], 'c:' .. name, string.format('%.0f', next)) end
redis.call('HSET', KEYS[3], number, ARGV[4])
redis.call('HSET', KEYS[1], 'id', ARGV[2], 'number', number, 'chain', ARGV[4], 'oldest', number, 'logBytes', #ARGV[4])
redis.call('PUBLISH', ARGV[7], number)
return { 'made', tostring(number), tostring(counters.nextAccount), tostring(counters.nextKey) }
`

/** A server takes its leave. ARGV: server id, process. */
export const leaveScript = `
local entry = redis.call('HGET', KEYS[4], ARGV[1])
if entry and string.match(entry, '^%S+') == ARGV[2] then redis.call('HDEL', KEYS[4], ARGV[1]) end
`
