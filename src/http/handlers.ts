/**
 * Handles requests to endpoints, from the library's request to the response. The response to a GET begins before its
 * handler returns, unless the handler must ask the quota store. Dotted steps wait:
 *
 *   GET    admission ──────────────────────┬─────────────────────────┬─ parameters ─ answer ─ reply
 *   POST   admission ─ type ┄┄┄ body ┄┄┄┄┄─┤                         │      400      200, 404   304, 412
 *                      415       413       └┄ the quota store ┄ plan ┘
 *                                                429, 503       403
 *
 * Every response that is sent after its handler has returned has an onAborted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Answer, emptyRequest, isBody, type Request } from '../api/answers.ts'
import type { Dataset } from '../api/dataset.ts'
import { ParameterError } from '../api/parameter-kinds.ts'
import type { Problem } from '../api/problems.ts'
import { newActivity } from './activity.ts'
import type { Admission, Admissions, Endpoint } from './admission.ts'
import type { HttpRequest, HttpResponse } from './connections/uws.ts'
import type { ErrorBoundary } from './error-boundary.ts'
import type { Replies, ReplyOptions } from './reply.ts'
import { hasBody, isJson, noBody, queryOf, SentRequest } from './request.ts'
import { type Waiter, Waiting } from './waiting.ts'

/** A request that waits for its body or for the quota store. */
interface WaitingRequest extends Waiter {
  readonly endpoint: Endpoint
  readonly options: ReplyOptions
  /** The outcome of the first checks, which may be pending. */
  readonly admission: Admission
}

/** The endpoint of a handler of GET or HEAD, and the options of its replies. */
export interface Getter {
  readonly endpoint: Endpoint
  readonly options: ReplyOptions
}

interface Post extends WaitingRequest {
  readonly wrongType: Problem | undefined
  /** The query as sent. */
  readonly query: string
}

const drainCheckMs = 10
const plain: ReplyOptions = {}

export class Handlers {
  /** The served version; undefined while there is none. */
  data: Dataset | undefined
  /** True if the server will stop. Health checks then get a 503, and all other requests are handled. */
  isDraining = false
  /** Tells other threads which request is being answered. */
  activity = newActivity()
  readonly waiting: Waiting<WaitingRequest>
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #errorBoundary: ErrorBoundary
  readonly #log: Logger
  #stopping = false

  constructor(admissions: Admissions, replies: Replies, errorBoundary: ErrorBoundary, log: Logger) {
    this.waiting = new Waiting(replies.instrumentation)
    this.#admissions = admissions
    this.#replies = replies
    this.#errorBoundary = errorBoundary
    this.#log = log
  }

  /** From now on, new requests that need data get 503. Requests that already wait are still answered. */
  stop(): void {
    this.#stopping = true
  }

  /**
   * Waits until no request waits and no download runs, but at most `msMax`. Then rejects the requests that still wait.
   */
  async drain(msMax: number): Promise<void> {
    const { waiting } = this
    const { downloads } = this.#replies
    const deadline = performance.now() + msMax
    do await pause(drainCheckMs)
    while ((waiting.count > 0 || downloads.count > 0) && performance.now() < deadline)
    waiting.endAll((request) => this.#giveUp(request))
  }

  /** Answers a GET of an endpoint that needs no key. */
  answerPublic({ endpoint, options }: Getter, res: HttpResponse, req: HttpRequest): void {
    const { needsNoData, operation } = endpoint.route
    const isLeaving = this.isDraining && operation === 'getHealth'
    const answer =
      needsNoData === true || (this.#isServing() && !isLeaving)
        ? this.#answer(endpoint, undefined, new SentRequest(req, this.#replies.etag))
        : endpoint.problems.of('SERVICE_UNAVAILABLE')
    this.#replies.send(res, answer, undefined, options)
  }

  answerGet(getter: Getter, res: HttpResponse, req: HttpRequest): void {
    const { endpoint, options } = getter
    const admission = this.#admissions.admit(endpoint, req, this.#isServing())
    const request = new SentRequest(req, this.#replies.etag)
    if (admission.pending) {
      const waiting = { res, endpoint, admission, options }
      const copy = request.detached(() => this.#replies.etag)
      this.waiting.begin(waiting)
      this.#resolve(waiting, (resolved) => this.#sendGet(getter, res, resolved, copy))
    } else {
      this.#sendGet(getter, res, admission, request)
    }
  }

  #sendGet({ endpoint, options }: Getter, res: HttpResponse, admitted: Admission, request: Request): void {
    const answer = admitted.problem ?? this.#answer(endpoint, admitted, request)
    const status = isBody(answer) ? request.statusIfFound : 200
    if (status === 304) this.#replies.sendNotModified(res, admitted)
    else if (status === 412) this.#replies.send(res, endpoint.problems.of('PRECONDITION_FAILED'), admitted, options)
    else this.#replies.send(res, answer, admitted, options)
  }

  /** @param bytesMax the limit of the body's length */
  answerPost(endpoint: Endpoint, bytesMax: number, res: HttpResponse, req: HttpRequest): void {
    const admission = this.#admissions.admit(endpoint, req, this.#isServing())
    const isRight = isJson(req.getHeader('content-type'))
    const wrongType = isRight ? undefined : endpoint.problems.of('UNSUPPORTED_MEDIA_TYPE')
    const post: Post = { res, endpoint, admission, options: plain, wrongType, query: queryOf(req) }
    if (!admission.pending && (admission.problem ?? wrongType) !== undefined) {
      this.#sendPost(post, admission, noBody)
    } else if (!admission.pending && Number(req.getHeader('content-length')) > bytesMax) {
      this.#sendPost(post, admission, undefined)
    } else {
      this.waiting.begin(post)
      if (hasBody(req)) readBody(res, bytesMax, (body) => this.#receivePost(post, body))
      else this.#receivePost(post, noBody)
    }
  }

  /** @param body the body, valid until this method returns; undefined if it is too long */
  #receivePost(post: Post, body: Uint8Array | undefined): void {
    const { res, endpoint, admission } = post
    if (admission.pending) {
      const copy = body?.slice()
      this.#resolve(post, (resolved) => this.#sendPost(post, resolved, copy))
    } else if (this.waiting.end(post)) {
      this.#errorBoundary.run(res, endpoint.problems, () => this.#sendPost(post, admission, body))
    }
  }

  #sendPost({ res, endpoint, wrongType, query }: Post, admitted: Admission, body: Uint8Array | undefined): void {
    const problem = admitted.problem ?? wrongType
    if (body === undefined) {
      this.#replies.send(res, problem ?? endpoint.problems.of('PAYLOAD_TOO_LARGE'), admitted, { close: true })
    } else {
      const request = { ...emptyRequest, query, body }
      const answer = problem ?? this.#answer(endpoint, admitted, request)
      this.#replies.send(res, answer, admitted, plain)
    }
  }

  /** Calls `finish` when the shared quota store has answered, unless the request has stopped waiting. */
  #resolve(request: WaitingRequest, finish: (admitted: Admission) => void): void {
    const { res, endpoint, admission } = request
    this.#admissions.resolve(endpoint, admission.principal!).then(
      (resolved) => {
        const send = () => this.#errorBoundary.run(res, endpoint.problems, () => finish(resolved))
        if (this.waiting.end(request)) res.cork(send)
        else this.#admissions.refund(resolved)
      },
      (error) => {
        if (this.waiting.end(request))
          res.cork(() => this.#errorBoundary.sendInternalError(res, endpoint.problems, error))
        else this.#log.error({ err: error }, 'the quota could not be checked')
      },
    )
  }

  #giveUp({ res, endpoint, admission, options }: WaitingRequest): void {
    const refused = this.#admissions.giveUp(endpoint, admission)
    res.cork(() => this.#replies.send(res, refused.problem!, refused, options))
  }

  #isServing(): boolean {
    return this.data !== undefined && !this.#stopping
  }

  /** @param admitted undefined if the route needs no key */
  #answer({ route, number, problems, answer }: Endpoint, admitted: Admission | undefined, request: Request): Answer {
    const { activity } = this
    // A thread also answers requests while it opens a version, so the earlier activity is restored.
    const before = activity[0]!
    activity[0] = number
    try {
      return answer(this.data!, request, problems)
    } catch (error) {
      if (error instanceof ParameterError) return problems.saying('INVALID_PARAMETER', error.message)
      this.#log.error({ err: error, path: route.path }, 'a response failed')
      if (admitted !== undefined) this.#admissions.refund(admitted)
      return problems.of('INTERNAL_ERROR')
    } finally {
      activity[0] = before
    }
  }
}

/**
 * Reads a body. Calls `onBody` once: with the whole body, or with undefined as soon as the body is longer than
 * `bytesMax`. The bytes are valid until `onBody` returns. Does not call `onBody` if the client disconnects. The caller
 * must have set the response's onAborted.
 */
function readBody(response: HttpResponse, bytesMax: number, onBody: (body: Uint8Array | undefined) => void): void {
  let chunks: Uint8Array[] | undefined
  let bytes = 0
  let settled = false
  response.onData((chunk, isLast) => {
    if (settled) return
    bytes += chunk.byteLength
    if (bytes > bytesMax) {
      settled = true
      onBody(undefined)
    } else if (!isLast) {
      // The library reuses the chunk's memory after this call, so the chunk is copied.
      chunks ??= []
      chunks.push(new Uint8Array(chunk.slice(0)))
    } else {
      settled = true
      const last = new Uint8Array(chunk)
      onBody(chunks === undefined ? last : Buffer.concat([...chunks, last]))
    }
  })
}
