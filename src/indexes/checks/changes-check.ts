/**
 * Verifies that a changes file is consistent, by itself and with the games and cards of the lists file.
 *
 *   changes ─ moved cards ─▶ moversAt, byFloor, byPercent, byAmount     changes ─ percentages ─▶ the orders
 *
 * A sorted set of movers is complete if all of its cards moved that way and it has as many as the game.
 */
import { gameSlugs } from '../../games.ts'
import { moverCentsDefault, priceCentsMax } from '../../limits.ts'
import {
  type ChangesFile,
  change,
  directionOf,
  down,
  moversCount,
  moversOf,
  type Places,
  sortChange,
  up,
} from '../changes-file.ts'
import { type ListsFile, noPrice } from '../lists-file.ts'
import { percentTenths, periods, rangeDays } from '../price-change.ts'
import { type Checking, checkOffsets, inSlices, must } from './checking.ts'
import { checkOrder } from './lists-check.ts'

/** @param lists has been checked */
export function* checkChangesFile(file: ChangesFile, lists: ListsFile): Checking {
  const cards = lists.cardGame.length
  yield* checkCards(file, cards)
  yield* checkMovers(file, lists)
  const keys = new Float64Array(cards)
  for (const name of ['fallenFirst', 'risenFirst'] as const) {
    const read = (from: number, to: number) => {
      for (let card = from; card < to; card++) keys[card] = sortChange(file.changes, card, name === 'risenFirst')
    }
    yield* inSlices(cards, read, 3)
    yield* checkOrder(name, file[name], cards, (a, b) => keys[a]! - keys[b]!)
  }
}

const isPrice = (cents: number): boolean => cents <= priceCentsMax || cents === noPrice

function* checkCards({ changes }: ChangesFile, cards: number): Checking {
  must(changes.length === cards * change.size, 'each card has its changes')
  const check = (from: number, to: number) => {
    for (let at = from * change.size; at < to * change.size; at += change.size) {
      for (let i = change.to; i < change.days; i++) if (!isPrice(changes[at + i]!)) must(false, 'prices are prices')
      const high = changes[at + change.high]!
      const low = changes[at + change.low]!
      const days = changes[at + change.days]!
      const isRanged = high !== noPrice
      if (isRanged !== (low !== noPrice) || isRanged !== (days !== noPrice))
        must(false, 'high and low are known together')
      if (isRanged && (days >>> 16 >= rangeDays || (days & 0xffff) >= rangeDays)) must(false, 'a year has its days')
      if (low > high) must(false, 'no low is above the high')
      // All prices except the oldest are of days within the range of high and low.
      for (let i = change.to; i < change.from + periods.length - 1; i++) {
        const cents = changes[at + i]!
        if (cents !== noPrice && (!isRanged || cents < low || cents > high)) must(false, 'prices are in their range')
      }
    }
  }
  yield* inSlices(cards, check, 10)
}

function* checkMovers(file: ChangesFile, lists: ListsFile): Checking {
  const { moversAt, byFloor, byPercent, byAmount } = file
  const movers = new Movers(file.changes, lists.cardGame)
  yield* checkOffsets('moversAt', moversAt, moversCount, byFloor.length)
  must(byPercent.length === byFloor.length && byAmount.length === byFloor.length, 'each mover is in each order')
  for (let period = 0; period < periods.length; period++) {
    yield* movers.read(period)
    yield* checkPlaces('byFloor', byFloor, movers.floors, movers.noTiers, period, movers, file, lists)
    yield* checkPlaces('byPercent', byPercent, movers.percents, movers.usual, period, movers, file, lists)
    yield* checkPlaces('byAmount', byAmount, movers.amounts, movers.usual, period, movers, file, lists)
  }
}

/** The cards' changes in a period, by card number. */
class Movers {
  readonly directions: Int8Array
  /** 1 if the card costs `moverCentsDefault` or more. */
  readonly usual: Uint8Array
  readonly noTiers: Uint8Array
  readonly floors: Float64Array
  readonly percents: Float64Array
  readonly amounts: Float64Array
  /** By direction and game. */
  readonly counts = new Uint32Array(moversOf(1, 0, 0))
  readonly #changes: Uint32Array
  readonly #games: Uint8Array

  constructor(changes: Uint32Array, games: Uint8Array) {
    this.#changes = changes
    this.#games = games
    this.directions = new Int8Array(games.length)
    this.usual = new Uint8Array(games.length)
    this.noTiers = new Uint8Array(games.length)
    this.floors = new Float64Array(games.length)
    this.percents = new Float64Array(games.length)
    this.amounts = new Float64Array(games.length)
  }

  *read(period: number): Checking {
    const changes = this.#changes
    this.counts.fill(0)
    const read = (first: number, end: number) => {
      for (let card = first; card < end; card++) {
        const from = changes[card * change.size + change.from + period]!
        const to = changes[card * change.size + change.to]!
        const direction = directionOf(from, to)
        this.directions[card] = direction
        if (direction === -1) continue
        this.counts[moversOf(0, direction, this.#games[card]!)]!++
        const floor = Math.min(from, to)
        this.usual[card] = floor >= moverCentsDefault ? 1 : 0
        this.floors[card] = floor
        this.percents[card] = Math.abs(percentTenths(from, to))
        this.amounts[card] = Math.abs(to - from)
      }
    }
    yield* inSlices(this.#games.length, read, 5)
  }
}

/**
 * Verifies all sets of a period in one column.
 * @param keys sort keys by card number, largest first
 * @param tiers by card number; a higher tier comes before all keys
 */
function* checkPlaces(
  name: string,
  places: Places,
  keys: Float64Array,
  tiers: Uint8Array,
  period: number,
  movers: Movers,
  { moversAt }: ChangesFile,
  { gameCardsAt, gameCards }: ListsFile,
): Checking {
  for (let set = 0; set < movers.counts.length; set++) {
    const first = moversOf(period, 0, 0) + set
    const start = moversAt[first]!
    const game = set % gameSlugs.length
    const direction = set < gameSlugs.length ? up : down
    const firstCard = gameCardsAt[game]!
    const cards = gameCardsAt[game + 1]! - firstCard
    const count = moversAt[first + 1]! - start
    must(count === movers.counts[set], 'moversAt counts the cards that moved')
    const check = (from: number, to: number) => {
      for (let i = start + from; i < start + to; i++) {
        const place = places[i]!
        if (place >= cards) must(false, `${name} names cards of the game`)
        const card = gameCards[firstCard + place]!
        if (movers.directions[card] !== direction) must(false, `${name} has cards that moved`)
        if (i === start) continue
        const before = gameCards[firstCard + places[i - 1]!]!
        if ((tiers[before]! - tiers[card]! || keys[before]! - keys[card]! || card - before) <= 0) {
          must(false, `${name} has the largest first`)
        }
      }
    }
    yield* inSlices(count, check, 5)
  }
}
