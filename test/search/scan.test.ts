/** Search against a plain scan of all names, on generated catalogs and queries; and text that tries to break it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { gameSlugs } from '../../src/games.ts'
import { suggestLimitMax } from '../../src/limits.ts'
import { sorts } from '../../src/search/scope/orders.ts'
import { type HitPage, Search } from '../../src/search/search.ts'
import { hostileTexts } from '../reference/hostile-texts.ts'
import { Scan } from '../reference/scan.ts'
import { everything } from '../reference/search-judge.ts'
import { searchedFiles, searchOf } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
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

test('finds and lists what a plain scan does, in pages that share no card, however it is narrowed and sorted', async () => {
  const seeds = Number(process.env['SEEDS'] ?? amount(3, 60))
  for (let seed = 1001; seed <= 1000 + seeds; seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = generatedCatalog(random)
    const search = await searchOf(cards, sets)
    const scan = new Scan(cards, sets)
    for (let i = 0; i < 90; i++) {
      const query = generatedQuery(random, cards, sets)
      const filter = drawBelow(random, 3) === 0 ? everything : generatedFilter(random)
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
