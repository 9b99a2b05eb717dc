/** Compiles the columns of the changes file: the movers of each game, and orders by change. */
import { noDay } from '../../src/calendar.ts'
import { gameSlugs } from '../../src/games.ts'
import {
  type ChangesFile,
  change,
  directionOf,
  directions,
  moversOf,
  type Places,
  sortChange,
} from '../../src/indexes/changes-file.ts'
import { percentTenths, periods } from '../../src/indexes/price-change.ts'
import { moverCentsDefault } from '../../src/limits.ts'
import { invert, offsets, orderBy, sortedBy } from './columns.ts'

const placesInHalf = 2 ** 16
const setsOfPeriod = directions.length * gameSlugs.length

/**
 * @param changes by card number, as the changes file has them
 * @param changedOn by card number
 * @param games by card number
 */
export function compileChanges(changes: Uint32Array, changedOn: Int32Array, games: Uint8Array): ChangesFile {
  const [gameCardsAt] = invert(games, gameSlugs.length)
  const isSmall = gameSlugs.every((_, game) => gameCardsAt[game + 1]! - gameCardsAt[game]! <= placesInHalf)
  const all = periods.map((_, period) => moversOver(period, changes, games))
  const count = all.reduce((sum, { places }) => sum + places.length, 0)
  const joined = (order: (movers: Movers) => Uint32Array): Places => {
    const places = isSmall ? new Uint16Array(count) : new Uint32Array(count)
    let at = 0
    for (const movers of all) {
      for (const mover of order(movers)) places[at++] = movers.places[mover]!
    }
    return places
  }
  const byChange = (risenFirst: boolean) =>
    orderBy(new Float64Array(games.length).map((_, card) => sortChange(changes, card, risenFirst)))
  return {
    changes,
    changedOn,
    moversAt: offsets(all.flatMap(({ counts }) => counts)),
    byFloor: joined(({ floors, sets }) => inSets(largestFirst(floors), sets, setsOfPeriod)),
    byPercent: joined((movers) => usualFirst(movers, movers.percents)),
    byAmount: joined((movers) => usualFirst(movers, movers.amounts)),
    fallenFirst: byChange(false),
    risenFirst: byChange(true),
  }
}

/**
 * The day of each card's last change. An `updatedAt` after `asOf` counts as the day after it, so that nothing has changed since a
 * later day.
 * @param changedOn by the history, `noDay` of cards without one
 * @param updates of `updatedAt`, `noDay` if unknown
 */
export const daysOfChange = (changedOn: Int32Array, updates: Int32Array, asOf: number): Int32Array =>
  changedOn.map((day, card) => (day === noDay ? Math.min(updates[card]!, asOf + 1) : day))

/** The cards that moved in a period, by card number, as parallel columns. */
interface Movers {
  /** Among the cards of its game. */
  readonly places: Uint32Array
  /** The index of the mover's set of the period. */
  readonly sets: Uint8Array
  readonly floors: Float64Array
  /** Tenths, and cents, without sign. */
  readonly percents: Float64Array
  readonly amounts: Float64Array
  /** By set. */
  readonly counts: readonly number[]
}

function moversOver(period: number, changes: Uint32Array, games: Uint8Array): Movers {
  const places = new Uint32Array(games.length)
  const sets = new Uint8Array(games.length)
  const [floors, percents, amounts] = [0, 1, 2].map(() => new Float64Array(games.length)) as Triple<Float64Array>
  const counts = new Array<number>(setsOfPeriod).fill(0)
  const cardsSeen = new Uint32Array(gameSlugs.length)
  let count = 0
  games.forEach((game, card) => {
    const place = cardsSeen[game]!++
    const from = changes[card * change.size + change.from + period]!
    const to = changes[card * change.size + change.to]!
    const direction = directionOf(from, to)
    if (direction === -1) return
    const set = moversOf(0, direction, game)
    counts[set]!++
    places[count] = place
    sets[count] = set
    floors[count] = Math.min(from, to)
    percents[count] = Math.abs(percentTenths(from, to))
    amounts[count++] = Math.abs(to - from)
  })
  return {
    places: places.subarray(0, count),
    sets: sets.subarray(0, count),
    floors: floors.subarray(0, count),
    percents: percents.subarray(0, count),
    amounts: amounts.subarray(0, count),
    counts,
  }
}

type Triple<Value> = [Value, Value, Value]

/** Indexes of the movers; those of equal keys by card number. */
function largestFirst(keys: Float64Array): Uint32Array {
  const largest = keys.reduce((most, key) => Math.max(most, key), 0)
  return sortedBy(keys.map((key) => largest - key))
}

/** The order grouped by set. */
function inSets(order: Uint32Array, sets: Uint8Array, count: number): Uint32Array {
  const [, inOrder] = invert(
    order.map((mover) => sets[mover]!),
    count,
  )
  return inOrder.map((place) => order[place]!)
}

/** In each set the movers at the default floor or above, then the others; the largest first. */
function usualFirst({ sets, floors }: Movers, keys: Float64Array): Uint32Array {
  const halves = sets.map((set, mover) => 2 * set + Number(floors[mover]! < moverCentsDefault))
  return inSets(largestFirst(keys), halves, 2 * setsOfPeriod)
}
