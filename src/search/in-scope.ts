/** Whether a card is in a scope. */
import { type ListsFile, noPrice } from '../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../indexes/search-file.ts'
import { everyCard, type Scope } from './filters.ts'

export class InScope {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  /** All 0 between scopes. */
  readonly #inSets: Uint8Array
  #scope: Scope = everyCard
  #game = -1
  #all = true

  constructor(file: SearchFile, lists: ListsFile) {
    this.#file = file
    this.#lists = lists
    this.#inSets = new Uint8Array(file.sets.length)
  }

  /** @param game looked at too; -1 where it is known already, as that of a name */
  start(scope: Scope, game: number): void {
    const { sets, rarity, number, maxCents } = scope
    this.#scope = scope
    // The sets of a scope are of its game.
    this.#game = sets === null ? game : -1
    if (sets !== null) for (const set of sets) this.#inSets[set] = 1
    this.#all = sets === null && rarity === noRarity && number === -1 && maxCents === noPrice && this.#game === -1
  }

  clear(): void {
    const { sets } = this.#scope
    if (sets !== null) for (const set of sets) this.#inSets[set] = 0
  }

  /** True if no card has to be looked at. */
  get all(): boolean {
    return this.#all
  }

  has(card: number): boolean {
    const { sets, rarity, number, minCents, maxCents } = this.#scope
    const { cardSet, cardRarity } = this.#file
    if (sets !== null && this.#inSets[cardSet[card]!] === 0) return false
    if (rarity !== noRarity && cardRarity[card] !== rarity) return false
    const { cardNumber, cardMarket, cardGame } = this.#lists
    if (number !== -1 && cardNumber[card] !== number) return false
    if (maxCents !== noPrice) {
      const cents = cardMarket[card]!
      if (cents < minCents || cents > maxCents) return false
    }
    return this.#game === -1 || cardGame[card] === this.#game
  }
}
