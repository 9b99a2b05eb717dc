/** The parts of search that are cleverer than they need be to be right, each against the plain way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compileSearch } from '../../build/compile/search-columns.ts'
import type { SearchFile } from '../../src/indexes/search-file.ts'
import { fold, isJapanese } from '../../src/names/fold.ts'
import { type HitPage, Selection } from '../../src/search/scope/select.ts'
import { lettersAllow, TypoCounter } from '../../src/search/words/typos.ts'
import { Vocabulary } from '../../src/search/words/vocabulary.ts'
import { hostileTexts } from '../reference/hostile-texts.ts'
import { plainWords, typosBetween } from '../reference/plain-words.ts'
import { loadSearchedCatalog } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom, shuffled } from '../support/random.ts'

test('words are folded as sign after sign would be', () => {
  const random = randomFrom(31)
  const names = [
    ...['Pokémon', '\u212aelvin', "Urza's Saga", "`A.B_c-d' 7x\t\u0000Zz", 'カプ・コケコ', 'リザードンｅｘ'],
    ...['Ærathi', 'デルタ種', '２Ｄ', 'ŉ', 'ΟΔΥΣΣΕΥΣ', '한글'],
  ]
  const texts = hostileTexts(
    random,
    names.map((name) => ({ name, game: 0, setNumber: 0, rarity: null })),
    amount(2000, 5000),
  )
  for (const text of [...names, ...texts]) assert.deepEqual(fold(text), plainWords(text), JSON.stringify(text))
})

test('typos are counted as the table of distances counts them', () => {
  const random = randomFrom(32)
  const word = (length: number) => Array.from({ length }, () => drawFrom(random, ['a', 'b', 'c'])).join('')
  for (let i = 0; i < amount(10_000, 30_000); i++) {
    const asked = word(1 + drawBelow(random, 9))
    const text = word(1 + drawBelow(random, 9))
    const max = drawBelow(random, 3)
    const units = Uint16Array.from(`xx${text}yy`, (letter) => letter.charCodeAt(0))
    const typos = new TypoCounter(units).count(asked, 2, 2 + text.length, max)
    const expected = typosBetween(asked, text)
    if (expected <= max) assert.equal(typos, expected, `${asked} ${text}`)
    else assert(typos > max, `${asked} ${text}: ${typos}, not over ${max}`)
  }
})

test('letters allow as many typos as they differ by, of either word', () => {
  const random = randomFrom(33)
  const countOf = (bits: number) => (bits >>> 0).toString(2).replaceAll('0', '').length
  for (let i = 0; i < amount(3000, 10_000); i++) {
    const letters = drawBelow(random, 2 ** 32)
    // So that they differ by few, mostly.
    const others = letters ^ (drawBelow(random, 2 ** 32) & drawBelow(random, 2 ** 32) & drawBelow(random, 2 ** 32))
    for (const max of [0, 1, 2]) {
      const allows = countOf(letters & ~others) <= max && countOf(others & ~letters) <= max
      assert.equal(lettersAllow(letters, others, max), allows)
      assert.equal(lettersAllow(letters | 0, others | 0, max), allows)
    }
  }
})

test('a selected page holds what a full sort puts there', () => {
  const random = randomFrom(34)
  const countMax = 4000
  const selection = new Selection(countMax)
  const page: HitPage = { total: 0, count: 0, cards: new Uint32Array(2 * countMax) }
  for (let i = 0; i < amount(300, 600); i++) {
    const count = drawBelow(random, drawFrom(random, [400, countMax]))
    const keys = drawFrom(random, [1, 3, 1000])
    const cards = Array.from({ length: count }, (_, card) => ({ card, key: drawBelow(random, keys) - 1 }))
    const byKey = cards.toSorted((a, b) => a.key - b.key || a.card - b.card)
    const from = drawBelow(random, drawFrom(random, [30, count + 2]))
    const to = from + 1 + drawBelow(random, drawFrom(random, [30, count + 2]))
    selection.start(from, to)
    const added = drawFrom(random, [cards, byKey.toReversed(), shuffled(random, cards)])
    for (const { card, key } of added) selection.add(card, key)
    selection.fill(page)
    const expected = byKey.slice(from, to).map(({ card }) => card)
    assert.deepEqual([...page.cards.subarray(0, page.count)], expected, `${count} cards, places ${from} to ${to}`)
    assert.equal(selection.count, count)
  }
})

const sampleFile = async (): Promise<SearchFile> => {
  const { files } = await loadSearchedCatalog(fileURLToPath(new URL('../../snapshots', import.meta.url)))
  const file = files.search
  assert.ok(file.wordTextAt.length > 100)
  return file
}

/** Names of a few letters, so that their words share beginnings: Latin and Japanese ones, mixed, and marks that stay. */
const someLetters = [
  ...['a', 'a', 'b', 'é', 'z', '0', '9', 'δ', '한', '\u0483', '\u0301'],
  ...['リ', 'リ', 'ザ', 'サ', 'ー', '種', '々', 'あ\u3099', '\u3099'],
  // The first three come after the other two by code point, and before them by UTF-16 unit.
  ...['\u{10428}', '\u{20000}', '\u{20001}', '\ufe73', '\ufa0e'],
]

function generatedFile(seed: number): SearchFile {
  const random = randomFrom(seed)
  const name = () => Array.from({ length: 1 + drawBelow(random, 7) }, () => drawFrom(random, someLetters)).join('')
  const cards = Array.from({ length: amount(300, 600) }, () => ({ name: name(), game: 0, setNumber: 0, rarity: null }))
  const sets = [{ code: 'one', name: 'One', game: 0, printedTotal: null }]
  return compileSearch({ cards, sets })
}

const vocabularies: [name: string, file: () => SearchFile | Promise<SearchFile>][] = [
  ['the sample', sampleFile],
  ['few letters', () => generatedFile(35)],
  ['few letters, others', () => generatedFile(36)],
  ['no words', () => compileSearch({ cards: [], sets: [] })],
]

const wordsOf = ({ wordText, wordTextAt }: SearchFile): string[] =>
  Array.from(wordTextAt.subarray(1), (end, i) => String.fromCharCode(...wordText.subarray(wordTextAt[i]!, end)))

const numbersOf = (words: readonly string[], holds: (word: string) => boolean): number[] =>
  words.flatMap((word, number) => (holds(word) ? [number] : []))

const beginningsOf = (word: string): string[] => Array.from({ length: word.length }, (_, i) => word.slice(0, i + 1))

for (const [name, fileOf] of vocabularies) {
  test(`the words with a beginning are one range: ${name}`, async () => {
    const file = await fileOf()
    const words = wordsOf(file)
    const held = words.flatMap(beginningsOf)
    const beyond = held.flatMap((beginning) => ['0', 'z', '\uffff'].map((letter) => beginning + letter))
    const asked = new Set([...held, ...beyond, '0', 'q', 'zz', 'zzz', '\u0080', '\uffff'])
    const vocabulary = await Vocabulary.load(file, () => pause())
    // Folding gives no half of a letter.
    for (const beginning of shuffled(randomFrom(37), [...asked]).filter((text) => text.isWellFormed())) {
      const { first, end, whole } = vocabulary.askWord(beginning)
      const expected = numbersOf(words, (word) => word.startsWith(beginning))
      const found = Array.from({ length: end - first }, (_, i) => first + i)
      assert.deepEqual(found, expected, JSON.stringify(beginning))
      assert.equal(whole, words.indexOf(beginning))
    }
  })

  test(`a part of a Japanese word is found in all that hold it: ${name}`, async () => {
    const file = await fileOf()
    const words = wordsOf(file).map((word) => (isJapanese(word) ? word : ''))
    const held = words.flatMap((word) => beginningsOf(word).flatMap((_, i) => beginningsOf(word.slice(i))))
    const asked = new Set([...held, ...held.map((part) => `${part}ー`), 'ヶ', 'ヶヶ', 'リヶザ'])
    const vocabulary = await Vocabulary.load(file, () => pause())
    for (const part of [...asked].filter(isJapanese)) {
      const expected = numbersOf(words, (word) => word.includes(part))
      assert.deepEqual([...vocabulary.askWord(part).inside!], expected, JSON.stringify(part))
    }
  })
}
