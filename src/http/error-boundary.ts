/** Keeps from the library what would end the process: what is thrown, an answer that it takes for none, too many requests. */
import type { Logger } from 'pino'
import type { Problems } from '../api/problems.ts'
import { withoutKey } from '../api/query.ts'
import { loggedAddressCharsMax } from '../limits.ts'
import type { Admissions } from './admission.ts'
import type { Connections } from './connections.ts'
import type { Replies } from './reply.ts'
import { queryOf } from './request.ts'
import type { HttpRequest, HttpResponse } from './uws.ts'

export type Handler = (res: HttpResponse, req: HttpRequest) => void

const ignoreEnd = () => {}

export class ErrorBoundary {
  readonly #log: Logger
  readonly #logsRequests: boolean
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #connections: Connections

  constructor(log: Logger, admissions: Admissions, replies: Replies, connections: Connections) {
    this.#log = log
    this.#logsRequests = log.isLevelEnabled('debug')
    this.#admissions = admissions
    this.#replies = replies
    this.#connections = connections
  }

  /**
   * The handler as the library may have it. Where answers pile up on a connection (the client pipelines, and does not read
   * or has left), the library before v20.77 can drop a body that it was given, and then ends the process unless somebody
   * listens for the end of the request.
   * @param problems in the form in which the handler answers
   */
  guarded(handler: Handler, problems: Problems): Handler {
    return (res, req) => {
      try {
        res.onAborted(ignoreEnd)
        if (this.#connections.closeExcess(res)) return
        if (this.#logsRequests) this.#logRequest(req)
        handler(res, req)
      } catch (error) {
        this.tell(res, problems, error)
      }
    }
  }

  /** Answers that the fault is ours, if the response can still be answered. */
  tell(res: HttpResponse, problems: Problems, error: unknown): void {
    this.#log.error({ err: error }, 'a request could not be answered')
    try {
      this.#replies.send(res, problems.of('INTERNAL_ERROR'), this.#admissions.rateOfNobody(), { close: true })
    } catch (sending) {
      this.#log.error({ err: sending }, 'nor could it be told so')
    }
  }

  #logRequest(req: HttpRequest): void {
    const query = withoutKey(queryOf(req))
    const url = query === '' ? req.getUrl() : `${req.getUrl()}?${query}`
    this.#log.debug({ method: req.getMethod(), url: url.slice(0, loggedAddressCharsMax) }, 'request')
  }
}
