/**
 * The server of one thread. It registers every route of the table with the library.
 *
 *   request ─ route? ─ method? ─ key? ─ data? ─ quota? ─ plan? ─ (body?) ─ parameters ─ answer
 *               404      405     └────── admission.ts ──────┘   └──────── handlers.ts ──────┘
 */

import assert from 'node:assert/strict'
import type { Logger } from 'pino'
import type { Authenticator } from '../accounts/authenticator.ts'
import { Answers } from '../api/answers.ts'
import type { Dataset } from '../api/dataset.ts'
import { Problems } from '../api/problems.ts'
import { allowOf, patternOf, routes } from '../api/routes.ts'
import { quotaWaitMsMax } from '../quota/leases/timing.ts'
import type { ApiForm, Settings } from '../settings.ts'
import { tcglookupAnswers } from '../tcglookup/answers.ts'
import { TcglookupProblems } from '../tcglookup/problems.ts'
import { root, tcglookupRoutes } from '../tcglookup/routes.ts'
import { Admissions, type Endpoint, endpointOf } from './admission.ts'
import { Apps } from './connections/apps.ts'
import { Connections } from './connections/connections.ts'
import type { Downloads } from './connections/long-responses.ts'
import type { HttpRequest, HttpResponse, TemplatedApp } from './connections/uws.ts'
import { ErrorBoundary } from './error-boundary.ts'
import { type Getter, Handlers } from './handlers.ts'
import type { Instrumentation } from './instrumentation.ts'
import { Replies } from './reply.ts'
import { type Handler, isHead } from './request.ts'

/** How long a stopping server waits for bodies, for the quota store, and for downloads. */
const drainMsMax = 5000

assert(quotaWaitMsMax < drainMsMax, 'a stopping server answers all requests that wait for the quota store')

export interface ServerOptions {
  readonly settings: Pick<Settings, 'API_FORM' | 'TLS_CERT'>
  readonly authenticator: Authenticator
  readonly log: Logger
  /** The thread's activity (activity.ts). Undefined if no other thread reads it. */
  readonly activity?: Int32Array | undefined
  /** Undefined if nothing is measured. */
  readonly instrumentation?: Instrumentation | undefined
}

export class Server {
  /** The code that computes responses. Set its `description` before the server listens. */
  readonly answers: Answers
  /** Listens for connections, and changes certificates. */
  readonly apps: Apps
  readonly downloads: Downloads
  readonly waiting: Handlers['waiting']
  readonly #form: ApiForm
  readonly #problems: Readonly<Record<ApiForm, Problems>>
  readonly #tcglookupProblems = new TcglookupProblems()
  readonly #admissions: Admissions
  readonly #replies: Replies
  readonly #errorBoundary: ErrorBoundary
  readonly #handlers: Handlers

  constructor({ settings, authenticator, log, activity, instrumentation }: ServerOptions) {
    this.answers = new Answers(instrumentation)
    this.#form = settings.API_FORM
    this.#problems = { A: new Problems('A'), B: new Problems('B') }
    this.#replies = new Replies(authenticator, instrumentation)
    this.#admissions = new Admissions(authenticator, instrumentation)
    const connections = new Connections(log, instrumentation?.cells.connections)
    this.apps = new Apps(connections, log, (app) => this.#register(app))
    this.#errorBoundary = new ErrorBoundary(log, this.#admissions, this.#replies, connections)
    this.#handlers = new Handlers(this.#admissions, this.#replies, this.#errorBoundary, log)
    if (activity !== undefined) this.#handlers.activity = activity
    this.waiting = this.#handlers.waiting
    this.downloads = this.#replies.downloads
    if (settings.TLS_CERT === undefined) this.apps.answerPlainly()
  }

  /** The served version; undefined while there is none. */
  get data(): Dataset | undefined {
    return this.#handlers.data
  }

  set data(data: Dataset | undefined) {
    this.#handlers.data = data
    this.#replies.version = data?.version ?? ''
  }

  /** From now on, health checks get a 503. All other requests are handled. */
  drain(): void {
    this.#handlers.isDraining = true
  }

  /**
   * Stops accepting connections, waits at most `msMax` for requests in flight, then closes all connections. Returns how
   * many requests got no complete response.
   */
  async stop(msMax = drainMsMax): Promise<number> {
    this.#handlers.stop()
    this.#replies.closing = true
    this.apps.leavePort()
    await this.#handlers.drain(msMax)
    const givenUp = this.waiting.givenUp + this.downloads.count
    this.apps.close()
    return givenUp
  }

  #register(app: TemplatedApp): void {
    const form = this.#form
    const others = { A: this.#tcglookupProblems, B: this.#tcglookupProblems }
    const endpoints = [
      ...routes.map((route) => endpointOf(route, form, this.answers.of[route.operation], this.#problems)),
      ...tcglookupRoutes.map((route) => endpointOf(route, form, tcglookupAnswers[route.operation], others)),
    ]
    for (const [path, ofPath] of Map.groupBy(endpoints, ({ route }) => route.path)) {
      this.#registerPath(app, path, ofPath)
    }
    const unknown: Handler = (res, req) => this.#answerUnknown(res, req)
    app.any('/*', this.#guarded(unknown, this.#problems[this.#form], undefined))
  }

  /** Registers every method of a path. With `any` alone, the library would prefer the GET of a less specific path. */
  #registerPath(app: TemplatedApp, path: string, endpoints: readonly Endpoint[]): void {
    const { problems } = endpoints[0]!
    const hasQuota = endpoints.some(({ route }) => route.plan !== undefined)
    const allow = allowOf(endpoints.map(({ route }) => route))
    const rateOf = (req: HttpRequest) => (hasQuota ? this.#admissions.rateOf(req) : undefined)
    const notAllowed: Handler = (res, req) => {
      this.#replies.send(res, problems.of('METHOD_NOT_ALLOWED'), rateOf(req), { head: isHead(req), allow })
    }
    const allowed: Handler = (res, req) => this.#replies.sendOptions(res, rateOf(req), allow)
    const pattern = patternOf(path)
    // The library never matches an empty parameter, so `/v1/sets//x` needs a pattern of its own. A path that ends with
    // an empty parameter remains unknown.
    const empty = pattern.replace(/:\w+(?=\/)/, '')
    const rejected = this.#guarded(notAllowed, problems, pattern)
    const options = this.#guarded(allowed, problems, pattern)
    const get = endpoints.find(({ route }) => route.method === 'GET')
    const post = endpoints.find(({ route }) => route.method === 'POST')
    for (const registered of new Set([pattern, empty])) {
      app.get(registered, get === undefined ? rejected : this.#getter(get, false))
      app.head(registered, get === undefined ? rejected : this.#getter(get, true))
      app.post(registered, post === undefined ? rejected : this.#poster(post))
      app.options(registered, options)
      app.any(registered, rejected)
    }
  }

  #getter(endpoint: Endpoint, head: boolean): Handler {
    const handlers = this.#handlers
    const isPublic = endpoint.route.plan === undefined
    const getter: Getter = { endpoint, options: { head, hasETag: !isPublic, media: endpoint.route.media } }
    return this.#guarded(
      isPublic
        ? (res, req) => handlers.answerPublic(getter, res, req)
        : (res, req) => handlers.answerGet(getter, res, req),
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
    const path = `${req.getUrl()}/`
    const isOther = path.startsWith(`${root}/`)
    const problems = isOther ? this.#tcglookupProblems : this.#problems[this.#form]
    const rate = isOther || path.startsWith('/v1/') ? this.#admissions.rateOf(req) : undefined
    this.#replies.send(res, problems.of('NOT_FOUND'), rate, { head: isHead(req) })
  }

  /** @param pattern the pattern of the path; undefined for an unknown path */
  #guarded(handler: Handler, problems: Problems, pattern: string | undefined): Handler {
    const guarded = this.#errorBoundary.guarded(handler, problems)
    return this.#replies.instrumentation?.around(guarded, pattern) ?? guarded
  }
}
