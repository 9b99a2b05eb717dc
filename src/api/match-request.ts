/** Parses the body of a match: the lines of a list. */
import * as v from 'valibot'
import { matchLinesMax, queryCharsMax } from '../limits.ts'
import type { Line, LineIds } from '../match/match.ts'
import { parsedJson } from './batch-request.ts'
import { isTooLong } from './parameter-kinds.ts'

const ids = ['id', 'tcgplayerId', 'scryfallId', 'mtgjsonId', 'cardmarketId'] as const
const optional = ['name', 'number', 'set', 'game', 'printing', 'rarity'] as const

const text = v.pipe(v.string(), v.maxLength(queryCharsMax))
const known = v.exactOptional(v.nullable(text))
const productId = v.exactOptional(v.nullable(v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(1)), text])))

/** For the OpenAPI description. `readLines` checks the same, faster and with its own messages. */
export const matchRequest = v.object({
  cards: v.pipe(
    v.array(
      v.object({
        ...v.entriesFromList(optional, known),
        ...v.entriesFromList(['id', 'scryfallId', 'mtgjsonId'], known),
        ...v.entriesFromList(['tcgplayerId', 'cardmarketId'], productId),
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
  INVALID_BODY: 'The body must be a JSON object with cards, an array of objects with a name or an id.',
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
export function lineOf(card: unknown): Line | string {
  if (typeof card !== 'object' || card === null || Array.isArray(card)) return 'must be an object'
  const given = card as Given
  for (const field of optional) if (!isGiven(given[field])) return tooLong(field)
  const idsOfLine = idsOf(given)
  if (typeof idsOfLine === 'string') return idsOfLine
  const name = unlessBlank(given.name)
  if (idsOfLine === undefined && name === undefined) {
    return `must have a name of 1 to ${queryCharsMax} characters, or an id`
  }
  return {
    ids: idsOfLine,
    name,
    number: unlessBlank(given.number),
    set: unlessBlank(given.set),
    game: unlessBlank(given.game),
    printing: unlessBlank(given.printing),
    rarity: unlessBlank(given.rarity),
  }
}

/** A line's fields, as far as `isGiven` has seen them. */
type Given = { readonly [field in (typeof optional)[number] | (typeof ids)[number]]?: string | null }

const tooLong = (field: string): string => `must have a string of at most ${queryCharsMax} characters as ${field}`

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const wholeNumber = /^[1-9]\d{0,15}$/

/** Undefined if the line has none; a text if one is wrong. */
function idsOf(given: Given): LineIds | string | undefined {
  let texts: { [id in (typeof ids)[number]]?: string } | undefined
  for (const field of ids) {
    const value: unknown = given[field]
    if (value === undefined) continue
    const isNumber = field === 'tcgplayerId' || field === 'cardmarketId'
    const text = isNumber && typeof value === 'number' ? String(value) : value
    if (!isGiven(text)) return tooLong(field)
    const id = unlessBlank(text)
    if (id === undefined) continue
    if (isNumber && !wholeNumber.test(id)) return `must have a whole number as ${field}`
    texts ??= {}
    texts[field] = field === 'id' ? id : id.toLowerCase()
    const isUuid = field === 'scryfallId' || field === 'mtgjsonId'
    if (isUuid && !uuid.test(texts[field])) return `must have a UUID as ${field}`
  }
  if (texts === undefined) return undefined
  const { id: card, tcgplayerId, scryfallId: scryfall, mtgjsonId: mtgjson, cardmarketId } = texts
  const numeric = (id: string | undefined) => (id === undefined ? undefined : Number(id))
  return { card, tcgplayer: numeric(tcgplayerId), scryfall, mtgjson, cardmarket: numeric(cardmarketId) }
}

const isGiven = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || (typeof value === 'string' && !isTooLong(value, queryCharsMax))

const unlessBlank = (text: string | null | undefined): string | undefined => text?.trim() || undefined
