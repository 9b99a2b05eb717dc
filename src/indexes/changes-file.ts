/**
 * `changes.msgpack`: the price changes up to the newest day of the history, and the cards that moved, sorted.
 *
 *   changes    9 numbers a card, by card number:  to │ from 1d, 7d, 30d, 90d, 1y │ high │ low │ days
 *                cents, `noPrice` if unknown; days: the high's days before the newest day in the upper 16 bits, the low's in the
 *                lower
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
 * Equals are in the order of card numbers. Indexes take 16 bits if no game has more cards. checks/changes-check.ts verifies all of
 * it except the prices themselves.
 */
import * as v from 'valibot'
import { gameSlugs } from '../games.ts'
import { priceCentsMax } from '../limits.ts'
import { type Column, decodeIndexFile, encodeIndexFile, IndexError, u16Column, u32Column } from './format.ts'
import type { Order } from './lists-file.ts'
import { isKnown, percentTenths, periods, week } from './price-change.ts'

export interface ChangesFile {
  readonly changes: Uint32Array
  readonly moversAt: Uint32Array
  readonly byFloor: Places
  readonly byPercent: Places
  readonly byAmount: Places
  readonly fallenFirst: Order
  readonly risenFirst: Order
}

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
const orders = ['fallenFirst', 'risenFirst'] as const
const columns = [
  'changes',
  'moversAt',
  'byFloor',
  'byPercent',
  'byAmount',
  ...orders.flatMap((order) => [`${order}Cards`, `${order}Ranks`]),
]

export function writeChangesFile({ fallenFirst, risenFirst, ...rest }: ChangesFile): Uint8Array[] {
  const all: Readonly<Record<string, Column>> = {
    ...rest,
    fallenFirstCards: fallenFirst.cardAt,
    fallenFirstRanks: fallenFirst.rankOf,
    risenFirstCards: risenFirst.cardAt,
    risenFirstRanks: risenFirst.rankOf,
  }
  const meta = { placeBytes: rest.byFloor.BYTES_PER_ELEMENT }
  return encodeIndexFile(kind, meta, Object.fromEntries(columns.map((name) => [name, all[name]!])))
}

const metaSchema = v.object({ placeBytes: v.picklist([2, 4]) })

/** Throws IndexError. */
export function readChangesFile(bytes: Uint8Array): ChangesFile {
  const file = decodeIndexFile(kind, bytes, columns)
  const meta = v.safeParse(metaSchema, file.meta)
  if (!meta.success) throw new IndexError(`the ${kind} file has places of no size`)
  const places = (name: string): Places =>
    meta.output.placeBytes === 2 ? u16Column(file, name) : u32Column(file, name)
  const order = (name: (typeof orders)[number]): Order => ({
    cardAt: u32Column(file, `${name}Cards`),
    rankOf: u32Column(file, `${name}Ranks`),
  })
  return {
    changes: u32Column(file, 'changes'),
    moversAt: u32Column(file, 'moversAt'),
    byFloor: places('byFloor'),
    byPercent: places('byPercent'),
    byAmount: places('byAmount'),
    fallenFirst: order('fallenFirst'),
    risenFirst: order('risenFirst'),
  }
}
