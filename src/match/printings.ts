/** Compares printings, and chooses the usual one if a line names none. */
import { type ListsFile, noPrinting } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { fold, foldCase } from '../search/words/fold.ts'

/** A line without a printing means the first of these that exists. */
const usual = ['normal', 'holofoil', 'foil']

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
  compare(card: number, printing: string): 'same' | 'short' | 'other' {
    const place = this.#lists.cardPrinting[card]!
    if (place === noPrinting) return 'other'
    if (this.#lists.printings[place] === foldCase(printing)) return 'same'
    const given = fold(printing)
    const own = this.#words[place]!
    if (given.length === 0 || given.length !== own.length) return 'other'
    return given.every((word, i) => own[i]!.startsWith(word)) ? 'short' : 'other'
  }

  /** True if two cards differ only by printing, and both printings are known. */
  areVariants(a: number, b: number): boolean {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardPrinting } = this.#lists
    if (a === b) return cardPrinting[a] !== noPrinting
    return (
      cardSet[a] === cardSet[b] &&
      cardNumber[a] === cardNumber[b] &&
      cardRarity[a] === cardRarity[b] &&
      cardPrinting[a] !== cardPrinting[b] &&
      cardPrinting[a] !== noPrinting &&
      cardPrinting[b] !== noPrinting &&
      this.#bareName(a) === this.#bareName(b)
    )
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
