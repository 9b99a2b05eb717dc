/**
 * A publisher's host, asked politely: one request at a time, each a while after the answer before, no more than may be in a
 * day, and left alone for as long as it asks for.
 *
 *   turn ─ pause, count ─▶ request ─┬─ 200, 206, 304, 416 ─▶ taken ─┬─▶ done
 *    ▲                              │                               └─ broken off ─ a growing pause, three tries ──┐
 *    │                              ├─ 3xx ─ within its hosts ─▶ again                                             │
 *    │                              ├─ 429, 503 ─ as long as it says, ten minutes in all ──────────────────────────┤
 *    │                              └─ 403 and all else ─▶ the run ends                                            │
 *    └─────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 */
import { Agent, type IncomingHttpHeaders } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { BrokenOff, Exchange, type Patience } from '../../src/indexes/sources/exchange.ts'
import {
  fetchResumeBytesMin,
  redirectsMax,
  sourceBusyMsFirst,
  sourceResumesMax,
  sourceRetryMsFirst,
  sourceTextBytesMax,
  sourceThrottledMsFirst,
  sourceTriesMax,
  sourceWaitMsMax,
} from '../../src/limits.ts'
import type { Mirror } from '../fetch-state.ts'
import type { Clock } from './clock.ts'
import { errorText, firstBytes } from './content.ts'
import { FetchError } from './fetch-error.ts'
import { adviceOf, durationText, inBrackets, retryDelayMs, shownAddress } from './told.ts'

export interface RateLimit {
  /** From the end of an answer to the next request. */
  readonly pauseMs: number
  readonly requestsPerDayMax: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  pieces(): AsyncIterable<Uint8Array>
}

export interface Publisher {
  /** `https://tcgcsv.com` */
  readonly address: string
  /** The domains that it is known to use. */
  readonly domains: readonly string[]
  readonly rateLimit: RateLimit
}

export interface HostOptions {
  readonly publisher: Publisher
  /** In the place of the publisher's own address. */
  readonly from: string | undefined
  readonly agent: string
  /** Cut out of all that is shown. */
  readonly secret: string | undefined
  readonly mirror: Mirror
  readonly clock: Clock
  readonly patience: Patience
  /** For whoever watches: what it waits for. */
  readonly onWait: (text: string) => void
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const never = new AbortController().signal

export class Host {
  readonly #options: HostOptions
  readonly #base: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: Agent
  #waitedMs = 0
  /** Of this run. */
  requests = 0

  constructor(options: HostOptions) {
    const { publisher, from, agent } = options
    this.#options = options
    this.#base = new URL(from ?? publisher.address)
    const { username, password } = this.#base
    this.#base.username = ''
    this.#base.password = ''
    const basic = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    this.#headers = {
      'user-agent': agent,
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'gzip',
      ...(basic === ':' ? {} : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    }
    const kept = { keepAlive: true, maxSockets: 1 }
    this.#agent = this.#base.protocol === 'https:' ? new SecureAgent(kept) : new Agent(kept)
  }

  /** Of a path there, without what is secret. */
  shown(path: string): string {
    return shownAddress(this.#urlOf(path))
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Without the secret, as it is and as an address has it. */
  clean(text: string): string {
    const { secret } = this.#options
    if (secret === undefined) return text
    return text.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…')
  }

  /** A publisher's own address of a file, as a path here. Throws FetchError if it leads elsewhere. */
  pathOf(address: string, where: string): string {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (url !== undefined && this.#options.from !== undefined && this.#isPublishers(url))
      return url.pathname + url.search
    if (url !== undefined && this.#isAllowed(url)) return url.href
    const host = url === undefined ? 'no address' : `${url.protocol}//${url.host}`
    throw new FetchError(where, `names a file at ${host}, which is not followed`, 'see whether the publisher has moved')
  }

  /**
   * Asks until it is answered. `take` is given 200, 206, 304 and 416.
   * @param path with the query, or a whole address of `pathOf`
   * @param came how much of the answer has come that need not be asked for again
   */
  async get<Taken>(
    path: string,
    headersOf: () => Readonly<Record<string, string>>,
    take: (answer: Answer) => Promise<Taken>,
    came: () => number = () => 0,
  ): Promise<Taken> {
    let tries = 0
    let resumes = 0
    for (let hasBefore = came(); ; ) {
      try {
        return await this.#ask(this.#urlOf(path), headersOf(), take)
      } catch (error) {
        this.#options.mirror.save()
        if (!(error instanceof BrokenOff)) throw error
        const has = came()
        if (has - hasBefore >= fetchResumeBytesMin && ++resumes <= sourceResumesMax) tries = 0
        hasBefore = has
        if (++tries >= sourceTriesMax || resumes > sourceResumesMax) {
          throw new FetchError(
            this.clean(error.message),
            `(${tries} times)`,
            'see whether it can be reached, and run it again',
          )
        }
        await this.#options.clock.sleep(sourceRetryMsFirst * 2 ** (tries - 1))
      }
    }
  }

  /** A small answer; undefined for a 304. */
  text(path: string, headers: Readonly<Record<string, string>>): Promise<TextAnswer | undefined> {
    return this.get(
      path,
      () => headers,
      async (answer) => {
        if (answer.status === 304) return undefined
        if (answer.status !== 200) throw this.#refused(this.#urlOf(path), answer.status, '')
        const bytes = await firstBytes(answer, sourceTextBytesMax)
        return { text: bytes.toString('utf8'), headers: answer.headers }
      },
    )
  }

  /** One request and its answer; redirects and waits are among it, each a request of its own. */
  async #ask<Taken>(
    first: URL,
    headers: Readonly<Record<string, string>>,
    take: (answer: Answer) => Promise<Taken>,
  ): Promise<Taken> {
    let url = first
    let followed = 0
    for (let busy = 0; ; ) {
      const outcome = await this.#exchange(url, headers, async (exchange) => {
        const { status, headers: told } = exchange
        if (redirects.has(status) && told.location !== undefined) return { to: told.location }
        if (status === 429 || status === 503) return { status, retryAfter: told['retry-after'] }
        if (status === 200 || status === 206 || status === 304 || status === 416) return { taken: await take(exchange) }
        const words = await errorText(exchange)
        if (status >= 500) throw new BrokenOff(`${shownAddress(url)} answered ${status}${inBrackets(words)}`)
        throw this.#refused(url, status, words)
      })
      if ('taken' in outcome) return outcome.taken
      if ('to' in outcome) {
        if (++followed > redirectsMax) {
          throw new FetchError(
            shownAddress(first),
            `leads on more than ${redirectsMax} times`,
            'see what is there by hand',
          )
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
      const connection = { agent: this.#agent, shown: shownAddress(url) }
      const all = { ...this.#headers, ...headers }
      exchange = await Exchange.begin(url.href, all, never, this.#options.patience, connection)
      const result = await use(exchange)
      // A connection is kept only if its answer was read to its end.
      if (exchange.status === 304) for await (const _ of exchange.pieces());
      return result
    } finally {
      exchange?.end()
      this.#options.mirror.state.answeredAtMs = this.#options.clock.now()
    }
  }

  /** Waits until a request may be sent, and counts it. */
  async #waitForTurn(): Promise<void> {
    const { mirror, clock, publisher } = this.#options
    const { pauseMs, requestsPerDayMax } = publisher.rateLimit
    const sinceMs = clock.now() - mirror.state.answeredAtMs
    // A clock that was set back is no reason to wait for longer.
    const leftMs = sinceMs < 0 ? pauseMs : pauseMs - sinceMs
    if (leftMs > 0) {
      if (leftMs > sourceRetryMsFirst) this.#options.onWait(`waits ${durationText(leftMs)}, as its publisher asks for`)
      await clock.sleep(leftMs)
    }
    if (mirror.requestsOfDay(clock.now()) >= requestsPerDayMax) {
      throw new FetchError(
        shownAddress(this.#base),
        `was asked ${requestsPerDayMax.toLocaleString('en')} times in 24 hours, the most that its publisher allows`,
        'run it again in some hours; what came stays',
      )
    }
    mirror.countRequest(clock.now())
    this.requests++
  }

  /** As long as it asks for, ten minutes in all. Throws FetchError if that is too long. */
  async #wait(url: URL, status: number, retryAfter: string | undefined, busy: number): Promise<void> {
    const { mirror, clock } = this.#options
    mirror.save()
    const usual = (status === 429 ? sourceThrottledMsFirst : sourceBusyMsFirst) * 2 ** busy
    const ms = retryDelayMs(retryAfter, clock.now()) ?? usual
    if (this.#waitedMs + ms > sourceWaitMsMax) {
      throw new FetchError(
        shownAddress(url),
        `answered ${status} and wants to be left alone for ${durationText(ms)}`,
        'run it again after that; what came stays',
        status,
      )
    }
    this.#waitedMs += ms
    this.#options.onWait(`answered ${status}: waits ${durationText(ms)}`)
    await clock.sleep(ms)
  }

  #refused(url: URL, status: number, words: string): FetchError {
    const quoted = inBrackets(this.clean(words))
    return new FetchError(shownAddress(url), `answered ${status}${quoted}`, adviceOf(status), status)
  }

  #redirectTarget(from: URL, location: string): URL {
    const there = URL.canParse(location, from.href) ? new URL(location, from) : undefined
    if (there !== undefined && this.#isAllowed(there)) return there
    const host = there === undefined ? 'what is no address' : `${there.protocol}//${there.host}`
    throw new FetchError(
      shownAddress(from),
      `leads to ${this.clean(host)}, which is not followed`,
      'see whether it has moved',
    )
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

interface TextAnswer {
  readonly text: string
  readonly headers: IncomingHttpHeaders
}
