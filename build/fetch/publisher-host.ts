/**
 * Sends requests to a publisher's host within its rate limit. It sends one request at a time, with a pause after each
 * response, and at most `sourceRequestsPerDayMax` requests in 24 hours.
 *
 *   turn ─ pause, count ─▶ request ─┬─ 200, 206, 304, 416 ─▶ take ──┬─▶ done
 *    ▲                              │                               └─ connection lost ─ growing pauses, 3 tries ──┐
 *    │                              ├─ 3xx ─ within the publisher's hosts ─▶ again                                 │
 *    │                              ├─ 429, 503 ─ Retry-After, ten minutes in all ─────────────────────────────────┤
 *    │                              └─ 403 and all others ─▶ the run ends                                          │
 *    └─────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 */
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { Exchange, Interrupted, type MinimumRate, takeUserInfo } from '../../src/indexes/origins/http-exchange.ts'
import { never } from '../../src/indexes/origins/web-folder.ts'
import type { Mirror } from '../fetch-state.ts'
import { errorText, firstBytes } from './content.ts'
import {
  adviceOf,
  durationText,
  FetchError,
  inBrackets,
  retryDelayMs,
  SourceAway,
  shownAddress,
} from './fetch-errors.ts'
import {
  redirectsMax,
  sourceBusyMsFirst,
  sourcePauseMsMax,
  sourceRequestsPerDayMax,
  sourceRetryMsFirst,
  sourceTextBytesMax,
  sourceThrottledMsFirst,
  sourceTriesMax,
  sourceWaitMsMax,
} from './fetch-limits.ts'

/** The clock of fetches; tests use a faster one. */
export interface Clock {
  /** The time in ms since 1970. */
  now(): number
  /** Never wakes early. */
  sleep(ms: number): Promise<void>
}

/** @param factor how many times faster than real time */
export function clockOf(factor = 1): Clock {
  const started = performance.now()
  const startedAt = Date.now()
  return {
    now: () => startedAt + (performance.now() - started) * factor,
    // A timer may fire slightly early, so a millisecond is added.
    sleep: (ms) => pause(Math.ceil(ms / factor) + 1),
  }
}

export interface Publisher {
  /** `https://tcgcsv.com` */
  readonly address: string
  /** Redirects to other domains are rejected. */
  readonly domains: readonly string[]
  /** The least pause from the end of a response to the next request. */
  readonly pauseMs: number
}

interface HostOptions {
  readonly publisher: Publisher
  /** Replaces the publisher's address. */
  readonly from: string | undefined
  readonly agent: string
  /** This text is removed from all messages. */
  readonly secret: string | undefined
  readonly mirror: Mirror
  readonly clock: Clock
  readonly patience: MinimumRate
  /** Called with the reason of each long pause. */
  readonly onWait: (text: string) => void
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class Host {
  readonly #options: HostOptions
  readonly #base: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: Agent
  #waitedMs = 0
  /** How many requests this run has sent. */
  requests = 0

  constructor(options: HostOptions) {
    const { publisher, from, agent } = options
    this.#options = options
    this.#base = new URL(from ?? publisher.address)
    this.#headers = {
      'user-agent': agent,
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'gzip',
      ...takeUserInfo(this.#base),
    }
    const oneConnection = { keepAlive: true, maxSockets: 1 }
    this.#agent = this.#base.protocol === 'https:' ? new SecureAgent(oneConnection) : new Agent(oneConnection)
  }

  /** The address of a path, without secrets. */
  shown(path: string): string {
    return shownAddress(this.#urlOf(path))
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Removes the secret from a text, both plain and URL-encoded. */
  clean(text: string): string {
    const { secret } = this.#options
    if (secret === undefined) return text
    return text.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…')
  }

  /**
   * Returns what to request for an address that the publisher has published: its path, if `from` replaces the
   * publisher's host, and otherwise the whole address. Throws FetchError if the address is on another host.
   */
  pathOf(address: string, where: string): string {
    const url = URL.parse(address)
    if (url !== null && this.#options.from !== undefined && this.#isPublishers(url)) return url.pathname + url.search
    if (url !== null && this.#isAllowed(url)) return url.href
    const wrong = `names a file at ${hostOf(url)}, which is not followed`
    throw new FetchError(where, wrong, 'check whether the publisher has moved')
  }

  /**
   * Sends a request, and retries it. `take` gets responses of 200, 206, 304 and 416.
   * @param path a path with its query, or a whole address from `pathOf`
   * @param headersOf returns the headers of each try
   */
  async get<Taken>(
    path: string,
    headersOf: () => Readonly<Record<string, string>>,
    take: (response: Exchange) => Promise<Taken>,
  ): Promise<Taken> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#ask(this.#urlOf(path), headersOf(), take)
      } catch (error) {
        this.#options.mirror.save()
        if (!(error instanceof Interrupted)) throw error
        if (tries === sourceTriesMax) {
          const advice = 'check whether it can be reached, and run it again'
          throw new SourceAway(this.clean(error.message), `(${tries} times)`, advice)
        }
        await this.#options.clock.sleep(sourceRetryMsFirst * 2 ** (tries - 1))
      }
    }
  }

  /** Requests a small text; undefined for a 304. */
  text(path: string, headers: Readonly<Record<string, string>>) {
    const take = async (response: Exchange) => {
      if (response.status === 304) return undefined
      if (response.status !== 200) throw this.#rejected(this.#urlOf(path), response.status, '')
      const bytes = await firstBytes(response, sourceTextBytesMax)
      return { text: bytes.toString('utf8'), headers: response.headers }
    }
    return this.get(path, () => headers, take)
  }

  /**
   * Sends a request and takes its response. It follows redirects and waits for pauses. Each redirect is a further
   * request.
   */
  async #ask<Taken>(
    first: URL,
    headers: Readonly<Record<string, string>>,
    take: (response: Exchange) => Promise<Taken>,
  ): Promise<Taken> {
    let url = first
    let followed = 0
    for (let busy = 0; ; ) {
      const outcome = await this.#exchange(url, headers, async (exchange) => {
        const { status } = exchange
        const { location, 'retry-after': retryAfter } = exchange.headers
        if (redirects.has(status) && location !== undefined) return { to: location }
        if (status === 429 || status === 503) return { status, retryAfter }
        if (status === 200 || status === 206 || status === 304 || status === 416) return { taken: await take(exchange) }
        const text = await errorText(exchange)
        if (status >= 500) throw new Interrupted(`${shownAddress(url)} answered ${status}${inBrackets(text)}`)
        throw this.#rejected(url, status, text)
      })
      if ('taken' in outcome) return outcome.taken
      if ('to' in outcome) {
        if (++followed > redirectsMax) {
          const wrong = `redirects more than ${redirectsMax} times`
          throw new FetchError(shownAddress(first), wrong, 'look at the address yourself')
        }
        url = this.#redirectTarget(url, outcome.to)
      } else await this.#wait(url, outcome.status, outcome.retryAfter, busy++)
    }
  }

  async #exchange<Result>(
    url: URL,
    headers: Readonly<Record<string, string>>,
    use: (exchange: Exchange) => Promise<Result>,
  ): Promise<Result> {
    await this.#waitForTurn()
    let exchange: Exchange | undefined
    try {
      const request = { url: url.href, shown: shownAddress(url), agent: this.#agent }
      const all = { headers: { ...this.#headers, ...headers }, minimumRate: this.#options.patience }
      exchange = await Exchange.begin({ ...request, ...all }, never)
      const result = await use(exchange)
      // A connection is reused only if its response was read to the end.
      if (exchange.status === 304) for await (const _ of exchange.pieces());
      return result
    } finally {
      exchange?.end()
      this.#options.mirror.state.answeredAtMs = this.#options.clock.now()
    }
  }

  /** Waits until the rate limit allows a request, and counts it. */
  async #waitForTurn(): Promise<void> {
    const { mirror, clock, publisher } = this.#options
    const { pauseMs } = publisher
    const sinceMs = clock.now() - mirror.state.answeredAtMs
    // If the clock was set back, wait no longer than the pause.
    const leftMs = sinceMs < 0 ? pauseMs : pauseMs - sinceMs
    if (leftMs > 0) {
      if (leftMs > sourceRetryMsFirst) this.#options.onWait(`waits ${durationText(leftMs)}, by its publisher's rules`)
      await clock.sleep(leftMs)
    }
    if (mirror.requestsOfDay(clock.now()) >= sourceRequestsPerDayMax) {
      const most = sourceRequestsPerDayMax.toLocaleString('en')
      const wrong = `was asked ${most} times in 24 hours, the most that its publisher allows`
      throw new FetchError(shownAddress(this.#base), wrong, 'run it again in some hours; received files are kept')
    }
    mirror.countRequest(clock.now())
    this.requests++
  }

  /**
   * Waits as long as the host asks. If a run would wait longer than ten minutes in all, it throws SourceAway, and later
   * runs end at once until the pause is over.
   */
  async #wait(url: URL, status: number, retryAfter: string | undefined, busy: number): Promise<void> {
    const { mirror, clock } = this.#options
    mirror.save()
    const usual = (status === 429 ? sourceThrottledMsFirst : sourceBusyMsFirst) * 2 ** busy
    // A host may ask for a pause of 0 each time. The pauses still grow, so the retries end.
    const askedMs = retryDelayMs(retryAfter, clock.now())
    const ms = Math.max(askedMs ?? usual, sourceRetryMsFirst * 2 ** busy)
    if (this.#waitedMs + ms > sourceWaitMsMax) {
      mirror.state.pausedUntilMs = clock.now() + Math.min(ms, sourcePauseMsMax)
      mirror.state.isPauseAsked = askedMs === ms
      const pause = `a pause of ${durationText(ms)}`
      const wrong = mirror.state.isPauseAsked ? `and asks for ${pause}` : `again and again; this program makes ${pause}`
      const advice = 'run it again after that; received files are kept'
      throw new SourceAway(shownAddress(url), `answered ${status} ${wrong}`, advice)
    }
    this.#waitedMs += ms
    this.#options.onWait(`answered ${status}: waits ${durationText(ms)}`)
    await clock.sleep(ms)
  }

  #rejected(url: URL, status: number, text: string): FetchError {
    const quoted = inBrackets(this.clean(text))
    return new FetchError(shownAddress(url), `answered ${status}${quoted}`, adviceOf(status), status)
  }

  #redirectTarget(from: URL, location: string): URL {
    const target = URL.parse(location, from.href)
    if (target !== null && this.#isAllowed(target)) return target
    const wrong = `redirects to ${this.clean(hostOf(target))}, which is not followed`
    throw new FetchError(shownAddress(from), wrong, 'check whether it has moved')
  }

  #isAllowed(url: URL): boolean {
    if (url.username + url.password !== '') return false
    if (this.#options.from === undefined) return url.protocol === 'https:' && this.#isPublishers(url)
    return url.host === this.#base.host && url.protocol === this.#base.protocol
  }

  #isPublishers({ hostname, port }: URL): boolean {
    const { domains } = this.#options.publisher
    return port === '' && domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  }

  #urlOf(path: string): URL {
    if (/^https?:/.test(path)) return new URL(path)
    return new URL(this.#base.href.replace(/\/$/, '') + path)
  }
}

const hostOf = (url: URL | null): string => (url === null ? 'no address' : `${url.protocol}//${url.host}`)
