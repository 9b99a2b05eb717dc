/**
 * Verifies that a lists file is consistent, by itself and with the cards and names of the search file.
 *
 *   cardGame ⇄ gameCards   cardNumber ⇄ numberCards   cardAt ⇄ rankOf   cardMarket, nameWords → the orders
 */
import { gameSlugs } from '../../games.ts'
import { priceCentsMax } from '../../limits.ts'
import {
  compareUuids,
  type ListsFile,
  noPrice,
  noPrinting,
  numberList,
  type Order,
  sortPrice,
  suggestionEnd,
  suggestionStart,
  uuidNumbers,
} from '../lists-file.ts'
import { type SearchFile, wordMask } from '../search-file.ts'
import { type Checking, checkAscend, checkBelow, checkInverse, checkOffsets, inSlices, must } from './checking.ts'

/** @param search verified before */
export function* checkListsFile(file: ListsFile, search: SearchFile): Checking {
  yield* checkCards(file, search)
  yield* checkNumbers(file)
  yield* checkProducts(file)
  yield* checkPrintings(file)
  yield* checkKeys(file)
  yield* checkUuids('scryfall', file.scryfallIds, file.scryfallCardsAt, file.scryfallCards, file.cardGame.length)
  yield* checkUuids('mtgjson', file.mtgjsonIds, file.mtgjsonCardsAt, file.mtgjsonCards, file.cardGame.length)
  yield* checkSetEnds(file, search)
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
  yield* inSlices(products, (from, to) => {
    for (let product = from; product < to; product++) {
      const id = productIds[product]!
      const isAbove = id > (product === 0 ? 0 : productIds[product - 1]!)
      if (!Number.isSafeInteger(id) || !isAbove) must(false, 'productIds are whole numbers and ascend')
    }
  })
  yield* checkCardsOf('product', productCardsAt, productCards, products, cardGame.length)
}

function* checkUuids(
  name: string,
  ids: Uint32Array,
  cardsAt: Uint32Array,
  cards: Uint32Array,
  cardCount: number,
): Checking {
  const count = ids.length / uuidNumbers
  must(Number.isInteger(count), `${name}Ids are whole`)
  yield* inSlices(count, (from, to) => {
    for (let id = Math.max(from, 1); id < to; id++) {
      if (compareUuids(ids, id, ids, id - 1) <= 0) must(false, `${name}Ids ascend`)
    }
  })
  yield* checkCardsOf(name, cardsAt, cards, count, cardCount)
}

/** Verifies that each of `count` ids has cards, and each card at most one id. */
function* checkCardsOf(
  name: string,
  cardsAt: Uint32Array,
  cards: Uint32Array,
  count: number,
  cardCount: number,
): Checking {
  yield* checkOffsets(`${name}CardsAt`, cardsAt, count, cards.length)
  yield* checkBelow(`${name}Cards`, cards, cardCount)
  const seen = new Uint8Array(cardCount)
  const check = (from: number, to: number) => {
    for (let id = from; id < to; id++) {
      const start = cardsAt[id]!
      const end = cardsAt[id + 1]!
      if (start === end) must(false, `each ${name} has cards`)
      for (let i = start; i < end; i++) {
        const card = cards[i]!
        if (i > start && card <= cards[i - 1]!) must(false, `the cards of a ${name} ascend`)
        if (seen[card] === 1) must(false, `a card is of one ${name}`)
        seen[card] = 1
      }
    }
  }
  yield* inSlices(count, check, 5)
}

function* checkPrintings({ printings, cardPrinting, cardGame }: ListsFile): Checking {
  must(cardPrinting.length === cardGame.length, 'each card has a printing, or none')
  must(new Set(printings).size === printings.length && printings.length <= noPrinting, 'printings are there once')
  yield* inSlices(cardPrinting.length, (from, to) => {
    for (let card = from; card < to; card++) {
      const printing = cardPrinting[card]!
      if (printing >= printings.length && printing !== noPrinting) must(false, 'cardPrinting names printings')
    }
  })
}

function* checkKeys({ keyTextAt, keyText, keyCardsAt, keyCards, cardMark, marks, cardGame }: ListsFile): Checking {
  const keys = keyTextAt.length - 1
  yield* checkOffsets('keyTextAt', keyTextAt, keys, keyText.length)
  yield* checkAscend('keys', keyTextAt, keyText)
  yield* checkOffsets('keyCardsAt', keyCardsAt, keys, keyCards.length)
  yield* checkBelow('keyCards', keyCards, 2 * cardGame.length)
  const named = new Uint8Array(cardGame.length)
  yield* inSlices(keyCards.length, (from, to) => {
    for (let i = from; i < to; i++) if ((keyCards[i]! & 1) === 0) named[keyCards[i]! >>> 1]!++
  })
  must(
    named.every((names) => names === 1),
    'each card has one key',
  )
  const check = (from: number, to: number) => {
    for (let key = from; key < to; key++) {
      for (let i = keyCardsAt[key]! + 1; i < keyCardsAt[key + 1]!; i++) {
        if (keyCards[i]! <= keyCards[i - 1]!) must(false, 'the cards of a key ascend')
      }
    }
  }
  yield* inSlices(keys, check, 5)
  must(cardMark.length === cardGame.length, 'each card has a mark')
  yield* checkBelow('cardMark', cardMark, marks.length)
}

function* checkSetEnds({ setEndsAt, setEnds }: ListsFile, { sets }: SearchFile): Checking {
  yield* checkOffsets('setEndsAt', setEndsAt, sets.length, setEnds.length)
  for (let set = 0; set < sets.length; set++) {
    const [start, end] = [setEndsAt[set]!, setEndsAt[set + 1]!]
    const isWhole = isAt(setEnds, start, setEndStart) && isAt(setEnds, end - setEndEnd.length, setEndEnd)
    if (!isWhole || end - start < setEndStart.length + setEndEnd.length) must(false, 'sets end as their details do')
  }
}

const setEndStart = ',"printings":['
const setEndEnd = ']}}'

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

/** Verifies an order. @param compare compares two cards; equals are in the order of card numbers */
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

/** Compares names by the numbers of their words, which are in the order of the words' texts. */
function compareNames({ nameWordsAt, nameWords }: SearchFile, a: number, b: number): number {
  if (a === b) return 0
  let i = nameWordsAt[a]!
  let j = nameWordsAt[b]!
  const endOfA = nameWordsAt[a + 1]!
  const endOfB = nameWordsAt[b + 1]!
  for (; ; i++, j++) {
    while (i < endOfA && nameWords[i]! > wordMask) i++
    while (j < endOfB && nameWords[j]! > wordMask) j++
    if (i >= endOfA || j >= endOfB) break
    const difference = nameWords[i]! - nameWords[j]!
    if (difference !== 0) return difference
  }
  return endOfA - i - (endOfB - j)
}
