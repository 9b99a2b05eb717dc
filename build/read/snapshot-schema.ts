/** The schemas of a snapshot's sets and cards, which depend on the folder's games. Unknown fields are dropped. */
import * as v from 'valibot'
import { dayOfDate, noDay } from '../../src/calendar.ts'
import { conditions } from '../../src/catalog/card-fields.ts'
import type { Games } from '../../src/games.ts'
import { cardMarketsMax, idCharsMax, priceCentsMax, printedTotalMax, printingCharsMax } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'
import { described } from './described.ts'
import { type Problems, shownIssue } from './snapshot-problems.ts'

const mustBeText = 'must be a string'

const mustBeObject = 'must be an object or null'
export const plainObject = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  mustBeObject,
)

/** JSON can escape half of a surrogate pair, which UTF-8 can't encode. */
export const wellFormed = v.check<string, string>((text) => text.isWellFormed(), 'must not hold a lone surrogate')

/** A text that may be unknown: it is then null, absent or empty. */
const optionalText = v.pipe(
  v.nullish(v.pipe(v.string(`${mustBeText} or null`), wellFormed), null),
  v.transform((text) => (text === '' ? null : text)),
)
export const text = v.pipe(
  v.string(mustBeText),
  v.check((value) => value.trim() !== '', 'must not be blank'),
  wellFormed,
)

const mustBePrinting = `must have 1 to ${printingCharsMax} characters, not all of them blank`

const printing = v.pipe(
  optionalText,
  v.check((value) => value === null || isPrinting(value), mustBePrinting),
)

export const isPrinting = (value: string): boolean => value.trim() !== '' && [...value].length <= printingCharsMax

export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const uuid = v.pipe(
  optionalText,
  v.check((value) => value === null || uuidForm.test(value), 'must be a UUID in lower case'),
)

/** The part of a folder's games that the schemas need. */
type AnyGames = Pick<Games, 'slugs' | 'numberOf'>

function gameAmong(games: AnyGames) {
  const mustBe = `must be one of ${games.slugs.join(', ')}; card-prices games add adds another`
  return v.pipe(
    v.string(mustBe),
    v.check((slug) => games.numberOf(slug) !== -1, mustBe),
    v.transform((slug) => games.numberOf(slug)),
  )
}

const isCalendarDate = (value: string): boolean => dayOfDate(value) !== noDay

const textThat = (isRight: (value: string) => boolean, mustBe: string) =>
  v.pipe(v.string(`${mustBe}, or null`), v.check(isRight, mustBe))

const date = textThat(isCalendarDate, 'must be a date, YYYY-MM-DD')
const timestamp = textThat(isUtcTimestamp, 'must be a UTC timestamp, 2026-11-20T06:00:00Z')
const dayOrTime = textThat(
  (value) => isCalendarDate(value) || isUtcTimestamp(value),
  'must be a date or a UTC timestamp, 2026-11-20 or 2026-11-20T06:00:00Z',
)

const image = v.pipe(
  v.string('must be an address or null'),
  v.check(isWebAddress, 'must be an http or https address'),
  wellFormed,
)

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * A price in whole cents. Half a cent is rounded up. The digits are used as written: 1.005 is 101 cents.
 * @param price a JSON number, or its text: `12`, `0.125`, `1e3`
 * @returns cents, 0 to `priceCentsMax`; or a message about what is wrong
 */
export function centsOf(price: string | number): number | string {
  const match = decimal.exec(String(price))
  if (match === null) return 'must be a number'
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  if (sign === '-') return 'must be 0 or more'
  // The value is digits × 10^-scale. Its cents are the first `kept` digits, rounded by the digit after them.
  const scale = fraction.length - Number(exponentText)
  const kept = digits.length - scale + 2
  if (kept > centsDigitsMax) return tooHigh
  if (kept < 0) return 0
  const cents = Number(digits.slice(0, kept).padEnd(kept, '0')) + (digits.charCodeAt(kept) >= 0x35 ? 1 : 0)
  return cents > priceCentsMax ? tooHigh : cents
}

const centsDigitsMax = String(priceCentsMax).length
const tooHigh = `must be at most ${priceCentsMax / 100}`

export const mustBePrice = 'must be a number or null'
const knownPrice = v.pipe(
  v.number(mustBePrice),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const cents = centsOf(dataset.value)
    if (typeof cents === 'number') return cents
    addIssue({ message: cents })
    return NEVER
  }),
)
const price = v.nullish(knownPrice, null)

const conditionPrices = v.pipe(
  v.nullish(
    v.pipe(
      plainObject,
      v.object({
        near_mint: described(price, 'Near mint.', 350.12),
        lightly_played: described(price, 'Lightly played.', 290),
        moderately_played: described(price, 'Moderately played.', 240),
        heavily_played: described(price, 'Heavily played.', 180),
        damaged: described(price, 'Damaged.', 120),
      } satisfies Record<(typeof conditions)[number], unknown>),
    ),
    {},
  ),
  v.transform((prices) => knownOnly(conditions.map((key) => [key, prices[key]]))),
)

const gradeForm = /^[a-z]+(_\d{1,2}){1,2}$/
const mustBeGrade = 'must be a grader and a grade, psa_10, bgs_9_5'
export const grade = v.pipe(v.string(), v.regex(gradeForm, mustBeGrade))

/** Names that are rejected as grades, because `v.record` would drop them silently. */
const unrecorded = ['__proto__', 'prototype', 'constructor'] as const
const objectOfGrades = v.pipe(
  plainObject,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const input = dataset.value as Record<string, unknown>
    for (const key of unrecorded) {
      if (!Object.hasOwn(input, key)) continue
      const value = input[key]
      addIssue({ message: mustBeGrade, input: value, path: [{ type: 'object', origin: 'key', input, key, value }] })
    }
  }),
)

const gradePrice = described(price, 'A grader and a grade; half a grade is `_5`.', 12000)

const gradedPrices = v.pipe(
  v.nullish(v.pipe(objectOfGrades, v.record(grade, gradePrice)), {}),
  v.transform((prices) => knownOnly(Object.entries(prices))),
)

const prices = v.nullish(
  v.pipe(
    plainObject,
    v.object({
      market: described(price, 'What it sells for.', 350.12),
      low: described(price, 'The lowest offer.', 200),
      mid: described(price, 'The middle of the offers.', 340),
      high: described(price, 'The highest offer; often parked, far from any sale.', 900),
      conditions: described(conditionPrices, 'Market prices by condition.', { near_mint: 350.12 }),
      graded: described(gradedPrices, 'Market prices by grader and grade.', { psa_10: 12000, bgs_9_5: 5000 }),
    }),
  ),
  {},
)

export const mustBeCount = 'must be a whole number above 0, or null'
const optionalCount = v.nullish(v.pipe(v.number(mustBeCount), v.check(isCount, mustBeCount)), null)

const mustBeTotal = `must be a whole number from 1 to ${printedTotalMax}, or null`

export const setSchemaOf = (games: AnyGames) =>
  v.object({
    game: described(gameAmong(games), 'The game.', 'pokemon'),
    code: described(text, 'Its code, unique in its game. Callers ask for it in any case.', 'base1'),
    name: described(text, 'Its name, as it is shown.', 'Base Set'),
    releaseDate: described(v.nullish(date, null), 'The day of its release.', '1999-01-09'),
    printedTotal: described(
      v.nullish(
        v.pipe(
          v.number(mustBeTotal),
          v.check((value) => isCount(value) && value <= printedTotalMax, mustBeTotal),
        ),
        null,
      ),
      'The number behind the slash of its cards’ numbers, as in `4/102`.',
      102,
    ),
  })

/** A checked set. `game` is the game's number (src/games.ts), and dates are texts. */
export type SetRecord = Readonly<v.InferOutput<ReturnType<typeof setSchemaOf>>>

export const marketName = v.pipe(v.string(mustBeText), v.regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z 0-9 -'))
export const currencyCode = v.pipe(v.string(mustBeText), v.regex(/^[A-Z]{3}$/, 'must be three capital letters, EUR'))

const marketPrices = v.pipe(
  plainObject,
  v.object({
    market: described(marketName, 'Its name.', 'cardmarket'),
    currency: described(currencyCode, 'The currency of its prices.', 'EUR'),
    price: described(price, 'The price at which the card sells.', 310.5),
    low: described(price, 'The lowest offer.', 180),
    buylist: described(price, 'The price that a shop pays for the card.', 200),
    updatedAt: described(
      v.nullish(dayOrTime, null),
      'When the prices were taken: a day, or a time in UTC.',
      '2026-11-20',
    ),
  }),
  v.check(({ price, low, buylist }) => price !== null || low !== null || buylist !== null, 'must have a price'),
)

const marketOrder = ({ market, currency }: v.InferOutput<typeof marketPrices>): string => `${market} ${currency}`

const describedMarket = described(marketPrices, 'A market with one known price at least.', {
  market: 'cardmarket',
  currency: 'EUR',
  price: 310.5,
})

const mustBeMarkets = `must be an array of at most ${cardMarketsMax} markets, or null`

const markets = v.pipe(
  v.nullish(v.pipe(v.array(describedMarket, mustBeMarkets), v.maxLength(cardMarketsMax, mustBeMarkets)), []),
  v.check((list) => new Set(list.map(marketOrder)).size === list.length, 'must have each market and currency once'),
  v.transform((list) => list.sort((a, b) => compareTexts(marketOrder(a), marketOrder(b)))),
)

const source = described(text, 'A source.', 'tcgplayer')

const idForm = /^[a-z0-9._~-]*$/

export const cardSchemaOf = (games: AnyGames) =>
  v.pipe(
    v.object({
      id: described(
        v.pipe(
          v.string(mustBeText),
          v.regex(idForm, 'may hold only a-z 0-9 - . _ ~'),
          v.check((id) => id.length >= 1 && id.length <= idCharsMax, `must have 1 to ${idCharsMax} characters`),
        ),
        'The card, unique in the snapshot, and the same for ever: callers keep it.',
        'pokemon-base1-004',
      ),
      game: described(gameAmong(games), 'The game.', 'pokemon'),
      name: described(text, 'Its name, as it is shown and searched.', 'Charizard'),
      setCode: described(text, 'The code of its set, of the same game.', 'base1'),
      number: described(optionalText, 'Its number, as printed.', '004'),
      rarity: described(optionalText, 'Its rarity, as callers filter by.', 'Rare Holo'),
      image: described(v.nullish(image, null), 'The address of its image.', 'https://images.example/base1-004.webp'),
      prices: described(prices, 'Its prices.', { market: 350.12 }),
      sources: described(
        v.nullish(v.array(source, 'must be an array of strings or null'), []),
        'Whose prices these are, the one of the market price first.',
        ['tcgplayer', 'ebay'],
      ),
      updatedAt: described(v.nullish(timestamp, null), 'When the prices were taken, UTC.', '2026-11-20T06:00:00Z'),
      tcgplayerId: described(optionalCount, 'TCGplayer’s number of the product; printings may share one.', 42382),
      printing: described(
        printing,
        'The finish or edition, where the same card has several: `Normal`, `Holofoil`, `Foil`, `Etched`.',
        'Holofoil',
      ),
      scryfallId: described(uuid, 'Scryfall’s id of the card.', '0000579f-7b35-4ed3-b44c-db2a538066fe'),
      mtgjsonId: described(uuid, 'MTGJSON’s id of the card.', '00010d56-fe38-5e35-8aed-518019aa36a5'),
      cardmarketId: described(optionalCount, 'Cardmarket’s number of the product; printings may share one.', 273699),
      markets: described(markets, 'Its prices at other markets, each market and currency once.', [
        { market: 'cardmarket', currency: 'EUR', price: 310.5, low: 180, updatedAt: '2026-11-20' },
      ]),
    }),
    v.forward(
      v.partialCheck(
        [['id'], ['game']],
        (card) => card.id.startsWith(`${games.slugs[card.game]}-`),
        'must start with its game and a hyphen',
      ),
      ['id'],
    ),
  )

/**
 * A checked card. `game` is the game's number, prices are whole cents, and unknown values are null. `conditions` and
 * `graded` have only known prices. Conditions are in the order of the API, and grades in the order of the snapshot.
 * `markets` are sorted.
 */
export type CardRecord = Readonly<v.InferOutput<ReturnType<typeof cardSchemaOf>>>

/** Checks a record. Returns the schema's output; undefined if the record is wrong. Adds each problem to `problems`. */
export function checked<Record>(
  schema: v.GenericSchema<unknown, Record>,
  record: object,
  place: string,
  problems: Problems,
): Record | undefined {
  const result = v.safeParse(schema, record)
  if (result.success) return result.output
  for (const [field, wrong, found] of result.issues.map(shownIssue)) problems.add(place, field!, wrong, found)
  return undefined
}

function knownOnly<Key extends string>(
  entries: readonly (readonly [Key, number | null])[],
): (readonly [Key, number])[] {
  return entries.filter((entry): entry is [Key, number] => entry[1] !== null)
}

export function isUtcTimestamp(value: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/.test(value) &&
    isCalendarDate(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value))
  )
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}

export function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}
