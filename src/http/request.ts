/** What is asked of the library's request. It is good only until its handler returns. */

import type { Request } from '../api/answers.ts'
import { decoded, rawParameter } from '../api/query.ts'
import type { HttpRequest } from './uws.ts'

export const jsonType = 'application/json'
export const noBody = new Uint8Array(0)

/** A request as the library holds it, good until its handler returns; its parts are fetched only if they are asked for. */
export class SentRequest implements Request {
  readonly body = noBody
  readonly #req: HttpRequest

  constructor(req: HttpRequest) {
    this.#req = req
  }

  get id(): string {
    return this.#req.getParameter(0) ?? ''
  }

  get query(): string {
    return queryOf(this.#req)
  }
}

/** The library has undefined for an address without a question mark. */
export const queryOf = (req: HttpRequest): string => (req.getQuery() as string | undefined) ?? ''

export const isHead = (req: HttpRequest) => req.getMethod() === 'head'

/** Whether a body follows. The library tells of the end of an empty one only if the head came in one piece. */
export function hasBody(req: HttpRequest): boolean {
  const length = req.getHeader('content-length')
  return length === '' ? req.getHeader('transfer-encoding') !== '' : Number(length) !== 0
}

/** The key as sent, empty if there is none; the header counts before the parameter. */
export function keyOf(req: HttpRequest): string {
  const key = req.getHeader('x-api-key')
  if (key !== '') return key
  const raw = rawParameter(queryOf(req), 'api_key')
  return raw === undefined ? '' : (decoded(raw) ?? raw)
}

export const isJson = (contentType: string) =>
  contentType === jsonType || contentType.split(';', 1)[0]!.trim().toLowerCase() === jsonType
