/**
 * Searches for the requests that cost most CPU time: begins with those of a grammar, keeps the dearest, and changes them. A seed decides
 * what is drawn.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { gameSlugs } from '../../build/games/default-games.ts'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import type { Dataset } from '../../src/api/dataset.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { lookUpWindowMs } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { CurrentData } from '../../src/web/site.ts'
import { temporaryFolder } from '../support/command.ts'
import { drawBelow, type Random, randomFrom } from '../support/random.ts'
import { unitMs } from '../support/relative-cost.ts'
import { indexOf } from '../support/servers-here.ts'
import { listenPages } from '../web/service-here.ts'
import { writeCostly } from './costly-catalog.ts'
import { CostlyBodies, type CostlyBody, cpuMs, type Endpoint, endpoints } from './costly-requests.ts'
import { type CostlyCard, CostlyTexts } from './costly-texts.ts'

export interface CostSettings {
  /** Requests in all. */
  readonly steps: number
  readonly seed: number
  /** The folder of a catalog's versions; undefined for one that is made to cost most. */
  readonly indexDir: string | undefined
}

/** From the environment: FUZZ_STEPS, FUZZ_SEED, FUZZ_INDEX. */
export function costSettings(steps: number): CostSettings {
  const { FUZZ_STEPS, FUZZ_SEED, FUZZ_INDEX } = process.env
  return { steps: Number(FUZZ_STEPS ?? steps), seed: Number(FUZZ_SEED ?? 20_261_126), indexDir: FUZZ_INDEX }
}

export interface Dearest {
  readonly endpoint: string
  /** Of `/value`, of the longest stretch. */
  readonly ms: number
  readonly request: string
}

const cardsOfCostly = 4000
/** Cards whose words are drawn. */
const cardsDrawn = 600
const kept = 12
/** The least of several counts: what else the process does, such as compiling, comes on top. */
const timesMeasured = 2
const timesCounted = 10

/** Throws AssertionError with a request that costs more than its endpoint's may. Returns the dearest of each. */
export async function searchDearest({ steps, seed, indexDir }: CostSettings): Promise<readonly Dearest[]> {
  const random = randomFrom(seed)
  const folder = indexDir ?? (await indexOf(writeCostly(randomFrom(seed), cardsOfCostly).folder))
  const shown = new CurrentData()
  shown.show(await loadVersion(folder, readFileSync(join(folder, 'current'), 'utf8').trim()), 0)
  const data = (await shown.open())!
  const storeDir = temporaryFolder()
  const host = await AccountsHost.open({ storeDir, log: pino({ level: 'silent' }) })
  const store = new Store(storeDir)
  let now = Date.now()
  // Each look-up is in a window of its own.
  const clock = () => (now += 2 * lookUpWindowMs)
  const { pages, url: address } = await listenPages(store, { accounts: host.shared, data: shown, clock })
  const texts = new CostlyTexts(random, cardsOf(random, data))
  const shares = endpoints.reduce((sum, { share }) => sum + share, 0)
  try {
    const dearest: Dearest[] = []
    for (const endpoint of endpoints) {
      const search = new DearestOf(random, endpoint, new CostlyBodies(random, texts, endpoint), (text: string) =>
        endpoint.ask(data, address, text),
      )
      for (const text of endpoint.careless) await search.costOf(text, `seed ${seed}, ${endpoint.name}`)
      for (let step = 0; step < (steps * endpoint.share) / shares; step++) {
        await search.step(`seed ${seed}, ${endpoint.name}, step ${step}`)
      }
      dearest.push(await search.dearest())
    }
    return dearest
  } finally {
    await pages.close(0)
    await store.close()
    await host.close()
  }
}

/** Cards from all over the catalog. */
function cardsOf(random: Random, { search, catalog }: Dataset): CostlyCard[] {
  const everywhere = { set: undefined, rarity: undefined }
  return gameSlugs.flatMap((_, game) => {
    const { total } = search.list({ game, ...everywhere }, {}, { limit: 1, offset: 0 }, 'newest')
    return Array.from({ length: total === 0 ? 0 : cardsDrawn / gameSlugs.length }, (): CostlyCard => {
      const page = search.list({ game, ...everywhere }, {}, { limit: 1, offset: drawBelow(random, total) }, 'newest')
      const [card] = JSON.parse(Buffer.from(catalog.cardsPage(page, 'extended', 1, 0)).toString()).data
      return card
    })
  })
}

/** Sends a request; see `Endpoint.ask`. */
type Ask = (text: string) => undefined | Promise<number>

interface Measured extends Dearest {
  readonly body: CostlyBody
}

class DearestOf {
  readonly #random: Random
  readonly #endpoint: Endpoint
  readonly #bodies: CostlyBodies
  readonly #ask: Ask
  #unitMs = unitMs()
  /** The dearest first. */
  readonly #kept: Measured[] = []

  constructor(random: Random, endpoint: Endpoint, bodies: CostlyBodies, ask: Ask) {
    this.#random = random
    this.#endpoint = endpoint
    this.#bodies = bodies
    this.#ask = ask
  }

  /** @param name of the step, for a message */
  async step(name: string): Promise<void> {
    const random = this.#random
    const isNew = this.#kept.length < kept || drawBelow(random, 5) === 0
    // The dearest are changed most often.
    const place = Math.min(drawBelow(random, kept), drawBelow(random, kept))
    const body = isNew ? this.#bodies.drawn() : this.#bodies.changed(this.#kept[place]!.body)
    const request = this.#endpoint.text(body)
    const ms = await this.costOf(request, name)
    const at = this.#kept.findIndex((one) => one.ms < ms)
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, { endpoint: this.#endpoint.name, ms, request, body })
    this.#kept.length = Math.min(this.#kept.length, kept)
  }

  /** In ms, of a dear request the least of several times. @param name of the step, for a message */
  async costOf(request: string, name: string): Promise<number> {
    const { unitsMax } = this.#endpoint
    const least = this.#kept.length < kept ? 0 : this.#kept.at(-1)!.ms
    let ms = await this.#msOf(request)
    if (ms > least) ms = Math.min(ms, await this.#leastOf(request, timesMeasured))
    if (ms <= unitsMax * this.#unitMs) return ms
    ms = await this.#leastOf(request, timesCounted)
    this.#unitMs = unitMs()
    const units = ms / this.#unitMs
    assert.ok(units <= unitsMax, `${name} took ${ms.toFixed(1)} ms, ${units.toFixed(1)} units: ${request}`)
    return ms
  }

  async dearest(): Promise<Dearest> {
    const costs: Dearest[] = []
    for (const { endpoint, request } of this.#kept) {
      costs.push({ endpoint, request, ms: await this.#leastOf(request, timesCounted) })
    }
    return costs.sort((a, b) => b.ms - a.ms)[0]!
  }

  async #msOf(request: string): Promise<number> {
    const start = cpuMs()
    const longest = await this.#ask(request)
    return longest ?? cpuMs() - start
  }

  async #leastOf(request: string, times: number): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < times; i++) least = Math.min(least, await this.#msOf(request))
    return least
  }
}
