/** Parses the bodies of batches: ids, and a view of the cards or a window of days. */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { type View, views } from '../catalog/card-fields.ts'
import type { IdList } from '../catalog/id-list.ts'
import { batchIdsMax, historyDaysMax } from '../limits.ts'
import { historyPeriod } from './parameters.ts'
import type { ProblemCode } from './problems.ts'

const ids = v.pipe(v.array(v.string()), v.maxLength(batchIdsMax))

// Optional fields have no default, because typed clients that are generated would require fields with a default.
export const batchRequest = v.object({ ids, view: v.exactOptional(v.picklist(views)) })
export const historiesRequest = v.object({ ids, period: v.exactOptional(v.picklist(historyPeriod.values)) })
export const pricesRequest = v.object({
  ids,
  days: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(historyDaysMax))),
})

export interface Batch {
  readonly view: View
  /**
   * The ids as strings. Empty if the body has the plain form that `takePlain` reads: then only the `IdList` has the
   * ids.
   */
  readonly ids: readonly string[]
}

const plainBatch: Batch = { view: 'summary', ids: [] }

/** Parses a body and puts its ids into the list. Returns the request, or the problem's code if the body is wrong. */
export function readBatch(body: Uint8Array, ids: IdList): Batch | ProblemCode {
  if (ids.takePlain(body)) return ids.count > batchIdsMax ? 'BATCH_TOO_LARGE' : plainBatch
  const read = v.safeParse(batchRequest, parsedJson(body))
  if (!read.success) return problemOf(read.issues[0], 'INVALID_VIEW')
  ids.takeAll(read.output.ids)
  return { view: read.output.view ?? 'summary', ids: read.output.ids }
}

/** Parses the body of a batch of histories. Returns the request, or the problem's code if the body is wrong. */
export const readHistories = (body: Uint8Array): v.InferOutput<typeof historiesRequest> | ProblemCode =>
  readWindow(historiesRequest, body, 'days', 'INVALID_PERIOD')

/** Parses the body of a batch of prices, which names a number of days instead of a period. */
export const readPrices = (body: Uint8Array): v.InferOutput<typeof pricesRequest> | ProblemCode =>
  readWindow(pricesRequest, body, 'period', 'INVALID_DAYS')

/**
 * @param misplaced the other form's field. It is rejected, because ignoring it would answer for another window of days
 */
function readWindow<Schema extends typeof historiesRequest | typeof pricesRequest>(
  schema: Schema,
  body: Uint8Array,
  misplaced: string,
  wrongWindow: ProblemCode,
): v.InferOutput<Schema> | ProblemCode {
  const parsed = parsedJson(body)
  const read = v.safeParse(schema, parsed)
  if (!read.success) return problemOf(read.issues[0], wrongWindow)
  return Object.hasOwn(parsed as object, misplaced) ? wrongWindow : read.output
}

/**
 * Returns the code of the problem of a wrong body.
 * @param issue the first issue. Issues of `ids` come before issues of the other field
 * @param wrongOther the problem of the other field
 */
function problemOf({ type, path }: v.BaseIssue<unknown>, wrongOther: ProblemCode): ProblemCode {
  if (path !== undefined && path[0].key !== 'ids') return wrongOther
  return type === 'max_length' ? 'BATCH_TOO_LARGE' : 'INVALID_BODY'
}

const byteOrderMark = 0xfeff

/** Returns the parsed JSON; undefined if the bytes are not JSON in UTF-8. */
export function parsedJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
