/** The schema of a history row. */
import * as v from 'valibot'
import { dayOfDate, noDay } from '../../../src/calendar.ts'
import { unknownPrice } from '../../../src/indexes/series/codec.ts'
import { historyDateMax, historyDateMin } from '../../../src/limits.ts'
import { described } from '../described.ts'
import { centsOf } from '../snapshot-schema.ts'

export const historyColumns = ['date', 'id', 'market', 'low', 'high'] as const

/** The fields of a row, by `historyColumns`. */
export type RowFields = Readonly<Record<(typeof historyColumns)[number], string>>

export const firstHistoryDay = dayOfDate(historyDateMin)
const lastHistoryDay = dayOfDate(historyDateMax)

/** False for `noDay` too. */
export const isHistoryDay = (day: number): boolean => day >= firstHistoryDay && day <= lastHistoryDay

const price = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    if (dataset.value === '') return unknownPrice
    const cents = centsOf(dataset.value)
    if (typeof cents === 'number') return cents
    addIssue({ message: cents })
    return NEVER
  }),
)

/** `date` is the day's number (src/calendar.ts), prices are cents or `unknownPrice`. */
export const rowSchema = v.object({
  date: described(
    v.pipe(
      v.string(),
      v.transform(dayOfDate),
      v.check((day) => day !== noDay, 'must be a date, YYYY-MM-DD'),
      v.check((day) => day === noDay || isHistoryDay(day), `must be from ${historyDateMin} to ${historyDateMax}`),
    ),
    'The day, UTC.',
    '2026-11-20',
  ),
  id: described(
    v.pipe(v.string(), v.nonEmpty('must not be empty')),
    'The card. Rows of unknown cards are dropped, and counted in the report.',
    'pokemon-base1-004',
  ),
  market: described(price, 'What it sold for; empty if unknown.', '350.12'),
  low: described(price, 'The lowest offer; empty if unknown.', '200'),
  high: described(price, 'The highest offer; empty if unknown.', '900'),
})
