/** Prices at other markets: what the sources and Cardmarket's guides give to which card. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { GameSlug } from '../../src/games.ts'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  historyOf,
  importInto,
  importNew,
  recordsIn,
} from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrintings, brothersWar, magicCard, shop, uuid } from './magic.ts'
import { bulkOf, command, day, file, market, pricesOf, tcgcsv } from './market-files.ts'

describe('The markets of a card', () => {
  it('An import of Scryfall gives each finish its price at Cardmarket, and the card its Cardmarket id', async () => {
    const { out, report } = await importNew('scryfall', [bulkOf(command)], day)
    const cards = [...cardsById(out).values()].map(({ id, cardmarketId, markets }) => [id, cardmarketId, markets])
    assert.deepEqual(cards, [
      ['mtg-bro-70', 680001, [market('cardmarket', 'EUR', 0.8)]],
      ['mtg-bro-70-etched', 680001, [market('cardmarket', 'EUR', 9.99)]],
      ['mtg-bro-70-foil', 680001, [market('cardmarket', 'EUR', 1.2)]],
    ])
    assert.deepEqual(Object.fromEntries(report.game('mtg').leftOut), { 'not in US dollars or euros': 1 })
  })

  it('An import of MTGJSON gives each finish its newest prices and buylists at four shops, and each set its size', async () => {
    const out = temporaryFolder()
    const [first, ...others] = brothersWar.cards
    const identifiers = { ...first!.identifiers, mcmId: '680001' }
    const sizes = [0, 1, 9999, 10_000, 1.5].map((baseSetSize, i) => {
      const cards = [magicCard(uuid(70 + i), 'x', '1')]
      return [`S${i}`, { name: 'x', baseSetSize, cards }]
    })
    const own = { ...brothersWar, baseSetSize: 287, cards: [{ ...first, identifiers }, ...others] }
    const sets = { BRO: own, ...Object.fromEntries(sizes) }
    const printings = file(allPrintings(sets), 'AllPrintings.json')
    const paper = {
      tcgplayer: shop('USD', { normal: { '2026-11-20': 2.5 } }, { normal: { '2026-11-21': 9 } }),
      cardmarket: shop('EUR', { normal: { '2026-11-18': 1, '2026-11-19': 1.54 }, foil: { '2026-11-20': 3 } }),
      cardkingdom: shop('USD', { normal: { '2026-11-20': 2.99 } }, { normal: { '2026-11-20': 1.1, '2026-11-19': 2 } }),
      cardsphere: shop('USD', { foil: { '2026-11-20': 2 } }, { normal: { '2026-11-20': 0.5 } }),
      manapool: shop('EUR', { normal: { '2026-11-20': 7 } }),
      elsewhere: shop('USD', { normal: { '2026-11-20': 7 } }),
    }
    const { report } = await importInto(out, 'mtgjson', [printings, pricesOf(paper)])
    const cards = cardsById(out)
    const [normal, foil] = ['mtg-bro-70', 'mtg-bro-70-foil'].map((id) => cards.get(id))
    assert.deepEqual(normal.markets, [
      market('cardmarket', 'EUR', 1.54, { updatedAt: '2026-11-19' }),
      market('cardkingdom', 'USD', 2.99, { buylist: 1.1 }),
      market('cardsphere', 'USD', null, { buylist: 0.5 }),
    ])
    assert.deepEqual([normal.prices.market, normal.cardmarketId, foil.cardmarketId], [2.5, 680001, 680001])
    assert.deepEqual(foil.markets, [market('cardmarket', 'EUR', 3), market('cardsphere', 'USD', 2)])
    assert.equal('markets' in cards.get('mtg-bro-233'), false)
    assert.equal(
      recordsIn(out, 'sets')
        .map(({ printedTotal }) => printedTotal)
        .join(),
      '287,,1,9999,,',
    )
    assert.deepEqual(historyOf(out, '2026-11-20-mtgjson.csv.gz'), ['2026-11-20,mtg-bro-70,2.5,,'])
    const left = report.records.slice(-2).map(({ place, reason, record }) => [place, reason, record])
    assert.equal(left.join('; '), ',in another currency,manapool EUR; ,another shop,elsewhere')
    await importInto(out, 'mtgjson', [printings])
    assert.deepEqual(cardsById(out), cards, 'prices stay where only printings come')
  })

  it('A set of TCGCSV gets the commonest printed total, if at least half of the numbers with a total have it', async () => {
    for (const [numbers, total] of [
      [['1/102', '2/102', '103/102', 'SV1'], 102],
      [['001/064', '2/64', '1/9'], 64],
      [['1/9', '001/064', '2/64'], 64],
      [['1/10', '2/10', '1/20', '2/30'], 10],
      [['1/10', '2/10', '1/20', '2/30', '3/40'], undefined],
      [['1/10', '2/20'], undefined],
      [['TG1/TG30', 'A-1', 'N/A', '1/0', '1/12345'], undefined],
    ] as const) {
      const products = numbers.map((number, i) => ({ id: 1 + i, name: `Card ${i}`, number, rarity: 'R' }))
      const group: MirrorGroup = { category: 3, id: 9, name: 'Set', abbreviation: 'S', published: '', products }
      const { out } = await importNew('tcgcsv', [writeMirror([group])])
      assert.equal(recordsIn(out, 'sets')[0].printedTotal, total, numbers.join())
    }
  })

  it('A market of two sources appears once, with the preferred one’s price, and an overlay replaces or adds markets', async () => {
    const out = copyOf(tcgcsv)
    const paper = {
      cardmarket: shop('EUR', { normal: { '2026-11-20': 5 } }),
      manapool: shop('USD', { normal: { '2026-11-20': 6 } }, { normal: { '2026-11-20': 3 } }),
    }
    const dollars = { tcgplayer: shop('USD', { normal: { '2026-11-20': 0.2 } }) }
    await importInto(out, 'mtgjson', [file(allPrintings(), 'AllPrintings.json'), pricesOf({ ...paper, ...dollars })])
    await importInto(out, 'scryfall', [bulkOf(command)], day)
    const marketsOf = () => cardsById(out).get('mtg-bro-070').markets
    assert.deepEqual(marketsOf(), [market('cardmarket', 'EUR', 0.8), market('manapool', 'USD', 6, { buylist: 3 })])
    const own = ['cardmarketId,77', 'market:manapool:USD,5.5', 'market:our-shop:GBP,4']
    const rows = [...own, ...Array.from({ length: 6 }, (_, i) => `market:m${i}:USD,1`)]
    const overlay = file(['id,key,price', ...rows.map((row) => `mtg-bro-070,${row}`)].join('\n'))
    const { report } = await importInto(out, 'overlay', [overlay], day)
    assert.deepEqual(marketsOf().slice(0, 3), [
      market('cardmarket', 'EUR', 0.8),
      market('manapool', 'USD', 5.5, { buylist: 3 }),
      market('our-shop', 'GBP', 4),
    ])
    assert.deepEqual([marketsOf().length, cardsById(out).get('mtg-bro-070').cardmarketId], [8, 77])
    const left = ({ records }: typeof report) =>
      records.flatMap(({ game, reason, record }) => (reason === 'more than 8 markets' ? [`${game} ${record}`] : []))
    assert.deepEqual(left(report), ['mtg mtg-bro-070 market:m5:USD'])
    const euros = copyOf(out)
    const inEuros = await importInto(euros, 'scryfall', [bulkOf(command)], { ...day, currency: 'EUR', force: true })
    assert.deepEqual(left(inEuros.report), ['mtg mtg-bro-070 market:m5:USD', 'mtg mtg-bro-070 tcgplayer USD'])
    const wrong = ['cardmarketId,0', 'cardmarketId,1.5', 'market:Shop:USD,1', 'market:shop:usd,1', 'market:shop,1']
    for (const row of wrong) {
      const failed = errorsOf(importInto(out, 'overlay', [file(`id,key,price\nmtg-bro-070,${row}\n`)]))
      assert.match(await failed, /must be (a whole number above 0|market, low, mid, high, .*)/, row)
    }
  })
})

describe('Cardmarket’s guides', () => {
  let overlays = 0
  const overlay = (...rows: string[]) => file(['id,key,price', ...rows].join('\n'), `ids${++overlays}.csv`)
  const product = (idProduct: number, prices: object) => ({
    idProduct,
    idCategory: 1,
    avg: 0,
    low: 0,
    trend: 0,
    avg1: 0,
    avg7: 0,
    avg30: 0,
    'avg-foil': 0,
    'low-foil': null,
    'trend-foil': 0,
    'avg30-foil': 0,
    ...prices,
  })
  const guideOf = (priceGuides: readonly object[], createdAt = '2026-11-20T02:45:00+0200') =>
    JSON.stringify({ version: 1, createdAt, priceGuides })
  function folderOf(guides: Readonly<Record<string, string | Buffer>>): string {
    const dir = temporaryFolder()
    for (const [name, content] of Object.entries(guides)) writeFileSync(join(dir, name), content)
    return dir
  }
  const normal = 'mtg-bro-070'
  const foil = 'mtg-bro-070-foil'
  const alone = 'pokemon-swsh12-139-holofoil'
  const ids = [`${normal},cardmarketId,1`, `${foil},cardmarketId,1`, `${alone},cardmarketId,2`]

  for (const [what, prices, expected] of [
    ['trend and low', { trend: 1.5, low: 0.4, avg: 9, avg30: 8 }, ['1.5 from 0.4', null, '1.5 from 0.4']],
    ['avg30 where trend is 0', { trend: 0, avg30: 1.25, avg: 9 }, ['1.25', null, '1.25']],
    ['avg where both are unknown', { trend: null, avg30: 0, avg: 1.1 }, ['1.1', null, '1.1']],
    ['low alone', { low: 0.02 }, ['from 0.02', null, 'from 0.02']],
    ['foil prices', { trend: 1, 'trend-foil': 3 }, ['1', '3', '1']],
    ['foil lows', { low: 1, 'low-foil': 2 }, ['from 1', 'from 2', 'from 1']],
    ['foil prices alone', { 'avg30-foil': 3, 'trend-foil': 0 }, [null, '3', null]],
    ['no price', {}, [null, null, null]],
  ] as const) {
    it(`The guide of Cardmarket gives a product its prices: ${what}`, async () => {
      const out = copyOf(tcgcsv)
      await importInto(out, 'overlay', [overlay(...ids)], day)
      const dir = folderOf({
        'price_guide_1.json.gz': gzipSync(guideOf([product(1, prices), product(3, { trend: 1 }), product(4, {})])),
        'price_guide_6.json': guideOf([product(2, prices), product(1, { trend: 77 })], '2026-11-19T00:10:00+0100'),
        'products_singles_1.json': '[]',
      })
      const { report } = await importInto(out, 'cardmarket', [dir])
      const cards = cardsById(out)
      const found = [normal, foil, alone].map((id) => {
        const [own, ...others] = cards.get(id).markets ?? []
        assert.deepEqual(others, [])
        assert.equal(cards.get(id).sources.includes('cardmarket'), own !== undefined)
        if (own === undefined) return null
        const updatedAt = id === alone ? '2026-11-19' : '2026-11-20'
        assert.deepEqual({ ...own, price: 0, low: 0 }, market('cardmarket', 'EUR', 0, { low: 0, updatedAt }))
        return [own.price ?? [], own.low === null ? [] : `from ${own.low}`].flat().join(' ')
      })
      assert.deepEqual(found, expected)
      assert.equal(report.game('mtg').leftOut.get('product of no card with that cardmarketId'), 1)
      // A guide that is missing another time keeps its prices.
      const later = folderOf({ 'price_guide_1.json': guideOf([product(3, { trend: 1 })]) })
      await importInto(out, 'cardmarket', [later], { force: true })
      assert.deepEqual(cardsById(out).get(alone), cards.get(alone))
      assert.equal('markets' in cardsById(out).get(normal), false)
    })
  }

  it('An import of Cardmarket’s guides reads those of seven games, or of the games in --games', async () => {
    const one = guideOf([product(1, { low: 1 })])
    const guides = [1, 3, 6, 16, 18, 19, 21].map((game) => [`price_guide_${game}.json`, one])
    const dir = folderOf(Object.fromEntries(guides))
    const records = async (...games: GameSlug[]) => {
      const { report } = await importInto(copyOf(tcgcsv), 'cardmarket', [dir], { games: new Set(games) })
      return report.records.map(({ game, file, record }) => `${game} ${file} ${record}`.replace(basename(dir), 'DIR'))
    }
    const all = await records('mtg', 'lorcana', 'yugioh', 'pokemon', 'fab', 'onepiece', 'swu')
    const order = 'mtg fab onepiece lorcana swu yugioh pokemon '
    assert.equal(`${all.join()},`, order.replaceAll(' ', ' DIR 1 products,'))
    assert.deepEqual(await records('pokemonjp'), ['pokemonjp DIR 1 products'])
  })

  it('An added game with the guide of Pokémon gets the prices of its Reverse Holofoils', async () => {
    const korean = { id: 'pokemonko', name: 'Pokémon Korea', tcgplayer: { category: 901 }, cardmarket: 6 }
    const products = [
      {
        id: 5001,
        name: 'Pichu',
        number: '1',
        prices: ['Normal', 'Reverse Holofoil'].map((subType) => ({ subType, market: 1 })),
      },
    ]
    const group = { category: 901, id: 50, name: 'Set', abbreviation: 'K1', published: '2024-01-01T00:00:00', products }
    const out = temporaryFolder()
    writeFileSync(join(out, 'games.ndjson'), JSON.stringify(korean))
    await importInto(out, 'tcgcsv', [writeMirror([group])])
    const cards = ['pokemonko-k1-1', 'pokemonko-k1-1-reverse-holofoil']
    await importInto(out, 'overlay', [overlay(...cards.map((id) => `${id},cardmarketId,7`))], day)
    const guide = guideOf([{ ...product(7, { trend: 2 }), 'trend-holo': 5 }])
    const dir = folderOf({ 'price_guide_6.json': guide })
    await importInto(out, 'cardmarket', [dir], { games: new Set(['pokemonko']) })
    assert.deepEqual(
      cards.map((id) => cardsById(out).get(id).markets[0].price),
      [2, 5],
    )
  })

  it('Wrong guides of Cardmarket end the import, which names what is wrong', async () => {
    const right = guideOf([product(1, { trend: 1 })])
    const noFolder = /: must be a folder with price_guide_1\.json or the like\n/
    const first = (content: string) => folderOf({ 'price_guide_1.json': content })
    const two = (name: string, content: string | Buffer) => folderOf({ 'price_guide_1.json': right, [name]: content })
    const before = contentOf(tcgcsv)
    const noTrend = Array.from({ length: 20 }, (_, i) => ({ idProduct: i + 1, low: 1 }))
    for (const [path, expected] of [
      [file(right, 'price_guide_1.json'), noFolder],
      [folderOf({}), noFolder],
      [folderOf({ 'price_guide_2.json': right }), /price_guide_2\.json: is the guide of a game that is not imported\n/],
      [two('price_guide_x.json', right), /price_guide_x\.json: is the guide of a game that/],
      [two('price_guide_1.json.gz', gzipSync(right)), /is there twice, also as price_guide_1\.json\n/],
      [first(right.replace('"version":1', '"version":2')), /: version: must be 1 \(2\)\n/],
      [first(right.slice(0, -9)), /price_guide_1\.json: .*the file is cut short/],
      [first('{"version":1}'), /priceGuides: is missing or empty\n/],
      [first(guideOf(noTrend)), /: priceGuides: no product of the file has trend\n1 error/],
      [first(guideOf([product(1, { trend: -1 })])), /priceGuides\[0\]\.trend: must be 0 or more \(-1\)/],
      [first(guideOf([product(1, { trend: '1' })])), /priceGuides\[0\]\.trend: must be a number or null/],
      [first(guideOf([product(1, {}), product(1, {})])), /priceGuides\[1\]\.idProduct: is there twice/],
    ] as const) {
      assert.match(await errorsOf(importInto(tcgcsv, 'cardmarket', [path])), expected)
      assert.deepEqual(contentOf(tcgcsv), before)
    }
  })

  it('Cardmarket’s guides with prices many times the last ones end the import without --accept', async () => {
    const out = copyOf(tcgcsv)
    const dirOf = (times: number) => {
      const products = Array.from({ length: 9 }, (_, i) => product(1 + i, { trend: times * (1 + i) }))
      return folderOf({ 'price_guide_1.json': guideOf(products) })
    }
    await importInto(out, 'cardmarket', [dirOf(1)])
    assert.match(
      await errorsOf(importInto(out, 'cardmarket', [dirOf(100)])),
      /: mtg: .* 100 times .*: --accept mtg imports/,
    )
    await importInto(out, 'cardmarket', [dirOf(100)], { accept: new Set(['mtg']) })
  })
})
