/**
 * The words that name a printing, each group for one:
 *
 *   Normal             nonfoil, non-foil, regular, non-holo
 *   Foil               foil; also a card's only printing that is like a foil (Holofoil, Cold Foil)
 *   Holofoil           holo, holofoil
 *   Reverse Holofoil   reverse, reverse holo, reverse foil
 *   1st Edition …      1st edition, first edition, 1st ed
 *   Unlimited …        unlimited, unlimited edition
 *   Etched             etched, foil etched
 *
 * A printing is compared by its key: folded, with these words replaced.
 */
import { printingCharsMax } from '../limits.ts'
import { fold, foldCase } from './fold.ts'

const words = new Map(Object.entries({ holo: 'holofoil', first: '1st', ed: 'edition' }))
/** Words of signs name nothing else. */
const symbol = /\p{S}/u
const foil = 'foil'
const keys = new Map(
  Object.entries({
    nonfoil: 'normal',
    'non foil': 'normal',
    regular: 'normal',
    nonholo: 'normal',
    'non holofoil': 'normal',
    reverse: 'reverse holofoil',
    'reverse foil': 'reverse holofoil',
    'foil etched': 'etched',
    'unlimited edition': 'unlimited',
  }),
)
/** Each names the printings that begin so. */
const beginnings = ['1st edition', 'unlimited']
const usual = ['normal', 'holofoil', foil]
const named = new Set(['normal', foil, 'holofoil', 'reverse holofoil', 'etched'])

function keyOf(printing: string): string {
  if (symbol.test(printing)) return foldCase(printing)
  const key = fold(printing)
    .map((word) => words.get(word) ?? word)
    .join(' ')
  return keys.get(key) ?? (key || foldCase(printing))
}

const beginningOf = (key: string): string | undefined =>
  beginnings.find((beginning) => key === beginning || key.startsWith(`${beginning} `))

/** True for words of the table above, whether or not a card has such a printing. */
export const namesPrinting = (text: string): boolean => isInTable(keyOf(text))

const isInTable = (key: string): boolean => named.has(key) || beginningOf(key) !== undefined

const isLikeFoil = (key: string): boolean => key.includes(foil)

/** True if the text names the printing, whichever others the card has. */
export function isPrintingOf(text: string, printing: string): boolean {
  const [key, own] = [keyOf(text), keyOf(printing)]
  return key === own || key === beginningOf(own)
}

/** The printings that a text names, as indexes. */
export interface AskedPrinting {
  /** The printing with that very name, without regard to case; -1 if there is none. */
  readonly same: number
  readonly named: readonly number[]
  /** A card's only printing that is like a foil is meant, too. */
  readonly isFoil: boolean
  /** A finish that only some products have, such as `Rainbow Foil`: named like a foil, and not in the table. */
  readonly isSpecialFoil: boolean
  /** True if cards can have it: it is in the table, or a card has it. */
  readonly isPrinting: boolean
}

const none: readonly number[] = []
const unknown: AskedPrinting = { same: -1, named: none, isFoil: false, isSpecialFoil: false, isPrinting: false }

/** The printings of a version. */
export class Printings {
  readonly #byText: ReadonlyMap<string, number>
  readonly #byKey = new Map<string, number[]>()
  /** Whether a printing is like a foil, by index. */
  readonly isFoilLike: readonly boolean[]
  /** Ranks by index: 0 for the printing that a list without printings means, if the card has it; above `unusualMax` for those that it never means. */
  readonly unusualness: readonly number[]
  readonly unusualMax = usual.length - 1

  /** @param printings by index, folded by `foldCase` */
  constructor(printings: readonly string[]) {
    this.#byText = new Map(printings.map((printing, index) => [printing, index]))
    const keysOf = printings.map(keyOf)
    keysOf.forEach((key, index) => {
      for (const name of new Set([key, beginningOf(key) ?? key])) {
        const others = this.#byKey.get(name)
        if (others === undefined) this.#byKey.set(name, [index])
        else others.push(index)
      }
    })
    this.isFoilLike = keysOf.map(isLikeFoil)
    this.unusualness = keysOf.map((key) => (usual.includes(key) ? usual.indexOf(key) : usual.length))
  }

  find(text: string): AskedPrinting {
    if (text.length > printingCharsMax) return unknown
    const key = keyOf(text)
    const same = this.#byText.get(foldCase(text)) ?? -1
    const named = this.#byKey.get(key) ?? none
    return {
      same,
      named,
      isFoil: key === foil,
      isSpecialFoil: isLikeFoil(key) && !isInTable(key),
      isPrinting: same !== -1 || named.length > 0 || isInTable(key),
    }
  }

  /**
   * Those that have the printing that each text names. If `foil` may be either of two foils of a card, it does not speak for another
   * card: then all three match. If it may be these two alone, none is, and `isUnclear` is true.
   * @param groups the printings of a card each
   * @param printingOf the index of one's printing, -1 if it is unknown
   */
  meant<One>(
    groups: Iterable<readonly One[]>,
    printingOf: (one: One) => number,
    textsOf: (one: One) => readonly AskedPrinting[],
  ): { readonly found: readonly One[]; readonly isUnclear: boolean } {
    const found: One[] = []
    const unclear: One[] = []
    for (const group of groups) {
      let left = group
      let isClear = true
      for (const { same, named, isFoil } of textsOf(group[0]!)) {
        let ones: readonly One[] = same === -1 ? [] : group.filter((one) => printingOf(one) === same)
        if (ones.length === 0) ones = group.filter((one) => named.includes(printingOf(one)))
        if (ones.length === 0 && isFoil) {
          ones = group.filter((one) => this.isFoilLike[printingOf(one)])
          isClear &&= ones.length === 1
        }
        left = left.filter((one) => ones.includes(one))
      }
      for (const one of left) (isClear ? found : unclear).push(one)
    }
    return found.length === 0
      ? { found, isUnclear: unclear.length > 0 }
      : { found: [...found, ...unclear], isUnclear: false }
  }

  /** The printings that a filter by the text keeps. */
  kept(text: string): readonly number[] {
    const { same, named } = this.find(text)
    return same === -1 || beginnings.includes(keyOf(text)) ? named : [same]
  }
}
