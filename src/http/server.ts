/**
 * The server of one thread. Only the files of this folder know uWebSockets.js.
 *
 *   request ─ route? ─ method? ─ key? ─ data? ─ quota? ─ plan? ─ (body?) ─ parameters ─ answer
 *               404      405      401     503     429     403    415 413      400        200, 404
 *
 * A GET is answered before its handler returns: nothing is awaited, and the answer is written in one go. What would
 * end the process is kept away from the library: all that is thrown is caught, an answer that comes later (a batch's,
 * once its body is there) has its onAborted, and nothing of a request is echoed in a header. No function is made on a
 * request's way where it can be helped: the loader names each at run time, which costs a microsecond.
 */

import * as uws from 'uWebSockets.js'
import type { Logger } from 'pino'
import { refusal } from '../accounts/counts.ts'
import type { Access, Gate } from '../accounts/gate.ts'
import { plans } from '../accounts/plans.ts'
import type { Dataset } from '../dataset.ts'
import { batchBodyBytesMax } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { readBody } from './body.ts'
import { listenOn } from './listen.ts'
import { type Problem, Problems } from './problems.ts'
import { ParameterError, withoutKey } from './query.ts'
import { type Rate, Replies, type ReplyOptions } from './reply.ts'
import { isHead, isJson, keyOf, noBody, queryOf, SentRequest } from './request.ts'
import { type Answer, type Request, type Route, routes } from './routes.ts'

/** The outcome of the checks that come before a request's own parameters. */
interface Admission extends Rate {
  /** Undefined where the key is wrong. */
  readonly access: Access | undefined
  /** Set where the request is refused. */
  readonly problem: Problem | undefined
  /** The shared quota store is being asked: whether the request is refused is known a moment later. */
  readonly unsettled: boolean
}

/** What is known of a POST before its body is there. */
interface Post {
  readonly route: Route
  readonly wrongType: Problem | undefined
}

const plainGet: ReplyOptions = {}
const plainHead: ReplyOptions = { head: true }

/** So long a stopping server waits for bodies that are on their way. */
const drainMsMax = 5000
const drainCheckMs = 20

export interface ServerOptions {
  readonly settings: Pick<Settings, 'API_FORM' | 'TLS_CERT' | 'TLS_KEY'>
  readonly gate: Gate
  readonly log: Logger
}

export class Server {
  /** The version that answers; undefined while there is none. */
  data: Dataset | undefined
  readonly #app: uws.TemplatedApp
  readonly #form: Settings['API_FORM']
  readonly #gate: Gate
  readonly #log: Logger
  readonly #logsRequests: boolean
  readonly #problems: Problems
  readonly #replies: Replies
  #listening: uws.us_listen_socket | undefined
  #stopping = false
  #bodiesAwaited = 0

  constructor({ settings, gate, log }: ServerOptions) {
    this.#form = settings.API_FORM
    this.#gate = gate
    this.#log = log
    this.#logsRequests = log.isLevelEnabled('debug')
    this.#problems = new Problems(settings.API_FORM)
    this.#replies = new Replies(gate, this.#problems)
    this.#app =
      settings.TLS_CERT === undefined || settings.TLS_KEY === undefined
        ? uws.App()
        : uws.SSLApp({ cert_file_name: settings.TLS_CERT, key_file_name: settings.TLS_KEY })
    this.#register()
  }

  /**
   * @param port 0 for any free one
   * @param exclusive the port is not shared with other threads
   * @returns the port, or undefined if it can't be had
   */
  async listen(host: string, port: number, exclusive: boolean): Promise<number | undefined> {
    const socket = await listenOn(this.#app, host, port, exclusive)
    if (!socket) return undefined
    this.#listening = socket
    return uws.us_socket_local_port(socket)
  }

  /** Takes no new connections, answers what is in flight, then closes all connections. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#listening !== undefined) uws.us_listen_socket_close(this.#listening)
    const deadline = Date.now() + drainMsMax
    do await new Promise((resume) => setTimeout(resume, drainCheckMs))
    while (this.#bodiesAwaited > 0 && Date.now() < deadline)
    this.abort()
  }

  /** Closes all connections at once. */
  abort(): void {
    this.#app.close()
  }

  #register(): void {
    for (const path of new Set(routes.map((route) => route.path))) {
      const get = routes.find((route) => route.path === path && route.method === 'GET')
      const post = routes.find((route) => route.path === path && route.method === 'POST')
      const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ')
      const refuse = this.#guarded((res, req) => {
        this.#send(res, this.#problems.of('METHOD_NOT_ALLOWED'), this.#rateOf(req), { head: isHead(req), allow })
      })
      this.#app.get(path, get ? this.#guarded((res, req) => this.#answerGet(get, res, req, plainGet)) : refuse)
      this.#app.head(path, get ? this.#guarded((res, req) => this.#answerGet(get, res, req, plainHead)) : refuse)
      this.#app.post(path, post ? this.#guarded((res, req) => this.#answerPost(post, res, req)) : refuse)
      this.#app.options(
        path,
        this.#guarded((res, req) => this.#replies.sendOptions(res, this.#rateOf(req), allow)),
      )
      this.#app.any(path, refuse)
    }
    this.#registerHealth()
    this.#app.any(
      '/*',
      this.#guarded((res, req) => this.#answerUnknown(res, req)),
    )
  }

  #registerHealth(): void {
    const path = '/healthz'
    const allow = 'GET, HEAD, OPTIONS'
    const answer = this.#guarded((res, req) => this.#send(res, this.#health(), undefined, { head: isHead(req) }))
    this.#app.get(path, answer)
    this.#app.head(path, answer)
    this.#app.options(
      path,
      this.#guarded((res) => this.#replies.sendOptions(res, undefined, allow)),
    )
    this.#app.any(
      path,
      this.#guarded((res) => this.#send(res, this.#problems.of('METHOD_NOT_ALLOWED'), undefined, { allow })),
    )
  }

  #health(): Answer {
    if (this.data === undefined || this.#stopping) return this.#problems.of('SERVICE_UNAVAILABLE')
    const { version, asOf, cardCount } = this.data
    return Buffer.from(JSON.stringify({ status: 'ok', version, asOf, cards: cardCount }))
  }

  /** Keeps what is thrown from the library, which would end the process. */
  #guarded(handler: Handler): Handler {
    return (res, req) => {
      try {
        handler(res, req)
      } catch (error) {
        this.#log.error({ err: error }, 'a request could not be answered')
        res.close()
      }
    }
  }

  #answerUnknown(res: uws.HttpResponse, req: uws.HttpRequest): void {
    const path = req.getUrl()
    const rate = path === '/v1' || path.startsWith('/v1/') ? this.#rateOf(req) : undefined
    this.#send(res, this.#problems.of('NOT_FOUND'), rate, { head: isHead(req) })
  }

  #answerGet(route: Route, res: uws.HttpResponse, req: uws.HttpRequest, options: ReplyOptions): void {
    const admission = this.#admit(route, req)
    if (this.#logsRequests) this.#logRequest(req)
    const request = new SentRequest(req)
    if (admission.unsettled) {
      const kept = { id: request.id, query: request.query, body: noBody }
      this.#settle(route, admission, res, (settled) => this.#sendGet(route, res, settled, kept, options))
    } else {
      this.#sendGet(route, res, admission, request, options)
    }
  }

  #sendGet(route: Route, res: uws.HttpResponse, admitted: Admission, request: Request, options: ReplyOptions): void {
    this.#send(res, admitted.problem ?? this.#answer(route, admitted.access, request), admitted, options)
  }

  #answerPost(route: Route, res: uws.HttpResponse, req: uws.HttpRequest): void {
    const admission = this.#admit(route, req)
    if (this.#logsRequests) this.#logRequest(req)
    const wrongType = isJson(req.getHeader('content-type')) ? undefined : this.#problems.of('UNSUPPORTED_MEDIA_TYPE')
    const post: Post = { route, wrongType }
    if (!admission.unsettled && (admission.problem ?? wrongType) !== undefined) {
      this.#sendPost(res, admission, post, noBody)
    } else if (!admission.unsettled && Number(req.getHeader('content-length')) > batchBodyBytesMax) {
      this.#sendPost(res, admission, post, undefined)
    } else {
      this.#bodiesAwaited++
      readBody(
        res,
        batchBodyBytesMax,
        (body) => this.#receivePost(res, admission, post, body),
        () => {
          this.#bodiesAwaited--
        },
      )
    }
  }

  /** @param body undefined if it is too long; else good until this returns */
  #receivePost(res: uws.HttpResponse, admission: Admission, post: Post, body: Uint8Array | undefined): void {
    this.#bodiesAwaited--
    if (admission.unsettled) {
      const kept = body?.slice()
      this.#settle(post.route, admission, res, (settled) => this.#sendPost(res, settled, post, kept))
    } else {
      this.#sendPost(res, admission, post, body)
    }
  }

  #sendPost(res: uws.HttpResponse, admitted: Admission, post: Post, body: Uint8Array | undefined): void {
    const problem = admitted.problem ?? post.wrongType
    if (body === undefined) {
      this.#send(res, problem ?? this.#problems.of('PAYLOAD_TOO_LARGE'), admitted, { close: true })
    } else {
      const answer = problem ?? this.#answer(post.route, admitted.access, { id: '', query: '', body })
      this.#send(res, answer, admitted, plainGet)
    }
  }

  /** The checks from the key to the plan; a request that passes the quota is counted. */
  #admit(route: Route, req: uws.HttpRequest): Admission {
    const now = this.#gate.now()
    const key = keyOf(req)
    const access = key === '' ? undefined : this.#gate.identify(key, now)
    if (access === undefined) {
      const problem = this.#problems.of(key === '' ? 'MISSING_API_KEY' : 'INVALID_API_KEY')
      return refused(problem, access, this.#rate(access, now))
    }
    if (this.data === undefined || this.#stopping) {
      return refused(this.#problems.of('SERVICE_UNAVAILABLE'), access, this.#rate(access, now))
    }
    return this.#admitted(route, access, this.#gate.take(access, now), this.#gate.resetAt(now))
  }

  /** @param taken what the gate gave: what is left of the quota, or its refusal */
  #admitted(route: Route, access: Access, taken: number, resetAt: number): Admission {
    const problem =
      taken === refusal.exhausted
        ? this.#problems.of('RATE_LIMIT_EXCEEDED')
        : taken === refusal.unavailable
          ? this.#problems.of('SERVICE_UNAVAILABLE')
          : route.traderIn.includes(this.#form) && !plans[access.plan].trader
            ? this.#problems.of('PLAN_RESTRICTION')
            : undefined
    return {
      limit: access.limit,
      remaining: Math.max(taken, 0),
      resetAt,
      access,
      problem,
      unsettled: taken === refusal.unsettled,
    }
  }

  /** Calls `finish` when the shared quota store has answered, unless the client has left. */
  #settle(route: Route, { access }: Admission, res: uws.HttpResponse, finish: (admitted: Admission) => void): void {
    let gone = false
    res.onAborted(() => {
      gone = true
    })
    this.#gate.settle(access!).then((taken) => {
      if (!gone) res.cork(() => finish(this.#admitted(route, access!, taken, this.#gate.resetAt())))
    })
  }

  #answer(route: Route, access: Access | undefined, request: Request): Answer {
    try {
      return route.answer(this.data!, request, this.#problems)
    } catch (error) {
      if (error instanceof ParameterError) return this.#problems.invalidParameter(error.message)
      this.#log.error({ err: error, path: route.path }, 'an answer failed')
      if (access !== undefined) this.#gate.giveBack(access)
      return this.#problems.of('INTERNAL_ERROR')
    }
  }

  /** The quota as it stands, for answers that do not count. */
  #rateOf(req: uws.HttpRequest): Rate {
    const now = this.#gate.now()
    const key = keyOf(req)
    return this.#rate(key === '' ? undefined : this.#gate.identify(key, now), now)
  }

  #rate(access: Access | undefined, now: number): Rate {
    const resetAt = this.#gate.resetAt(now)
    return access === undefined
      ? { limit: 0, remaining: 0, resetAt }
      : { limit: access.limit, remaining: this.#gate.remaining(access, now), resetAt }
  }

  #send(res: uws.HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    this.#replies.send(res, answer, rate, this.#stopping ? { ...options, close: true } : options)
  }

  #logRequest(req: uws.HttpRequest): void {
    const query = withoutKey(queryOf(req))
    this.#log.debug(
      { method: req.getMethod(), url: query === '' ? req.getUrl() : `${req.getUrl()}?${query}` },
      'request',
    )
  }
}

/** Field by field: spreading the rate takes two microseconds. */
function refused(problem: Problem, access: Access | undefined, { limit, remaining, resetAt }: Rate): Admission {
  return { limit, remaining, resetAt, access, problem, unsettled: false }
}

type Handler = (res: uws.HttpResponse, req: uws.HttpRequest) => void
