/** A server under all that the grammar has, with good requests on clean connections all the while. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../support/command.ts'
import { Wire } from '../support/proxy-wire.ts'
import { randomFrom } from '../support/random.ts'
import { sampleIds, sampleIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'
import { play } from './connection.ts'
import { askGoods, businessQuota, freeQuota, type Known, makeKeys } from './known.ts'
import { goodRequest } from './requests.ts'
import { drawScript, scriptText } from './script.ts'

interface HttpFuzz {
  readonly requests: number
  readonly seed: number
  /** This one alone, over and over, to see a failure again. */
  readonly script: number | undefined
}

/** Settings from the environment: FUZZ_REQUESTS, FUZZ_SEED, FUZZ_SCRIPT. */
export function fuzzSettings(requests: number): HttpFuzz {
  const { FUZZ_REQUESTS, FUZZ_SEED, FUZZ_SCRIPT } = process.env
  return {
    requests: Number(FUZZ_REQUESTS ?? requests),
    seed: Number(FUZZ_SEED ?? 20_261_121),
    script: FUZZ_SCRIPT === undefined ? undefined : Number(FUZZ_SCRIPT),
  }
}

const lanes = 64
const cleanConnections = 2
/** The machine is shared, and the driver takes the core of a server thread. */
const cleanMsMax = 15_000
const failuresShown = 5
interface HttpReport {
  readonly requests: number
  readonly compared: number
  readonly connections: number
  readonly cleanAnswers: number
  readonly cleanSlowestMs: number
  readonly seconds: number
}

/** Throws AssertionError with the scripts that failed. The server's end is looked at too. */
export async function fuzzHttp(options: HttpFuzz): Promise<HttpReport> {
  const [indexDir, storeDir] = [await sampleIndex(), temporaryFolder()]
  const keys = await makeKeys(storeDir, 3 + Math.ceil((1.5 * options.requests) / businessQuota))
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, THREADS: '2', LOG_LEVEL: 'warn' })
  const ids = sampleIds()
  const known: Known = { ...keys, ids, goods: await askGoods(service.address, keys.keys[0]!, ids) }
  const report = await new Fuzz(service, known, options).run().catch((error) => {
    service.child.kill('SIGKILL')
    throw error
  })
  assert.equal(await service.stop(), 0, 'SIGTERM ends a server in order, after any requests')
  assert.equal(service.log(), '', 'the server has nothing else to say')
  return report
}

class Fuzz {
  readonly #service: Service
  readonly #port: number
  readonly #known: Known
  readonly #options: HttpFuzz
  readonly #failures: string[] = []
  #partsLines = false
  #next = 0
  #requests = 0
  #compared = 0
  #freeTaken = 0
  #cleanAnswers = 0
  #cleanSlowestMs = 0
  #ended = false
  #hasEnded = false
  /** The numbers of the scripts that are being played. */
  readonly #playing = new Set<number>()

  constructor(service: Service, known: Known, options: HttpFuzz) {
    this.#service = service
    this.#port = Number(new URL(service.address).port)
    this.#known = known
    this.#options = options
  }

  async run(): Promise<HttpReport> {
    const { requests } = this.#options
    const started = performance.now()
    this.#partsLines = await this.#partsFirstLines()
    const beside = Promise.all(Array.from({ length: cleanConnections }, (_, i) => this.#askClean(i)))
    try {
      await this.#play(requests)
    } finally {
      this.#ended = true
      await beside
    }
    const log = this.#service.log()
    if (log !== '') this.#failures.unshift(`the server says: ${log}`)
    if (this.#freeTaken > freeQuota) this.#fault(`the free plan let through ${this.#freeTaken} requests`)
    assert.equal(this.#failures.length, 0, `seed ${this.#options.seed}\n${this.#failures.join('\n')}`)
    return {
      requests: this.#requests,
      compared: this.#compared,
      connections: this.#next,
      cleanAnswers: this.#cleanAnswers,
      cleanSlowestMs: this.#cleanSlowestMs,
      seconds: (performance.now() - started) / 1000,
    }
  }

  /** Plays script after script until so many requests are sent in all. */
  async #play(requests: number): Promise<void> {
    const lane = async () => {
      while (this.#requests < requests && !this.#isLost()) {
        const number = this.#options.script ?? this.#next++
        const script = drawScript(this.#options.seed, number, this.#known, this.#partsLines)
        this.#requests += script.requests.length
        this.#playing.add(script.number)
        const played = await play(this.#port, script)
        if (!this.#isLost()) this.#playing.delete(script.number)
        this.#compared += played.compared
        this.#freeTaken += played.freeTaken
        if (played.fault !== undefined) this.#fault(`${played.fault}\n${scriptText(script)}`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }

  /** There is no sense in going on. */
  #isLost(): boolean {
    if (this.#hasEnded) return true
    const { exitCode, signalCode } = this.#service.child
    this.#hasEnded = exitCode !== null || signalCode !== null
    if (!this.#hasEnded) return this.#failures.length >= failuresShown
    const playing = [...this.#playing].join(', ')
    this.#failures.unshift(`the server ended (${exitCode ?? signalCode}) while these scripts were played: ${playing}`)
    return true
  }

  #fault(text: string): void {
    if (this.#failures.length < failuresShown) this.#failures.push(text)
  }

  /** Good requests one after the other: beside all others, each gets its answer, and soon. */
  async #askClean(number: number): Promise<void> {
    const random = randomFrom(this.#options.seed + number)
    const wire = await Wire.open(this.#port)
    while (!this.#ended && !wire.ended) {
      const { bytes, good, isHead } = goodRequest(random, this.#known)
      const at = performance.now()
      wire.write(bytes)
      const answer = await Promise.race([wire.answer(isHead), sleep(2 * cleanMsMax, undefined, { ref: false })])
      const ms = performance.now() - at
      this.#cleanSlowestMs = Math.max(this.#cleanSlowestMs, ms)
      const body = Buffer.from(answer?.body ?? '').toString('latin1')
      const isRight = answer?.status === good!.status && (isHead || body === good!.answer)
      if (!isRight) this.#fault(`a clean connection had ${answer?.status ?? 'no answer'} for ${good!.target}`)
      if (ms > cleanMsMax) this.#fault(`a clean connection waited ${ms.toFixed(0)} ms for ${good!.target}`)
      if (!isRight) break
      this.#cleanAnswers++
      await sleep(5)
    }
    wire.close()
  }

  /** Whether the server's library answers 505 to a first line that arrives in two pieces: one version of it does. */
  async #partsFirstLines(): Promise<boolean> {
    // A busy server may read both pieces at once.
    for (let ms = 100; ms <= 1600; ms *= 2) {
      const wire = await Wire.open(this.#port)
      wire.write('GET ')
      await sleep(ms)
      const status = (await wire.ask('/healthz HTTP/1.1\r\nHost: x\r\n\r\n'))?.status
      wire.close()
      assert.ok(status === 200 || status === 505, `a first line in two pieces is answered ${status}`)
      if (status === 505) return true
    }
    return false
  }
}
