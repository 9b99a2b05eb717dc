-- As list.lua, at a constant rate: request n has the moment n / rate. A connection that has its answer takes the next
-- moment and waits for it, or sends at once where it is past, so that a pause of the server is made up for.
dofile((debug.getinfo(1, 'S').source:sub(2):gsub('at%-rate%.lua$', 'list.lua')))

local ffi = require('ffi')
ffi.cdef('typedef struct { long seconds, nanos; } moment; int clock_gettime(int clock, moment *now);')
local monotonic, now = 1, ffi.new('moment')
local list_init = init
local interval_ms, next_ms

local function now_ms()
  ffi.C.clock_gettime(monotonic, now)
  return tonumber(now.seconds) * 1e3 + tonumber(now.nanos) / 1e6
end

function init(args)
  list_init(args)
  interval_ms = 1e3 / tonumber(args[3])
end

function delay()
  local time = now_ms()
  next_ms = (next_ms or time) + interval_ms
  return math.max(0, math.floor(next_ms - time + 0.5))
end
