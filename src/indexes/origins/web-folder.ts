/**
 * A folder on a static web server or in an object store. Files are requested without encoding. Each error is one line with
 * the address, without user info and without the operator's header.
 *
 *   request ── 3xx, same host ──▶ request again      3xx, other host ──▶ error: the header is not for them
 *    └─ 200, 206, 304: the body       else an error
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fetchBytesMin, fetchMsMax, fetchResumeMs, redirectsMax } from '../../limits.ts'
import { IndexError } from '../format.ts'
import { Exchange, type MinimumRate } from './exchange.ts'

/** The remote file differs from the manifest. The bytes received are useless. */
export class ContentMismatch extends IndexError {}

/** Validators of a file, for conditional requests. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

interface Text {
  readonly text: string
  /** Undefined if the file could change and keep them. */
  readonly validators: Validators | undefined
}

/** A file that is being received. */
export interface IncomingFile {
  /** The offset of the first byte. */
  readonly from: number
  /** A value for If-Range; undefined if the server sent none that is valid there. */
  readonly validator: string | undefined
  /** May end early without an error, if the server closes the response. Throws Interrupted if the connection fails. */
  pieces(): AsyncIterable<Uint8Array>
  /** The caller must always call it. */
  end(): void
}

/** Web servers report times in seconds: a file that changed more recently may change again without a new time. */
const settledMs = 2000
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class WebFolder {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #minimumRate: MinimumRate

  /**
   * @param address as INDEX_URL has it
   * @param header as INDEX_URL_HEADER has it
   */
  constructor(
    address: string,
    header: string | undefined,
    minimumRate: MinimumRate = { ms: fetchMsMax, bytes: fetchBytesMin, resumeMs: fetchResumeMs },
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
    this.#minimumRate = minimumRate
  }

  get resumeMs(): number {
    return this.#minimumRate.resumeMs
  }

  /** Without user info, for messages. */
  addressOf(path: string): string {
    return this.#base + path
  }

  /**
   * Downloads a small file. Throws IndexError.
   * @param known validators of the last response: returns undefined if the file is the same
   */
  async text(path: string, bytesMax: number, signal: AbortSignal, known?: Validators): Promise<Text | undefined> {
    const headers: Record<string, string> = { 'cache-control': 'no-cache' }
    if (known?.etag !== undefined) headers['if-none-match'] = known.etag
    if (known?.lastModified !== undefined) headers['if-modified-since'] = known.lastModified
    const exchange = await this.#ask(path, headers, signal)
    try {
      const { status, headers: received } = exchange
      if (status === 304 && known !== undefined) return undefined
      if (status !== 200) throw new IndexError(`${exchange.url} answered ${status}`)
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of exchange.pieces()) {
        bytes += piece.length
        if (bytes > bytesMax) throw new IndexError(`${exchange.url} has more than ${bytesMax} bytes`)
        pieces.push(piece)
      }
      return { text: Buffer.concat(pieces).toString('utf8'), validators: lastingValidators(received) }
    } finally {
      exchange.end()
    }
  }

  /**
   * Requests a file from a byte on; the server may start at 0 instead. Throws ContentMismatch if it has another length.
   * @param bytes its length
   * @param validator of the bytes before
   */
  async open(
    path: string,
    bytes: number,
    from: number,
    validator: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingFile> {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` }
    if (from > 0 && validator !== undefined) headers['if-range'] = validator
    const exchange = await this.#ask(path, headers, signal)
    try {
      const { status, headers: received } = exchange
      const start = status === 206 && from > 0 ? from : 0
      if (status === 416) throw new ContentMismatch(`${exchange.url} answered 416: it is begun anew`)
      if (status !== 200 && start === 0) throw new IndexError(`${exchange.url} answered ${status}`)
      const length = start === 0 ? lengthIn(received) : lengthOfRange(received, start)
      if (length !== undefined && length !== bytes) {
        const said = Number.isNaN(length) ? 'came in another range than was asked for' : `has ${length} bytes`
        throw new ContentMismatch(`${exchange.url} ${said}, its manifest says ${bytes}: is it still being copied?`)
      }
      return {
        from: start,
        validator: rangeValidator(received),
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
      const exchange = await Exchange.begin(url, { ...this.#headers, ...headers }, signal, this.#minimumRate)
      try {
        const { status, headers: received } = exchange
        const { location } = received
        if (!redirects.has(status) || location === undefined) {
          const encoding = received['content-encoding'] ?? 'identity'
          if (encoding !== 'identity')
            throw new IndexError(`${url} has an encoding that was not requested (${encoding.slice(0, 20)})`)
          return exchange
        }
        if (left === 0) throw new IndexError(`${first} redirects more than ${redirectsMax} times`)
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

/** @param first the first address, for messages */
function withinHost(from: string, location: string, first: string): string {
  const here = new URL(from)
  if (!URL.canParse(location, from)) throw new IndexError(`${first} redirects to an invalid address`)
  const there = new URL(location, from)
  const isSafer = here.protocol === 'http:' && there.protocol === 'https:'
  if (there.host !== here.host || (there.protocol !== here.protocol && !isSafer)) {
    throw new IndexError(`${first} redirects to another host (${there.protocol}//${there.host}), which is not allowed`)
  }
  there.username = ''
  there.password = ''
  there.hash = ''
  return there.href
}

function lengthIn(received: IncomingHttpHeaders): number | undefined {
  const length = received['content-length']
  return length === undefined ? undefined : Number(length)
}

/** The length of the whole file by Content-Range; NaN if the range does not start at `from`. The range may be shorter than requested. */
function lengthOfRange(received: IncomingHttpHeaders, from: number): number | undefined {
  const [, start, all] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(received['content-range'] ?? '') ?? []
  if (Number(start) !== from) return Number.NaN
  return all === '*' ? undefined : Number(all)
}

/** If-Range does not allow weak tags. */
function rangeValidator(received: IncomingHttpHeaders): string | undefined {
  const { etag, 'last-modified': lastModified } = received
  return etag !== undefined && !etag.startsWith('W/') ? etag : lastModified
}

/** Validators that must change with the file. */
function lastingValidators(received: IncomingHttpHeaders): Validators | undefined {
  const { etag, 'last-modified': lastModified } = received
  if (etag === undefined && lastModified === undefined) return undefined
  if (lastModified === undefined) return { etag, lastModified }
  const ageMs = Date.parse(received.date ?? '') - Date.parse(lastModified)
  return ageMs >= settledMs ? { etag, lastModified } : undefined
}
