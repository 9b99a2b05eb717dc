/**
 * `changes.msgpack`: the price changes up to the newest day of the history, and the cards that moved, sorted.
 *
 *   changes    9 numbers a card, by card number:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                cents, `noPrice` if unknown; days: the high's days before the newest day in the upper 16 bits, the low's in the
 *                lower
 *   changedOn  the day of each card's last change, counted from 1970: the first of its newest run of equal history rows, or of its
 *              `updatedAt` if it has no history; `noDay` without either
 *   moversAt   the start of each set of movers, and the end. A set has the cards of a game that moved one way in a period:
 *                1d up: pokemon, pokemonjp, … │ 1d down: pokemon, … │ 7d up: …
 *   byFloor    their indexes among the game's cards (`gameCards` of the lists file), highest *floor* first: the lower of from
 *                and to. A binary search counts the cards with at least some price
 *   byPercent, byAmount
 *                the same indexes, largest change first, but all cards of `moverCentsDefault` or more before all others: a page
 *                at the default `min_price` is a slice of these
 *
 *   fallenFirst, risenFirst    orders of all cards (lists-file.ts) by the percentage of the week; unknown ones last
 *
 * Equals are in the order of card numbers. Indexes take 16 bits if no game has more cards.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { priceCentsMax } from '../limits.ts'
import { bytesColumn, decodeIndexFile, encodeIndexFile, i32Column, inOrderOf, u16Column, u32Column } from './format.ts'
import { isKnown, percentTenths, periods, week } from './price-change.ts'

/** In the order of the file. The movers' places take `placeBytes` each. */
const columns = {
  changes: u32Column,
  changedOn: i32Column,
  moversAt: u32Column,
  byFloor: bytesColumn,
  byPercent: bytesColumn,
  byAmount: bytesColumn,
  fallenFirstCards: u32Column,
  fallenFirstRanks: u32Column,
  risenFirstCards: u32Column,
  risenFirstRanks: u32Column,
}

const metaSchema = v.object({ placeBytes: v.picklist([2, 4]) })

export type ChangesFile = Readonly<ReturnType<typeof readChangesFile>>

export type Places = Uint16Array | Uint32Array

export const changesFileName = 'changes.msgpack'

/** Offsets of a card's numbers in `changes`, and how many there are. */
export const change = { to: 0, from: 1, high: 6, low: 7, days: 8, size: 9 } as const

export const directions = ['up', 'down'] as const
export const up = 0
export const down = 1

/** The number of a set of movers. @param direction `up` or `down` */
export const moversOf = (period: number, direction: number, game: number): number =>
  (2 * period + direction) * gameSlugs.length + game
export const moversCount = moversOf(periods.length, 0, 0)

/** The direction from one price to another; -1 if one is unknown, the first is 0, or they are equal. */
export const directionOf = (from: number, to: number): number =>
  from === to || !isKnown(from, to) ? -1 : to > from ? up : down

/** The key of an order by the percentage of the week, ascending; unknown ones last in both. No price falls by more than 100 %. */
export function sortChange(changes: Uint32Array, card: number, risenFirst: boolean): number {
  const from = changes[card * change.size + change.from + week]!
  const to = changes[card * change.size + change.to]!
  if (!isKnown(from, to)) return tenthsMax + tenthsFallenMax + 1
  const tenths = percentTenths(from, to)
  return risenFirst ? tenthsMax - tenths : tenths + tenthsFallenMax
}
const tenthsFallenMax = 1000
/** From one cent to the highest price. */
const tenthsMax = percentTenths(1, priceCentsMax)

const kind = 'changes'

export function writeChangesFile({ fallenFirst, risenFirst, ...rest }: ChangesFile): Uint8Array[] {
  const all = {
    ...rest,
    fallenFirstCards: fallenFirst.cardAt,
    fallenFirstRanks: fallenFirst.rankOf,
    risenFirstCards: risenFirst.cardAt,
    risenFirstRanks: risenFirst.rankOf,
  }
  return encodeIndexFile(kind, { placeBytes: rest.byFloor.BYTES_PER_ELEMENT }, inOrderOf(columns, all))
}

/** Throws IndexError. */
export function readChangesFile(bytes: Uint8Array) {
  const file = decodeIndexFile(kind, bytes, columns, metaSchema)
  const placesIn = (name: 'byFloor' | 'byPercent' | 'byAmount'): Places =>
    file.placeBytes === 2 ? u16Column(file[name], name) : u32Column(file[name], name)
  return {
    changes: file.changes,
    changedOn: file.changedOn,
    moversAt: file.moversAt,
    byFloor: placesIn('byFloor'),
    byPercent: placesIn('byPercent'),
    byAmount: placesIn('byAmount'),
    fallenFirst: { cardAt: file.fallenFirstCards, rankOf: file.fallenFirstRanks },
    risenFirst: { cardAt: file.risenFirstCards, rankOf: file.risenFirstRanks },
  }
}
