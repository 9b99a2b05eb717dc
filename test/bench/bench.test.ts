/** The benchmark's own parts: figures are only as good as these. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { sampleAnswers } from '../../bench/harness/answers.ts'
import { median } from '../../bench/harness/harness.ts'
import { distinctQueries } from '../../bench/http/queries.ts'
import { type LoadResult, wrkCommand } from '../../bench/load/load.ts'
import { amount, itInAll } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { randomFrom, zipf } from '../support/random.ts'

test('The median of an even number of values is between the middle two', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.equal(median([3, 1, 2]), 2)
})

test('The Zipf generator draws rank r in proportion to 1 / (r + 1)', () => {
  const ranks = 50
  const draws = 200_000
  const draw = zipf(randomFrom(5), ranks)
  const counts = new Array<number>(ranks).fill(0)
  for (let i = 0; i < draws; i++) counts[draw()]!++
  const sum = counts.reduce((total, _, rank) => total + 1 / (rank + 1), 0)
  counts.forEach((count, rank) => {
    const expected = draws / sum / (rank + 1)
    assert(Math.abs(count - expected) < 6 * Math.sqrt(expected), `rank ${rank}: ${count}, expected ${expected}`)
  })
})

test('The queries of a benchmark are distinct, and each is a part of a card name', () => {
  const names = ['Charizard ex', 'Blue-Eyes White Dragon', 'リザードンex', 'N']
  const queries = distinctQueries(randomFrom(9), names, 30)
  assert(queries.length > 20)
  assert.equal(new Set(queries).size, queries.length)
  for (const query of queries)
    assert(
      names.some((name) => name.includes(query)),
      query,
    )
})

/** Answers at a port of its own until the test ends. */
async function serve(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function loadBy([program, ...args]: readonly string[]): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(program!, args)
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}

const skip = skipWithout('wrk')

for (const rate of [0, 300]) {
  const how = rate === 0 ? 'at full speed' : 'at a fixed rate'
  const testHere = rate === 0 ? itInAll : test
  testHere(`The load generator reports what the server saw ${how}`, { skip }, async (t) => {
    const asked: string[] = []
    const port = await serve(t, (request, response) => {
      asked.push(request.url!)
      response.statusCode = request.url === '/b' ? 404 : 200
      // Longer than a socket's chunk, so that answers come in parts.
      response.end('x'.repeat(request.url === '/c' ? 200_000 : 10))
    })
    const file = join(temporaryFolder(), 'requests')
    writeFileSync(file, ['/a', '/b', '/c', '/d'].map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n\0`).join(''))
    const seconds = rate === 0 ? amount(0.4, 1) : 1
    const times = { start: 0.5, seconds, momentSeconds: 0.5 }
    const result = await loadBy(wrkCommand({ port, file, ...times, connections: 4, rate }))
    const seen = (path: string) => asked.filter((each) => each === path).length
    // At full speed it takes one request for itself, to check it; the first of each connection may come in any order.
    assert(asked.slice(0, 4).includes(rate === 0 ? '/d' : '/c'))
    assert.equal(result.socketErrors, 0)
    assert(result.requests > 20)
    assert(asked.length - result.requests <= 8, `${asked.length} asked, ${result.requests} answered`)
    assert(seen('/b') - result.refusals <= 4 && result.refusals > 0)
    assert(result.bytes > 200_000 * (seen('/c') - 4))
    assert(result.latencyUs.p50 > 0 && result.latencyUs.p50 <= result.latencyUs.p99)
    assert(result.latencyUs.p999 <= result.latencyUs.max)
    // A busy machine may be late; it must not be early.
    if (rate > 0) {
      assert(result.requests / result.seconds < rate * 1.15, `${result.requests}`)
      const moments = result.moments!.reduce((sum, { requests }) => sum + requests, 0)
      assert(result.moments!.length >= 1 && moments > 0 && moments <= result.requests)
    }
  })
}

itInAll('The load generator counts a server’s pause for every request that fell due in it', { skip }, async (t) => {
  const pauseMs = 400
  let pausedUntil = 0
  const port = await serve(t, (_, response) => {
    const now = performance.now()
    if (pausedUntil === 0) pausedUntil = now + 300 + pauseMs
    const waits = now > pausedUntil - pauseMs && now < pausedUntil
    setTimeout(() => response.end('x'), waits ? pausedUntil - now : 0)
  })
  const file = join(temporaryFolder(), 'requests')
  writeFileSync(file, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n\0')
  // Far fewer connections than requests fall due in the pause.
  const options = { port, file, start: 0, connections: 2, seconds: 2, rate: 200 }
  const { latencyUs, requests } = await loadBy(wrkCommand(options))
  assert(latencyUs.max >= (pauseMs - 50) * 1000, `${latencyUs.max}`)
  // A fifth of all fell due in it; a generator that waits for answers before it asks would have seen it twice.
  assert(latencyUs.p99 >= (pauseMs / 2) * 1000, `${latencyUs.p99} of ${requests}`)
})

test('A sample of responses has the same hash for the same bodies, and fails on an unexpected status', async (t) => {
  const port = await serve(t, (request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200
    response.setHeader('X-Other', 'y')
    response.end(`answer to ${request.url}`)
  })
  const requests = (...paths: string[]) => paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
  const sample = await sampleAnswers(port, requests('/a', '/bcd'), 200)
  assert.equal(sample.statusLine, '200 OK')
  assert.deepEqual(sample.headers, [['X-Other', 'y']])
  assert.equal(sample.bodyBytes, 'answer to /bc'.length)
  assert.equal((await sampleAnswers(port, requests('/a', '/bcd'), 200)).hash, sample.hash)
  assert.notEqual((await sampleAnswers(port, requests('/a', '/bce'), 200)).hash, sample.hash)
  await assert.rejects(sampleAnswers(port, requests('/missing'), 200), /404/)
})
