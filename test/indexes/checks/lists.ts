/**
 * A lists file, by itself and with the cards and names of the search file, and a changes file with the cards of a lists file.
 *
 *   cardNumber ⇄ numberCards   nameWords → nameRanks
 */
import { type ChangesFile, change, periods, rangeDays } from '../../../src/indexes/changes-file.ts'
import {
  compareUuids,
  type ListsFile,
  noPrice,
  noPrinting,
  suggestionEnd,
  suggestionStart,
  uuidNumbers,
} from '../../../src/indexes/lists-file.ts'
import { type SearchFile, wordMask } from '../../../src/indexes/search-file.ts'
import { priceCentsMax } from '../../../src/limits.ts'
import { changeOrders, fieldOrders, type KeyOf } from '../../../src/search/scope/orders.ts'
import { checkAscend, checkInverse, checkOffsets, each, must } from './columns.ts'

/** @param search checked before @param slugs the games, by number */
export function checkListsFile(file: ListsFile, search: SearchFile, slugs: readonly string[]): void {
  const { cardGame } = file
  const count = cardGame.length
  checkOffsets(file)
  checkCards(file, search)
  checkNumbers(file)
  const { printings, cardPrinting } = file
  checkNumericIds('product', file.productIds, file.productCardsAt, file.productCards)
  checkNumericIds('cardmarket', file.cardmarketIds, file.cardmarketCardsAt, file.cardmarketCards)
  checkUuids('scryfall', file.scryfallIds, file.scryfallCardsAt, file.scryfallCards)
  checkUuids('mtgjson', file.mtgjsonIds, file.mtgjsonCardsAt, file.mtgjsonCards)
  must(new Set(printings).size === printings.length && printings.length <= noPrinting, 'printings are there once')
  each(count, 'cardPrinting names printings', (card) => {
    return cardPrinting[card]! < printings.length || cardPrinting[card] === noPrinting
  })
  checkKeys(file)
  checkTexts(file, search, slugs)
  must(file.nameRanks.length === search.nameGame.length, 'each name has a rank')
  const byRank = Uint32Array.from(file.nameRanks.keys()).sort((a, b) => file.nameRanks[a]! - file.nameRanks[b]!)
  each(byRank.length - 1, 'nameRanks are in the order of folded words', (i) => {
    const [name, next] = [byRank[i]!, byRank[i + 1]!]
    return Math.sign(file.nameRanks[name]! - file.nameRanks[next]!) === Math.sign(compareNames(search, name, next))
  })
  const keys = fieldOrders(search, file)
  checkOrder('byNewest', file.byNewest, cardGame, keys.newest)
  checkOrder('byPrice', file.byPrice, cardGame, keys.price)
  checkOrder('byPriceDown', file.byPriceDown, cardGame, keys['-price'])
  checkOrder('byName', file.byName, cardGame, keys.name)
}

/** The cards of each game follow those of the game before, by ascending key, and by index where keys are equal. */
function checkOrder(name: string, cards: Uint32Array, cardGame: Uint8Array, keyOf: KeyOf): void {
  must(new Set(cards).size === cardGame.length, `${name} has each card once`)
  each(cards.length - 1, `${name} is in order`, (i) => {
    const [card, next] = [cards[i]!, cards[i + 1]!]
    const games = cardGame[next]! - cardGame[card]!
    if (games !== 0) return games > 0
    return keyOf(card) < keyOf(next) || (keyOf(card) === keyOf(next) && card < next)
  })
}

function checkCards({ cardGame, cardMarket }: ListsFile, { cardName, nameGame }: SearchFile): void {
  must(cardGame.length === cardName.length, 'each card has a game')
  each(cardName.length, 'cards have the game of their names', (card) => cardGame[card] === nameGame[cardName[card]!])
  each(cardName.length, 'prices are prices', (card) => {
    return cardMarket[card]! <= priceCentsMax || cardMarket[card] === noPrice
  })
}

function checkNumbers({ numberTextAt, numberText, cardNumber, numberCardsAt, numberCards }: ListsFile): void {
  const numbers = numberTextAt.length - 1
  checkAscend('numbers', numberTextAt, numberText)
  must(numberCardsAt.length === numbers + 2, 'each number has a list of its cards, and none has one')
  checkInverse('numberCards', cardNumber, numberCardsAt, numberCards)
}

function checkKeys({ keyTextAt, keyText, keyCardsAt, keyCards, cardMark, marks, cardGame }: ListsFile): void {
  const keys = keyTextAt.length - 1
  checkAscend('keys', keyTextAt, keyText)
  const named = keyCards.filter((card) => (card & 1) === 0).sort()
  must(named.length === cardGame.length, 'each card has one key')
  each(named.length, 'each card has one key', (card) => named[card] === 2 * card)
  each(keys, 'the cards of a key ascend', (key) => {
    const own = keyCards.subarray(keyCardsAt[key]!, keyCardsAt[key + 1]!)
    return own.every((card, i) => i === 0 || card > own[i - 1]!)
  })
  each(cardMark.length, 'cardMark names marks', (card) => cardMark[card]! < marks.length)
}

function checkNumericIds(name: string, ids: Float64Array, cardsAt: Uint32Array, cards: Uint32Array): void {
  each(ids.length, `${name}Ids are whole numbers and ascend`, (id) => {
    return Number.isSafeInteger(ids[id]) && ids[id]! > (ids[id - 1] ?? 0)
  })
  checkCardsOf(name, cardsAt, cards, ids.length)
}

function checkUuids(name: string, ids: Uint32Array, cardsAt: Uint32Array, cards: Uint32Array): void {
  const count = ids.length / uuidNumbers
  must(Number.isInteger(count), `${name}Ids are whole`)
  each(count, `${name}Ids ascend`, (id) => id === 0 || compareUuids(ids, id, ids, id - 1) > 0)
  checkCardsOf(name, cardsAt, cards, count)
}

/** Each of `count` ids has cards, and each card at most one id. */
function checkCardsOf(name: string, at: Uint32Array, cards: Uint32Array, count: number): void {
  must(new Set(cards).size === cards.length, `a card is of one ${name}`)
  each(count, `each ${name} has cards, ascending`, (id) => {
    const own = cards.subarray(at[id]!, at[id + 1]!)
    return own.length > 0 && own.every((card, i) => i === 0 || card > own[i - 1]!)
  })
}

function checkTexts(file: ListsFile, { sets, nameGame, cardsAt }: SearchFile, slugs: readonly string[]): void {
  const { setEndsAt, setEnds, suggestionsAt, suggestions } = file
  const ends = Buffer.from(setEnds)
  each(sets.length, 'sets end as their details do', (set) => {
    const end = ends.toString('utf8', setEndsAt[set]!, setEndsAt[set + 1]!)
    const [, total] = /^,"printings":\[.*\],"printedTotal":(null|[1-9]\d{0,3})\}\}$/s.exec(end) ?? []
    return sets[set]!.printedTotal === (total === 'null' ? null : Number(total))
  })
  const texts = Buffer.from(suggestions)
  each(nameGame.length, 'suggestions tell the game and the cards of names', (name) => {
    const text = texts.toString('utf8', suggestionsAt[name]!, suggestionsAt[name + 1]!)
    const ending = `"${suggestionEnd(slugs[nameGame[name]!]!, cardsAt[name + 1]! - cardsAt[name]!)}`
    return text.startsWith(suggestionStart) && text.endsWith(ending)
  })
}

/** Compares names by the numbers of their words, which are in the order of the words' texts. */
function compareNames({ nameWordsAt, nameWords }: SearchFile, a: number, b: number): number {
  const wordsOf = (name: number) =>
    nameWords.subarray(nameWordsAt[name]!, nameWordsAt[name + 1]!).filter((entry) => entry <= wordMask)
  const [wordsOfA, wordsOfB] = [wordsOf(a), wordsOf(b)]
  const differs = wordsOfA.findIndex((word, i) => word !== wordsOfB[i])
  return differs === -1 || differs >= wordsOfB.length
    ? wordsOfA.length - wordsOfB.length
    : wordsOfA[differs]! - wordsOfB[differs]!
}

/** @param lists checked before */
export function checkChangesFile(file: ChangesFile, { cardGame }: ListsFile): void {
  const { changes, changedOn, byChange, byChangeDown, byChangedOn } = file
  must(changedOn.length === cardGame.length, 'each card has the day of its last change')
  each(cardGame.length, 'the changes of a card are possible', (card) =>
    areChanges(changes.subarray(card * change.size)),
  )
  const keys = changeOrders(changes)
  checkOrder('byChange', byChange, cardGame, keys.change)
  checkOrder('byChangeDown', byChangeDown, cardGame, keys['-change'])
  checkOrder('byChangedOn', byChangedOn, cardGame, (card) => -changedOn[card]!)
}

function areChanges(numbers: Uint32Array): boolean {
  const prices = [...numbers.subarray(change.to, change.days)]
  const [high, low, days] = [numbers[change.high]!, numbers[change.low]!, numbers[change.days]!]
  const isRanged = high !== noPrice
  // All prices except the oldest are of days within the range of high and low.
  const inRange = prices.slice(change.to, change.from + periods.length - 1).filter((cents) => cents !== noPrice)
  return (
    prices.every((cents) => cents <= priceCentsMax || cents === noPrice) &&
    isRanged === (low !== noPrice) &&
    isRanged === (days !== noPrice) &&
    (!isRanged || (days >>> 16 < rangeDays && (days & 0xffff) < rangeDays && low <= high)) &&
    inRange.every((cents) => isRanged && cents >= low && cents <= high)
  )
}
