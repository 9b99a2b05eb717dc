/**
 * `report.json`: what changed from the version that was current at the build. Servers do not load it. Prices are market
 * prices. Cards are in the order of equal search results. A list has its first items, and the number of all items.
 *
 *   { "base": { "version": …, "asOf": … }, "games": […], "newCards": { "count": 57, "first": […] }, …,
 *     "up": […], "down": […] }
 *   { "base": null, "reason": "first" }
 */
import assert from 'node:assert/strict'
import * as v from 'valibot'
import { slugForm } from '../games.ts'
import { gamesMax, idCharsMax, priceCentsMax } from '../limits.ts'
import { IndexError } from './format.ts'
import { readFileOf, reportOf } from './load.ts'
import { dateSchema, isVersionName, type Manifest, reportBytesMax, reportName } from './manifest.ts'

/** The most cards or sets of a list. */
export const reportListMax = 50
/** The most moves up in a report. The same bound holds for moves down. */
export const reportMovesMax = 10
/** The most characters of a name or a number. */
export const reportTextCharsMax = 150

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const text = v.pipe(v.string(), v.maxLength(reportTextCharsMax))
const price = v.pipe(v.number(), v.minValue(0), v.maxValue(priceCentsMax / 100))
const game = v.pipe(v.string(), v.regex(slugForm))

/** `set` is the set's name. */
const card = v.object({
  id: v.pipe(v.string(), v.maxLength(idCharsMax)),
  name: text,
  set: text,
  number: v.nullable(text),
})
const pricedCard = v.object({ ...card.entries, price: v.nullable(price) })
const unpricedCard = v.object({ ...card.entries, before: price })
/** `percent` has one decimal. */
const move = v.object({ ...card.entries, before: price, price, percent: v.pipe(v.number(), v.finite()) })

const listed = <Item extends v.GenericSchema>(item: Item) =>
  v.object({ count, first: v.pipe(v.array(item), v.maxLength(reportListMax)) })
const moves = v.pipe(v.array(move), v.maxLength(reportMovesMax))

/** The reasons why a report has no comparison. */
export const reasons = {
  first: 'no version was current before it',
  unreadable: 'the version that was current before it could not be read, or has another format',
  same: 'it was built again over itself',
} as const
const reasonNames = Object.keys(reasons) as (keyof typeof reasons)[]

/** The reason why a version has no report. */
export const noReport = 'another release built or downloaded it'

const comparison = v.object({
  base: v.object({ version: v.pipe(v.string(), v.check(isVersionName)), asOf: v.nullable(dateSchema) }),
  /**
   * The games with cards in either version. `changed` counts the cards in both versions whose price differs, or is
   * known in only one of them.
   */
  games: v.pipe(v.array(v.object({ game, new: count, gone: count, changed: count })), v.maxLength(2 * gamesMax)),
  newCards: listed(pricedCard),
  goneCards: listed(pricedCard),
  newSets: listed(v.object({ game, code: text, name: text, releaseDate: v.nullable(dateSchema), cards: count })),
  /** Cards in both versions that had a price before and have none now. */
  unpricedCards: listed(unpricedCard),
  /**
   * The largest moves by percent, of cards that cost at least 1.00 before and after. The API's movers follow the same
   * rule, because prices of a few cents often double within a day.
   */
  up: moves,
  down: moves,
})

const schema = v.union([v.object({ base: v.null(), reason: v.picklist(reasonNames) }), comparison])

export type Report = v.InferOutput<typeof schema>
export type Comparison = v.InferOutput<typeof comparison>
export type ReportedCard = v.InferOutput<typeof pricedCard>
export type ReportedMove = v.InferOutput<typeof move>

/** Shortens a text for the report. A shortened text ends with an ellipsis. */
export const reportText = (whole: string): string =>
  whole.length <= reportTextCharsMax
    ? whole
    : `${whole.slice(0, reportTextCharsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

export function writeReport(report: Report): Uint8Array[] {
  const bytes = Buffer.from(`${JSON.stringify(v.parse(schema, report))}\n`)
  assert(bytes.length <= reportBytesMax, 'a report is smaller than its bound')
  return [bytes]
}

/**
 * Returns undefined if an older release built or downloaded the version. Throws IndexError if the report is damaged.
 */
export async function readReport(indexDir: string, manifest: Manifest): Promise<Report | undefined> {
  if (reportOf(indexDir, manifest).length === 0) return undefined
  const bytes = await readFileOf(indexDir, manifest, reportName)
  try {
    return v.parse(schema, JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    throw new IndexError(`the ${reportName} of version ${manifest.version} is damaged`)
  }
}
