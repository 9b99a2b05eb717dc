/** 200 slow readers of long answers: they hold up nobody, cost no memory, and get what they came for. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { thisMachine } from '../../bench/harness/machine.ts'
import { generatorFor, type LoadResult } from '../../bench/load/load.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { longAnswer, Reader, readSlowly, requestOf, serveOne } from '../http/long-answers.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { drawFrom, randomFrom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const rate = 20_000
const seconds = 20
const slowestUsMax = 20_000
const moreMbMax = 30
const path = '/v1/bulk/pokemon'

let service: Service
let keys: string[]
let ids: readonly string[]
let port: number

before(async () => {
  const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
  const answer = longAnswer(24, 1)
  ids = answer.ids
  const built = await build(answer.snapshot, indexDir)
  assert.equal(built.code, 0, built.stderr)
  const store = new Store(storeDir)
  keys = store.change(() =>
    Array.from({ length: 40 }, (_, i) => createAccount(store, `shop ${i}`, 'business', Date.now()).key),
  )
  await store.close()
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  port = Number(new URL(service.address).port)
})
after(() => service.stop())

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'latin1'))![1]) / 1024

/** Card details at the rate, as many as `seconds` hold. */
async function load(): Promise<LoadResult> {
  const random = randomFrom(7)
  const request = () =>
    `GET /v1/cards/${drawFrom(random, ids)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${drawFrom(random, keys)}\r\n\r\n\0`
  const file = join(temporaryFolder(), 'requests')
  writeFileSync(file, Array.from({ length: 20_000 }, request).join(''))
  return generatorFor(thisMachine()).run({ port, file, start: 0, connections: 64, seconds, rate })
}

const reported = ({ requests, refusals, latencyUs: { p50, p99, p999, max } }: LoadResult) =>
  `${Math.round(requests / seconds)} requests/s, ${refusals} refused, p50 ${p50} µs, p99 ${p99}, p99.9 ${p999}, worst ${max}`

it('200 readers of 10 kB/s beside 20,000 requests/s', { timeout: 300_000 }, async (t) => {
  const alone = await load()
  const before = residentMb()
  const loading = load()
  await sleep(2000)
  const readers = await readSlowly({ port, path, key: keys[0]!, count: 200, bytesPerSecond: 10_000 })
  const beside = await loading
  const more = residentMb() - before
  const { bytes, closed } = await readers.end()
  t.diagnostic(`alone: ${reported(alone)}`)
  t.diagnostic(`beside 200 readers: ${reported(beside)}; ${more.toFixed(1)} MB more`)
  assert.equal(closed, 0, 'who reads is not closed')
  assert.ok(bytes.every((taken) => taken > 0))
  assert.equal(beside.refusals, 0)
  assert.ok(more <= moreMbMax, `${more} MB more`)
  // A machine that pauses by itself pauses here, too.
  assert.ok(beside.latencyUs.max <= Math.max(slowestUsMax, 1.5 * alone.latencyUs.max), reported(beside))
})

it('who stalls for longer than the library waits gets all, wherever it stalled', { timeout: 120_000 }, async () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(16_000_000))
  for (let at = 0; at < bytes.length; at += 4096) bytes[at] = at >> 12
  const one = await serveOne(bytes, { lookMs: 50, stallMsMax: 60_000 })
  const idle = new Reader(one.port, requestOf('/'))
  idle.socket.pause()
  let held = -1
  // It takes a little more as it moves from the server's side to the reader's.
  await until('the kernel holds what it can', async () => {
    const before = held
    await sleep(2000)
    held = one.offset()
    return held > 0 && held === before
  })
  idle.socket.destroy()
  one.close()
  // The rest is short, or a slice, or more.
  const lengths = [1, 2, 100, 4000, 16_383, 16_384, 16_385, 40_000, 65_536, 131_073, 2_000_000].map(
    (left) => held + left,
  )
  await Promise.all(
    lengths.map(async (length) => {
      const { port: itsPort, close } = await serveOne(bytes.subarray(0, length))
      const reader = new Reader(itsPort, requestOf('/'))
      reader.socket.pause()
      await sleep(16_000)
      const body = await reader.body()
      assert.equal(body.length, length)
      assert.ok(body.equals(Buffer.from(bytes.subarray(0, length))), `${length} bytes, ${held} held`)
      reader.socket.destroy()
      close()
    }),
  )
})
