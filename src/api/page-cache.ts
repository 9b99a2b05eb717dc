/**
 * Caches rendered pages of lists, because callers request the same few pages again and again. The second request for a
 * page stores it. A new version clears the cache. All memory is allocated at the start, so the garbage collector has no
 * work:
 *
 *   requested   │ tag │ …
 *   places      │ place │ …
 *                    ▼
 *   ring        │ lengths, list, query, page │ … next → │ oldest page │ …      a new page overwrites the oldest ones
 *
 * The hash of list and query selects a page's slot by its lower bits. `requested` has one tag in each slot: the upper
 * bits of the hash that was requested last. `places` has one place in each slot. A page's place is in its slot, or in
 * the slot beside it. A place is the page's position among all bytes that were ever stored, so its remainder by the
 * ring's size is the position in the ring.
 */
import { type Body, Csv } from '../catalog/card-fields.ts'
import { pagesBytesMax } from '../limits.ts'

const slotBits = 18
const slotCount = 1 << slotBits

/**
 * An entry begins with these 32-bit numbers. For CSV, `total` is the number of all rows. For JSON, it is the constant
 * `isJson`.
 */
const head = { list: 0, query: 1, page: 2, total: 3, size: 4 } as const
const isJson = 0xffffffff
const wordBytes = Uint32Array.BYTES_PER_ELEMENT
const lastOneByte = 0xff

/** The names of the counters, in their order. */
export const pageCounts = ['hit', 'miss'] as const
const hit = 0
const miss = 1

export class PageCache {
  /** In the order of `pageCounts`. */
  readonly counts: Float64Array
  readonly #ring = new Uint8Array(pagesBytesMax)
  readonly #heads = new Uint32Array(this.#ring.buffer)
  #version = ''
  readonly #requested = new Uint16Array(slotCount)
  readonly #places = new Float64Array(slotCount)
  /**
   * The place of the next entry. It counts all bytes that were ever stored, and the bytes left free at the ring's end.
   * It starts at the ring's size instead of 0, because in `#places` a 0 stands for an empty slot.
   */
  #stored = pagesBytesMax

  constructor(counts: Float64Array = new Float64Array(pageCounts.length)) {
    this.counts = counts
  }

  /** Clears the cache if its pages belong to another version. */
  useVersion(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#requested.fill(0)
    this.#places.fill(0)
  }

  /**
   * Returns the page, which is valid until the next `add`; undefined if it is not cached.
   * @param query as sent
   * @param hash `hashOf` of list and query
   */
  get(list: string, query: string, hash: number): Body | undefined {
    const slot = slotOf(hash)
    const page = this.#pageAt(this.#places[slot]!, list, query) ?? this.#pageAt(this.#places[slot ^ 1]!, list, query)
    this.counts[page === undefined ? miss : hit]!++
    return page
  }

  /** Records that the page was requested. The second call for a page stores a copy of it. */
  add(list: string, query: string, hash: number, page: Body): void {
    const slot = slotOf(hash)
    if (this.#requested[slot] === tagOf(hash)) this.#store(slot, list, query, page)
    else this.#requested[slot] = tagOf(hash)
  }

  #pageAt(place: number, list: string, query: string): Body | undefined {
    if (this.#stored >= place + pagesBytesMax) return undefined
    const heads = this.#heads
    const start = place % pagesBytesMax
    const at = start / wordBytes
    if (heads[at + head.query] !== query.length || heads[at + head.list] !== list.length) return undefined
    const listAt = start + head.size * wordBytes
    const queryAt = listAt + list.length
    if (!this.#isAt(queryAt, query) || !this.#isAt(listAt, list)) return undefined
    const page = new Uint8Array(this.#ring.buffer, queryAt + query.length, heads[at + head.page]!)
    const total = heads[at + head.total]!
    return total === isJson ? page : new Csv(page, total)
  }

  #isAt(start: number, text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#ring[start + i] !== text.charCodeAt(i)) return false
    return true
  }

  #store(slot: number, list: string, query: string, page: Body): void {
    const key = list + query
    for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > lastOneByte) return
    const bytes = page instanceof Csv ? page.body : page
    const size = Math.ceil((head.size * wordBytes + key.length + bytes.length) / wordBytes) * wordBytes
    if (size > pagesBytesMax) return
    const left = pagesBytesMax - (this.#stored % pagesBytesMax)
    if (size > left) this.#stored += left
    const start = this.#stored % pagesBytesMax
    const older = this.#places[slot]! <= this.#places[slot ^ 1]! ? slot : slot ^ 1
    this.#places[older] = this.#stored
    this.#stored += size
    const total = page instanceof Csv ? page.total : isJson
    this.#heads.set([list.length, query.length, bytes.length, total], start / wordBytes)
    const keyAt = start + head.size * wordBytes
    for (let i = 0; i < key.length; i++) this.#ring[keyAt + i] = key.charCodeAt(i)
    this.#ring.set(bytes, keyAt + key.length)
  }
}

const slotOf = (hash: number): number => hash & (slotCount - 1)
const tagOf = (hash: number): number => hash >>> slotBits

/** Returns FNV-1a over the characters of list and query, as an integer that V8 does not allocate. */
export function hashOf(list: string, query: string): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < list.length; i++) hash = Math.imul(hash ^ list.charCodeAt(i), 0x01000193)
  for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193)
  return hash
}
