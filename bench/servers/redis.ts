/**
 * Redis without a server in front of it: its own load generator sends GETs of the bodies in Redis's protocol. Redis
 * checks no API key, counts no requests and sends no headers. A server that did so would cost more; it is not measured.
 */
import { Redis } from 'ioredis'
import { freePort } from '../../src/process/free-port.ts'
import { type Machine, pinned } from '../harness/machine.ts'
import { type RunningServer, runToEnd, startServer } from '../harness/process.ts'
import type { Subject } from '../harness/subject.ts'
import type { Generator } from '../load/load.ts'
import { cardsOf } from './peer-data.ts'
import { detailsPath } from './peer-paths.ts'

/** Pads the number as redis-benchmark does in its random keys. */
const keyOf = (number: number) => `card:${String(number).padStart(12, '0')}`
const setsInFlight = 1000

export async function startRedis(machine: Machine, subject: Subject): Promise<RunningServer> {
  const port = await freePort('127.0.0.1', 0)
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = await startServer(machine, ['redis-server', ...options], { port })
  const redis = new Redis(port, '127.0.0.1')
  let number = 0
  let sets: Promise<unknown>[] = []
  for (const { details } of cardsOf(subject)) {
    sets.push(redis.set(keyOf(number++), details))
    if (sets.length < setsInFlight) continue
    await Promise.all(sets)
    sets = []
  }
  await Promise.all(sets)
  redis.disconnect()
  return server
}

/** Returns the bodies that Redis has for the requested cards. */
export async function bodiesInRedis(port: number, subject: Subject, requests: readonly string[]): Promise<string[]> {
  const redis = new Redis(port, '127.0.0.1')
  const numbers = new Map(subject.ids.map((id, number) => [id, number]))
  const ids = requests.map((request) => request.slice(`GET ${detailsPath}`.length, request.indexOf(' HTTP/')))
  const bodies = await Promise.all(ids.map((id) => redis.get(keyOf(numbers.get(id)!))))
  redis.disconnect()
  return bodies.map((body) => body ?? '')
}

/**
 * redis-benchmark with random cards. It takes a number of requests, not a time, so a short run first measures the rate.
 */
export function redisGenerator(machine: Machine, cards: number): Generator {
  const run = async (port: number, connections: number, requests: number) => {
    const options = ['-p', port, '-c', connections, '-n', requests, '-r', cards, '--precision', 3].map(String)
    return runToEnd(pinned(machine, '1', ['redis-benchmark', ...options, 'GET', 'card:__rand_int__']))
  }
  return {
    name: 'redis-benchmark',
    run: async ({ port, connections, seconds }) => {
      const tried = rateIn(await run(port, connections, 20_000))
      const requests = Math.max(20_000, Math.round(tried * seconds))
      const output = await run(port, connections, requests)
      const [p50, p99, p999, max] = [50, 99, 99.9, 100].map((percent) => microsecondsAt(output, percent))
      return {
        requests,
        seconds: requests / rateIn(output),
        bytes: Number.NaN,
        refusals: 0,
        socketErrors: 0,
        latencyUs: { p50: p50!, p99: p99!, p999: p999!, max: max! },
        cpuSeconds: Number.NaN,
      }
    },
  }
}

function rateIn(output: string): number {
  const rate = /throughput summary: ([\d.]+) requests per second/.exec(output)?.[1]
  if (rate === undefined) throw new Error(`redis-benchmark tells no rate: ${output.slice(-500)}`)
  return Number(rate)
}

/** Returns the µs of the first line such as `99.023% <= 1.207 milliseconds (…)` with at least this percentage. */
function microsecondsAt(output: string, percent: number): number {
  for (const [, share, ms] of output.matchAll(/^([\d.]+)% <= ([\d.]+) milliseconds/gm)) {
    if (Number(share) >= percent) return Number(ms) * 1000
  }
  return Number.NaN
}
