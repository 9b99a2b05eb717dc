/**
 * A folder behind an address, as a static web server or an object store gives it out. Each file is asked for as it lies there
 * (no encoding), and whatever is wrong is one line with its address: without user info, and never with the operator's header.
 *
 *   ask ── 3xx, the same host ──▶ ask again          3xx, another host ──▶ refused: the header is not for them
 *    └─ 200, 206, 304: its pieces     else refused
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fetchBytesMin, fetchMsMax, fetchResumeMs, redirectsMax } from '../../limits.ts'
import { IndexError } from '../format.ts'
import { Exchange, type Patience } from './exchange.ts'

/** What lies there is not what the manifest says, or not any more: what had come is no good. */
export class OtherContent extends IndexError {}

/** What a server gave with a file, to be asked by it whether the file is still the same. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

interface Text {
  readonly text: string
  /** None if the file could change and keep them. */
  readonly validators: Validators | undefined
}

/** A file that is on its way. */
export interface Coming {
  /** Where it begins. */
  readonly from: number
  /** A value for If-Range, if the server gave one that is good for it. */
  readonly validator: string | undefined
  /** Fewer than the file has where the server ends early without a word; else BrokenOff is thrown. */
  pieces(): AsyncIterable<Uint8Array>
  /** To be called in any case. */
  end(): void
}

/** A web server tells times in seconds: what changed so lately may change again and look the same. */
const settledMs = 2000
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class WebFolder {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #patience: Patience

  /**
   * @param address as INDEX_URL has it
   * @param header as INDEX_URL_HEADER has it
   */
  constructor(
    address: string,
    header: string | undefined,
    patience: Patience = { ms: fetchMsMax, bytes: fetchBytesMin, resumeMs: fetchResumeMs },
  ) {
    const url = new URL(address)
    const { username, password } = url
    url.username = ''
    url.password = ''
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    this.#base = url.href
    const colon = header?.indexOf(':') ?? 0
    this.#headers = {
      ...(username + password === '' ? {} : { authorization: basic(username, password) }),
      ...(header === undefined ? {} : { [header.slice(0, colon).toLowerCase()]: header.slice(colon + 1).trim() }),
      'accept-encoding': 'identity',
    }
    this.#patience = patience
  }

  get resumeMs(): number {
    return this.#patience.resumeMs
  }

  /** Without user info: it may be shown. */
  addressOf(path: string): string {
    return this.#base + path
  }

  /**
   * A small file as it is now. Throws IndexError.
   * @param known of what is known of it: undefined is returned if it is still that
   */
  async text(path: string, bytesMax: number, signal: AbortSignal, known?: Validators): Promise<Text | undefined> {
    const headers: Record<string, string> = { 'cache-control': 'no-cache' }
    if (known?.etag !== undefined) headers['if-none-match'] = known.etag
    if (known?.lastModified !== undefined) headers['if-modified-since'] = known.lastModified
    const exchange = await this.#ask(path, headers, signal)
    try {
      const { status, headers: told } = exchange
      if (status === 304 && known !== undefined) return undefined
      if (status !== 200) throw new IndexError(`${exchange.url} answered ${status}`)
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of exchange.pieces()) {
        bytes += piece.length
        if (bytes > bytesMax) throw new IndexError(`${exchange.url} has more than ${bytesMax} bytes`)
        pieces.push(piece)
      }
      return { text: Buffer.concat(pieces).toString('utf8'), validators: lastingValidators(told) }
    } finally {
      exchange.end()
    }
  }

  /**
   * A file from a byte on, or from its start if the server would have it so. Throws OtherContent if it has another length.
   * @param bytes its length
   * @param validator of what had come before
   */
  async open(
    path: string,
    bytes: number,
    from: number,
    validator: string | undefined,
    signal: AbortSignal,
  ): Promise<Coming> {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` }
    if (from > 0 && validator !== undefined) headers['if-range'] = validator
    const exchange = await this.#ask(path, headers, signal)
    try {
      const { status, headers: told } = exchange
      const start = status === 206 && from > 0 ? from : 0
      if (status === 416) throw new OtherContent(`${exchange.url} answered 416: it is begun anew`)
      if (status !== 200 && start === 0) throw new IndexError(`${exchange.url} answered ${status}`)
      const length = start === 0 ? lengthIn(told) : lengthOfRange(told, start)
      if (length !== undefined && length !== bytes) {
        const said = Number.isNaN(length) ? 'came in another range than was asked for' : `has ${length} bytes`
        throw new OtherContent(`${exchange.url} ${said}, its manifest says ${bytes}: is it still being copied?`)
      }
      return {
        from: start,
        validator: rangeValidator(told),
        pieces: () => exchange.pieces(),
        end: () => exchange.end(),
      }
    } catch (error) {
      exchange.end()
      throw error
    }
  }

  /** Follows redirects within the same host. */
  async #ask(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Exchange> {
    const first = this.addressOf(path)
    for (let url = first, left = redirectsMax; ; left--) {
      const exchange = await Exchange.begin(url, { ...this.#headers, ...headers }, signal, this.#patience)
      try {
        const { status, headers: told } = exchange
        const { location } = told
        if (!redirects.has(status) || location === undefined) {
          const encoding = told['content-encoding'] ?? 'identity'
          if (encoding !== 'identity') throw new IndexError(`${url} came encoded (${encoding.slice(0, 20)}), unasked`)
          return exchange
        }
        if (left === 0) throw new IndexError(`${first} leads on more than ${redirectsMax} times`)
        url = withinHost(url, location, first)
      } catch (error) {
        exchange.end()
        throw error
      }
      exchange.end()
    }
  }
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`

/** @param first where it began, for what is said of it */
function withinHost(from: string, location: string, first: string): string {
  const here = new URL(from)
  if (!URL.canParse(location, from)) throw new IndexError(`${first} leads to what is no address`)
  const there = new URL(location, from)
  const isSafer = here.protocol === 'http:' && there.protocol === 'https:'
  if (there.host !== here.host || (there.protocol !== here.protocol && !isSafer)) {
    throw new IndexError(`${first} leads to another host (${there.protocol}//${there.host}), which is not followed`)
  }
  there.username = ''
  there.password = ''
  there.hash = ''
  return there.href
}

function lengthIn(told: IncomingHttpHeaders): number | undefined {
  const length = told['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Of the whole file; NaN if it is no range from there on. It may be shorter than was asked for. */
function lengthOfRange(told: IncomingHttpHeaders, from: number): number | undefined {
  const [, start, all] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(told['content-range'] ?? '') ?? []
  if (Number(start) !== from) return Number.NaN
  return all === '*' ? undefined : Number(all)
}

/** A weak tag says nothing of single bytes. */
function rangeValidator(told: IncomingHttpHeaders): string | undefined {
  const { etag, 'last-modified': lastModified } = told
  return etag !== undefined && !etag.startsWith('W/') ? etag : lastModified
}

/** Those of a file that could not have changed since it got them, without getting others. */
function lastingValidators(told: IncomingHttpHeaders): Validators | undefined {
  const { etag, 'last-modified': lastModified } = told
  if (etag === undefined && lastModified === undefined) return undefined
  if (lastModified === undefined) return { etag, lastModified }
  const ageMs = Date.parse(told.date ?? '') - Date.parse(lastModified)
  return ageMs >= settledMs ? { etag, lastModified } : undefined
}
