/**
 * The pages of lists that were sent before: people ask for the same few. None outlives the version that it is of. All
 * is kept in memory that is there from the start, so the garbage collector has nothing to do with it:
 *
 *   slots   │ hash, lap, at │ …   list's and query's hash names their slot; another query of that slot takes it over
 *                        │        lap 0: asked for once, and kept only if it is asked for again
 *                        ▼
 *   ring    │ … │ list and query's length, the page's, the query, the page │ …      written in laps, over the oldest
 */
import assert from 'node:assert/strict'
import { pagesBytesMax } from '../limits.ts'

const slotCount = 1 << 16
/** 32-bit numbers of a slot. */
const slot = { hash: 0, lap: 1, at: 2, size: 3 } as const
/** 32-bit numbers before an entry's bytes. */
const entry = { key: 0, pageBytes: 1, size: 2 } as const
const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const headBytes = entry.size * wordBytes
const lastAscii = 0x7f
/** Of an entry's key, so many bits have the query's length, those above them the list. */
const lengthBits = 24
assert(pagesBytesMax <= 2 ** lengthBits, 'a query that is kept has a length of so many bits')

/** Whether a page that was asked for was here: the order of what counts them. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

export class PageCache {
  readonly #counts: Float64Array
  readonly #slots = new Uint32Array(slotCount * slot.size)
  readonly #ring = new Uint8Array(new ArrayBuffer(pagesBytesMax))
  readonly #heads = new Uint32Array(this.#ring.buffer)
  #version = ''
  #lap = 1
  /** Where in the ring the next entry goes; what stands behind it is of the lap before. */
  #next = 0

  /** @param counts to be added to: `pageCounts` */
  constructor(counts: Float64Array = new Float64Array(pageCounts.length)) {
    this.#counts = counts
  }

  /** How often a page was asked for and was here, or was not. */
  get hits(): number {
    return this.#counts[hit]!
  }

  get misses(): number {
    return this.#counts[miss]!
  }

  /** Forgets the pages if they are of another version. */
  use(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#slots.fill(0)
  }

  /**
   * The page, good until the next `add`; undefined if it is not kept.
   * @param query an address' query as it was sent
   * @param list whose page: any number below 256
   */
  get(query: string, list: number): Uint8Array | undefined {
    const hash = hashOf(query, list)
    const at = this.#entryAt(slotOf(hash), hash)
    if (at === -1 || !this.#isOf(at, query, list)) {
      this.#counts[miss]!++
      return undefined
    }
    this.#counts[hit]!++
    const pageBytes = this.#heads[at / wordBytes + entry.pageBytes]!
    return new Uint8Array(this.#ring.buffer, at + headBytes + query.length, pageBytes)
  }

  /** Takes note that the page was sent, and keeps a copy if that happened before. */
  add(query: string, list: number, page: Uint8Array): void {
    const hash = hashOf(query, list)
    const place = slotOf(hash)
    const bytes = Math.ceil((headBytes + query.length + page.length) / wordBytes) * wordBytes
    if (this.#slots[place + slot.hash] !== hash) {
      this.#slots[place + slot.hash] = hash
      this.#slots[place + slot.lap] = 0
    } else if (bytes <= this.#ring.length && isAscii(query)) {
      const at = this.#reserve(bytes)
      this.#slots[place + slot.lap] = this.#lap
      this.#slots[place + slot.at] = at
      this.#write(at, query, list, page)
    }
  }

  /** Where the slot's entry starts, -1 if it has none or it has been written over. */
  #entryAt(place: number, hash: number): number {
    const slots = this.#slots
    if (slots[place + slot.hash] !== hash) return -1
    const lap = slots[place + slot.lap]!
    const at = slots[place + slot.at]!
    return lap === this.#lap || (lap === this.#lap - 1 && lap > 0 && at >= this.#next) ? at : -1
  }

  #isOf(at: number, query: string, list: number): boolean {
    if (this.#heads[at / wordBytes + entry.key] !== keyOf(query, list)) return false
    for (let i = 0; i < query.length; i++) if (this.#ring[at + headBytes + i] !== query.charCodeAt(i)) return false
    return true
  }

  /** Where so many bytes can be written. */
  #reserve(bytes: number): number {
    if (this.#next + bytes > this.#ring.length) {
      this.#lap++
      this.#next = 0
    }
    const at = this.#next
    this.#next += bytes
    return at
  }

  #write(at: number, query: string, list: number, page: Uint8Array): void {
    this.#heads[at / wordBytes + entry.key] = keyOf(query, list)
    this.#heads[at / wordBytes + entry.pageBytes] = page.length
    for (let i = 0; i < query.length; i++) this.#ring[at + headBytes + i] = query.charCodeAt(i)
    this.#ring.set(page, at + headBytes + query.length)
  }
}

/** Unsigned. */
const keyOf = (query: string, list: number) => ((list << lengthBits) | query.length) >>> 0

/** FNV-1a over the list and the query's characters; unsigned. */
function hashOf(query: string, list: number): number {
  let hash = 0x811c9dc5 ^ list
  for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Of a hash, the upper bits have seen every character. */
const slotOf = (hash: number) => (hash >>> 16) * slot.size

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > lastAscii) return false
  return true
}
