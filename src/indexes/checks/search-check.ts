/**
 * Verifies that a search file is consistent: derived columns match the columns that they derive from, and all numbers are in
 * range.
 *
 *   cardSet ⇄ setCards   cardName ⇄ cards   nameWords ⇄ postings   wordText → wordLetters, wordsByLength, their order
 */

import { lettersOf, noRarity, type SearchFile, wordBits, wordMask } from '../search-file.ts'
import { type Checking, checkAscend, checkBelow, checkInverse, checkOffsets, inSlices, must } from './checking.ts'

/**
 * @param cards the number of cards
 * @param sets the number of sets
 */
export function* checkSearchFile(file: SearchFile, cards: number, sets: number): Checking {
  must(file.cardName.length === cards, 'each card has a name')
  must(file.sets.length === sets && file.setCardsAt.length === sets + 1, 'each set has a list of its cards')
  yield* checkCards(file)
  yield* checkNames(file)
  yield* checkWords(file)
  yield* checkNear(file)
  yield* checkPostings(file)
}

function* checkCards(file: SearchFile): Checking {
  const { cardName, cardSet, cardRarity, nameGame, sets, rarities } = file
  must(cardSet.length === cardName.length && cardRarity.length === cardName.length, 'each card has a set and a rarity')
  must(file.cardsAt.length === nameGame.length + 1, 'each name has a list of its cards')
  yield* checkInverse('setCards', cardSet, file.setCardsAt, file.setCards)
  yield* checkInverse('cards', cardName, file.cardsAt, file.cards)
  yield* inSlices(cardName.length, (from, to) => {
    for (let card = from; card < to; card++) {
      if (nameGame[cardName[card]!] !== sets[cardSet[card]!]!.game) must(false, 'names have the game of their cards')
      const rarity = cardRarity[card]!
      if (rarity >= rarities.length && rarity !== noRarity) must(false, 'cardRarity names rarities')
    }
  })
}

function* checkNames(file: SearchFile): Checking {
  const { nameGame, nameTextAt, nameText, nameWordsAt, nameWords, wordLetters } = file
  yield* checkOffsets('nameTextAt', nameTextAt, nameGame.length, nameText.length)
  yield* checkOffsets('nameWordsAt', nameWordsAt, nameGame.length, nameWords.length)
  yield* inSlices(nameGame.length, (from, to) => {
    for (let name = from; name < to; name++) {
      const end = nameWordsAt[name + 1]!
      for (let place = nameWordsAt[name]!; place < end; place++) {
        const entry = nameWords[place]!
        if ((entry & wordMask) >= wordLetters.length) must(false, 'nameWords names words')
        if (place + (entry >>> wordBits) >= end) must(false, 'joined words join words of their name')
      }
    }
  })
}

function* checkWords(file: SearchFile): Checking {
  const { wordTextAt, wordText, wordLetters, lengthAt, wordsByLength, lettersByLength } = file
  const words = wordLetters.length
  yield* checkOffsets('wordTextAt', wordTextAt, words, wordText.length)
  const lengths = new Uint32Array(words)
  const check = (from: number, to: number) => {
    for (let word = from; word < to; word++) {
      const start = wordTextAt[word]!
      const end = wordTextAt[word + 1]!
      lengths[word] = end - start
      if (end === start) must(false, 'words have letters')
      if (wordLetters[word] !== lettersOf(wordText, start, end)) must(false, 'wordLetters are the letters of words')
    }
  }
  yield* inSlices(words, check, 10)
  yield* checkAscend('words', wordTextAt, wordText)
  must(lengthAt.length >= 2, 'lengthAt has an entry for each length')
  yield* checkInverse('wordsByLength', lengths, lengthAt, wordsByLength)
  must(lettersByLength.length === words, 'each word has its letters by length')
  yield* inSlices(words, (from, to) => {
    for (let i = from; i < to; i++) {
      if (lettersByLength[i] !== wordLetters[wordsByLength[i]!]) must(false, 'lettersByLength are the letters of words')
    }
  })
}

function* checkNear({ nearAt, near, wordLetters }: SearchFile): Checking {
  const words = wordLetters.length
  yield* checkOffsets('nearAt', nearAt, words, near.length)
  yield* checkBelow('near', near, words)
  yield* inSlices(words, (from, to) => {
    for (let word = from; word < to; word++) {
      for (let i = nearAt[word]!; i < nearAt[word + 1]!; i++) {
        const ascends = i === nearAt[word] || near[i]! > near[i - 1]!
        if (!ascends || near[i] === word) must(false, 'near has other words, ascending')
      }
    }
  })
}

/** Compares the postings with those derived from the words of each name. */
function* checkPostings({ nameWordsAt, nameWords, postingsAt, postings }: SearchFile): Checking {
  const words = postingsAt.length - 1
  yield* checkOffsets('postingsAt', postingsAt, words, postings.length)
  const next = postingsAt.slice()
  const namePlusOne = new Uint32Array(words)
  const check = (from: number, to: number) => {
    for (let name = from; name < to; name++) {
      const start = nameWordsAt[name]!
      const end = nameWordsAt[name + 1]!
      const first = start < end && nameWords[start]! > wordMask ? start + 1 : start
      for (let place = start; place < end; place++) {
        const word = nameWords[place]! & wordMask
        if (namePlusOne[word] === name + 1) continue
        namePlusOne[word] = name + 1
        const posting = 2 * name + Number(place > first && word !== nameWords[first])
        if (postings[next[word]!++] !== posting) must(false, 'postings are the names of each word')
      }
    }
  }
  yield* inSlices(nameWordsAt.length - 1, check, 10)
  yield* inSlices(words, (from, to) => {
    for (let word = from; word < to; word++) {
      if (next[word] !== postingsAt[word + 1]) must(false, 'postings are the names of each word')
    }
  })
}
