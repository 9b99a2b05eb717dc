/** Answers put together from texts that are rendered already. One buffer serves all: an answer is sent before the next. */
import type { Texts } from '../indexes/cards-file.ts'

const comma = 0x2c

export class PageBuffer {
  #buffer: Buffer
  #length = 0

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes)
  }

  /** Drops what was there and starts with `text`, which is ASCII. */
  start(text: string): void {
    this.#length = 0
    this.addAscii(text)
  }

  addAscii(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#buffer.write(text, this.#length, 'latin1')
  }

  /** Copies bytes[from] up to bytes[to]. */
  addBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from)
    this.#buffer.set(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from), this.#length)
    this.#length += to - from
  }

  /** Adds text `i`, and a comma before it unless it is the first of its list. */
  addItem(texts: Texts, i: number, first: boolean): void {
    const from = texts.at[i]!
    const to = texts.at[i + 1]!
    this.#reserve(to - from + 1)
    if (!first) this.#buffer[this.#length++] = comma
    this.addBytes(texts.bytes, from, to)
  }

  /** The answer; it holds until the next `start`. */
  finish(text: string): Uint8Array {
    this.addAscii(text)
    return new Uint8Array(this.#buffer.buffer, 0, this.#length)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
