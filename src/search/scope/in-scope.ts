/** Decides whether a card is in a scope. The last call of `start` sets the scope. */
import { noDay } from '../../calendar.ts'
import type { ChangesFile } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../../indexes/search-file.ts'
import { everyCard, type Scope } from './filters.ts'

export class InScope {
  /** True if every card is in scope. */
  all = true
  readonly #cardSet: Uint32Array
  readonly #cardRarity: Uint16Array
  readonly #cardPrinting: Uint16Array
  readonly #cardNumber: Uint32Array
  readonly #cardMarket: Uint32Array
  readonly #cardGame: Uint8Array
  readonly #changedOn: Int32Array
  readonly #inSets: Uint8Array
  readonly #inPrintings: Uint8Array
  #sets: Scope['sets'] = null
  #rarity = everyCard.rarity
  #printings: Scope['printings'] = null
  #number = everyCard.number
  #minCents = everyCard.minCents
  #maxCents = everyCard.maxCents
  #changedSince = everyCard.changedSince
  #game = everyCard.game

  constructor(
    { cardSet, cardRarity, sets }: SearchFile,
    { printings, cardPrinting, cardNumber, cardMarket, cardGame }: ListsFile,
    { changedOn }: ChangesFile,
  ) {
    this.#cardSet = cardSet
    this.#cardRarity = cardRarity
    this.#cardPrinting = cardPrinting
    this.#cardNumber = cardNumber
    this.#cardMarket = cardMarket
    this.#cardGame = cardGame
    this.#changedOn = changedOn
    this.#inSets = new Uint8Array(sets.length)
    this.#inPrintings = new Uint8Array(printings.length)
  }

  /**
   * Sets the scope for `all` and `has`.
   * @param game the scope's game; -1 if the caller has already excluded the cards of other games
   */
  start({ sets, rarity, printings, number, minCents, maxCents, changedSince }: Scope, game: number): void {
    if (this.#sets !== null) for (const set of this.#sets) this.#inSets[set] = 0
    if (this.#printings !== null) for (const printing of this.#printings) this.#inPrintings[printing] = 0
    this.#sets = sets
    this.#rarity = rarity
    this.#printings = printings
    this.#number = number
    this.#minCents = minCents
    this.#maxCents = maxCents
    this.#changedSince = changedSince
    // The scope's sets all belong to the scope's game, so a check of the set is enough.
    this.#game = sets === null ? game : -1
    if (sets !== null) for (const set of sets) this.#inSets[set] = 1
    if (printings !== null) for (const printing of printings) this.#inPrintings[printing] = 1
    const isUnlabelled = rarity === noRarity && printings === null
    const isUnbound = sets === null && isUnlabelled && number === -1 && this.#game === -1
    this.all = isUnbound && maxCents === noPrice && changedSince === noDay
  }

  has(card: number): boolean {
    if (this.#maxCents !== noPrice) {
      const cents = this.#cardMarket[card]!
      if (cents < this.#minCents || cents > this.#maxCents) return false
    }
    if (this.#changedSince !== noDay && this.#changedOn[card]! <= this.#changedSince) return false
    if (this.#sets !== null && this.#inSets[this.#cardSet[card]!] === 0) return false
    if (this.#rarity !== noRarity && this.#cardRarity[card] !== this.#rarity) return false
    // A card without a printing has `noPrinting`, which lies past the end of `#inPrintings`.
    if (this.#printings !== null && this.#inPrintings[this.#cardPrinting[card]!] !== 1) return false
    if (this.#number !== -1 && this.#cardNumber[card] !== this.#number) return false
    return this.#game === -1 || this.#cardGame[card] === this.#game
  }
}
