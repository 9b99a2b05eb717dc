/**
 * The orders by which sets and cards are numbered. Sets have the order in which they are listed. Cards have the order
 * in which search lists results that are otherwise equal.
 */
import { compareTexts } from '../../src/text-order.ts'
import type { SetRecord } from '../read/snapshot-schema.ts'

export const setKey = (game: number, code: string): string => `${game}/${code}`

/** Newest release first, unknown dates last, then by game order, then by code. */
export const orderSets = (sets: readonly SetRecord[]): SetRecord[] =>
  sets.toSorted((a, b) => compareDates(a, b) || a.game - b.game || compareTexts(a.code, b.code))

interface OrderedCard {
  readonly id: string
  /** The index of its set in list order. */
  readonly setNumber: number
  readonly number: string | null
}

/**
 * Sorts by the release date of the card's set (newest first, unknown last), then by set code, number and id. Digits in
 * a number are compared as numbers, and an unknown number comes last.
 */
export function orderCards<Card extends OrderedCard>(cards: readonly Card[], sets: readonly SetRecord[]): Card[] {
  const sorted = sets.toSorted(compareReleases)
  // Sets of two games with equal dates and codes have the same rank.
  const ranks = sets.map((set) => sorted.findIndex((other) => compareReleases(other, set) === 0))
  return cards
    .map((card) => ({
      card,
      rank: ranks[card.setNumber] ?? 0,
      number: card.number === null ? null : numberParts(card.number),
    }))
    .sort((a, b) => a.rank - b.rank || compareNumbers(a.number, b.number) || compareTexts(a.card.id, b.card.id))
    .map(({ card }) => card)
}

const compareReleases = (a: SetRecord, b: SetRecord): number => compareDates(a, b) || compareTexts(a.code, b.code)

const compareDates = (a: SetRecord, b: SetRecord): number => compareTexts(b.releaseDate ?? '', a.releaseDate ?? '')

type NumberParts = readonly (string | number)[]

/** `SWSH012a` is ['SWSH', 12, 'a']. Each run of digits becomes a number; the rest stays text. */
const numberParts = (number: string): NumberParts =>
  number.match(/\d+|\D+/g)!.map((part) => (/\d/.test(part) ? Number(part) : part))

function compareNumbers(a: NumberParts | null, b: NumberParts | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  for (let i = 0; i < a.length && i < b.length; i++) {
    const left = a[i]!
    const right = b[i]!
    if (left === right) continue
    if (typeof left === 'number' && typeof right === 'number') return left - right
    return compareTexts(String(left), String(right))
  }
  return a.length - b.length
}
