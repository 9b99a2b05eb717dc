/** Compiles the columns of the lists file: the fields by which cards are listed and filtered, and the sort orders. */

import assert from 'node:assert/strict'
import type { ResponseOf } from '../../src/api/schemas.ts'
import { offsets, printingsMax } from '../../src/indexes/format.ts'
import {
  type ListsFile,
  noPrice,
  noPrinting,
  numbersOfUuid,
  suggestionEnd,
  suggestionStart,
} from '../../src/indexes/lists-file.ts'
import { type SearchFile, wordMask } from '../../src/indexes/search-file.ts'
import { foldCase } from '../../src/names/fold.ts'
import { identityOfCard, markOf, withProduct } from '../../src/names/identity.ts'
import { foldNumber } from '../../src/names/numbers.ts'
import { fieldOrders } from '../../src/search/scope/orders.ts'
import { compareTexts } from '../../src/text-order.ts'
import { cardsInOrder } from './card-orders.ts'
import type { Card } from './compiled-cards.ts'
import { invert, joinTexts, type ListedSet, numberOf } from './search-columns.ts'

type ListedCard = Omit<Card, 'id' | 'updated' | 'texts'>

/**
 * @param cards by card index
 * @param sets by set number
 * @param slugs the games' slugs, by number
 * @param search the search file of the same cards
 */
export function compileLists(
  cards: readonly ListedCard[],
  sets: readonly ListedSet[],
  slugs: readonly string[],
  search: SearchFile,
): ListsFile {
  const cardGame = Uint8Array.from(cards, ({ game }) => game)
  const nameRanks = ranksOfNames(search)
  const cardMarket = Uint32Array.from(cards, ({ market }) => market ?? noPrice)
  const keys = fieldOrders(search, { cardMarket, nameRanks })
  return {
    cardGame,
    ...numberColumns(cards),
    ...productColumns(cards),
    ...printingColumns(cards),
    ...identityColumns(cards),
    ...uuidColumns(cards),
    ...setEndColumns(cards, sets),
    ...suggestionColumns(cards, slugs, search),
    nameRanks,
    cardMarket,
    byNewest: cardsInOrder(cardGame, keys.newest),
    byPrice: cardsInOrder(cardGame, keys.price),
    byPriceDown: cardsInOrder(cardGame, keys['-price']),
    byName: cardsInOrder(cardGame, keys.name),
  }
}

function numberColumns(cards: readonly ListedCard[]) {
  const folded = cards.map(({ number }) => (number === null ? null : foldNumber(number)))
  const texts = [...new Set(folded.filter((text) => text !== null))].sort(compareTexts)
  const indexes = new Map(texts.map((text, index) => [text, index]))
  const cardNumber = Uint32Array.from(folded, (text) => (text === null ? texts.length : indexes.get(text)!))
  const [numberTextAt, numberText] = joinTexts(texts)
  const [numberCardsAt, numberCards] = invert(cardNumber, texts.length + 1)
  return { numberTextAt, numberText, cardNumber, numberCardsAt, numberCards }
}

function productColumns(cards: readonly ListedCard[]) {
  const of = (ids: readonly (number | null)[]) => {
    const sorted = listsOf(ids).sort(([a], [b]) => a - b)
    return [Float64Array.from(sorted, ([id]) => id), ...joinLists(sorted)] as const
  }
  const [productIds, productCardsAt, productCards] = of(cards.map(({ tcgplayerId }) => tcgplayerId))
  const [cardmarketIds, cardmarketCardsAt, cardmarketCards] = of(cards.map(({ cardmarketId }) => cardmarketId))
  return { productIds, productCardsAt, productCards, cardmarketIds, cardmarketCardsAt, cardmarketCards }
}

function uuidColumns(cards: readonly ListedCard[]) {
  const of = (ids: readonly (string | null)[]) => {
    const sorted = listsOf(ids).sort(([a], [b]) => compareTexts(a, b))
    return [Uint32Array.from(sorted.flatMap(([id]) => numbersOfUuid(id))), ...joinLists(sorted)] as const
  }
  const [scryfallIds, scryfallCardsAt, scryfallCards] = of(cards.map(({ scryfallId }) => scryfallId))
  const [mtgjsonIds, mtgjsonCardsAt, mtgjsonCards] = of(cards.map(({ mtgjsonId }) => mtgjsonId))
  return { scryfallIds, scryfallCardsAt, scryfallCards, mtgjsonIds, mtgjsonCardsAt, mtgjsonCards }
}

/** Each id with its cards, in ascending order. @param ids by card index; null for a card without an id */
function listsOf<Id>(ids: readonly (Id | null)[]): [id: Id, cards: number[]][] {
  const known = [...ids.keys()].filter((card) => ids[card] !== null)
  return [...Map.groupBy(known, (card) => ids[card]!)]
}

const joinLists = (
  lists: readonly (readonly [unknown, readonly number[]])[],
): [at: Uint32Array, cards: Uint32Array] => [
  offsets(lists.map(([, list]) => list.length)),
  Uint32Array.from(lists.flatMap(([, list]) => list)),
]

function printingColumns(cards: readonly ListedCard[]) {
  const folded = cards.map(({ printing }) => (printing === null ? null : foldCase(printing)))
  const printings = [...new Set(folded.filter((printing) => printing !== null))]
  assert(printings.length <= printingsMax, `an index holds at most ${printingsMax} printings`)
  const indexes = new Map(printings.map((printing, index) => [printing, index]))
  return {
    printings,
    cardPrinting: Uint16Array.from(folded, (printing) => (printing === null ? noPrinting : indexes.get(printing)!)),
  }
}

function identityColumns(cards: readonly ListedCard[]) {
  const marks = new Map<string, number>()
  const cardsOfKeys = new Map<string, number[]>()
  const addTo = (key: string, posting: number) => {
    const known = cardsOfKeys.get(key)
    if (known === undefined) cardsOfKeys.set(key, [posting])
    else known.push(posting)
  }
  const cardMark = Uint32Array.from(cards, (card, number) => {
    const { key, faces, mark } = identityOfCard(card)
    addTo(key, 2 * number)
    for (const face of new Set(faces)) addTo(face, 2 * number + 1)
    return numberOf(marks, mark)
  })
  const texts = [...marks.keys()]
  for (const postings of cardsOfKeys.values())
    for (const [card, product] of furtherProducts(cards, postings, (one) => texts[cardMark[one]!]!))
      cardMark[card] = numberOf(marks, withProduct(texts[cardMark[card]!]!, product))
  const sorted = [...cardsOfKeys].sort(([a], [b]) => compareTexts(a, b))
  const [keyTextAt, keyText] = joinTexts(sorted.map(([key]) => key))
  const [keyCardsAt, keyCards] = joinLists(sorted)
  return { keyTextAt, keyText, keyCardsAt, keyCards, cardMark, marks: [...marks.keys()] }
}

/**
 * Finds cards of different products that have the same name, set, number, rarity and mark. Such cards are printings of
 * one card, unless their ids show several products. Yields the cards of each product but the first, with the product's
 * number, counted from 1. Printings of one product share an id. A card without ids may be of any product, and is not
 * yielded.
 */
function* furtherProducts(
  cards: readonly ListedCard[],
  postings: readonly number[],
  markTextOf: (card: number) => string,
): Generator<readonly [card: number, product: number]> {
  if (postings.length === 1) return
  const own = postings.filter((posting) => posting % 2 === 0).map((posting) => posting / 2)
  const places = Map.groupBy(own, (card) => {
    const { setNumber, number, rarity } = cards[card]!
    return `${setNumber}\n${foldNumber(number ?? '')}\n${foldCase(rarity ?? '')}`
  })
  for (const alike of places.values()) {
    if (alike.length === 1) continue
    const kinds = Map.groupBy(alike, (card) => {
      const { signs, markers } = markOf(markTextOf(card))
      return [signs, ...markers].join('\n')
    })
    for (const kind of kinds.values()) {
      const products = new Map<number | string, number>()
      let count = 0
      for (const card of kind) {
        const { tcgplayerId, scryfallId, mtgjsonId } = cards[card]!
        const ids = [tcgplayerId, scryfallId, mtgjsonId].filter((id) => id !== null)
        if (ids.length === 0) continue
        const known = ids.find((id) => products.has(id))
        const product = known === undefined ? count++ : products.get(known)!
        for (const id of ids) if (!products.has(id)) products.set(id, product)
        if (product > 0) yield [card, product]
      }
    }
  }
}

/**
 * The rendered end of each set's details. Printings and rarities are sorted by number of cards, largest number first,
 * then by label.
 */
function setEndColumns(cards: readonly ListedCard[], sets: readonly ListedSet[]) {
  const ofSets = Map.groupBy(cards, ({ setNumber }) => setNumber)
  const counted = (labels: readonly (string | null)[]): ResponseOf<'setDetails'>['data']['printings'] =>
    [
      ...Map.groupBy(
        labels.filter((label) => label !== null),
        (label) => label,
      ),
    ]
      .map(([name, { length }]) => ({ name, cards: length }))
      .sort((a, b) => b.cards - a.cards || compareTexts(a.name, b.name))
  const texts = sets.map(({ printedTotal }, set) => {
    const own = ofSets.get(set) ?? []
    const fields: Omit<ResponseOf<'setDetails'>['data'], keyof ResponseOf<'cardSet'>> = {
      printings: counted(own.map(({ printing }) => printing)),
      rarities: counted(own.map(({ rarity }) => rarity)),
      printedTotal,
    }
    return Buffer.from(`,${JSON.stringify(fields).slice(1)}}`)
  })
  return { setEndsAt: offsets(texts.map((text) => text.length)), setEnds: Buffer.concat(texts) }
}

/** The suggestions of all names. A suggestion spells the name as the name's first card does. */
function suggestionColumns(
  cards: readonly ListedCard[],
  slugs: readonly string[],
  { cardsAt, cards: cardsOfNames }: SearchFile,
) {
  const texts = Array.from(cardsAt.subarray(0, -1), (first, number) => {
    const { name, game } = cards[cardsOfNames[first]!]!
    const end = suggestionEnd(slugs[game]!, cardsAt[number + 1]! - first)
    return Buffer.from(suggestionStart.slice(0, -1) + JSON.stringify(name) + end)
  })
  return { suggestionsAt: offsets(texts.map((text) => text.length)), suggestions: Buffer.concat(texts) }
}

const isOfName = (entry: number): boolean => entry <= wordMask

/** The rank of each name, sorted by the name's folded words. Names with equal words have the same rank. */
function ranksOfNames({ nameWordsAt, nameWords, wordTextAt, wordText, nameGame }: SearchFile): Uint32Array {
  const text = Buffer.from(wordText.buffer, wordText.byteOffset, wordText.byteLength)
  const wordOf = (word: number) => text.toString('utf16le', 2 * wordTextAt[word]!, 2 * wordTextAt[word + 1]!)
  const folded = Array.from(nameGame, (_, name) =>
    Array.from(nameWords.subarray(nameWordsAt[name], nameWordsAt[name + 1]).filter(isOfName), wordOf).join(' '),
  )
  const ranks = new Map([...new Set(folded)].sort(compareTexts).map((name, rank) => [name, rank]))
  return Uint32Array.from(folded, (name) => ranks.get(name)!)
}
