/**
 * Cards to what is sent of them: details, batch items and search summaries, rendered once and for all, and what must be
 * known of each beside its texts. A block of lines at a time, each by itself, so that threads can share the work.
 *
 *   lines ─┬─▶ as usual: their values where they lie ─┬─▶ texts: details, item, summary, details, item, …
 *          └─▶ all others: checked records ───────────┴─▶ columns: ids, names, prices, …
 */
import { detailsStart } from '../../src/indexes/cards-file.ts'
import { idHash } from '../../src/indexes/ids-file.ts'
import * as at from '../read/card-line.ts'
import { CardLine } from '../read/card-line.ts'
import { type Block, linesIn, parseLine } from '../read/ndjson.ts'
import { type FoundProblems, Problems, shown } from '../read/problems.ts'
import type { CardRecord, SetRecord } from '../read/records.ts'
import { checkCard } from '../read/schema.ts'
import { CardTexts } from './card-texts.ts'
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
interface CardColumns extends Pick<CardRecord, 'id' | 'game' | 'name' | 'number' | 'rarity' | 'tcgplayerId'> {
  readonly setCode: string
  readonly market: number | null
  readonly dateOfUpdate: string | null
}

const columnsOf = (line: CardLine): CardColumns => ({
  id: line.textOf(at.id),
  game: line.game,
  name: line.textOf(at.name),
  setCode: line.setCode,
  number: line.textOrNullOf(at.number),
  rarity: line.textOrNullOf(at.rarity),
  market: line.market,
  tcgplayerId: line.tcgplayerId,
  dateOfUpdate: line.dateOfUpdate,
})

export function compileBlock(block: Block, sets: CardSets): CardBlock {
  const problems = new Problems()
  const { line: usual, texts } = sets
  texts.start(block.bytes.length)
  const columns = {
    lines: [] as number[],
    ids: [] as string[],
    hashes: [] as number[],
    games: [] as number[],
    sets: [] as number[],
    names: [] as string[],
    numbers: [] as (string | null)[],
    rarities: [] as (string | null)[],
    markets: [] as (number | null)[],
    products: [] as (number | null)[],
  }
  let newestUpdate: string | null = null
  /** The place of the card's set. */
  const take = (card: CardColumns, line: number): number => {
    const place = sets.placeOf(card.game, card.setCode)
    // Without any set, it is not the cards that are wrong.
    if (place === -1 && sets.list.length > 0) {
      problems.add(block.file, line, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
    }
    columns.lines.push(line)
    columns.ids.push(card.id)
    columns.games.push(card.game)
    columns.sets.push(place)
    columns.names.push(card.name)
    columns.numbers.push(card.number)
    columns.rarities.push(card.rarity)
    columns.markets.push(card.market)
    columns.products.push(card.tcgplayerId)
    const date = card.dateOfUpdate
    if (date !== null && (newestUpdate === null || date > newestUpdate)) newestUpdate = date
    return place
  }
  linesIn(block, problems, (bytes, start, end, line) => {
    const first = texts.length
    if (usual.take(bytes, start, end)) {
      const place = take(columnsOf(usual), line)
      texts.addLine(usual, sets.names.at(place)!)
    } else {
      const object = parseLine(bytes.toString('utf8', start, end), block.file, line, problems)
      const card = object && checkCard(object, block.file, line, problems)
      if (card === undefined) return
      const { market } = card.prices
      const dateOfUpdate = card.updatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? null
      const place = take({ ...card, market, dateOfUpdate }, line)
      texts.addRecord(card, sets.list[place]?.name ?? '')
    }
    const id = columns.ids.at(-1)!
    columns.hashes.push(idHash(texts.view, first + detailsStart.length, id.length))
  })
  return {
    file: block.file,
    ...columns,
    newestUpdate,
    texts: texts.bytes,
    textsAt: texts.at,
    problems: problems.found,
  }
}
