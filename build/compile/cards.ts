/**
 * Cards to what is sent of them: details, batch items and search summaries, rendered once and for all, and what must be
 * known of each beside its texts. A block of lines at a time, each by itself, so that threads can share the work.
 *
 *   lines ─┬─▶ as usual: their values where they lie ─┬─▶ texts: details, item, summary, details, item, …
 *          └─▶ all others: checked records ───────────┴─▶ columns: games, sets, prices, …
 */
import { noPrice } from '../../src/indexes/lists-file.ts'
import { CardLine } from '../read/card-line.ts'
import { type Block, linesIn, parseLine } from '../read/ndjson.ts'
import { type FoundProblems, Problems, shown } from '../read/problems.ts'
import type { SetRecord } from '../read/records.ts'
import { checkCard } from '../read/schema.ts'
import { CardTexts } from './card-texts.ts'
import { setKey } from './order.ts'

/**
 * The cards of a block of lines, as columns in the order of the lines. Plain data: it passes between threads. Names and the
 * like are in the texts alone: who needs them reads them there (described.ts).
 */
export interface CardBlock {
  /** As the operator sees it. */
  readonly file: string
  readonly lines: Uint32Array<ArrayBuffer>
  readonly games: Uint8Array<ArrayBuffer>
  /** Places in the list of sets, -1 if the card's set is not there. */
  readonly sets: Int32Array<ArrayBuffer>
  /** Cents, `noPrice` if unknown. */
  readonly markets: Uint32Array<ArrayBuffer>
  /** 0 if unknown. */
  readonly products: Float64Array<ArrayBuffer>
  /** The newest `updatedAt`'s date. */
  readonly newestUpdate: string | null
  /** As `RenderedCard` has them. */
  readonly texts: Uint8Array<ArrayBuffer>
  readonly textsAt: Uint32Array<ArrayBuffer>
  readonly problems: FoundProblems
}

/** The memory of a block. */
export const memoryOf = ({ lines, games, sets, markets, products, texts, textsAt }: CardBlock): ArrayBuffer[] =>
  [lines, games, sets, markets, products, texts, textsAt].map(({ buffer }) => buffer)

/** What a thread needs beside the cards: the sets by their keys, and memory to work in. */
export class CardSets {
  readonly list: readonly SetRecord[]
  /** The names as JSON, by place; as last that of no set. */
  readonly names: readonly Uint8Array[]
  /** Where lines are read and blocks rendered, one after the other. */
  readonly line = new CardLine()
  readonly texts = new CardTexts()
  readonly #places: ReadonlyMap<string, number>
  // Of most cards they are those of the card before.
  #game = -1
  #code = ''
  #place = -1

  constructor(list: readonly SetRecord[]) {
    this.list = list
    this.names = [...list.map(({ name }) => name), ''].map((name) => Buffer.from(JSON.stringify(name)))
    this.#places = new Map(list.map((set, place) => [setKey(set.game, set.code), place]))
  }

  /** -1 if there is none. */
  placeOf(game: number, code: string): number {
    if (game !== this.#game || code !== this.#code) {
      this.#game = game
      this.#code = code
      this.#place = this.#places.get(setKey(game, code)) ?? -1
    }
    return this.#place
  }
}

/** What of a card goes into a block's columns. */
interface CardColumns {
  readonly game: number
  readonly setCode: string
  readonly market: number | null
  readonly tcgplayerId: number | null
  /** YYYY-MM-DD */
  readonly dateOfUpdate: string | null
}

export function compileBlock(block: Block, sets: CardSets): CardBlock {
  const problems = new Problems()
  const { line: usual, texts } = sets
  texts.start(block.bytes.length)
  const columns = { lines: [] as number[], games: [] as number[], sets: [] as number[], markets: [] as number[] }
  const products: number[] = []
  let newestUpdate: string | null = null
  /** The place of the card's set. */
  const take = (card: CardColumns, line: number): number => {
    const place = sets.placeOf(card.game, card.setCode)
    // Without any set, it is not the cards that are wrong.
    if (place === -1 && sets.list.length > 0) {
      problems.add(block.file, line, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
    }
    columns.lines.push(line)
    columns.games.push(card.game)
    columns.sets.push(place)
    columns.markets.push(card.market ?? noPrice)
    products.push(card.tcgplayerId ?? 0)
    const date = card.dateOfUpdate
    if (date !== null && (newestUpdate === null || date > newestUpdate)) newestUpdate = date
    return place
  }
  linesIn(block, problems, (bytes, start, end, line) => {
    if (usual.take(bytes, start, end)) {
      texts.addLine(usual, sets.names.at(take(usual, line))!)
      return
    }
    const object = parseLine(bytes.toString('utf8', start, end), block.file, line, problems)
    const card = object && checkCard(object, block.file, line, problems)
    if (card === undefined) return
    const { market } = card.prices
    const dateOfUpdate = card.updatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? null
    const place = take({ ...card, market, dateOfUpdate }, line)
    texts.addRecord(card, sets.list[place]?.name ?? '')
  })
  return {
    file: block.file,
    lines: Uint32Array.from(columns.lines),
    games: Uint8Array.from(columns.games),
    sets: Int32Array.from(columns.sets),
    markets: Uint32Array.from(columns.markets),
    products: Float64Array.from(products),
    newestUpdate,
    texts: texts.bytes,
    textsAt: texts.at,
    problems: problems.found,
  }
}
