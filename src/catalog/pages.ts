/**
 * The pages of one list that were asked for last, as they were sent: people ask for the same few. A version has its own,
 * so that none outlives its data.
 *
 *   found in `young` ─▶ sent           found in `old` ─▶ sent, and young again           in neither ─▶ made, and young
 *   young full ─▶ it becomes old, and what was old is dropped
 *
 * So the memory is bounded, a page asked for often stays, and a hit in `young` changes nothing.
 */
import { pagesBytesMax } from '../limits.ts'

/** What a page costs beside its own bytes and its query's characters, about. */
const entryBytes = 200

export class Pages {
  #young = new Map<string, Uint8Array>()
  #old = new Map<string, Uint8Array>()
  #youngBytes = 0

  /** @param query an address' query as it was sent */
  get(query: string): Uint8Array | undefined {
    const page = this.#young.get(query)
    if (page !== undefined) return page
    const older = this.#old.get(query)
    if (older !== undefined) this.#keep(query, older)
    return older
  }

  /** Keeps a copy of the page. */
  add(query: string, page: Uint8Array): void {
    this.#keep(query, page.slice())
  }

  #keep(query: string, page: Uint8Array): void {
    const bytes = entryBytes + query.length + page.length
    if (this.#youngBytes + bytes > pagesBytesMax / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(query, page)
    this.#youngBytes += bytes
  }
}
