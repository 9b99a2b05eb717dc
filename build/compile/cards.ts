/**
 * Cards to what is sent of them: details, batch items, search summaries and extended views, rendered once and for all, and
 * what must be known of each beside its texts. A block of lines at a time, each by itself, so that threads can share the work.
 *
 *   lines ─┬─▶ as usual: their values where they lie ─┬─▶ texts: details, item, summary, extras, details, … ─▶ texts-file.ts
 *          └─▶ all others: checked records ───────────┴─▶ columns: games, sets, prices, …
 */
import { idBytesAt, itemStart, textOrder } from '../../src/indexes/cards-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { CardLine } from '../read/card-line.ts'
import { type Block, linesIn, parseLine } from '../read/ndjson.ts'
import { type FoundProblems, Problems, shown } from '../read/problems.ts'
import type { SetRecord } from '../read/records.ts'
import { checkCard } from '../read/schema.ts'
import { CardTexts } from './card-texts.ts'
import { setKey } from './order.ts'
import { fingerprintedFields } from './search-document.ts'
import { TextsFile, type TextsFileMemory } from './texts-file.ts'

/**
 * The cards of a block of lines, as columns in the order of the lines. Names and the like are in the texts alone: who needs
 * them reads them there (search-document.ts).
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
  /** The newest `updatedAt`'s date. */
  readonly newestUpdate: string | null
  /** The ids one after the other, and where each starts and the last one ends. */
  readonly ids: Uint8Array<ArrayBuffer>
  readonly idsAt: Uint32Array<ArrayBuffer>
  /** Where the texts lie in the file of texts, and in them, as `RenderedCard` has it. */
  readonly from: number
  readonly textsAt: Uint32Array<ArrayBuffer>
  readonly problems: FoundProblems
}

/** A block as it passes between threads. */
export interface CompiledBlock extends CardBlock {
  /** What does not move with prices, of all cards (search-document.ts). */
  readonly steady: Uint8Array<ArrayBuffer>
}

/** The memory of a block. */
export const memoryOf = ({ lines, games, sets, markets, ids, idsAt, textsAt, steady }: CompiledBlock) =>
  [lines, games, sets, markets, ids, idsAt, textsAt, steady].map(({ buffer }) => buffer)

/** What all hands need for cards. */
export interface CardsPreparation {
  /** In list order. */
  readonly sets: readonly SetRecord[]
  readonly texts: TextsFileMemory
  /** Of all prices, null if it is unknown. */
  readonly currency: string | null
}

/** What a thread needs beside the cards: the sets by their keys, where texts go, and memory to work in. */
export class CardSets {
  readonly list: readonly SetRecord[]
  readonly file: TextsFile
  /** The names as JSON, by place; as last that of no set. */
  readonly names: readonly Uint8Array[]
  /** Where lines are read and blocks rendered, one after the other. */
  readonly line = new CardLine()
  readonly texts: CardTexts
  readonly #places: ReadonlyMap<string, number>
  // Of most cards they are those of the card before.
  #game = -1
  #code = ''
  #place = -1

  constructor({ sets: list, texts, currency }: CardsPreparation) {
    this.list = list
    this.texts = new CardTexts(currency)
    this.file = new TextsFile(texts)
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
  /** YYYY-MM-DD */
  readonly dateOfUpdate: string | null
}

export function compileBlock(block: Block, sets: CardSets): CompiledBlock {
  const problems = new Problems()
  const { line: usual, texts } = sets
  texts.start(block.bytes.length)
  const columns = { lines: [] as number[], games: [] as number[], sets: [] as number[], markets: [] as number[] }
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
    newestUpdate,
    ...identitiesIn(texts.bytes, texts.at),
    from: sets.file.write(texts.bytes),
    textsAt: texts.at,
    problems: problems.found,
  }
}

/** What texts tell of their cards whatever the prices. */
function identitiesIn(texts: Buffer, textsAt: Uint32Array): Pick<CompiledBlock, 'ids' | 'idsAt' | 'steady'> {
  const count = (textsAt.length - 1) / textOrder.length
  const idsAt = new Uint32Array(count + 1)
  const steadyAt = new Uint32Array(count + 1)
  const extrasAt = (place: number) => textsAt[(place + 1) * textOrder.length - 1]!
  const textsEnd = (place: number) => textsAt[(place + 1) * textOrder.length]!
  const steadyEnds = new Uint32Array(count)
  const starts = Uint32Array.from({ length: count }, (_, place) => {
    const { start, end } = fingerprintedFields(texts, textsAt[place * textOrder.length]!)
    steadyEnds[place] = end
    steadyAt[place + 1] = steadyAt[place]! + end - start + textsEnd(place) - extrasAt(place)
    idsAt[place + 1] = idsAt[place]! + idBytesAt(texts, start + itemStart.length)
    return start
  })
  const ids = new Uint8Array(idsAt[count]!)
  const steady = new Uint8Array(steadyAt[count]!)
  for (let place = 0; place < count; place++) {
    // Few bytes each: a loop is sooner done than a call.
    let to = steadyAt[place]!
    for (let from = starts[place]!; from < steadyEnds[place]!; ) steady[to++] = texts[from++]!
    for (let from = extrasAt(place); from < textsEnd(place); ) steady[to++] = texts[from++]!
    const id = starts[place]! + itemStart.length
    for (let at = idsAt[place]!, from = id; at < idsAt[place + 1]!; ) ids[at++] = texts[from++]!
  }
  return { ids, idsAt, steady }
}
