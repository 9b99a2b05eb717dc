/**
 * Cards to what is sent of them: details, batch items and search summaries, rendered once and for all, and what must be
 * known of each beside its texts. A block of lines at a time, each by itself, so that threads can share the work.
 *
 *   lines ─▶ checked records ─┬─▶ texts: details, item, summary, details, item, …
 *                             └─▶ columns: ids, names, prices, …
 */
import { type Condition, type Shaped, summaryConditions } from '../../src/api/shapes.ts'
import { gameSlugs } from '../../src/games.ts'
import { detailsStart } from '../../src/indexes/cards-file.ts'
import { idHash } from '../../src/indexes/ids-file.ts'
import { type Block, recordsIn } from '../read/ndjson.ts'
import { type FoundProblems, Problems, shown } from '../read/problems.ts'
import type { CardRecord, SetRecord } from '../read/records.ts'
import { checkCard } from '../read/schema.ts'
import { usualCard } from '../read/usual-card.ts'
import { setKey } from './order.ts'

/** The cards of a block of lines, as columns in the order of the lines. Plain data: it passes between threads. */
export interface CardBlock {
  /** As the operator sees it. */
  readonly file: string
  readonly lines: readonly number[]
  readonly ids: readonly string[]
  /** By `idHash`. */
  readonly hashes: readonly number[]
  readonly games: readonly number[]
  /** Places in the list of sets, -1 if the card's set is not there. */
  readonly sets: readonly number[]
  readonly names: readonly string[]
  readonly numbers: readonly (string | null)[]
  readonly rarities: readonly (string | null)[]
  /** Cents, null if unknown. */
  readonly markets: readonly (number | null)[]
  readonly products: readonly (number | null)[]
  /** The newest `updatedAt`'s date. */
  readonly newestUpdate: string | null
  /** As `RenderedCard` has them. */
  readonly texts: Uint8Array<ArrayBuffer>
  readonly textsAt: Uint32Array<ArrayBuffer>
  readonly problems: FoundProblems
}

/** Texts one after the other, in UTF-8, in memory that is used over and over. */
class TextBytes {
  length = 0
  view = new DataView(new ArrayBuffer(0))
  #at: number[] = []
  #buffer: Buffer<ArrayBuffer> = Buffer.from(this.view.buffer)

  /** Forgets all texts. */
  start(bytesExpected: number): void {
    this.length = 0
    this.#at = [0]
    this.#reserve(2 * bytesExpected)
  }

  add(text: string): void {
    this.#reserve(3 * text.length)
    this.length += this.#buffer.write(text, this.length)
    this.#at.push(this.length)
  }

  /** A copy. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer.buffer.slice(0, this.length))
  }

  get at(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#at)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#buffer.length) return
    const grown = Buffer.from(new ArrayBuffer(this.#buffer.length + 2 * bytes))
    grown.set(this.#buffer)
    this.#buffer = grown
    this.view = new DataView(grown.buffer)
  }
}

/** What a thread needs beside the cards: the sets by their keys, and memory for texts. */
export class CardSets {
  readonly list: readonly SetRecord[]
  /** Where blocks are rendered, one after the other. */
  readonly texts = new TextBytes()
  readonly #places: ReadonlyMap<string, number>

  constructor(list: readonly SetRecord[]) {
    this.list = list
    this.#places = new Map(list.map((set, place) => [setKey(set.game, set.code), place]))
  }

  /** -1 if there is none. */
  placeOf(card: CardRecord): number {
    return this.#places.get(setKey(card.game, card.setCode)) ?? -1
  }
}

export function compileBlock(block: Block, sets: CardSets): CardBlock {
  const problems = new Problems()
  const cards: CardRecord[] = []
  const lines: number[] = []
  const places: number[] = []
  const { texts } = sets
  texts.start(block.bytes.length)
  const hashes: number[] = []
  let newestUpdate: string | null = null
  recordsIn(block, problems, (line, number) => {
    const card = usualCard(line) ?? checkCard(line, block.file, number, problems)
    if (card === undefined) return
    const place = sets.placeOf(card)
    // Without any set, it is not the cards that are wrong.
    if (place === -1 && sets.list.length > 0) {
      problems.add(block.file, number, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
    }
    const setName = sets.list[place]?.name ?? ''
    const start = texts.length
    texts.add(details(card, setName))
    texts.add(item(card))
    texts.add(summary(card, setName))
    hashes.push(idHash(texts.view, start + detailsStart.length, card.id.length))
    lines.push(number)
    places.push(place)
    cards.push(card)
    const date = card.updatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? null
    if (date !== null && (newestUpdate === null || date > newestUpdate)) newestUpdate = date
  })
  return {
    file: block.file,
    lines,
    ids: cards.map(({ id }) => id),
    hashes,
    games: cards.map(({ game }) => game),
    sets: places,
    names: cards.map(({ name }) => name),
    numbers: cards.map(({ number }) => number),
    rarities: cards.map(({ rarity }) => rarity),
    markets: cards.map(({ prices }) => prices.market),
    products: cards.map(({ tcgplayerId }) => tcgplayerId),
    newestUpdate,
    texts: texts.bytes,
    textsAt: texts.at,
    problems: problems.found,
  }
}

function details(card: CardRecord, set: string): string {
  const { id, name, setCode, number, rarity, image, sources, updatedAt } = card
  const { market, low, mid, high, conditions, graded } = card.prices
  const prices = {
    market: decimal(market),
    low: decimal(low),
    mid: decimal(mid),
    high: decimal(high),
    conditions: conditionDecimals(conditions),
    graded: decimals(graded),
  }
  const game = gameSlugs[card.game]!
  const answer: Shaped<'card'> = {
    data: { id, name, game, set, setCode, number, rarity, image, prices, sources: [...sources], updatedAt },
  }
  return JSON.stringify(answer)
}

function summary(card: CardRecord, set: string): string {
  const { id, name, rarity } = card
  const conditions = card.prices.conditions.filter(isOfSummary)
  const prices = { market: decimal(card.prices.market), conditions: conditionDecimals(conditions) }
  const answer: Shaped<'cardSummary'> = { id, name, game: gameSlugs[card.game]!, set, rarity, prices }
  return JSON.stringify(answer)
}

type PriceOf<Key> = readonly [key: Key, cents: number]

const isOfSummary = (price: PriceOf<Condition>): price is PriceOf<(typeof summaryConditions)[number]> =>
  summaryConditions.some((condition) => condition === price[0])

function item(card: CardRecord): string {
  const { id, name } = card
  const answer: Shaped<'batchItem'> = {
    id,
    name,
    game: gameSlugs[card.game]!,
    prices: { market: decimal(card.prices.market) },
  }
  return JSON.stringify(answer)
}

const decimal = (cents: number | null): number | null => (cents === null ? null : cents / 100)

const decimals = (prices: readonly PriceOf<string>[]): Record<string, number> =>
  Object.fromEntries(prices.map(([key, cents]) => [key, cents / 100]))

const conditionDecimals = <Key extends Condition>(prices: readonly PriceOf<Key>[]) =>
  decimals(prices) as { [Name in Key]?: number }
