/** Requests per account and day, as the store holds them. */

import { dateOfDay } from '../calendar.ts'
import type { Store } from '../store/store.ts'

export interface DayUsage {
  /** YYYY-MM-DD */
  readonly date: string
  readonly requests: number
}

/**
 * The days with requests from the first to the last, and the last itself, oldest first.
 * @param others what other servers answered, day by day
 */
export function usageOf(
  store: Store,
  account: number,
  first: number,
  last: number,
  others?: ArrayLike<number>,
): DayUsage[] {
  const days: DayUsage[] = []
  for (let day = first; day <= last; day++) {
    const requests = store.usedOn(day, account) + (others?.[day - first] ?? 0)
    if (requests > 0 || day === last) days.push({ date: dateOfDay(day), requests })
  }
  return days
}
