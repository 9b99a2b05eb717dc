/**
 * The server of one thread.
 *
 *   request ─ route? ─ method? ─ key? ─ data? ─ quota? ─ plan? ─ (body?) ─ parameters ─ answer
 *               404      405      401     503     429     403    415 413      400        200, 404
 *
 * A GET is answered before its handler returns: nothing is awaited, and the answer is written in one go. What would
 * end the process is kept away from the library: all that is thrown is caught, an answer that comes later (a batch's,
 * once its body is there) has its onAborted, and nothing of a request is echoed in a header. No function is made on a
 * request's way where it can be helped: the loader names each at run time, which costs a microsecond.
 */

import type { Logger } from 'pino'
import type { Gate } from '../accounts/gate.ts'
import type { Dataset } from '../api/dataset.ts'
import { ParameterError, withoutKey } from '../api/parameters.ts'
import { type Problem, Problems } from '../api/problems.ts'
import { type Answer, type Request, type Route, routes } from '../api/routes.ts'
import { batchBodyBytesMax, drainMsMax, loggedAddressCharsMax } from '../limits.ts'
import type { ApiForm, Settings } from '../settings.ts'
import { type Admission, Admissions, type Endpoint } from './admission.ts'
import { readBody } from './body.ts'
import { listenOn } from './listen.ts'
import { type Rate, Replies, type ReplyOptions } from './reply.ts'
import { hasBody, isHead, isJson, noBody, queryOf, SentRequest } from './request.ts'
import { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket, uws } from './uws.ts'
import { type Late, Waiting } from './waiting.ts'

/** A request that waits for its body or for the quota store. */
interface LateRequest extends Late {
  readonly endpoint: Endpoint
  /** As far as it is known. */
  readonly admission: Admission
  readonly options: ReplyOptions
}

interface Post extends LateRequest {
  readonly wrongType: Problem | undefined
}

const plainGet: ReplyOptions = {}
const plainHead: ReplyOptions = { head: true }

export interface ServerOptions {
  readonly settings: Pick<Settings, 'API_FORM' | 'TLS_CERT' | 'TLS_KEY'>
  readonly gate: Gate
  readonly log: Logger
}

export class Server {
  /** The version that answers; undefined while there is none. */
  data: Dataset | undefined
  readonly #app: TemplatedApp
  readonly #form: ApiForm
  readonly #log: Logger
  readonly #logsRequests: boolean
  readonly #problems: Readonly<Record<ApiForm, Problems>>
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #waiting = new Waiting<LateRequest>()
  #listening: us_listen_socket | undefined
  #stopping = false

  constructor({ settings, gate, log }: ServerOptions) {
    this.#form = settings.API_FORM
    this.#log = log
    this.#logsRequests = log.isLevelEnabled('debug')
    this.#problems = { A: new Problems('A'), B: new Problems('B') }
    this.#admissions = new Admissions(gate)
    this.#replies = new Replies(gate)
    this.#app =
      settings.TLS_CERT === undefined || settings.TLS_KEY === undefined
        ? uws().App()
        : uws().SSLApp({ cert_file_name: settings.TLS_CERT, key_file_name: settings.TLS_KEY })
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
    return uws().us_socket_local_port(socket)
  }

  /** Takes no new connections, answers what is in flight, then closes all connections. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#listening !== undefined) uws().us_listen_socket_close(this.#listening)
    for (const late of await this.#waiting.drained(drainMsMax)) this.#giveUp(late)
    this.abort()
  }

  /** Closes all connections at once. */
  abort(): void {
    this.#app.close()
  }

  #register(): void {
    for (const path of new Set(routes.map((route) => route.path))) this.#registerPath(path)
    this.#registerHealth()
    this.#app.any(
      '/*',
      this.#guarded((res, req) => this.#answerUnknown(res, req)),
    )
  }

  #registerPath(path: string): void {
    const get = this.#endpoint(path, 'GET')
    const post = this.#endpoint(path, 'POST')
    const { problems } = (get ?? post)!
    const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ')
    const refuse = this.#guarded((res, req) => {
      const rate = this.#admissions.rateOf(req)
      this.#send(res, problems.of('METHOD_NOT_ALLOWED'), rate, { head: isHead(req), allow })
    }, problems)
    const options = this.#guarded((res, req) => {
      this.#replies.sendOptions(res, this.#admissions.rateOf(req), allow)
    }, problems)
    this.#app.get(path, get ? this.#guarded((res, req) => this.#answerGet(get, res, req, plainGet), problems) : refuse)
    this.#app.head(
      path,
      get ? this.#guarded((res, req) => this.#answerGet(get, res, req, plainHead), problems) : refuse,
    )
    this.#app.post(path, post ? this.#guarded((res, req) => this.#answerPost(post, res, req), problems) : refuse)
    this.#app.options(path, options)
    this.#app.any(path, refuse)
  }

  #endpoint(path: string, method: Route['method']): Endpoint | undefined {
    const route = routes.find((one) => one.path === path && one.method === method)
    if (route === undefined) return undefined
    const form = route.form ?? this.#form
    return { route, problems: this.#problems[form], forTraders: route.traderIn.includes(form) }
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
      this.#guarded((res) =>
        this.#send(res, this.#problems[this.#form].of('METHOD_NOT_ALLOWED'), undefined, { allow }),
      ),
    )
  }

  #health(): Answer {
    if (this.data === undefined || this.#stopping) return this.#problems[this.#form].of('SERVICE_UNAVAILABLE')
    const { version, asOf, cardCount } = this.data
    return Buffer.from(JSON.stringify({ status: 'ok', version, asOf, cards: cardCount }))
  }

  /**
   * Keeps from the library what would end the process: what is thrown, and an answer that it takes for none. Where answers
   * pile up on a connection (the client pipelines, and does not read or has left), the library before v20.77 can drop a
   * body that it was given, and then ends the process unless somebody listens for the end of the request.
   */
  #guarded(handler: Handler, problems = this.#problems[this.#form]): Handler {
    return (res, req) => {
      try {
        res.onAborted(ignoreEnd)
        if (this.#logsRequests) this.#logRequest(req)
        handler(res, req)
      } catch (error) {
        this.#fail(res, problems, error)
      }
    }
  }

  /** Answers that the fault is ours, if the response can still be answered. */
  #fail(res: HttpResponse, problems: Problems, error: unknown): void {
    this.#log.error({ err: error }, 'a request could not be answered')
    try {
      this.#send(res, problems.of('INTERNAL_ERROR'), this.#admissions.rateOfNobody(), { close: true })
    } catch (sending) {
      this.#log.error({ err: sending }, 'nor could it be told so')
    }
  }

  #answerUnknown(res: HttpResponse, req: HttpRequest): void {
    const path = req.getUrl()
    const rate = path === '/v1' || path.startsWith('/v1/') ? this.#admissions.rateOf(req) : undefined
    this.#send(res, this.#problems[this.#form].of('NOT_FOUND'), rate, { head: isHead(req) })
  }

  #answerGet(endpoint: Endpoint, res: HttpResponse, req: HttpRequest, options: ReplyOptions): void {
    const admission = this.#admit(endpoint, req)
    const request = new SentRequest(req)
    if (admission.unsettled) {
      const late = { res, endpoint, admission, options }
      const kept = { id: request.id, query: request.query, body: noBody }
      this.#waiting.begin(late)
      this.#settle(late, (settled) => this.#sendGet(endpoint, res, settled, kept, options))
    } else {
      this.#sendGet(endpoint, res, admission, request, options)
    }
  }

  #sendGet(endpoint: Endpoint, res: HttpResponse, admitted: Admission, request: Request, options: ReplyOptions): void {
    this.#send(res, admitted.problem ?? this.#answer(endpoint, admitted, request), admitted, options)
  }

  #answerPost(endpoint: Endpoint, res: HttpResponse, req: HttpRequest): void {
    const admission = this.#admit(endpoint, req)
    const isRight = isJson(req.getHeader('content-type'))
    const wrongType = isRight ? undefined : endpoint.problems.of('UNSUPPORTED_MEDIA_TYPE')
    const post: Post = { res, endpoint, admission, options: plainGet, wrongType }
    if (!admission.unsettled && (admission.problem ?? wrongType) !== undefined) {
      this.#sendPost(post, admission, noBody)
    } else if (!admission.unsettled && Number(req.getHeader('content-length')) > batchBodyBytesMax) {
      this.#sendPost(post, admission, undefined)
    } else {
      this.#waiting.begin(post)
      if (hasBody(req)) readBody(res, batchBodyBytesMax, (body) => this.#receivePost(post, body))
      else this.#receivePost(post, noBody)
    }
  }

  /** @param body undefined if it is too long; else good until this returns */
  #receivePost(post: Post, body: Uint8Array | undefined): void {
    const { res, endpoint, admission } = post
    if (admission.unsettled) {
      const kept = body?.slice()
      this.#settle(post, (settled) => this.#sendPost(post, settled, kept))
    } else if (this.#waiting.end(post)) {
      try {
        this.#sendPost(post, admission, body)
      } catch (error) {
        this.#fail(res, endpoint.problems, error)
      }
    }
  }

  #sendPost({ res, endpoint, wrongType }: Post, admitted: Admission, body: Uint8Array | undefined): void {
    const problem = admitted.problem ?? wrongType
    if (body === undefined) {
      this.#send(res, problem ?? endpoint.problems.of('PAYLOAD_TOO_LARGE'), admitted, { close: true })
    } else {
      const answer = problem ?? this.#answer(endpoint, admitted, { id: '', query: '', body })
      this.#send(res, answer, admitted, plainGet)
    }
  }

  #admit(endpoint: Endpoint, req: HttpRequest): Admission {
    return this.#admissions.admit(endpoint, req, this.data !== undefined && !this.#stopping)
  }

  /** Calls `finish` when the shared quota store has answered, unless the wait was ended before. */
  #settle(late: LateRequest, finish: (admitted: Admission) => void): void {
    const { res, endpoint, admission } = late
    this.#admissions.settle(endpoint, admission.access!).then(
      (settled) => {
        if (this.#waiting.end(late)) res.cork(() => this.#finish(late, settled, finish))
        else this.#admissions.takeBack(settled)
      },
      (error) => {
        if (this.#waiting.end(late)) res.cork(() => this.#fail(res, endpoint.problems, error))
        else this.#log.error({ err: error }, 'the quota could not be asked for')
      },
    )
  }

  #finish({ res, endpoint }: LateRequest, settled: Admission, finish: (admitted: Admission) => void): void {
    try {
      finish(settled)
    } catch (error) {
      this.#fail(res, endpoint.problems, error)
    }
  }

  /** Answers a request that has waited as long as a stopping server can. */
  #giveUp(late: LateRequest): void {
    if (!this.#waiting.end(late)) return
    const { res, endpoint, admission, options } = late
    const refused = this.#admissions.giveUp(endpoint, admission)
    res.cork(() => this.#send(res, refused.problem!, refused, options))
  }

  #answer({ route, problems }: Endpoint, admitted: Admission, request: Request): Answer {
    try {
      return route.answer(this.data!, request, problems)
    } catch (error) {
      if (error instanceof ParameterError) return problems.invalidParameter(error.message)
      this.#log.error({ err: error, path: route.path }, 'an answer failed')
      this.#admissions.takeBack(admitted)
      return problems.of('INTERNAL_ERROR')
    }
  }

  #send(res: HttpResponse, answer: Answer, rate: Rate | undefined, options: ReplyOptions): void {
    this.#replies.send(res, answer, rate, this.#stopping ? { ...options, close: true } : options)
  }

  #logRequest(req: HttpRequest): void {
    const query = withoutKey(queryOf(req))
    const url = query === '' ? req.getUrl() : `${req.getUrl()}?${query}`
    this.#log.debug({ method: req.getMethod(), url: url.slice(0, loggedAddressCharsMax) }, 'request')
  }
}

const ignoreEnd = () => {}

type Handler = (res: HttpResponse, req: HttpRequest) => void
