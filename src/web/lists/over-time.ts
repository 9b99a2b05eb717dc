/**
 * "Over time" of a valued list: what its lines were worth on each day of three periods, and which lines moved most.
 * src/lists/over-time.ts defines the rules. Each card's history is decoded once, and nothing counts against the quota.
 */
import type { Dataset } from '../../api/dataset.ts'
import {
  centsOn,
  holdingsOf,
  isHeld,
  type LineHeld,
  newestCents,
  type OverTime,
  WorthByDay,
} from '../../lists/over-time.ts'
import type { ValuedLine } from '../../lists/values.ts'
import type { Card } from '../cards/card-data.ts'
import type { Turns } from '../shared/turns.ts'

export const periods = [
  { name: '30d', days: 30, label: '30 days' },
  { name: '90d', days: 90, label: '90 days' },
  { name: '1y', days: 365, label: '1 year' },
] as const
export const yearAt = 2
const yearDays = periods[yearAt].days
/** The number of days over which lines are compared. */
const movedDays = 30
const movedLinesMax = 10

/** A line whose amount changed, in cents. */
export interface MovedLine {
  readonly id: string
  readonly quantity: number
  readonly from: number
  readonly to: number
}

export interface ListOverTime {
  /** In the order of `periods`. */
  readonly periods: readonly OverTime[]
  /** The lines whose amounts changed most in 30 days. */
  readonly moved: readonly MovedLine[]
  /** The number of lines whose amount in the total is not based on the market price. */
  readonly atConditions: number
}

interface Line extends LineHeld {
  readonly card: { readonly id: string }
}

/** Collects lines as they are valued. It keeps a few numbers of each line, and no card. */
export class LinesOverTime {
  readonly #data: Dataset
  readonly #lines: Line[] = []
  #atConditions = 0

  constructor(data: Dataset) {
    this.#data = data
  }

  add(lines: readonly ValuedLine<Card>[]): void {
    for (const { match, quantity, grade, amount, condition, card } of lines) {
      if (card === null) continue
      const line = { match, quantity, grade, amount, card: { id: card.id } }
      this.#lines.push(line)
      if (condition !== null && isHeld(line)) this.#atConditions++
    }
  }

  /** Computes the figures. Rejects with SenderGone if the reader has disconnected. */
  async figures(turns: Turns): Promise<ListOverTime> {
    await turns.pause()
    const { catalog, history } = this.#data
    const { asOfDay } = history
    const { byCard, leftOut } = holdingsOf(this.#lines)
    const sums = periods.map(({ days }) => new WorthByDay(asOfDay - days + 1, asOfDay))
    const prices = new Map<string, readonly [from: number, to: number]>()
    let lines = leftOut
    for (const [id, holding] of byCard) {
      const runs = history.marketRuns(catalog.find(id), yearDays)
      for (const sum of sums) sum.add(runs, holding)
      if (runs.length > 0) prices.set(id, [centsOn(runs, asOfDay - movedDays), newestCents(runs)])
      lines += holding.lines
      await turns.pause()
    }
    const moved = await this.#moved(prices, turns)
    const atConditions = this.#atConditions
    return { periods: sums.map((sum) => sum.result(lines)), moved, atConditions }
  }

  async #moved(
    prices: ReadonlyMap<string, readonly [from: number, to: number]>,
    turns: Turns,
  ): Promise<readonly MovedLine[]> {
    const most: MovedLine[] = []
    const size = ({ from, to }: MovedLine) => Math.abs(to - from)
    for (const line of this.#lines) {
      const { quantity, card } = line
      const [from, to] = (isHeld(line) && prices.get(card.id)) || [0, 0]
      const moved = { id: card.id, quantity, from: quantity * from, to: quantity * to }
      const place = most.findLastIndex((other) => size(other) >= size(moved)) + 1
      if (size(moved) > 0) most.splice(place, 0, moved)
      most.length = Math.min(most.length, movedLinesMax)
      await turns.pause()
    }
    return most
  }
}
