/** Reads the library's request, which is valid only until its handler returns. */

import type { Request, StatusIfFound } from '../api/answers.ts'
import { decoded, rawParameter } from '../api/query-string.ts'
import type { HttpRequest, HttpResponse } from './connections/uws.ts'
import { acceptsGzip, listsETag } from './preconditions.ts'

export type Handler = (res: HttpResponse, req: HttpRequest) => void

export const jsonType = 'application/json'
export const noBody = new Uint8Array(0)

/**
 * The names of the headers that every request needs are bytes, because the library would convert a string each time,
 * which takes twice as long.
 */
const inBytes = (name: string): ArrayBuffer => new TextEncoder().encode(name).buffer
const keyName = inBytes('x-api-key')
const requiredTags = { name: 'if-match', inBytes: inBytes('if-match') }
const knownTags = { name: 'if-none-match', inBytes: inBytes('if-none-match') }

/** A view of the library's request, valid until its handler returns. It reads each part only on demand. */
export class SentRequest implements Request {
  readonly body = noBody
  readonly #req: HttpRequest
  readonly #etag: string
  #statusIfFound: StatusIfFound | undefined

  /** @param tag the ETag of the served version */
  constructor(req: HttpRequest, tag: string) {
    this.#req = req
    this.#etag = tag
  }

  get pathParameter(): string {
    return this.#req.getParameter(0) ?? ''
  }

  get secondPathParameter(): string {
    return this.#req.getParameter(1) ?? ''
  }

  get query(): string {
    return queryOf(this.#req)
  }

  get acceptsGzip(): boolean {
    return acceptsGzip(linesOf(this.#req, 'accept-encoding'))
  }

  get statusIfFound(): StatusIfFound {
    this.#statusIfFound ??= statusOf(this.#lists(requiredTags), this.#lists(knownTags))
    return this.#statusIfFound
  }

  /** True if the header lists the served version; undefined without the header. */
  #lists(tags: typeof knownTags): boolean | undefined {
    const line = this.#req.getHeader(tags.inBytes)
    if (line === '') return undefined
    return line === this.#etag || listsETag(linesOf(this.#req, tags.name) ?? line, this.#etag)
  }

  /**
   * A copy that stays valid after the handler has returned.
   * @param tagNow returns the ETag of the version that is served when the response is sent
   */
  detached(tagNow: () => string): Request {
    const required = linesOf(this.#req, requiredTags.name)
    const known = linesOf(this.#req, knownTags.name)
    const lists = (tags: string | undefined) => (tags ? listsETag(tags, tagNow()) : undefined)
    return {
      pathParameter: this.pathParameter,
      secondPathParameter: this.secondPathParameter,
      query: this.query,
      body: noBody,
      acceptsGzip: this.acceptsGzip,
      get statusIfFound() {
        return statusOf(lists(required), lists(known))
      },
    }
  }
}

/**
 * @param required true if If-Match lists the served version; undefined without the header
 * @param known the same for If-None-Match
 */
const statusOf = (required: boolean | undefined, known: boolean | undefined): StatusIfFound =>
  required === false ? 412 : known === true ? 304 : 200

/**
 * All lines of a header, joined with commas; undefined without the header. The library's own look-up returns only the
 * first line, and an empty text for a missing header.
 */
function linesOf(req: HttpRequest, name: string): string | undefined {
  let lines: string | undefined
  req.forEach((header, line) => {
    if (header === name) lines = lines === undefined ? line : `${lines},${line}`
  })
  return lines
}

/** The query. The library returns undefined for an address without a question mark. */
export const queryOf = (req: HttpRequest): string => (req.getQuery() as string | undefined) ?? ''

export const isHead = (req: HttpRequest) => req.getMethod() === 'head'

/**
 * True if the request has a body. The library reports the end of an empty body only if the headers arrived in one
 * packet, so the headers decide.
 */
export function hasBody(req: HttpRequest): boolean {
  const length = req.getHeader('content-length')
  return length === '' ? req.getHeader('transfer-encoding') !== '' : Number(length) !== 0
}

/** The key as sent, or an empty text. The header takes precedence over the parameter. */
export function keyOf(req: HttpRequest): string {
  const key = req.getHeader(keyName)
  if (key !== '') return key
  const raw = rawParameter(queryOf(req), 'api_key')
  return raw === undefined ? '' : (decoded(raw) ?? raw)
}

export const isJson = (contentType: string) =>
  contentType === jsonType || contentType.split(';', 1)[0]!.trim().toLowerCase() === jsonType
