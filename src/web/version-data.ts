/** What the pages show of a version as a whole. It is computed once for each version, in turns of a few milliseconds. */
import type { Dataset } from '../api/dataset.ts'
import { gameNumber } from '../games.ts'
import {
  bestHits,
  type Card,
  type CardChanges,
  changesOf,
  type Day,
  type Game,
  gamesOf,
  historyOf,
  type ListedSet,
  type Mover,
  moversOfWeek,
  newestSets,
  setDetailsOf,
} from './card-data.ts'
import { exampleQuery } from './guide-examples.ts'
import { Turns } from './turns.ts'

/** Movers on the first page and the dashboard, up and down each. */
export const moversShown = 5
/** On the first page. */
const newestSetsShown = 6
/** Rarities and printings that a look-up offers. */
const optionsShownMax = 60

/** The card that the first page shows: a real one of the served version, if possible with a change in the last week. */
export interface Example {
  readonly card: Card
  readonly changes: CardChanges
  /** A year of its prices, oldest first. */
  readonly year: readonly Day[]
}

/** A rarity or a printing, and how many cards have it. */
interface Option {
  readonly name: string
  readonly cards: number
}

/** Of a game, or of all games. */
export interface Options {
  readonly rarities: readonly Option[]
  readonly printings: readonly Option[]
}

export interface VersionData {
  readonly games: readonly Game[]
  readonly newest: readonly ListedSet[]
  readonly up: readonly Mover[]
  readonly down: readonly Mover[]
  /** Undefined if no such card has a price. */
  readonly example: Example | undefined
  /** Look-ups that find something. */
  readonly queries: readonly string[]
  /** By game number, and at -1 those of all games. */
  readonly options: ReadonlyMap<number, Options>
}

const known = new WeakMap<Dataset, Promise<VersionData>>()

export function versionDataOf(data: Dataset): Promise<VersionData> {
  const computed = known.get(data) ?? compute(data)
  known.set(data, computed)
  return computed
}

async function compute(data: Dataset): Promise<VersionData> {
  const turns = new Turns()
  const games = gamesOf(data)
  const newest = newestSets(data, newestSetsShown)
  await turns.pause()
  const up = await moversOf(data, games, 'up', turns)
  const down = await moversOf(data, games, 'down', turns)
  const example = findExample(data, up)
  await turns.pause()
  const queries = example === undefined ? [] : queriesFor(data, example.card)
  const options = await optionsOf(data, games, turns)
  return { games, newest, up, down, example, queries, options }
}

/** Of all games, in the API's order. Each game is scanned by itself, because all at once take too long for a turn. */
async function moversOf(
  data: Dataset,
  games: readonly Game[],
  direction: 'up' | 'down',
  turns: Turns,
): Promise<readonly Mover[]> {
  const movers: Mover[] = []
  for (const { id } of games) {
    movers.push(...moversOfWeek(data, gameNumber(id), direction, moversShown))
    await turns.pause()
  }
  const share = ({ change }: Mover) => Math.abs(change?.percent ?? 0)
  const place = ({ card }: Mover) => data.catalog.find(card.id)
  return movers.sort((a, b) => share(b) - share(a) || place(a) - place(b)).slice(0, moversShown)
}

/**
 * The most expensive one of the best hits whose change over a week is known, or else the most expensive one. The week's mover if there are
 * no hits.
 */
function findExample(data: Dataset, up: readonly Mover[]): Example | undefined {
  const hits = bestHits(data, exampleQuery)
  const found = (hits.length > 0 ? hits : up.map(({ card }) => card))
    .filter(({ prices }) => prices.market !== null)
    .map((card) => ({ card, changes: changesOf(data, card.id) }))
    .sort((a, b) => b.card.prices.market! - a.card.prices.market!)
  const best = found.find(({ changes }) => changes.changes['7d']?.amount != null) ?? found[0]
  return best && { ...best, year: historyOf(data, best.card.id, 365) }
}

const queriesShown = 3

/** A name, a name with a number, and a set, as somebody types them. */
function queriesFor(data: Dataset, { name, number, set }: Card): readonly string[] {
  const typed = name.toLowerCase()
  const tried = [typed, number && `${typed} ${number}`, set.toLowerCase(), `${typed} ${set.toLowerCase()}`]
  return tried.filter((query) => query !== null && bestHits(data, query).length > 0).slice(0, queriesShown) as string[]
}

async function optionsOf(data: Dataset, games: readonly Game[], turns: Turns): Promise<ReadonlyMap<number, Options>> {
  const numbers = [-1, ...games.map(({ id }) => gameNumber(id))]
  const counts = new Map(numbers.map((game) => [game, { rarities: new Map(), printings: new Map() }]))
  const sets = games.reduce((sum, { setCount }) => sum + setCount, 0)
  for (let set = 0; set < sets; set++) {
    const { game, ...details } = setDetailsOf(data, set)
    for (const into of [counts.get(-1)!, counts.get(gameNumber(game))!]) {
      for (const kind of ['rarities', 'printings'] as const) {
        for (const { name, cards } of details[kind]) into[kind].set(name, (into[kind].get(name) ?? 0) + cards)
      }
    }
    await turns.pause()
  }
  return new Map(
    [...counts].map(([game, { rarities, printings }]) => [
      game,
      { rarities: most(rarities), printings: most(printings) },
    ]),
  )
}

/** Those of most cards, by name. */
const most = (counts: ReadonlyMap<string, number>): readonly Option[] =>
  [...counts]
    .map(([name, cards]) => ({ name, cards }))
    .sort((a, b) => b.cards - a.cards)
    .slice(0, optionsShownMax)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
