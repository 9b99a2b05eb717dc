/** What is asked of the library's request. It is good only until its handler returns. */

import type { Request } from '../api/answers.ts'
import { decoded, rawParameter } from '../api/query.ts'
import { acceptsGzip, namesTag } from './preconditions.ts'
import type { HttpRequest } from './uws.ts'

export const jsonType = 'application/json'
export const noBody = new Uint8Array(0)

/** A name that every request is asked for: the library takes bytes in half the time of a string, which it converts. */
const inBytes = (name: string): ArrayBuffer => new TextEncoder().encode(name).buffer
const keyName = inBytes('x-api-key')
const tagsName = 'if-none-match'
const tagsNameInBytes = inBytes(tagsName)

/** A request as the library holds it, good until its handler returns; its parts are fetched only if they are asked for. */
export class SentRequest implements Request {
  readonly body = noBody
  readonly #req: HttpRequest
  readonly #tag: string
  #isKnown: boolean | undefined

  /** @param tag of the version that answers */
  constructor(req: HttpRequest, tag: string) {
    this.#req = req
    this.#tag = tag
  }

  get inPath(): string {
    return this.#req.getParameter(0) ?? ''
  }

  get inPathNext(): string {
    return this.#req.getParameter(1) ?? ''
  }

  get query(): string {
    return queryOf(this.#req)
  }

  get acceptsGzip(): boolean {
    return acceptsGzip(linesOf(this.#req, 'accept-encoding'))
  }

  get isKnown(): boolean {
    this.#isKnown ??= this.#namesTag()
    return this.#isKnown
  }

  #namesTag(): boolean {
    const line = this.#req.getHeader(tagsNameInBytes)
    return line !== '' && (line === this.#tag || namesTag(linesOf(this.#req, tagsName) ?? line, this.#tag))
  }

  /** The same, to be asked later. @param tagNow of the version that answers then */
  kept(tagNow: () => string): Request {
    const tags = linesOf(this.#req, tagsName)
    return {
      inPath: this.inPath,
      inPathNext: this.inPathNext,
      query: this.query,
      body: noBody,
      acceptsGzip: this.acceptsGzip,
      get isKnown() {
        return tags !== undefined && namesTag(tags, tagNow())
      },
    }
  }
}

/**
 * All lines of a header that is a list, as one; undefined if there are none. The library's own look-up gives the first, and
 * for none the same as for an empty one.
 */
function linesOf(req: HttpRequest, name: string): string | undefined {
  let lines: string | undefined
  req.forEach((header, line) => {
    if (header === name) lines = lines === undefined ? line : `${lines},${line}`
  })
  return lines
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
  const key = req.getHeader(keyName)
  if (key !== '') return key
  const raw = rawParameter(queryOf(req), 'api_key')
  return raw === undefined ? '' : (decoded(raw) ?? raw)
}

export const isJson = (contentType: string) =>
  contentType === jsonType || contentType.split(';', 1)[0]!.trim().toLowerCase() === jsonType
