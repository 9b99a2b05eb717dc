/** How prices have changed, the plain way: every day of a card's rows is looked at, all cards are sorted. */
import { dateOfDay } from '../../src/calendar.ts'
import { plainTenths } from './scan.ts'

/** Of one card: cents by day, null where the row has no market price. */
export type PlainRows = ReadonlyMap<number, number | null>

export const plainPeriods: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 }

/** The newest known price from a day to another, both counted in. */
function newestKnown(rows: PlainRows, from: number, to: number): number | null {
  for (let day = to; day >= from; day--) {
    const cents = rows.get(day)
    if (cents != null) return cents
  }
  return null
}

export interface PlainMove {
  readonly from: number
  readonly to: number | null
}

export const toOf = (rows: PlainRows, asOf: number): number | null => newestKnown(rows, asOf - 2, asOf)

export const fromOf = (rows: PlainRows, asOf: number, days: number): number | null =>
  newestKnown(rows, asOf - days - 6, asOf - days)

/** The first of a card's newest rows that are equal; null without rows. */
export function changedOn(rows: ReadonlyMap<number, unknown>): number | null {
  const days = [...rows.keys()].sort((a, b) => b - a)
  const different = days.findIndex((day) => String(rows.get(day)) !== String(rows.get(days[0]!)))
  return days.at(different === -1 ? -1 : different - 1) ?? null
}

const dollars = (cents: number | null) => (cents === null ? null : cents / 100)

const percentOf = (from: number, to: number | null) => (to === null || from === 0 ? null : plainTenths(from, to) / 10)

function extremeOf(rows: PlainRows, asOf: number, isBetter: (cents: number, than: number) => boolean) {
  let found: { date: string; cents: number } | null = null
  for (let day = asOf - 364; day <= asOf; day++) {
    const cents = rows.get(day)
    if (cents == null || (found !== null && isBetter(found.cents, cents))) continue
    found = { date: dateOfDay(day), cents }
  }
  return found === null ? null : { date: found.date, market: dollars(found.cents) }
}

/** The answer of `/v1/cards/{id}/changes`. */
export function plainChanges(id: string, rows: PlainRows, asOf: number): object {
  const to = toOf(rows, asOf)
  const changes = Object.entries(plainPeriods).map(([name, days]) => {
    const from = fromOf(rows, asOf, days)
    if (from === null) return [name, null]
    const amount = to === null ? null : (to - from) / 100
    return [name, { from: dollars(from), amount, percent: percentOf(from, to) }]
  })
  return {
    data: {
      cardId: id,
      asOf: dateOfDay(asOf),
      market: dollars(to),
      changes: Object.fromEntries(changes),
      high: extremeOf(rows, asOf, (best, other) => best > other),
      low: extremeOf(rows, asOf, (best, other) => best < other),
    },
  }
}

export interface PlainMovement {
  readonly period: string
  readonly direction: 'up' | 'down'
  readonly by: 'percent' | 'amount'
  readonly minCents: number
}

/** All cards that moved so, as places in the list, which is in the order of equals. */
export function plainMovers(
  cards: readonly PlainRows[],
  asOf: number,
  { period, direction, by, minCents }: PlainMovement,
): { card: number; change: object }[] {
  const moved = cards.flatMap((rows, card) => {
    const from = fromOf(rows, asOf, plainPeriods[period]!)
    const to = toOf(rows, asOf)
    if (from === null || to === null || from === 0 || from === to || to > from !== (direction === 'up')) return []
    if (from < minCents || to < minCents) return []
    const percent = plainTenths(from, to)
    const size = Math.abs(by === 'percent' ? percent : to - from)
    const change = { period, from: from / 100, to: to / 100, amount: (to - from) / 100, percent: percent / 10 }
    return [{ card, size, change }]
  })
  return moved.sort((a, b) => b.size - a.size || a.card - b.card).map(({ card, change }) => ({ card, change }))
}
