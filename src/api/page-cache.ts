/**
 * Caches rendered pages of lists, because callers request the same few. The second request stores a page. A new version clears
 * the cache. The memory of pages is allocated at the start, so the garbage collector has no work:
 *
 *   ring    │ page │ page │ … next → │ oldest page │ …      a new page overwrites the oldest ones
 */
import { type Body, Csv } from '../catalog/card-fields.ts'
import { pagesBytesMax } from '../limits.ts'

/** About what an entry needs besides its query and its page. It is left free in the ring, so small pages are not too many. */
const entryBytes = 200

const requestedCount = 2 ** 16

/** The order of the counters. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

interface Entry {
  readonly at: number
  readonly end: number
  readonly page: Body
}

export class PageCache {
  /** In the order of `pageCounts`. */
  readonly counts: Float64Array
  readonly #ring = new Uint8Array(pagesBytesMax)
  #version = ''
  /** By list and query, the oldest first. */
  readonly #entries = new Map<string, Entry>()
  /** Where the next entry starts in the ring. */
  #next = 0
  /** Hashes of queries that were requested once. A newer one replaces another at its place. */
  readonly #requested = new Uint32Array(requestedCount)

  constructor(counts: Float64Array = new Float64Array(pageCounts.length)) {
    this.counts = counts
  }

  /** Clears the cache if its pages are of another version. */
  useVersion(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#entries.clear()
    this.#next = 0
    this.#requested.fill(0)
  }

  /** The page, valid until the next `add`; undefined if it is not cached. @param query as sent */
  get(list: string, query: string): Body | undefined {
    const page = this.#entries.get(list + query)?.page
    this.counts[page === undefined ? miss : hit]!++
    return page
  }

  /** Records that the page was sent, and stores a copy the second time. */
  add(list: string, query: string, page: Body): void {
    const hash = hashOf(query)
    const place = hash % requestedCount
    if (this.#requested[place] === hash) this.#store(list + query, page)
    else this.#requested[place] = hash
  }

  #store(key: string, page: Body): void {
    const bytes = page instanceof Csv ? page.body : page
    const size = entryBytes + key.length + bytes.length
    if (size > this.#ring.length) return
    if (this.#next + size > this.#ring.length) {
      this.#drop(this.#next, this.#ring.length)
      this.#next = 0
    }
    const at = this.#next
    const end = at + size
    this.#drop(at, end)
    this.#next = end
    const copy = this.#ring.subarray(at, at + bytes.length)
    copy.set(bytes)
    this.#entries.set(key, { at, end, page: page instanceof Csv ? new Csv(copy, page.total) : copy })
  }

  /** Drops the oldest entries: those between two places of the ring. */
  #drop(from: number, to: number): void {
    for (const [key, entry] of this.#entries) {
      if (entry.end <= from || entry.at >= to) return
      this.#entries.delete(key)
    }
  }
}

/** FNV-1a over the query's characters; unsigned. */
function hashOf(query: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
