-- Sends the requests of a file at a constant rate (an open loop). Request n is due at n / rate seconds. It is sent
-- then, or as soon as a connection is free. Its latency counts from when it was due. wrk itself would send less to a
-- slow server, and sends all requests of a millisecond at once. So this script uses only wrk's LuaJIT, and exits before
-- wrk's own load. Arguments: file, start (a share of the list), rate, port, connections, seconds, seconds of a moment
-- (0: no moments). Prints one line of JSON.
local ffi = require('ffi')
ffi.cdef([[
typedef struct { long seconds, nanos; } moment;
int clock_gettime(int clock, moment *now);
typedef struct { uint16_t family, port; uint32_t address; char rest[8]; } address;
int socket(int domain, int type, int protocol);
int connect(int fd, const address *to, uint32_t length);
int setsockopt(int fd, int level, int name, const int *value, uint32_t length);
ptrdiff_t send(int fd, const char *bytes, size_t length, int flags);
ptrdiff_t recv(int fd, char *bytes, size_t length, int flags);
void *memmem(const void *where, size_t length, const void *what, size_t of);
int epoll_create1(int flags);
]] .. (ffi.arch == 'x64' and 'typedef struct __attribute__((packed)) { uint32_t events; uint64_t data; } event;'
  or 'typedef struct { uint32_t events; uint64_t data; } event;') .. [[
int epoll_ctl(int epoll, int what, int fd, event *of);
int epoll_wait(int epoll, event *events, int max, int timeout);
]])
local C = ffi.C
local monotonic, stream, tcp, no_delay, add, readable = 1, 1, 6, 1, 1, 1
local without_waiting = 0x4040 -- MSG_DONTWAIT, MSG_NOSIGNAL
local again = 11
local events_max, buffer_bytes, head_max = 256, 1048576, 16384
local drain_seconds = 1

local clock = ffi.new('moment')
local function now_us()
  C.clock_gettime(monotonic, clock)
  return tonumber(clock.seconds) * 1e6 + tonumber(clock.nanos) / 1e3
end

-- Latencies in µs, in buckets: one for each µs below 128, and 64 equal ones between 2^n and 2^(n+1) above.
local buckets = 64 * 27
local Histogram = {}
Histogram.__index = Histogram
function Histogram.new()
  return setmetatable({ counts = ffi.new('double[?]', buckets), total = 0, max = 0 }, Histogram)
end
function Histogram:add(us)
  local _, power = math.frexp(us)
  power = math.max(0, power - 7)
  local bucket = power * 64 + math.floor(us / 2 ^ power)
  self.counts[bucket] = self.counts[bucket] + 1
  self.total = self.total + 1
  if us > self.max then self.max = us end
end
function Histogram:percentile(percent)
  local rank, seen = math.max(1, math.ceil(percent / 100 * self.total)), 0
  for bucket = 0, buckets - 1 do
    seen = seen + self.counts[bucket]
    if seen >= rank then
      local power = math.max(0, math.floor(bucket / 64) - 1)
      return math.min((bucket - power * 64 + 1) * 2 ^ power - 1, math.floor(self.max))
    end
  end
  return 0
end

local function read_requests(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  local requests = {}
  for request in text:gmatch('([^%z]+)') do requests[#requests + 1] = request end
  return requests
end

local function open(port, epoll, index)
  local fd = C.socket(2, stream, 0)
  local to = ffi.new('address', { 2, bit.bor(bit.lshift(bit.band(port, 255), 8), bit.rshift(port, 8)), 0x0100007f })
  assert(C.connect(fd, to, 16) == 0, 'a connection was refused')
  C.setsockopt(fd, tcp, no_delay, ffi.new('int[1]', 1), 4)
  assert(C.epoll_ctl(epoll, add, fd, ffi.new('event', { readable, index })) == 0)
  return fd
end

local head_end, length_name = '\r\n\r\n', 'ength: '
local buffer = ffi.new('char[?]', buffer_bytes)

local function digits(from)
  local number = 0
  while from[0] >= 48 and from[0] <= 57 do
    number, from = number * 10 + from[0] - 48, from + 1
  end
  return number
end

-- Returns the bytes of the whole response and its status, or nil while the response's head is incomplete.
local function read_head(length)
  local stop = ffi.cast('char *', C.memmem(buffer, length, head_end, 4))
  if stop == nil then return nil end
  local head_bytes = stop - buffer + 4
  local name = ffi.cast('char *', C.memmem(buffer, head_bytes, length_name, 7))
  return head_bytes + (name == nil and 0 or digits(name + 7)), digits(buffer + 9)
end

function init(args)
  local requests = read_requests(args[1])
  local rate, port, connections = tonumber(args[3]), tonumber(args[4]), tonumber(args[5])
  -- At most one connection for each request a second: servers close connections that are idle for some seconds.
  connections = math.max(1, math.min(connections, math.floor(rate)))
  local seconds, moment_seconds = tonumber(args[6]), tonumber(args[7])
  local at = math.floor(tonumber(args[2]) * #requests)
  local epoll = C.epoll_create1(0)
  local fds, since, missing, heads = {}, {}, {}, {}
  local idle, idle_from, idle_to = {}, 0, connections
  for i = 1, connections do
    fds[i], since[i], missing[i] = open(port, epoll, i), 0, 0
    idle[i - 1] = i
  end
  local all, moment, moments = Histogram.new(), Histogram.new(), {}
  local sent, answered, bytes, refusals, socket_errors = 0, 0, 0, 0, 0
  local events = ffi.new('event[?]', events_max)
  local cpu_before, start = os.clock(), now_us()
  local stop, moment_end = start + seconds * 1e6, start + moment_seconds * 1e6

  local function tell_moment()
    moments[#moments + 1] = string.format('{"requests":%d,"p99":%d,"max":%d}', moment.total, moment:percentile(99), moment.max)
    moment, moment_end = Histogram.new(), moment_end + moment_seconds * 1e6
  end

  local function send_due(now)
    local due = math.floor((math.min(now, stop) - start) / 1e6 * rate)
    while sent < due and idle_from < idle_to do
      local connection = idle[idle_from % connections]
      idle_from = idle_from + 1
      at = at % #requests + 1
      since[connection] = start + sent / rate * 1e6
      local request = requests[at]
      if C.send(fds[connection], request, #request, without_waiting) ~= #request then socket_errors = socket_errors + 1 end
      sent = sent + 1
    end
  end

  local function receive(connection)
    local kept = heads[connection]
    local before = 0
    if kept then
      ffi.copy(buffer, kept, #kept)
      before, heads[connection] = #kept, nil
    end
    local length = tonumber(C.recv(fds[connection], buffer + before, buffer_bytes - before, without_waiting))
    if length <= 0 then
      if length < 0 and ffi.errno() == again then return end
      socket_errors, missing[connection], since[connection] = socket_errors + 1, math.huge, 0
      C.epoll_ctl(epoll, 2, fds[connection], events)
      return
    end
    if missing[connection] == 0 then
      local answer_bytes, status = read_head(before + length)
      if answer_bytes == nil then
        heads[connection] = ffi.string(buffer, math.min(before + length, head_max))
        return
      end
      missing[connection] = answer_bytes - before
      bytes = bytes + answer_bytes
      if status >= 400 then refusals = refusals + 1 end
    end
    missing[connection] = missing[connection] - length
    if missing[connection] > 0 then return end
    local us = now_us() - since[connection]
    all:add(us)
    moment:add(us)
    answered, since[connection] = answered + 1, 0
    idle[idle_to % connections], idle_to = connection, idle_to + 1
  end

  while true do
    local now = now_us()
    if moment_seconds > 0 and now >= moment_end then tell_moment() end
    if now >= stop and (answered + socket_errors >= sent or now > stop + drain_seconds * 1e6) then break end
    send_due(now)
    for i = 0, C.epoll_wait(epoll, events, events_max, 0) - 1 do receive(tonumber(events[i].data)) end
  end
  -- A request without a response, sent or not, has taken at least the time since it was due.
  local now = now_us()
  for connection = 1, connections do
    if since[connection] > 0 then all:add(now - since[connection]) end
  end
  for n = sent, math.floor(seconds * rate) - 1 do all:add(now - (start + n / rate * 1e6)) end
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"bytes":%d,"refusals":%d,"socketErrors":%d,' ..
    '"latencyUs":{"p50":%d,"p99":%d,"p999":%d,"max":%d},"cpuSeconds":%f,"moments":[%s]}\n',
    answered, seconds, bytes, refusals, socket_errors,
    all:percentile(50), all:percentile(99), all:percentile(99.9), all.max,
    os.clock() - cpu_before, table.concat(moments, ',')))
  io.stdout:flush()
  os.exit(0)
end
