/** The operations of lists: pages of searches, lists, movers and sets, and suggestions. */
import type { Body, Csv, View } from '../catalog/card-fields.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Games } from '../games.ts'
import type { ListSort, Sort } from '../search/scope/orders.ts'
import type { Filter, HitPage, Movement, Paging } from '../search/search.ts'
import type { Dataset } from './dataset.ts'
import { ParameterError } from './parameter-kinds.ts'
import * as p from './parameters.ts'

export interface CsvAsked {
  readonly format: 'json' | 'csv'
  readonly bom: '0' | '1'
}

interface PageAsked extends Paging, CsvAsked {
  readonly view: View
}

interface GameAsked {
  /** The game's slug; the version may have no such game. Undefined for all games. */
  readonly game: string | undefined
}

type FilterAsked = Omit<Filter, 'game'> & GameAsked

export interface SearchAsked extends FilterAsked, PageAsked {
  readonly name: string
  readonly sort: Sort
}

interface ListAsked extends FilterAsked, PageAsked {
  readonly tcgplayerId: number | undefined
  readonly scryfallId: string | undefined
  readonly mtgjsonId: string | undefined
  readonly cardmarketId: number | undefined
  readonly sort: ListSort
}

interface MoversAsked extends Paging, CsvAsked, Movement, GameAsked {
  readonly set: string | undefined
}

export type CsvForm = 'plain' | 'marked'

/** Returns the requested form of CSV; undefined if JSON is requested. */
export function csvAskedBy({ format, bom }: CsvAsked): CsvForm | undefined {
  const form = bom === '1' ? 'marked' : 'plain'
  return format === 'csv' ? form : undefined
}

export const csvAs = (form: CsvForm | undefined, csv: Csv): Csv => (form === 'marked' ? csv.marked() : csv)

/** Returns the game's number; -1 for all games. Throws ParameterError if the version has no such game. */
function gameAsked(games: Games, { game }: GameAsked): number {
  if (game === undefined) return -1
  const number = games.numberOf(game)
  if (number === -1) throw new ParameterError(p.game.name, `one of ${games.slugs.join(', ')}`, game)
  return number
}

export function searchPage({ search, catalog, games }: Dataset, asked: SearchAsked): Body {
  const { name } = asked
  const filter = filterOf(games, asked)
  const { sort } = asked
  return pageOf(catalog, asked, (paging) => search.find(name, filter, paging, sort))
}

export function cardsPage({ search, catalog, games }: Dataset, asked: ListAsked): Body {
  const filter = filterOf(games, asked)
  const ids = {
    tcgplayer: asked.tcgplayerId,
    scryfall: asked.scryfallId,
    mtgjson: asked.mtgjsonId,
    cardmarket: asked.cardmarketId,
  }
  const isListed = filter.game !== -1 || filter.set !== undefined || Object.values(ids).some((id) => id !== undefined)
  if (!isListed) {
    throw new ParameterError(`one of ${p.listedBy.map(({ name }) => name).join(', ')}`, 'given')
  }
  const { sort } = asked
  return pageOf(catalog, asked, (paging) => search.list(filter, ids, paging, sort))
}

function pageOf(catalog: Catalog, asked: PageAsked, found: (paging: Paging) => HitPage): Body {
  const csv = csvAskedBy(asked)
  // CSV ignores the view.
  const shown = csv === undefined ? asked.view : 'csv'
  const { limit, offset } = asked
  const page = found({ limit, offset })
  return shown === 'csv' ? csvAs(csv, catalog.csv(page)) : catalog.cardsPage(page, shown, limit, offset)
}

/** The filter of a search or a list. */
function filterOf(games: Games, asked: FilterAsked): Required<Filter> {
  const { minCents, maxCents } = asked
  if (minCents !== undefined && maxCents !== undefined && minCents > maxCents) {
    const allowed = `at most ${p.maxPrice.name}, which is ${maxCents / 100}`
    throw new ParameterError(p.minPrice.name, allowed, String(minCents / 100))
  }
  const game = gameAsked(games, asked)
  const { set, rarity, printing, number, changedSince } = asked
  return { game, set, rarity, printing, number, minCents, maxCents, changedSince }
}

export function moversPage({ search, changes, games }: Dataset, asked: MoversAsked): Body {
  const game = gameAsked(games, asked)
  const { set, period, direction, by, minCents, limit, offset } = asked
  const csv = csvAskedBy(asked)
  const found = search.movers({ game, set }, { period, direction, by, minCents }, { limit, offset })
  if (csv !== undefined) return csvAs(csv, changes.moversCsv(found, period))
  return changes.moversPage(found, period, limit, offset)
}

interface SuggestAsked extends GameAsked {
  readonly name: string
  readonly limit: number
}

export function suggestions({ search, catalog, games }: Dataset, asked: SuggestAsked): Uint8Array {
  const { name } = asked
  const game = gameAsked(games, asked)
  const { limit } = asked
  return catalog.suggestions(search.suggest(name, game, limit))
}

interface SetsAsked extends Paging, GameAsked {
  readonly name: string | undefined
}

export function setsPage({ catalog, search, games }: Dataset, asked: SetsAsked): Uint8Array {
  const { name } = asked
  const game = gameAsked(games, asked)
  const { limit, offset } = asked
  if (name === undefined) return catalog.setsPage(game, limit, offset)
  return catalog.setsFound(search.sets(name, game), limit, offset)
}
