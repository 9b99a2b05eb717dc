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

/** The order of the counters. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

/** By list and query; null for a page that was requested once. */
type Half = Map<string, Body | null>

export class PageCache {
  readonly #counts: Float64Array
  #version = ''
  #newer: Half = new Map()
  #older: Half = new Map()
  /** Of the newer half. */
  #bytes = 0

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
  }

  /** The page; undefined if it is not cached. @param query as sent */
  get(list: string, query: string): Body | undefined {
    const key = list + query
    let page = this.#newer.get(key)
    if (page === undefined) {
      page = this.#older.get(key)
      if (page) this.#set(key, page)
    }
    this.#counts[page ? hit : miss]!++
    return page ?? undefined
  }

  /** Records that the page was sent, and stores a copy the second time. */
  add(list: string, query: string, page: Body): void {
    const key = list + query
    const isSecond = this.#newer.has(key) || this.#older.has(key)
    this.#set(key, isSecond ? copyOf(page) : null)
  }

  #set(key: string, page: Body | null): void {
    this.#newer.set(key, page)
    this.#bytes += entryBytes + key.length + (page === null ? 0 : bytesOf(page).length)
    if (this.#bytes < pagesBytesMax / 2) return
    this.#older = this.#newer
    this.#newer = new Map()
    this.#bytes = 0
  }
}

const bytesOf = (page: Body): Uint8Array => (page instanceof Csv ? page.body : page)

/** A page in JSON is valid until the next one. */
const copyOf = (page: Body): Body => (page instanceof Csv ? page : new Uint8Array(page))
