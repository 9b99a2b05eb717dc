/**
 * What the lines of a valued list were worth on each day of a period, at market prices. Client, assistants and page
 * compute it here, so they have the same figures.
 *
 *   row         ●─────────●  ●────────●            a row of the card's history with a known price
 *   price   ────┘         └──┘        └───────     before its first row the first price; without a row the last one before
 *           │← first day of all cards        │← last day of all cards
 *
 * A line counts if it has a card and a price, names no grade, and its card has a row. Amounts are whole cents, so sums
 * are exact.
 */
import type { ValuedLine } from './values.ts'

export interface OverTime {
  /** Each day from the first row of all cards to the last one, oldest first. */
  readonly days: readonly WorthOfDay[]
  /** Lines that count. */
  readonly counted: number
  /** Lines with a card that do not: graded and unpriced ones, and those without a history. */
  readonly leftOut: number
  /** Counted lines whose first row is later than the first day. */
  readonly backfilled: number
}

export interface WorthOfDay {
  /** YYYY-MM-DD */
  readonly date: string
  readonly total: number
}

/** The copies of a card, in all lines that count. */
export interface Holding {
  readonly quantity: number
  readonly lines: number
}

export interface Holdings {
  /** By the card's id. */
  readonly byCard: ReadonlyMap<string, Holding>
  /** Lines with a card that can't count. */
  readonly leftOut: number
}

/** A valued line, as far as it matters here. */
export interface LineHeld extends Pick<ValuedLine, 'match' | 'quantity' | 'grade' | 'amount'> {
  readonly card: { readonly id: string } | null
}

/** @param lines of a list whose columns are sure */
export function holdingsOf(lines: Iterable<LineHeld>): Holdings {
  const byCard = new Map<string, Holding>()
  let leftOut = 0
  for (const line of lines) {
    const { card, quantity } = line
    if (card === null || line.match === 'excluded') continue
    if (isHeld(line)) {
      const held = byCard.get(card.id)
      byCard.set(card.id, { quantity: (held?.quantity ?? 0) + quantity, lines: (held?.lines ?? 0) + 1 })
    } else leftOut++
  }
  return { byCard, leftOut }
}

/** True if the line counts, provided that its card has a history. */
export const isHeld = ({ match, card, grade, amount }: LineHeld): boolean =>
  match !== 'excluded' && card !== null && grade === null && amount !== null

/**
 * A card's market prices, oldest first: three numbers for each run of days with one price, which are its first day, its
 * last day (both counted from 1970-01-01) and the cents. Days between two runs have no row.
 */
export type PriceRuns = ArrayLike<number>
const [lastAt, centsAt, runNumbers] = [1, 2, 3]

/** The price on the day, in cents. @param runs at least one */
export function centsOn(runs: PriceRuns, day: number): number {
  let cents = runs[centsAt]!
  for (let i = runNumbers; i < runs.length && runs[i]! <= day; i += runNumbers) cents = runs[i + centsAt]!
  return cents
}

export const newestCents = (runs: PriceRuns): number => runs[runs.length - runNumbers + centsAt]!

const dayMs = 86_400_000

/** The rows of a history, as the API has them. */
export function runsOf(history: readonly { readonly date: string; readonly market: number | null }[]): PriceRuns {
  return history.flatMap(({ date, market }) => {
    const day = Date.parse(date) / dayMs
    return market === null ? [] : [day, day, Math.round(market * 100)]
  })
}

/** Sums up cards, one after the other. It holds two numbers for each day. */
export class WorthByDay {
  readonly #firstDay: number
  /** By day: by how many cents the total differs from that of the day before. */
  readonly #steps: Float64Array
  /** By day: how many lines have their first row then. */
  readonly #begun: Uint32Array
  /** Of the day before all steps. */
  #cents = 0
  #counted = 0
  #lastDay = Number.NEGATIVE_INFINITY

  /** Rows of other days do not count. */
  constructor(firstDay: number, lastDay: number) {
    const days = Math.max(0, lastDay - firstDay + 1)
    this.#firstDay = firstDay
    this.#steps = new Float64Array(days)
    this.#begun = new Uint32Array(days)
  }

  /** @param runs of the card, up to the last day */
  add(runs: PriceRuns, { quantity, lines }: Holding): void {
    let before = -1
    for (let i = 0; i < runs.length; i += runNumbers) {
      if (runs[i + lastAt]! < this.#firstDay) continue
      const day = Math.max(0, runs[i]! - this.#firstDay)
      const cents = runs[i + centsAt]!
      if (before === -1) {
        this.#cents += quantity * cents
        this.#begun[day]! += lines
        this.#counted += lines
      } else this.#steps[day]! += quantity * (cents - before)
      before = cents
    }
    if (before !== -1) this.#lastDay = Math.max(this.#lastDay, runs[runs.length - runNumbers + lastAt]!)
  }

  /** @param lines how many lines have a card, whether they count or not */
  result(lines: number): OverTime {
    const days: WorthOfDay[] = []
    const first = this.#begun.findIndex((begun) => begun > 0)
    let cents = this.#cents
    for (let day = first; first !== -1 && day <= this.#lastDay - this.#firstDay; day++) {
      cents += this.#steps[day]!
      days.push({ date: new Date((day + this.#firstDay) * dayMs).toISOString().slice(0, 10), total: cents / 100 })
    }
    const counted = this.#counted
    return { days, counted, leftOut: lines - counted, backfilled: counted - (this.#begun[first] ?? 0) }
  }
}

/** @param runsOfCard by the card's id; undefined, or none, if it has no history in the period */
export function overTime({ byCard, leftOut }: Holdings, runsOfCard: (id: string) => PriceRuns | undefined): OverTime {
  const held = [...byCard].map(([id, holding]) => ({ holding, runs: runsOfCard(id) ?? [] }))
  const known = held.filter(({ runs }) => runs.length > 0)
  const firstDay = known.reduce((first, { runs }) => Math.min(first, runs[0]!), Number.POSITIVE_INFINITY)
  const lastDay = known.reduce((last, { runs }) => Math.max(last, runs[runs.length - runNumbers + lastAt]!), 0)
  const worth = new WorthByDay(known.length > 0 ? firstDay : 0, lastDay)
  for (const { runs, holding } of known) worth.add(runs, holding)
  return worth.result(held.reduce((lines, { holding }) => lines + holding.lines, leftOut))
}
