/** A filter as index numbers: decides which cards it keeps. */
import { noDay } from '../../calendar.ts'
import type { ChangesFile } from '../../indexes/changes-file.ts'
import { type ListsFile, noPrice } from '../../indexes/lists-file.ts'
import { noRarity, type SearchFile } from '../../indexes/search-file.ts'

export interface ScopeNumbers {
  /** -1 for all games */
  readonly game: number
  /** null for all sets */
  readonly sets: readonly number[] | null
  /** `noRarity` for all cards */
  readonly rarity: number
  /** null for all cards */
  readonly printings: readonly number[] | null
  /** -1 for all cards */
  readonly number: number
  /** Inclusive; 0 and `noPrice` for all cards, also those without a price. */
  readonly minCents: number
  readonly maxCents: number
  /** `noDay` for all cards. */
  readonly changedSince: number
}

/** The files that have what filters ask for. */
export interface CardFiles {
  readonly file: SearchFile
  readonly lists: ListsFile
  readonly changes: ChangesFile
}

export class Scope {
  readonly numbers: ScopeNumbers
  /** True if it has all cards of its game. */
  readonly isWhole: boolean
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #changedOn: Int32Array
  readonly #inSets: Uint8Array | null
  readonly #inPrintings: Uint8Array | null

  constructor({ file, lists, changes }: CardFiles, numbers: ScopeNumbers) {
    const { sets, rarity, printings, number, maxCents, changedSince } = numbers
    this.numbers = numbers
    this.#file = file
    this.#lists = lists
    this.#changedOn = changes.changedOn
    this.#inSets = flagsOf(sets, file.sets.length)
    this.#inPrintings = flagsOf(printings, lists.printings.length)
    const isUnlabelled = sets === null && rarity === noRarity && printings === null && number === -1
    this.isWhole = isUnlabelled && maxCents === noPrice && changedSince === noDay
  }

  has(card: number): boolean {
    const { game, rarity, number, minCents, maxCents, changedSince } = this.numbers
    const { cardMarket, cardPrinting, cardNumber, cardGame } = this.#lists
    if (game !== -1 && cardGame[card] !== game) return false
    if (maxCents !== noPrice && (cardMarket[card]! < minCents || cardMarket[card]! > maxCents)) return false
    if (changedSince !== noDay && this.#changedOn[card]! <= changedSince) return false
    if (this.#inSets !== null && this.#inSets[this.#file.cardSet[card]!] === 0) return false
    if (rarity !== noRarity && this.#file.cardRarity[card] !== rarity) return false
    // A card without a printing has no flag.
    if (this.#inPrintings !== null && this.#inPrintings[cardPrinting[card]!] !== 1) return false
    return number === -1 || cardNumber[card] === number
  }
}

/** By number, 1 for those of the list. */
function flagsOf(numbers: readonly number[] | null, count: number): Uint8Array | null {
  if (numbers === null) return null
  const flags = new Uint8Array(count)
  for (const number of numbers) flags[number] = 1
  return flags
}
