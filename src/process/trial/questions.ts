/**
 * The questions that each new version must answer before it serves anyone. Checksums prove that the files are as the
 * build wrote them. The questions show that their content makes sense. They go through the same code as callers'
 * requests.
 */
import { Answers, emptyRequest, type Request } from '../../api/answers.ts'
import { type Dataset, openDataset } from '../../api/dataset.ts'
import { Problems } from '../../api/problems.ts'
import type { Operation } from '../../api/routes.ts'
import { cardsHead, lineEnd, views } from '../../catalog/card-fields.ts'
import { bulkFileName, bulkOfGames, readBulkFile } from '../../indexes/bulk-file.ts'
import { readCardsPart } from '../../indexes/cards-file.ts'
import { changesFileName, readChangesFile } from '../../indexes/changes-file.ts'
import { readHistoryFile } from '../../indexes/history-file.ts'
import { readListsFile } from '../../indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../../indexes/load.ts'
import { readSearchFile } from '../../indexes/search-file.ts'
import { dearestMax, readSetFiguresFile, setFiguresFileName } from '../../indexes/set-figures-file.ts'
import { queryCharsMax, quotedCharsMax, searchLimitMax } from '../../limits.ts'
import { listSorts } from '../../search/scope/orders.ts'

/** No card has this id, and no word of a name begins with this word. */
const unknownId = 'pokemon-no-such-card-qzxjvkqwzx'
const unknownWord = 'qzxjvkqwzxqjvkzwqxzjvkqw'

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own body
type Json = any
type Parameters = Readonly<Record<string, string>>

const limit = `${searchLimitMax}`

/**
 * Asks all questions. Throws an Error at the first answer that makes no sense, or the error that a question throws.
 * @param begin called with each question before it is asked
 */
export async function askAll(version: VersionFiles, begin: (question: string) => void): Promise<void> {
  begin('opening it')
  mustHaveAll(version)
  const data = await openDataset(version)
  const { counts, asOf } = version.manifest
  const asker = new Asker(data, begin)
  asker.askCounts(version)
  const cards: Json[] = []
  for (const index of new Set([0, counts.cards >> 1, counts.cards - 1])) {
    if (index < counts.cards) cards.push(asker.askCard(index, asOf))
  }
  asker.askWhatIsNotThere()
  if (cards.length > 0) asker.askLists(cards)
}

class Asker {
  readonly #data: Dataset
  readonly #begin: (question: string) => void
  readonly #answers = new Answers()
  readonly #problems = new Problems('A')

  constructor(data: Dataset, begin: (question: string) => void) {
    this.#data = data
    this.#begin = begin
  }

  /** Checks that the manifest, the games, the games' lists and the games' downloads have the same counts. */
  askCounts(version: VersionFiles): void {
    this.#begin('how many cards and sets each game has')
    const { cards, sets } = version.manifest.counts
    const listed: Json[] = this.#ask('listGames').data
    mustEqual(idsOf(listed), this.#data.games.slugs)
    const sum = (field: string) => listed.reduce((total, game) => total + game[field], 0)
    mustEqual([sum('cardCount'), sum('setCount')], [cards, sets])
    const bulk = bulkOfGames(readBulkFile(fileOf(version, bulkFileName)))
    for (const [number, { id: game, cardCount, setCount }] of listed.entries()) {
      mustEqual(this.#list('listCards', { game, limit: '1' }).total, cardCount)
      mustEqual(this.#list('listSets', { game, limit: '1' }).total, setCount)
      const { gzip, cards: lines, bytes } = bulk[number]!
      // A gzip ends with its unpacked length.
      const unpacked = Buffer.from(gzip.subarray(-4)).readUInt32LE()
      mustEqual([lines, bytes], [cardCount, unpacked])
    }
  }

  /** Asks everything about the card with this index. Returns the card's details. */
  askCard(index: number, asOf: string | null): Json {
    this.#begin(`the card with the index ${index}`)
    const { catalog } = this.#data
    const card = JSON.parse(textOf(catalog.details(index))).data
    const { id, name, game, setCode } = card
    mustEqual(catalog.find(id), index)
    const [full, extended] = ['', 'view=extended'].map(
      (query) => this.#ask('getCard', { pathParameter: id, query }).data,
    )
    for (const view of [full, extended]) mustEqual([view.id, view.name, view.prices], [id, name, card.prices])
    const csv = this.#text('getCard', { pathParameter: id, query: 'format=csv' })
    must(csv.startsWith(`${cardsHead}${id},`) && csv.endsWith(lineEnd), 'its line of CSV must begin with its id')
    this.#begin(`what finds ${id}`)
    this.#askFilters(extended)
    if (isQuery(name)) {
      const { data } = this.#list('searchCards', { q: name, game, limit })
      must(
        data.some((found: Json) => found.name === name),
        'its name must find it',
      )
      this.#mustFind(id, 'searchCards', { q: name, game, set: setCode })
      const suggested: Json[] = this.#list('suggestNames', { q: name }).data
      must(suggested.length > 0 && suggested.every((one) => one.cards > 0), 'its name must be suggested')
    }
    const set = this.#ask('getSet', { pathParameter: game, secondPathParameter: encodeURIComponent(setCode) }).data
    mustEqual([set.game, set.code], [game, setCode])
    this.#begin(`the history and the changes of ${id}`)
    const { cardId, history } = this.#ask('getCardHistory', { pathParameter: id, query: 'period=all' }).data
    const dates: string[] = history.map(({ date }: Json) => date)
    mustEqual(cardId, id)
    must(
      dates.every((date, i) => date <= asOf! && (i === 0 || dates[i - 1]! < date)),
      'its days must ascend up to asOf',
    )
    mustEqual(this.#ask('getCardChanges', { pathParameter: id }).data.cardId, id)
    return card
  }

  askWhatIsNotThere(): void {
    this.#begin('an unknown card')
    mustEqual(this.#ask('getCard', { pathParameter: unknownId }).error.code, 'CARD_NOT_FOUND')
    this.#begin('a word that finds nothing')
    mustEqual(this.#list('searchCards', { q: unknownWord }).data, [])
  }

  askLists(cards: readonly Json[]): void {
    const ids = idsOf(cards)
    this.#begin('a batch')
    for (const view of views) {
      const { data } = this.#ask('batchCards', { body: json({ ids: [...ids, unknownId], view }) })
      mustEqual(idsOf(data), ids)
    }
    this.#begin('a match')
    const named = cards.flatMap(({ name }) => (isQuery(name) ? [{ name }] : []))
    const lines = [...ids.map((id) => ({ id })), ...named]
    const { data: matches } = this.#ask('matchCards', { body: json({ cards: lines }) })
    mustEqual(matches.length, lines.length)
    mustEqual(
      matches.slice(0, ids.length).map(({ card }: Json) => card?.id),
      ids,
    )
    must(
      named.length === 0 || matches.some(({ match }: Json, i: number) => i >= ids.length && match !== 'none'),
      'names must match',
    )
    const { game } = cards[0]
    for (const sort of listSorts) {
      this.#begin(`cards by ${sort}`)
      const { data, total } = this.#list('listCards', { game, sort, limit, view: 'extended' })
      mustEqual(new Set(idsOf(data)).size, Math.min(total, searchLimitMax))
      must(
        data.every((card: Json) => card.game === game),
        'all must be of the game',
      )
    }
    this.#begin('movers')
    for (const direction of ['up', 'down']) {
      const { data } = this.#list('listMovers', { direction, limit })
      must(
        data.every(({ change }: Json) => change.amount > 0 === (direction === 'up')),
        'all must have moved that way',
      )
    }
  }

  /**
   * For each field of the card, filters the cards of its set by the card's value of that field. If a result fits on one
   * page, it must contain the card.
   */
  #askFilters({ id, game, setCode, number, rarity, printing, prices, ...ids }: Json): void {
    const { market } = prices
    const fields = { set: setCode, number, rarity, printing, min_price: market, max_price: market }
    const { tcgplayerId, scryfallId, mtgjsonId, cardmarketId } = ids
    const products = { tcgplayer_id: tcgplayerId, cardmarket_id: cardmarketId }
    for (const [field, value] of Object.entries({
      ...fields,
      ...products,
      scryfall_id: scryfallId,
      mtgjson_id: mtgjsonId,
    })) {
      if (value !== null) this.#mustFind(id, 'listCards', { game, set: setCode, [field]: `${value}` })
    }
  }

  #mustFind(id: string, operation: Operation, parameters: Parameters): void {
    const { data, total } = this.#list(operation, { ...parameters, limit })
    must(total > data.length || idsOf(data).includes(id), `${operation} by ${Object.keys(parameters)} must find it`)
  }

  #list(operation: Operation, parameters: Parameters): Json {
    const list = this.#ask(operation, { query: new URLSearchParams(parameters).toString() })
    must(Array.isArray(list.data) && !(list.data.length > list.total), `${operation} must give a list`)
    return list
  }

  #ask(operation: Operation, request: Partial<Request> = {}): Json {
    return JSON.parse(this.#text(operation, request))
  }

  /** The body of a 200, or of a problem. */
  #text(operation: Operation, request: Partial<Request>): string {
    const answer = this.#answers.of[operation](this.#data, { ...emptyRequest, ...request }, this.#problems)
    return textOf(answer instanceof Uint8Array ? answer : answer.body)
  }
}

/** Checks the number of cards, sets or names in each file that has some. */
function mustHaveAll(version: VersionFiles): void {
  const { cards, sets } = version.manifest.counts
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const [search, lists] = [
    readSearchFile(fileOf(version, 'search.msgpack')),
    readListsFile(fileOf(version, 'lists.msgpack')),
  ]
  mustEqual(
    {
      search: search.cardName.length,
      lists: lists.cardGame.length,
      changes: readChangesFile(fileOf(version, changesFileName)).changedOn.length,
      texts: sum(partsOf(version, 'cards').map((part) => readCardsPart(part).details.at.length - 1)),
      history: sum(partsOf(version, 'history').map((part) => readHistoryFile(part).at.length - 1)),
    },
    { search: cards, lists: cards, changes: cards, texts: cards, history: cards },
  )
  mustEqual([search.sets.length, search.setCardsAt.length - 1, lists.setEndsAt.length - 1], [sets, sets, sets])
  mustEqual(lists.nameRanks.length, search.nameGame.length)
  const figures = readSetFiguresFile(fileOf(version, setFiguresFileName))
  mustEqual(
    [figures.cents.length, figures.counts.length, figures.dearest.length],
    [2 * sets, 3 * sets, dearestMax * sets],
  )
}

const textOf = (body: Uint8Array): string => Buffer.from(body).toString()
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const isQuery = (name: string): boolean => name.trim() !== '' && name.length <= queryCharsMax
const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id)

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what)
}

function mustEqual(found: unknown, expected: unknown): void {
  const [one, other] = [found, expected].map((value) => `${JSON.stringify(value)}`)
  must(one === other, `${one!.slice(0, quotedCharsMax)} instead of ${other!.slice(0, quotedCharsMax)}`)
}
