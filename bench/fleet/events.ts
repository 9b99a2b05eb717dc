/**
 * Time in a model: coming events by time, in a binary heap. Events of one time happen in the order in which they
 * were added, so that a seed gives the same figures everywhere.
 */
interface Event {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

export class Events {
  readonly #heap: Event[] = []
  #asked = 0
  /** ms since the model's start. */
  now = 0

  at(time: number, run: () => void): void {
    const event = { at: Math.max(time, this.now), order: this.#asked++, run }
    const heap = this.#heap
    let place = heap.length
    heap.push(event)
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!isBefore(event, heap[above]!)) break
      heap[place] = heap[above]!
      place = above
    }
    heap[place] = event
  }

  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run)
  }

  /** Everything, with what it leads to; what lies after `until` stays undone. */
  run(until = Number.POSITIVE_INFINITY): void {
    while (this.#heap.length > 0 && this.#heap[0]!.at <= until) {
      const event = this.#next()
      this.now = event.at
      event.run()
    }
    if (until !== Number.POSITIVE_INFINITY) this.now = Math.max(this.now, until)
  }

  #next(): Event {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
      if (!isBefore(heap[below]!, last)) break
      heap[place] = heap[below]!
      place = below
    }
    heap[place] = last
    return first
  }
}
