/**
 * Finds the card that a line of a stock list means.
 *
 *   ids  ─► cards with these ids ─ printing ─► exact, or the usual printing
 *   name ─► cards with its key ─ one field at most differs ─ printing ─► the first step with cards decides
 *      if no card has that key: the name as a printed number ─► cards ─► likely
 *      if there are none again: keys that differ by one typo ─► cards ─► likely
 *
 * Each step allows one kind of difference. The first step that has cards decides. No step combines differences, so a
 * line never finds a card that differs from it in two things.
 *
 * The work is bounded, whatever a line says. A name has at most 6 readings, and the cards of each reading's key are
 * compared once. Typos are looked for in one key, in at most 4 of its words. For each such word, the words with one
 * typo are looked up once a request. Each of them gives a key, whose cards are compared once.
 */
import { games } from '../games.ts'
import { type ListsFile, noPrinting } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { matchCandidatesMax } from '../limits.ts'
import { foldCase, foldName } from '../names/fold.ts'
import { type Mark, markOf } from '../names/identity.ts'
import { totalOf } from '../names/numbers.ts'
import { type AskedPrinting, Printings } from '../names/printings.ts'
import { numberIndex } from '../search/scope/number-index.ts'
import type { IdsElsewhere } from '../search/scope/scope-lists.ts'
import type { Search } from '../search/search.ts'
import { CandidateOrder } from './candidate-order.ts'
import { ComparedMarkers, setStepOf, stepCount, steps } from './comparisons.ts'
import { LineName, type Reading } from './line-name.ts'
import { type KnownTypos, NameKeys } from './name-keys.ts'
import { cardsOfPrintedNumber } from './printed-numbers.ts'

/** A line of a stock list. Missing and blank fields are undefined. It has a name or ids. */
export interface Line {
  readonly name?: string | undefined
  readonly ids?: LineIds | undefined
  readonly number?: string | undefined
  /** The set's code, its name, or words of its name. */
  readonly set?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  readonly rarity?: string | undefined
}

/** A card must have every id that is given. */
export interface LineIds extends IdsElsewhere {
  readonly card?: string | undefined
}

export interface Matched {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  /**
   * Card indexes. Exact and likely matches have one card. Ambiguous ones have the first candidates, in the order of a
   * search.
   */
  readonly cards: readonly number[]
}

const wholeNumber = /^\d+$/

const none: Matched = { match: 'none', cards: [] }

/** A line's fields as index numbers. -1 means that the line does not have the field. */
interface Wanted {
  readonly game: number
  /** The step of the cards of a set: `exact`, `setWords`, or -1 if the line means another set. */
  readonly setStep: (set: number) => number
  readonly number: number
  readonly rarity: number
  /** The total behind the slash of the line's number; undefined if there is none. */
  readonly total: string | undefined
  readonly printing: AskedPrinting | null
  /** True if the line has ids. All cards that have the ids are printings of the same thing, so they form one group. */
  readonly byId: boolean
}

export class Match {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #search: Search
  readonly #keys: NameKeys
  readonly #cardOfId: (id: string) => number
  readonly #printings: Printings
  readonly #marks: readonly Mark[]
  /** By mark: its kind. Cards that differ by printing alone have marks of the same kind. */
  readonly #kinds: readonly number[]
  /** By mark: the index of the printing that the card's name says, -1 if it says none. */
  readonly #markPrintings: readonly number[]
  readonly #rarities: ReadonlyMap<string, number>
  readonly #games: ReadonlyMap<string, number>
  /** By step: the current line's cards. */
  readonly #found: number[][] = Array.from({ length: stepCount }, () => [])
  /** By card: printings that the line's markers name, and that the card must have. */
  readonly #required = new Map<number, readonly AskedPrinting[]>()
  /**
   * True if the line's printing may mean any of several cards of a group. Then the line does not match in a later step
   * either.
   */
  #isUnclear = false
  #candidatesMax = matchCandidatesMax

  /** @param cardOfId returns the index of the card with an id, -1 if there is none */
  constructor(file: SearchFile, lists: ListsFile, search: Search, cardOfId: (id: string) => number) {
    this.#file = file
    this.#lists = lists
    this.#search = search
    this.#keys = new NameKeys(lists, search)
    this.#cardOfId = cardOfId
    this.#marks = lists.marks.map(markOf)
    const ofMarks = this.#marks.map(({ printing }) => printing).filter((printing) => printing !== '')
    const printings = [...new Set([...lists.printings, ...ofMarks])]
    this.#printings = new Printings(printings)
    this.#markPrintings = this.#marks.map(({ printing }) => printings.indexOf(printing))
    const kinds = new Map<string, number>()
    this.#kinds = this.#marks.map(({ signs, product, markers }) => {
      const kind = [signs, product, ...markers].join('\n')
      return kinds.get(kind) ?? kinds.set(kind, kinds.size).size - 1
    })
    this.#rarities = new Map(file.rarities.map((rarity, number) => [rarity, number]))
    this.#games = new Map(
      games.flatMap(({ id, name }, number): [string, number][] => [
        [id, number],
        [foldName(name), number],
      ]),
    )
  }

  /** Matches the lines of a request, and returns the results in the order of the lines. */
  findAll(lines: readonly Line[]): Matched[] {
    const typos: KnownTypos = new Map()
    return lines.map((line) => this.find(line, typos))
  }

  /**
   * Matches one line.
   * @param typos the words with typos that other lines of the request have looked up; this line adds its own
   */
  find(line: Line, typos: KnownTypos = new Map(), candidatesMax = matchCandidatesMax): Matched {
    this.#candidatesMax = candidatesMax
    const wanted = this.#wantedBy(line)
    if (wanted === null) return none
    this.#required.clear()
    this.#isUnclear = false
    if (line.ids !== undefined) {
      const cards = this.#cardsOf(line.ids)
      return this.#decide('exact', cards, wanted, '') ?? this.#foilOf(cards, wanted, '') ?? none
    }
    const name = new LineName(line.name ?? '', this.#lists)
    for (const cards of this.#found) cards.length = 0
    for (const { key, readings } of name.keys) this.#gather(key, readings, wanted, name)
    for (let step = 0; step < steps.extraMarker; step++) {
      const decided = this.#decide(step === steps.exact ? 'exact' : 'likely', this.#found[step]!, wanted, name.text)
      if (decided !== null) return decided
      if (this.#isUnclear) return none
    }
    const foil = this.#foilOf(this.#found[steps.exact]!, wanted, name.text)
    if (foil !== null) return foil
    if (!this.#isName(name, wanted)) {
      const numbered = cardsOfPrintedNumber(name.text, this.#lists)
      for (const card of numbered) if (this.#isIn(card, wanted)) this.#found[steps.exact]!.push(card)
      const found = this.#found[steps.exact]!
      if (found.length > 0) return this.#decide('likely', found, wanted, name.text) ?? none
      const { key: asked, readings } = name.keyForTypos
      for (const key of this.#keys.withTypo(asked, typos)) this.#gather(key, readings, wanted, name)
      return this.#decide('likely', this.#found[steps.exact]!, wanted, name.text) ?? none
    }
    const candidates = this.#printed(this.#found[steps.extraMarker]!, wanted)
    return candidates.length === 0 ? none : this.#ambiguous(candidates, name.text)
  }

  /**
   * The line's fields as index numbers. Null if a field matches no card. If the line has ids, all fields but the
   * printing are ignored.
   */
  #wantedBy({ ids, number, set, game, printing, rarity }: Line): Wanted | null {
    const asked = printing === undefined ? null : this.#printings.find(printing)
    const any = { game: -1, setStep: () => steps.exact, number: -1, rarity: -1, total: undefined }
    if (ids !== undefined) return { ...any, printing: asked, byId: true }
    const gameNumber = game === undefined ? -1 : (this.#games.get(game) ?? this.#games.get(foldName(game)))
    const place = number === undefined ? -1 : numberIndex(this.#lists, number)
    const rarityNumber = rarity === undefined ? -1 : this.#rarities.get(foldCase(rarity))
    if (gameNumber === undefined || rarityNumber === undefined || (number !== undefined && place === -1)) return null
    const total = number === undefined ? undefined : totalOf(number)
    const setStep = set === undefined ? any.setStep : setStepOf(set, this.#search.setWords, this.#file.sets)
    return { game: gameNumber, setStep, number: place, total, rarity: rarityNumber, printing: asked, byId: false }
  }

  /** The cards that have all the line's ids. */
  #cardsOf({ card: id, ...elsewhere }: LineIds): readonly number[] {
    const given = Object.values(elsewhere).some((one) => one !== undefined)
    const cards = given ? this.#search.cardsOfIds(elsewhere) : undefined
    if (id === undefined) return cards ?? []
    const card = this.#cardOfId(id)
    return card === -1 || cards?.includes(card) === false ? [] : [card]
  }

  /** True if the card agrees with the line in game, number, rarity and set. */
  #isIn(card: number, { game, number, rarity, setStep }: Wanted): boolean {
    if (game !== -1 && this.#lists.cardGame[card] !== game) return false
    if (number !== -1 && this.#lists.cardNumber[card] !== number) return false
    if (rarity !== -1 && this.#file.cardRarity[card] !== rarity) return false
    return setStep(this.#file.cardSet[card]!) === steps.exact
  }

  /** True if the game has cards of that name. */
  #isName(name: LineName, { game }: Wanted): boolean {
    const { cardNumber, cardGame, keyCards } = this.#lists
    for (const { key } of name.keys) {
      const [from, to] = this.#keys.find(key)
      for (let i = from; i < to; i++) {
        const card = keyCards[i]! >>> 1
        if ((game === -1 || cardGame[card] === game) && name.readingFor(cardNumber[card]!).key === key) return true
      }
    }
    return false
  }

  /**
   * Collects the cards of a key that differ from the line in one thing at most, by step.
   * @param readings the readings of the line whose key is this key, or differs from it by one typo
   */
  #gather(key: string, readings: readonly Reading[], wanted: Wanted, name: LineName): void {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardGame, cardMark, keyCards } = this.#lists
    const [from, to] = this.#keys.find(key)
    let compared: Map<Reading, ComparedMarkers> | undefined
    for (const reading of readings) {
      if (reading.markers.length === 0) continue
      compared ??= new Map()
      compared.set(reading, new ComparedMarkers(reading.markers, this.#printings))
    }
    for (let i = from; i < to; i++) {
      const card = keyCards[i]! >>> 1
      if (wanted.number !== -1 && cardNumber[card] !== wanted.number) continue
      if (wanted.game !== -1 && cardGame[card] !== wanted.game) continue
      if (wanted.rarity !== -1 && cardRarity[card] !== wanted.rarity) continue
      const reading = name.readingFor(cardNumber[card]!)
      if (!readings.includes(reading)) continue
      const own = this.#marks[cardMark[card]!]!
      if (reading.signs !== '' && reading.signs !== own.signs) continue
      const named = compared?.get(reading)?.with(own)
      let step: number = named?.step ?? (own.markers.length === 0 ? steps.exact : steps.markers)
      if ((keyCards[i]! & 1) === 1 && step !== -1) step = step === steps.exact ? steps.face : -1
      const set = cardSet[card]!
      const setStep = step === -1 ? -1 : wanted.setStep(set)
      if (setStep !== steps.exact) step = step === steps.exact ? setStep : -1
      if (step !== -1 && wanted.total !== undefined && this.#hasOtherTotal(own.total, set, wanted.total)) {
        step = step === steps.exact ? steps.total : -1
      }
      if (step === -1) continue
      this.#found[step]!.push(card)
      if (named !== undefined && named.printings.length > 0) this.#required.set(card, named.printings)
    }
  }

  /**
   * True if the line's total is wrong for the card. If the card's number has no total of its own, as most have not, the
   * set's total is compared. Then only whole numbers can be wrong.
   */
  #hasOtherTotal(own: string, set: number, total: string): boolean {
    if (own !== '') return own !== total
    const { printedTotal } = this.#file.sets[set]!
    return printedTotal !== null && wholeNumber.test(total) && Number(total) !== printedTotal
  }

  /** The result for the cards of a step. Null if none of them has the line's printing. */
  #decide(match: 'exact' | 'likely', found: readonly number[], wanted: Wanted, name: string): Matched | null {
    const cards = this.#printed(found, wanted)
    if (cards.length === 0) return null
    if (cards.length === 1) return { match, cards: [cards[0]!] }
    const isGiven = wanted.printing !== null || this.#required.has(cards[0]!)
    const usual = isGiven ? undefined : this.#usualOf(cards)
    return usual === undefined ? this.#ambiguous(cards, name) : { match: 'likely', cards: [usual] }
  }

  /**
   * The result if the line names a special foil that none of the cards has. If exactly one of the cards is a foil, it
   * is likely. If several are, the result is ambiguous. Null in all other cases.
   */
  #foilOf(cards: readonly number[], wanted: Wanted, name: string): Matched | null {
    if (wanted.printing === null || !wanted.printing.isSpecialFoil) return null
    const anyPrinting = this.#printed(cards, { ...wanted, printing: null })
    const foils = anyPrinting.filter((card) => this.#printings.isFoilLike[this.#printingOf(card)])
    if (foils.length === 0) return null
    return foils.length === 1 ? { match: 'likely', cards: [foils[0]!] } : this.#ambiguous(foils, name)
  }

  /** Keeps the cards that have the line's printing, and the printings that the line's markers name. */
  #printed(cards: readonly number[], { printing, byId }: Wanted): readonly number[] {
    if (cards.length === 0 || (printing === null && this.#required.size === 0)) return cards
    const askedOf = (card: number): readonly AskedPrinting[] => {
      const required = this.#required.get(card) ?? []
      return printing === null ? required : [printing, ...required]
    }
    // First drops cards whose printing the text can't mean, which are most cards of a name. Within each group of the
    // remaining cards, `meant` decides which printings the text means.
    const possible = cards.filter((card) => {
      const asked = askedOf(card)
      return asked.length === 0 || asked.some((one) => this.#canMean(one, this.#printingOf(card)))
    })
    const groups = Map.groupBy(possible, (card) => (byId ? '' : this.#groupOf(card)))
    const { found, isUnclear } = this.#printings.meant(groups.values(), (card) => this.#printingOf(card), askedOf)
    this.#isUnclear ||= isUnclear
    return found
  }

  /** False if the text can't mean the printing, whatever other printings there are. */
  #canMean({ same, named, isFoil }: AskedPrinting, printing: number): boolean {
    if (printing === -1) return false
    return printing === same || named.includes(printing) || (isFoil && this.#printings.isFoilLike[printing]!)
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

  /**
   * The card with the most usual printing, among cards that differ by printing alone. Undefined if the cards differ
   * otherwise, or if none has a usual printing.
   */
  #usualOf(cards: readonly number[]): number | undefined {
    const group = this.#groupOf(cards[0]!)
    const printings = new Set<number>()
    let usual = cards[0]!
    const unusualness = (card: number) => this.#printings.unusualness[this.#printingOf(card)]!
    for (const card of cards) {
      const printing = this.#printingOf(card)
      if (printing === -1 || printings.has(printing) || this.#groupOf(card) !== group) return undefined
      printings.add(printing)
      if (unusualness(card) < unusualness(usual)) usual = card
    }
    return unusualness(usual) <= this.#printings.unusualMax ? usual : undefined
  }

  /** An ambiguous result, with the first candidates. */
  #ambiguous(cards: readonly number[], name: string): Matched {
    const order = new CandidateOrder(name, this.#file, this.#search)
    return { match: 'ambiguous', cards: order.firstOf(cards, this.#candidatesMax) }
  }
}
