/** What a page shows of valued lines: the candidates in the order of nearness, the chosen cards, and their CSV. */
import type { Dataset } from '../../api/dataset.ts'
import { csvField } from '../../catalog/card-fields.ts'
import type { ListLine } from '../../lists/match-questions.ts'
import { ownColumns } from '../../lists/own-csv.ts'
import { priceOf } from '../../lists/prices.ts'
import type { ValuedLine } from '../../lists/values.ts'
import type { Card } from '../cards/card-data.ts'
import type { Choices, Pick } from './list-form.ts'
import { nearestFirst } from './nearest.ts'

/** A line with all that a page needs to show it. */
export interface ShownLine {
  /** The key of the line, which is unique in its list. */
  readonly key: string
  readonly listed: ListLine
  /** If the line is ambiguous, this has the chosen card, and the candidates in the order of nearness. */
  readonly valued: ValuedLine<Card>
  /**
   * The line's amount in our own CSV, in cents; undefined if the CSV is not ours or has another currency than the data.
   */
  readonly thenCents: number | undefined
  /** If the line is ambiguous, the candidate that each pick chooses. `newest` is the candidate of the newest set. */
  readonly picked: Readonly<Record<Pick, Card | undefined>>
}

/**
 * Returns a function that makes a ShownLine. Call it with the values of the lines in their order.
 * @param currency the currency in about.json
 */
export function showing(
  { catalog }: Dataset,
  lines: readonly ListLine[],
  choices: Choices,
  currency = '',
): (valued: ValuedLine<Card>) => ShownLine {
  const keyOf = lineKeys()
  let at = 0
  return (valued) => {
    const listed = lines[at++]!
    const key = keyOf(valued)
    const thenCents = listed.former?.currency === currency ? listed.former.cents : undefined
    if (valued.match !== 'ambiguous') return { key, listed, valued, thenCents, picked: nonePicked }
    return chosen(catalog, { key, listed, valued, thenCents }, choices)
  }
}

/**
 * Returns a function that makes the lines' keys. A row of a CSV with two counts becomes two lines with the same number,
 * so the second line gets its own key.
 */
function lineKeys(): (line: ValuedLine) => string {
  let [before, same] = [0, 0]
  return ({ line }) => {
    same = line === before ? same + 1 : 1
    before = line
    return same === 1 ? `${line}` : `${line}-${same}`
  }
}

const nonePicked = { cheapest: undefined, newest: undefined }

function chosen(
  catalog: Dataset['catalog'],
  { valued, ...line }: Omit<ShownLine, 'picked'>,
  { byLine, pick }: Choices,
): ShownLine {
  const { key, listed } = line
  const candidates = nearestFirst(valued.candidates, listed)
  const picked = {
    cheapest: leastOf(
      candidates,
      (card) => priceOf(card, listed, valued.quantity).unitPrice ?? Number.POSITIVE_INFINITY,
    ),
    // A card's number is its place in the order of equal results, which begins with the newest set.
    newest: leastOf(candidates, ({ id }) => catalog.find(id)),
  }
  const id = byLine.get(key)
  const own = candidates.find((candidate) => candidate.id === id)
  const card = pick === undefined ? own : (picked[pick] ?? own)
  const price = card === undefined ? {} : { card, ...priceOf(card, listed, valued.quantity) }
  return { ...line, valued: { ...valued, candidates, ...price }, picked }
}

/** Returns the card with the smallest value; undefined if no card has a finite value. */
function leastOf(cards: readonly Card[], measure: (card: Card) => number): Card | undefined {
  let least: Card | undefined
  let value = Number.POSITIVE_INFINITY
  for (const card of cards) {
    const own = measure(card)
    if (own < value) [least, value] = [card, own]
  }
  return least
}

/** The first row begins with a byte order mark. Without one, Excel reads UTF-8 as the Windows encoding. */
export const csvHead = `\ufeff${Object.keys(ownColumns).join(',')}`

/** Returns a line of CSV (RFC 4180). A spreadsheet that opens it runs no formula. */
export const csvRow = ({ listed, valued }: ShownLine): string =>
  `${valued.line},${valued.quantity},${csvOfCard(listed, valued)},${csvText(valued.text)}`

/** Returns the cells that depend on the card. Without a card, they contain what the line says. */
export function csvOfCard(
  { questions: [said = {}], ...listed }: ListLine,
  { card, condition, grade, unitPrice, amount, match }: ValuedLine,
): string {
  const { name, set, number, printing, rarity } = card ?? said
  const state = card === null ? (listed.grade ?? listed.condition) : (grade ?? condition)
  const cells = [
    ...[name, set, number, printing, rarity, state].map(csvText),
    unitPrice?.toFixed(2) ?? '',
    amount?.toFixed(2) ?? '',
    ...[card?.currency, match, card?.id].map(csvText),
  ]
  return cells.join(',')
}

export const csvText = (text: string | null | undefined): string => csvField(text ?? '')
