/**
 * The server of one thread: what the table of routes names, registered with the library.
 *
 *   request ─ route? ─ method? ─ key? ─ data? ─ quota? ─ plan? ─ (body?) ─ parameters ─ answer
 *               404      405     └────── admission.ts ──────┘   └──────── handlers.ts ──────┘
 */

import type { Logger } from 'pino'
import type { Authenticator } from '../accounts/authenticator.ts'
import { Answers } from '../api/answers.ts'
import type { Dataset } from '../api/dataset.ts'
import { Problems } from '../api/problems.ts'
import { allowOf, patternOf, type Route, routes } from '../api/routes.ts'
import { drainMsMax } from '../limits.ts'
import type { ApiForm, Settings } from '../settings.ts'
import { Admissions } from './admission.ts'
import { Apps, type CertificateFiles } from './apps.ts'
import { Connections } from './connections.ts'
import { type Endpoint, endpointOf } from './endpoint.ts'
import { ErrorBoundary, type Handler } from './error-boundary.ts'
import { Handlers } from './handlers.ts'
import type { Instrumentation } from './instrumentation.ts'
import { Replies, type ReplyOptions } from './reply.ts'
import { isHead } from './request.ts'
import type { HttpRequest, HttpResponse, TemplatedApp } from './uws.ts'

export interface ServerOptions {
  readonly settings: Pick<Settings, 'API_FORM' | 'TLS_CERT'>
  readonly gate: Authenticator
  readonly log: Logger
  /** Absent where answers are not counted. */
  readonly meter?: Instrumentation | undefined
}

export class Server {
  /** What its answers keep. */
  readonly answers: Answers
  readonly #apps: Apps
  readonly #form: ApiForm
  readonly #problems: Readonly<Record<ApiForm, Problems>>
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #faults: ErrorBoundary
  readonly #handlers: Handlers
  readonly #meter: Instrumentation | undefined

  constructor({ settings, gate, log, meter }: ServerOptions) {
    this.answers = new Answers(meter)
    this.#meter = meter
    this.#form = settings.API_FORM
    this.#problems = { A: new Problems('A'), B: new Problems('B') }
    this.#admissions = new Admissions(gate, meter && (() => meter.cameAt))
    this.#replies = meter?.replies(gate) ?? new Replies(gate)
    const connections = new Connections(log, meter?.cells.connections)
    this.#apps = new Apps(connections, (app) => this.#register(app))
    this.#faults = new ErrorBoundary(log, this.#admissions, this.#replies, connections)
    this.#handlers = new Handlers(this.#admissions, this.#replies, this.#faults, log, meter)
    if (settings.TLS_CERT === undefined) this.#apps.answerPlainly()
  }

  /** The version that answers; undefined while there is none. */
  get data(): Dataset | undefined {
    return this.#handlers.data
  }

  set data(data: Dataset | undefined) {
    this.#handlers.data = data
    this.#replies.version = data?.version ?? ''
  }

  /** @param description the interface described, as it is sent */
  describe(description: Uint8Array): void {
    this.answers.description = description
    this.#handlers.beDescribed()
  }

  /** How many long answers are being sent. */
  get downloads(): number {
    return this.#replies.downloads.count
  }

  /** The requests that wait. */
  get waiting() {
    return this.#handlers.waiting
  }

  /**
   * New connections have this certificate from now on; with TLS, one must be there before it listens. Throws if it can't
   * be read.
   */
  secure(certificate: CertificateFiles): void {
    this.#apps.secure(certificate)
  }

  /**
   * @param port 0 for any free one
   * @param exclusive the port is not shared with other threads
   * @returns the port, or undefined if it can't be had
   */
  listen(host: string, port: number, exclusive: boolean): Promise<number | undefined> {
    return this.#apps.listen(host, port, exclusive)
  }

  /** Tells those who ask for its health that it will stop, and answers all else as before. */
  drain(): void {
    this.#handlers.isDraining = true
  }

  /** Takes no new connections, answers what is in flight within `msMax`, then closes all connections. Returns how many requests it gave up. */
  async stop(msMax = drainMsMax): Promise<number> {
    this.#handlers.stop()
    this.#replies.closing = true
    this.#apps.leavePort()
    await this.#handlers.drain(msMax)
    const givenUp = this.waiting.givenUp + this.downloads
    this.abort()
    return givenUp
  }

  /** Closes all connections at once. */
  abort(): void {
    this.#apps.close()
  }

  #register(app: TemplatedApp): void {
    for (const path of new Set(routes.map((route) => route.path))) {
      this.#registerPath(
        app,
        path,
        routes.filter((route) => route.path === path),
      )
    }
    const unknown: Handler = (res, req) => this.#answerUnknown(res, req)
    app.any('/*', this.#guarded(unknown, this.#problems[this.#form], undefined))
  }

  /** Every method by itself: `any` alone would leave a path to the GET of one that is written less exactly. */
  #registerPath(app: TemplatedApp, path: string, ofPath: readonly Route[]): void {
    const endpoints = ofPath.map((route) => endpointOf(route, this.#form, this.answers, this.#problems))
    const { problems } = endpoints[0]!
    const tellsQuota = ofPath.some(({ plan }) => plan !== undefined)
    const allow = allowOf(ofPath)
    const rateOf = (req: HttpRequest) => (tellsQuota ? this.#admissions.rateOf(req) : undefined)
    const refused: Handler = (res, req) => {
      this.#replies.send(res, problems.of('METHOD_NOT_ALLOWED'), rateOf(req), { head: isHead(req), allow })
    }
    const tell: Handler = (res, req) => this.#replies.sendOptions(res, rateOf(req), allow)
    const pattern = patternOf(path)
    // To the library a parameter is never empty. At a path's end it would be: that is another path with a slash too many.
    const empty = pattern.replace(/:\w+(?=\/)/, '')
    const refuse = this.#guarded(refused, problems, pattern)
    const options = this.#guarded(tell, problems, pattern)
    const get = endpoints.find(({ route }) => route.method === 'GET')
    const post = endpoints.find(({ route }) => route.method === 'POST')
    for (const registered of new Set([pattern, empty])) {
      app.get(registered, get === undefined ? refuse : this.#getter(get, false))
      app.head(registered, get === undefined ? refuse : this.#getter(get, true))
      app.post(registered, post === undefined ? refuse : this.#poster(post))
      app.options(registered, options)
      app.any(registered, refuse)
    }
  }

  #getter(endpoint: Endpoint, head: boolean): Handler {
    const handlers = this.#handlers
    const isOpen = endpoint.route.plan === undefined
    const options: ReplyOptions = { head, tagged: !isOpen, media: endpoint.route.media }
    return this.#guarded(
      isOpen
        ? (res, req) => handlers.answerAnyone(endpoint, res, req, options)
        : (res, req) => handlers.answerGet(endpoint, res, req, options),
      endpoint.problems,
      patternOf(endpoint.route.path),
    )
  }

  #poster(endpoint: Endpoint): Handler {
    const handlers = this.#handlers
    const { bytesMax } = endpoint.route.body!
    return this.#guarded(
      (res, req) => handlers.answerPost(endpoint, bytesMax, res, req),
      endpoint.problems,
      patternOf(endpoint.route.path),
    )
  }

  #answerUnknown(res: HttpResponse, req: HttpRequest): void {
    const path = req.getUrl()
    const rate = path === '/v1' || path.startsWith('/v1/') ? this.#admissions.rateOf(req) : undefined
    this.#replies.send(res, this.#problems[this.#form].of('NOT_FOUND'), rate, { head: isHead(req) })
  }

  /** @param pattern of the path, undefined if none has it */
  #guarded(handler: Handler, problems: Problems, pattern: string | undefined): Handler {
    const guarded = this.#faults.guarded(handler, problems)
    return this.#meter?.around(guarded, pattern) ?? guarded
  }
}
