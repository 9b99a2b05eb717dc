/** What a batch asks for: its body, from bytes to a list of ids. */
import * as v from 'valibot'
import type { IdList } from '../catalog/id-list.ts'
import { batchIdsMax } from '../limits.ts'
import type { ProblemCode } from './problems.ts'

export const batchRequest = v.object({ ids: v.pipe(v.array(v.string()), v.maxLength(batchIdsMax)) })

/** Puts the ids into the list; returns what is wrong with the body, if something is. */
export function readBatch(body: Uint8Array, ids: IdList): ProblemCode | undefined {
  if (ids.takePlain(body)) return ids.count > batchIdsMax ? 'BATCH_TOO_LARGE' : undefined
  const read = v.safeParse(batchRequest, parsedJson(body))
  if (!read.success) return read.issues[0].type === 'max_length' ? 'BATCH_TOO_LARGE' : 'INVALID_BODY'
  ids.takeAll(read.output.ids)
  return undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined if the bytes are not JSON in UTF-8. */
function parsedJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    return undefined
  }
}
