/**
 * Reads a list, and values it by the version that the pages show. It works in short turns, because other requests wait.
 */
import { type ListLine, type ReadList, type ReadOptions, readList } from '../../clients/typescript/src/list.ts'
import type { ExtendedCard } from '../../clients/typescript/src/types.ts'
import {
  otherFace,
  priceOf,
  type Totals,
  totalsOf,
  type ValuedLine,
  valueLines,
} from '../../clients/typescript/src/valuation.ts'
import type { Dataset } from '../api/dataset.ts'
import { csvField } from '../catalog/card-fields.ts'
import { lineCandidatesMax, matchCandidatesMax } from '../limits.ts'
import { matchOf } from './card-data.ts'
import { nearestFirst } from './nearest.ts'
import type { Turns } from './turns.ts'

/** How many lines are valued at a time. */
const atOnce = 20

/**
 * Reads the lines of a list. Undefined if there are more than `max`. Throws a TypeError for a column that the list does
 * not have.
 */
export async function linesIn(
  text: string,
  options: ReadOptions,
  max: number,
  turns: Turns,
): Promise<ReadList | undefined> {
  const steps = readList(text, options)
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) {
    if (step.value > max) return undefined
    await turns.pause()
  }
  return step.value.lines.length > max ? undefined : step.value
}

/** Each choice picks one candidate for all ambiguous lines. */
export const picks = ['cheapest', 'newest'] as const
export type Pick = (typeof picks)[number]

export interface Choices {
  /** For each line, by its key, the id of the candidate that the person means. */
  readonly byLine: ReadonlyMap<string, string>
  /** The pick for all lines. It overrides `byLine` in each line for which it finds a card. */
  readonly pick: Pick | undefined
}

/** A line with all that a page needs to show it. */
export interface ShownLine {
  /** The key by which the line differs from all other lines of the list. */
  readonly key: string
  readonly listed: ListLine
  /** If the line is ambiguous, this has the chosen card, and the candidates in the order of nearness. */
  readonly valued: ValuedLine
  /** If the line is ambiguous, the candidate of each pick. The newest candidate is that of the newest set. */
  readonly picked: Readonly<Record<Pick, ExtendedCard | undefined>>
}

/** Values the lines in batches, in their order. */
export async function* valuedIn(
  data: Dataset,
  { lines }: ReadList,
  choices: Choices,
  turns: Turns,
): AsyncGenerator<readonly ShownLine[]> {
  const keyOf = lineKeys()
  /** For each line, the id of its card. A line that is another face of an earlier line's card has none. */
  const cardIds: (string | undefined)[] = []
  for (let from = 0; from < lines.length; from += atOnce) {
    const some = lines.slice(from, from + atOnce)
    const { valued, candidatesOf } = await valuedOf(data, some, turns)
    const shown: ShownLine[] = []
    for (const [i, line] of valued.entries()) {
      const listed = some[i]!
      const id = line.card?.id
      const isOtherFace = id !== undefined && listed.besides !== undefined && cardIds[listed.besides] === id
      cardIds.push(isOtherFace ? undefined : id)
      const one = isOtherFace ? otherFace(line) : { ...line, candidates: nearestFirst(candidatesOf(line), listed) }
      shown.push(shownLine(data, { key: keyOf(line), listed, valued: one }, choices))
      await turns.pause()
    }
    yield shown
  }
}

/** Values the lines as the client does, with as many candidates as the client gets. The page has further candidates. */
async function valuedOf(data: Dataset, lines: readonly ListLine[], turns: Turns) {
  const all = new WeakMap<readonly ExtendedCard[], readonly ExtendedCard[]>()
  // Two lines that may be faces of one card may be in different batches. So they are compared after this.
  const single = lines.map((line) => (line.besides === undefined ? line : { ...line, besides: undefined }))
  const { lines: valued } = await valueLines({ lines: single, columns: [], headings: 0 }, async (questions) => {
    const matches = []
    for (const question of questions) {
      const match = matchOf(data, question, lineCandidatesMax)
      const candidates = match.candidates.slice(0, matchCandidatesMax)
      all.set(candidates, match.candidates)
      matches.push({ ...match, candidates })
      await turns.pause()
    }
    return matches
  })
  return { valued, candidatesOf: ({ candidates }: ValuedLine) => all.get(candidates) ?? candidates }
}

/** A row of a CSV with two counts becomes two lines with one number, so the second gets its own key. */
function lineKeys(): (line: ValuedLine) => string {
  let [before, same] = [0, 0]
  return ({ line }) => {
    same = line === before ? same + 1 : 1
    before = line
    return same === 1 ? `${line}` : `${line}-${same}`
  }
}

const nonePicked = { cheapest: undefined, newest: undefined }

function shownLine(
  data: Dataset,
  { key, listed, valued }: Omit<ShownLine, 'picked'>,
  { byLine, pick }: Choices,
): ShownLine {
  if (valued.match !== 'ambiguous') return { key, listed, valued, picked: nonePicked }
  const { candidates } = valued
  const picked = {
    cheapest: leastOf(
      candidates,
      (card) => priceOf(card, listed, valued.quantity).unitPrice ?? Number.POSITIVE_INFINITY,
    ),
    // A card's number is its place in the order of equal results, which begins with the newest set.
    newest: leastOf(candidates, ({ id }) => data.catalog.find(id)),
  }
  const id = byLine.get(key)
  const chosen = candidates.find((candidate) => candidate.id === id)
  const card = pick === undefined ? chosen : (picked[pick] ?? chosen)
  const price = card === undefined ? {} : { card, ...priceOf(card, listed, valued.quantity) }
  return { key, listed, valued: { ...valued, ...price }, picked }
}

/** The card with the smallest value. Undefined if no card has a finite value. */
function leastOf(cards: readonly ExtendedCard[], measure: (card: ExtendedCard) => number): ExtendedCard | undefined {
  let least: ExtendedCard | undefined
  let value = Number.POSITIVE_INFINITY
  for (const card of cards) {
    const own = measure(card)
    if (own < value) [least, value] = [card, own]
  }
  return least
}

const noCounts = { priced: 0, unpriced: 0, ambiguous: 0, unmatched: 0, excluded: 0, atMarket: 0 }
const countNames = Object.keys(noCounts) as (keyof typeof noCounts)[]

/** Adds up the totals of a list, batch by batch. */
export class RunningTotals {
  readonly #columns: ReadList['columns']
  #cents = 0
  readonly #counts = { ...noCounts }
  #currency: string | null = null

  constructor({ columns }: ReadList) {
    this.#columns = columns
  }

  add(lines: readonly ShownLine[]): void {
    const totals = totalsOf(
      lines.map(({ valued }) => valued),
      [],
    )
    this.#cents += Math.round(totals.total! * 100)
    this.#currency ??= totals.currency
    for (const name of countNames) this.#counts[name] += totals[name]
  }

  get totals(): Totals {
    const isSure = this.#columns.every(({ sure }) => sure)
    return { currency: this.#currency, total: isSure ? this.#cents / 100 : null, ...this.#counts }
  }
}

/** The head begins with a byte order mark. Without one, Excel reads UTF-8 as the Windows encoding. */
export const csvHead = '\ufeffline,quantity,name,set,number,printing,condition,unit price,amount,currency,match,id,text'

/** A line of RFC 4180. A spreadsheet that opens it runs nothing in it. */
export const csvRow = (valued: ValuedLine): string =>
  `${valued.line},${valued.quantity},${csvOfCard(valued)},${csvText(valued.text)}`

/** The cells that depend on the card. */
export function csvOfCard({ card, condition, grade, unitPrice, amount, match }: ValuedLine): string {
  const cells = [
    ...[card?.name, card?.set, card?.number, card?.printing, card && (grade ?? condition)].map(csvText),
    unitPrice?.toFixed(2) ?? '',
    amount?.toFixed(2) ?? '',
    ...[card?.currency, match, card?.id].map(csvText),
  ]
  return cells.join(',')
}

export const csvText = (text: string | null | undefined): string => csvField(text ?? '')
