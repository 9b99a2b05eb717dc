/** How the set and the markers that a line names compare with those of cards: each gives a step. */
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldName } from '../names/fold.ts'
import type { Mark } from '../names/identity.ts'
import type { AskedPrinting, Printings } from '../names/printings.ts'
import type { SetWords } from '../search/set-words.ts'

/** The steps of a match in the order in which they are allowed. `extraMarker` is never a match. */
export const steps = { exact: 0, markers: 1, face: 2, setWords: 3, total: 4, extraMarker: 5 } as const
export const stepCount = 6

/**
 * A set's code or name is meant, or words of its name if no set of the game has them as its code or name.
 * @returns the step of the cards of a set: exact, set words, or -1 if it is another set
 */
export function setStepOf(text: string, setWords: SetWords, sets: SearchFile['sets']): (set: number) => number {
  const folded = fold(text)
  const coded = setWords.withCode(folded.join(''))
  const named = setWords.withName(foldName(text))
  /** A bit for each game that has such a set. No other set of it is meant. */
  let gamesWithIt = 0
  for (const set of coded) gamesWithIt |= 1 << sets[set]!.game
  for (const set of named) gamesWithIt |= 1 << sets[set]!.game
  let words: readonly string[] | undefined
  return (set) => {
    if (coded.has(set) || named.has(set)) return steps.exact
    if ((gamesWithIt & (1 << sets[set]!.game)) !== 0) return -1
    // Each once, so no more are looked up than the name of the set has, and one.
    words ??= [...new Set(folded)]
    return words.length > 0 && words.every((word) => setWords.withWord(word).has(set)) ? steps.setWords : -1
  }
}

interface Compared {
  readonly step: 0 | 1 | 5 | -1
  /** Markers that must name the card's printing. */
  readonly printings: readonly AskedPrinting[]
}

/** Compares each mark once, since many cards have the same. */
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
