/**
 * Certificates that change under load, each third time to a bad one: connections that were open stay open, those that are
 * made meanwhile are made, all is answered, and after each change new connections have the new certificate.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { makePair, nameServed, spoilings, TlsCaller, ways } from '../support/certificates.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Of new connections, from the change. */
const servedMsMax = 2000
const usualLoad = { lasting: 6, lastingPauseMs: 5, comingPauseMs: 10, calmMs: 1500 }
/** A test's own values, to take less time. */
interface Waits {
  readonly env?: NodeJS.ProcessEnv
  readonly apartMs?: number
}

export interface Seen {
  readonly changes: number
  readonly refusals: number
  answers: number
  connections: number
  /** From the change to the first connection that has it. */
  slowestChangeMs: number
  /** Of an answer: while nothing changed, and during each change. */
  readonly longestCalmMs: number
  readonly longestMs: readonly number[]
}

export async function rollCertificates(
  changes: number,
  threads: number,
  load = usualLoad,
  { env = {}, apartMs }: Waits = {},
): Promise<Seen> {
  const [indexDir, storeDir, folder] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  await fixtureIndex(indexDir)
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'business')
  const pairs = [await makePair('first'), await makePair('second'), await makePair('third')]
  ways['by renaming']!(folder, pairs[0]!)
  const [TLS_CERT, TLS_KEY] = [`${folder}/cert.pem`, `${folder}/key.pem`]
  const dirs = { INDEX_DIR: indexDir, STORE_DIR: storeDir }
  const service = await startService({ ...dirs, THREADS: `${threads}`, TLS_CERT, TLS_KEY, ...env })
  const port = Number(new URL(service.address).port)
  const seen = { changes, refusals: 0, answers: 0, connections: 0, slowestChangeMs: 0 }
  /** Of an answer since the last call. */
  const longest = () => {
    const ms = longestNow
    longestNow = 0
    return ms
  }
  let longestNow = 0
  const wrong: string[] = []
  let done = false

  const ask = async (caller: TlsCaller, path: string) => {
    const started = performance.now()
    const status = await caller.ask(path, key)
    longestNow = Math.max(longestNow, performance.now() - started)
    seen.answers++
    if (status !== 200) wrong.push(`${path} was answered ${status}`)
  }
  /** One connection from the first to the last. */
  const last = async () => {
    const caller = await TlsCaller.open(port)
    for (let i = 1; !done; i++) {
      await ask(caller, `/v1/cards/mtg-lea-${1 + (i % 25)}`)
      await pause(load.lastingPauseMs)
    }
    assert.equal(caller.name, 'first')
    caller.close()
  }
  /** A connection for each request. */
  const come = async () => {
    while (!done) {
      const caller = await TlsCaller.open(port)
      seen.connections++
      await ask(caller, '/v1/search?q=forest')
      caller.close()
      await pause(load.comingPauseMs)
    }
  }
  const calling = Promise.all([...Array.from({ length: load.lasting }, last), come(), come()])
  calling.catch((error: Error) => wrong.push(error.message))

  await pause(load.calmMs)
  const longestCalmMs = longest()
  const longestMs: number[] = []
  const kinds = [Object.values(ways), Object.values(spoilings)] as const
  let served = pairs[0]!
  for (let change = 1; change <= changes && wrong.length === 0; change++) {
    const next = pairs[change % pairs.length]!
    if (change % 3 === 0) {
      const { spoil, says } = kinds[1][seen.refusals % kinds[1].length]!
      const before = refusalsIn(service.log())
      await spoil(folder, pairs.find((pair) => pair !== served)!)
      await until('it is refused', () => refusalsIn(service.log()) > before)
      assert.match(service.log().trim().split('\n').at(-1)!, says)
      assert.equal(await nameServed(port), served.name)
      seen.refusals++
      // A folder in the place of a file is in the way of most ways.
      for (const path of [TLS_CERT, TLS_KEY]) rmSync(path, { recursive: true, force: true })
    }
    await kinds[0][change % kinds[0].length]!(folder, next, apartMs)
    const changed = performance.now()
    await until('it is served', async () => (await nameServed(port)) === next.name)
    seen.slowestChangeMs = Math.max(seen.slowestChangeMs, performance.now() - changed)
    served = next
    longestMs.push(longest())
  }
  done = true
  await calling.catch(() => undefined)
  assert.deepEqual(wrong, [])
  assert.ok(seen.slowestChangeMs < servedMsMax, `a change took ${seen.slowestChangeMs} ms`)
  assert.equal(await service.stop(), 0)
  return { ...seen, longestCalmMs, longestMs }
}

const refusalsIn = (log: string) => log.split('certificate is rejected').length - 1
