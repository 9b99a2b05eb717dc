/**
 * Compares the set and the markers that a line names with those of cards. The result of a comparison is a step: a kind
 * of difference.
 */
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldName } from '../names/fold.ts'
import type { Mark } from '../names/identity.ts'
import type { AskedPrinting, Printings } from '../names/printings.ts'
import type { SetWords } from '../search/set-words.ts'

/**
 * The steps of a match, in the order in which a match tries them. Cards of `extraMarker` never match; they only become
 * candidates.
 */
export const steps = { exact: 0, markers: 1, face: 2, setWords: 3, total: 4, extraMarker: 5 } as const
export const stepCount = 6

/**
 * Reads the set of a line. The text means the sets of a game that have it as their code or name. If the game has no
 * such set, it means the sets whose names contain all words of the text.
 * @returns a function from a set to the step of its cards: `exact`, `setWords`, or -1 if the text does not mean the set
 */
export function setStepOf(text: string, setWords: SetWords, sets: SearchFile['sets']): (set: number) => number {
  const folded = fold(text)
  const coded = setWords.withCode(folded.join(''))
  const named = setWords.withName(foldName(text))
  /** The games that have a set with this code or name. The text means no other set of such a game. */
  const gamesWithIt = new Set<number>()
  for (const set of coded) gamesWithIt.add(sets[set]!.game)
  for (const set of named) gamesWithIt.add(sets[set]!.game)
  let words: readonly string[] | undefined
  return (set) => {
    if (coded.has(set) || named.has(set)) return steps.exact
    if (gamesWithIt.has(sets[set]!.game)) return -1
    // Each word is looked up once, and `every` stops at the first word that the set's name lacks. So a set costs at
    // most as many look-ups as its name has words, plus one.
    words ??= [...new Set(folded)]
    return words.length > 0 && words.every((word) => setWords.withWord(word).has(set)) ? steps.setWords : -1
  }
}

interface Compared {
  readonly step: 0 | 1 | 5 | -1
  /** Markers of the line that match only if they name the card's printing. */
  readonly printings: readonly AskedPrinting[]
}

/**
 * Compares a line's markers with marks of cards. Each mark is compared only once, because many cards have the same
 * mark.
 */
export class ComparedMarkers {
  readonly #markers: ReadonlyMap<string, AskedPrinting>
  readonly #byMark = new Map<Mark, Compared>()

  constructor(markers: readonly string[], printings: Printings) {
    this.#markers = new Map(markers.map((marker) => [marker, printings.find(marker)]))
  }

  /** @param mark equal marks must be the same object */
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
