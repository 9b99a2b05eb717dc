/**
 * `report.json`: what changed from the version that was current at the build, as JSON. Servers do not load it. Prices
 * are market prices. Cards are in the order of equal results. A list has its first items, and the count of all.
 *
 *   { "base": { "version": …, "asOf": … }, "games": […], "newCards": { "count": 57, "first": […] }, …, "up": […], "down": […] }
 *   { "base": null, "reason": "first" }
 */
import assert from 'node:assert/strict'
import * as v from 'valibot'
import { slugForm } from '../games.ts'
import { gamesMax, idCharsMax, priceCentsMax } from '../limits.ts'
import { IndexError } from './format.ts'
import { readFileOf, reportOf } from './load.ts'
import { dateSchema, isVersionName, type Manifest, reportBytesMax, reportName } from './manifest.ts'

/** How many cards or sets a list has at most. */
export const reportListMax = 50
/** How many moves up a report has at most. The same bound holds for moves down. */
export const reportMovesMax = 10
/** The length of a name or a number at most. */
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

/** Why a report has no comparison. */
export const reasons = {
  first: 'no version was current before it',
  unreadable: 'the version that was current before it could not be read, or has another format',
  same: 'it was built again over itself',
} as const
const reasonNames = Object.keys(reasons) as (keyof typeof reasons)[]

/** Why a version has no report. */
export const noReport = 'another release built or downloaded it'

const comparison = v.object({
  base: v.object({ version: v.pipe(v.string(), v.check(isVersionName)), asOf: v.nullable(dateSchema) }),
  /**
   * Games with cards in either version. `changed` counts cards of both versions whose price differs, or is known in one
   * alone.
   */
  games: v.pipe(v.array(v.object({ game, new: count, gone: count, changed: count })), v.maxLength(2 * gamesMax)),
  newCards: listed(pricedCard),
  goneCards: listed(pricedCard),
  newSets: listed(v.object({ game, code: text, name: text, releaseDate: v.nullable(dateSchema), cards: count })),
  /** Cards of both versions that had a price before and have none now. */
  unpricedCards: listed(unpricedCard),
  /**
   * The largest moves by percent, of cards that cost at least 1.00 before and after. Movers have the same
   * rule, because prices of a few cents double every day.
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

/** Undefined if an older release built or downloaded the version. Throws IndexError if the report is damaged. */
export async function readReport(indexDir: string, manifest: Manifest): Promise<Report | undefined> {
  if (reportOf(indexDir, manifest).length === 0) return undefined
  const bytes = await readFileOf(indexDir, manifest, reportName)
  try {
    return v.parse(schema, JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    throw new IndexError(`the ${reportName} of version ${manifest.version} is damaged`)
  }
}
