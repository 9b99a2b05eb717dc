/** Parses the body of a match: the lines of a list. */
import * as v from 'valibot'
import { matchLinesMax, queryCharsMax } from '../limits.ts'
import type { Line } from '../match/match.ts'
import { parsedJson } from './batch-request.ts'
import { isTooLong } from './parameter-kinds.ts'

const optional = ['number', 'set', 'game', 'printing', 'rarity'] as const

const known = v.exactOptional(v.nullable(v.pipe(v.string(), v.maxLength(queryCharsMax))))

/** For the OpenAPI description. `readLines` checks the same, faster and with its own messages. */
export const matchRequest = v.object({
  cards: v.pipe(
    v.array(
      v.object({
        name: v.pipe(v.string(), v.regex(/\S/), v.maxLength(queryCharsMax)),
        ...v.entriesFromList(optional, known),
      }),
    ),
    v.maxLength(matchLinesMax),
  ),
})

/** The problem of a wrong body. */
export interface WrongBody {
  readonly code: 'INVALID_BODY' | 'BATCH_TOO_LARGE'
  readonly message: string
}

export const matchMessages = {
  INVALID_BODY: 'The body must be a JSON object with cards, an array of objects with a name.',
  BATCH_TOO_LARGE: `A match has at most ${matchLinesMax} lines.`,
} as const

export function readLines(body: Uint8Array): readonly Line[] | WrongBody {
  const cards = (parsedJson(body) as { readonly cards?: unknown } | null | undefined)?.cards
  if (!Array.isArray(cards)) return wrong('INVALID_BODY')
  if (cards.length > matchLinesMax) return wrong('BATCH_TOO_LARGE')
  const lines: Line[] = []
  for (let i = 0; i < cards.length; i++) {
    const line = lineOf(cards[i])
    if (typeof line === 'string') return { code: 'INVALID_BODY', message: `Line ${i + 1}, cards[${i}], ${line}.` }
    lines.push(line)
  }
  return lines
}

const wrong = (code: WrongBody['code']): WrongBody => ({ code, message: matchMessages[code] })

/** Returns a text if the line is wrong: the end of the message. */
function lineOf(card: unknown): Line | string {
  if (typeof card !== 'object' || card === null || Array.isArray(card)) return 'must be an object'
  const record = card as Record<string, unknown>
  const name = record['name']
  const isName = typeof name === 'string' && name.trim() !== '' && !isTooLong(name, queryCharsMax)
  if (!isName) return `must have a name of 1 to ${queryCharsMax} characters`
  const { number, set, game, printing, rarity } = record
  if (!(isGiven(number) && isGiven(set) && isGiven(game) && isGiven(printing) && isGiven(rarity))) {
    return `must have a string of at most ${queryCharsMax} characters as ${optional.find((field) => !isGiven(record[field]))}`
  }
  return {
    name,
    number: unlessBlank(number),
    set: unlessBlank(set),
    game: unlessBlank(game),
    printing: unlessBlank(printing),
    rarity: unlessBlank(rarity),
  }
}

const isGiven = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || (typeof value === 'string' && !isTooLong(value, queryCharsMax))

const unlessBlank = (text: string | null | undefined): string | undefined => text?.trim() || undefined
