/** Card ids as bytes, for look-ups. `takePlain` parses the body of a batch without a string for each id. */
import { batchBodyBytesMax, idCharsMax } from '../limits.ts'

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const arrayEnd = 0x5d
const plainStart = ['{', '"ids"', ':', '['].map((token) => Buffer.from(token))
const plainEnd = Buffer.from('}')

/** 1 for each byte that may be in an id and needs no escape in a JSON string, else 0. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte <= 0x7e && byte !== quote && byte !== backslash ? 1 : 0,
)

export class IdList {
  /** The number of ids. */
  count = 0
  /**
   * The bytes of the ids. Id i starts at starts[i]. A quotation mark follows each id, as in the texts with which ids
   * are compared.
   */
  readonly view: DataView
  readonly starts: Uint32Array
  /** The number of characters of each id, or 0 if no card can have the id. */
  readonly lengths: Uint32Array
  readonly #bytes = new Uint8Array(batchBodyBytesMax)

  /** @param idsMax the list stores at most this many ids. Further ids are only counted */
  constructor(idsMax: number) {
    this.view = new DataView(this.#bytes.buffer)
    this.starts = new Uint32Array(idsMax)
    this.lengths = new Uint32Array(idsMax)
  }

  /** Replaces the list by one id. */
  takeOne(id: string): this {
    this.count = 0
    this.#put(id, 0)
    return this
  }

  /** Replaces the list by these ids. */
  takeAll(ids: readonly string[]): void {
    this.count = 0
    let end = 0
    for (const id of ids) end = this.#put(id, end)
  }

  /**
   * Replaces the list by the ids of a batch's body, if the body has the plain form: the only key is `ids`, and ids are
   * ASCII without escapes. Returns false for any other form, although it may be valid, too.
   *
   *   { "ids" : [ "…" , "…" ] }     blanks are optional
   *
   * @param body at most `batchBodyBytesMax` bytes
   */
  takePlain(body: Uint8Array): boolean {
    this.#bytes.set(body)
    this.count = 0
    const bytes = this.#bytes
    const end = body.length
    let at = 0
    for (let i = 0; i < plainStart.length; i++) {
      at = afterToken(bytes, at, end, plainStart[i]!)
      if (at === -1) return false
    }
    at = afterBlanks(bytes, at, end)
    if (at < end && bytes[at] === arrayEnd) return isPlainEnd(bytes, at + 1, end)
    for (;;) {
      if (at >= end || bytes[at] !== quote) return false
      const start = at + 1
      at = start
      while (at < end && isPlain[bytes[at]!] === 1) at++
      if (at >= end || bytes[at] !== quote) return false
      this.#add(start, at - start)
      at = afterBlanks(bytes, at + 1, end)
      if (at < end && bytes[at] === arrayEnd) return isPlainEnd(bytes, at + 1, end)
      if (at >= end || bytes[at] !== comma) return false
      at = afterBlanks(bytes, at + 1, end)
    }
  }

  /** Appends an id at `start`. Returns where the next id starts. */
  #put(id: string, start: number): number {
    const bytes = this.#bytes
    const length = this.count < this.starts.length && id.length <= idCharsMax ? id.length : 0
    let plain = 1
    for (let i = 0; i < length; i++) {
      const code = id.charCodeAt(i)
      plain &= code < isPlain.length ? isPlain[code]! : 0
      bytes[start + i] = code
    }
    bytes[start + length] = quote
    this.#add(start, plain === 1 ? length : 0)
    return start + length + 1
  }

  #add(start: number, length: number): void {
    const i = this.count++
    if (i >= this.starts.length) return
    this.starts[i] = start
    this.lengths[i] = length <= idCharsMax ? length : 0
  }
}

const isPlainEnd = (bytes: Uint8Array, at: number, end: number): boolean => {
  const after = afterToken(bytes, at, end, plainEnd)
  return after !== -1 && afterBlanks(bytes, after, end) === end
}

/** The position after the token; -1 if the token is not there. Blanks may stand before the token. */
function afterToken(bytes: Uint8Array, start: number, end: number, token: Uint8Array): number {
  const at = afterBlanks(bytes, start, end)
  if (at + token.length > end) return -1
  for (let i = 0; i < token.length; i++) if (bytes[at + i] !== token[i]) return -1
  return at + token.length
}

function afterBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09)) at++
  return at
}
