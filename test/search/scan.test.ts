/** Search against a plain scan of all names, and its parts each against the plain way, on generated catalogs and queries; and text that tries to break it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compileSearch } from '../../build/compile/search-columns.ts'
import { gameSlugs } from '../../build/games/default-games.ts'
import type { SearchFile } from '../../src/indexes/search-file.ts'
import { suggestLimitMax } from '../../src/limits.ts'
import { fold, isJapanese } from '../../src/names/fold.ts'
import { listSorts, sorts } from '../../src/search/scope/orders.ts'
import { type HitPage, Selection } from '../../src/search/scope/select.ts'
import { Search } from '../../src/search/search.ts'
import { SetWords } from '../../src/search/set-words.ts'
import { lettersAllow, TypoCounter } from '../../src/search/words/typos.ts'
import { Vocabulary } from '../../src/search/words/vocabulary.ts'
import { hostileTexts } from '../reference/hostile-texts.ts'
import { plainWords, typosBetween } from '../reference/plain-words.ts'
import { Scan } from '../reference/scan.ts'
import { everything } from '../reference/search-judge.ts'
import { loadSearchedCatalog, searchedFiles, searchOf } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom, shuffled } from '../support/random.ts'
import {
  commonName,
  commonWords,
  generatedCatalog,
  generatedFilter,
  generatedIds,
  generatedQuery,
  rarities,
} from './generated.ts'

/** The whole result in pages; each page must tell the same total. */
function inPages(pageFrom: (offset: number) => HitPage, pageSize: number): number[] {
  const hits: number[] = []
  let total = 0
  do {
    const page = pageFrom(hits.length)
    if (hits.length > 0) assert.equal(page.total, total, 'every page tells the same total')
    total = page.total
    assert.equal(page.count, Math.min(pageSize, total - hits.length))
    hits.push(...page.cards.subarray(0, page.count))
  } while (hits.length < total)
  return hits
}

test('A search or a list finds what a plain scan does, however narrowed and sorted, in pages that share no card', async () => {
  const seeds = Number(process.env['SEEDS'] ?? amount(8, 60))
  for (let seed = 1001; seed <= 1000 + seeds; seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = generatedCatalog(random)
    const search = await searchOf(cards, sets)
    const scan = new Scan(cards, sets)
    for (let i = 0; i < amount(50, 90); i++) {
      const query = generatedQuery(random, cards, sets)
      const filter = drawBelow(random, 3) === 0 ? everything : generatedFilter(random)
      const sort = drawFrom(random, sorts)
      const message = `seed ${seed}: ${JSON.stringify([query, filter, sort])}`
      const size = drawFrom(random, [1, 3, 20, 100])
      const found = inPages((offset) => search.find(query, filter, { limit: size, offset }, sort), size)
      assert.deepEqual(found, scan.find(query, filter, sort), message)
      const ids = generatedIds(random)
      if (filter.game === -1 && filter.set === undefined && Object.keys(ids).length === 0) continue
      const order = drawFrom(random, listSorts)
      const listed = inPages((offset) => search.list(filter, ids, { limit: size, offset }, order), size)
      assert.deepEqual(listed, scan.list(filter, ids, order), `${message} ${JSON.stringify(ids)} ${order}`)
    }
  }
})

test('A search finds what a plain scan does if its words are common to very many names', async () => {
  for (let seed = 3001; seed <= amount(3001, 3003); seed++) {
    const random = randomFrom(seed)
    const sets = Array.from({ length: 3 }, (_, game) => ({ code: `s${game}`, name: 'Set', game }))
    const cards = Array.from({ length: amount(1000, 4000) }, () => {
      const setNumber = drawFrom(random, [0, 0, 0, 1, 2])
      return { name: commonName(random), game: setNumber, setNumber, rarity: drawFrom(random, rarities) }
    })
    const search = await searchOf(cards, sets)
    const scan = new Scan(cards, sets)
    for (let i = 0; i < amount(40, 80); i++) {
      const words = Array.from({ length: drawFrom(random, [1, 1, 2, 2, 3]) }, () => drawFrom(random, commonWords))
      const query = words.join(drawFrom(random, [' ', '/']))
      const game = drawFrom(random, [-1, -1, 0, 1, 2])
      const rarity = drawBelow(random, 8) === 0 ? 'rare' : undefined
      const expected = scan.find(query, { game, set: undefined, rarity })
      for (let page = 0; page < 8; page++) {
        const limit = drawFrom(random, [1, 7, 20, 100])
        const offset = Math.max(
          0,
          drawFrom(random, [0, 0, 1, 20, 50, 80, 99, 100, 500, expected.length - 1, expected.length]),
        )
        const found = search.find(query, { game, set: undefined, rarity }, { limit, offset })
        const message = `seed ${seed}: ${JSON.stringify([query, game, limit, offset])}`
        const hits = { total: found.total, cards: [...found.cards.subarray(0, found.count)] }
        assert.deepEqual(hits, { total: expected.length, cards: expected.slice(offset, offset + limit) }, message)
      }
    }
  }
})

test('Suggestions are the names that a search shows first, each once in a game, with its count of cards', async () => {
  for (let seed = 2001; seed <= amount(2004, 2060); seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = generatedCatalog(random)
    const files = searchedFiles(cards, sets)
    const search = await Search.load(files.search, files.lists, files.changes, () => pause())
    const { suggestions, suggestionsAt: at } = files.lists
    const scan = new Scan(cards, sets)
    for (let i = 0; i < 60; i++) {
      const whole = generatedQuery(random, cards, sets)
      const query = drawBelow(random, 2) === 0 ? whole : [...whole].slice(0, 1 + drawBelow(random, 3)).join('')
      const game = drawBelow(random, 2) === 0 ? -1 : drawBelow(random, 3)
      const limit = 1 + drawBelow(random, suggestLimitMax)
      const { names, count } = search.suggest(query, game, limit)
      const data = Array.from(names.subarray(0, count), (name) =>
        JSON.parse(Buffer.from(suggestions.slice(at[name]!, at[name + 1]!)).toString()),
      )
      const expected = scan.suggest(query, game).slice(0, limit)
      const slugged = expected.map((one) => ({ name: one.name, game: gameSlugs[one.game], cards: one.cards }))
      assert.deepEqual(data, slugged, `seed ${seed}: ${JSON.stringify([query, game, limit])}`)
    }
  }
})

test('The search for sets finds what a plain scan finds, in a game or in all', () => {
  const random = randomFrom(38)
  const words = ['a', 'ab', 'abc', 'b', 'ba', 'リ', 'リザ', 'ザ']
  const text = (countMax: number) =>
    Array.from({ length: 1 + drawBelow(random, countMax) }, () => drawFrom(random, words)).join(' ')
  for (let i = 0; i < amount(100, 3000); i++) {
    const sets = Array.from({ length: 8 }, (_, set) => {
      return { code: `c-${set}`, name: text(4), short: '', printedTotal: null, game: set % 2 }
    })
    const cards = sets.map(({ name, game }, setNumber) => ({ name, game, setNumber, rarity: null }))
    const [query, game] = [text(3), drawFrom(random, [-1, 0, 1])]
    const setWords = new SetWords({ sets } as unknown as SearchFile)
    const message = JSON.stringify([query, game, sets.map(({ name }) => name)])
    assert.deepEqual(setWords.find(query, game), new Scan(cards, sets).find(query, { ...everything, game }), message)
    assert.deepEqual(setWords.find('C5', game), game === 0 ? [] : [5])
  }
})

test('A search of very many words slows no later search', async () => {
  const { cards, sets } = generatedCatalog(randomFrom(8))
  const search = await searchOf(cards, sets)
  const find = (text: string) => search.find(text, everything, { limit: 20, offset: 0 })
  const leastMs = () => {
    const rounds = Array.from({ length: 100 }, () => {
      const start = performance.now()
      for (let i = 0; i < 20; i++) find('pounds')
      return performance.now() - start
    })
    return Math.min(...rounds)
  }
  leastMs()
  const before = leastMs()
  find('\ufdfa'.repeat(200))
  const after = leastMs()
  assert.ok(after < 5 * before, `20 searches took ${before} ms, then ${after} ms`)
})

test('A search of any hostile text ends, and finds what a plain scan does', async () => {
  const random = randomFrom(7)
  const { cards, sets } = generatedCatalog(random)
  const search = await searchOf(cards, sets)
  const scan = new Scan(cards, sets)
  const texts = [...hostileTexts(random, cards, amount(300, 10_000)), 'dragonx '.repeat(25)]
  texts.forEach((text, i) => {
    const { total } = search.find(text, everything, { limit: 20, offset: 0 })
    if (i % 10 === 0) assert.equal(total, scan.find(text, everything).length, JSON.stringify(text))
  })
})

test('A text is folded into the same words as by folding character after character', () => {
  const random = randomFrom(31)
  const names = [
    'Pokémon',
    '\u212aelvin',
    "Urza's Saga",
    "`A.B_c-d' 7x\t\u0000Zz",
    'カプ・コケコ',
    'リザードンｅｘ',
    'Ærathi',
    'デルタ種',
    '２Ｄ',
    'ŉ',
    'ΟΔΥΣΣΕΥΣ',
    '한글',
  ]
  const texts = hostileTexts(
    random,
    names.map((name) => ({ name, game: 0, setNumber: 0, rarity: null })),
    amount(500, 5000),
  )
  for (const text of [...names, ...texts]) assert.deepEqual(fold(text), plainWords(text), JSON.stringify(text))
})

test('The count of typos is the edit distance that a full table finds', () => {
  const random = randomFrom(32)
  const word = (length: number) => Array.from({ length }, () => drawFrom(random, ['a', 'b', 'c'])).join('')
  for (let i = 0; i < amount(3000, 30_000); i++) {
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

test('The check of letters rules out two words exactly if more letters differ than typos are allowed', () => {
  const random = randomFrom(33)
  const countOf = (bits: number) => (bits >>> 0).toString(2).replaceAll('0', '').length
  for (let i = 0; i < amount(1000, 10_000); i++) {
    const letters = drawBelow(random, 2 ** 32)
    // So that they differ by few, mostly.
    const others = letters ^ (drawBelow(random, 2 ** 32) & drawBelow(random, 2 ** 32) & drawBelow(random, 2 ** 32))
    for (const max of [1, 2]) {
      const allows = countOf(letters & ~others) <= max && countOf(others & ~letters) <= max
      assert.equal(lettersAllow(letters, others, max), allows)
      assert.equal(lettersAllow(letters | 0, others | 0, max), allows)
    }
  }
})

test('A page of a selection has the same cards as a full sort', () => {
  const random = randomFrom(34)
  const countMax = 4000
  const selection = new Selection(countMax)
  const page: HitPage = { total: 0, count: 0, cards: new Uint32Array(2 * countMax) }
  for (let i = 0; i < amount(100, 600); i++) {
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
  'a',
  'a',
  'b',
  'é',
  'z',
  '0',
  '9',
  'δ',
  '한',
  '\u0483',
  '\u0301',
  'リ',
  'リ',
  'ザ',
  'サ',
  'ー',
  '種',
  '々',
  'あ\u3099',
  '\u3099',
  // The first three come after the other two by code point, and before them by UTF-16 unit.
  '\u{10428}',
  '\u{20000}',
  '\u{20001}',
  '\ufe73',
  '\ufa0e',
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
  test(`All words with the same beginning are neighbours in the vocabulary: ${name}`, async () => {
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

  test(`A part of a Japanese word is found in all words that have it: ${name}`, async () => {
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
