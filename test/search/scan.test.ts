/** Search against a plain scan of all names, on generated catalogs and queries; and text that tries to break it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { gameSlugs } from '../../src/games.ts'
import { priceCentsMax, suggestLimitMax } from '../../src/limits.ts'
import { sorts } from '../../src/search/scope/orders.ts'
import { type HitPage, Search } from '../../src/search/search.ts'
import { hostileTexts } from '../reference/hostile-texts.ts'
import { Scan, type ScanCard, type ScanFilter, type ScanIds, type ScanSet } from '../reference/scan.ts'
import { everything } from '../reference/search-judge.ts'
import { searchedFiles, searchOf } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom, shuffled } from '../support/random.ts'

const allHits = (search: Search, query: string, filter: ScanFilter, pageSize: number): number[] =>
  inPages((offset) => search.find(query, filter, { limit: pageSize, offset }), pageSize)

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

const nameWords = [
  ...['a', 'ab', 'abc', 'abcd', 'abdc', 'abcde', 'Pound', 'pounds', 'ponud', 'Dragon', 'dragons', 'drag', 'Dragonites'],
  ...['dragonitse', 'the', 'of', 'Pokémon', 'Æther', "Urza's", 'urza', 'ex', 'V', 'x2', '2', '12', 'δ', 'D', 'Straße'],
  ...['リザ', 'リサ', 'リザード', 'リザードン', 'ザー', 'カプ', 'コケコ', 'ー', 'デルタ種', '種', 'ﾘｻﾞ', 'Ｚ', '々'],
]
const joints = [' ', ' ', ' ', '-', '・', '.', '', '　', ' & ', '&', '＆', '♀', '/', '☆']
const signNames = ['_____', '____', '?', '？', '!!', '! !', '♀']

function generatedName(random: Random): string {
  if (drawBelow(random, 25) === 0) return drawFrom(random, signNames)
  let name = drawFrom(random, nameWords)
  for (let more = drawBelow(random, 4); more > 0; more--) name += drawFrom(random, joints) + drawFrom(random, nameWords)
  return name
}

function withTypo(random: Random, text: string): string {
  const at = drawBelow(random, text.length)
  const edits = [
    text.slice(0, at) + text.slice(at + 1),
    `${text.slice(0, at)}${drawFrom(random, ['a', 'x', 'n'])}${text.slice(at)}`,
    `${text.slice(0, at)}x${text.slice(at + 1)}`,
    text.slice(0, at) + (text[at + 1] ?? '') + text[at] + text.slice(at + 2),
  ]
  return drawFrom(random, edits)
}

/** Words of a name, a number and words of a set, or its code, in any order; of one card, or of several. */
function crossFieldQuery(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): string {
  const card = drawFrom(random, cards)
  const other = drawBelow(random, 3) === 0 ? drawFrom(random, cards) : card
  const set = sets[other.setNumber]!
  const words = card.name.split(' ').filter(() => drawBelow(random, 3) > 0)
  const count = cards.filter(({ setNumber }) => setNumber === other.setNumber).length
  const number = drawFrom(random, [
    other.number,
    `${other.number}/${count}`,
    `4 / ${count}`,
    '4/99',
    '#4',
    '(004)',
    '9',
    '４',
  ])
  if (number != null && drawBelow(random, 3) > 0) words.push(number)
  if (drawBelow(random, 2) === 0) words.push(...set.name.split(' ').filter(() => drawBelow(random, 3) > 0))
  if (drawBelow(random, 3) === 0) words.push(drawFrom(random, [set.code, set.code.replace('-', '')]))
  if (words.length > 0 && drawBelow(random, 4) === 0) words.push(drawFrom(random, words))
  const cut = drawBelow(random, 4) === 0 ? words.map((word) => word.slice(0, 4)) : words
  const query = shuffled(random, cut).join(drawFrom(random, [' ', ' ', '  ', '\u3000']))
  return drawBelow(random, 4) === 0 ? withTypo(random, query) : query
}

function generatedQuery(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[] = []): string {
  const name = drawBelow(random, 2) === 0 ? drawFrom(random, cards).name : generatedName(random)
  switch (drawBelow(random, 10)) {
    case 0:
      return name
    case 7:
    case 8:
    case 9:
      return crossFieldQuery(random, cards, sets)
    case 1:
      return name.split(/[ -]/).reverse().join(' ')
    case 2:
      return name
        .split(' ')
        .map((word) => word.slice(0, 1 + drawBelow(random, 4)))
        .join(' ')
    case 3:
      return withTypo(random, name)
    case 4:
      return withTypo(random, withTypo(random, name))
    case 5:
      return drawBelow(random, 2) === 0
        ? name.replace(/[^\p{L}\p{N}\s]/gu, '')
        : name.replace(/ ?& ?| /, drawFrom(random, [' and ', '-', '&', ' & ']))
    case 6:
      return name.slice(drawBelow(random, 3), 3 + drawBelow(random, 6))
    default:
      return `${name} ${drawFrom(random, nameWords)}`
  }
}

const collectorsNumbers = [
  ...[
    '4',
    '004',
    '4/102',
    '04/x',
    '40',
    'SV1',
    'sv1',
    'SV001',
    'ß',
    '/',
    '/4',
    '',
    '0',
    '00',
    '000/1',
    '0a',
    '00a',
    null,
  ],
]
const products = [1, 2, 42_382, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, null, null]
/** Two differ in their last digits alone, two in their first ones. */
const uuids = [
  '0000579f-7b35-4ed3-b44c-db2a538066fe',
  '0000579f-7b35-4ed3-b44c-db2a538066ff',
  'ffffffff-7b35-4ed3-b44c-db2a538066fe',
  null,
  null,
]
const printings = [
  'Normal',
  'normal',
  'Holofoil',
  '1st Edition Holofoil',
  '1st Edition',
  'Unlimited',
  'Cold Foil',
  null,
]
const rarities = ['Common', 'common', 'RARE', null]
const setNames = ['Base', 'base', 'Fossil', 'jungle', 'Base Set 2', 'The Dragon of Base', 'SV03: Jungle', 'XY - Base']

function generatedCatalog(random: Random): { cards: ScanCard[]; sets: ScanSet[] } {
  const sets = Array.from({ length: 6 }, () => ({
    code: drawFrom(random, ['b1', 'B1', 'b2', 'Fossil', 'OP-01', 'op01', '4']),
    name: drawFrom(random, setNames),
    game: drawBelow(random, 3),
    printedTotal: drawFrom(random, [null, 4, 102]),
  }))
  const names = Array.from({ length: 2 + drawBelow(random, 60) }, () => generatedName(random))
  const cards = Array.from({ length: 1 + drawBelow(random, 150) }, () => {
    const setNumber = drawBelow(random, sets.length)
    return {
      name: drawFrom(random, names),
      game: sets[setNumber]!.game,
      setNumber,
      rarity: drawFrom(random, rarities),
      number: drawFrom(random, collectorsNumbers),
      market: drawFrom(random, [null, 0, 1, 5, 5, 99, 100, 12_345, priceCentsMax]),
      tcgplayerId: drawFrom(random, products),
      printing: drawFrom(random, printings),
      scryfallId: drawFrom(random, uuids),
      mtgjsonId: drawFrom(random, uuids),
      cardmarketId: drawFrom(random, products),
      weekAgo: drawFrom(random, [null, 0, 1, 100, 100, 101, 12_345, priceCentsMax]),
      changedOn: drawFrom(random, [null, -1, 0, 1, 2, 2, 3, 3, 20_777, 20_778]),
      now: drawFrom(random, [null, 0, 1, 99, 100, 100, 102, 100_001, priceCentsMax]),
    }
  })
  return { cards, sets }
}

test('finds what a plain scan finds, in its order, in pages that share no card', async () => {
  for (let seed = 1; seed <= amount(3, 60); seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = generatedCatalog(random)
    const search = await searchOf(cards, sets)
    const scan = new Scan(cards, sets)
    for (let i = 0; i < 60; i++) {
      const query = generatedQuery(random, cards, sets)
      const filter = {
        game: drawBelow(random, 2) === 0 ? -1 : drawBelow(random, 3),
        set: drawBelow(random, 2) === 0 ? undefined : drawFrom(random, [...setNames, 'b1', 'b2', 'none']),
        rarity: drawBelow(random, 3) > 0 ? undefined : drawFrom(random, ['common', 'rare', 'none']),
      }
      for (const asked of [everything, filter]) {
        const expected = scan.find(query, asked)
        const message = `seed ${seed}: ${JSON.stringify(query)} ${JSON.stringify(asked)}`
        assert.deepEqual(allHits(search, query, asked, 7), expected, message)
        assert.deepEqual(allHits(search, query, asked, 100), expected, message)
      }
    }
  }
})

/** Any of them, now and then; some that no card has. */
function generatedIds(random: Random): ScanIds {
  const one = <Id>(ids: readonly Id[]) => (drawBelow(random, 5) === 0 ? drawFrom(random, ids) : undefined)
  const [tcgplayer, scryfall, mtgjson, cardmarket] = [
    one([...products, 3]),
    one(uuids),
    one([...uuids, uuids[0]!.replace('0', 'a')]),
    one([...products, 3]),
  ]
  return {
    ...(tcgplayer == null ? {} : { tcgplayer }),
    ...(scryfall == null ? {} : { scryfall }),
    ...(mtgjson == null ? {} : { mtgjson }),
    ...(cardmarket == null ? {} : { cardmarket }),
  }
}

/** Any of what narrows, each now and then; narrow and wide bounds, those that nothing is within too. */
function generatedFilter(random: Random): ScanFilter {
  const bound = () => drawFrom(random, [undefined, undefined, 0, 1, 2, 5, 6, 100, 20_000, priceCentsMax, 10 ** 15])
  return {
    game: drawBelow(random, 2) === 0 ? -1 : drawBelow(random, 3),
    set: drawBelow(random, 2) === 0 ? undefined : drawFrom(random, [...setNames, 'b1', 'b2', 'none']),
    rarity: drawBelow(random, 4) > 0 ? undefined : drawFrom(random, ['common', 'rare', 'none']),
    printing:
      drawBelow(random, 5) > 0
        ? undefined
        : drawFrom(random, ['NORMAL', 'holofoil', 'none', 'holo', 'foil', 'nonfoil', 'first edition', 'Unlimited']),
    number: drawBelow(random, 2) > 0 ? undefined : (drawFrom(random, [...collectorsNumbers, '5', '4 ']) ?? undefined),
    minCents: bound(),
    maxCents: bound(),
    changedSince: drawBelow(random, 2) > 0 ? undefined : drawFrom(random, [-1, 0, 1, 2, 3, 20_777, 20_778]),
  }
}

test('finds and lists what a plain scan does, however it is narrowed and sorted', async () => {
  const seeds = Number(process.env['SEEDS'] ?? amount(3, 60))
  for (let seed = 1001; seed <= 1000 + seeds; seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = generatedCatalog(random)
    const search = await searchOf(cards, sets)
    const scan = new Scan(cards, sets)
    for (let i = 0; i < 60; i++) {
      const query = generatedQuery(random, cards, sets)
      const filter = generatedFilter(random)
      const sort = drawFrom(random, sorts)
      const message = `seed ${seed}: ${JSON.stringify([query, filter, sort])}`
      const size = drawFrom(random, [1, 3, 20, 100])
      const found = inPages((offset) => search.find(query, filter, { limit: size, offset }, sort), size)
      assert.deepEqual(found, scan.find(query, filter, sort), message)
      const ids = generatedIds(random)
      if (filter.game === -1 && filter.set === undefined && Object.keys(ids).length === 0) continue
      const order = drawFrom(random, sorts.slice(1))
      const listed = inPages((offset) => search.list(filter, ids, { limit: size, offset }, order), size)
      assert.deepEqual(listed, scan.list(filter, ids, order), `${message} ${JSON.stringify(ids)} ${order}`)
    }
  }
})

/** Words that most names hold, or words that begin so. */
const commonWords = ['a', 'a', 'ab', 'abc', 'b', 'ba', 'bab', 'c', 'ca', 'é', 'リ', 'リザ', 'ザリ', '2', '2a', '']

function commonName(random: Random): string {
  const words = Array.from({ length: 1 + drawBelow(random, 4) }, () => {
    const rare = Array.from({ length: drawBelow(random, 3) }, () => drawFrom(random, ['a', 'b', 'c', 'd', '2']))
    return drawFrom(random, commonWords) + rare.join('')
  })
  return words.join(drawFrom(random, joints)).trim() || 'a'
}

test('finds what a plain scan does where words are common to very many names', async () => {
  for (let seed = 3001; seed <= amount(3001, 3003); seed++) {
    const random = randomFrom(seed)
    const sets = Array.from({ length: 3 }, (_, game) => ({ code: `s${game}`, name: 'Set', game }))
    const cards = Array.from({ length: amount(2000, 4000) }, () => {
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
        const offset = drawFrom(random, [0, 0, 1, 20, 50, 80, 99, 100, 500, expected.length - 1, expected.length])
        const {
          total,
          count,
          cards: found,
        } = search.find(query, { game, set: undefined, rarity }, { limit, offset: Math.max(0, offset) })
        const message = `seed ${seed}: ${JSON.stringify([query, game, limit, offset])}`
        assert.equal(total, expected.length, message)
        assert.deepEqual(
          [...found.subarray(0, count)],
          expected.slice(Math.max(0, offset), Math.max(0, offset) + limit),
          message,
        )
      }
    }
  }
})

test('suggests what a search first shows, each name of a game once, with its printings', async () => {
  for (let seed = 2001; seed <= amount(2006, 2060); seed++) {
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

test('a search of very many words does not slow those after it', async () => {
  const { cards, sets } = generatedCatalog(randomFrom(8))
  const search = await searchOf(cards, sets)
  const find = (text: string) => search.find(text, everything, { limit: 20, offset: 0 })
  const leastMs = () => {
    const rounds = Array.from({ length: 300 }, () => {
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

test('no text breaks it', async () => {
  const random = randomFrom(7)
  const { cards, sets } = generatedCatalog(random)
  const search = await searchOf(cards, sets)
  const scan = new Scan(cards, sets)
  const texts = [...hostileTexts(random, cards, amount(500, 10_000)), 'dragonx '.repeat(25)]
  texts.forEach((text, i) => {
    const { total } = search.find(text, everything, { limit: 20, offset: 0 })
    if (i % 10 === 0) assert.equal(total, scan.find(text, everything).length, JSON.stringify(text))
  })
})
