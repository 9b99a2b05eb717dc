/** Which blocks of usage the accounts' store lacks, of those that this server's file holds. */
import { usageDaysKept } from '../../limits.ts'
import { blocksMax, type SharedCounts } from '../../quota/cells.ts'
import type { Store } from '../../store/store.ts'
import { blockOf, type UsageBlock } from '../../store/usage-block.ts'

export interface UnsentBlock {
  readonly day: number
  readonly block: number
  readonly counts: UsageBlock
}

/** One number, in the order of the file. */
const placeOf = (day: number, block: number): number => day * blocksMax + block
const dayAt = (place: number): number => Math.floor(place / blocksMax)
const blockAt = (place: number): number => place % blocksMax

export class UnsentBlocks {
  readonly #store: Store
  /** By block, see cells.ts. */
  readonly #carriedFrom: Int32Array
  /** Places that were carried, in the order in which that was seen. */
  readonly #carried = new Set<number>()
  /** From which place on all are unsent, whenever they were carried; undefined: none is. */
  #from: number | undefined

  constructor({ carriedFrom }: SharedCounts, store: Store) {
    this.#store = store
    this.#carriedFrom = new Int32Array(carriedFrom!)
  }

  get isEmpty(): boolean {
    return this.#carried.size === 0 && this.#from === undefined
  }

  /** All of this day and of later ones is unsent. */
  catchUp(day: number): void {
    this.#from = placeOf(day, 0)
  }

  /** Sees what was carried until now. One pass over flat memory. */
  look(today: number): void {
    const end = blockOf(this.#store.counter('nextAccount'))
    for (let block = 0; block <= end; block++) {
      if (this.#carriedFrom[block] === 0) continue
      const from = Atomics.exchange(this.#carriedFrom, block, 0) - 1
      // Of a clock that was ahead, it may be a later day than this one.
      for (let day = Math.max(from, firstKept(today)); day <= Math.max(from, today); day++) {
        this.#carried.add(placeOf(day, block))
      }
    }
  }

  /** So many at most, as the file has them now; they are no longer unsent. */
  take(most: number, today: number): UnsentBlock[] {
    const places: number[] = []
    for (const place of this.#carried) {
      if (places.length === most) break
      this.#carried.delete(place)
      places.push(place)
    }
    if (places.length < most) places.push(...this.#takeFrom(most - places.length, today))
    const found: UnsentBlock[] = []
    for (const place of places) {
      const [day, block] = [dayAt(place), blockAt(place)]
      const counts = this.#store.usageBlock(day, block)
      if (counts !== undefined) found.push({ day, block, counts })
    }
    return found
  }

  putBack(blocks: readonly UnsentBlock[]): void {
    for (const { day, block } of blocks) this.#carried.add(placeOf(day, block))
  }

  #takeFrom(most: number, today: number): number[] {
    if (this.#from === undefined) return []
    const start = Math.max(this.#from, placeOf(firstKept(today), 0))
    const keys = this.#store.usageKeys([dayAt(start), blockAt(start)], most)
    const places = keys.map(([day, block]) => placeOf(day, block))
    this.#from = places.length < most ? undefined : places.at(-1)! + 1
    return places
  }
}

/** Older days are shown nowhere. */
const firstKept = (today: number): number => today - usageDaysKept + 1
