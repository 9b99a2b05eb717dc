/**
 * 500 rounds against hostile file servers, by a seed: half of them a pull each, half of them servers with INDEX_URL that live on
 * from round to round. Each fetch ends, says why in one line if nothing came, and recovers within the pause that docs/cluster.md
 * names; a server that is stopped at any moment of a fetch exits 0.
 *
 *   HOSTILE_SEED=7 HOSTILE_ROUNDS=500 npm run test:long
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { versionRetryMsMax } from '../../src/limits.ts'
import { drawPath, type Hostile, hostiles } from '../indexes/hostile-file-servers.ts'
import { collect, start, temporaryFolder } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { bytesOf, publishMade } from '../support/made-versions.ts'
import { drawBelow, type Random, randomFrom, shuffled } from '../support/random.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'

const seed = process.env['HOSTILE_SEED'] ?? '1'
const rounds = Number(process.env['HOSTILE_ROUNDS'] ?? 500)
/** Side by side: most of a round waits for a fetch to be given up. */
const lanes = 10
/** A head, a manifest or a file that never comes, and a redirect or two before it, on a busy machine. */
const endMsMax = 90_000
const stopMsMax = 8000
/** A server that is stopped during a fetch, instead of the other steps of a round. */
const stopShare = 0.2

interface Seen {
  succeeded: number
  refused: number
  stopped: number
  worstEndMs: number
  worstRecoveryMs: number
  worstStopMs: number
}

const seen = (): Seen => ({
  ...{ succeeded: 0, refused: 0, stopped: 0, worstEndMs: 0, worstRecoveryMs: 0, worstStopMs: 0 },
})

const contents = {
  'cards-000.msgpack': bytesOf(1, 12_000_000),
  'ids.msgpack': bytesOf(2, 3_000_000),
  'lists.msgpack': Buffer.alloc(0),
  'search.msgpack': bytesOf(3, 150_000),
}
const made = temporaryFolder()
const madeVersion = publishMade(made, contents)
const built = temporaryFolder()
let versions: readonly string[]

before(async () => {
  versions = [
    await addVersion(built, fixtureSnapshot()),
    await addVersion(built, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] })),
  ]
})

/** All kinds, in an order that is drawn, again and again. */
function* drawHostiles(random: Random): Generator<Hostile> {
  for (;;) yield* shuffled(random, hostiles)
}

/** A pull's end: what it wrote to standard error, '' if it succeeded. */
async function pulled(url: string, indexDir: string): Promise<{ line: string; ms: number }> {
  const from = performance.now()
  const child = start('src/cli/pull.ts', [url], { INDEX_DIR: indexDir })
  const output = collect(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), endMsMax)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  const ms = performance.now() - from
  assert.ok(code === 0 || code === 1, `exit ${code} after ${ms} ms: ${output.stderr()}`)
  assert.match(output.stderr(), code === 0 ? /^$/ : /^http:\/\/127\.0\.0\.1:\d+\/\S+ [^\n]+\n$/)
  return { line: output.stderr(), ms }
}

async function pullRound(server: FileServer, hostile: Hostile, random: Random, all: Seen): Promise<void> {
  const indexDir = temporaryFolder()
  const path = drawPath(
    hostile,
    random,
    madeVersion,
    Object.keys(contents).filter((name) => name !== 'lists.msgpack'),
  )
  server.beginAnew()
  server.failures[path] = hostile.fault(random)
  const first = await pulled(server.url, indexDir)
  if (hostile.end !== 'succeeds or fails')
    assert.equal(first.line === '', hostile.end === 'succeeds', `${path}: ${first.line}`)
  if (first.line !== '') assert.ok(!existsSync(join(indexDir, 'current')))
  server.beginAnew()
  const again = await pulled(server.url, indexDir)
  assert.equal(again.line, '')
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8'), `${madeVersion}\n`)
  for (const [file, content] of Object.entries(contents)) {
    assert.ok(readFileSync(join(indexDir, madeVersion, file)).equals(content), file)
  }
  rmSync(indexDir, { recursive: true })
  all[first.line === '' ? 'succeeded' : 'refused']++
  all.worstEndMs = Math.max(all.worstEndMs, first.ms)
  all.worstRecoveryMs = Math.max(all.worstRecoveryMs, again.ms)
}

/** A server with INDEX_URL that lives on, and the file server that it fetches from. */
class Lane {
  readonly #folder = temporaryFolder()
  readonly #indexDir = temporaryFolder()
  readonly #storeDir = temporaryFolder()
  #server!: FileServer
  #service!: Service

  async begin(): Promise<void> {
    cpSync(built, this.#folder, { recursive: true })
    makeCurrent(this.#folder, versions[0]!)
    this.#server = await FileServer.start(this.#folder)
    await this.#start()
    await this.#untilServed(versions[0]!)
  }

  async end(): Promise<void> {
    assert.equal(await this.#service.stop(), 0)
    await this.#server.stop()
  }

  async round(hostile: Hostile, random: Random, all: Seen): Promise<void> {
    const served = (await send(this.#service.address, '/healthz')).json.version
    const next = versions.find((version) => version !== served)!
    // A missing file has to be fetched.
    rmSync(join(this.#indexDir, next), { recursive: true, force: true })
    const path = drawPath(hostile, random, next, this.#filesOf(next, served))
    const reported = this.#reports().length
    const from = performance.now()
    this.#server.beginAnew()
    this.#server.failures[path] = hostile.fault(random)
    makeCurrent(this.#folder, next)
    if (random() < stopShare) await this.#stop(random, all)
    else {
      const isServed = async () => (await send(this.#service.address, '/healthz')).json.version === next
      await until(
        `${path}: it is logged or served`,
        async () => this.#reports().length > reported || (await isServed()),
        endMsMax,
      )
      const end = (await isServed()) ? 'succeeds' : 'fails'
      if (hostile.end !== 'succeeds or fails') assert.equal(end, hostile.end, `${path}: ${this.#reports().at(-1)}`)
      all[end === 'succeeds' ? 'succeeded' : 'refused']++
      all.worstEndMs = Math.max(all.worstEndMs, performance.now() - from)
      await pause(drawBelow(random, 3000))
    }
    const mended = performance.now()
    this.#server.beginAnew()
    await this.#untilServed(next)
    all.worstRecoveryMs = Math.max(all.worstRecoveryMs, performance.now() - mended)
    for (const line of this.#reports())
      assert.match(line, /^the version at INDEX_URL could not be downloaded; retrying: \S+ [^\n]+$/)
  }

  /** Those that the other version has not: they are fetched. */
  #filesOf(version: string, other: string): string[] {
    const filesOf = (name: string): { name: string; sha256: string }[] =>
      JSON.parse(readFileSync(join(this.#folder, name, 'manifest.json'), 'utf8')).files
    const there = new Set(filesOf(other).map(({ sha256 }) => sha256))
    return filesOf(version).flatMap(({ name, sha256 }) => (there.has(sha256) ? [] : [name]))
  }

  /** At any moment of a fetch; then it starts again. */
  async #stop(random: Random, all: Seen): Promise<void> {
    await pause(drawBelow(random, 8000))
    const from = performance.now()
    const timer = setTimeout(() => this.#service.child.kill('SIGKILL'), stopMsMax)
    assert.equal(await this.#service.stop(), 0, this.#service.log())
    clearTimeout(timer)
    all.worstStopMs = Math.max(all.worstStopMs, performance.now() - from)
    all.stopped++
    await this.#start()
  }

  async #start(): Promise<void> {
    this.#service = await startService({
      ...{ INDEX_DIR: this.#indexDir, STORE_DIR: this.#storeDir, INDEX_URL: this.#server.url, LOG_LEVEL: 'error' },
    })
  }

  /** The messages of the log. */
  #reports(): string[] {
    return this.#service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).msg)
  }

  /** Within the longest pause between two tries, and the try. */
  #untilServed(version: string): Promise<void> {
    const isServed = async () => (await send(this.#service.address, '/healthz')).json.version === version
    return until(`${version} is served`, isServed, versionRetryMsMax + endMsMax)
  }
}

/** Rounds of all lanes, of which each takes the next one. */
async function play(
  kind: string,
  count: number,
  lane: (random: Random) => Promise<(hostile: Hostile) => Promise<void>>,
) {
  const order = drawHostiles(randomFrom(`${seed} ${kind}`))
  let left = count
  await Promise.all(
    Array.from({ length: lanes / 2 }, async (_, number) => {
      const play = await lane(randomFrom(`${seed} ${kind} ${number}`))
      while (left-- > 0) {
        const hostile = order.next().value as Hostile
        await play(hostile).catch((error: Error) => {
          throw new Error(`seed ${seed}, ${kind}, ${hostile.what}: ${error.message}`, { cause: error })
        })
      }
    }),
  )
}

it(`${rounds} rounds: each ends, each is logged, each recovers`, { timeout: 3_600_000 }, async (t) => {
  const [pulls, servers] = [seen(), seen()]
  const begun: Lane[] = []
  await Promise.all([
    play('pull', Math.floor(rounds / 2), async (random) => {
      const server = await FileServer.start(made)
      return (hostile) => pullRound(server, hostile, random, pulls)
    }),
    play('server', Math.ceil(rounds / 2), async (random) => {
      const lane = new Lane()
      await lane.begin()
      begun.push(lane)
      return (hostile) => lane.round(hostile, random, servers)
    }),
  ])
  for (const lane of begun) await lane.end()
  for (const [kind, { succeeded, refused, stopped, ...worst }] of Object.entries({ pulls, servers })) {
    const ms = `end ${Math.round(worst.worstEndMs)} ms, recovery ${Math.round(worst.worstRecoveryMs)} ms, stop ${Math.round(worst.worstStopMs)} ms`
    t.diagnostic(`${kind}: ${succeeded} succeeded, ${refused} refused, ${stopped} stopped; at worst ${ms}`)
  }
})
