/**
 * A search file: derived columns match the columns that they derive from, and all numbers are in range.
 *
 *   cardSet ⇄ setCards   cardName ⇄ cards   nameWords ⇄ postings   wordText → wordLetters, wordsByLength, their order
 */
import { lettersOf, noRarity, type SearchFile, wordBits, wordMask } from '../../../src/indexes/search-file.ts'
import { checkAscend, checkInverse, checkOffsets, each, must } from './columns.ts'

/** @param cardCount and `setCount`: the version's totals */
export function checkSearchFile(file: SearchFile, cardCount: number, setCount: number): void {
  const { cardName, cardSet, cardRarity, nameGame, sets, rarities } = file
  must(cardName.length === cardCount, 'each card has a name')
  checkOffsets(file, { lengthAt: 'wordsByLength' })
  must(sets.length === setCount && file.setCardsAt.length === setCount + 1, 'each set has a list of its cards')
  checkInverse('setCards', cardSet, file.setCardsAt, file.setCards)
  checkInverse('cards', cardName, file.cardsAt, file.cards)
  each(cardCount, 'names have the game of their cards', (card) => {
    return nameGame[cardName[card]!] === sets[cardSet[card]!]!.game
  })
  each(cardCount, 'cardRarity names rarities', (card) => {
    return cardRarity[card]! < rarities.length || cardRarity[card] === noRarity
  })
  checkNames(file)
  checkWords(file)
  checkPostings(file)
}

function checkNames({ nameGame, nameWordsAt, nameWords, wordLetters }: SearchFile) {
  each(nameWords.length, 'nameWords names words', (place) => (nameWords[place]! & wordMask) < wordLetters.length)
  each(nameGame.length, 'joined words join words of their name', (name) => {
    const [start, end] = [nameWordsAt[name]!, nameWordsAt[name + 1]!]
    return nameWords.subarray(start, end).every((entry, i) => start + i + (entry >>> wordBits) < end)
  })
}

function checkWords(file: SearchFile): void {
  const { wordTextAt, wordText, wordLetters, lengthAt, wordsByLength, lettersByLength } = file
  const words = wordLetters.length
  const lengths = Uint32Array.from({ length: words }, (_, word) => wordTextAt[word + 1]! - wordTextAt[word]!)
  each(words, 'words have letters, and wordLetters are theirs', (word) => {
    return lengths[word]! > 0 && wordLetters[word] === lettersOf(wordText, wordTextAt[word]!, wordTextAt[word + 1]!)
  })
  checkAscend('words', wordTextAt, wordText)
  must(lengthAt.length >= 2, 'lengthAt has an entry for each length')
  checkInverse('wordsByLength', lengths, lengthAt, wordsByLength)
  each(words, 'lettersByLength are the letters of words', (i) => lettersByLength[i] === wordLetters[wordsByLength[i]!])
}

/** Compares the postings with those derived from the words of each name. */
function checkPostings({ nameWordsAt, nameWords, postingsAt, postings }: SearchFile): void {
  const words = postingsAt.length - 1
  const next = postingsAt.slice()
  each(nameWordsAt.length - 1, 'postings are the names of each word', (name) => {
    const own = nameWords.subarray(nameWordsAt[name]!, nameWordsAt[name + 1]!)
    // The word that joins the first ones stands before them, and begins the name, too.
    const first = own.length > 0 && own[0]! > wordMask ? 1 : 0
    const places = new Map<number, number>()
    own.forEach((entry, place) => {
      const word = entry & wordMask
      if (!places.has(word)) places.set(word, place)
    })
    return [...places].every(([word, place]) => {
      const isLater = place > first && word !== own[first]
      return postings[next[word]!++] === 2 * name + Number(isLater)
    })
  })
  each(words, 'postings are those of each word alone', (word) => next[word] === postingsAt[word + 1])
}
