/**
 * Writes answers: status, headers, body. Each call into the library costs about as much as a whole look-up, and a string
 * handed to it is converted, so what comes before a body is written by one call (response-heads.ts). Nothing that a request holds
 * is ever part of it.
 */

import type { Authenticator } from '../accounts/authenticator.ts'
import type { Answer } from '../api/answers.ts'
import type { Media } from '../api/routes.ts'
import { retrySoonSeconds } from '../limits.ts'
import { Downloads } from './downloads.ts'
import { jsonType } from './request.ts'
import { type Rate, ResponseHeads } from './response-heads.ts'
import type { HttpResponse } from './uws.ts'

export interface ReplyOptions {
  /** A HEAD: all of a GET's answer but the body. */
  readonly head?: boolean
  readonly allow?: string
  /** Ends the connection: the rest of a body is not waited for. */
  readonly close?: boolean
  /** A 200 tells the version's tag. */
  readonly tagged?: boolean
  /** Of a 200; JSON if it is absent. Its body stays as it is, and may be long. */
  readonly media?: Media | undefined
}

const okStatus = '200 OK'
const withTag = (status: string, tag: string) => `${status}\r\nETag: ${tag}`

export class Replies {
  /** Each answer ends its connection: the server stops. */
  closing = false
  readonly downloads = new Downloads()
  readonly #gate: Authenticator
  readonly #json = new ResponseHeads(jsonType)
  readonly #bodiless = new ResponseHeads(undefined)
  readonly #ofMedia = new Map<Media, ResponseHeads>()
  #tag = ''
  /** Statuses that go on with the tag. */
  #taggedOk = ''
  #unchanged = ''

  constructor(gate: Authenticator) {
    this.#gate = gate
  }

  /** Of the version that answers, as its header has it. An address has one answer in a version, so it names each. */
  get tag(): string {
    return this.#tag
  }

  /** Empty while there is none. */
  set version(version: string) {
    this.#tag = `"${version}"`
    this.#taggedOk = withTag(okStatus, this.#tag)
    this.#unchanged = withTag('304 Not Modified', this.#tag)
    for (const starts of [this.#json, this.#bodiless, ...this.#ofMedia.values()]) starts.forget()
  }

  /** @param rate undefined where the quota has no part in it */
  send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    const problem = answer instanceof Uint8Array ? undefined : answer
    const body = answer instanceof Uint8Array ? answer : answer.body
    const media = problem === undefined ? options.media : undefined
    const status = problem !== undefined ? problem.status : options.tagged === true ? this.#taggedOk : okStatus
    const starts = this.#startsOf(media)
    res.writeStatus(rate === undefined ? starts.bare(status) : starts.of(status, rate).with(rate.remaining))
    if (problem?.retry !== undefined) {
      res.writeHeader('Retry-After', String(problem.retry === 'soon' ? retrySoonSeconds : this.#gate.retryAfter()))
    }
    if (options.allow !== undefined) res.writeHeader('Allow', options.allow)
    if (options.head === true) res.writeHeader('Content-Length', String(body.length)).endWithoutBody()
    else if (options.close === true || this.closing) res.end(body, true)
    else if (media !== undefined) this.downloads.begin(res, body)
    else res.end(body)
  }

  /** A 304, to who has the answer, and knows its type. */
  sendUnchanged(res: HttpResponse, rate: Rate): void {
    res.writeStatus(this.#bodiless.of(this.#unchanged, rate).with(rate.remaining)).endWithoutBody()
  }

  /** A 204: it has no body, and so no type. */
  sendOptions(res: HttpResponse, rate: Rate | undefined, allow: string): void {
    res.writeStatus('204 No Content').writeHeader('Allow', allow)
    if (rate !== undefined) {
      res.writeHeader('X-RateLimit-Limit', String(rate.limit))
      res.writeHeader('X-RateLimit-Remaining', String(rate.remaining))
      res.writeHeader('X-RateLimit-Reset', String(rate.resetAt))
    }
    res.endWithoutBody()
  }

  #startsOf(media: Media | undefined): ResponseHeads {
    if (media === undefined) return this.#json
    let starts = this.#ofMedia.get(media)
    if (starts === undefined) {
      starts = new ResponseHeads(media.type, media.encoding)
      this.#ofMedia.set(media, starts)
    }
    return starts
  }
}
