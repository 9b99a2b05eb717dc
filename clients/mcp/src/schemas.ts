/**
 * The schemas of the tools' inputs and outputs, which assistants see. `looseObject` keeps further fields of the API.
 */
import * as z from 'zod'
import { fieldNames } from '../../typescript/src/value.ts'

const price = z.number().nullable().describe('null if unknown, never 0')
const text = z.string()

export const game = z
  .string()
  .min(1)
  .max(60)
  .describe(
    'A game’s id, such as pokemon. The instructions have those of the server; an unknown one is an error that names them.',
  )
export const cardId = z
  .string()
  .min(1)
  .max(128)
  .describe('A card’s id, such as pokemon-base1-004. search_cards finds it.')
export const set = z.string().min(1).max(200).describe('A set’s code or its whole name. list_sets has both.')
export const offset = z.number().int().min(0).default(0).describe('How many to skip, for the next page.')
export const limitOf = (standard: number) => z.number().int().min(1).max(100).default(standard)
export const historyPeriod = z.enum(['7d', '30d', '90d', '1y', 'all'])
export const changePeriod = z.enum(['1d', '7d', '30d', '90d', '1y'])

const quota = z
  .object({ limit: z.number(), remaining: z.number(), resetsAt: text })
  .nullable()
  .describe('Requests a day, those left, and when new ones come (UTC).')

/** Adds the quota to a result, so that an assistant knows how many requests are left. */
const result = <Fields extends z.core.$ZodLooseShape>(fields: Fields) => z.object({ ...fields, quota })

const card = z.looseObject({
  id: text,
  name: text,
  game: text,
  set: text,
  setCode: text,
  number: text.nullable(),
  rarity: text.nullable(),
  printing: text.nullable().describe('The finish or edition, such as Holofoil.'),
  currency: text.nullable(),
  prices: z.looseObject({ market: price, low: price, mid: price, high: price }),
  updatedAt: text.nullable(),
  markets: z
    .array(z.object({ market: text, currency: text, price, low: price, buylist: price, updatedAt: text.nullable() }))
    .describe('Prices at other markets, each in its own currency; buylist is what a shop pays.'),
})

const listed = { id: text, name: text, game: text, set: text, number: text.nullable(), printing: text.nullable() }
const counted = { total: z.number().describe('How many there are in all.'), offset: z.number() }

export const cardResult = result({ card })

export const cardsResult = result({
  ...counted,
  cards: z.array(z.object({ ...listed, rarity: text.nullable(), market: price, currency: text.nullable() })),
})

const day = z.object({ date: text, market: price, low: price, high: price })
export const historyResult = result({
  cardId: text,
  period: text,
  days: z.number().describe('Days that have prices.'),
  first: price,
  last: price,
  lowest: price,
  highest: price,
  points: z.array(day).describe('Oldest first. low and high cover all days since the point before.'),
})

const change = z.looseObject({ from: price, amount: z.number().nullable(), percent: z.number().nullable() }).nullable()
const extreme = z.looseObject({ date: text, market: z.number() }).nullable()
export const changesResult = result({
  cardId: text,
  asOf: text.nullable(),
  market: price,
  changes: z.record(z.string(), change),
  high: extreme.describe('The highest market price of 365 days.'),
  low: extreme,
})

export const moversResult = result({
  ...counted,
  cards: z.array(
    z.looseObject({
      id: text,
      name: text,
      game: text,
      set: text,
      rarity: text.nullable(),
      change: z.looseObject({
        period: text,
        from: z.number(),
        to: z.number(),
        amount: z.number(),
        percent: z.number(),
      }),
    }),
  ),
})

export const setsResult = result({
  ...counted,
  sets: z.array(
    z.looseObject({ code: text, name: text, game: text, cardCount: z.number(), releaseDate: text.nullable() }),
  ),
})

const count = z.number().int()
export const condition = z.enum(['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'])
export const valueResult = result({
  notes: z
    .array(text)
    .describe('What to say before the total: guessed columns and how to call again, lines that count otherwise.'),
  columns: z
    .array(
      z.object({ column: text, field: text.nullable(), sure: z.boolean().describe('false: a guess; ask the user.') }),
    )
    .describe('How each column of a CSV was read; null changes no amount.'),
  priced: count.describe('Lines with a card and a price.'),
  unpriced: count.describe('Lines with a card whose price, or whose grade’s price, is unknown.'),
  ambiguous: count.describe('Lines that mean several cards: not in the total, see their candidates.'),
  unmatched: count.describe('Lines that match no card, or can’t be read.'),
  excluded: count.describe('Proxies, wants and other faces of cards: they count nothing.'),
  atMarket: count.describe(
    'Priced lines that name a condition without a price of its own: they count at the market price.',
  ),
  headings: count.describe('Section headings that were ignored.'),
  total: z.number().nullable().describe('Of all lines with a card and a price; null while a column is a guess.'),
  currency: text.nullable(),
  overTime: z
    .object({
      period: text,
      points: z.array(z.object({ date: text, total: z.number() })).describe('Oldest first, at market prices.'),
      counted: count.describe('Lines that the totals have.'),
      leftOut: count.describe('Lines with a card that they have not: graded, unpriced, or without a history.'),
      backfilled: count.describe('Counted lines with their first known price before its date.'),
    })
    .nullable()
    .describe('null without period, while total is null, and where the plan has no histories.'),
  lines: z.array(
    z.object({
      line: count,
      text,
      quantity: count,
      match: z.enum(['exact', 'likely', 'ambiguous', 'none', 'unreadable', 'excluded']),
      card: z.object(listed).nullable(),
      condition: condition.nullable().describe('Whose price it is; null for the market price.'),
      grade: text.nullable().describe('That the line names, such as psa_10; only its own price counts then.'),
      atMarket: z.boolean().describe('true if the line names a condition and its price is the market price.'),
      unitPrice: price,
      amount: price,
      candidates: z.array(
        z.object({
          ...listed,
          rarity: text.nullable().describe('Tells apart candidates of one name, set, number and printing.'),
          unitPrice: price,
        }),
      ),
    }),
  ),
})

/** The meanings of columns, by the column's name in the file. */
export const columns = z
  .record(z.string().max(200), z.enum(fieldNames).nullable())
  .describe(
    'What columns of the text’s CSV mean, by their names; null changes no amount. Only after a result has a guess.',
  )

/** A line of a list, given as fields. */
export const wish = z.strictObject({
  quantity: z.number().int().min(0).max(999_999).default(1),
  id: cardId.optional(),
  name: z.string().max(200).optional(),
  number: z.string().max(100).optional().describe('The collector’s number: 4, 004 and 4/102 are equal.'),
  set: set.optional(),
  game: game.optional(),
  printing: z.string().max(60).optional(),
  rarity: z.string().max(100).optional(),
  condition: z.string().max(60).optional(),
  grade: z.string().max(60).optional().describe('Such as PSA 10: only the grade’s own price counts.'),
  language: z.string().max(60).optional(),
})
