/** The two orders that number all that an index holds: sets as they are listed, cards as equals of a search are. */
import { compareTexts } from '../../src/text-order.ts'
import type { CardRecord, SetRecord } from '../read/records.ts'

export const setKey = (game: number, code: string): string => `${game}/${code}`

/** Newest release first, unknown dates last, then by game order, then by code. */
export function orderSets(sets: readonly SetRecord[]): SetRecord[] {
  return [...sets].sort(
    (a, b) => compareNewestFirst(a.releaseDate, b.releaseDate) || a.game - b.game || compareTexts(a.code, b.code),
  )
}

/** By the set's release, newest first and unknown last, then set code, number (digits as numbers, unknown last), id. */
export function orderCards(cards: readonly CardRecord[], sets: readonly SetRecord[]): CardRecord[] {
  const releases = new Map(sets.map((set) => [setKey(set.game, set.code), set.releaseDate]))
  const keyed = cards.map((card) => ({
    card,
    release: releases.get(setKey(card.game, card.setCode)) ?? null,
    number: card.number === null ? null : numberParts(card.number),
  }))
  keyed.sort(
    (a, b) =>
      compareNewestFirst(a.release, b.release) ||
      compareTexts(a.card.setCode, b.card.setCode) ||
      compareNumbers(a.number, b.number) ||
      compareTexts(a.card.id, b.card.id),
  )
  return keyed.map(({ card }) => card)
}

function compareNewestFirst(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return compareTexts(b, a)
}

/** `SWSH012a` is ['SWSH', 12, 'a']: runs of digits as numbers, the rest as text, in turn. */
const numberParts = (number: string): (string | number)[] =>
  (number.match(/\d+|\D+/g) ?? []).map((part) => (/\d/.test(part) ? Number(part) : part))

function compareNumbers(a: readonly (string | number)[] | null, b: readonly (string | number)[] | null): number {
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
