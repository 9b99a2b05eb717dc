/**
 * Assembles responses from rendered texts. A caller uses one buffer for all its responses. It sends a response before
 * it assembles the next one.
 */
import { lineBytes } from '../indexes/format.ts'
import { firstPlain, phrases } from '../indexes/phrases.ts'
import { answerBytesMax } from '../limits.ts'

/** The widest number that V8 can copy without an allocation is a float64. */
const doubleBytes = Float64Array.BYTES_PER_ELEMENT

/** A rendered text in shared memory, from which responses are copied. */
export class SharedText {
  readonly bytes: Uint8Array
  readonly view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

/**
 * The items of a list. Item i is `sources[i]` from `from[i]` up to, but not including, `to[i]`, which is not past the
 * source's end. The next list overwrites it.
 */
export class Items {
  count = 0
  readonly sources: SharedText[] = []
  readonly from: Uint32Array
  readonly to: Uint32Array

  constructor(countMax: number) {
    this.from = new Uint32Array(countMax)
    this.to = new Uint32Array(countMax)
  }

  add(source: SharedText, from: number, to: number): void {
    this.sources[this.count] = source
    this.from[this.count] = from
    const end = source.bytes.length
    this.to[this.count++] = to < end ? to : end
  }
}

/** The phrases as bytes. Each is padded to whole words, so that it can be copied word by word. */
const phraseViews = phrases.map((phrase) => {
  const view = new DataView(new ArrayBuffer(Math.ceil(phrase.length / doubleBytes) * doubleBytes))
  new Uint8Array(view.buffer).set(Buffer.from(phrase))
  return view
})
/** Copying a phrase (indexes/phrases.ts) writes at most this many bytes, including padding. */
const phraseBytesMax = doubleBytes + Math.max(...phrases.map(({ length }) => length))

const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const digitZero = 0x30
const int32Max = 2 ** 31 - 1
const decimalCharsMax = `-${int32Max}.00`.length

export class AnswerBuffer {
  #bytes!: Uint8Array
  #view!: DataView
  #length = 0

  /** @param bytes initial size; the buffer grows */
  constructor(bytes = 64 * 1024) {
    this.#setBuffer(new ArrayBuffer(bytes))
  }

  /** Starts a new response with `text`, which is ASCII. */
  start(text: string): void {
    this.#length = 0
    this.addAscii(text)
  }

  addAscii(text: string): void {
    this.#reserve(text.length)
    const bytes = this.#bytes
    const start = this.#length
    for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i)
    this.#length = start + text.length
  }

  /** Adds the number units / scale, written as JSON.stringify writes it. @param units a whole number */
  addDecimal(units: number, scale: 10 | 100): void {
    const size = Math.abs(units)
    if (size > int32Max) {
      this.addAscii(String(units / scale))
      return
    }
    this.#reserve(decimalCharsMax)
    const bytes = this.#bytes
    let at = this.#length
    if (units < 0) bytes[at++] = minus
    let whole = (size / scale) | 0
    const rest = size - whole * scale
    for (let bound = 10; whole >= bound; bound *= 10) at++
    const end = at + 1
    do {
      const tenth = (whole / 10) | 0
      bytes[at--] = digitZero + whole - 10 * tenth
      whole = tenth
    } while (whole > 0)
    at = end
    if (rest > 0) {
      const first = scale === 10 ? rest : (rest / 10) | 0
      bytes[at++] = point
      bytes[at++] = digitZero + first
      if (scale === 100 && rest > 10 * first) bytes[at++] = digitZero + rest - 10 * first
    }
    this.#length = at
  }

  /** A response that lists the items and ends with `end`. It is valid until the next `start`. */
  list(items: Items, end: string): Uint8Array {
    const { count, sources, from, to } = items
    this.start('{"data":[')
    let bytes = count
    for (let i = 0; i < count; i++) bytes += to[i]! - from[i]!
    this.#reserve(bytes)
    this.prefetch(items)
    let at = this.#length
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#bytes[at++] = comma
      this.#copy(sources[i]!, from[i]!, to[i]!, at)
      at += to[i]! - from[i]!
    }
    this.#length = at
    return this.finish(end)
  }

  /**
   * Reads one byte of each cache line of all items, before the items are copied. Most lines are not in the cache yet.
   * The loop is so short that the processor loads several lines at once.
   */
  prefetch({ count, sources, from, to }: Items): void {
    if (count === 0) return
    this.#reserve(1)
    let { bytes } = sources[0]!
    let read = 0
    for (let i = 0; i < count; i++) {
      if (sources[i]!.bytes !== bytes) bytes = sources[i]!.bytes
      const end = to[i]!
      for (let at = from[i]!; at < end; at += lineBytes) read |= bytes[at]!
    }
    // Without this store, the compiler would remove the reads. The first item overwrites the byte.
    this.#bytes[this.#length] = read
  }

  /** Adds source[from] up to source[to]. */
  addBytes(source: SharedText, from: number, to: number): void {
    this.#reserve(to - from)
    this.#copy(source, from, to, this.#length)
    this.#length += to - from
  }

  /** Adds source[from] up to source[to], and replaces each character that stands for a phrase by the phrase. */
  addPhrased({ bytes }: SharedText, from: number, to: number): void {
    this.#reserve((to - from) * phraseBytesMax)
    const own = this.#view
    const target = this.#bytes
    let at = this.#length
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!
      if (byte >= firstPlain) {
        target[at++] = byte
        continue
      }
      const view = phraseViews[byte - 1]!
      for (let k = 0; k < view.byteLength; k += doubleBytes) copyDouble(view, k, own, at + k)
      at += phrases[byte - 1]!.length
    }
    this.#length = at
  }

  /** The response, valid until the next `start`. */
  finish(text: string): Uint8Array {
    this.addAscii(text)
    return new Uint8Array(this.#view.buffer, 0, this.#length)
  }

  /**
   * Copies source[from] up to source[to] as float64, eight bytes at a time. JavaScript's own copy reads shared memory
   * byte by byte, which is slower. The source is UTF-8, so no float64 is a NaN, whose bits a copy could change. The
   * last byte of a NaN is 7F or FF, and the byte before it is F0 or above. In UTF-8, only a byte from 80 to BF may
   * follow such a byte. The last copy overlaps the one before it, because that is cheaper than copying the remaining
   * bytes one by one.
   */
  #copy(source: SharedText, from: number, to: number, target: number): void {
    const { view } = source
    const own = this.#view
    let at = target
    let i = from
    // Unrolled, because an iteration of the loop costs as much as copying a float64.
    for (; i + 4 * doubleBytes <= to; i += 4 * doubleBytes, at += 4 * doubleBytes) {
      copyDouble(view, i, own, at)
      copyDouble(view, i + doubleBytes, own, at + doubleBytes)
      copyDouble(view, i + 2 * doubleBytes, own, at + 2 * doubleBytes)
      copyDouble(view, i + 3 * doubleBytes, own, at + 3 * doubleBytes)
    }
    for (; i + doubleBytes <= to; i += doubleBytes, at += doubleBytes) copyDouble(view, i, own, at)
    if (i === to) return
    if (to - from >= doubleBytes) copyDouble(view, to - doubleBytes, own, at + (to - i) - doubleBytes)
    else for (; i < to; i++, at++) this.#bytes[at] = source.bytes[i]!
  }

  /** Throws RangeError if the response would be longer than `answerBytesMax`. */
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    if (!(this.#length + bytes <= answerBytesMax)) throw new RangeError('a response would be too long')
    const before = this.#bytes
    this.#setBuffer(new ArrayBuffer(2 * (this.#length + bytes)))
    this.#bytes.set(before)
  }

  #setBuffer(buffer: ArrayBuffer): void {
    this.#bytes = new Uint8Array(buffer)
    this.#view = new DataView(buffer)
  }
}

function copyDouble(source: DataView, from: number, target: DataView, at: number): void {
  target.setFloat64(at, source.getFloat64(from, true), true)
}

/** The text after the items of a page. */
export const envelopeEnd = (total: number, limit: number, offset: number): string =>
  `],"total":${total},"limit":${limit},"offset":${offset}}`
