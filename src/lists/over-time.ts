/**
 * Computes what the lines of a valued list were worth on each day of a period, at market prices. Client, assistants and
 * page all use this module, so they show the same figures.
 *
 *   row         ●─────────●  ●────────●            days with a known price in the card's history
 *   price   ────┘         └──┘        └───────     before the first row its price, on other days that of the latest row
 *           │← first day of all cards        │← last day of all cards
 *
 * A line is counted if it has a card and a price, names no grade, and its card has a row. Amounts are whole cents, so
 * sums are exact.
 */
import type { ValuedLine } from './values.ts'

export interface OverTime {
  /** Each day from the first row of all cards to the last one, oldest first. */
  readonly days: readonly WorthOfDay[]
  /** The number of counted lines. */
  readonly counted: number
  /** The number of lines with a card that are not counted: they name a grade, have no price, or no history. */
  readonly leftOut: number
  /** The number of counted lines whose card has its first row after the first day. */
  readonly backfilled: number
}

export interface WorthOfDay {
  /** YYYY-MM-DD */
  readonly date: string
  readonly total: number
}

/** The copies of a card in a list, and the number of lines that have them. */
export interface Holding {
  readonly quantity: number
  readonly lines: number
}

export interface Holdings {
  /** By the card's id. */
  readonly byCard: ReadonlyMap<string, Holding>
  /** The number of lines with a card that can't be counted, because they name a grade or have no price. */
  readonly leftOut: number
}

/** The properties of a valued line that this module needs. */
export interface LineHeld extends Pick<ValuedLine, 'match' | 'quantity' | 'grade' | 'amount'> {
  readonly card: { readonly id: string } | null
}

/** Sums up the copies of each card. @param lines the lines of a list whose columns are sure */
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

/** True if the line is counted, provided that its card has a history. */
export const isHeld = ({ match, card, grade, amount }: LineHeld): boolean =>
  match !== 'excluded' && card !== null && grade === null && amount !== null

/**
 * A card's market prices, oldest first: three numbers for each run of days with one price, which are its first day, its
 * last day (both counted from 1970-01-01) and the cents. Days between two runs have no row.
 */
export type PriceRuns = ArrayLike<number>
const [lastAt, centsAt, runNumbers] = [1, 2, 3]

/** Returns the price on a day, in cents. @param runs at least one */
export function centsOn(runs: PriceRuns, day: number): number {
  let cents = runs[centsAt]!
  for (let i = runNumbers; i < runs.length && runs[i]! <= day; i += runNumbers) cents = runs[i + centsAt]!
  return cents
}

export const newestCents = (runs: PriceRuns): number => runs[runs.length - runNumbers + centsAt]!

const dayMs = 86_400_000

/** Turns the rows of a history in the API's form into runs. @param history oldest first */
export function runsOf(history: readonly { readonly date: string; readonly market: number | null }[]): PriceRuns {
  return history.flatMap(({ date, market }) => {
    const day = Date.parse(date) / dayMs
    return market === null ? [] : [day, day, Math.round(market * 100)]
  })
}

/** Sums up the worth of cards, one after the other. It stores only two numbers for each day. */
export class WorthByDay {
  readonly #firstDay: number
  /** By day: the change of the total since the day before, in cents. */
  readonly #steps: Float64Array
  /** By day: how many lines have a card whose first row is on that day. */
  readonly #begun: Uint32Array
  /** The total without any changes, in cents: each card at its first price. */
  #cents = 0
  #counted = 0
  #lastDay = Number.NEGATIVE_INFINITY

  /** Runs that end before the first day are ignored. */
  constructor(firstDay: number, lastDay: number) {
    const days = Math.max(0, lastDay - firstDay + 1)
    this.#firstDay = firstDay
    this.#steps = new Float64Array(days)
    this.#begun = new Uint32Array(days)
  }

  /** Adds a card. @param runs the card's runs, of which none begins after the last day */
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

  /** @param lines how many lines have a card, counted or not */
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

/** @param runsOfCard returns the runs of the card with an id; undefined or empty without a history in the period */
export function overTime({ byCard, leftOut }: Holdings, runsOfCard: (id: string) => PriceRuns | undefined): OverTime {
  const held = [...byCard].map(([id, holding]) => ({ holding, runs: runsOfCard(id) ?? [] }))
  const known = held.filter(({ runs }) => runs.length > 0)
  const firstDay = known.reduce((first, { runs }) => Math.min(first, runs[0]!), Number.POSITIVE_INFINITY)
  const lastDay = known.reduce((last, { runs }) => Math.max(last, runs[runs.length - runNumbers + lastAt]!), 0)
  const worth = new WorthByDay(known.length > 0 ? firstDay : 0, lastDay)
  for (const { runs, holding } of known) worth.add(runs, holding)
  return worth.result(held.reduce((lines, { holding }) => lines + holding.lines, leftOut))
}
