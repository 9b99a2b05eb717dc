/**
 * Caches rendered pages of lists, because callers request the same few. A new version clears the cache. All memory is
 * allocated at the start, so the garbage collector has no work:
 *
 *   slots   │ hash, lap, at │ …   a hash of list and query selects four slots; a new query replaces the oldest of them,
 *                        │        first those without a page: lap 0, requested once; the second request stores the page
 *                        ▼
 *   ring    │ … │ list and length of the query, length of the page, query, page │ …      laps overwrite the oldest
 */
import assert from 'node:assert/strict'
import { pagesBytesMax } from '../limits.ts'

const groupBits = 14
const groupCount = 1 << groupBits
/** 32-bit numbers of a slot. */
const slot = { hash: 0, lap: 1, at: 2, size: 3 } as const
/** 32-bit numbers of a group: the slots that a hash selects. */
const groupSize = 4 * slot.size
/** 32-bit numbers before an entry's bytes. */
const entry = { key: 0, pageBytes: 1, size: 2 } as const
const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const entryHeaderBytes = entry.size * wordBytes
const lastAscii = 0x7f
/** The low bits of an entry's key have the query's length, those above the list. */
const lengthBits = 24
assert(pagesBytesMax <= 2 ** lengthBits, 'the length of a cached query fits its bits')

/** The order of the counters. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

export class PageCache {
  readonly #counts: Float64Array
  readonly #slots = new Uint32Array(groupCount * groupSize)
  readonly #ring = new Uint8Array(new ArrayBuffer(pagesBytesMax))
  readonly #heads = new Uint32Array(this.#ring.buffer)
  #version = ''
  #lap = 1
  /** Where the next entry starts in the ring; all after it is of the previous lap. */
  #next = 0
  /** New queries so far: the order of those without a page. */
  #queries = 0

  /** @param counts in the order of `pageCounts` */
  constructor(counts: Float64Array = new Float64Array(pageCounts.length)) {
    this.#counts = counts
  }

  get hits(): number {
    return this.#counts[hit]!
  }

  get misses(): number {
    return this.#counts[miss]!
  }

  /** Clears the cache if its pages are of another version. */
  useVersion(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#slots.fill(0)
  }

  /**
   * The page, valid until the next `add`; undefined if it is not cached.
   * @param query as sent
   * @param list the list's key, a number below 256
   */
  get(query: string, list: number): Uint8Array | undefined {
    const hash = hashOf(query, list)
    const place = this.#find(hash)
    const at = place === -1 ? -1 : this.#entryAt(place)
    if (at === -1 || !this.#isOf(at, query, list)) {
      this.#counts[miss]!++
      return undefined
    }
    this.#counts[hit]!++
    const pageBytes = this.#heads[at / wordBytes + entry.pageBytes]!
    return new Uint8Array(this.#ring.buffer, at + entryHeaderBytes + query.length, pageBytes)
  }

  /** Records that the page was sent, and stores a copy the second time. */
  add(query: string, list: number, page: Uint8Array): void {
    const hash = hashOf(query, list)
    const place = this.#find(hash)
    const bytes = Math.ceil((entryHeaderBytes + query.length + page.length) / wordBytes) * wordBytes
    if (place === -1) {
      const oldest = this.#oldest(hash)
      this.#slots[oldest + slot.hash] = hash
      this.#slots[oldest + slot.lap] = 0
      this.#slots[oldest + slot.at] = ++this.#queries
    } else if (bytes <= this.#ring.length && isAscii(query)) {
      const at = this.#reserve(bytes)
      this.#slots[place + slot.lap] = this.#lap
      this.#slots[place + slot.at] = at
      this.#write(at, query, list, page)
    }
  }

  /** Where the slot of that hash starts; -1 if there is none. */
  #find(hash: number): number {
    const group = groupOf(hash)
    for (let place = group; place < group + groupSize; place += slot.size) {
      if (this.#slots[place + slot.hash] === hash) return place
    }
    return -1
  }

  /** Where the oldest slot of the hash's group starts. */
  #oldest(hash: number): number {
    const slots = this.#slots
    const group = groupOf(hash)
    let oldest = group
    for (let place = group + slot.size; place < group + groupSize; place += slot.size) {
      const laps = slots[place + slot.lap]! - slots[oldest + slot.lap]!
      if (laps < 0 || (laps === 0 && slots[place + slot.at]! < slots[oldest + slot.at]!)) oldest = place
    }
    return oldest
  }

  /** Where the slot's entry starts; -1 if it has none, or the entry was overwritten. */
  #entryAt(place: number): number {
    const slots = this.#slots
    const lap = slots[place + slot.lap]!
    const at = slots[place + slot.at]!
    return lap === this.#lap || (lap === this.#lap - 1 && lap > 0 && at >= this.#next) ? at : -1
  }

  #isOf(at: number, query: string, list: number): boolean {
    if (this.#heads[at / wordBytes + entry.key] !== keyOf(query, list)) return false
    for (let i = 0; i < query.length; i++)
      if (this.#ring[at + entryHeaderBytes + i] !== query.charCodeAt(i)) return false
    return true
  }

  /** Reserves so many bytes in the ring. Returns where they start. */
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
    for (let i = 0; i < query.length; i++) this.#ring[at + entryHeaderBytes + i] = query.charCodeAt(i)
    this.#ring.set(page, at + entryHeaderBytes + query.length)
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

/** Where the hash's group starts. The upper bits alone are spread unevenly for short queries. */
const groupOf = (hash: number) => ((hash ^ (hash >>> (32 - groupBits))) & (groupCount - 1)) * groupSize

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > lastAscii) return false
  return true
}
