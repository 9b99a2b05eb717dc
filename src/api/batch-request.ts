/** Parses the body of a batch: ids and a view. */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { type View, views } from '../catalog/card-fields.ts'
import type { IdList } from '../catalog/id-list.ts'
import { batchIdsMax } from '../limits.ts'
import type { ProblemCode } from './problems.ts'

export const batchRequest = v.object({
  ids: v.pipe(v.array(v.string()), v.maxLength(batchIdsMax)),
  // It has no default, because then generated clients with types would require the field.
  view: v.exactOptional(v.picklist(views)),
})

export interface Batch {
  readonly view: View
  /** The ids as strings. Empty if the body has the plain form: then only the `IdList` has the ids. */
  readonly ids: readonly string[]
}

const plainBatch: Batch = { view: 'summary', ids: [] }

/** Parses a body and puts its ids into the list. Returns the request, or the problem's code if the body is wrong. */
export function readBatch(body: Uint8Array, ids: IdList): Batch | ProblemCode {
  if (ids.takePlain(body)) return ids.count > batchIdsMax ? 'BATCH_TOO_LARGE' : plainBatch
  const read = v.safeParse(batchRequest, parsedJson(body))
  if (!read.success) return problemOf(read.issues[0])
  ids.takeAll(read.output.ids)
  return { view: read.output.view ?? 'summary', ids: read.output.ids }
}

/** The problem of a wrong body. @param issue the first issue. Issues of `ids` come before issues of `view` */
function problemOf({ type, path }: v.InferIssue<typeof batchRequest>): ProblemCode {
  if (path?.[0].key === 'view') return 'INVALID_VIEW'
  return type === 'max_length' ? 'BATCH_TOO_LARGE' : 'INVALID_BODY'
}

const byteOrderMark = 0xfeff

/** Undefined if the bytes are not JSON in UTF-8. */
export function parsedJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
