/** The card that a line means the plain way: every card is looked at, by the rules as they are written. Slow. */
import { gameSlugs } from '../../build/games/default-games.ts'
import type { Line, Matched } from '../../src/match/line.ts'
import { bare, numbersIn, type PlainName, readName } from './plain-names.ts'
import { isPrinting, joined, label, printingIsNamed as names } from './plain-printings.ts'
import { caseless, plainNumber, plainTotal, plainWords, readingsOf, typosBetween } from './plain-words.ts'
import { hasIds, type ScanCard, type ScanSet } from './scan.ts'

interface Fit {
  readonly card: number
  /** Which rules have to be loosened. */
  readonly loosened: readonly string[]
  /** Printings that the line's brackets name. */
  readonly printings: readonly string[]
  readonly named: Named
}

/** Cards that fit a way to read a line equally well. */
type Step = readonly [line: Line, fits: readonly Fit[]]

const none: Matched = { match: 'none', cards: [] }

/** A card's name without its number and without the printing that the brackets name, and its printing. */
interface Named extends PlainName {
  readonly printing: string | null
}

export class PlainMatching {
  readonly #cards: readonly ScanCard[]
  readonly #sets: readonly ScanSet[]
  readonly #names: readonly Named[]

  constructor(cards: readonly ScanCard[], sets: readonly ScanSet[]) {
    this.#cards = cards
    this.#sets = sets
    this.#names = cards.map(({ name, number, printing }) => {
      const read = readName(name, number ?? null)
      const own = read.markers.find((marker) => (printing == null ? isPrinting(marker) : names(marker, printing)))
      const markers = read.markers.filter((marker, i) => marker !== own || i !== read.markers.indexOf(own))
      return { ...read, markers, printing: printing ?? own ?? null }
    })
  }

  /**
   * A line is read as given, and with signs between the thousands of its numbers; then with a typo. Where the printing
   * alone excludes cards, the first of them that fit otherwise are candidates.
   */
  find(line: Line): Matched {
    if (line.ids !== undefined) {
      const found = this.#withIds(line)
      return this.#byIds(found, line) ?? this.#otherPrintings([[line, found]])
    }
    const variants = [line, ...thousandsApart(line)]
    const found = variants.map((one) => this.#find(one))
    const kinds: readonly (readonly string[])[] = [['exact', 'likely'], ['ambiguous']]
    for (const kind of kinds) {
      const first = found.find(({ match }) => kind.includes(match))
      if (first !== undefined) return first
    }
    const misspelt = this.#isNamed(line) || this.#ofPrinted(line).length > 0 ? [] : this.#misspeltFits(line)
    const decided = this.#decide('likely', misspelt, line)
    return decided ?? this.#otherPrintings([...variants.flatMap((one) => this.#stepsOf(one)), [line, misspelt]])
  }

  #otherPrintings(steps: readonly Step[]): Matched {
    const first = steps.find(([, fits]) => fits.length > 0)
    return first === undefined ? none : this.#ambiguous(first[1], first[0])
  }

  #stepsOf(line: Line): Step[] {
    const fits = this.#namedFits(line)
    const steps = ['', 'markers', 'face', 'set', 'total', 'extra marker'].map((step) =>
      fits.filter(({ loosened }) => loosened.join() === step),
    )
    return [...steps, this.#isNamed(line) ? [] : this.#ofPrinted(line)].map((step) => [line, step])
  }

  /** Without typos. */
  #find(line: Line): Matched {
    const fits = this.#namedFits(line)
    for (const step of ['', 'markers', 'face', 'set', 'total']) {
      const ofStep = fits.filter(({ loosened }) => loosened.join() === step)
      const found = this.#decide(step === '' ? 'exact' : 'likely', ofStep, line)
      if (found !== null) return found
      if (this.#withPrinting(ofStep, line, mayHavePrinting).length > 0) return none
    }
    const foil = this.#onlyFoil(
      fits.filter(({ loosened }) => loosened.length === 0),
      line,
    )
    if (foil !== null) return foil
    const printed = this.#isNamed(line) ? [] : this.#ofPrinted(line)
    if (printed.length > 0) return this.#decide('likely', printed, line) ?? none
    const candidates = this.#printed(
      fits.filter(({ loosened }) => loosened.join() === 'extra marker'),
      line,
    )
    return candidates.length === 0 ? none : this.#ambiguous(candidates, line)
  }

  #isExactly(card: number, read: PlainName): boolean {
    return same(read.words, this.#names[card]!.words)
  }

  #isFace(card: number, read: PlainName): boolean {
    return this.#names[card]!.faces.some((face) => same(face, read.words))
  }

  #namedFits(line: Line): Fit[] {
    return this.#fits(line, (card, read) =>
      this.#isExactly(card, read) ? [] : this.#isFace(card, read) ? ['face'] : null,
    )
  }

  /** True if a card of the game has the name. */
  #isNamed(line: Line): boolean {
    return this.#cards.some(({ game, number }, card) => {
      const read = readName(line.name!, number ?? null)
      return isOfGame(line, game) && (this.#isExactly(card, read) || this.#isFace(card, read))
    })
  }

  #misspeltFits(line: Line): Fit[] {
    const asked = this.#misspeltWords(line.name!)
    const fits = this.#fits(line, (card, read) => {
      const { words, faces } = this.#names[card]!
      if (!same(read.words, asked.words)) return null
      const isMisspelt = (other: readonly string[]) => haveOneTypo(read.words, other, asked.places)
      return isMisspelt(words) ? [] : faces.some(isMisspelt) ? ['face'] : null
    })
    return fits.filter(({ loosened }) => loosened.length === 0)
  }

  /** The cards of a name that is a number with its code, or else a code and a number, if all else fits. */
  #ofPrinted(line: Line): Fit[] {
    const name = line.name!
    const isNumber = /^[A-Z]{1,5}\d{0,3}-[A-Z0-9_]{1,12}$/i.test(name)
    const numbered = this.#cards.some(({ number }) => number != null && plainNumber(number) === plainNumber(name))
    const coded = codeAndNumber(line)
    return this.#cards.flatMap((card, number): Fit[] => {
      const isAsked = (text: string) => card.number != null && plainNumber(text) === plainNumber(card.number)
      const isPrinted = (one: CodeAndNumber) =>
        isAsked(one.number) && plainWords(this.#sets[card.setNumber]!.code).join('') === plainWords(one.code).join('')
      const fits =
        (isNumber && numbered ? isAsked(name) : coded !== undefined && isPrinted(coded)) &&
        isOfGame(line, card.game) &&
        (line.number === undefined || isAsked(line.number)) &&
        (line.set === undefined || isSet(this.#sets[card.setNumber]!, line.set)) &&
        (line.rarity === undefined || (card.rarity !== null && caseless(card.rarity) === caseless(line.rarity)))
      return fits ? [{ card: number, loosened: [], printings: [], named: this.#names[number]! }] : []
    })
  }

  /** The words in which a typo is looked for, and where: in those that no name has, or else in the first four. */
  #misspeltWords(name: string): { words: readonly string[]; places: readonly number[] } {
    const isNumber = (text: string) =>
      this.#cards.some(({ number }) => number != null && plainNumber(number) === plainNumber(text))
    const readings = [null, ...numbersIn(name).filter(isNumber).map(bare)].map((number) => readName(name, number).words)
    const lengths = readings.map((words) => words.join(' ').length)
    const words = readings[lengths.indexOf(Math.min(...lengths))]!
    const known = new Set(this.#cards.flatMap((card) => Object.values(readingsOf(card.name)).flat()))
    const places = [...words.keys()].filter((place) => mayBeMisspelt(words[place]!))
    const unknown = places.filter((place) => !known.has(words[place]!))
    return { words, places: (unknown.length > 0 ? unknown : places).slice(0, 4) }
  }

  #withIds({ ids }: Line): Fit[] {
    return this.#cards.flatMap((card, number) =>
      hasIds(card, ids!) ? [{ card: number, loosened: [], printings: [], named: this.#names[number]! }] : [],
    )
  }

  #byIds(found: readonly Fit[], line: Line): Matched | null {
    return this.#decide('exact', found, line) ?? this.#onlyFoil(found, line)
  }

  /** A foil by a name that none of these has: the only foil, or several to choose from. */
  #onlyFoil(fits: readonly Fit[], line: Line): Matched | null {
    if (line.printing === undefined || !isFoil(line.printing) || isPrinting(line.printing)) return null
    const foils = this.#printed(fits, { ...line, printing: undefined }).filter(({ named }) => isFoil(named.printing))
    if (foils.length === 0) return null
    return foils.length === 1 ? { match: 'likely', cards: [foils[0]!.card] } : this.#ambiguous(foils, line)
  }

  #fits(line: Line, compare: (card: number, read: PlainName) => string[] | null): Fit[] {
    return this.#cards.flatMap((card, number): Fit[] => {
      if (!isOfGame(line, card.game)) return []
      const named = this.#names[number]!
      const read = readName(line.name!, card.number ?? null)
      const loosened = compare(number, read)
      if (loosened === null || (read.signs !== '' && read.signs !== named.signs)) return []
      const extra = read.markers.filter((marker) => !named.markers.includes(marker))
      const printings = extra.filter((marker) => this.#isAnyPrinting(marker))
      if (named.markers.some((marker) => !read.markers.includes(marker))) loosened.push('markers')
      if (extra.length > printings.length) loosened.push('extra marker')
      if (line.number !== undefined) {
        if (card.number == null || plainNumber(line.number) !== plainNumber(card.number)) return []
        const [total, own] = [plainTotal(line.number), plainTotal(card.number)]
        const { printedTotal } = this.#sets[card.setNumber]!
        const ofSet = printedTotal == null || !/^\d+$/.test(total ?? '') ? '' : String(printedTotal)
        if (total !== undefined && (own || ofSet) !== '' && total !== (own || ofSet)) loosened.push('total')
      }
      if (line.set !== undefined) {
        const words = plainWords(line.set)
        const { name } = this.#sets[card.setNumber]!
        const isWhole = isSet(this.#sets[card.setNumber]!, line.set)
        const isOther = this.#sets.some((set) => set.game === card.game && isSet(set, line.set!))
        const hasWords = words.length > 0 && words.every((word) => plainWords(name).includes(word))
        if (!isWhole && (isOther || !hasWords)) return []
        if (!isWhole) loosened.push('set')
      }
      if (line.rarity !== undefined && (card.rarity === null || caseless(card.rarity) !== caseless(line.rarity)))
        return []
      return [{ card: number, loosened, printings, named }]
    })
  }

  #isAnyPrinting(text: string): boolean {
    return isPrinting(text) || this.#names.some(({ printing }) => printing !== null && names(text, printing))
  }

  /** Those that have the line's printing, where all printings of a card are among the fits. */
  #printed(fits: readonly Fit[], line: Line): Fit[] {
    const found = this.#withPrinting(fits, line, havePrinting)
    return found.length === 0 ? found : this.#withPrinting(fits, line, mayHavePrinting)
  }

  #withPrinting(fits: readonly Fit[], line: Line, have: typeof havePrinting): Fit[] {
    return fits.filter((fit) => {
      const asked = [...(line.printing === undefined ? [] : [line.printing]), ...fit.printings]
      const group = line.ids === undefined ? fits.filter((other) => this.#differByPrinting(fit, other)) : fits
      return asked.every((text) => have(group, text).includes(fit))
    })
  }

  #differByPrinting(a: Fit, b: Fit): boolean {
    return this.#areAlike(a.card, b.card) && this.#productOf(a.card) === this.#productOf(b.card)
  }

  /** Equal but for printing and product. */
  #areAlike(a: number, b: number): boolean {
    const [one, other] = [this.#cards[a]!, this.#cards[b]!]
    const [named, otherNamed] = [this.#names[a]!, this.#names[b]!]
    const number = (card: ScanCard) => (card.number == null ? null : plainNumber(card.number))
    const rarity = (card: ScanCard) => (card.rarity === null ? null : caseless(card.rarity))
    return (
      one.setNumber === other.setNumber &&
      number(one) === number(other) &&
      rarity(one) === rarity(other) &&
      named.signs === otherNamed.signs &&
      same(named.markers, otherNamed.markers)
    )
  }

  /** Counts the products of cards that are alike and have one name, as the ids say; the first if they say nothing. */
  #productOf(card: number): number {
    const products = new Map<string, number>()
    let count = 0
    for (const other of this.#cards.keys()) {
      const ids = this.#idsOf(other)
      const isNamed = same(this.#names[card]!.words, this.#names[other]!.words)
      if (ids.length === 0 || !isNamed || !this.#areAlike(card, other)) continue
      const product = products.get(ids.find((id) => products.has(id)) ?? '') ?? count++
      for (const id of ids) if (!products.has(id)) products.set(id, product)
      if (other === card) return product
    }
    return 0
  }

  #idsOf(card: number): string[] {
    const { tcgplayerId, scryfallId, mtgjsonId } = this.#cards[card]!
    return [tcgplayerId, scryfallId, mtgjsonId].filter((id) => id != null).map(String)
  }

  #decide(match: 'exact' | 'likely', fits: readonly Fit[], line: Line): Matched | null {
    const left = this.#printed(fits, line)
    if (left.length === 0) return null
    if (left.length === 1) return { match, cards: [left[0]!.card] }
    const printings = left.map(({ named }) => named.printing)
    const areVariants =
      left.every((fit) => this.#differByPrinting(left[0]!, fit)) &&
      printings.every((printing) => printing !== null) &&
      new Set(printings.map((printing) => caseless(printing!))).size === left.length
    if (line.printing === undefined && left[0]!.printings.length === 0 && areVariants) {
      for (const usual of ['Normal', 'Holofoil', 'Foil']) {
        const found = left.find(({ named }) => names(usual, named.printing!))
        if (found !== undefined) return { match: 'likely', cards: [found.card] }
      }
    }
    return this.#ambiguous(left, line)
  }

  #ambiguous(fits: readonly Fit[], line: Line): Matched {
    const typed = (name: string) => name.normalize('NFC').trim()
    const rank = (card: number) => {
      const { name } = this.#cards[card]!
      if (typed(name) === typed(line.name ?? '')) return 0
      return label(name) === label(line.name ?? '') ? 1 : 2
    }
    const asked = this.#isPrintedLine(line) ? codeAndNumber(line)!.number : (line.number ?? '')
    const total = line.ids === undefined ? plainTotal(asked) : undefined
    const isOther = (card: number) => Number(total !== undefined && total !== this.#totalOf(card))
    const cards = fits.map(({ card }) => card).sort((a, b) => isOther(a) - isOther(b) || rank(a) - rank(b) || a - b)
    return { match: 'ambiguous', cards: cards.slice(0, 5) }
  }

  /** That of the card's number, or else of its set. */
  #totalOf(card: number): string {
    const { number, setNumber } = this.#cards[card]!
    const ofSet = this.#sets[setNumber]!.printedTotal ?? this.#cards.filter((one) => one.setNumber === setNumber).length
    return plainTotal(number ?? '') || String(ofSet)
  }

  #isPrintedLine(line: Line): boolean {
    return (
      line.ids === undefined && line.name!.includes(' ') && !this.#isNamed(line) && this.#ofPrinted(line).length > 0
    )
  }
}

/** `Borrowing 100,000 Arrows` for `Borrowing 100000 Arrows`. */
function thousandsApart(line: Line): Line[] {
  const apart = (word: string) =>
    /^\d{4,9}$/.test(word) ? [word.slice(0, -6), word.slice(-6, -3), word.slice(-3)].filter(Boolean).join(',') : word
  const name = line.name!.split(/(\s)/).map(apart).join('')
  return name === line.name ? [] : [{ ...line, name }]
}

interface CodeAndNumber {
  readonly code: string
  readonly number: string
}

/** `SV2a 006/165`, or a name that is one word with the line's number. */
function codeAndNumber({ name, number }: Line): CodeAndNumber | undefined {
  const [code, behind, ...more] = name!
    .replace(/\s*\/\s*/g, '/')
    .trim()
    .split(/\s+/)
  if (more.length > 0 || (behind ?? number) === undefined) return undefined
  return { code: code!, number: (behind ?? number)! }
}

function havePrinting(group: readonly Fit[], text: string): readonly Fit[] {
  const fits = mayHavePrinting(group, text)
  return label(text) === 'foil' && fits.length > 1 && !fits.some(({ named }) => names('foil', named.printing!))
    ? []
    : fits
}

/** Several if the text may mean either of two foils. */
function mayHavePrinting(group: readonly Fit[], text: string): readonly Fit[] {
  const literal = group.filter(({ named }) => named.printing !== null && caseless(named.printing) === caseless(text))
  if (literal.length > 0) return literal
  const named = group.filter(({ named }) => named.printing !== null && names(text, named.printing))
  if (named.length > 0 || label(text) !== 'foil') return named
  return group.filter(({ named }) => isFoil(named.printing))
}

/** True if the text is the set's code, or its name, whole or without the publisher's prefix. */
function isSet({ code, name }: ScanSet, text: string): boolean {
  const short = /^[A-Z0-9&-]{1,8}(?:: | - )(.*\S.*)$/.exec(name)?.[1]
  const isCode = plainWords(text).join('') === plainWords(code).join('')
  return isCode || [name, short].some((one) => one !== undefined && label(one) === label(text))
}

const isFoil = (printing: string | null) =>
  /foil|holo/.test(label(printing ?? '')) && !names('Normal', printing!) && !/\p{S}/u.test(printing!)

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((word, i) => word === b[i])

const mayBeMisspelt = (word: string) => (word.match(/\p{Script=Latin}/gu)?.length ?? 0) >= 4

function haveOneTypo(asked: readonly string[], words: readonly string[], places: readonly number[]): boolean {
  if (asked.length !== words.length) return false
  const wrong = asked.flatMap((word, i) => (word === words[i] ? [] : [i]))
  return wrong.length === 1 && places.includes(wrong[0]!) && typosBetween(asked[wrong[0]!]!, words[wrong[0]!]!) === 1
}

const isOfGame = ({ game }: Line, number: number): boolean =>
  game === undefined || joined(game) === joined(gameSlugs[number]!) || joined(game) === joined(gameNames[number]!)

const gameNames = [
  'Pokémon',
  'Pokémon Japan',
  'Magic: The Gathering',
  'Yu-Gi-Oh!',
  'Disney Lorcana',
  'One Piece Card Game',
  'Star Wars: Unlimited',
  'Flesh and Blood',
]
