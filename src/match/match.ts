/**
 * Finds the card that a line of a stock list means.
 *
 *   line ─ ids ──────────────────────────────────────► their cards ─ printing ─► exact, or the usual printing
 *        └ key of its name ─► cards ─ one field at most differs ─ printing ─► the first step that leaves cards
 *          no card of that key: its number as printed ─► cards ───────────────► likely
 *                               keys with one typo ─► cards ──────────────────► likely
 *
 * Each step allows one kind of difference. The first step that leaves cards decides. No step combines differences, so a line never
 * finds a card that differs from it in two things.
 *
 * The work is bounded, whatever a line says:
 *
 *   name ─ at most 6 readings ─ their keys ─ the cards of each, once
 *        └ of one key, at most 4 words ─ words with one typo, each once a request ─ their keys ─ the cards of each, once
 */
import { games } from '../games.ts'
import { type ListsFile, noPrinting } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { matchCandidatesMax } from '../limits.ts'
import { asTyped, foldCase, foldName } from '../names/fold.ts'
import { type Mark, markOf } from '../names/identity.ts'
import { totalOf } from '../names/numbers.ts'
import { type AskedPrinting, Printings } from '../names/printings.ts'
import { numberIndex } from '../search/scope/number-index.ts'
import type { IdsElsewhere } from '../search/scope/scope-lists.ts'
import type { Search } from '../search/search.ts'
import { ComparedMarkers, setStepOf, stepCount, steps } from './comparisons.ts'
import { LineName, type Reading } from './line-name.ts'
import { type KnownTypos, NameKeys } from './name-keys.ts'
import { cardsOfPrintedNumber } from './printed-numbers.ts'

/** A line of a stock list. Missing and blank fields are undefined. It has a name or ids. */
export interface Line {
  readonly name?: string | undefined
  readonly ids?: LineIds | undefined
  readonly number?: string | undefined
  /** A code, a name, or words of one. */
  readonly set?: string | undefined
  readonly game?: string | undefined
  readonly printing?: string | undefined
  readonly rarity?: string | undefined
}

/** A card must have all that are given. */
export interface LineIds extends IdsElsewhere {
  readonly card?: string | undefined
}

export interface Matched {
  readonly match: 'exact' | 'likely' | 'ambiguous' | 'none'
  /** Card indexes: the card, or the first candidates in the order of a search. */
  readonly cards: readonly number[]
}

const wholeNumber = /^\d+$/

const none: Matched = { match: 'none', cards: [] }

/** A line's fields as index numbers; -1 for any. */
interface Wanted {
  readonly game: number
  /** The step of a card of the set: exact, set words, or -1 if it is another set. */
  readonly setStep: (set: number) => number
  readonly number: number
  readonly rarity: number
  /** The number's total after the slash; undefined if it has none. */
  readonly total: string | undefined
  readonly printing: AskedPrinting | null
  /** The cards of an id are the printings of one. */
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
  /** A mark's kind, equal for cards that differ by printing alone; the printing that the name says, -1 if it says none. */
  readonly #kinds: readonly number[]
  readonly #markPrintings: readonly number[]
  readonly #rarities: ReadonlyMap<string, number>
  readonly #games: ReadonlyMap<string, number>
  /** The current line's cards by step. */
  readonly #found: number[][] = Array.from({ length: stepCount }, () => [])
  /** The printings that the line's markers name, by card. */
  readonly #required = new Map<number, readonly AskedPrinting[]>()
  /** True if the line's printing may be any of several that its cards have. Then it is no other card either. */
  #isUnclear = false
  #candidatesMax = matchCandidatesMax

  /** @param cardOfId the card's index, -1 if there is none */
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

  /** The lines of a request, in their order. */
  findAll(lines: readonly Line[]): Matched[] {
    const typos: KnownTypos = new Map()
    return lines.map((line) => this.find(line, typos))
  }

  /** @param typos what the request's other lines have looked up */
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

  /** Null if a field matches no card. With ids, only the printing counts. */
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

  #cardsOf({ card: id, ...elsewhere }: LineIds): readonly number[] {
    const given = Object.values(elsewhere).some((one) => one !== undefined)
    const cards = given ? this.#search.cardsOfIds(elsewhere) : undefined
    if (id === undefined) return cards ?? []
    const card = this.#cardOfId(id)
    return card === -1 || cards?.includes(card) === false ? [] : [card]
  }

  /** True for a card that has all that the line says, but for its name and its printing. */
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
   * Collects the cards of a key that differ from the line in one thing at most.
   * @param readings those of the line that have the key, or have it but for a typo
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

  /** Compares the total of the card's number; most have none: then the set's, where both are whole numbers. */
  #hasOtherTotal(own: string, set: number, total: string): boolean {
    if (own !== '') return own !== total
    const { printedTotal } = this.#file.sets[set]!
    return printedTotal !== null && wholeNumber.test(total) && Number(total) !== printedTotal
  }

  /** The result if there is one; null if no card has the line's printing. */
  #decide(match: 'exact' | 'likely', found: readonly number[], wanted: Wanted, name: string): Matched | null {
    const cards = this.#printed(found, wanted)
    if (cards.length === 0) return null
    if (cards.length === 1) return { match, cards: [cards[0]!] }
    const isGiven = wanted.printing !== null || this.#required.has(cards[0]!)
    const usual = isGiven ? undefined : this.#usualOf(cards)
    return usual === undefined ? this.#ambiguous(cards, name) : { match: 'likely', cards: [usual] }
  }

  /** For a finish that none of the cards has, and other products have: the only foil among them, or the foils to choose from. */
  #foilOf(cards: readonly number[], wanted: Wanted, name: string): Matched | null {
    if (wanted.printing === null || !wanted.printing.isSpecialFoil) return null
    const anyPrinting = this.#printed(cards, { ...wanted, printing: null })
    const foils = anyPrinting.filter((card) => this.#printings.isFoilLike[this.#printingOf(card)])
    if (foils.length === 0) return null
    return foils.length === 1 ? { match: 'likely', cards: [foils[0]!] } : this.#ambiguous(foils, name)
  }

  /** Those of the cards that have the line's printings. */
  #printed(cards: readonly number[], { printing, byId }: Wanted): readonly number[] {
    if (cards.length === 0 || (printing === null && this.#required.size === 0)) return cards
    const askedOf = (card: number): readonly AskedPrinting[] => {
      const required = this.#required.get(card) ?? []
      return printing === null ? required : [printing, ...required]
    }
    // Most cards of a name fall out before they are grouped. The others of a group decide which of its printings a text means.
    const possible = cards.filter((card) => {
      const asked = askedOf(card)
      return asked.length === 0 || asked.some((one) => this.#canMean(one, this.#printingOf(card)))
    })
    const groups = Map.groupBy(possible, (card) => (byId ? '' : this.#groupOf(card)))
    const { found, isUnclear } = this.#printings.meant(groups.values(), (card) => this.#printingOf(card), askedOf)
    this.#isUnclear ||= isUnclear
    return found
  }

  /** False if a text does not mean the printing, whichever others the card has. */
  #canMean({ same, named, isFoil }: AskedPrinting, printing: number): boolean {
    if (printing === -1) return false
    return printing === same || named.includes(printing) || (isFoil && this.#printings.isFoilLike[printing]!)
  }

  /** -1 if it is unknown. */
  #printingOf(card: number): number {
    const { cardPrinting, cardMark } = this.#lists
    return cardPrinting[card] === noPrinting ? this.#markPrintings[cardMark[card]!]! : cardPrinting[card]!
  }

  /** Equal for cards that differ by printing alone. */
  #groupOf(card: number): string {
    const { cardSet, cardRarity } = this.#file
    const { cardNumber, cardMark } = this.#lists
    return `${cardSet[card]} ${cardNumber[card]} ${cardRarity[card]} ${this.#kinds[cardMark[card]!]}`
  }

  /** The usual one of cards that differ by printing alone; undefined if they differ otherwise, or have no usual printing. */
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

  /** As in a search: cards whose whole name is the line's come first, as typed before as folded. */
  #ambiguous(cards: readonly number[], name: string): Matched {
    const [typed, folded] = [asTyped(name), foldName(name)]
    /** By name, its place in `ranked`. */
    const ranks = new Map<number, number>()
    const ranked: number[][] = [[], [], []]
    for (const card of Uint32Array.from(cards).sort()) {
      const own = this.#file.cardName[card]!
      let rank = ranks.get(own)
      if (rank === undefined) {
        const text = this.#search.nameOf(own)
        rank = asTyped(text) === typed ? 0 : foldName(text) === folded ? 1 : 2
        ranks.set(own, rank)
      }
      if (ranked[rank]!.length < this.#candidatesMax) ranked[rank]!.push(card)
      if (ranked[0]!.length === this.#candidatesMax) break
    }
    return { match: 'ambiguous', cards: ranked.flat().slice(0, this.#candidatesMax) }
  }
}
