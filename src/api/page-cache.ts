/**
 * Caches rendered pages of lists, because callers request the same few. The second request stores a page. A new version clears
 * the cache. The memory of pages is allocated at the start, so the garbage collector has no work:
 *
 *   requested   │ tag │ …        by some bits of the hash of list and query, the other bits of the query requested last
 *   entries     hash → page
 *                       ▼
 *   ring        │ page │ page │ … next → │ oldest page │ …      a new page overwrites the oldest ones
 */
import { type Body, Csv } from '../catalog/card-fields.ts'
import { pagesBytesMax } from '../limits.ts'

const slotBits = 18
const slotCount = 1 << slotBits

/** Left free in the ring for each entry, with as many bytes as its query has characters, so that small entries are not too many. */
const entryBytes = 64

/** The order of the counters. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

interface Entry {
  readonly list: string
  readonly query: string
  readonly page: Body
  readonly hash: number
  /** Where it starts, in all bytes that were ever stored. */
  readonly at: number
  /** The next younger entry. */
  next: Entry | undefined
}

export class PageCache {
  /** In the order of `pageCounts`. */
  readonly counts: Float64Array
  readonly #ring = new Uint8Array(pagesBytesMax)
  #version = ''
  /** By slot, the other bits of the hash of the query that was requested last. */
  readonly #requested = new Uint16Array(slotCount)
  readonly #entries = new Map<number, Entry>()
  #oldest: Entry | undefined
  #youngest: Entry | undefined
  /** All bytes that were ever stored, with those left free. */
  #stored = 0

  constructor(counts: Float64Array = new Float64Array(pageCounts.length)) {
    this.counts = counts
  }

  /** Clears the cache if its pages are of another version. */
  useVersion(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#requested.fill(0)
    this.#entries.clear()
    this.#oldest = undefined
  }

  /** The page, valid until the next `add`; undefined if it is not cached. @param query as sent @param hash `hashOf` both */
  get(list: string, query: string, hash: number): Body | undefined {
    const entry = this.#entries.get(hash)
    const page = entry !== undefined && entry.query === query && entry.list === list ? entry.page : undefined
    this.counts[page === undefined ? miss : hit]!++
    return page
  }

  /** Records that the page was sent, and stores a copy the second time. */
  add(list: string, query: string, hash: number, page: Body): void {
    const slot = slotOf(hash)
    if (this.#requested[slot] === tagOf(hash)) this.#store(hash, list, query, page)
    else this.#requested[slot] = tagOf(hash)
  }

  #store(hash: number, list: string, query: string, page: Body): void {
    const bytes = page instanceof Csv ? page.body : page
    const size = entryBytes + query.length + bytes.length
    if (size > this.#ring.length) return
    const start = this.#stored % this.#ring.length
    if (start + size > this.#ring.length) this.#stored += this.#ring.length - start
    const at = this.#stored
    this.#stored += size
    this.#drop(this.#stored - this.#ring.length)
    const copy = new Uint8Array(this.#ring.buffer, at % this.#ring.length, bytes.length)
    copy.set(bytes)
    const entry = {
      list,
      query,
      page: page instanceof Csv ? new Csv(copy, page.total) : copy,
      hash,
      at,
      next: undefined,
    }
    if (this.#oldest === undefined) this.#oldest = entry
    else this.#youngest!.next = entry
    this.#youngest = entry
    this.#entries.set(hash, entry)
  }

  /** Drops the entries that start before that place. */
  #drop(at: number): void {
    let entry = this.#oldest
    for (; entry !== undefined && entry.at < at; entry = entry.next) {
      if (this.#entries.get(entry.hash) === entry) this.#entries.delete(entry.hash)
    }
    this.#oldest = entry
  }
}

const slotOf = (hash: number): number => hash & (slotCount - 1)
const tagOf = (hash: number): number => hash >>> slotBits

/** FNV-1a over the characters of list and query, as an integer that V8 does not allocate. */
export function hashOf(list: string, query: string): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < list.length; i++) hash = Math.imul(hash ^ list.charCodeAt(i), 0x01000193)
  for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193)
  return hash
}
