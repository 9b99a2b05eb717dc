/** Decides which cards a text means by a printing, and which cards differ by printing alone. */
import { type ListsFile, noPrinting } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import type { Mark } from '../names/identity.ts'
import { type AskedPrinting, Printings } from '../names/printings.ts'

export class CardPrintings {
  readonly all: Printings
  readonly #file: SearchFile
  readonly #lists: ListsFile
  /** The kind of each mark, by the mark's index. Cards that differ by printing alone have marks of the same kind. */
  readonly #kinds: readonly number[]
  /** By the mark's index: the printing that the card's name contains, as an index; -1 if it contains none. */
  readonly #markPrintings: readonly number[]

  constructor(file: SearchFile, lists: ListsFile, marks: readonly Mark[]) {
    this.#file = file
    this.#lists = lists
    const ofMarks = marks.map(({ printing }) => printing).filter((printing) => printing !== '')
    const printings = [...new Set([...lists.printings, ...ofMarks])]
    this.all = new Printings(printings)
    this.#markPrintings = marks.map(({ printing }) => printings.indexOf(printing))
    const kinds = new Map<string, number>()
    this.#kinds = marks.map(({ signs, product, markers }) => {
      const kind = [signs, product, ...markers].join('\n')
      return kinds.get(kind) ?? kinds.set(kind, kinds.size).size - 1
    })
  }

  /**
   * Returns the cards that have the printings that a line names; see `Printings.meant`.
   * @param askedOf returns the printings that a card must have
   * @param areOne true if the cards are printings of one card, whatever else they differ in
   */
  meant(
    cards: readonly number[],
    askedOf: (card: number) => readonly AskedPrinting[],
    areOne: boolean,
  ): ReturnType<typeof Printings.prototype.meant<number>> {
    // First drops cards whose printing the text can't mean, which are most cards of a name. Within each group of the
    // remaining cards, `meant` decides which printings the text means.
    const possible = cards.filter((card) => {
      const asked = askedOf(card)
      return asked.length === 0 || asked.some((one) => this.#canMean(one, this.#printingOf(card)))
    })
    const groups = Map.groupBy(possible, (card) => (areOne ? '' : this.#groupOf(card)))
    return this.all.meant(groups.values(), (card) => this.#printingOf(card), askedOf)
  }

  isLikeFoil(card: number): boolean {
    return this.all.isFoilLike[this.#printingOf(card)] === true
  }

  /**
   * Returns the card with the most usual printing, among cards that differ by printing alone. Undefined if the cards
   * differ in something else, or if none has a usual printing.
   */
  usualOf(cards: readonly number[]): number | undefined {
    const printings = new Set<number>()
    let usual = cards[0]!
    const unusualness = (card: number) => this.all.unusualness[this.#printingOf(card)]!
    for (const card of cards) {
      const printing = this.#printingOf(card)
      if (printing === -1 || printings.has(printing) || !this.#areOneGroup(card, usual)) return undefined
      printings.add(printing)
      if (unusualness(card) < unusualness(usual)) usual = card
    }
    return unusualness(usual) <= this.all.unusualMax ? usual : undefined
  }

  /** False if the text can't mean the printing, whatever other printings the card has. */
  #canMean({ same, named, isFoil }: AskedPrinting, printing: number): boolean {
    if (printing === -1) return false
    return printing === same || named.includes(printing) || (isFoil && this.all.isFoilLike[printing]!)
  }

  /** The index of the card's printing, -1 if it is unknown. */
  #printingOf(card: number): number {
    const { cardPrinting, cardMark } = this.#lists
    return cardPrinting[card] === noPrinting ? this.#markPrintings[cardMark[card]!]! : cardPrinting[card]!
  }

  /** A text that is equal for cards that differ by printing alone. */
  #groupOf(card: number): string {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardMark } = this.#lists
    return `${cardSet[card]} ${cardNumber[card]} ${cardRarity[card]} ${this.#kinds[cardMark[card]!]}`
  }

  /** True if the cards differ by printing alone. */
  #areOneGroup(one: number, other: number): boolean {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardMark } = this.#lists
    return (
      cardSet[one] === cardSet[other] &&
      cardNumber[one] === cardNumber[other] &&
      cardRarity[one] === cardRarity[other] &&
      this.#kinds[cardMark[one]!] === this.#kinds[cardMark[other]!]
    )
  }
}
