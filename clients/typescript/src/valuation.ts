/**
 * Values the lines of a list by what `match` answers, in cents. Nothing is guessed: what does not fit a line counts
 * nothing.
 */

import type { Column, ListLine, ReadList, Said } from './list.ts'
import { type Condition, isLanguageOf } from './list-words.ts'
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

/** `match` lists so many candidates at most. */
const candidatesMax = 5

interface Asked {
  /** Index of the line. */
  readonly line: number
  readonly question: MatchLine
  /** Index among the line's questions. */
  readonly round: number
}

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
  const known = lines.map((line) =>
    line.questions.length === 0 ? valuedLine(line, undefined, line.quantity) : undefined,
  )
  const valued = (): ValuedList => {
    const shown = columns.map(({ column, field, sure }) => ({ column, field, sure }))
    const these = known.flatMap((one, i) => (one === undefined ? [] : [isOtherFace(i) ? otherFace(one) : one]))
    return { ...totalsOf(these, columns), headings, columns: shown, lines: these }
  }
  /** One row a face is one card. The other face of another face is the card again. */
  const isOtherFace = (i: number): boolean => {
    const { besides } = lines[i]!
    const card = besides === undefined ? undefined : known[besides]?.card
    return card != null && card.id === known[i]?.card?.id && !isOtherFace(besides!)
  }
  const take = ({ line: i, question, round }: Asked, match: Match): void => {
    const line = lines[i]!
    const checked = withRarity(checkedMatch(match, line.said, question), line.said, question)
    const before = answers[i]
    if (before !== undefined && rankOf(checked, question) <= rankOf(before, line.questions[0]!)) return
    answers[i] = checked
    known[i] = valuedLine(line, checked, round < line.counted ? line.quantity : 1)
  }
  let open: Asked[] = lines.flatMap(({ questions: [question] }, line) =>
    question === undefined ? [] : [{ line, question, round: 0 }],
  )
  while (open.length > 0) {
    const next: Asked[] = []
    for (let from = 0; from < open.length; from += askedAtOnce) {
      const asked = open.slice(from, from + askedAtOnce)
      const takeAll = (found: readonly (Match | undefined)[]) => {
        for (const [i, match] of found.entries()) if (match !== undefined) take(asked[i]!, match)
      }
      try {
        takeAll(await ask(asked.map(({ question }) => question)))
      } catch (error) {
        const failed = error as { found?: unknown }
        if (Array.isArray(failed.found)) takeAll(failed.found)
        if (error instanceof Error) failed.found = valued()
        throw error
      }
      for (const one of asked) {
        const further = furtherQuestion(lines[one.line]!, one, answers[one.line])
        if (further !== undefined) next.push(further)
      }
      onProgress?.(lines.length - next.length - Math.max(0, open.length - from - askedAtOnce))
    }
    open = next
  }
  return valued()
}

/**
 * The next question if this one found nothing, or a name with a typo; or this one again with a rarity that tells
 * candidates apart.
 */
function furtherQuestion(
  { questions, said }: ListLine,
  { line, question, round }: Asked,
  answer: Match | undefined,
): Asked | undefined {
  const next = questions[round + 1]
  const rank = answer === undefined ? ranks.none : rankOf(answer, question)
  // What stands in brackets may be a set, and then tells the cards apart.
  const isNarrower =
    rank === ranks.ambiguous && next?.set !== undefined && question.set === undefined && question.name != null
  if (answer === undefined || rank === ranks.none || rank === ranks.typo || isNarrower) {
    return next === undefined ? undefined : { line, question: next, round: round + 1 }
  }
  if (answer.match !== 'ambiguous' || said.rarity === undefined || question.rarity !== undefined) return undefined
  const { candidates } = answer
  const same = candidates.filter(({ rarity }) => isRarity(rarity, said.rarity!))
  if (same.length === 0 || (same.length === candidates.length && candidates.length < candidatesMax)) return undefined
  return { line, question: { ...question, rarity: same[0]!.rarity! }, round }
}

const ranks = { none: 0, ambiguous: 1, typo: 2, found: 3 } as const

function rankOf({ match, card }: Match, { name }: MatchLine): number {
  if (card === null) return match === 'ambiguous' ? ranks.ambiguous : ranks.none
  const isOwn = match === 'exact' || name == null || isNamed(card.name, name)
  return isOwn ? ranks.found : ranks.typo
}

/** True for a card's name, up to what stands in brackets at its end, or the name of one of its faces. */
function isNamed(own: string, name: string): boolean {
  const asked = folded(withoutBrackets(name))
  return [own, ...own.split('//')].some(
    (part) => folded(withoutBrackets(part)) === asked || folded(part) === folded(name),
  )
}

/** All of them at the end. */
const withoutBrackets = (name: string): string => {
  const at = name.search(/[([]/)
  return at > 0 && /[)\]]$/.test(name.trimEnd()) ? name.slice(0, at) : name
}

/**
 * The only candidate of the line's rarity, if all candidates are known. One that lacks a marker of the line stays a
 * candidate.
 */
function withRarity(match: Match, said: Said, { name }: MatchLine): Match {
  const { candidates } = match
  const { rarity } = said
  if (match.match !== 'ambiguous' || rarity === undefined) return match
  if (candidates.length < 2 || candidates.length >= candidatesMax) return match
  const same = candidates.filter((card) => isRarity(card.rarity, rarity))
  const [card] = same
  if (card === undefined || same.length > 1 || !fits(card, said)) return match
  const markers = name?.slice(withoutBrackets(name).length) ?? ''
  return folded(card.name + card.printing).includes(folded(markers)) ? { match: 'likely', card, candidates: [] } : match
}

/** Programs write `Super Rare`, `super rare`, or `SR`. */
function isRarity(own: string | null, rarity: string): boolean {
  if (own === null) return false
  const initials = own.split(/[^\p{L}\p{N}]+/u).map((word) => word.slice(0, 1))
  return [folded(own), folded(initials.join(''))].includes(folded(rarity))
}

/** The line as the other face of a card that an earlier line has. */
export const otherFace = (line: ValuedLine): ValuedLine => ({
  ...line,
  ...noPrice,
  match: 'excluded',
  card: null,
  candidates: [],
})

/**
 * A card that differs from the line in what `match` did not compare is a candidate at most. An id says which set it
 * is, though the list may call the set otherwise.
 */
function checkedMatch(match: Match, said: Said, { name }: MatchLine): Match {
  const compared = name == null ? { ...said, set: undefined } : said
  if (match.card === null || fits(match.card, compared)) return match
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

function valuedLine(listed: ListLine, match: Match | undefined, quantity: number): ValuedLine {
  const { line, text, questions, isExcluded } = listed
  const card = match?.card ?? null
  return {
    line,
    text,
    quantity,
    match: isExcluded ? 'excluded' : questions.length === 0 ? 'unreadable' : match!.match,
    card,
    ...priceOf(card, listed, quantity),
    candidates: match?.candidates ?? [],
  }
}

export type Price = Pick<ValuedLine, 'condition' | 'grade' | 'atMarket' | 'unitPrice' | 'amount'>

const noPrice = { condition: null, atMarket: false, unitPrice: null, amount: null } as const

/**
 * The price of a line's grade; else that of its condition, else the card's market price. @param quantity of the valued
 * line
 */
export function priceOf(
  card: ExtendedCard | null,
  {
    quantity: listed,
    condition,
    namesCondition,
    grade,
  }: Pick<ListLine, 'quantity' | 'condition' | 'namesCondition' | 'grade'>,
  quantity: number = listed,
): Price {
  const { conditions = {}, graded = {}, market = null } = card?.prices ?? {}
  const own =
    grade === undefined && condition !== undefined && Object.hasOwn(conditions, condition)
      ? conditions[condition]
      : undefined
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
