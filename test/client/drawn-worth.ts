/**
 * Drawn lists over a small catalog with histories of every kind, and what they were worth by a naive sum over the
 * snapshot's rows.
 */
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'

const newest = dayOfDate('2026-11-20')
const set = { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' }
const names = ['Charizard', 'Pikachu', 'Blastoise', 'Alakazam', 'Mewtwo', 'Gyarados', 'Raichu', 'Zapdos', 'Chansey']
const printings = ['Holofoil', 'Reverse Holofoil', 'Normal']

interface Row {
  readonly day: number
  readonly cents: number | null
}

interface DrawnCard {
  readonly id: string
  readonly name: string
  readonly number: string
  readonly printing: string
  readonly prices: {
    readonly market: number | null
    readonly conditions: Readonly<Record<string, number>>
    readonly graded: Readonly<Record<string, number>>
  }
  readonly rows: readonly Row[]
}

const random = randomFrom('what a list was worth')

/** Days with a row, from the newest to the oldest, by the kind of history. */
const kinds: readonly ((day: number) => boolean)[] = [
  (age) => age < 365,
  (age) => age < 365 && drawBelow(random, 4) > 0,
  (age) => age < 365 && age % 30 < 12,
  (age) => age < 20,
  (age) => age > 35 && age < 200,
  (age) => age === 3,
  () => false,
  (age) => age < 400 && (age < 5 || age > 60),
]

function drawnCard(i: number): DrawnCard {
  const name = drawFrom(random, names)
  const hasRow = kinds[i % kinds.length]!
  let cents = 50 + drawBelow(random, 40_000)
  const rows: Row[] = []
  for (let age = 420; age >= 0; age--) {
    if (drawBelow(random, 3) === 0) cents = Math.max(1, cents + drawBelow(random, 401) - 200)
    if (hasRow(age)) rows.push({ day: newest - age, cents: drawBelow(random, 30) === 0 ? null : cents })
  }
  const market = i % 11 === 10 ? null : cents / 100
  return {
    id: `pokemon-base1-${String(i).padStart(3, '0')}`,
    name,
    number: String(i),
    printing: drawFrom(random, printings),
    prices: {
      market,
      conditions: i % 3 === 0 ? { near_mint: (cents + 17) / 100, damaged: 0.4 } : {},
      graded: i % 4 === 0 ? { psa_10: (cents * 4) / 100 } : {},
    },
    rows,
  }
}

const cards = Array.from({ length: 64 }, (_, i) => drawnCard(i))

const amountOf = (cents: number | null) => (cents === null ? '' : String(cents / 100))

export const worthSnapshot = {
  'sets/s.ndjson': [set],
  'cards/c.ndjson': cards.map(({ rows: _, ...card }) => ({ ...card, game: set.game, setCode: set.code })),
  'about.json': '{"currency":"USD"}',
  'history/h.csv': [
    'id,date,market,low,high',
    ...cards.flatMap(({ id, rows }) =>
      rows.map(({ day, cents }) => `${id},${dateOfDay(day)},${amountOf(cents)},0.01,`),
    ),
    '',
  ].join('\n'),
}

export interface DrawnList {
  /** A CSV. */
  readonly text: string
  readonly lines: readonly DrawnLine[]
}

interface DrawnLine {
  readonly quantity: number
  /** Undefined of a line that names no card. */
  readonly card: DrawnCard | undefined
  readonly condition: string
  readonly grade: string
}

function drawnList(random: Random): DrawnList {
  const some = cards.slice(0, 1 + drawBelow(random, cards.length))
  const lines = Array.from({ length: 1 + drawBelow(random, 90) }, (_, i): DrawnLine => {
    const card = drawBelow(random, 25) === 0 ? undefined : drawFrom(random, some)
    const isGraded = drawBelow(random, 8) === 0
    return {
      // A column in which all are 0 would be unsure.
      quantity: i === 0 ? 1 : drawBelow(random, 5),
      card,
      condition: isGraded ? '' : drawFrom(random, ['', '', 'Near Mint', 'Damaged', 'Heavily Played']),
      grade: isGraded ? 'PSA 10' : '',
    }
  })
  const rows = lines.map(
    ({ quantity, card, condition, grade }) => `${quantity},${card?.id ?? 'pokemon-nobody'},${condition},${grade}`,
  )
  return { text: ['Quantity,Id,Condition,Grade', ...rows].join('\n'), lines }
}

export const drawnLists = (count: number): DrawnList[] => Array.from({ length: count }, () => drawnList(random))

const windows = { '7d': 7, '30d': 30, '90d': 90, '1y': 365, all: Number.POSITIVE_INFINITY }
export type WorthPeriod = keyof typeof windows
export const worthPeriods = Object.keys(windows) as WorthPeriod[]

/** The lines that count, with the rows of the period that do. */
const heldIn = ({ lines }: DrawnList, period: WorthPeriod) =>
  lines.flatMap(({ card, quantity, condition, grade }) => {
    const rows = card?.rows.filter(({ day, cents }) => day > newest - windows[period] && cents !== null) ?? []
    const own = card?.prices.conditions[condition.toLowerCase().replace(' ', '_')]
    const isPriced = (own ?? card?.prices.market ?? null) !== null
    return rows.length > 0 && grade === '' && isPriced ? { quantity, rows } : []
  })

type Rows = readonly Row[]
const centsOn = (rows: Rows, day: number): number => (rows.findLast((row) => row.day <= day) ?? rows[0]!).cents!

/** By each day and each line. */
export function naiveWorth(list: DrawnList, period: WorthPeriod) {
  const known = list.lines.flatMap(({ card }) => card ?? [])
  const held = heldIn(list, period)
  const firsts = held.map(({ rows }) => rows[0]!.day)
  const first = Math.min(...firsts)
  const last = Math.max(...held.map(({ rows }) => rows.at(-1)!.day))
  const days: { date: string; total: number }[] = []
  for (let day = first; day <= last; day++) {
    const cents = held.map(({ quantity, rows }) => quantity * centsOn(rows, day))
    days.push({ date: dateOfDay(day), total: cents.reduce((sum, one) => sum + one, 0) / 100 })
  }
  return {
    currency: known.length > 0 ? 'USD' : null,
    days,
    counted: held.length,
    leftOut: known.length - held.length,
    backfilled: firsts.filter((day) => day > first).length,
  }
}

/** Quantity and cents of each line whose amount changed in 30 days, before and now, the largest change first. */
export const naiveMoved = (list: DrawnList): (readonly [quantity: number, from: number, to: number])[] =>
  heldIn(list, '1y')
    .map(
      ({ quantity, rows }) =>
        [quantity, quantity * centsOn(rows, newest - 30), quantity * rows.at(-1)!.cents!] as const,
    )
    .filter(([, from, to]) => from !== to)
    .sort(([, from, to], [, otherFrom, otherTo]) => Math.abs(otherTo - otherFrom) - Math.abs(to - from))
