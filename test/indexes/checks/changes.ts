/**
 * A changes file, by itself and with the games and cards of the lists file.
 *
 *   changes ─ moved cards ─▶ moversAt, byFloor, byPercent, byAmount     changes ─ percentages ─▶ the orders
 */
import { gameSlugs } from '../../../src/games.ts'
import {
  type ChangesFile,
  change,
  directionOf,
  directions,
  moversCount,
  moversOf,
  sortChange,
} from '../../../src/indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../../src/indexes/lists-file.ts'
import { percentTenths, periods, rangeDays } from '../../../src/indexes/price-change.ts'
import { moverCentsDefault, priceCentsMax } from '../../../src/limits.ts'
import { checkOffsets, each, must } from './columns.ts'
import { checkOrder } from './lists.ts'

/** @param lists checked before */
export function checkChangesFile(file: ChangesFile, lists: ListsFile): void {
  const { changes, moversAt, byFloor, byPercent, byAmount } = file
  const cards = lists.cardGame.length
  must(changes.length === cards * change.size, 'each card has its changes')
  each(cards, 'the changes of a card are possible', (card) => areChanges(changes.subarray(card * change.size)))
  must(file.changedOn.length === cards, 'each card has the day of its last change')
  checkOffsets('moversAt', moversAt, moversCount, byFloor.length)
  must(byPercent.length === byFloor.length && byAmount.length === byFloor.length, 'each mover is in each order')
  for (let period = 0; period < periods.length; period++) {
    for (let direction = 0; direction < directions.length; direction++) {
      for (let game = 0; game < gameSlugs.length; game++) checkMovers(file, lists, period, direction, game)
    }
  }
  for (const name of ['fallenFirst', 'risenFirst'] as const) {
    const keys = Float64Array.from({ length: cards }, (_, card) => sortChange(changes, card, name === 'risenFirst'))
    checkOrder(name, file[name], cards, (a, b) => keys[a]! - keys[b]!)
  }
}

function areChanges(numbers: Uint32Array): boolean {
  const prices = [...numbers.subarray(change.to, change.days)]
  const [high, low, days] = [numbers[change.high]!, numbers[change.low]!, numbers[change.days]!]
  const isRanged = high !== noPrice
  // All prices except the oldest are of days within the range of high and low.
  const inRange = prices.slice(change.to, change.from + periods.length - 1).filter((cents) => cents !== noPrice)
  return (
    prices.every((cents) => cents <= priceCentsMax || cents === noPrice) &&
    isRanged === (low !== noPrice) &&
    isRanged === (days !== noPrice) &&
    (!isRanged || (days >>> 16 < rangeDays && (days & 0xffff) < rangeDays && low <= high)) &&
    inRange.every((cents) => isRanged && cents >= low && cents <= high)
  )
}

/** Each order of the set has the cards that moved that way, largest first, dear cards before cheap ones. */
function checkMovers(file: ChangesFile, lists: ListsFile, period: number, direction: number, game: number): void {
  const [start, end] = [moversOf(period, direction, game), moversOf(period, direction, game) + 1].map(
    (i) => file.moversAt[i]!,
  )
  const cards = lists.gameCards.subarray(lists.gameCardsAt[game]!, lists.gameCardsAt[game + 1]!)
  const price = (card: number, which: number) => file.changes[card * change.size + which]!
  const from = (card: number) => price(card, change.from + period)
  const to = (card: number) => price(card, change.to)
  const moved = [...cards.keys()].filter((i) => directionOf(from(cards[i]!), to(cards[i]!)) === direction)
  const floor = (card: number) => Math.min(from(card), to(card))
  const tier = (card: number) => Number(floor(card) >= moverCentsDefault)
  const sorted = (compare: (a: number, b: number) => number) =>
    moved.toSorted((a, b) => compare(cards[a]!, cards[b]!) || a - b)
  const largest = (key: (card: number) => number) =>
    sorted((a, b) => tier(b) - tier(a) || Math.abs(key(b)) - Math.abs(key(a)))
  const expected = {
    byFloor: sorted((a, b) => floor(b) - floor(a)),
    byPercent: largest((card) => percentTenths(from(card), to(card))),
    byAmount: largest((card) => to(card) - from(card)),
  }
  for (const [name, places] of Object.entries(expected)) {
    const found = file[name as keyof typeof expected].subarray(start, end)
    must(found.length === places.length && places.every((place, i) => found[i] === place), `${name} has the movers`)
  }
}
