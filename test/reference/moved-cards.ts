/** Cards with histories in which much goes wrong, drawn: what changes and movers are tried on. */

import type { gameSlugs } from '../../build/games/default-games.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { priceCentsMax } from '../../src/limits.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import type { PlainRows } from './changes.ts'

export const asOf = dayOfDate('2026-11-20')

/** Equal prices, pennies, nothing and the most. */
const prices = [0, 1, 1, 2, 99, 100, 100, 101, 250, 1000, 1001, 12_345, priceCentsMax]

/** How many days back a history begins, and ends. */
const spans = (
  '400-0 400-0 380-0 400-0 372-0 1825-0 380-0 500-0 100-0 0-0 400-0 1825-0 400-3 400-2 380-1 365-0 371-0 372-365 10-0 3-1 ' +
  '90-90 36-30 1825-1 7-7 364-364'
)
  .split(' ')
  .map((span) => span.split('-').map(Number))

export function drawnRows(random: Random): PlainRows {
  const rows = new Map<number, number | null>()
  const [first, last] = drawFrom(random, spans)
  const rowShare = drawFrom(random, [1, 1, 1, 0.7, 0.7, 0.2, 0.02])
  const stepShare = drawFrom(random, [0, 0.05, 0.3, 0.3, 1])
  const unknownShare = drawFrom(random, [0, 0, 0, 0.1, 0.9])
  let cents = drawFrom(random, prices)
  for (let age = first!; age >= last!; age--) {
    if (random() < stepShare) {
      cents = drawBelow(random, 3) === 0 ? drawFrom(random, prices) : Math.max(0, cents + drawBelow(random, 21) - 10)
    }
    if (random() < rowShare) rows.set(asOf - age, random() < unknownShare ? null : Math.min(cents, priceCentsMax))
  }
  return rows
}

export interface MovedCard {
  readonly id: string
  readonly game: (typeof gameSlugs)[number]
  readonly setCode: string
  readonly rows: PlainRows
  readonly updatedAt?: string | null
  /** The market price of the record, in cents. */
  readonly market?: number | null
}

/** In the order of equals. The first one has a row on the newest day. */
export function drawnCards(random: Random, count: number, games: readonly (typeof gameSlugs)[number][]): MovedCard[] {
  return Array.from({ length: count }, (_, number) => {
    const game = drawFrom(random, games)
    const rows = new Map(drawnRows(random))
    if (number === 0) rows.set(asOf, 100)
    return { id: `${game}-c-${`${number}`.padStart(6, '0')}`, game, setCode: drawFrom(random, ['a', 'a', 'b']), rows }
  })
}

/** The sets of one code are released on one day, so cards go by set code and number. */
export const inOrder = (cards: readonly MovedCard[]): MovedCard[] =>
  [...cards].sort((a, b) =>
    a.setCode < b.setCode ? -1 : a.setCode > b.setCode ? 1 : a.id.slice(-6) < b.id.slice(-6) ? -1 : 1,
  )

/** The files of a snapshot of these cards: a file of history for each year, and one that corrects some of their rows. */
export function filesOf(cards: readonly MovedCard[]): Record<string, string | object[]> {
  const games = [...new Set(cards.map(({ game }) => game))]
  const sets = games.flatMap((game) =>
    ['a', 'b'].map((code) => ({ game, code, name: code, releaseDate: '2020-01-01' })),
  )
  const records = cards.map(({ id, game, setCode, updatedAt = null, market = null }, i) => ({
    id,
    game,
    setCode,
    name: 'Card',
    number: id.slice(-6),
    updatedAt,
    prices: { market: market === null ? null : market / 100 },
    printing: i % 2 === 0 ? 'Normal' : 'Foil',
  }))
  const lines = new Map<string, string[]>()
  for (const { id, rows } of cards) {
    for (const [day, cents] of rows) {
      const date = dateOfDay(day)
      const add = (name: string, price: number | null) => {
        if (!lines.has(name)) lines.set(name, ['date,id,market,low,high'])
        lines.get(name)!.push(`${date},${id},${price ?? ''},,${price ?? 1}`)
      }
      const isCorrected = day % 20 === 0
      add(`history/${date.slice(0, 4)}.csv`, isCorrected ? 77 : cents === null ? null : cents / 100)
      if (isCorrected) add('history/corrections.csv', cents === null ? null : cents / 100)
    }
  }
  const history = Object.fromEntries([...lines].map(([name, text]) => [name, `${text.join('\n')}\n`]))
  return { 'sets/s.ndjson': sets, 'cards/c.ndjson': records, ...history }
}
