/**
 * Finds the card that a line of a stock list means.
 *
 *   line ─ names that equal its name ─► their cards ─ all fields match ────────────────────► exact
 *                                                   └ except words of a set, a total … ───► likely
 *        └ no such name: names with one typo ─► their cards ──────────────────────────────► likely
 *
 * It ignores no field: if one matches no card, the result is none.
 */
import { games } from '../games.ts'
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { numberIndex } from '../search/scope/numbers.ts'
import type { Search } from '../search/search.ts'
import { fold, foldCase, foldName, foldNumber } from '../search/words/fold.ts'
import { type AskedPrinting, askedPrinting, Printings } from './printings.ts'

/** A line of a stock list. Missing and blank fields are undefined. */
export interface Line {
  readonly name: string
  readonly number: string | undefined
  /** A code, a name, or words of one. */
  readonly set: string | undefined
  readonly game: string | undefined
  readonly printing: string | undefined
  readonly rarity: string | undefined
}

export interface Matched {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  /** Card numbers: the card, or several candidates in the order of a search. */
  readonly cards: readonly number[]
}

const none: Matched = { match: 'none', cards: [] }

/** A line's fields as index numbers. */
interface Wanted {
  readonly game: number
  /** Index of the collector's number, -1 for any. */
  readonly number: number
  /** The number's total after the slash; undefined if it has none. */
  readonly total: string | undefined
  /** Index of the rarity, -1 for any. */
  readonly rarity: number
  /** Null for any. */
  readonly printing: AskedPrinting | null
}

export class Match {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #search: Search
  readonly #printings: Printings
  readonly #rarities: ReadonlyMap<string, number>
  readonly #games: ReadonlyMap<string, number>
  /** A card's collector's number as printed. */
  readonly #printedNumber: (card: number) => string | null
  #exact: number[] = []
  #likely: number[] = []
  /** The current line's set, undefined if it names none; its words, and the sets with that code and that name. */
  #setText: string | undefined
  #setWords: readonly string[] = []
  #coded: ReadonlySet<number> = new Set()
  #named: ReadonlySet<number> = new Set()

  constructor(file: SearchFile, lists: ListsFile, search: Search, printedNumber: (card: number) => string | null) {
    this.#file = file
    this.#lists = lists
    this.#search = search
    this.#printings = new Printings(file, lists)
    this.#rarities = new Map(file.rarities.map((rarity, number) => [rarity, number]))
    this.#games = new Map(
      games.flatMap(
        ({ id, name }, number) =>
          [
            [id, number],
            [foldName(name), number],
          ] as const,
      ),
    )
    this.#printedNumber = printedNumber
  }

  find(line: Line): Matched {
    const wanted = this.#wantedBy(line)
    if (wanted === null) return none
    const { names } = this.#search
    names.find(line.name, wanted.game)
    if (names.names.length > 0) {
      this.#readSet(line.set)
      this.#gather(wanted)
      return this.#exact.length > 0
        ? this.#decide('exact', this.#exact, wanted)
        : this.#decide('likely', this.#likely, wanted)
    }
    names.findMisspelt(wanted.game)
    if (names.names.length === 0) return none
    this.#readSet(line.set)
    this.#gather(wanted)
    return this.#decide('likely', [...this.#exact, ...this.#likely], wanted)
  }

  /** Null if a field matches no card. */
  #wantedBy({ number, game, printing, rarity }: Line): Wanted | null {
    const gameNumber = game === undefined ? -1 : (this.#games.get(game) ?? this.#games.get(foldName(game)))
    const place = number === undefined ? -1 : this.#numberIndex(number)
    const rarityNumber = rarity === undefined ? -1 : this.#rarities.get(foldCase(rarity))
    if (gameNumber === undefined || rarityNumber === undefined || (number !== undefined && place === -1)) return null
    return {
      game: gameNumber,
      number: place,
      total: number === undefined ? undefined : totalOf(number),
      rarity: rarityNumber,
      printing: printing === undefined ? null : askedPrinting(printing),
    }
  }

  /** The index of a collector's number, also as lists write it: `#4`. -1 if no card has it. */
  #numberIndex(number: string): number {
    const place = numberIndex(this.#lists, number)
    return place === -1 && number.startsWith('#') ? numberIndex(this.#lists, number.slice(1).trim()) : place
  }

  /** Most lines have the set of the line before, whose result is reused. */
  #readSet(set: string | undefined): void {
    if (set === this.#setText) return
    const { setWords } = this.#search
    this.#setText = set
    this.#setWords = set === undefined ? [] : fold(set)
    this.#coded = setWords.withCode(this.#setWords.join(''))
    this.#named = setWords.withName(this.#setWords.join(' '))
  }

  /** True if the set's name has all words of the line's set. */
  #hasSetWords(set: number): boolean {
    if (this.#setWords.length === 0) return false
    for (const word of this.#setWords) if (!this.#search.setWords.withWord(word).has(set)) return false
    return true
  }

  /** Collects the matching cards of all names found. */
  #gather(wanted: Wanted): void {
    const { cardsAt, cards, cardSet, cardRarity } = this.#file
    const { cardNumber } = this.#lists
    this.#exact = []
    this.#likely = []
    for (const name of this.#search.names.names) {
      for (let i = cardsAt[name]!; i < cardsAt[name + 1]!; i++) {
        const card = cards[i]!
        if (wanted.number !== -1 && cardNumber[card] !== wanted.number) continue
        if (wanted.rarity !== -1 && cardRarity[card] !== wanted.rarity) continue
        const set = cardSet[card]!
        const isOfSet = this.#setText === undefined || this.#coded.has(set) || this.#named.has(set)
        // Likely cards do not matter once there is an exact one.
        if (!isOfSet && (this.#exact.length > 0 || !this.#hasSetWords(set))) continue
        const printing = wanted.printing === null ? 'same' : this.#printings.compare(card, wanted.printing)
        if (printing === 'other') continue
        const isExact = isOfSet && printing === 'same' && this.#hasTotal(card, wanted.total)
        if (isExact) this.#exact.push(card)
        else this.#likely.push(card)
      }
    }
  }

  /** True unless line and card have different totals. */
  #hasTotal(card: number, total: string | undefined): boolean {
    if (total === undefined) return true
    const own = totalOf(this.#printedNumber(card) ?? '')
    return own === undefined || own === total
  }

  /** @param match the result if exactly one card remains */
  #decide(match: 'exact' | 'likely', fitting: readonly number[], { printing }: Wanted): Matched {
    if (fitting.length === 0) return none
    if (fitting.length === 1) return { match, cards: fitting }
    const { names } = this.#search
    const { cardName } = this.#file
    const whole = new Set(names.names.filter((_, i) => names.areWhole[i]))
    const equal = fitting.filter((card) => whole.has(cardName[card]!))
    let left = equal.length > 0 ? equal : fitting
    if (printing === null && !names.hasBrackets) {
      // Imports put printings in brackets, so a variant's name may equal the line's by chance.
      const variants = this.#printings.variantsOf(left[0]!, fitting)
      const areVariants = new Set(variants)
      if (variants.length > 1 && left.every((card) => areVariants.has(card))) {
        const usual = this.#printings.usualOf(variants)
        if (usual !== undefined) return { match: 'likely', cards: [usual] }
        left = variants
      }
    }
    if (left.length === 1) return { match, cards: left }
    const rank = (card: number) => Number(!whole.has(cardName[card]!))
    return { match: 'ambiguous', cards: left.toSorted((a, b) => rank(a) - rank(b) || a - b) }
  }
}

/** The total after the slash, folded as numbers are; undefined if there is none. */
function totalOf(number: string): string | undefined {
  const slash = number.indexOf('/')
  return slash === -1 ? undefined : foldNumber(number.slice(slash + 1).trim())
}
