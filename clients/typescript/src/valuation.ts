/** Values the lines of a list by what `match` answers, in cents. Nothing is guessed: what does not fit a line counts nothing. */

import type { Column, ListLine, ReadList, Said } from './list.ts'
import { type Condition, isLanguageOf } from './list-columns.ts'
import type { ExtendedCard, Match, MatchLine } from './types.ts'

export interface ValuedLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly quantity: number
  /** `unreadable`: the line has no name and no id, or its quantity is no number. `excluded`: a proxy or a want. */
  readonly match: Match['match'] | 'unreadable' | 'excluded'
  readonly card: ExtendedCard | null
  /** Whose price this is; null if it is the market price. */
  readonly condition: Condition | null
  /** That the line names, as a key of `graded`: `psa_10`. Only the grade's own price counts then. */
  readonly grade: string | null
  /** True if the line names a condition and its price is the market price. */
  readonly atMarket: boolean
  /** Null if it is unknown. */
  readonly unitPrice: number | null
  readonly amount: number | null
  /** Cards that the line may mean, if it is ambiguous. */
  readonly candidates: readonly ExtendedCard[]
}

export interface Totals {
  /** Of the data; null if it is unknown. */
  readonly currency: string | null
  /** Of all priced lines; null until the columns of a CSV are sure. */
  readonly total: number | null
  /** Counts of lines; `unmatched` has the unreadable ones. */
  readonly priced: number
  readonly unpriced: number
  readonly ambiguous: number
  readonly unmatched: number
  /** Proxies and wants. */
  readonly excluded: number
  /** Priced lines that name a condition and count at the market price. */
  readonly atMarket: number
}

export interface ValuedList extends Totals {
  /** Section headings that were passed over. */
  readonly headings: number
  /** Of a CSV with a header: how each was read. */
  readonly columns: readonly Column[]
  readonly lines: readonly ValuedLine[]
}

/** Asks `match`. If it throws an error with an array `found`, these are the answers so far. */
export type Ask = (questions: readonly MatchLine[]) => Promise<readonly Match[]>

/** Lines of four requests, which the client sends at a time. */
const askedAtOnce = 80

const ranks = { exact: 2, likely: 2, ambiguous: 1, none: 0 } as const

/**
 * Throws what `ask` throws, with the lines valued so far in its `found`.
 * @param onProgress gets the number of lines that need no further question
 */
export async function valueLines(
  { lines, columns, headings }: ReadList,
  ask: Ask,
  onProgress?: (done: number) => void,
): Promise<ValuedList> {
  const answers = new Array<Match | undefined>(lines.length)
  /** A line that was not asked for yet has no place here, so that an error has the others. */
  const known = lines.map((line) => (line.questions.length === 0 ? valuedLine(line, undefined) : undefined))
  const valued = (): ValuedList => {
    const shown = columns.map(({ column, field, sure }) => ({ column, field, sure }))
    const these = known.filter((line) => line !== undefined)
    return { ...totalsOf(these, columns), headings, columns: shown, lines: these }
  }
  const take = (asked: readonly number[], found: readonly (Match | undefined)[]): void => {
    for (const [i, match] of found.entries()) {
      const line = asked[i]!
      if (match === undefined) continue
      const checked = checkedMatch(match, lines[line]!.said)
      const before = answers[line]
      if (before !== undefined && ranks[checked.match] <= ranks[before.match]) continue
      answers[line] = checked
      known[line] = valuedLine(lines[line]!, checked)
    }
  }
  let open = lines.flatMap(({ questions }, i) => (questions.length > 0 ? [i] : []))
  for (let round = 0; open.length > 0; round++) {
    const next: number[] = []
    for (let from = 0; from < open.length; from += askedAtOnce) {
      const asked = open.slice(from, from + askedAtOnce)
      try {
        take(asked, await ask(asked.map((i) => lines[i]!.questions[round]!)))
      } catch (error) {
        const failed = error as { found?: unknown }
        if (Array.isArray(failed.found)) take(asked, failed.found)
        if (error instanceof Error) failed.found = valued()
        throw error
      }
      for (const i of asked) if (lines[i]!.questions.length > round + 1 && isOpen(lines[i]!, answers[i])) next.push(i)
      onProgress?.(lines.length - next.length - Math.max(0, open.length - from - askedAtOnce))
    }
    open = next
  }
  return valued()
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

function valuedLine(listed: ListLine, match: Match | undefined): ValuedLine {
  const { line, text, quantity, questions, isExcluded } = listed
  const card = match?.card ?? null
  return {
    ...{ line, text, quantity, card },
    match: isExcluded ? 'excluded' : questions.length === 0 ? 'unreadable' : match!.match,
    ...priceOf(card, listed),
    candidates: match?.candidates ?? [],
  }
}

export type Price = Pick<ValuedLine, 'condition' | 'grade' | 'atMarket' | 'unitPrice' | 'amount'>

/** The price of a line's grade; else that of its condition, else the card's market price. */
export function priceOf(
  card: ExtendedCard | null,
  { quantity, condition, namesCondition, grade }: Pick<ListLine, 'quantity' | 'condition' | 'namesCondition' | 'grade'>,
): Price {
  const { conditions = {}, graded = {}, market = null } = card?.prices ?? {}
  const own = grade === undefined && condition !== undefined ? conditions[condition] : undefined
  const unitPrice = grade === undefined ? (own ?? market) : Object.hasOwn(graded, grade) ? graded[grade]! : null
  return {
    condition: own === undefined ? null : condition!,
    grade: grade ?? null,
    atMarket: grade === undefined && own === undefined && namesCondition && unitPrice !== null,
    unitPrice,
    amount: unitPrice === null ? null : (Math.round(unitPrice * 100) * quantity) / 100,
  }
}

/** @param columns of the list: while one is unsure, the total is null */
export function totalsOf(lines: readonly ValuedLine[], columns: readonly Column[]): Totals {
  const counts = { priced: 0, unpriced: 0, ambiguous: 0, unmatched: 0, excluded: 0, atMarket: 0 }
  let cents = 0
  let currency: string | null = null
  for (const { match, card, amount, atMarket, candidates } of lines) {
    currency ??= card?.currency ?? candidates[0]?.currency ?? null
    if (match === 'excluded') counts.excluded++
    else if (card === null) counts[match === 'ambiguous' ? 'ambiguous' : 'unmatched']++
    else if (amount === null) counts.unpriced++
    else {
      counts.priced++
      if (atMarket) counts.atMarket++
      cents += Math.round(amount * 100)
    }
  }
  return { currency, total: columns.every(({ sure }) => sure) ? cents / 100 : null, ...counts }
}
