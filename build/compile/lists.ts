/** Turns cards into the columns of the lists file: by what they are listed and narrowed, and the orders they are sorted in. */
import { gameSlugs } from '../../src/games.ts'
import {
  type ListsFile,
  noPrice,
  numberList,
  sortPrice,
  suggestionEnd,
  suggestionStart,
} from '../../src/indexes/lists-file.ts'
import type { SearchFile } from '../../src/indexes/search-file.ts'
import { foldNumber } from '../../src/search/fold.ts'
import { compareTexts } from '../../src/text-order.ts'
import { invert, joinTexts, offsets, orderBy } from './columns.ts'

export interface ListedCard {
  readonly name: string
  readonly game: number
  readonly number: string | null
  /** Cents, null if unknown. */
  readonly market: number | null
  readonly tcgplayerId: number | null
}

/**
 * @param cards by card number
 * @param search what search knows of the same cards
 */
export function compileLists(cards: readonly ListedCard[], search: SearchFile): ListsFile {
  const cardMarket = Uint32Array.from(cards, ({ market }) => market ?? noPrice)
  return { ...steadyColumns(cards, search), ...priceColumns(cardMarket, search) }
}

/** @param lists of the same cards at other prices */
export const repricedLists = (lists: ListsFile, cardMarket: Uint32Array, search: SearchFile): ListsFile => ({
  ...lists,
  ...priceColumns(cardMarket, search),
})

function steadyColumns(cards: readonly ListedCard[], search: SearchFile) {
  const cardGame = Uint8Array.from(cards, ({ game }) => game)
  const [gameCardsAt, gameCards] = invert(cardGame, gameSlugs.length)
  const nameRanks = ranksOfNames(search)
  return {
    cardGame,
    gameCardsAt,
    gameCards,
    ...numberColumns(cards),
    ...productColumns(cards),
    ...suggestionColumns(cards, search),
    byName: orderBy(search.cardName.map((name) => nameRanks[name]!)),
  }
}

function priceColumns(cardMarket: Uint32Array, search: SearchFile) {
  const byPrice = (dearestFirst: boolean) => orderBy(cardMarket.map((cents) => sortPrice(cents, dearestFirst)))
  return {
    cardMarket,
    marketByName: search.cards.map((card) => cardMarket[card]!),
    cheapestFirst: byPrice(false),
    dearestFirst: byPrice(true),
  }
}

function numberColumns(cards: readonly ListedCard[]) {
  const folded = cards.map(({ number }) => (number === null ? null : foldNumber(number)))
  const texts = [...new Set(folded.filter((text) => text !== null))].sort(compareTexts)
  const places = new Map(texts.map((text, place) => [text, place]))
  const cardNumber = Uint32Array.from(folded, (text) => (text === null ? texts.length : places.get(text)!))
  const [numberTextAt, numberText] = joinTexts(texts)
  const listOfCard = cardNumber.map((number, card) => numberList(number, cards[card]!.game))
  const [numberCardsAt, numberCards] = invert(listOfCard, numberList(texts.length + 1, 0))
  return { numberTextAt, numberText, cardNumber, numberCardsAt, numberCards }
}

function productColumns(cards: readonly ListedCard[]) {
  const lists = new Map<number, number[]>()
  cards.forEach(({ tcgplayerId }, card) => {
    if (tcgplayerId === null) return
    const list = lists.get(tcgplayerId)
    if (list === undefined) lists.set(tcgplayerId, [card])
    else list.push(card)
  })
  const products = [...lists].sort(([a], [b]) => a - b)
  return {
    productIds: Float64Array.from(products, ([id]) => id),
    productCardsAt: offsets(products.map(([, list]) => list.length)),
    productCards: Uint32Array.from(products.flatMap(([, list]) => list)),
  }
}

/** A name's first card has it as it is answered. */
function suggestionColumns(cards: readonly ListedCard[], { cardsAt, cards: cardsOfNames }: SearchFile) {
  const texts = Array.from(cardsAt.subarray(0, -1), (first, number) => {
    const { name, game } = cards[cardsOfNames[first]!]!
    const end = suggestionEnd(gameSlugs[game]!, cardsAt[number + 1]! - first)
    return Buffer.from(suggestionStart.slice(0, -1) + JSON.stringify(name) + end)
  })
  return { suggestionsAt: offsets(texts.map((text) => text.length)), suggestions: Buffer.concat(texts) }
}

/** The rank of each name among all by its folded words; names of equal words have one. */
function ranksOfNames({ nameWordsAt, nameWords, wordTextAt, wordText, nameGame }: SearchFile): Uint32Array {
  const text = Buffer.from(wordText.buffer, wordText.byteOffset, wordText.byteLength)
  const wordOf = (word: number) => text.toString('utf16le', 2 * wordTextAt[word]!, 2 * wordTextAt[word + 1]!)
  const folded = Array.from(nameGame, (_, name) =>
    Array.from(nameWords.subarray(nameWordsAt[name], nameWordsAt[name + 1]), wordOf).join(' '),
  )
  const ranks = new Map([...new Set(folded)].sort(compareTexts).map((name, rank) => [name, rank]))
  return Uint32Array.from(folded, (name) => ranks.get(name)!)
}
