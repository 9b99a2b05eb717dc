/** Values the lines of a list by what `match` answers, in cents. Nothing is guessed: what does not fit a line counts nothing. */

import type { ListLine, ListReader, Said } from './list.ts'
import { type Condition, isLanguageOf } from './list-columns.ts'
import type { ExtendedCard, Match, MatchLine } from './types.ts'

export interface ValuedLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /** `unreadable`: the line has no name and no id, or its quantity is no number. */
  readonly match: Match['match'] | 'unreadable'
  readonly card: ExtendedCard | null
  /** Whose price this is; null if it is the market price. */
  readonly condition: Condition | null
  /** Null if it is unknown. */
  readonly unitPrice: number | null
  readonly amount: number | null
  /** Cards that the line may mean, if it is ambiguous. */
  readonly candidates: readonly ExtendedCard[]
}

export interface Totals {
  /** Of the data; null if it is unknown. */
  readonly currency: string | null
  /** Of all priced lines. */
  readonly total: number
  /** Counts of lines; `unmatched` has the unreadable ones. */
  readonly priced: number
  readonly unpriced: number
  readonly ambiguous: number
  readonly unmatched: number
}

export interface ValuedList extends Totals {
  /** Section headings that were passed over. */
  readonly headings: number
  /** Columns of a CSV that nothing was read of. */
  readonly ignoredColumns: readonly string[]
  readonly lines: readonly ValuedLine[]
}

/** Asks `match`. If it throws an error with an array `found`, these are the answers so far. */
export type Ask = (questions: readonly MatchLine[]) => Promise<readonly Match[]>

const ranks = { exact: 2, likely: 2, ambiguous: 1, none: 0 } as const

/** Throws what `ask` throws, with the lines valued so far in its `found`. */
export async function valueLines(
  lines: readonly ListLine[],
  { headings, ignoredColumns }: Pick<ListReader, 'headings' | 'ignoredColumns'>,
  ask: Ask,
): Promise<ValuedList> {
  const answers = new Array<Match | undefined>(lines.length)
  const valued = (): ValuedList => {
    const known = lines.flatMap((line, i) =>
      answers[i] === undefined && line.questions.length > 0 ? [] : [valuedLine(line, answers[i])],
    )
    return { ...totalsOf(known), headings, ignoredColumns, lines: known }
  }
  for (let round = 0; ; round++) {
    const open = lines.flatMap((line, i) => (line.questions.length > round && isOpen(line, answers[i]) ? [i] : []))
    if (open.length === 0) return valued()
    const take = (found: readonly (Match | undefined)[]) => {
      for (const [at, match] of found.entries()) {
        const line = open[at]!
        if (match === undefined) continue
        const checked = checkedMatch(match, lines[line]!.said)
        const before = answers[line]
        if (before === undefined || ranks[checked.match] > ranks[before.match]) answers[line] = checked
      }
    }
    try {
      take(await ask(open.map((i) => lines[i]!.questions[round]!)))
    } catch (error) {
      const failed = error as { found?: unknown }
      if (Array.isArray(failed.found)) take(failed.found)
      if (error instanceof Error) failed.found = valued()
      throw error
    }
  }
}

const isOpen = ({ isTyped }: ListLine, answer: Match | undefined): boolean =>
  answer === undefined || answer.match === 'none' || (answer.match === 'ambiguous' && isTyped)

/** A card that differs from the line in what `match` did not compare is a candidate at most. */
function checkedMatch(match: Match, said: Said): Match {
  if (match.card === null || fits(match.card, said)) return match
  return { match: 'ambiguous', card: null, candidates: [match.card] }
}

/** Of a card whose printing is unknown. */
const foilInName = /[([]([^()[\]]*(?:foil|etched))[)\]]$/i

function fits(card: ExtendedCard, { scryfallId, tcgplayerId, set, setCode, language, not }: Said): boolean {
  if (scryfallId !== undefined && card.scryfallId !== null && card.scryfallId !== scryfallId) return false
  if (tcgplayerId !== undefined && card.tcgplayerId !== null && String(card.tcgplayerId) !== tcgplayerId) return false
  if (language !== undefined && !isLanguageOf(language, card.game)) return false
  if (set !== undefined && setCode !== undefined && !isSet(card, set, setCode)) return false
  const printing = (card.printing ?? foilInName.exec(card.name)?.[1] ?? 'normal').toLowerCase()
  if (not === 'normal') return printing === 'normal'
  return not === undefined || !/foil|etched/.test(printing) || /^(?:1st edition |unlimited )?holofoil$/.test(printing)
}

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Where a set has the line's code or its whole name, with or without a publisher's prefix. */
function isSet(card: ExtendedCard, set: string, setCode: string): boolean {
  const [own, named] = [folded(card.set), folded(set)]
  return folded(card.setCode) === folded(setCode) || own.endsWith(named) || named.endsWith(own)
}

function valuedLine({ line, text, quantity, questions, condition }: ListLine, match: Match | undefined): ValuedLine {
  const card = match?.card ?? null
  return {
    ...{ line, text, quantity, match: questions.length === 0 ? 'unreadable' : match!.match, card },
    ...priceOf(card, quantity, condition),
    candidates: match?.candidates ?? [],
  }
}

type Price = Pick<ValuedLine, 'condition' | 'unitPrice' | 'amount'>

/** The card's price in that condition, else its market price. */
export function priceOf(card: ExtendedCard | null, quantity: number, condition: Condition | undefined | null): Price {
  const own = condition == null ? undefined : card?.prices.conditions[condition]
  const unitPrice = own ?? card?.prices.market ?? null
  const amount = unitPrice === null ? null : (Math.round(unitPrice * 100) * quantity) / 100
  return { condition: own === undefined ? null : condition!, unitPrice, amount }
}

export function totalsOf(lines: readonly ValuedLine[]): Totals {
  const counts = { priced: 0, unpriced: 0, ambiguous: 0, unmatched: 0 }
  let cents = 0
  let currency: string | null = null
  for (const { match, card, amount, candidates } of lines) {
    currency ??= card?.currency ?? candidates[0]?.currency ?? null
    if (card === null) counts[match === 'ambiguous' ? 'ambiguous' : 'unmatched']++
    else if (amount === null) counts.unpriced++
    else {
      counts.priced++
      cents += Math.round(amount * 100)
    }
  }
  return { currency, total: cents / 100, ...counts }
}
