/**
 * Compiles the columns of the search file: the names, the words, the words of each name, and the names with each word.
 */
import assert from 'node:assert/strict'
import { offsets, raritiesMax } from '../../src/indexes/format.ts'
import { joinedEntry, lettersOf, noRarity, type SearchFile, wordMask } from '../../src/indexes/search-file.ts'
import { asTyped, fold, foldCase, type JoinedWord, joinedWords, shortSetName } from '../../src/names/fold.ts'
import { compareTexts } from '../../src/text-order.ts'
import type { SetRecord } from '../read/snapshot-schema.ts'
import type { Card } from './compiled-cards.ts'

export type ListedSet = Pick<SetRecord, 'code' | 'name' | 'game' | 'printedTotal'>

interface SearchInput {
  /** The cards by index. */
  readonly cards: readonly Pick<Card, 'name' | 'game' | 'setNumber' | 'rarity'>[]
  /** The sets by number. */
  readonly sets: readonly ListedSet[]
}

export const compileSearch = (input: SearchInput): SearchFile => ({ ...cardColumns(input), ...nameColumns(input) })

function cardColumns({ cards, sets }: SearchInput) {
  const cardSet = Uint32Array.from(cards, (card) => card.setNumber)
  const rarities = new Map<string, number>()
  const cardRarity = Uint16Array.from(cards, ({ rarity }) =>
    rarity === null ? noRarity : numberOf(rarities, foldCase(rarity)),
  )
  assert(rarities.size <= raritiesMax, `an index holds at most ${raritiesMax} rarities`)
  const [setCardsAt, setCards] = invert(cardSet, sets.length)
  return {
    sets: sets.map(({ code, name, game, printedTotal }) => ({
      code: foldCase(code),
      name: foldCase(name),
      short: foldCase(shortSetName(name) ?? ''),
      game,
      printedTotal,
    })),
    rarities: [...rarities.keys()],
    cardSet,
    cardRarity,
    setCardsAt,
    setCards,
  }
}

function nameColumns({ cards }: SearchInput) {
  const numbers = new Map<string, number>()
  const names: { text: string; game: number }[] = []
  const cardName = Uint32Array.from(cards, ({ name, game }) => {
    const number = numberOf(numbers, `${game}/${name}`)
    if (number === names.length) names.push({ text: name, game })
    return number
  })
  const [cardsAt, cardsByName] = invert(cardName, names.length)
  const folded = names.map(({ text }) => ({ words: fold(text), joined: joinedWords(text) }))
  const [nameTextAt, nameText] = joinTexts(names.map((name) => asTyped(name.text)))
  return {
    cardName,
    cardsAt,
    cards: cardsByName,
    nameGame: Uint8Array.from(names, (name) => name.game),
    nameTextAt,
    nameText,
    ...wordColumns(folded),
  }
}

interface FoldedName {
  readonly words: readonly string[]
  readonly joined: readonly JoinedWord[]
}

function wordColumns(names: readonly FoldedName[]) {
  const words = [...new Set(names.flatMap(({ words, joined }) => [...words, ...joined.map(({ word }) => word)]))]
  words.sort(compareTexts)
  assert(words.length <= wordMask, `an index holds at most ${wordMask} words`)
  const numbers = new Map(words.map((word, number) => [word, number]))
  const entries = names.map(({ words, joined }) =>
    words.flatMap((word, at) => [
      ...joined.flatMap(({ word, first, count }) => (first === at ? [joinedEntry(numbers.get(word)!, count)] : [])),
      numbers.get(word)!,
    ]),
  )
  const nameWordsAt = offsets(entries.map((ofName) => ofName.length))
  const nameWords = Uint32Array.from(entries.flat())

  const holders = words.map((): number[] => [])
  names.forEach(({ words, joined }, number) => {
    const begins = new Set([words[0], ...joined.flatMap(({ word, first }) => (first === 0 ? [word] : []))])
    for (const word of new Set([...words, ...joined.map(({ word }) => word)])) {
      holders[numbers.get(word)!]!.push(2 * number + Number(!begins.has(word)))
    }
  })
  const [wordTextAt, wordText] = joinTexts(words)
  const lengths = Uint32Array.from(words, (word) => word.length)
  const [lengthAt, wordsByLength] = invert(
    lengths,
    1 + words.reduce((longest, word) => Math.max(longest, word.length), 0),
  )
  const wordLetters = Uint32Array.from(words, (_, i) => lettersOf(wordText, wordTextAt[i]!, wordTextAt[i + 1]!))
  const lettersByLength = wordsByLength.map((word) => wordLetters[word]!)
  return {
    nameWordsAt,
    nameWords,
    wordTextAt,
    wordText,
    wordLetters,
    postingsAt: offsets(holders.map((list) => list.length)),
    postings: Uint32Array.from(holders.flat()),
    lengthAt,
    wordsByLength,
    lettersByLength,
  } satisfies Partial<SearchFile>
}

/**
 * Returns, for each value below `valueCount`, the ascending list of indexes with that value. `at` has the start of each
 * list in `indexes`.
 */
export function invert(values: Uint32Array | Uint8Array, valueCount: number): [at: Uint32Array, indexes: Uint32Array] {
  const at = new Uint32Array(valueCount + 1)
  for (let index = 0; index < values.length; index++) at[values[index]! + 1]!++
  for (let value = 0; value < valueCount; value++) at[value + 1]! += at[value]!
  const next = at.slice()
  const indexes = new Uint32Array(values.length)
  for (let index = 0; index < values.length; index++) indexes[next[values[index]!]!++] = index
  return [at, indexes]
}

/** Joins all texts, in UTF-16. `at` has the start of each text. */
export function joinTexts(texts: readonly string[]): [at: Uint32Array, units: Uint16Array] {
  const joined = Buffer.from(texts.join(''), 'utf16le')
  const units = new Uint16Array(joined.length / 2)
  new Uint8Array(units.buffer).set(joined)
  return [offsets(texts.map((text) => text.length)), units]
}

/** The number of a key. Keys are numbered from 0 in the order in which they first appear. */
export const numberOf = (numbers: Map<string, number>, key: string): number =>
  numbers.get(key) ?? numbers.set(key, numbers.size).size - 1
