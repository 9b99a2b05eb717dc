/**
 * Search the plain way, straight from the rules: every card's name is looked at, all hits are sorted. Slow; what the
 * real search is held against.
 */
import { plainPrinted } from './plain-printed.ts'
import { printingIsNamed } from './plain-printings.ts'
import {
  caseless,
  isJapaneseLetter,
  plainNumber,
  plainTotal,
  plainWords,
  type Readings,
  readingsOf,
  typosBetween,
} from './plain-words.ts'

export interface ScanCard {
  readonly name: string
  readonly game: number
  readonly setNumber: number
  readonly rarity: string | null
  readonly number?: string | null
  /** Cents. */
  readonly market?: number | null
  readonly tcgplayerId?: number | null
  readonly printing?: string | null
  readonly scryfallId?: string | null
  readonly mtgjsonId?: string | null
  readonly cardmarketId?: number | null
  /** From and to of the week, in cents. */
  readonly weekAgo?: number | null
  readonly now?: number | null
  /** The day of the last change. */
  readonly changedOn?: number | null
}

export interface ScanSet {
  readonly code: string
  readonly name: string
  readonly game: number
  readonly printedTotal?: number | null
}

export interface ScanFilter {
  readonly game: number
  readonly set: string | undefined
  readonly rarity: string | undefined
  readonly printing?: string | undefined
  readonly number?: string | undefined
  readonly minCents?: number | undefined
  readonly maxCents?: number | undefined
  readonly changedSince?: number | undefined
}

/** External ids of cards; a card must have each id that is given. */
export interface ScanIds {
  readonly tcgplayer?: number | undefined
  readonly scryfall?: string | undefined
  readonly mtgjson?: string | undefined
  readonly cardmarket?: number | undefined
}

export const hasIds = (card: ScanCard, { tcgplayer, scryfall, mtgjson, cardmarket }: ScanIds): boolean =>
  (tcgplayer === undefined || card.tcgplayerId === tcgplayer) &&
  (scryfall === undefined || card.scryfallId === scryfall) &&
  (mtgjson === undefined || card.mtgjsonId === mtgjson) &&
  (cardmarket === undefined || card.cardmarketId === cardmarket)

export type ScanSort = 'relevance' | 'price' | '-price' | 'name' | 'newest' | 'change' | '-change'

const isJapaneseWord = (word: string) => isJapaneseLetter([...word][0]!)
const typedForm = (text: string) => text.normalize('NFC').trim()
const hasSign = (text: string) =>
  /[\p{Sm}\p{Sc}\p{So}]/u.test(text.replaceAll('~', '')) || /(?<!\p{L})\p{Script=Greek}(?!\p{L})/u.test(text)
const signsForm = (text: string) => text.normalize('NFKC').replace(/\s/g, '')
/** True if the query word is the beginning of the word or, in Japanese, lies in it. */
const matchesWord = (asked: string, word: string): boolean =>
  isJapaneseWord(asked) ? word.includes(asked) : word.startsWith(asked)

const typosAllowed = (word: string): number => {
  const letters = word.match(/\p{Script=Latin}/gu)?.length ?? 0
  return letters >= 8 ? 2 : letters >= 4 ? 1 : 0
}

/** A name's words, its joined words among them. */
const allWords = ({ words, joined }: Readings): string[] => [...new Set([...words, ...joined])]

/** The words that a name must have: an `and` that stands for a sign is not one of them. */
function required(query: string, words: readonly string[]): readonly string[] {
  const others = /[&＆]/.test(query) ? words.filter((word) => word !== 'and') : words
  return others.length === 0 ? words : others
}

/** Steps 1 to 3 as a number, less is better; null if the name does not match. */
function stepOf(asked: readonly string[], needed: readonly string[], name: Readings): number | null {
  const all = allWords(name)
  if (!needed.every((word) => all.some((other) => matchesWord(word, other)))) return null
  if (asked.join(' ') === name.words.join(' ')) return 1
  const whole = needed.every((word) => all.includes(word))
  const fits = (word: string, other: string) => (whole ? word === other : other.startsWith(word))
  const order = (words: readonly string[]): number => {
    if (asked.length <= words.length && asked.every((word, i) => fits(word, words[i]!))) return 0
    let place = 0
    for (const word of asked) {
      while (place < words.length && !fits(word, words[place]!)) place++
      place++
    }
    return place <= words.length ? 1 : 2
  }
  return (whole ? 2 : 5) + Math.min(order(name.words), order(name.joined))
}

/** Typos and step of the best correction; null if a word is too far from all words of the name. */
function correctedStep(
  asked: readonly string[],
  needed: readonly string[],
  name: Readings,
): { typos: number; step: number } | null {
  let typos = 0
  let corrections: string[][] = [[]]
  const words = allWords(name)
  for (const word of asked) {
    let options = [word]
    if (needed.includes(word) && !words.some((other) => matchesWord(word, other))) {
      const distances = words.map((other) => typosBetween(word, other))
      const fewest = Math.min(...distances)
      if (fewest > typosAllowed(word)) return null
      typos += fewest
      options = [...new Set(words.filter((_, i) => distances[i] === fewest))]
    }
    corrections = corrections.flatMap((start) => options.map((option) => [...start, option]))
  }
  const steps = corrections.map((correction) => {
    const corrected = needed.map((word) => correction[asked.indexOf(word)]!)
    return stepOf(correction, corrected, name)!
  })
  return { typos, step: Math.min(...steps) }
}

/** Tenths of a percent, half away from zero: the plain way, in whole numbers of any size. */
export function plainTenths(from: number, to: number): number {
  const size = to < from ? from - to : to - from
  let tenths = (BigInt(size) * 1000n) / BigInt(from)
  const rest = (BigInt(size) * 1000n) % BigInt(from)
  if (2n * rest >= BigInt(from)) tenths += 1n
  return to < from && tenths !== 0n ? -Number(tenths) : Number(tenths)
}

export class Scan {
  readonly #cards: readonly ScanCard[]
  readonly #sets: readonly ScanSet[]
  readonly #words = new Map<string, Readings>()
  #numbers: Set<string> | undefined

  constructor(cards: readonly ScanCard[], sets: readonly ScanSet[]) {
    this.#cards = cards
    this.#sets = sets
    for (const { name } of cards) if (!this.#words.has(name)) this.#words.set(name, readingsOf(name))
  }

  /** All hits as card indexes, in their order. */
  find(query: string, filter: ScanFilter, sort: ScanSort = 'relevance'): number[] {
    return this.#sorted(this.#found(query, filter), sort)
  }

  /** All cards of the filter, as card indexes. */
  list(filter: ScanFilter, ids: ScanIds, sort: ScanSort): number[] {
    const listed = this.#scope(filter).filter((place) => hasIds(this.#cards[place]!, ids))
    return this.#sorted(listed, sort)
  }

  /** All names that match without typos, in the order in which a search shows them, each once a game, and its printings. */
  suggest(query: string, game: number): { name: string; game: number; cards: number }[] {
    const everyCard = this.#scope({ game, set: undefined, rarity: undefined })
    const names = new Map<string, { name: string; game: number; cards: number }>()
    for (const card of this.#ranked(everyCard, this.#exactRankFor(query))) {
      const { name, game } = this.#cards[card]!
      const key = `${game} ${name}`
      if (!names.has(key)) names.set(key, { name, game, cards: 0 })
      names.get(key)!.cards++
    }
    return [...names.values()]
  }

  #sorted(cards: readonly number[], sort: ScanSort): number[] {
    if (sort === 'relevance') return [...cards]
    const folded = (card: number) => this.#words.get(this.#cards[card]!.name)!.words.join(' ')
    const unknownLast = (card: number) => this.#cards[card]!.market ?? Number.POSITIVE_INFINITY
    const dearest = (card: number) => -(this.#cards[card]!.market ?? Number.NEGATIVE_INFINITY)
    const weekly = (sign: 1 | -1) => (card: number) => {
      const { weekAgo, now } = this.#cards[card]!
      return weekAgo && now != null ? sign * plainTenths(weekAgo, now) : Number.POSITIVE_INFINITY
    }
    const keys = {
      price: unknownLast,
      '-price': dearest,
      name: folded,
      newest: (card: number) => card,
      change: weekly(1),
      '-change': weekly(-1),
    }
    const key = keys[sort]
    const keyed = cards.map((card) => ({ card, key: key(card) }))
    keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.card - b.card))
    return keyed.map(({ card }) => card)
  }

  #found(query: string, filter: ScanFilter): number[] {
    const inScope = this.#scope(filter)
    const exact = this.#ranked(inScope, this.#exactRankFor(query))
    const asked = plainWords(query)
    if (exact.length > 0 || asked.length === 0) return exact
    const crossed = this.#crossed(query, inScope)
    if (crossed.length > 0) return crossed
    const printed = plainPrinted(query, inScope, this.#cards, this.#sets)
    if (printed.length > 0) return printed
    const misspelt = this.#ranked(inScope, (name) => {
      const found = correctedStep(asked, required(query, asked), this.#words.get(name)!)
      return found === null ? null : 100 * found.typos + found.step
    })
    return misspelt.length > 0 ? misspelt : this.#crossed(query, inScope, true)
  }

  /**
   * Those of which every term is of the name, the number or the set, one at least of the name; best first. With typos, words of names
   * may have some.
   */
  #crossed(query: string, inScope: readonly number[], withTypos = false): number[] {
    const tokens = query
      .normalize('NFKC')
      .replace(/(\p{N})\s*\/\s*(?=\p{L}*\p{N})/gu, '$1/')
      .split(/\s/u)
    const terms = [...new Set(tokens)]
      .filter((token) => /[\p{L}\p{N}]/u.test(token) && plainWords(token).length > 0)
      .map((token) => ({ token, words: token.includes('/') ? [] : required(token, plainWords(token)) }))
    const asked = terms.flatMap(({ words }) => [...new Set(words)])
    const total = terms.flatMap(({ token }) => (token.includes('/') ? [plainTotal(token)!] : [])).at(-1)
    const asksTotal = total !== undefined && /^\d+$/.test(total) ? Number(total) : undefined
    const hits: { card: number; rank: readonly number[] }[] = []
    for (const number of inScope) {
      const card = this.#cards[number]!
      const set = this.#sets[card.setNumber]!
      const name = allWords(this.#words.get(card.name)!)
      const setWords = plainWords(set.name)
      const code = plainWords(set.code).join('')
      const isNumber = (text: string) => card.number != null && plainNumber(text) === plainNumber(card.number)
      const typosOf = (word: string): number => {
        if (name.some((other) => matchesWord(word, other))) return 0
        const least = Math.min(
          ...name.map((other) => (Math.abs(word.length - other.length) > 2 ? 99 : typosBetween(word, other))),
        )
        return withTypos && typosAllowed(word) > 0 && least <= typosAllowed(word) ? least : Number.POSITIVE_INFINITY
      }
      let typos = 0
      let named = 0
      for (const { token, words } of terms) {
        const isWhole =
          isNumber(token) ||
          // Signs around a number are passed over, unless they are a number with it.
          (!this.#isAnyNumber(token) && isNumber(token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))) ||
          (words.length > 0 && words.join('') === code)
        if (words.length === 0 && !isWhole) typos = Number.POSITIVE_INFINITY
        for (const word of new Set(words)) {
          const fits = isWhole || isNumber(word) || setWords.includes(word) || word === code
          if (fits && typosOf(word) > 0) continue
          typos += typosOf(word)
          named++
        }
      }
      if (typos === Number.POSITIVE_INFINITY || named === 0) continue
      const cardsOfSet = this.#cards.filter(({ setNumber }) => setNumber === card.setNumber).length
      const leftover = setWords.filter((word) => !asked.includes(word)).length
      const isOther = asksTotal !== undefined && asksTotal !== (set.printedTotal ?? cardsOfSet)
      hits.push({ card: number, rank: [typos, asked.length - named, Number(isOther), leftover, number] })
    }
    hits.sort((a, b) => a.rank.map((one, i) => one - b.rank[i]!).find((difference) => difference !== 0) ?? 0)
    return hits.map(({ card }) => card)
  }

  #isAnyNumber(text: string): boolean {
    this.#numbers ??= new Set(this.#cards.flatMap(({ number }) => (number == null ? [] : [plainNumber(number)])))
    return this.#numbers.has(plainNumber(text))
  }

  /** By the query's words, or else by them joined. */
  #exactRankFor(query: string): (name: string) => number | null {
    const { words: asked, joined } = readingsOf(query)
    const [typed, signs] = [typedForm(query), signsForm(query)]
    return (name) => {
      const readings = this.#words.get(name)!
      // The case of a name with signs does not count.
      const equal = hasSign(typed) ? caseless(typed) === caseless(typedForm(name)) : typed === typedForm(name)
      if (asked.length === 0) {
        if (readings.words.length > 0 || signs !== signsForm(name)) return null
        return equal ? 0 : 1
      }
      if (equal) return 0
      const step = stepOf(asked, required(query, asked), readings)
      if (step !== null) return step
      const joinedStep = stepOf(joined, required(query, joined), readings)
      return joinedStep === null ? null : Math.max(joinedStep, 2)
    }
  }

  #scope({ game, set, rarity, printing, number, minCents, maxCents, changedSince }: ScanFilter): number[] {
    const inGame = this.#sets.map((_, number) => number).filter((n) => game === -1 || this.#sets[n]!.game === game)
    let sets = inGame
    if (set !== undefined) {
      sets = inGame.filter((n) => caseless(this.#sets[n]!.code) === caseless(set))
      if (sets.length === 0) sets = inGame.filter((n) => caseless(this.#sets[n]!.name) === caseless(set))
      if (sets.length === 0) {
        const short = (n: number) => /^[A-Z0-9&-]{1,8}(?:: | - )(.*\S.*)$/.exec(this.#sets[n]!.name)?.[1]
        sets = inGame.filter((n) => short(n) !== undefined && caseless(short(n)!) === caseless(set))
      }
    }
    const wanted = new Set(sets)
    const cards: number[] = []
    this.#cards.forEach((card, place) => {
      const rarityFits = rarity === undefined || (card.rarity !== null && caseless(card.rarity) === caseless(rarity))
      const printingFits =
        printing === undefined || (card.printing != null && this.#filtersPrinting(printing, card.printing))
      const numberFits =
        number === undefined || (card.number != null && plainNumber(card.number) === plainNumber(number))
      const isKnown = card.market != null
      const priceFits =
        (minCents === undefined || (isKnown && card.market >= minCents)) &&
        (maxCents === undefined || (isKnown && card.market <= maxCents))
      const changeFits = changedSince === undefined || (card.changedOn != null && card.changedOn > changedSince)
      const inGameAndSet = (game === -1 || card.game === game) && wanted.has(card.setNumber)
      if (inGameAndSet && rarityFits && printingFits && numberFits && priceFits && changeFits) cards.push(place)
    })
    return cards
  }

  /** A printing's own name keeps that printing alone; other words keep what they name. */
  #filtersPrinting(asked: string, printing: string): boolean {
    const isOwnName = this.#cards.some((card) => card.printing != null && caseless(card.printing) === caseless(asked))
    const isBeginning = /^(1st|first) ed(ition)?$|^unlimited( edition)?$/i.test(asked)
    return isOwnName && !isBeginning ? caseless(printing) === caseless(asked) : printingIsNamed(asked, printing)
  }

  #ranked(numbers: readonly number[], rankOf: (name: string) => number | null): number[] {
    const ranks = new Map<string, number | null>()
    const hits: { number: number; rank: number }[] = []
    for (const number of numbers) {
      const { name } = this.#cards[number]!
      if (!ranks.has(name)) ranks.set(name, rankOf(name))
      const rank = ranks.get(name)!
      if (rank !== null) hits.push({ number, rank })
    }
    return hits.sort((a, b) => a.rank - b.rank || a.number - b.number).map((hit) => hit.number)
  }
}
