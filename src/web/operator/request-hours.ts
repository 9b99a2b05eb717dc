/**
 * Requests of the current UTC day by hour, from the counters of the server threads. These counters only rise. Each
 * reading adds what was counted since the previous reading to the current hour:
 *
 *   │ day │ totals at the last reading │ hour 0 │ hour 1 │ … │ hour 23 │   totals and hours: a figure for each of `kinds`
 *
 * The supervisor reserves this memory. If a new thread of the pages replaces another, it continues the same figures.
 */
import { dayMs, dayOfMs } from '../../calendar.ts'
import { Readings } from '../../metrics/readings.ts'
import { countersOf, routeLabels, statuses } from '../../metrics/thread-counters.ts'

/** For each figure, the statuses that it includes. */
const kinds = {
  requests: () => true,
  unauthorized: (status: number) => status === 401,
  forbidden: (status: number) => status === 403,
  overQuota: (status: number) => status === 429,
  failed: (status: number) => status >= 500,
} as const
type Kind = keyof typeof kinds
export type RequestFigures = Readonly<Record<Kind, number>>

const names = Object.keys(kinds) as readonly Kind[]
const hourMs = 3_600_000
const hours = dayMs / hourMs
const [dayAt, totalsAt] = [0, 1]
const hourAt = (hour: number) => totalsAt + names.length * (1 + hour)

export const reserveRequestHours = (): SharedArrayBuffer =>
  new SharedArrayBuffer(hourAt(hours) * Float64Array.BYTES_PER_ELEMENT)

export class RequestHours {
  readonly #cells: Float64Array
  readonly #blocks: readonly SharedArrayBuffer[]

  /** @param blocks the counters of the server threads, at least one */
  constructor(cells: SharedArrayBuffer, blocks: readonly SharedArrayBuffer[]) {
    this.#cells = new Float64Array(cells)
    this.#blocks = blocks
  }

  /** Reads the counters. Call it at least once an hour. @param now ms since 1970 */
  read(now: number): void {
    const cells = this.#cells
    const day = dayOfMs(now)
    if (cells[dayAt] !== day) {
      cells.fill(0, hourAt(0))
      cells[dayAt] = day
    }
    const at = hourAt(Math.floor((now % dayMs) / hourMs))
    for (const [i, total] of this.#totals().entries()) {
      cells[at + i]! += total - cells[totalsAt + i]!
      cells[totalsAt + i] = total
    }
  }

  /** Returns the hours of the day up to the current hour. */
  hours(now: number): readonly RequestFigures[] {
    this.read(now)
    const present = Math.floor((now % dayMs) / hourMs)
    return Array.from({ length: present + 1 }, (_, hour) => {
      const figures = names.map((name, i) => [name, this.#cells[hourAt(hour) + i]!])
      return Object.fromEntries(figures) as RequestFigures
    })
  }

  #totals(): number[] {
    const readings = new Readings(this.#blocks.map(countersOf))
    const totals = names.map(() => 0)
    for (const [place, status] of statuses.entries()) {
      let count = 0
      for (const route of routeLabels.keys()) count += readings.requests(route, place)
      for (const [i, name] of names.entries()) if (kinds[name](status)) totals[i]! += count
    }
    return totals
  }
}
