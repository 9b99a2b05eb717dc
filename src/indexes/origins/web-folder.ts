/**
 * A folder on a static web server or in an object store. Files are requested without encoding. Redirects are not
 * followed, because the operator's header is meant for this address alone. Each error is one line with the address,
 * without user info and without the header.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fetchBytesMin, fetchMsMax } from '../../limits.ts'
import { IndexError } from '../format.ts'
import { Exchange, Interrupted, type MinimumRate, takeUserInfo } from './http-exchange.ts'

const usualRate: MinimumRate = { ms: fetchMsMax, bytes: fetchBytesMin, resumeMs: 500 }

/** Web servers report times in seconds. So a file that changed within this time may change again and keep its tag. */
const settledMs = 2000

/** A signal that is never aborted. */
export const never = new AbortController().signal

interface Text {
  readonly text: string
  /** The file's tag; undefined if the file may change and keep the same tag. */
  readonly tag: string | undefined
}

export class WebFolder {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #minimumRate: MinimumRate

  /** @param address the value of INDEX_URL @param header the value of INDEX_URL_HEADER */
  constructor(address: string, header: string | undefined, minimumRate = usualRate) {
    const url = new URL(address)
    const authorization = takeUserInfo(url)
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    this.#base = url.href
    const colon = header?.indexOf(':') ?? 0
    this.#headers = {
      ...authorization,
      ...(header === undefined ? {} : { [header.slice(0, colon).toLowerCase()]: header.slice(colon + 1).trim() }),
      'accept-encoding': 'identity',
    }
    this.#minimumRate = minimumRate
  }

  get resumeMs(): number {
    return this.#minimumRate.resumeMs
  }

  /** The address of a file of the folder, without user info. */
  addressOf(path: string): string {
    return this.#base + path
  }

  /**
   * Downloads a small file. Throws IndexError.
   * @param known the tag of the last response. If the file still has this tag, the result is undefined
   */
  async text(path: string, bytesMax: number, signal = never, known?: string): Promise<Text | undefined> {
    const conditions: Record<string, string> = known === undefined ? {} : { 'if-none-match': known }
    const exchange = await this.#ask(path, { 'cache-control': 'no-cache', ...conditions }, signal)
    try {
      const { status, headers } = exchange
      if (status === 304 && known !== undefined) return undefined
      if (status !== 200) throw new IndexError(answered(exchange))
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of exchange.pieces()) {
        bytes += piece.length
        if (bytes > bytesMax) throw new IndexError(`${exchange.url} has more than ${bytesMax} bytes`)
        pieces.push(piece)
      }
      return { text: Buffer.concat(pieces).toString('utf8'), tag: lastingTag(headers) }
    } finally {
      exchange.end()
    }
  }

  /**
   * The bytes of a file from an offset on. Throws Interrupted if the missing bytes can be requested later, else
   * IndexError.
   * @param bytes the length of the whole file
   */
  async *rest(path: string, bytes: number, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const exchange = await this.#ask(path, from === 0 ? {} : { range: `bytes=${from}-` }, signal)
    try {
      const { url, status, headers } = exchange
      if (status >= 500) throw new Interrupted(answered(exchange))
      const isRest = status === 206 && from > 0
      if (status !== 200 && !isRest) throw new IndexError(answered(exchange))
      const length = isRest ? lengthOfRange(headers, from) : Number(headers['content-length'] ?? bytes)
      if (length !== bytes) {
        const said = Number.isNaN(length) ? 'came in another range than was asked for' : `has ${length} bytes`
        throw new IndexError(`${url} ${said}, its manifest says ${bytes}: is it still being copied?`)
      }
      // A server without ranges sends the file from its start.
      let at = isRest ? from : 0
      for await (const piece of exchange.pieces()) {
        const start = Math.max(from - at, 0)
        at += piece.length
        if (at > bytes) throw new IndexError(`${url} has more than the ${bytes} bytes that its manifest says`)
        if (start < piece.length) yield piece.subarray(start)
      }
      if (at < bytes) throw new Interrupted(`${url} ended early`)
    } finally {
      exchange.end()
    }
  }

  async #ask(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Exchange> {
    const url = this.addressOf(path)
    const request = { url, headers: { ...this.#headers, ...headers }, minimumRate: this.#minimumRate }
    const exchange = await Exchange.begin(request, signal)
    const encoding = exchange.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity') return exchange
    exchange.end()
    throw new IndexError(`${url} has an encoding that was not requested (${encoding.slice(0, 20)})`)
  }
}

const answered = ({ url, status }: Exchange): string =>
  `${url} answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`

/**
 * The length of the whole file, from Content-Range. NaN if the range does not start at `from`. The range may be shorter
 * than requested.
 */
function lengthOfRange(received: IncomingHttpHeaders, from: number): number {
  const [, start, all] = /^bytes (\d+)-\d+\/(\d+)$/.exec(received['content-range'] ?? '') ?? []
  return Number(start) === from ? Number(all) : Number.NaN
}

/** The response's tag; undefined if the file may change and keep the tag. */
function lastingTag({ etag, date = '', 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined {
  return lastModified === undefined || Date.parse(date) - Date.parse(lastModified) >= settledMs ? etag : undefined
}
