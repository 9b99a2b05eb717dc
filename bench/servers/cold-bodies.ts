import { lineBytes } from '../../src/indexes/format.ts'

/**
 * Makes bodies that are in no CPU cache: each comes from random places in as much memory as the service's cards take.
 *
 *   memory  │ piece ░│ piece ░│ piece ░│ …      each piece starts at a cache line
 *              └───────┐ │ ┌───────┘            one piece: sent from where it is, like card details
 *   body            │ piece │ piece │ …         several: copied one after the other, like a list's items
 */

const wordBytes = 8

export class ColdBodies {
  readonly #memory: SharedArrayBuffer
  readonly #view: DataView
  readonly #pieceBytes: number
  readonly #strideBytes: number
  readonly #places: number
  readonly #pieces: number
  readonly #body: Uint8Array
  readonly #bodyView: DataView
  readonly #from: Uint32Array
  #random = 0x9e3779b9

  constructor(memory: SharedArrayBuffer, bodyBytes: number, pieces: number) {
    this.#memory = memory
    this.#view = new DataView(memory)
    this.#pieces = pieces
    this.#pieceBytes = Math.ceil(bodyBytes / pieces)
    this.#strideBytes = Math.ceil(this.#pieceBytes / lineBytes) * lineBytes
    this.#places = Math.floor(memory.byteLength / this.#strideBytes)
    if (this.#places === 0) throw new Error(`${memory.byteLength} bytes hold no piece of ${this.#pieceBytes}`)
    this.#body = new Uint8Array(this.#pieceBytes * pieces)
    this.#bodyView = new DataView(this.#body.buffer)
    this.#from = new Uint32Array(pieces)
  }

  /** Returns a body, which is valid until the next call. */
  next(): Uint8Array {
    if (this.#pieces === 1) return new Uint8Array(this.#memory, this.#place(), this.#pieceBytes)
    // Reads the first word of every piece before the rest of any, so that the waits for memory overlap.
    for (let i = 0; i < this.#pieces; i++) {
      const from = this.#place()
      this.#from[i] = from
      copyWord(this.#view, from, this.#bodyView, i * this.#pieceBytes)
    }
    for (let i = 0; i < this.#pieces; i++) this.#copy(this.#from[i]!, i * this.#pieceBytes)
    return this.#body
  }

  #place(): number {
    let bits = this.#random
    bits ^= bits << 13
    bits ^= bits >>> 17
    bits ^= bits << 5
    this.#random = bits
    return ((bits >>> 0) % this.#places) * this.#strideBytes
  }

  /** Copies four float64 a turn, which is JavaScript's fastest way to copy a few hundred bytes. */
  #copy(from: number, to: number): void {
    const source = this.#view
    const target = this.#bodyView
    const end = from + this.#pieceBytes
    let i = from
    let at = to
    for (; i + 4 * wordBytes <= end; i += 4 * wordBytes, at += 4 * wordBytes) {
      copyWord(source, i, target, at)
      copyWord(source, i + wordBytes, target, at + wordBytes)
      copyWord(source, i + 2 * wordBytes, target, at + 2 * wordBytes)
      copyWord(source, i + 3 * wordBytes, target, at + 3 * wordBytes)
    }
    for (; i + wordBytes <= end; i += wordBytes, at += wordBytes) copyWord(source, i, target, at)
    for (; i < end; i++, at++) target.setUint8(at, source.getUint8(i))
  }
}

function copyWord(source: DataView, from: number, target: DataView, to: number): void {
  target.setFloat64(to, source.getFloat64(from, true), true)
}

/** Returns memory whose pages are all allocated. Untouched pages would share one page of zeros. */
export function coldMemory(bytes: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes)
  new Uint8Array(memory).fill('x'.charCodeAt(0))
  return memory
}
