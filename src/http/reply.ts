/**
 * Writes responses: status, headers, body. A call into the library costs about as much as a look-up, and the library
 * converts each string. So one call writes status and headers from prepared bytes (response-heads.ts). No header ever
 * contains a part of the request.
 */

import type { Authenticator } from '../accounts/authenticator.ts'
import type { Answer } from '../api/answers.ts'
import type { Media } from '../api/route-row.ts'
import { csvType } from '../api/routes.ts'
import { Csv } from '../catalog/card-fields.ts'
import { Histories } from '../history/histories.ts'
import { retrySoonSeconds } from '../limits.ts'
import { Downloads } from './connections/long-responses.ts'
import type { HttpResponse } from './connections/uws.ts'
import type { Instrumentation } from './instrumentation.ts'
import { jsonType } from './request.ts'
import { noContent, notModified, okStatus, type Rate, ResponseHeads } from './response-heads.ts'

export interface ReplyOptions {
  /** True for a HEAD, whose response has no body. */
  readonly head?: boolean
  readonly allow?: string
  /** True if the connection must be closed, because the server does not read the rest of the request's body. */
  readonly close?: boolean
  /** True if a 200 has the version's ETag. */
  readonly hasETag?: boolean
  /** The media type of a 200; undefined for JSON. A body with a media type is immutable and may be long. */
  readonly media?: Media | undefined
}

const withETag = (status: string, etag: string) => `${status}\r\nETag: ${etag}`

export class Replies {
  /** True if the server is stopping. Each response then closes its connection. */
  closing = false
  readonly downloads = new Downloads()
  readonly #authenticator: Authenticator
  readonly instrumentation: Instrumentation | undefined
  readonly #json = new ResponseHeads(jsonType)
  readonly #csv = new ResponseHeads(csvType)
  readonly #bodiless = new ResponseHeads(undefined)
  readonly #ofMedia = new Map<Media, ResponseHeads>()
  #etag = ''
  /** Status lines with the ETag's header line after them. */
  #okWithETag = ''
  #notModified = ''

  /** @param instrumentation undefined if nothing is measured */
  constructor(authenticator: Authenticator, instrumentation?: Instrumentation) {
    this.#authenticator = authenticator
    this.instrumentation = instrumentation
  }

  /**
   * The ETag of the served version. Within a version, an address always has the same response. So all addresses share
   * the version's ETag.
   */
  get etag(): string {
    return this.#etag
  }

  /** The name of the served version; empty if there is none. */
  set version(version: string) {
    this.#etag = `"${version}"`
    this.#okWithETag = withETag(okStatus, this.#etag)
    this.#notModified = withETag(notModified, this.#etag)
    for (const heads of [this.#json, this.#csv, this.#bodiless, ...this.#ofMedia.values()]) heads.clear()
  }

  /** @param rate undefined for routes without a quota */
  send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    const isJson = answer instanceof Uint8Array
    if (!isJson && answer instanceof Histories) {
      this.#sendHistories(res, answer, rate!)
      return
    }
    const csv = !isJson && answer instanceof Csv ? answer : undefined
    const problem = isJson || answer instanceof Csv ? undefined : answer
    const body = answer instanceof Uint8Array ? answer : answer.body
    const media = problem === undefined ? options.media : undefined
    const status = problem !== undefined ? problem.status : options.hasETag === true ? this.#okWithETag : okStatus
    const heads = csv === undefined ? this.#headsOf(media) : this.#csv
    res.writeStatus(rate === undefined ? heads.bare(status) : heads.of(status, rate).with(rate.remaining))
    if (problem?.retry !== undefined) {
      res.writeHeader(
        'Retry-After',
        String(problem.retry === 'soon' ? retrySoonSeconds : this.#authenticator.retryAfter()),
      )
    }
    if (problem?.hasETag === true) res.writeHeader('ETag', this.#etag)
    if (csv !== undefined) res.writeHeader('X-Total', String(csv.total))
    if (options.allow !== undefined) res.writeHeader('Allow', options.allow)
    if (options.head === true) res.writeHeader('Content-Length', String(body.length)).endWithoutBody()
    else if (options.close === true || this.closing) res.end(body, true)
    else if (media !== undefined) this.downloads.begin(res, body)
    else res.end(body)
    const bytes = options.head === true ? 0 : body.length
    this.instrumentation?.answered(problem?.status ?? okStatus, bytes, rate?.principal)
  }

  #sendHistories(res: HttpResponse, histories: Histories, rate: Rate): void {
    res.writeStatus(this.#json.of(okStatus, rate).with(rate.remaining))
    this.downloads.begin(res, histories)
    this.instrumentation?.answered(okStatus, histories.length, rate.principal)
  }

  /** Sends a 304, without headers about a body. */
  sendNotModified(res: HttpResponse, rate: Rate): void {
    res.writeStatus(this.#bodiless.of(this.#notModified, rate).with(rate.remaining)).endWithoutBody()
    this.instrumentation?.answered(notModified, 0, rate.principal)
  }

  /** Sends a 204, without headers about a body. */
  sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    res.writeStatus(noContent).writeHeader('Allow', allow)
    if (rate !== undefined) {
      res.writeHeader('X-RateLimit-Limit', String(rate.limit))
      res.writeHeader('X-RateLimit-Remaining', String(rate.remaining))
      res.writeHeader('X-RateLimit-Reset', String(rate.resetAt))
    }
    res.endWithoutBody()
    this.instrumentation?.answered(noContent, 0, rate?.principal)
  }

  #headsOf(media: Media | undefined): ResponseHeads {
    if (media === undefined) return this.#json
    let heads = this.#ofMedia.get(media)
    if (heads === undefined) {
      heads = new ResponseHeads(media.type, media.encoding)
      this.#ofMedia.set(media, heads)
    }
    return heads
  }
}
