/**
 * The error boundary around every handler, and around work that continues later. It turns an exception into a 500 and a
 * log line, and closes connections with too many requests. An exception that reached the library would end the process.
 */
import type { Logger } from 'pino'
import type { Problems } from '../api/problems.ts'
import { withoutKey } from '../api/query-string.ts'
import { loggedAddressCharsMax } from '../limits.ts'
import type { Admissions } from './admission.ts'
import type { Connections } from './connections/connections.ts'
import type { HttpRequest, HttpResponse } from './connections/uws.ts'
import type { Replies } from './reply.ts'
import { type Handler, queryOf } from './request.ts'

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
   * Wraps a handler for the library. Responses accumulate on a connection if its client pipelines requests and does not
   * read, or has left. A library before v20.77 can then drop a body and end the process. An onAborted on every response
   * prevents that.
   * @param problems the problems in the handler's form of the API
   */
  guarded(handler: Handler, problems: Problems): Handler {
    return (res, req) => {
      try {
        res.onAborted(ignoreEnd)
        if (this.#connections.closeExcess(res)) return
        if (this.#logsRequests) this.#logRequest(req)
        handler(res, req)
      } catch (error) {
        this.sendInternalError(res, problems, error)
      }
    }
  }

  /** Runs `send`, which sends a response after its handler has returned. */
  run(res: HttpResponse, problems: Problems, send: () => void): void {
    try {
      send()
    } catch (error) {
      this.sendInternalError(res, problems, error)
    }
  }

  /** Logs the error and sends a 500, if the response is still open. */
  sendInternalError(res: HttpResponse, problems: Problems, error: unknown): void {
    this.#log.error({ err: error }, 'a request could not be answered')
    try {
      this.#replies.send(res, problems.of('INTERNAL_ERROR'), this.#admissions.anonymousRate(), { close: true })
    } catch (failed) {
      this.#log.error({ err: failed }, 'the 500 could not be sent either')
    }
  }

  #logRequest(req: HttpRequest): void {
    const query = withoutKey(queryOf(req))
    const url = query === '' ? req.getUrl() : `${req.getUrl()}?${query}`
    this.#log.debug({ method: req.getMethod(), url: url.slice(0, loggedAddressCharsMax) }, 'request')
  }
}
