/** Reduces a price history to few points, because each point costs an assistant tokens. */
import type { HistoryByPeriod } from '../../typescript/src/index.ts'

type Day = HistoryByPeriod['history'][number]

export const pointsMax = 60

/**
 * Returns at most 60 of the days, evenly spaced, the newest included. A point has its day's market price, and the
 * lowest and highest price of all days since the point before. So no extreme is lost.
 */
export function pointsOf(days: readonly Day[]): Day[] {
  const count = Math.min(pointsMax, days.length)
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * days.length) / count)
    const until = Math.floor(((i + 1) * days.length) / count)
    const since = days.slice(from, until)
    const { date, market } = since.at(-1)!
    return { date, market, low: extreme(Math.min, since, 'low'), high: extreme(Math.max, since, 'high') }
  })
}

/** Returns at most 60 of the items, evenly spaced, the first and the last included. */
export function evenly<Item>(items: readonly Item[]): Item[] {
  const count = Math.min(pointsMax, items.length)
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / Math.max(1, count - 1))]!)
}

function extreme(
  pick: (...prices: number[]) => number,
  days: readonly Day[],
  name: 'low' | 'high' | 'market',
): number | null {
  const known = days.flatMap((day) => day[name] ?? [])
  return known.length === 0 ? null : pick(...known)
}

/** Returns the number of days, and the first, last, lowest and highest known market price. */
export function summaryOf(days: readonly Day[]) {
  const known = days.flatMap(({ market }) => market ?? [])
  return {
    days: days.length,
    first: known[0] ?? null,
    last: known.at(-1) ?? null,
    lowest: extreme(Math.min, days, 'market'),
    highest: extreme(Math.max, days, 'market'),
  }
}
