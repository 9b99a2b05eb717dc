/** The prices of a set's cards, as the build has summed them up. */
import { fileOf, type VersionFiles } from '../indexes/load.ts'
import {
  dearestMax,
  noCard,
  readSetFiguresFile,
  type SetFiguresFile,
  setFiguresFileName,
} from '../indexes/set-figures-file.ts'

export interface SetValue {
  /** The sum of the prices of all printings that have one, in cents. */
  readonly allCents: number
  /** The sum over the set's numbers of the cheapest printing's price, in cents. */
  readonly oneOfEachCents: number
  readonly pricedPrintings: number
  readonly numbers: number
  readonly pricedNumbers: number
}

export class SetFigures {
  readonly #file: SetFiguresFile

  /** Throws IndexError if the file can't be read. */
  constructor(version: VersionFiles) {
    this.#file = readSetFiguresFile(fileOf(version, setFiguresFileName))
  }

  /** @param set the set's number */
  valueOf(set: number): SetValue {
    const { cents, counts } = this.#file
    return {
      allCents: cents[2 * set]!,
      oneOfEachCents: cents[2 * set + 1]!,
      pricedPrintings: counts[3 * set]!,
      numbers: counts[3 * set + 1]!,
      pricedNumbers: counts[3 * set + 2]!,
    }
  }

  /** The indexes of the set's dearest cards, the dearest first. */
  dearestOf(set: number): Uint32Array {
    const cards = this.#file.dearest.slice(dearestMax * set, dearestMax * (set + 1))
    const end = cards.indexOf(noCard)
    return end === -1 ? cards : cards.subarray(0, end)
  }
}
