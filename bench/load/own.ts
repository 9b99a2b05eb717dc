/**
 * The project's own load generator, for where wrk is not installed: a process of its own, one request at a time on each
 * connection. Its argument is LoadOptions as JSON, its last line LoadResult.
 *
 * At a rate, a request's latency counts from the moment that the rate gives it, not from when a connection was free for
 * it: a server that pauses is not asked less, and its pause is not seen once but by all who had to wait.
 */
import { readFileSync } from 'node:fs'
import { Histogram } from './histogram.ts'
import type { LoadOptions, LoadResult, Moment } from './load.ts'
import { LoadConnection } from './own-connection.ts'

const options = JSON.parse(process.argv[2]!) as LoadOptions
const requests = readFileSync(options.file, 'utf8').split('\0').slice(0, -1)
const latencies = new Histogram()
const idle: LoadConnection[] = []
const moments: Moment[] = []
let moment = new Histogram()
let next = Math.floor(options.start * requests.length)
let sent = 0
let answered = 0
let bytes = 0
let refusals = 0
let socketErrors = 0
let startMs = 0
let ended = false

function send(connection: LoadConnection, sinceMs: number): void {
  connection.send(requests[next]!, sinceMs)
  next = (next + 1) % requests.length
  sent++
}

function onAnswer(connection: LoadConnection, status: number, answerBytes: number): void {
  if (ended) return
  const now = performance.now()
  answered++
  bytes += answerBytes
  if (status >= 400) refusals++
  const us = (now - connection.sinceMs) * 1000
  latencies.add(us)
  moment.add(us)
  if (options.rate === 0) send(connection, now)
  else idle.push(connection)
}

function onFailure(): void {
  if (!ended) socketErrors++
}

function tellMoment(): void {
  moments.push({ requests: moment.total, p99: moment.percentile(99), max: moment.max })
  moment = new Histogram()
}

/** Sends what is due; called in each turn of the event loop. */
function sendDue(): void {
  if (ended) return
  const due = ((performance.now() - startMs) / 1000) * options.rate
  while (sent < due && idle.length > 0) send(idle.shift()!, startMs + (sent / options.rate) * 1000)
  setImmediate(sendDue)
}

function report(cpuBefore: NodeJS.CpuUsage): void {
  ended = true
  // Requests that were due and are not even sent have waited so long at least.
  const now = performance.now()
  for (; sent < options.seconds * options.rate; sent++)
    latencies.add((now - startMs) * 1000 - (sent / options.rate) * 1e6)
  const cpu = process.cpuUsage(cpuBefore)
  const result: LoadResult = {
    requests: answered,
    seconds: (performance.now() - startMs) / 1000,
    bytes,
    refusals,
    socketErrors,
    latencyUs: {
      p50: latencies.percentile(50),
      p99: latencies.percentile(99),
      p999: latencies.percentile(99.9),
      max: latencies.max,
    },
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    moments,
  }
  console.log(JSON.stringify(result))
  process.exit(0)
}

// Servers close what is idle for some seconds: each connection is used about once a second, or oftener.
const connectionsMax = options.rate === 0 ? options.connections : Math.min(options.connections, Math.ceil(options.rate))
const connections = await Promise.all(
  Array.from({ length: connectionsMax }, () => LoadConnection.open(options.port, onAnswer, onFailure)),
)
const cpuBefore = process.cpuUsage()
startMs = performance.now()
setTimeout(() => report(cpuBefore), options.seconds * 1000)
const { momentSeconds = 0 } = options
if (momentSeconds > 0) setInterval(tellMoment, momentSeconds * 1000)
if (options.rate === 0) for (const connection of connections) send(connection, startMs)
else {
  idle.push(...connections)
  sendDue()
}
