/** Parses the body of a match: the lines of a list. */
import * as v from 'valibot'
import { matchLinesMax, queryCharsMax } from '../limits.ts'
import type { Line, LineIds } from '../match/line.ts'
import { parsedJson } from './batch-request.ts'
import { isTooLong } from './parameter-kinds.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const wholeNumber = /^[1-9]\d{0,15}$/

/**
 * Returns a check that the trimmed text matches the pattern. A blank text passes, too: it means that the field is
 * unknown.
 */
const isBlankOr = (pattern: RegExp) => (text: string) => text.trim() === '' || pattern.test(text.trim())

// An issue's message is the middle of a problem's message: `readLines` puts the line before it and the field's name
// after it. Issues of a line have the order of the line's fields.
const tooLong = `must have a string of at most ${queryCharsMax} characters as`
const notWhole = 'must have a whole number as'
const noUuid = 'must have a UUID as'
const noName = `must have a name of 1 to ${queryCharsMax} characters, a set and a number, or an id`

const texts = ['name', 'number', 'set', 'game', 'printing', 'rarity'] as const
const ids = ['id', 'tcgplayerId', 'scryfallId', 'mtgjsonId', 'cardmarketId'] as const

/**
 * JSON Schema's `maxLength` counts characters, and so must this check. Valibot's own `maxLength` counts UTF-16 units,
 * so `isTooLong` counts instead.
 */
const text = v.pipe(
  v.string(tooLong),
  v.check((one) => !isTooLong(one, queryCharsMax), tooLong),
  v.metadata({ maxLength: queryCharsMax }),
)
const known = v.exactOptional(v.nullable(text))
const knownUuid = v.exactOptional(v.nullable(v.pipe(text, v.check(isBlankOr(uuid), noUuid))))
const productNumber = v.pipe(v.number(), v.safeInteger(notWhole), v.minValue(1, notWhole))
const productText = v.pipe(text, v.check(isBlankOr(wholeNumber), notWhole))
const knownProduct = v.exactOptional(v.nullable(v.union([productNumber, productText], tooLong)))

const matchLine = v.pipe(
  v.object(
    {
      ...v.entriesFromList([...texts, 'id'], known),
      tcgplayerId: knownProduct,
      ...v.entriesFromList(['scryfallId', 'mtgjsonId'], knownUuid),
      cardmarketId: knownProduct,
    },
    'must be an object',
  ),
  v.check((line) => {
    const has = (field: (typeof texts)[number] | (typeof ids)[number]) => unlessBlank(line[field]) !== undefined
    return has('name') || ids.some(has) || (has('set') && has('number'))
  }, noName),
)

export const matchRequest = v.object({ cards: v.pipe(v.array(matchLine), v.maxLength(matchLinesMax)) })

/** The problem of a wrong body. */
export interface WrongBody {
  readonly code: 'INVALID_BODY' | 'BATCH_TOO_LARGE'
  readonly message: string
}

export const matchMessages = {
  INVALID_BODY:
    'The body must be a JSON object with cards, an array of objects. Each has a name, or a set and a number, or an id.',
  BATCH_TOO_LARGE: `A match has at most ${matchLinesMax} lines.`,
} as const

/** Validation stops at the first issue, because a problem's message has room for only one. */
const firstIssue = { abortEarly: true } as const

type Given = v.InferOutput<typeof matchLine>

/**
 * True if a line has a name, perhaps other texts, and no id, as most lines do. Such a line is valid, so the slower
 * schema is not needed.
 */
function isPlain(line: unknown): line is Given {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) return false
  const given = line as Readonly<Record<string, unknown>>
  for (const field of texts) if (!isShort(given[field])) return false
  for (const field of ids) if (given[field] !== undefined) return false
  return typeof given['name'] === 'string' && given['name'].trim() !== ''
}

const isShort = (one: unknown): boolean =>
  one === undefined || one === null || (typeof one === 'string' && one.length <= queryCharsMax)

/** Parses the body of a match. Returns its lines, or the problem of a wrong body. */
export function readLines(body: Uint8Array): readonly Line[] | WrongBody {
  const parsed = parsedJson(body)
  // If there are too many lines, none of them is validated.
  const cards = (parsed as { readonly cards?: unknown } | null | undefined)?.cards
  if (Array.isArray(cards) && cards.length > matchLinesMax) return wrong('BATCH_TOO_LARGE')
  if (Array.isArray(cards) && cards.every(isPlain)) return cards.map(lineFrom)
  const read = v.safeParse(matchRequest, parsed, firstIssue)
  if (read.success) return read.output.cards.map(lineFrom)
  const [, line, field] = read.issues[0].path ?? []
  if (line === undefined) return wrong('INVALID_BODY')
  const at = Number(line.key)
  const end = field === undefined ? '' : ` ${field.key}`
  return { code: 'INVALID_BODY', message: `Line ${at + 1}, cards[${at}], ${read.issues[0].message}${end}.` }
}

const wrong = (code: WrongBody['code']): WrongBody => ({ code, message: matchMessages[code] })

/** Converts a line of a request into the line that `match` takes. Returns undefined if `card` is not a valid line. */
export function lineOf(card: unknown): Line | undefined {
  const read = v.safeParse(matchLine, card, firstIssue)
  return read.success ? lineFrom(read.output) : undefined
}

function lineFrom(given: Given): Line {
  return {
    ids: ids.some((field) => unlessBlank(given[field]) !== undefined) ? idsOf(given) : undefined,
    name: unlessBlank(given.name),
    number: unlessBlank(given.number),
    set: unlessBlank(given.set),
    game: unlessBlank(given.game),
    printing: unlessBlank(given.printing),
    rarity: unlessBlank(given.rarity),
  }
}

const idsOf = (given: Given): LineIds => ({
  card: unlessBlank(given.id),
  tcgplayer: productOf(given.tcgplayerId),
  scryfall: unlessBlank(given.scryfallId)?.toLowerCase(),
  mtgjson: unlessBlank(given.mtgjsonId)?.toLowerCase(),
  cardmarket: productOf(given.cardmarketId),
})

function productOf(given: string | number | null | undefined): number | undefined {
  const id = unlessBlank(given)
  return id === undefined ? undefined : Number(id)
}

const unlessBlank = (one: string | number | null | undefined): string | undefined =>
  typeof one === 'number' ? String(one) : one?.trim() || undefined
