/** Compares printings, and chooses the usual one if a line names none. */
import { type ListsFile, noPrinting } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldCase } from '../search/words/fold.ts'

/** A line without a printing means the first of these that exists. */
const usual = ['normal', 'holofoil', 'foil']

/** A line's printing, folded once for all cards. */
export interface AskedPrinting {
  readonly whole: string
  readonly words: readonly string[]
}

export const askedPrinting = (printing: string): AskedPrinting => ({ whole: foldCase(printing), words: fold(printing) })

export class Printings {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  /** The words of each printing, by index. */
  readonly #words: readonly (readonly string[])[]

  constructor(file: SearchFile, lists: ListsFile) {
    this.#file = file
    this.#lists = lists
    this.#words = lists.printings.map((printing) => fold(printing))
  }

  /** Compares a card's printing with a line's: same name, shortened words (`Reverse Holo` for `Reverse Holofoil`), or other. */
  compare(card: number, { whole, words }: AskedPrinting): 'same' | 'short' | 'other' {
    const place = this.#lists.cardPrinting[card]!
    if (place === noPrinting) return 'other'
    if (this.#lists.printings[place] === whole) return 'same'
    const own = this.#words[place]!
    if (words.length === 0 || words.length !== own.length) return 'other'
    return words.every((word, i) => own[i]!.startsWith(word)) ? 'short' : 'other'
  }

  /** Of these cards, those that differ from a card only by printing, and the card itself; all printings are known. */
  variantsOf(a: number, cards: readonly number[]): number[] {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardPrinting } = this.#lists
    if (cardPrinting[a] === noPrinting) return []
    const bare = this.#bareName(a)
    const isVariant = (b: number) =>
      a === b ||
      (cardSet[a] === cardSet[b] &&
        cardNumber[a] === cardNumber[b] &&
        cardRarity[a] === cardRarity[b] &&
        cardPrinting[a] !== cardPrinting[b] &&
        cardPrinting[b] !== noPrinting &&
        bare === this.#bareName(b))
    return cards.filter(isVariant)
  }

  /** The usual one of cards that differ only by printing; undefined if none has a usual printing. */
  usualOf(cards: readonly number[]): number | undefined {
    const { printings, cardPrinting } = this.#lists
    for (const printing of usual) {
      const card = cards.find((one) => printings[cardPrinting[one]!] === printing)
      if (card !== undefined) return card
    }
    return undefined
  }

  /** A card's folded name without its printing, which imports append in brackets. */
  #bareName(card: number): string {
    const { cardName, nameTextAt, nameText } = this.#file
    const name = cardName[card]!
    const units = nameText.slice(nameTextAt[name]!, nameTextAt[name + 1]!)
    const words = fold(Buffer.from(units.buffer).toString('utf16le'))
    const printing = this.#words[this.#lists.cardPrinting[card]!]!
    const end = words.length - printing.length
    return (end > 0 && printing.every((word, i) => words[end + i] === word) ? words.slice(0, end) : words).join(' ')
  }
}
