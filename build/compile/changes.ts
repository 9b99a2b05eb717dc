import { noDay } from '../../src/calendar.ts'

/**
 * The day of each card's last change. An `updatedAt` after `asOf` counts as the day after it, so that nothing has changed since a
 * later day.
 * @param changedOn by the history, `noDay` of cards without one
 * @param updates of `updatedAt`, `noDay` if unknown
 */
export const daysOfChange = (changedOn: Int32Array, updates: Int32Array, asOf: number): Int32Array =>
  changedOn.map((day, card) => (day === noDay ? Math.min(updates[card]!, asOf + 1) : day))
