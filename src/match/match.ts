/**
 * Finds the card that a line of a stock list means.
 *
 *   set and number ─► the set's cards with the number ─ printing ─► exact, or the usual printing
 *   ids  ─► cards with these ids ─ printing ─► exact, or the usual printing
 *   name ─► cards with its key ─ one field at most differs ─ printing ─► the first step with cards decides
 *      if no card has that key: the name as a printed number, or as a set's code ─► cards ─► likely
 *      if there are still none: keys that differ by one typo ─► cards ─► likely
 *
 * If only the printing excludes all cards, the line is ambiguous: these cards become its candidates.
 *
 * Each step allows one kind of difference. The first step that has cards decides. No step combines differences, so a
 * line never finds a card that differs from it in two things.
 *
 * The work is bounded, whatever a line says. A name has at most 6 readings, and the cards of each reading's key are
 * compared once. Typos are looked for in one key, in at most 4 of its words. For each such word, the words with one
 * typo are looked up once per request. Each of them gives a key, whose cards are compared once.
 */
import type { Games } from '../games.ts'
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import { matchCandidatesMax } from '../limits.ts'
import { foldCase, foldName, shortSetName } from '../names/fold.ts'
import { type Mark, markOf } from '../names/identity.ts'
import { foldNumber, totalOf } from '../names/numbers.ts'
import type { AskedPrinting } from '../names/printings.ts'
import { TextTable } from '../search/scope/text-table.ts'
import type { Search } from '../search/search.ts'
import { CandidateOrder } from './candidate-order.ts'
import { CardPrintings } from './card-printings.ts'
import { ComparedMarkers, setStepOf, stepCount, steps } from './comparisons.ts'
import type { Line, LineIds, Matched, Wanted } from './line.ts'
import { LineName, type Reading } from './line-name.ts'
import { isSpecialHolo, variantsOf } from './line-variants.ts'
import { type KnownTypos, NameKeys } from './name-keys.ts'
import { PrintedNames } from './printed-names.ts'

const wholeNumber = /^\d+$/

const none: Matched = { match: 'none', cards: [] }
const anySet = (): number => steps.exact

export interface MatchedCatalog {
  readonly games: Games
  /** Returns the index of the card with an id, -1 if there is none. */
  find(id: string): number
}

/** Cards that agree with a line in everything except the printing. */
interface Candidates {
  readonly cards: readonly number[]
  readonly name: string
  readonly total: string | undefined
}

export class Match {
  readonly #file: SearchFile
  readonly #lists: ListsFile
  readonly #search: Search
  readonly #keys: NameKeys
  readonly #numbers: TextTable
  readonly #printedOn: PrintedNames
  readonly #catalog: MatchedCatalog
  readonly #printings: CardPrintings
  readonly #marks: readonly Mark[]
  /** All markers in names of the data. */
  readonly #markers: ReadonlySet<string>
  readonly #rarities: ReadonlyMap<string, number>
  /** The cards of the current line, by step. */
  readonly #found: number[][] = Array.from({ length: stepCount }, () => [])
  /** By card: the printings that the line's markers name. The card must have them. */
  readonly #required = new Map<number, readonly AskedPrinting[]>()
  /**
   * True if the line's printing may mean any of several cards of a group. Then no later step may match the line.
   */
  #isUnclear = false
  /** The candidates of the current line if it matches nothing; null if none. */
  #otherPrintings: Candidates | null = null
  #candidatesMax = matchCandidatesMax

  constructor(file: SearchFile, lists: ListsFile, search: Search, catalog: MatchedCatalog) {
    this.#file = file
    this.#lists = lists
    this.#search = search
    this.#keys = new NameKeys(lists, search)
    this.#numbers = new TextTable(lists.numberText, lists.numberTextAt)
    this.#printedOn = new PrintedNames(file, lists, search.setWords)
    this.#catalog = catalog
    this.#marks = lists.marks.map(markOf)
    this.#printings = new CardPrintings(file, lists, this.#marks)
    this.#markers = new Set(this.#marks.flatMap(({ markers }) => markers))
    this.#rarities = new Map(file.rarities.map((rarity, number) => [rarity, number]))
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
    this.#otherPrintings = null
    const found = this.#findAny(line, typos)
    const others = this.#otherPrintings as Candidates | null
    if (found.match !== 'none' || others === null) return found
    return this.#ambiguous(others.cards, others.name, others.total)
  }

  #findAny(line: Line, typos: KnownTypos): Matched {
    if (line.ids === undefined && line.name === undefined) return this.#findByNumber(line)
    const given = this.#findAs(line, null)
    if (given.match === 'exact' || given.match === 'likely') return given
    let ambiguous = given.match === 'ambiguous' ? given : undefined
    for (const variant of variantsOf(line, (marker) => this.#markers.has(marker))) {
      const found = this.#findAs(variant, null)
      if (found.match === 'exact' || found.match === 'likely') return found
      if (found.match === 'ambiguous') ambiguous ??= found
    }
    return ambiguous ?? this.#findAs(line, typos)
  }

  /**
   * Matches a line that has a set and a number, but no name. A card of a gallery (a subset with its own numbers, such
   * as TG01) also matches if the line names the main set.
   */
  #findByNumber(line: Line): Matched {
    const { set, number } = line
    const wanted = set === undefined || number === undefined ? null : this.#wantedBy(line)
    if (wanted === null) return none
    this.#required.clear()
    this.#isUnclear = false
    const { numberCards, numberCardsAt } = this.#lists
    const all = [...numberCards.subarray(numberCardsAt[wanted.number], numberCardsAt[wanted.number + 1])]
    const inSet = all.filter((card) => this.#isIn(card, wanted))
    if (inSet.length > 0 || !/^[A-Z]{1,3}\d/i.test(number!)) {
      return (
        this.#decide('exact', inSet, wanted, '') ?? this.#foilOf(inSet, wanted, '') ?? this.#none(inSet, wanted, '')
      )
    }
    const main = `${foldName(set!)} `
    const setStep = (of: number) => {
      const { name } = this.#file.sets[of]!
      return [name, shortSetName(name) ?? name].some((one) => foldName(one).startsWith(main)) ? steps.exact : -1
    }
    const inGallery = all.filter((card) => this.#isIn(card, { ...wanted, setStep }))
    return this.#decide('likely', inGallery, wanted, '') ?? this.#none(inGallery, wanted, '')
  }

  /** Matches a line as it is written. @param typos null if no typos are allowed */
  #findAs(line: Line, typos: KnownTypos | null): Matched {
    const wanted = this.#wantedBy(line)
    if (wanted === null) return none
    this.#required.clear()
    this.#isUnclear = false
    if (line.ids !== undefined) {
      const cards = this.#cardsOf(line.ids)
      return (
        this.#decide('exact', cards, wanted, '') ?? this.#foilOf(cards, wanted, '') ?? this.#none(cards, wanted, '')
      )
    }
    const name = new LineName(line.name ?? '', this.#lists, this.#numbers)
    for (const cards of this.#found) cards.length = 0
    for (const { key, readings } of name.keys) this.#gather(key, readings, wanted, name)
    for (let step = 0; step < steps.extraMarker; step++) {
      const decided = this.#decide(step === steps.exact ? 'exact' : 'likely', this.#found[step]!, wanted, name.text)
      if (decided !== null) return decided
      if (this.#isUnclear) return this.#noneFound(wanted, name)
    }
    const foil = this.#foilOf(this.#found[steps.exact]!, wanted, name.text)
    if (foil !== null) return foil
    if (!this.#isName(name, wanted)) {
      const printed = this.#printedOn.find(name.text, wanted)
      const inLine = [...printed.cards].filter((card) => this.#isIn(card, wanted))
      if (inLine.length > 0) {
        const asked = { ...wanted, total: printed.total }
        return this.#decide('likely', inLine, asked, name.text) ?? this.#none(inLine, asked, name.text)
      }
      if (typos === null) return none
      const { key: asked, readings } = name.keyForTypos
      for (const key of this.#keys.withTypo(asked, typos)) this.#gather(key, readings, wanted, name)
      const misspelt = this.#found[steps.exact]!
      return this.#decide('likely', misspelt, wanted, name.text) ?? this.#none(misspelt, wanted, name.text)
    }
    const candidates = this.#printed(this.#found[steps.extraMarker]!, wanted)
    return candidates.length === 0
      ? this.#noneFound(wanted, name)
      : this.#ambiguous(candidates, name.text, wanted.total)
  }

  /**
   * No match. The candidates are the cards of the first step that has any, because none of them surely has the line's
   * printing.
   */
  #noneFound(wanted: Wanted, name: LineName): Matched {
    return this.#none(this.#found.find((cards) => cards.length > 0) ?? [], wanted, name.text)
  }

  /**
   * No match, because the printing excludes these cards. They become the line's candidates, unless another way to write
   * the line has yielded candidates before.
   */
  #none(cards: readonly number[], { total }: Wanted, name: string): Matched {
    if (cards.length > 0) this.#otherPrintings ??= { cards: [...cards], name, total }
    return none
  }

  /**
   * Returns the line's fields as index numbers. Null if a field matches no card. If the line has ids, all other fields
   * except the printing are ignored.
   */
  #wantedBy({ ids, number, set, game, printing, rarity }: Line): Wanted | null {
    const asked = printing === undefined ? null : this.#printings.all.find(printing)
    const isHolo = printing !== undefined && isSpecialHolo(printing)
    if (ids !== undefined) {
      const any = { game: -1, setStep: anySet, number: -1, rarity: -1, total: undefined }
      return { ...any, printing: asked, isHolo, byId: true }
    }
    const gameNumber = game === undefined ? -1 : this.#catalog.games.find(game)
    const place = number === undefined ? -1 : this.#numbers.find(foldNumber(number))
    const rarityNumber = rarity === undefined ? -1 : this.#rarities.get(foldCase(rarity))
    if (gameNumber === undefined || rarityNumber === undefined || (number !== undefined && place === -1)) return null
    const total = number === undefined ? undefined : totalOf(number)
    const setStep = set === undefined ? anySet : setStepOf(set, this.#search.setWords, this.#file.sets)
    return {
      game: gameNumber,
      setStep,
      number: place,
      total,
      rarity: rarityNumber,
      printing: asked,
      isHolo,
      byId: false,
    }
  }

  /** Returns the cards that have all the line's ids. */
  #cardsOf({ card: id, ...elsewhere }: LineIds): readonly number[] {
    const given = Object.values(elsewhere).some((one) => one !== undefined)
    const cards = given ? this.#search.cardsOfIds(elsewhere) : undefined
    if (id === undefined) return cards ?? []
    const card = this.#catalog.find(id)
    return card === -1 || cards?.includes(card) === false ? [] : [card]
  }

  /** True if the card agrees with the line in game, number, rarity and set. */
  #isIn(card: number, { game, number, rarity, setStep }: Wanted): boolean {
    if (game !== -1 && this.#lists.cardGame[card] !== game) return false
    if (number !== -1 && this.#lists.cardNumber[card] !== number) return false
    if (rarity !== -1 && this.#file.cardRarity[card] !== rarity) return false
    return setStep(this.#file.cardSet[card]!) === steps.exact
  }

  /** True if the line's game has cards with the line's name. */
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
   * Collects the cards of a key by step. A card that differs from the line in more than one thing has no step.
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
      compared.set(reading, new ComparedMarkers(reading.markers, this.#printings.all))
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
   * True if the line's total is wrong for the card. Most cards' numbers have no total of their own. For these the set's
   * total is compared, and only a total that is a whole number can be wrong.
   * @param own the total of the card's number, '' if it has none
   */
  #hasOtherTotal(own: string, set: number, total: string): boolean {
    if (own !== '') return own !== total
    const { printedTotal } = this.#file.sets[set]!
    return printedTotal !== null && wholeNumber.test(total) && Number(total) !== printedTotal
  }

  /** True if the line's total is that of the card's number or, if the number has none, that of its set. */
  #hasTotal(card: number, total: string): boolean {
    const own = this.#marks[this.#lists.cardMark[card]!]!.total
    return own === ''
      ? wholeNumber.test(total) && Number(total) === this.#search.totalOfSet(this.#file.cardSet[card]!)
      : own === total
  }

  /** Returns the result for the cards of a step. Null if none of them has the line's printing. */
  #decide(match: 'exact' | 'likely', found: readonly number[], wanted: Wanted, name: string): Matched | null {
    const cards = this.#printed(found, wanted)
    if (cards.length === 0) return null
    if (cards.length === 1) return { match, cards: [cards[0]!] }
    const isGiven = wanted.printing !== null || this.#required.has(cards[0]!)
    const usual = isGiven ? undefined : this.#printings.usualOf(cards)
    return usual === undefined ? this.#ambiguous(cards, name, wanted.total) : { match: 'likely', cards: [usual] }
  }

  /**
   * Returns the result if the line names a special foil that none of the cards has. If exactly one of the cards is a
   * foil, that card is the result, with `likely`. If several are, the result is ambiguous. Null in all other cases.
   */
  #foilOf(cards: readonly number[], wanted: Wanted, name: string): Matched | null {
    // A card with the finish `Cosmos Holo` is a card of its own. `Rainbow Foil` may mean a card's foil printing.
    if (wanted.printing === null || !wanted.printing.isSpecialFoil || wanted.isHolo) return null
    const anyPrinting = this.#printed(cards, { ...wanted, printing: null })
    const foils = anyPrinting.filter((card) => this.#printings.isLikeFoil(card))
    if (foils.length === 0) return null
    return foils.length === 1 ? { match: 'likely', cards: [foils[0]!] } : this.#ambiguous(foils, name, wanted.total)
  }

  /** Returns the cards that have the line's printing and all printings that the line's markers name. */
  #printed(cards: readonly number[], { printing, byId }: Wanted): readonly number[] {
    if (cards.length === 0 || (printing === null && this.#required.size === 0)) return cards
    const askedOf = (card: number): readonly AskedPrinting[] => {
      const required = this.#required.get(card) ?? []
      return printing === null ? required : [printing, ...required]
    }
    const { found, isUnclear } = this.#printings.meant(cards, askedOf, byId)
    this.#isUnclear ||= isUnclear
    return found
  }

  /** Returns an ambiguous result with the first candidates. @param total the total of the line's number */
  #ambiguous(cards: readonly number[], name: string, total: string | undefined): Matched {
    const order = new CandidateOrder(name, this.#file, this.#search)
    const fits = total === undefined ? undefined : (card: number) => this.#hasTotal(card, total)
    return { match: 'ambiguous', cards: order.firstOf(cards, this.#candidatesMax, fits) }
  }
}
