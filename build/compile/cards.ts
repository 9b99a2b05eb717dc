/**
 * Renders cards: details, batch items, search summaries and extended views as responses send them, and columns for the rest of
 * the build. Blocks of lines are independent, so that threads can share the work.
 *
 *   lines ─▶ checked records ─┬─▶ texts: details, item, summary, extras, details, … ─▶ texts-file.ts
 *                             └─▶ columns: games, sets, prices, …
 */
import { dayOfDate, noDay } from '../../src/calendar.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import { type Block, linesIn, parseLine } from '../read/ndjson.ts'
import { Problems, shown } from '../read/problems.ts'
import { checkCard, type SetRecord } from '../read/schema.ts'
import type { Job } from '../workers/pool.ts'
import { details, extras, item, summary } from './card-answers.ts'
import type { CardBlock } from './card-block.ts'
import { offsets } from './columns.ts'
import { setKey } from './order.ts'
import { documentFields } from './search-document.ts'
import { TextsFile, type TextsFileMemory } from './texts-file.ts'

/** Input of all blocks. */
interface CardsPreparation {
  /** In list order. */
  readonly sets: readonly SetRecord[]
  readonly texts: TextsFileMemory
  /** Of all prices, null if unknown. */
  readonly currency: string | null
}

/** A worker's data for all its blocks: the sets by key, and the file of texts. */
class CardSets {
  readonly list: readonly SetRecord[]
  readonly file: TextsFile
  readonly currency: string | null
  readonly #indexes: ReadonlyMap<string, number>
  // Most cards are of the set of the card before.
  #game = -1
  #code = ''
  #index = -1

  constructor({ sets: list, texts, currency }: CardsPreparation) {
    this.list = list
    this.currency = currency
    this.file = new TextsFile(texts)
    this.#indexes = new Map(list.map((set, index) => [setKey(set.game, set.code), index]))
  }

  /** -1 if there is none. */
  indexOf(game: number, code: string): number {
    if (game !== this.#game || code !== this.#code) {
      this.#game = game
      this.#code = code
      this.#index = this.#indexes.get(setKey(game, code)) ?? -1
    }
    return this.#index
  }
}

const encoder = new TextEncoder()

function compileBlock(block: Block, sets: CardSets): CardBlock {
  const problems = new Problems()
  const columns = {
    ...{ lines: [] as number[], games: [] as number[], sets: [] as number[] },
    ...{ markets: [] as number[], updates: [] as number[] },
  }
  const texts: string[] = []
  const documents: ReturnType<typeof documentFields>[] = []
  linesIn(block, problems, (bytes, start, end, line) => {
    const object = parseLine(bytes.toString('utf8', start, end), block.file, line, problems)
    const card = object && checkCard(object, block.file, line, problems)
    if (card === undefined) return
    const set = sets.indexOf(card.game, card.setCode)
    // Without any set, the fault is not the cards'.
    if (set === -1 && sets.list.length > 0) {
      problems.add(block.file, line, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
    }
    columns.lines.push(line)
    columns.games.push(card.game)
    columns.sets.push(set)
    columns.markets.push(card.prices.market ?? noPrice)
    columns.updates.push(card.updatedAt === null ? noDay : dayOfDate(card.updatedAt.slice(0, 'YYYY-MM-DD'.length)))
    documents.push(documentFields(card))
    const setName = sets.list[set]?.name ?? ''
    texts.push(details(card, setName), item(card), summary(card, setName), extras(card, sets.currency))
  })
  const bytes = Buffer.from(texts.join(''))
  const textsAt = offsets(texts.map((text) => Buffer.byteLength(text)))
  return {
    file: block.file,
    lines: Uint32Array.from(columns.lines),
    games: Uint8Array.from(columns.games),
    sets: Int32Array.from(columns.sets),
    markets: Uint32Array.from(columns.markets),
    updates: Int32Array.from(columns.updates),
    ids: encoder.encode(documents.map(({ id }) => id).join('')),
    idsAt: offsets(documents.map(({ id }) => Buffer.byteLength(id))),
    documents: encoder.encode(JSON.stringify(documents)),
    from: sets.file.write(bytes),
    textsAt,
    problems: problems.found,
  }
}

export const cardsJob: Job<CardsPreparation, CardSets, Block, CardBlock> = {
  module: import.meta.url,
  name: 'cardsJob',
  tasksPerThread: 2,
  prepare: (preparation) => new CardSets(preparation),
  run: (sets, block) => compileBlock(block, sets),
  transfers: ({ lines, games, sets, markets, updates, ids, idsAt, textsAt, documents }) =>
    [lines, games, sets, markets, updates, ids, idsAt, textsAt, documents].map(({ buffer }) => buffer),
}
