-- Sends the requests of a file in turn, and prints one line of JSON. A NUL ends each request. Arguments: file, start (a
-- share of the list), rate (ignored).
local requests, count, at = {}, 0, 0
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for request in file:read('*a'):gmatch('([^%z]+)') do
    count = count + 1
    requests[count] = request
  end
  file:close()
  at = math.floor(tonumber(args[2]) * count)
  -- The CPU seconds until here, because reading the file is not part of the load. It is global so that `done` can get
  -- it.
  cpu_before = os.clock()
end

function request()
  at = at % count + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"bytes":%d,"refusals":%d,"socketErrors":%d,' ..
    '"latencyUs":{"p50":%d,"p99":%d,"p999":%d,"max":%d},"cpuSeconds":%f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max,
    os.clock() - threads[1]:get('cpu_before')))
end
