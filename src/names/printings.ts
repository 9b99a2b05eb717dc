/**
 * The words that name printings. Each line has a printing, and the words that name it:
 *
 *   Normal             nonfoil, non-foil, regular, non-holo
 *   Foil               foil; also a card's only printing that is like a foil (Holofoil, Cold Foil)
 *   Holofoil           holo, holofoil
 *   Reverse Holofoil   reverse, reverse holo, reverse foil
 *   1st Edition …      1st edition, first edition, 1st ed
 *   Unlimited …        unlimited, unlimited edition
 *   Etched             etched, foil etched
 *
 * Printings are compared by their keys. A key is the folded name, with every synonym replaced by the first name of
 * its line.
 */
import { printingCharsMax } from '../limits.ts'
import { fold, foldCase } from './fold.ts'

const words = new Map(Object.entries({ holo: 'holofoil', first: '1st', ed: 'edition' }))
/** A printing with a symbol is compared unfolded, because folding would drop the symbol. */
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
/** Each of these texts names all printings that begin with it. */
const beginnings = ['1st edition', 'unlimited']
/** The usual printings, the most usual first. */
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

/** True if the text is in the table above, whether or not a card has such a printing. */
export const namesPrinting = (text: string): boolean => isInTable(keyOf(text))

const isInTable = (key: string): boolean => named.has(key) || beginningOf(key) !== undefined

const isLikeFoil = (key: string): boolean => key.includes(foil)

/** True if the text names this printing, whatever other printings the card has. */
export function isPrintingOf(text: string, printing: string): boolean {
  const [key, own] = [keyOf(text), keyOf(printing)]
  return key === own || key === beginningOf(own)
}

/** What a text says about a printing. Printings are indexes. */
export interface AskedPrinting {
  /** The printing with this name, ignoring case; -1 if there is none. */
  readonly same: number
  readonly named: readonly number[]
  /** True if the text is `foil`. If exactly one printing of a card is like a foil, `foil` means that printing, too. */
  readonly isFoil: boolean
  /**
   * True if the text names a foil that is not in the table, such as `Rainbow Foil`. Only some products have such a
   * finish.
   */
  readonly isSpecialFoil: boolean
  /** True if the text is a printing: it is in the table, or a card has it. */
  readonly isPrinting: boolean
}

const none: readonly number[] = []
const unknown: AskedPrinting = { same: -1, named: none, isFoil: false, isSpecialFoil: false, isPrinting: false }

/** The printings of a version. */
export class Printings {
  readonly #byText: ReadonlyMap<string, number>
  readonly #byKey = new Map<string, number[]>()
  /** By index: true if the printing's key contains `foil`. */
  readonly isFoilLike: readonly boolean[]
  /**
   * By index: how unusual the printing is. A line of a list without a printing means the card's printing with the
   * lowest number here, but never one with a number above `unusualMax`.
   */
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
   * Returns the cards whose printing the texts name. A group is unclear if `foil` may mean several of its cards. If
   * only unclear groups match, nothing is found, and `isUnclear` is true. If another group matches clearly, the
   * matching cards of unclear groups are found, too.
   * @param groups the cards of a group differ only by printing
   * @param printingOf returns the index of a card's printing, -1 if it is unknown
   * @param textsOf returns the texts that must all name a card's printing; they are the same for all cards of a group
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

  /** The printings that a filter with this text includes. */
  kept(text: string): readonly number[] {
    const { same, named } = this.find(text)
    return same === -1 || beginnings.includes(keyOf(text)) ? named : [same]
  }
}
