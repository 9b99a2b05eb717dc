/**
 * The Lua scripts of the accounts' store (Redis). There are four kinds of keys:
 *
 *   …:store          id of the accounts; snapshot: name of the present one, base: NUMBER-MARK of it, log: bytes of changes
 *                    since; run of the Redis server, since (ms)
 *   …:changes        stream: NUMBER-MARK → an SQLite changeset; the one of a snapshot that replaced everything is empty
 *   …:snapshot:NAME  list: an SQLite file in pieces
 *   …:servers        server id → JSON: process, address, store: id of its copy, number, nextAccount, nextKey, heard (ms)
 *
 * Numbers rise by one; a mark is a hash of the mark before and the change, so two histories never share one.
 *
 *   a copy's number   below the oldest   in the stream        the last         above
 *   its mark          whatever it is     there     another    same   another
 *   the answer        copy               changes   diverged   same   diverged  older
 *
 * A script takes JSON, then bytes; it returns JSON with a `state`, then bytes. The types are in shared-store.ts.
 */
import {
  replicationAnswerBytesMax,
  replicationSettlingMs,
  serverHeardMsMax,
  serverKeptMs,
  snapshotKeptSeconds,
} from '../../limits.ts'
import { keyNamed } from './connection.ts'

export const changedChannel = keyNamed('changed')

const start = `
local ask = cjson.decode(ARGV[1])
local storeKey, changesKey, serversKey = '${keyNamed('store')}', '${keyNamed('changes')}', '${keyNamed('servers')}'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, snapshot, base, run, since = unpack(redis.call('HMGET', storeKey, 'id', 'snapshot', 'base', 'run', 'since'))
if run ~= ask.run then
  since = now
  redis.call('HSET', storeKey, 'run', ask.run, 'since', string.format('%.0f', now))
end
local settling = ${replicationSettlingMs} - (now - tonumber(since))
local function numberIn(entryId) return tonumber(string.match(entryId, '^%d+')) end
local function markIn(entryId) return string.match(entryId, '%d+$') end
local last = id and redis.call('XREVRANGE', changesKey, '+', '-', 'COUNT', 1)[1][1]
local number = last and numberIn(last)
local function answer(state, more)
  more = more or {}
  more.state, more.id, more.number = state, id or nil, more.number or number
  return cjson.encode(more)
end
`

/** Servers that were heard of a moment ago. */
const live = `
local function live()
  local found = {}
  for _, entry in ipairs(redis.call('HVALS', serversKey)) do
    local server = cjson.decode(entry)
    if now - server.heard < ${serverHeardMsMax} then found[#found + 1] = server end
  end
  return found
end
`

const append = `
local function append(first)
  for i, mark in ipairs(ask.marks) do
    redis.call('XADD', changesKey, (first + i) .. '-' .. mark, 'changeset', ARGV[i + 1])
  end
  redis.call('PUBLISH', '${changedChannel}', first + #ask.marks)
end
`

/** Returns the changes that a copy lacks. A server shows by asking that it lives. */
export const askScript = `${start}
local copy, server = ask.copy, ask.server
if server then
  local before = redis.call('HGET', serversKey, server.serverId)
  if server.isFirst then
    local entries = redis.call('HGETALL', serversKey)
    for i = 1, #entries, 2 do
      if now - cjson.decode(entries[i + 1]).heard > ${serverKeptMs} then redis.call('HDEL', serversKey, entries[i]) end
    end
  elseif before and cjson.decode(before).process ~= server.process then
    return { answer('supplanted') }
  end
  redis.call('HSET', serversKey, server.serverId, cjson.encode({
    process = server.process, address = server.address, heard = now, store = copy and copy.id,
    number = copy and copy.number or -1, nextAccount = ask.nextAccount, nextKey = ask.nextKey
  }))
end
if not id then return { answer('empty') } end
local everything = { snapshot = snapshot, base = { number = numberIn(base), mark = markIn(base) } }
if not copy then return { answer('copy', everything) } end
if copy.id ~= id then return { answer('other') } end
if copy.number > number then return { answer('older') } end
local oldest = redis.call('XRANGE', changesKey, '-', '+', 'COUNT', 1)[1][1]
if not copy.whole or copy.number < numberIn(oldest) then return { answer('copy', everything) } end
local own = copy.number .. '-' .. copy.mark
if #redis.call('XRANGE', changesKey, own, own) == 0 then return { answer('diverged') } end
if copy.number == number then return { answer('same') } end
local marks, told, bytes = {}, { '' }, 0
for n = copy.number + 1, number do
  local entry = redis.call('XRANGE', changesKey, n, n)[1]
  bytes = bytes + #entry[2][2]
  if #marks > 0 and bytes > ${replicationAnswerBytesMax} then break end
  marks[#marks + 1] = markIn(entry[1])
  told[#told + 1] = entry[2][2]
end
told[1] = answer('changes', { marks = marks })
return told
`

/** Makes changes if the store is where their maker's copy is. */
export const changeScript = `${start}${live}${append}
local copy = ask.copy
if not id then return answer('empty') end
if id ~= copy.id then return answer('other') end
if copy.number > number then return answer('older') end
if copy.number < number then return answer('behind') end
if markIn(last) ~= copy.mark then return answer('diverged') end
if settling > 0 then return answer('settling') end
for _, server in ipairs(live()) do
  if server.store == id and server.number > number then return answer('older') end
end
append(number)
local bytes = 0
for i = 2, #ARGV do bytes = bytes + #ARGV[i] end
return answer('made', { changes = number + #ask.marks - numberIn(base), bytes = redis.call('HINCRBY', storeKey, 'log', bytes) })
`

/** The staged snapshot takes the place of the one before, which goes when nobody can be reading it any more. */
const takeSnapshot = `
local staged = '${keyNamed('snapshot:')}' .. ask.snapshot
local function takeSnapshot(at)
  if snapshot then redis.call('EXPIRE', '${keyNamed('snapshot:')}' .. snapshot, ${snapshotKeptSeconds}) end
  redis.call('PERSIST', staged)
  redis.call('HSET', storeKey, 'snapshot', ask.snapshot, 'base', at, 'log', 0)
end
`

/** Takes a newer snapshot of the same accounts. Changes before the snapshot of before are dropped. */
export const snapshotScript = `${start}${takeSnapshot}
local at = ask.copy.number .. '-' .. ask.copy.mark
if id ~= ask.copy.id or ask.copy.number <= numberIn(base) then return answer('refused') end
if #redis.call('XRANGE', changesKey, at, at) == 0 then return answer('refused') end
if redis.call('LLEN', staged) ~= ask.pieces then return answer('unstaged') end
redis.call('XTRIM', changesKey, 'MINID', base)
takeSnapshot(at)
return answer('made')
`

/** Makes a snapshot the accounts of the store, a new one, or an emptied or older one's, and makes changes of it. */
export const replaceScript = `${start}${live}${append}${takeSnapshot}
local copy = ask.copy
if settling > 0 then return answer('settling') end
if redis.call('LLEN', staged) ~= ask.pieces then return answer('unstaged') end
if id and not ask.isForced then
  if ask.how == 'begin' then return answer('taken') end
  if id ~= copy.id then return answer('other') end
  if number >= copy.number then return answer('newer') end
end
local highest = math.max(copy.number, number or 0)
for _, server in ipairs(live()) do
  if not ask.isForced and server.store and (server.store ~= copy.id or server.number > copy.number) then
    return answer('server', { address = server.address, number = server.number })
  end
  highest = math.max(highest, server.number)
end
number = highest + 1
local at = number .. '-' .. copy.mark
redis.call('DEL', changesKey)
redis.call('XADD', changesKey, at, 'changeset', '')
redis.call('HSET', storeKey, 'id', copy.id)
takeSnapshot(at)
append(number)
return answer('made')
`

export const leaveScript = `
local ask = cjson.decode(ARGV[1])
local entry = redis.call('HGET', '${keyNamed('servers')}', ask.serverId)
if entry and cjson.decode(entry).process == ask.process then redis.call('HDEL', '${keyNamed('servers')}', ask.serverId) end
`
