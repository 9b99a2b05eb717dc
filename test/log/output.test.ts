/** The lines that a thread writes, whether standard error takes all bytes, some or none; and how often a store's absence is logged. */
import assert from 'node:assert/strict'
import fs, { constants } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { it, type TestContext } from 'node:test'
import pino from 'pino'
import { okStatus } from '../../src/http/response-heads.ts'
import type { Server } from '../../src/http/server.ts'
import { logBytesMax, logChunkBytesMax, loggedAddressCharsMax, rejectionLogMs } from '../../src/limits.ts'
import { Absence } from '../../src/log/absence.ts'
import { AccessLog } from '../../src/log/access.ts'
import { accessLogMs, LogOutput, logRetryMs, makeLog } from '../../src/log/log.ts'
import { countersOf, reserveBlocks } from '../../src/metrics/thread-counters.ts'
import { RequestCounting } from '../../src/process/threads/counting.ts'
import { readSettings } from '../../src/settings.ts'
import '../support/after-tests.ts'

/** The system's calls, answered as `takes` says: so many bytes at a time, or the code of an error. Time passes by `wait`. */
function standardError(test: TestContext, isFile = false) {
  const { mock } = test
  const [written, opened, dropped]: [string[], unknown[], number[]] = [[], [], []]
  const system = { takes: Number.POSITIVE_INFINITY as number | string, written, opened, dropped }
  mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  mock.method(fs, 'fstatSync', () => ({ isFile: () => isFile }))
  mock.method(fs, 'openSync', (...given: unknown[]) => {
    opened.push(given)
    if (typeof system.takes === 'string') throw new Error('it is a socket')
    return 77
  })
  mock.method(fs, 'writeSync', (descriptor: number, bytes: Buffer) => {
    if (typeof system.takes === 'string') throw Object.assign(new Error(), { code: system.takes })
    const taken = bytes.subarray(0, system.takes)
    written.push(`${descriptor} ${taken}`)
    return taken.length
  })
  syncBuiltinESMExports()
  test.after(() => {
    mock.restoreAll()
    syncBuiltinESMExports()
  })
  const open = () => new LogOutput((lines) => dropped.push(lines))
  return Object.assign(system, { heard: () => written.splice(0), wait: (ms: number) => mock.timers.tick(ms), open })
}

it('A log line is written at once, or whole after earlier lines if stderr takes no more', (test) => {
  const system = standardError(test)
  const { heard, wait } = system
  const output = system.open()
  const nonBlocking = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_APPEND
  assert.deepEqual(system.opened, [['/proc/self/fd/2', nonBlocking]])
  output.write('one\n')
  assert.deepEqual(heard(), ['77 one\n'])
  for (const code of ['EAGAIN', 'EPIPE']) {
    system.takes = code
    output.write('two\n')
    wait(logRetryMs)
    system.takes = 3
    output.write('three\n')
    wait(logRetryMs - 1)
    assert.deepEqual(heard(), [], code)
    wait(1)
    assert.deepEqual(heard(), ['77 two', '77 \n', '77 thr', '77 ee\n'], code)
  }
  system.takes = 'ENOSPC'
  output.write(`${'x'.repeat(logBytesMax - 1)}\n`)
  output.write('lost\nand\nlost\n')
  assert.deepEqual([output.dropped, system.dropped], [4, []])
  system.takes = 100
  output.write('four\n')
  output.write('five\n')
  assert.deepEqual([heard(), output.dropped, system.dropped], [['77 four\n', '77 five\n'], 4, [4]])
})

it('Lines of the access log are collected for a moment, until they fill a chunk, or until the process ends', (test) => {
  const system = standardError(test)
  const { heard, wait } = system
  const output = system.open()
  output.add('one\n')
  output.add('two\n')
  wait(accessLogMs - 1)
  assert.deepEqual(heard(), [])
  wait(1)
  assert.deepEqual(heard(), ['77 one\ntwo\n'])
  const half = `${'x'.repeat(logChunkBytesMax / 2 - 1)}\n`
  for (let times = 0; times < 2; times++) {
    for (const line of [half, half, 'three\n']) output.add(line)
    assert.deepEqual(heard(), [])
    wait(0)
    assert.deepEqual(heard(), [`77 ${half}${half}`, '77 three\n'])
  }
  output.add('four\n')
  ;(process.listeners('exit').at(-1) as () => void)()
  assert.deepEqual(heard(), ['77 four\n'], 'at the end of the process')
})

it('A log that nobody reads buffers a limited amount, and reports the dropped lines once half of it is read', (test) => {
  const system = standardError(test)
  const { heard, wait } = system
  const output = system.open()
  system.takes = 'EAGAIN'
  const lineBytes = 1024
  const line = (i: number) => `${i.toString().padEnd(lineBytes - 1)}\n`
  const room = logBytesMax / lineBytes
  for (let i = 0; i < room + 3; i++) output.write(line(i))
  assert.deepEqual([output.dropped, system.dropped], [3, []])
  system.takes = lineBytes
  const reports: number[] = []
  system.dropped.push = (lines: number) => reports.push(system.written.length, lines)
  wait(logRetryMs)
  assert.deepEqual(reports, [room / 2 + 1, 3])
  assert.deepEqual(
    heard(),
    Array.from({ length: room }, (_, i) => `77 ${line(i)}`),
  )
  output.write('later\n')
  assert.deepEqual([heard(), output.dropped, reports.length], [['77 later\n'], 3, 2])
})

it('A log to a file, or to an output that can’t be opened again, is written to stderr directly', (test) => {
  const system = standardError(test, true)
  system.open().write('file\n')
  assert.deepEqual([system.heard(), system.opened], [['2 file\n'], []])
  test.mock.method(fs, 'fstatSync', () => ({ isFile: () => false }))
  syncBuiltinESMExports()
  system.takes = 'EACCES'
  const socket = system.open()
  system.takes = 100
  socket.write('socket\n')
  assert.deepEqual(system.heard(), ['2 socket\n'])
})

it('The log has the program’s fields in its first line only, no key, and the count of dropped lines', (test) => {
  const system = standardError(test)
  const log = makeLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { software: '1.2.3' })
  log.debug('nothing')
  log.info({ key: 'cpl_live_abc' }, 'one')
  system.takes = 'ENOSPC'
  log.warn('lost')
  system.takes = 1000
  log.error('two')
  const lines = system.heard().map((line) => {
    const { time, pid, hostname, ...own } = JSON.parse(line.slice(3))
    return own
  })
  assert.deepEqual(lines, [
    { level: 30, software: '1.2.3', key: 'cpl_live_…', msg: 'one' },
    { level: 50, msg: 'two' },
    { level: 50, dropped: 1, msg: 'log lines were dropped, because nobody read them' },
  ])
})

it('A line of the access log has its fields in order', (test) => {
  const system = standardError(test)
  const log = new AccessLog({ selects: 'errors', loggedQuery: (query) => `a${query}`, onDropped: () => assert.fail() })
  const plain = new AccessLog({ selects: 1, onDropped: () => assert.fail() })
  test.mock.method(Date, 'now', () => 123)
  const request = {
    route: '/v1/games',
    status: 200,
    us: 4,
    bytes: 5,
    account: 6,
    query: `é"cpl_live_x~${'y'.repeat(2000)}`,
  }
  const methods = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' ')
  for (const method of methods) log.add({ ...request, method })
  plain.add({ ...request, method: 'get', account: null })
  const lineOf = (method: string, end: string) =>
    `{"time":123,"route":"/v1/games","method":"${method}","status":200,"us":4,"bytes":5,"account":${end}}\n`
  const query = `"a?\\"cpl_live_?~${loggedAddressCharsMax - 14} y"`
  const expected = [...methods.map((method) => lineOf(method, `6,"query":${query}`)), lineOf('other', 'null')]
  system.wait(accessLogMs)
  const written = system.heard().join('').replaceAll('77 ', '')
  const found = written.replaceAll(/y{9,}/g, ({ length }) => `${length} y`)
  assert.equal(found, expected.join(''))
  const selected = [200, 428, 429, 430, 499, 500, 503].filter((status) => log.selects(status))
  assert.deepEqual(selected, [429, 500, 503])
})

it('A thread logs the requests that ACCESS_LOG selects, and its replacement continues the count of dropped lines', (test) => {
  const system = standardError(test)
  let now = 0
  test.mock.method(performance, 'now', () => now)
  const lines: string[] = []
  const log = pino({}, { write: (line) => lines.push(line) })
  const [block] = reserveBlocks(1)
  countersOf(block!).logDropped[0] = 5
  /** The queries that it logs of a request. */
  const queries = (env: NodeJS.ProcessEnv) => {
    const counting = new RequestCounting(block!, readSettings(env), log)
    counting.instrumentation.resume({ route: 0, startedAt: 0, method: 'GET', query: 'q=a&api_key=b' })
    counting.instrumentation.answered(okStatus, 0, undefined)
    system.wait(accessLogMs)
    return [counting, ...system.heard().map((line) => JSON.parse(line.slice(3)).query)] as const
  }
  assert.equal(queries({ METRICS_PORT: '0' }).length, 1)
  assert.equal(queries({ ACCESS_LOG: 'errors' }).length, 1)
  assert.deepEqual(queries({ ACCESS_LOG: '1' }).slice(1), [undefined])
  for (const LOG_LEVEL of ['debug', 'trace']) assert.equal(queries({ ACCESS_LOG: '1', LOG_LEVEL })[1], 'q=a')
  system.takes = 'ENOSPC'
  const [counting] = queries({ ACCESS_LOG: '1', METRICS_PORT: '0' })
  now = 1010
  counting.update({ downloads: { count: 3 } } as Server)
  const { logDropped, downloads, loopMs } = counting.cells
  assert.deepEqual([...logDropped, ...downloads, ...loopMs.map(Math.round)], [6, 3, 1000, 1000, 1000])
  now = 1020
  counting.update({ downloads: { count: 0 } } as Server)
  assert.deepEqual([...logDropped, ...downloads, ...loopMs.map(Math.round)], [6, 0, 0, 0, 0])
  system.takes = 1000
  counting.instrumentation.answered(okStatus, 0, undefined)
  system.wait(accessLogMs)
  const [{ level, msg, dropped }] = lines.map((line) => JSON.parse(line))
  assert.deepEqual([level, dropped, msg], [50, 1, 'lines of the access log were dropped, because nobody read them'])
})

it('A share in ACCESS_LOG selects that share of the requests, as a draw for each would', () => {
  for (const share of [0.001, 0.01, 0.3, 1]) {
    const log = new AccessLog({ selects: share, onDropped: () => undefined })
    const requests = Math.ceil(2000 / share)
    let chosen = 0
    for (let i = 0; i < requests; i++) chosen += +log.selects(200)
    // Six standard deviations: once in half a billion runs.
    const away = share === 1 ? 0 : 6 * Math.sqrt(requests * share) + 1
    assert.ok(Math.abs(chosen - requests * share) <= away, `${chosen} of ${requests} at ${share}`)
  }
})

it('A store that fails now and then is logged at most twice a minute, and a store that stays unavailable once', ({
  mock,
}) => {
  const absence = new Absence()
  const [lines, wasAway]: [string[], boolean[]] = [[], []]
  const [again, end] = [rejectionLogMs + 1, 3 * rejectionLogMs]
  const steps = `0 back, 1 away, 2 back, 3 away, 4 back, 5 back, ${again - 1} away, ${again} away, ${end} away, ${end} back`
  for (const step of steps.split(', ')) {
    mock.method(performance, 'now', () => Number.parseInt(step, 10))
    if (step.endsWith('away')) absence.begin(() => lines.push(step))
    else wasAway.push(absence.end(() => lines.push(step)))
    assert.equal(absence.isAway, step.endsWith('away'))
  }
  assert.deepEqual(lines, ['1 away', '2 back', `${again} away`, `${end} back`])
  assert.deepEqual(wasAway, [false, true, true, false, true])
})
