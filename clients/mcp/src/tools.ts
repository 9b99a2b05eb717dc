/** The tools, in one table: description, input, output, and the API call. */
import * as z from 'zod'
import type { CardPrices } from '../../typescript/src/index.ts'
import { pointsMax, pointsOf, summaryOf } from './history-points.ts'
import * as schema from './schemas.ts'
import { valueList } from './value-list.ts'

export interface Tool {
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Calls the API. Returns the output without the quota. */
  readonly run: (prices: CardPrices, given: never, signal: AbortSignal) => Promise<object>
}

/** Checks that `run` fits the types of the input and the output. */
const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(row: {
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly run: (
    prices: CardPrices,
    given: z.output<Input>,
    signal: AbortSignal,
  ) => Promise<Omit<z.input<Output>, 'quota'>>
}): Tool => row

const traders = 'The account needs the plan Trader or Business. Costs one request.'
/** The most characters of a list's text. */
const listCharsMax = 500_000
const linesMax = 5000

export const tools: Readonly<Record<string, Tool>> = {
  search_cards: tool({
    title: 'Search cards',
    description:
      'Finds trading cards by name, and by words of their set or their number besides, with market prices. Use it first ' +
      'whenever you have a name and no id. A name has many printings: say which one you mean, or ask. Costs one request.',
    input: z.strictObject({
      query: z.string().min(1).max(200).describe('Words of the name, such as charizard, or charizard base set.'),
      game: schema.game.optional(),
      set: schema.set.optional(),
      rarity: z.string().max(200).optional().describe('The whole name of a rarity.'),
      number: z.string().max(32).optional().describe('The collector’s number, such as 4/102.'),
      printing: z.string().max(60).optional().describe('The whole name of a printing, such as Holofoil.'),
      min_price: z.number().min(0).optional(),
      max_price: z.number().min(0).optional(),
      sort: z.enum(['relevance', 'price', '-price', 'name', 'newest']).default('relevance'),
      limit: schema.limitOf(10),
      offset: schema.offset,
    }),
    output: schema.cardsResult,
    run: async (prices, { query, ...given }, signal) => {
      const { data, total, offset } = await prices.search({ q: query, ...given, view: 'extended', signal })
      const cards = data.map(({ id, name, game, set, number, printing, rarity, currency, prices: { market } }) => ({
        id,
        name,
        game,
        set,
        number,
        printing,
        rarity,
        market,
        currency,
      }))
      return { total, offset, cards }
    },
  }),

  get_card: tool({
    title: 'Get a card',
    description:
      'All prices of one card by its id: market, low, mid, high, by condition, by grade and at other markets. Use it after ' +
      'search_cards, or if the user gives an id. Costs one request.',
    input: z.strictObject({ id: schema.cardId }),
    output: schema.cardResult,
    run: async (prices, { id }, signal) => ({ card: await prices.card(id, { view: 'extended', signal }) }),
  }),

  price_history: tool({
    title: 'Price history',
    description:
      `A card’s daily prices over a period, as at most ${pointsMax} points. Use it for a course or a chart; price_changes ` +
      `answers how much a price rose or fell. ${traders}`,
    input: z.strictObject({ id: schema.cardId, period: schema.historyPeriod.default('1y') }),
    output: schema.historyResult,
    run: async (prices, { id, period }, signal) => {
      const { cardId, history } = await prices.history(id, { period, signal })
      return { cardId, period, ...summaryOf(history), points: pointsOf(history) }
    },
  }),

  price_changes: tool({
    title: 'Price changes',
    description:
      'How much one card’s market price rose or fell over 1, 7, 30, 90 and 365 days, and the year’s high and low. Use it for ' +
      `questions such as “is it a good time to sell?”. ${traders}`,
    input: z.strictObject({ id: schema.cardId }),
    output: schema.changesResult,
    run: (prices, { id }, signal) => prices.changes(id, { signal }),
  }),

  movers: tool({
    title: 'What moved',
    description:
      'The cards whose prices rose or fell most over a period, of a game, a set or all. Use it for “what moved this week?”. ' +
      traders,
    input: z.strictObject({
      game: schema.game.optional(),
      set: schema.set.optional(),
      period: schema.changePeriod.default('7d'),
      direction: z.enum(['up', 'down']).default('up'),
      by: z.enum(['percent', 'amount']).default('percent'),
      min_price: z
        .number()
        .min(0)
        .optional()
        .describe('Leaves out cards below this price, before or after: 1 if not given.'),
      limit: schema.limitOf(10),
      offset: schema.offset,
    }),
    output: schema.moversResult,
    run: async (prices, given, signal) => {
      const { data, total, offset } = await prices.movers({ ...given, signal })
      return { total, offset, cards: data }
    },
  }),

  list_sets: tool({
    title: 'List sets',
    description:
      'The sets of a game with code, release date and how many cards they have, newest first; with query those whose name ' +
      'or code matches. Use it if you need a set’s code, or to see what is new. Costs one request.',
    input: z.strictObject({
      query: z.string().min(1).max(200).optional(),
      game: schema.game.optional(),
      limit: schema.limitOf(20),
      offset: schema.offset,
    }),
    output: schema.setsResult,
    run: async (prices, { query, ...given }, signal) => {
      const { data, total, offset } = await prices.sets({
        ...given,
        ...(query === undefined ? {} : { q: query }),
        signal,
      })
      return { total, offset, sets: data }
    },
  }),

  value_list: tool({
    title: 'Value a list',
    description:
      'What a list of cards is worth: each line’s card, unit price (market, or that of its condition) and amount, and the sum. ' +
      'Use it for collections, decks, stock lists and trades. Give the list as text, as the user wrote it or a program ' +
      'exported it (a CSV with a header, a deck list, lines such as “4 Charizard 4/102 Base Set”, or ids), or as lines if ' +
      'you can tell name, set and number apart. A line that means several cards is ambiguous and not in the total: show its ' +
      'candidates and ask; never choose. Say the notes before the total: where a column’s meaning is a guess, the total is null ' +
      'until you call again with columns. Costs one request for each 20 lines, and another one for those that their id or set ' +
      `code does not find; if too few are left, it stops before it begins. With period, overTime has the list’s worth over it ` +
      `as at most ${pointsMax} points, for one request more for each 20 different cards; plan Trader or Business.`,
    input: z
      .strictObject({
        text: z.string().max(listCharsMax).optional(),
        lines: z.array(schema.wish).max(linesMax).optional(),
        game: schema.game.optional().describe('Of all lines that name none.'),
        condition: schema.condition.optional().describe('Of all lines that name none; without it, the market price.'),
        columns: schema.columns.optional(),
        period: schema.historyPeriod.optional().describe('For “what was it worth?”, “did it rise?”.'),
      })
      .refine(
        ({ text = '', lines = [] }) => text.trim() !== '' || lines.length > 0,
        'text or lines must have the list',
      ),
    output: schema.valueResult,
    run: (prices, { text = '', lines = [], game, condition, columns, period }, signal) =>
      valueList(prices, { text, lines, game, condition, columns, period }, signal),
  }),
}
