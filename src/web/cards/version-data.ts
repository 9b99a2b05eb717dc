/** What the pages show of a version as a whole. It is computed once for each version, in short turns. */
import type { Dataset } from '../../api/dataset.ts'
import { exampleQuery } from '../docs/guide-examples.ts'
import { Turns } from '../shared/turns.ts'
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
  setDetailsOf,
  setsFrom,
} from './card-data.ts'

/** How many movers the home page and the dashboard show, up and down each. */
export const moversShown = 5
/** How many sets the home page shows. */
const newestSetsShown = 6
/** How many rarities, and how many printings, a look-up offers. */
const optionsShownMax = 60

/**
 * The card that the home page shows. It is a card of the served version, if possible one whose price changed in the
 * last week.
 */
export interface Example {
  readonly card: Card
  readonly changes: CardChanges
  /** The card's prices of a year, oldest first. */
  readonly year: readonly Day[]
}

/** A rarity or a printing, and how many cards have it. */
interface Option {
  readonly name: string
  readonly cards: number
}

/** The options of a game, or of all games. */
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
  /** Example queries that find something. */
  readonly queries: readonly string[]
  /** The options by game number. The key -1 has the options of all games. */
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
  const newest = setsFrom(data, 0, newestSetsShown)
  await turns.pause()
  const up = await moversOf(data, games, 'up', turns)
  const down = await moversOf(data, games, 'down', turns)
  const example = findExample(data, up)
  await turns.pause()
  const queries = example === undefined ? [] : queriesFor(data, example.card)
  const options = await optionsOf(data, games, turns)
  return { games, newest, up, down, example, queries, options }
}

/**
 * Returns the movers of all games, in the API's order. Each game is scanned separately, because all games together take
 * too long for a turn.
 */
async function moversOf(
  data: Dataset,
  games: readonly Game[],
  direction: 'up' | 'down',
  turns: Turns,
): Promise<readonly Mover[]> {
  const movers: Mover[] = []
  for (const { id } of games) {
    movers.push(...moversOfWeek(data, data.games.numberOf(id), direction, moversShown))
    await turns.pause()
  }
  const share = ({ change }: Mover) => Math.abs(change?.percent ?? 0)
  const place = ({ card }: Mover) => data.catalog.find(card.id)
  return movers.sort((a, b) => share(b) - share(a) || place(a) - place(b)).slice(0, moversShown)
}

/**
 * Returns the most expensive of the best hits whose change over a week is known, or else the most expensive hit. If
 * there are no hits, the movers of the week are used instead.
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

/** Returns queries as a person types them: a name, a name with a number, a set, and a name with a set. */
function queriesFor(data: Dataset, { name, number, set }: Card): readonly string[] {
  const typed = name.toLowerCase()
  const tried = [typed, number && `${typed} ${number}`, set.toLowerCase(), `${typed} ${set.toLowerCase()}`]
  return tried.filter((query) => query !== null && bestHits(data, query).length > 0).slice(0, queriesShown) as string[]
}

async function optionsOf(data: Dataset, games: readonly Game[], turns: Turns): Promise<ReadonlyMap<number, Options>> {
  const numbers = [-1, ...games.map(({ id }) => data.games.numberOf(id))]
  const counts = new Map(numbers.map((game) => [game, { rarities: new Map(), printings: new Map() }]))
  const sets = games.reduce((sum, { setCount }) => sum + setCount, 0)
  for (let set = 0; set < sets; set++) {
    const { game, ...details } = setDetailsOf(data, set)
    for (const into of [counts.get(-1)!, counts.get(data.games.numberOf(game))!]) {
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

/** The most frequent options, sorted by name. */
const most = (counts: ReadonlyMap<string, number>): readonly Option[] =>
  [...counts]
    .map(([name, cards]) => ({ name, cards }))
    .sort((a, b) => b.cards - a.cards)
    .slice(0, optionsShownMax)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
