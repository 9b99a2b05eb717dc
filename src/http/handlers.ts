/**
 * How the requests to endpoints are answered, from the library's request to the reply. A GET is answered before its
 * handler returns: nothing is awaited, and the answer is written in one go. What is dotted is waited for:
 *
 *   GET    admission ──────────────────────┬─────────────────────────┬─ parameters ─ answer ─ reply
 *   POST   admission ─ type ┄┄┄ body ┄┄┄┄┄─┤                         │      400      200, 404   304
 *                      415       413       └┄ the quota store ┄ plan ┘
 *                                                429, 503       403
 *
 * An answer that comes later has its onAborted. The description of the interface is there a moment after the port is.
 */
import type { Logger } from 'pino'
import type { Answer, Request } from '../api/answers.ts'
import type { Dataset } from '../api/dataset.ts'
import { ParameterError } from '../api/parameter-kinds.ts'
import type { Problem } from '../api/problems.ts'
import type { Admission, Admissions } from './admission.ts'
import { readBody } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import type { ErrorBoundary } from './error-boundary.ts'
import type { Instrumentation } from './instrumentation.ts'
import type { Replies, ReplyOptions } from './reply.ts'
import { hasBody, isJson, noBody, queryOf, SentRequest } from './request.ts'
import type { HttpRequest, HttpResponse } from './uws.ts'
import { type Late, Waiting } from './waiting.ts'

interface LateRequest extends Late {
  readonly endpoint: Endpoint
  readonly options: ReplyOptions
  /** As far as it is known; undefined where no key is asked for. */
  readonly admission: Admission | undefined
}

/** A request that waits for its body or for the quota store. */
interface CountedRequest extends LateRequest {
  readonly admission: Admission
}

interface Post extends CountedRequest {
  readonly wrongType: Problem | undefined
  /** As it was sent. */
  readonly query: string
}

const plain: ReplyOptions = {}
const emptyRequest: Request = {
  inPath: '',
  inPathNext: '',
  query: '',
  body: noBody,
  acceptsGzip: false,
  isKnown: false,
}

export class Handlers {
  /** The version that answers; undefined while there is none. */
  data: Dataset | undefined
  /** The server will stop: who asks for its health is told so, and all others are answered. */
  isDraining = false
  readonly waiting: Waiting<LateRequest>
  /** Those that wait for the description; undefined once it is there. */
  #undescribed: LateRequest[] | undefined = []
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #faults: ErrorBoundary
  readonly #log: Logger
  #stopping = false

  /** @param meter absent where answers are not counted */
  constructor(admissions: Admissions, replies: Replies, faults: ErrorBoundary, log: Logger, meter?: Instrumentation) {
    this.waiting = new Waiting(meter)
    this.#admissions = admissions
    this.#replies = replies
    this.#faults = faults
    this.#log = log
  }

  /** From now on requests are refused, but for those that wait. */
  stop(): void {
    this.#stopping = true
  }

  /**
   * Resolves when all that wait have been answered, or told that they can't be waited for any longer, and when what is
   * being downloaded has been sent, or can't be waited for either.
   */
  async drain(msMax: number): Promise<void> {
    await Promise.all([this.waiting.drain(msMax, (late) => this.#giveUp(late)), this.#replies.downloads.drain(msMax)])
  }

  /** The description is there: whoever waits for it has it. */
  beDescribed(): void {
    const undescribed = this.#undescribed ?? []
    this.#undescribed = undefined
    for (const late of undescribed) {
      if (!this.waiting.end(late)) continue
      const { res, endpoint, options } = late
      res.cork(() => this.#replies.send(res, this.#answer(endpoint, undefined, emptyRequest), undefined, options))
    }
  }

  /** Of an endpoint that asks for no key. */
  answerAnyone(endpoint: Endpoint, res: HttpResponse, req: HttpRequest, options: ReplyOptions): void {
    const { needsNoData, operation } = endpoint.route
    if (needsNoData === true && this.#undescribed !== undefined) {
      const late = { res, endpoint, admission: undefined, options }
      this.#undescribed.push(late)
      this.waiting.begin(late)
      return
    }
    const isLeaving = this.isDraining && operation === 'getHealth'
    const answer =
      needsNoData === true || (this.#isServing() && !isLeaving)
        ? this.#answer(endpoint, undefined, new SentRequest(req, this.#replies.tag))
        : endpoint.problems.of('SERVICE_UNAVAILABLE')
    this.#replies.send(res, answer, undefined, options)
  }

  answerGet(endpoint: Endpoint, res: HttpResponse, req: HttpRequest, options: ReplyOptions): void {
    const admission = this.#admissions.admit(endpoint, req, this.#isServing())
    const request = new SentRequest(req, this.#replies.tag)
    if (admission.unsettled) {
      const late = { res, endpoint, admission, options }
      const kept = request.kept(() => this.#replies.tag)
      this.waiting.begin(late)
      this.#settle(late, (settled) => this.#sendGet(endpoint, res, settled, kept, options))
    } else {
      this.#sendGet(endpoint, res, admission, request, options)
    }
  }

  #sendGet(endpoint: Endpoint, res: HttpResponse, admitted: Admission, request: Request, options: ReplyOptions): void {
    const answer = admitted.problem ?? this.#answer(endpoint, admitted, request)
    if (answer instanceof Uint8Array && request.isKnown) this.#replies.sendUnchanged(res, admitted)
    else this.#replies.send(res, answer, admitted, options)
  }

  /** @param bytesMax of its body */
  answerPost(endpoint: Endpoint, bytesMax: number, res: HttpResponse, req: HttpRequest): void {
    const admission = this.#admissions.admit(endpoint, req, this.#isServing())
    const isRight = isJson(req.getHeader('content-type'))
    const wrongType = isRight ? undefined : endpoint.problems.of('UNSUPPORTED_MEDIA_TYPE')
    const post: Post = { res, endpoint, admission, options: plain, wrongType, query: queryOf(req) }
    if (!admission.unsettled && (admission.problem ?? wrongType) !== undefined) {
      this.#sendPost(post, admission, noBody)
    } else if (!admission.unsettled && Number(req.getHeader('content-length')) > bytesMax) {
      this.#sendPost(post, admission, undefined)
    } else {
      this.waiting.begin(post)
      if (hasBody(req)) readBody(res, bytesMax, (body) => this.#receivePost(post, body))
      else this.#receivePost(post, noBody)
    }
  }

  /** @param body undefined if it is too long; else good until this returns */
  #receivePost(post: Post, body: Uint8Array | undefined): void {
    const { res, endpoint, admission } = post
    if (admission.unsettled) {
      const kept = body?.slice()
      this.#settle(post, (settled) => this.#sendPost(post, settled, kept))
    } else if (this.waiting.end(post)) {
      try {
        this.#sendPost(post, admission, body)
      } catch (error) {
        this.#faults.tell(res, endpoint.problems, error)
      }
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

  /** Calls `finish` when the shared quota store has answered, unless the wait was ended before. */
  #settle(late: CountedRequest, finish: (admitted: Admission) => void): void {
    const { res, endpoint, admission } = late
    this.#admissions.resolve(endpoint, admission.access!).then(
      (settled) => {
        if (this.waiting.end(late)) res.cork(() => this.#finish(late, settled, finish))
        else this.#admissions.refund(settled)
      },
      (error) => {
        if (this.waiting.end(late)) res.cork(() => this.#faults.tell(res, endpoint.problems, error))
        else this.#log.error({ err: error }, 'the quota could not be asked for')
      },
    )
  }

  #finish({ res, endpoint }: LateRequest, settled: Admission, finish: (admitted: Admission) => void): void {
    try {
      finish(settled)
    } catch (error) {
      this.#faults.tell(res, endpoint.problems, error)
    }
  }

  #giveUp({ res, endpoint, admission, options }: LateRequest): void {
    const refused = admission && this.#admissions.giveUp(endpoint, admission)
    const problem = refused?.problem ?? endpoint.problems.of('SERVICE_UNAVAILABLE')
    res.cork(() => this.#replies.send(res, problem, refused, options))
  }

  #isServing(): boolean {
    return this.data !== undefined && !this.#stopping
  }

  /** @param admitted undefined where no key is asked for */
  #answer({ route, problems, answer }: Endpoint, admitted: Admission | undefined, request: Request): Answer {
    try {
      return answer(this.data!, request, problems)
    } catch (error) {
      if (error instanceof ParameterError) return problems.saying('INVALID_PARAMETER', error.message)
      this.#log.error({ err: error, path: route.path }, 'an answer failed')
      if (admitted !== undefined) this.#admissions.refund(admitted)
      return problems.of('INTERNAL_ERROR')
    }
  }
}
