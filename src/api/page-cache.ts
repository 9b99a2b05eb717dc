/**
 * Caches rendered pages of lists, because callers request the same few. The second request stores a page. A new version clears
 * the cache.
 *
 * The newer half has what was requested last. When it is full, it becomes the older half, whose other entries are dropped.
 */
import { type Body, Csv } from '../catalog/csv.ts'
import { pagesBytesMax } from '../limits.ts'

/** About what an entry needs besides its query and its page. */
const entryBytes = 200

const requestedCount = 2 ** 16

/** The order of the counters. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

export class PageCache {
  readonly #counts: Float64Array
  #version = ''
  /** By list and query. */
  #newer = new Map<string, Body>()
  #older = new Map<string, Body>()
  /** Of the newer half. */
  #bytes = 0
  /** Hashes of queries that were requested once. A newer one replaces another at its place. */
  readonly #requested = new Uint32Array(requestedCount)

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
    this.#newer.clear()
    this.#older.clear()
    this.#bytes = 0
    this.#requested.fill(0)
  }

  /** The page; undefined if it is not cached. @param query as sent */
  get(list: string, query: string): Body | undefined {
    const key = list + query
    let page = this.#newer.get(key)
    if (page === undefined) {
      page = this.#older.get(key)
      if (page !== undefined) this.#set(key, page)
    }
    this.#counts[page === undefined ? miss : hit]!++
    return page
  }

  /** Records that the page was sent, and stores a copy the second time. */
  add(list: string, query: string, page: Body): void {
    const hash = hashOf(query)
    const place = hash % requestedCount
    if (this.#requested[place] === hash) this.#set(list + query, copyOf(page))
    else this.#requested[place] = hash
  }

  #set(key: string, page: Body): void {
    this.#newer.set(key, page)
    this.#bytes += entryBytes + key.length + bytesOf(page).length
    if (this.#bytes < pagesBytesMax / 2) return
    this.#older = this.#newer
    this.#newer = new Map()
    this.#bytes = 0
  }
}

/** FNV-1a over the query's characters; unsigned. */
function hashOf(query: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const bytesOf = (page: Body): Uint8Array => (page instanceof Csv ? page.body : page)

/** A page is valid until the next one. */
const copyOf = (page: Body): Body => {
  const bytes = new Uint8Array(bytesOf(page))
  return page instanceof Csv ? new Csv(bytes, page.total) : bytes
}
