/**
 * The Lua scripts of the accounts' store (Redis or Valkey), and its four kinds of keys:
 *
 *   …:store          hash: `id` of the accounts; `snapshot`: name of the present snapshot; `base`: NUMBER-MARK of the
 *                    snapshot; `log`: bytes of changes since the snapshot; `run`: run id of Redis; `since`: when (ms)
 *                    servers first saw that run
 *   …:changes        stream: NUMBER-MARK → an SQLite changeset, empty where a snapshot replaced everything
 *   …:snapshot:NAME  list: an SQLite file in parts; NAME ends with the SHA-256 of the file
 *   …:servers        hash: server id → JSON of process, address, store (the accounts' id), version (of the data),
 *                    number (of the replica's last change), nextAccount, nextKey, heard (ms, the last heartbeat)
 *
 * The changes in the stream are numbered without gaps. The mark of a change is a hash over the previous change's mark
 * and the change's own changeset. So two different histories never share a mark, and number and mark show whether a
 * replica can follow:
 *
 *   replica's number   before the oldest   in the stream          the last          after the last
 *   replica's mark     any                 same       different   same  different   any
 *   answer             snapshot            changes    diverged    same  diverged    older
 *
 * A script takes JSON, then bytes. It returns JSON with a `state`, then bytes. The types are in shared-store.ts.
 */

import { keyNamed } from './replication-connection.ts'
import { replicationRecoveryMs, serverHeardMsMax } from './timing.ts'

/** A silent server that has not signed off is forgotten after this time. */
const serverKeptMs = 86_400_000
/** How long a replaced snapshot stays, because a server may be loading it. */
const snapshotKeptSeconds = 60
/** The most bytes of changes in one answer. A change with more bytes is sent alone. */
export const replicationAnswerBytesMax = 1024 * 1024

export const storeKey = keyNamed('store')

const start = `
local ask = cjson.decode(ARGV[1])
local storeKey, changesKey, serversKey = '${storeKey}', '${keyNamed('changes')}', '${keyNamed('servers')}'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, snapshot, base, run, since = unpack(redis.call('HMGET', storeKey, 'id', 'snapshot', 'base', 'run', 'since'))
if run ~= ask.run then
  since = now
  redis.call('HSET', storeKey, 'run', ask.run, 'since', string.format('%.0f', now))
end
local recovery = ${replicationRecoveryMs} - (now - tonumber(since))
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

/** Servers that sent a heartbeat lately. */
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
end
`

/**
 * Returns the changes that a replica lacks. A server's call is also its heartbeat. A server that leaves signs off
 * by its last call.
 */
const syncScript = `${start}
local replica, server = ask.replica, ask.server
if server then
  local before = redis.call('HGET', serversKey, server.serverId)
  if server.isFirst then
    local entries = redis.call('HGETALL', serversKey)
    for i = 1, #entries, 2 do
      if now - cjson.decode(entries[i + 1]).heard > ${serverKeptMs} then redis.call('HDEL', serversKey, entries[i]) end
    end
  elseif before and cjson.decode(before).process ~= server.process then
    return { answer('duplicate') }
  end
  if server.leaves then
    redis.call('HDEL', serversKey, server.serverId)
    return { answer('left') }
  end
  redis.call('HSET', serversKey, server.serverId, cjson.encode({
    process = server.process, address = server.address, heard = now, store = replica and replica.id,
    version = server.version, number = replica and replica.number or -1, nextAccount = ask.nextAccount, nextKey = ask.nextKey
  }))
end
if not id then return { answer('empty') } end
local everything = { snapshot = snapshot, base = { number = numberIn(base), mark = markIn(base) } }
if not replica then return { answer('snapshot', everything) } end
if replica.id ~= id then return { answer('other') } end
if replica.number > number then return { answer('older') } end
local oldest = redis.call('XRANGE', changesKey, '-', '+', 'COUNT', 1)[1][1]
if not replica.whole or replica.number < numberIn(oldest) then return { answer('snapshot', everything) } end
local own = replica.number .. '-' .. replica.mark
if #redis.call('XRANGE', changesKey, own, own) == 0 then return { answer('diverged') } end
if replica.number == number then return { answer('same') } end
local marks, found, bytes = {}, { '' }, 0
for n = replica.number + 1, number do
  local entry = redis.call('XRANGE', changesKey, n, n)[1]
  bytes = bytes + #entry[2][2]
  if #marks > 0 and bytes > ${replicationAnswerBytesMax} then break end
  marks[#marks + 1] = markIn(entry[1])
  found[#found + 1] = entry[2][2]
end
found[1] = answer('changes', { marks = marks })
return found
`

/** Appends changes if the last change in the store is the last one of the sender's replica. */
const appendScript = `${start}${live}${append}
local replica = ask.replica
if not id then return answer('empty') end
if id ~= replica.id then return answer('other') end
if replica.number > number then return answer('older') end
if replica.number < number then return answer('behind') end
if markIn(last) ~= replica.mark then return answer('diverged') end
if recovery > 0 then return answer('recovering') end
for _, server in ipairs(live()) do
  if server.store == id and server.number > number then return answer('older') end
end
append(number)
local bytes = 0
for i = 2, #ARGV do bytes = bytes + #ARGV[i] end
return answer('made', { changes = number + #ask.marks - numberIn(base), bytes = redis.call('HINCRBY', storeKey, 'log', bytes) })
`

/**
 * Makes the staged snapshot the present one. The previous snapshot expires later, because servers may be reading it.
 */
const takeSnapshot = `
local staged = '${keyNamed('snapshot:')}' .. ask.snapshot
local function takeSnapshot(at)
  if snapshot then redis.call('EXPIRE', '${keyNamed('snapshot:')}' .. snapshot, ${snapshotKeptSeconds}) end
  redis.call('PERSIST', staged)
  redis.call('HSET', storeKey, 'snapshot', ask.snapshot, 'base', at, 'log', 0)
end
`

/** Replaces the snapshot by a newer one of the same accounts. Drops the changes that preceded the replaced snapshot. */
const snapshotScript = `${start}${takeSnapshot}
local at = ask.replica.number .. '-' .. ask.replica.mark
if id ~= ask.replica.id or ask.replica.number <= numberIn(base) then return answer('refused') end
if #redis.call('XRANGE', changesKey, at, at) == 0 then return answer('refused') end
if redis.call('LLEN', staged) ~= ask.parts then return answer('unstaged') end
redis.call('XTRIM', changesKey, 'MINID', base)
takeSnapshot(at)
return answer('made')
`

/**
 * Replaces the accounts of a new, emptied or older store by a staged snapshot, and appends changes to the snapshot.
 * `isForced` replaces those of any store.
 */
const replaceScript = `${start}${live}${append}${takeSnapshot}
local replica = ask.replica
if recovery > 0 then return answer('recovering') end
if redis.call('LLEN', staged) ~= ask.parts then return answer('unstaged') end
if id and not ask.isForced then
  if ask.how == 'begin' then return answer('taken') end
  if id ~= replica.id then return answer('other') end
  if number >= replica.number then return answer('newer') end
end
local highest = math.max(replica.number, number or 0)
for _, server in ipairs(live()) do
  if not ask.isForced and server.store and (server.store ~= replica.id or server.number > replica.number) then
    return answer('server', { address = server.address, number = server.number })
  end
  highest = math.max(highest, server.number)
end
number = highest + 1
local at = number .. '-' .. replica.mark
redis.call('DEL', changesKey)
redis.call('XADD', changesKey, at, 'changeset', '')
redis.call('HSET', storeKey, 'id', replica.id)
takeSnapshot(at)
append(number)
return answer('made')
`

export const accountsScripts = {
  syncAccounts: { numberOfKeys: 0, lua: syncScript },
  appendAccounts: { numberOfKeys: 0, lua: appendScript },
  snapshotAccounts: { numberOfKeys: 0, lua: snapshotScript },
  replaceAccounts: { numberOfKeys: 0, lua: replaceScript },
}
