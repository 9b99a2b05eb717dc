/** Compares the markers of a line's name with those of cards: each card's mark once, since many cards have the same. */
import type { Mark } from '../names/identity.ts'
import type { AskedPrinting, Printings } from '../names/printings.ts'

/** The steps of a match in the order in which they are allowed. `extraMarker` is never a match. */
export const steps = { exact: 0, markers: 1, face: 2, setWords: 3, total: 4, extraMarker: 5 } as const
export const stepCount = 6

interface Compared {
  readonly step: 0 | 1 | 5 | -1
  /** Markers that must name the card's printing. */
  readonly printings: readonly AskedPrinting[]
}

export class ComparedMarkers {
  readonly #markers: ReadonlyMap<string, AskedPrinting>
  readonly #byMark = new Map<Mark, Compared>()

  constructor(markers: readonly string[], printings: Printings) {
    this.#markers = new Map(markers.map((marker) => [marker, printings.find(marker)]))
  }

  /** @param mark the same object for the same mark */
  with(mark: Mark): Compared {
    let compared = this.#byMark.get(mark)
    if (compared === undefined) {
      compared = this.#compare(mark.markers)
      this.#byMark.set(mark, compared)
    }
    return compared
  }

  #compare(own: readonly string[]): Compared {
    const lacking = own.some((marker) => !this.#markers.has(marker))
    const printings: AskedPrinting[] = []
    let isExtra = false
    for (const [marker, asked] of this.#markers) {
      if (own.includes(marker)) continue
      if (asked.isPrinting) printings.push(asked)
      else isExtra = true
    }
    if (lacking && isExtra) return { step: -1, printings }
    return { step: lacking ? steps.markers : isExtra ? steps.extraMarker : steps.exact, printings }
  }
}
