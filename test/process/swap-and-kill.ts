/**
 * Load on several threads while versions are swapped and threads are killed: no answer is lost or mixed but those in
 * flight on a killed thread, and after each swap all threads answer with the new version.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, projectDir, temporaryFolder } from '../support/command.ts'
import { scrape } from '../support/scrape.ts'
import { send, startService } from '../support/service.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'

const cardCount = 200
/** Of the swap, for all threads. */
const takenUpMsMax = 2000
/** The kernel spreads connections by hash: so many for each thread leave one of them out once in ten million times. */
const healthConnections = 14

const ids = Array.from({ length: cardCount }, (_, i) => `pokemon-base1-${i}`)

/** Every price of every card, and of its history, is this one. */
function snapshotAt(price: number): string {
  return snapshotOf({
    'sets/a.ndjson': [aSet],
    'cards/a.ndjson': ids.map((id) => ({
      id,
      game: 'pokemon',
      name: `Card ${id}`,
      setCode: 'base1',
      prices: { market: price },
    })),
    'history/a.csv': `date,id,market,low,high\n${ids.map((id) => `2026-11-20,${id},${price},${price},${price}\n`).join('')}`,
  })
}

interface Load {
  /** At least; it goes on until there were two swaps and two kills. */
  readonly totalMs: number
  readonly swapEveryMs: number
  readonly killEveryMs: number
  readonly threads: number
  readonly connections: number
  /** Of each connection, between two requests. */
  readonly pauseMs: number
  readonly versionCount: number
}

/** The counts, for a line of the test's output. */
export interface Seen {
  answers: number
  /** Connections that ended without an answer. */
  resets: number
  swaps: number
  kills: number
  slowestSwapMs: number
}

export async function swapAndKill(load: Load): Promise<Seen> {
  const { totalMs, swapEveryMs, killEveryMs, threads, connections, pauseMs, versionCount } = load
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  const mortalDir = temporaryFolder()
  const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'business')
  const keys = [key]
  for (let i = 1; i < 10; i++) keys.push((await accounts(storeDir, 'create', `a${i}`, '--plan', 'business')).key)
  const versions: string[] = []
  for (let price = 1; price <= versionCount; price++) versions.push(await addVersion(indexDir, snapshotAt(price)))
  makeCurrent(indexDir, versions[0]!)
  const service = await startService({
    INDEX_DIR: indexDir,
    STORE_DIR: storeDir,
    THREADS: String(threads),
    METRICS_PORT: '0',
    MORTAL_DIR: mortalDir,
    NODE_OPTIONS: `--require ${join(projectDir, 'test/process/mortal.cjs')}`,
  })
  const alive = () => readdirSync(mortalDir).filter((name) => name.startsWith('alive-'))
  await until('all threads can be killed', () => alive().length === threads)

  const seen: Seen = { answers: 0, resets: 0, swaps: 0, kills: 0, slowestSwapMs: 0 }
  const wrong: string[] = []
  const ending = performance.now() + totalMs
  const goesOn = () => performance.now() < ending || seen.swaps < 2 || seen.kills < 2

  async function call(caller: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = { 'x-api-key': keys[caller % keys.length]! }
    for (let i = caller; goesOn(); i += connections) {
      const path = pathOf(i)
      try {
        const { status, text } = await ask(service.address + path, agent, headers)
        const prices = new Set([...text.matchAll(/"(?:market|low|high)":([0-9.]+)/g)].map((match) => match[1]))
        if (status !== 200 || prices.size !== 1 || !text.endsWith('}')) wrong.push(`${path} ${status} ${[...prices]}`)
        seen.answers++
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ECONNRESET' || code === 'EPIPE') seen.resets++
        else wrong.push(`${path} ${code}`)
      }
      await sleep(pauseMs)
    }
    agent.destroy()
  }

  async function swap(): Promise<void> {
    for (let next = 1; goesOn(); next++) {
      await sleep(swapEveryMs)
      const version = versions[next % versionCount]!
      makeCurrent(indexDir, version)
      const swapped = performance.now()
      await until(
        `all threads answer with swap ${next}`,
        async () => (await versionsOf()).join() === version,
        takenUpMsMax,
      )
      seen.slowestSwapMs = Math.max(seen.slowestSwapMs, performance.now() - swapped)
      seen.swaps++
    }
  }

  /** Of all threads that take connections. */
  async function versionsOf(): Promise<string[]> {
    const replies = await Promise.all(
      Array.from({ length: healthConnections * threads }, () =>
        send(service.address, '/healthz').catch((error: NodeJS.ErrnoException) => {
          // A killed thread's; the connection never reached a handler.
          assert.equal(error.code, 'ECONNRESET')
          return undefined
        }),
      ),
    )
    return [...new Set(replies.filter((reply) => reply !== undefined).map((reply) => reply.json.version as string))]
  }

  async function kill(): Promise<void> {
    while (goesOn()) {
      await sleep(killEveryMs)
      // While none takes connections, they are refused.
      await until('all threads take connections', async () => {
        return (await scrape(service.metrics)).value('cpl_threads') === threads && alive().length === threads
      })
      const id = alive()[seen.kills % alive().length]!.slice('alive-'.length)
      writeFileSync(join(mortalDir, `kill-${id}`), '')
      await until('the thread is gone', () => !existsSync(join(mortalDir, `alive-${id}`)))
      seen.kills++
    }
  }

  await Promise.all([swap(), kill(), ...Array.from({ length: connections }, (_, caller) => call(caller))])
  assert.deepEqual(wrong, [])
  assert.ok(seen.resets <= seen.kills * connections, `${seen.resets} resets of ${connections} connections`)
  await until('all threads are back', () => alive().length === threads)
  assert.doesNotMatch(service.log(), /could not be started/)
  const refusals = service
    .log()
    .split('\n')
    .filter((line) => line.includes('refused'))
  for (const line of refusals) assert.match(line, /a server thread ended while it opened the version/)
  assert.equal(await service.stop(), 0)
  return seen
}

const pathOf = (i: number): string => {
  const id = ids[(i * 79) % ids.length]!
  return [`/v1/cards/${id}`, `/v1/cards/${id}/history?period=all`, '/v1/search?q=card&limit=100'][i % 3]!
}

function ask(
  address: string,
  agent: Agent,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(address, { agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject)
    })
    request.on('error', reject)
  })
}
