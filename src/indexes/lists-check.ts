/**
 * Whether a lists file holds together, by itself and with the search file, whose cards and names it is about.
 *
 *   cardGame ⇄ gameCards   cardNumber ⇄ numberCards   cardAt ⇄ rankOf   cardMarket, nameWords → the orders
 */
import { gameSlugs } from '../games.ts'
import { priceCentsMax } from '../limits.ts'
import { type Checking, checkAscend, checkBelow, checkInverse, checkOffsets, inSlices, must } from './checking.ts'
import {
  type ListsFile,
  noPrice,
  numberList,
  type Order,
  sortPrice,
  suggestionEnd,
  suggestionStart,
} from './lists-file.ts'
import type { SearchFile } from './search-file.ts'

/** @param search has been checked */
export function* checkListsFile(file: ListsFile, search: SearchFile): Checking {
  yield* checkCards(file, search)
  yield* checkNumbers(file)
  yield* checkProducts(file)
  yield* checkSuggestions(file, search)
  const { cardMarket } = file
  const { cardName } = search
  const byPrice = (dearestFirst: boolean) => (a: number, b: number) =>
    sortPrice(cardMarket[a]!, dearestFirst) - sortPrice(cardMarket[b]!, dearestFirst)
  yield* checkOrder('cheapestFirst', file.cheapestFirst, cardName.length, byPrice(false))
  yield* checkOrder('dearestFirst', file.dearestFirst, cardName.length, byPrice(true))
  yield* checkOrder('byName', file.byName, cardName.length, (a, b) => compareNames(search, cardName[a]!, cardName[b]!))
}

function* checkCards(file: ListsFile, { cardName, nameGame, cards }: SearchFile): Checking {
  const { cardGame, gameCardsAt, gameCards, cardMarket, marketByName } = file
  must(cardGame.length === cardName.length, 'each card has a game')
  must(gameCardsAt.length === gameSlugs.length + 1, 'each game has a list of its cards')
  yield* checkInverse('gameCards', cardGame, gameCardsAt, gameCards)
  const prices = [cardMarket.length, marketByName.length]
  must(
    prices.every((length) => length === cardName.length),
    'each card has a market price',
  )
  yield* inSlices(cardName.length, (from, to) => {
    for (let card = from; card < to; card++) {
      if (cardGame[card] !== nameGame[cardName[card]!]) must(false, 'cards have the game of their names')
      const cents = cardMarket[card]!
      if (cents > priceCentsMax && cents !== noPrice) must(false, 'prices are prices')
      if (marketByName[card] !== cardMarket[cards[card]!]) must(false, 'marketByName has the prices of cards')
    }
  })
}

function* checkNumbers(file: ListsFile): Checking {
  const { numberTextAt, numberText, cardNumber, numberCardsAt, numberCards, cardGame } = file
  const numbers = numberTextAt.length - 1
  yield* checkOffsets('numberTextAt', numberTextAt, numbers, numberText.length)
  yield* checkAscend('numbers', numberTextAt, numberText)
  must(cardNumber.length === cardGame.length, 'each card has a number, or none')
  const lists = numberList(numbers + 1, 0)
  must(numberCardsAt.length === lists + 1, 'each number has lists of its cards, and none has them')
  yield* checkBelow('cardNumber', cardNumber, numbers + 1)
  const listOfCard = cardNumber.map((number, card) => numberList(number, cardGame[card]!))
  yield* checkInverse('numberCards', listOfCard, numberCardsAt, numberCards)
}

function* checkProducts({ productIds, productCardsAt, productCards, cardGame }: ListsFile): Checking {
  const products = productIds.length
  yield* checkOffsets('productCardsAt', productCardsAt, products, productCards.length)
  yield* checkBelow('productCards', productCards, cardGame.length)
  const seen = new Uint8Array(cardGame.length)
  const check = (from: number, to: number) => {
    for (let product = from; product < to; product++) {
      const id = productIds[product]!
      const isAbove = id > (product === 0 ? 0 : productIds[product - 1]!)
      if (!Number.isSafeInteger(id) || !isAbove) must(false, 'productIds are whole numbers and ascend')
      const start = productCardsAt[product]!
      const end = productCardsAt[product + 1]!
      if (start === end) must(false, 'products have cards')
      for (let i = start; i < end; i++) {
        const card = productCards[i]!
        if (i > start && card <= productCards[i - 1]!) must(false, 'the cards of a product ascend')
        if (seen[card] === 1) must(false, 'a card is of one product')
        seen[card] = 1
      }
    }
  }
  yield* inSlices(products, check, 5)
}

function* checkSuggestions({ suggestionsAt, suggestions }: ListsFile, { nameGame, cardsAt }: SearchFile): Checking {
  yield* checkOffsets('suggestionsAt', suggestionsAt, nameGame.length, suggestions.length)
  const check = (from: number, to: number) => {
    for (let name = from; name < to; name++) {
      const start = suggestionsAt[name]!
      const ending = `"${suggestionEnd(gameSlugs[nameGame[name]!]!, cardsAt[name + 1]! - cardsAt[name]!)}`
      const endingAt = suggestionsAt[name + 1]! - ending.length
      const fits =
        endingAt >= start + suggestionStart.length &&
        isAt(suggestions, start, suggestionStart) &&
        isAt(suggestions, endingAt, ending)
      if (!fits) must(false, 'suggestions tell the game and the cards of names')
    }
  }
  yield* inSlices(nameGame.length, check, 50)
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** @param compare two cards; the ranks of what is equal go by the cards' numbers */
export function* checkOrder(
  name: string,
  { cardAt, rankOf }: Order,
  cards: number,
  compare: (a: number, b: number) => number,
): Checking {
  must(cardAt.length === cards && rankOf.length === cards, `${name} has all cards`)
  yield* checkBelow(name, cardAt, cards)
  const check = (from: number, to: number) => {
    for (let rank = from; rank < to; rank++) {
      const card = cardAt[rank]!
      if (rankOf[card] !== rank) must(false, `${name} has each card once`)
      if (rank === 0) continue
      const before = cardAt[rank - 1]!
      if ((compare(before, card) || before - card) >= 0) must(false, `${name} ascends`)
    }
  }
  yield* inSlices(cards, check, 5)
}

/** By their words' numbers, which is by their texts: a word is no longer than its letters, and all of them are above a space. */
function compareNames({ nameWordsAt, nameWords }: SearchFile, a: number, b: number): number {
  if (a === b) return 0
  let i = nameWordsAt[a]!
  let j = nameWordsAt[b]!
  const endOfA = nameWordsAt[a + 1]!
  const endOfB = nameWordsAt[b + 1]!
  for (; i < endOfA && j < endOfB; i++, j++) {
    const difference = nameWords[i]! - nameWords[j]!
    if (difference !== 0) return difference
  }
  return endOfA - i - (endOfB - j)
}
