/** Other markets, euros, conditions and sealed products: what the sources give of them, and what is served. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { conditions } from '../../src/api/schemas.ts'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  copyOf,
  errorsOf,
  historyOf,
  importInto,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { allPrintings, brothersWar, meta, scryfallCard, uuid } from './magic.ts'

const files = temporaryFolder()
let named = 0
function file(content: string | Buffer, name = `${++named}.csv`): string {
  const path = join(files, name)
  writeFileSync(path, content)
  return path
}
const bulkOf = (...cards: object[]) =>
  file(cards.map((card) => `${JSON.stringify(card)}\n`).join(''), `${++named}.jsonl`)
const market = (name: string, currency: string, price: number | null, more: object = {}) => ({
  ...{ market: name, currency, price, low: null, buylist: null, updatedAt: '2026-11-20' },
  ...more,
})
const day = { date: '2026-11-20' }
const tcgcsv = temporaryFolder()
await importInto(tcgcsv, 'tcgcsv', [writeMirror()])

const command = scryfallCard(1, "Urza's Command", '70', {
  ...{ tcgplayer_id: 452001, cardmarket_id: 680001, finishes: ['nonfoil', 'foil', 'etched'] },
  prices: { usd: '1.00', usd_foil: null, eur: '0.80', eur_foil: '1.20', eur_etched: '9.99', tix: '1' },
})
const pricesOf = (paper: object, number = 1) =>
  file(JSON.stringify({ meta, data: { [uuid(number)]: { paper } } }), `${++named}.json`)
const shop = (currency: string, retail: object, buylist?: object) => ({ currency, retail, ...(buylist && { buylist }) })

describe('sources', () => {
  it('Scryfall has prices at Cardmarket by finish, and its id', async () => {
    const out = temporaryFolder()
    const { report } = await importInto(out, 'scryfall', [bulkOf(command)], day)
    const cards = [...cardsById(out).values()].map(({ id, cardmarketId, markets }) => [id, cardmarketId, markets])
    assert.deepEqual(cards, [
      ['mtg-bro-70', 680001, [market('cardmarket', 'EUR', 0.8)]],
      ['mtg-bro-70-etched', 680001, [market('cardmarket', 'EUR', 9.99)]],
      ['mtg-bro-70-foil', 680001, [market('cardmarket', 'EUR', 1.2)]],
    ])
    assert.deepEqual(Object.fromEntries(report.game('mtg').leftOut), { 'not in US dollars or euros': 1 })
  })

  it('MTGJSON has those of four shops by finish, of the newest day, what Card Kingdom pays, and sets’ sizes', async () => {
    const out = temporaryFolder()
    const {
      cards: [first, ...others],
      ...set
    } = brothersWar
    const identifiers = { ...first!.identifiers, mcmId: '680001' }
    const sets = { BRO: { ...set, baseSetSize: 287, cards: [{ ...first, identifiers }, ...others] } }
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
    assert.deepEqual(
      normal.markets,
      [
        market('cardkingdom', 'USD', 2.99, { buylist: 1.1 }),
        market('cardmarket', 'EUR', 1.54, { updatedAt: '2026-11-19' }),
        market('cardsphere', 'USD', null, { buylist: 0.5 }),
      ].sort(
        (a, b) =>
          normal.markets.findIndex((one: typeof a) => one.market === a.market) -
          normal.markets.findIndex((one: typeof a) => one.market === b.market),
      ),
    )
    assert.deepEqual([normal.prices.market, normal.cardmarketId, foil.cardmarketId], [2.5, 680001, 680001])
    assert.deepEqual(foil.markets, [market('cardmarket', 'EUR', 3), market('cardsphere', 'USD', 2)])
    assert.equal('markets' in cards.get('mtg-bro-233'), false)
    assert.equal(recordsIn(out, 'sets').find(({ code }) => code === 'bro').printedTotal, 287)
    assert.deepEqual(historyOf(out, '2026-11-20-mtgjson.csv.gz'), ['2026-11-20,mtg-bro-70,2.5,,'])
    const { leftOut } = report.game('mtg')
    assert.deepEqual([leftOut.get('another shop'), leftOut.get('in another currency')], [1, 1])
    await importInto(out, 'mtgjson', [printings])
    assert.deepEqual(cardsById(out), cards, 'prices stay where only printings come')
  })

  it('TCGCSV has a set’s total: the commonest, if half of those with a total have it', async () => {
    for (const [numbers, total] of [
      [['1/102', '2/102', '103/102', 'SV1'], 102],
      [['001/064', '2/64', '1/9'], 64],
      [['1/10', '2/10', '1/20', '2/30'], 10],
      [['1/10', '2/10', '1/20', '2/30', '3/40'], undefined],
      [['1/10', '2/20'], undefined],
      [['TG1/TG30', 'A-1', 'N/A', '1/0', '1/12345'], undefined],
    ] as const) {
      const products = numbers.map((number, i) => ({ id: 1 + i, name: `Card ${i}`, number, rarity: 'R' }))
      const group: MirrorGroup = { category: 3, id: 9, name: 'Set', abbreviation: 'S', published: '', products }
      const out = temporaryFolder()
      await importInto(out, 'tcgcsv', [writeMirror([group])])
      assert.equal(recordsIn(out, 'sets')[0].printedTotal, total, numbers.join())
    }
  })

  it('two of them give a card each market once, that of the preferred one; an overlay replaces and adds', async () => {
    const out = copyOf(tcgcsv)
    const paper = {
      cardmarket: shop('EUR', { normal: { '2026-11-20': 5 } }),
      manapool: shop('USD', { normal: { '2026-11-20': 6 } }),
    }
    const dollars = { tcgplayer: shop('USD', { normal: { '2026-11-20': 0.2 } }) }
    await importInto(out, 'mtgjson', [file(allPrintings(), 'AllPrintings.json'), pricesOf({ ...paper, ...dollars })])
    await importInto(out, 'scryfall', [bulkOf(command)], day)
    const marketsOf = () => cardsById(out).get('mtg-bro-070').markets
    assert.deepEqual(marketsOf(), [market('cardmarket', 'EUR', 0.8), market('manapool', 'USD', 6)])
    const rows = ['cardmarketId,77', 'market:manapool:USD,5.5', 'market:our-shop:GBP,4'].map(
      (row) => `mtg-bro-070,${row}`,
    )
    const more = Array.from({ length: 6 }, (_, i) => `mtg-bro-070,market:m${i}:USD,1`)
    const { report } = await importInto(out, 'overlay', [file(['id,key,price', ...rows, ...more].join('\n'))], day)
    assert.deepEqual(marketsOf().slice(0, 3), [
      market('cardmarket', 'EUR', 0.8),
      market('manapool', 'USD', 5.5),
      market('our-shop', 'GBP', 4),
    ])
    assert.deepEqual([marketsOf().length, cardsById(out).get('mtg-bro-070').cardmarketId], [8, 77])
    assert.equal(report.game('mtg').leftOut.get('more than 8 markets'), 1)
    const wrong = ['cardmarketId,0', 'cardmarketId,1.5', 'market:Shop:USD,1', 'market:shop:usd,1', 'market:shop,1']
    for (const row of wrong) {
      const failed = errorsOf(importInto(out, 'overlay', [file(`id,key,price\nmtg-bro-070,${row}\n`)]))
      assert.match(await failed, /must be (a whole number above 0|market, low, mid, high, .*)/, row)
    }
  })
})

describe('Cardmarket’s guides', () => {
  const overlay = (...rows: string[]) => file(['id,key,price', ...rows].join('\n'), `ids${++named}.csv`)
  const product = (idProduct: number, prices: object) => ({
    ...{ idProduct, idCategory: 1, avg: 0, low: 0, trend: 0, avg1: 0, avg7: 0, avg30: 0 },
    ...{ 'avg-foil': 0, 'low-foil': null, 'trend-foil': 0, 'avg30-foil': 0 },
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
    ['trend and low', { trend: 1.5, low: 0.4, avg: 9, avg30: 8 }, [[1.5, 0.4], null, [1.5, 0.4]]],
    ['avg30 where trend is 0', { trend: 0, avg30: 1.25, avg: 9 }, [[1.25, null], null, [1.25, null]]],
    ['avg where both are unknown', { trend: null, avg30: 0, avg: 1.1 }, [[1.1, null], null, [1.1, null]]],
    ['low alone', { low: 0.02 }, [[null, 0.02], null, [null, 0.02]]],
    [
      'prices of foil cards',
      { trend: 1, 'trend-foil': 3, 'low-foil': 2 },
      [
        [1, null],
        [3, 2],
        [3, 2],
      ],
    ],
    ['foil prices alone', { 'avg30-foil': 3, 'trend-foil': 0 }, [null, [3, null], [3, null]]],
    ['no price', {}, [null, null, null]],
  ] as const) {
    it(`of a product with ${what}`, async () => {
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
        return [own.price, own.low]
      })
      assert.deepEqual(found, expected)
      assert.equal(report.game('mtg').leftOut.get('product of no card with that cardmarketId'), 1)
      // A guide that is missing another time keeps its prices.
      await importInto(out, 'cardmarket', [folderOf({ 'price_guide_1.json': guideOf([product(3, { trend: 1 })]) })], {
        force: true,
      })
      assert.deepEqual(cardsById(out).get(alone), cards.get(alone))
      assert.equal('markets' in cardsById(out).get(normal), false)
    })
  }

  it('that can’t be right end the import, and name what is wrong', async () => {
    const right = guideOf([product(1, { trend: 1 })])
    for (const [guides, expected] of [
      [{}, /: must be a folder with price_guide_1\.json or the like\n/],
      [{ 'price_guide_2.json': right }, /price_guide_2\.json: is the guide of a game that is not imported\n/],
      [
        { 'price_guide_1.json': right, 'price_guide_x.json': right },
        /price_guide_x\.json: is the guide of a game that/,
      ],
      [
        { 'price_guide_1.json': right, 'price_guide_1.json.gz': gzipSync(right) },
        /is there twice, also as price_guide_1\.json\n/,
      ],
      [{ 'price_guide_1.json': right.replace('"version":1', '"version":2') }, /: version: must be 1 \(2\)\n/],
      [{ 'price_guide_1.json': right.slice(0, -9) }, /price_guide_1\.json: .*the file is cut short/],
      [{ 'price_guide_1.json': '{"version":1}' }, /priceGuides: is missing or empty\n/],
      [
        { 'price_guide_1.json': guideOf([product(1, { trend: -1 })]) },
        /priceGuides\[0\]\.trend: must be 0 or more \(-1\)/,
      ],
      [
        { 'price_guide_1.json': guideOf([product(1, { trend: '1' })]) },
        /priceGuides\[0\]\.trend: must be a number or null/,
      ],
      [
        { 'price_guide_1.json': guideOf([product(1, {}), product(1, {})]) },
        /priceGuides\[1\]\.idProduct: is there twice/,
      ],
    ] as const) {
      const before = contentOf(tcgcsv)
      assert.match(await errorsOf(importInto(tcgcsv, 'cardmarket', [folderOf(guides)])), expected)
      assert.deepEqual(contentOf(tcgcsv), before)
    }
  })

  it('whose prices are many times the last ones end the import without --force', async () => {
    const out = copyOf(tcgcsv)
    const dirOf = (times: number) =>
      folderOf({
        'price_guide_1.json': guideOf(Array.from({ length: 9 }, (_, i) => product(1 + i, { trend: times * (1 + i) }))),
      })
    await importInto(out, 'cardmarket', [dirOf(1)])
    assert.match(await errorsOf(importInto(out, 'cardmarket', [dirOf(100)])), /: mtg: .* 100 times .*--force/)
    await importInto(out, 'cardmarket', [dirOf(100)], { force: true })
  })
})

const pricingColumns = [
  ...['TCGplayer Id', 'Product Line', 'Set Name', 'Product Name', 'Title', 'Number', 'Rarity', 'Condition'],
  ...['TCG Market Price', 'TCG Direct Low', 'TCG Low Price With Shipping', 'TCG Low Price', 'Total Quantity'],
  ...['Add to Quantity', 'TCG Marketplace Price', 'Photo URL'],
]
type PricingRow = Readonly<Record<string, string>>
let sku = 1000
const pricingRow = (
  line: string,
  set: string,
  name: string,
  number: string,
  condition: string,
  price: string,
): PricingRow => ({
  ...{ 'TCGplayer Id': `${++sku}`, 'Product Line': line, 'Set Name': set, 'Product Name': name, Number: number },
  ...{ Condition: condition, 'TCG Market Price': price, 'TCG Low Price': '0.01', Title: '', Rarity: 'R' },
})
function pricingFile(rows: readonly PricingRow[], random: Random = () => 0): string {
  const columns = drawBelow(random, 2) === 0 ? pricingColumns : [...pricingColumns, 'My Store'].reverse()
  const ending = drawFrom(random, ['\r\n', '\n'])
  const quoted = (text: string) =>
    drawBelow(random, 2) === 0 || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  const text = lines.map((cells) => cells.map(quoted).join(',') + ending).join('')
  return file(`${drawFrom(random, ['\ufeff', ''])}${text}`)
}

describe('a seller’s pricing file', () => {
  const lugia = ['Pokemon', 'SWSH12: Silver Tempest', 'Lugia VSTAR', '139/195'] as const
  const pidgey = ['Pokemon', 'SWSH12: Silver Tempest', 'Pidgey', '143/195'] as const
  const charizard = ['Pokemon', 'Base Set', 'Charizard', '004/102'] as const
  const urza = ['Magic', "The Brothers' War", "Urza's Command", '070'] as const
  const conditionsOf = (out: string) =>
    Object.fromEntries(
      [...cardsById(out)].flatMap(([id, { prices }]) => (prices.conditions ? [[id, prices.conditions]] : [])),
    )

  it('gives prices by condition to the card that a row names in all; the rest is left out by reason', async () => {
    const out = copyOf(tcgcsv)
    const path = pricingFile([
      pricingRow(...lugia, 'Near Mint Holofoil', '4.53'),
      pricingRow(...lugia, 'Damaged', '1,234.5'),
      pricingRow(...pidgey, 'Lightly Played', '$0.05'),
      pricingRow(...pidgey, 'Heavily Played Reverse Holofoil', '0.25'),
      pricingRow(...charizard, 'Moderately Played 1st Edition Holofoil', '7000'),
      pricingRow(...charizard, 'Near Mint 1st Edition Holofoil - English', '9000.005'),
      pricingRow('Magic: The Gathering', urza[1], urza[2], urza[3], 'Near Mint Foil', '1.50'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Serena - SV001/SV122', 'SV001/SV122', 'Near Mint Holofoil', '2'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Skarmory EX (145 Full Art)', '145/195', 'Near Mint', '3'),
      pricingRow('Pokemon Japan', 'SVP Promos', 'x', '1', 'Near Mint - Japanese', '3'),
      pricingRow(...urza, 'Near Mint', ''),
      pricingRow(...urza, 'Damaged', '0.00'),
      // Left out:
      pricingRow(...urza, 'Near Mint - Japanese', '3'),
      pricingRow(...urza, 'Near Mint Foil - German', '3'),
      pricingRow(...urza, 'Near Mint Etched', '3'),
      pricingRow(...charizard, 'Near Mint', '3'),
      pricingRow(...urza, 'Brand New', '3'),
      pricingRow('Magic', "The Brothers' War", 'Draft Booster, "sealed"', '', 'Unopened', '4'),
      pricingRow('Magic', 'Brothers', "Urza's Command", '070', 'Near Mint', '3'),
      pricingRow('Magic', "The Brothers' War", "Urza's Command", '71', 'Near Mint', '3'),
      pricingRow('Magic', "The Brothers' War", 'Urza', '070', 'Near Mint', '3'),
      pricingRow('Funko', 'Pop', 'Urza', '070', 'Near Mint', '3'),
      pricingRow(...lugia, 'Lightly Played Holofoil', '4'),
      pricingRow(...lugia, 'Lightly Played Holofoil', '5'),
    ])
    const { code, stdout, stderr } = await runImportHere(
      'tcgplayer-pricing',
      path,
      '--out',
      out,
      '--date',
      '2026-11-20',
    )
    assert.equal(code, 0, stderr)
    assert.deepEqual(conditionsOf(out), {
      'mtg-bro-070-foil': { near_mint: 1.5 },
      'pokemon-bs-004-1st-edition-holofoil': { near_mint: 9000.01, moderately_played: 7000 },
      'pokemon-swsh12-139-holofoil': { near_mint: 4.53, damaged: 1234.5 },
      'pokemon-swsh12-143': { lightly_played: 0.05 },
      'pokemon-swsh12-143-reverse-holofoil': { heavily_played: 0.25 },
      'pokemon-swsh12-145': { near_mint: 3 },
      'pokemon-swsh12-sv001-holofoil': { near_mint: 2 },
    })
    const { prices, sources } = cardsById(out).get('pokemon-swsh12-139-holofoil')
    assert.deepEqual([prices.market, sources], [4.53, ['tcgplayer', 'tcgplayer-pricing']])
    assert.match(stdout, /^mtg +12 +1\npokemon +12 +6\n|^pokemon +\d+ +6$/m)
    for (const line of [
      /^another game +\(no game\) +1$/m,
      /^another language +mtg +2$/m,
      /^no such printing of the card +mtg +1$/m,
      /^no such printing of the card +pokemon +1$/m,
      /^another condition +mtg +1$/m,
      /^sealed product +mtg +1$/m,
      /^no card of that game, set, number and name +mtg +3$/m,
      /^two products of one card and condition +pokemon +1$/m,
    ])
      assert.match(stdout, line)
    // Another file replaces what it has, and a blank takes away.
    await importInto(out, 'tcgplayer-pricing', [
      pricingFile([pricingRow(...lugia, 'Near Mint Holofoil', ''), pricingRow(...pidgey, 'Near Mint', '0.06')]),
      pricingFile([pricingRow(...pidgey, 'Damaged', '0.01')]),
    ])
    const after = conditionsOf(out)
    assert.deepEqual(after['pokemon-swsh12-139-holofoil'], { damaged: 1234.5 })
    assert.deepEqual(after['pokemon-swsh12-143'], { near_mint: 0.06, lightly_played: 0.05, damaged: 0.01 })
    assert.equal((await runImportHere('overlay', '--remove', 'tcgplayer-pricing', '--out', out)).code, 0)
    assert.deepEqual(cardsById(out), cardsById(tcgcsv))
  })

  it('without a column that is needed, or with wrong prices, ends the import', async () => {
    const rows = [pricingRow(...lugia, 'Near Mint Holofoil', '1')]
    const whole = readFileSync(pricingFile(rows), 'utf8')
    const wrong = file(whole.replace('TCG Market Price', 'Market'))
    assert.match(
      await errorsOf(importInto(tcgcsv, 'tcgplayer-pricing', [wrong])),
      /must have the column TCG Market Price\n/,
    )
    assert.match(await errorsOf(importInto(temporaryFolder(), 'tcgplayer-pricing', [wrong])), /: has no cards yet, /)
    const free = pricingFile([{ ...rows[0]!, 'TCG Market Price': 'free' }])
    assert.match(
      await errorsOf(importInto(tcgcsv, 'tcgplayer-pricing', [free])),
      /line 2\.TCG Market Price: must be a number \("free"\)/,
    )
  })

  it('generated as it may come, is read as a plain reading of the rules does', async () => {
    const random = randomFrom(54)
    let priced = 0
    for (let round = 0; round < amount(6, 60); round++) {
      const { mirror, rows } = generated(random)
      const out = temporaryFolder()
      await importInto(out, 'tcgcsv', [writeMirror(mirror)])
      const before = cardsById(out)
      const half = drawBelow(random, rows.length)
      const paths = [rows.slice(0, half), rows.slice(half)].map((part) => pricingFile(part, random))
      const { report } = await importInto(out, 'tcgplayer-pricing', paths)
      const expected = plainReading([...before.values()], recordsIn(out, 'sets'), rows)
      assert.deepEqual(conditionsOf(out), expected.prices, `round ${round}`)
      priced += Object.keys(expected.prices).length
      const leftOut = [...report.summary().games.values()].flatMap((counts) => [...counts.leftOut.values()])
      assert.equal(
        leftOut.reduce((sum, count) => sum + count, 0),
        expected.leftOut,
        `round ${round}`,
      )
    }
    assert.ok(priced > 60, `${priced} cards`)
  })
})

const someNames = [
  'Charizard',
  'Pidgey',
  'Pidgey (Full Art)',
  'Pidgey ☆',
  'Serena - 4/102',
  'Æther "Vial", the',
  'Zu\u00dfe',
]
const someNumbers = ['4/102', '004/102', '5', 'N/A', 'SV001/SV122']
const somePrintings = ['Normal', 'Holofoil', 'Reverse Holofoil', '1st Edition Holofoil', 'Foil']
const conditionNames = ['Near Mint', 'Lightly Played', 'Moderately Played', 'Heavily Played', 'Damaged']

/** A mirror of few names and numbers, so that many of its cards differ in one thing only, and rows that name them, or nearly. */
function generated(random: Random): { mirror: MirrorGroup[]; rows: PricingRow[] } {
  let id = 1
  const mirror = [1, 2].map(
    (group): MirrorGroup => ({
      ...{ category: 3, id: group, name: `Set ${group}: One`, abbreviation: `S${group}`, published: '2020-01-01' },
      products: Array.from({ length: 12 }, () => ({
        ...{ id: id++, name: drawFrom(random, someNames), number: drawFrom(random, someNumbers), rarity: 'Rare' },
        prices: somePrintings.filter(() => drawBelow(random, 3) === 0).map((subType) => ({ subType, market: 1 })),
      })),
    }),
  )
  const mostly = <T>(right: T, others: readonly T[]) => (drawBelow(random, 8) > 0 ? right : drawFrom(random, others))
  const rows = Array.from({ length: 80 }, () => {
    const group = drawFrom(random, mirror)
    const { name, number, prices } = drawFrom(random, group.products)
    const own = drawFrom(random, [...prices!.map(({ subType }) => subType), 'Normal'])
    const written = own === 'Normal' && drawBelow(random, 2) === 0 ? '' : ` ${own}`
    const printing = mostly(written, ['', ' Cosmos', ...somePrintings.map((one) => ` ${one}`)])
    const condition = mostly(drawFrom(random, conditionNames), ['Unopened', 'Worn'])
    const text = `${condition}${printing}${mostly('', [' - English', ' - Japanese'])}`
    const price = drawFrom(random, ['', '0', '0.00', '1.25', '12', '1,234.50', '$3.1'])
    return pricingRow(
      mostly('Pokemon', ['Pokémon', 'Digimon']),
      mostly(group.name, ['Set 2: One', 'set 1 one', 'Set 3']),
      mostly(name, someNames),
      mostly(number!, someNumbers),
      text,
      price,
    )
  })
  return { mirror, rows }
}

/** Row by row, each card looked at, by the rules as they are written. */
function plainReading(
  // biome-ignore lint/suspicious/noExplicitAny: records of files
  cards: readonly any[],
  // biome-ignore lint/suspicious/noExplicitAny: records of files
  sets: readonly any[],
  rows: readonly PricingRow[],
): { prices: Record<string, Record<string, number>>; leftOut: number } {
  const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = (text: string) =>
    (
      plain(text)
        .replaceAll('æ', 'ae')
        .replaceAll('ß', 'ss')
        .match(/[\p{L}\p{N}☆]+|☆/gu) ?? []
    ).join(' ')
  const bareNumber = (text: string) => (text === 'N/A' ? '' : plain(text.split('/')[0]!).replace(/^0+(?=\d)/, ''))
  const own = (name: string) => name.replace(' - 4/102', '')
  const said = new Map<string, { skus: Set<string>; cents: number | undefined }>()
  let leftOut = 0
  for (const row of rows) {
    const match = /^(.*?)( Normal| Holofoil| Reverse Holofoil| 1st Edition Holofoil| Foil| Cosmos)?(?: - (\w+))?$/.exec(
      row['Condition']!,
    )!
    const condition = conditionNames.indexOf(match[1]!)
    const isOf = (card: { name: string; number: string | null; setCode: string; printing: string | null }) => {
      const name = card.name.replace(` [${card.printing}]`, '')
      const asked =
        row['Number'] === '4/102' || row['Number'] === '004/102' ? own(row['Product Name']!) : row['Product Name']!
      const set = sets.find(({ code }) => code === card.setCode)!
      return (
        words(set.name) === words(row['Set Name']!) &&
        bareNumber(card.number ?? '') === bareNumber(row['Number']!) &&
        words(name) === words(asked)
      )
    }
    const isGame = words(row['Product Line']!) === 'pokemon'
    const isLanguage = match[3] === undefined || match[3] === 'English'
    const product = isGame && isLanguage && condition !== -1 ? cards.filter(isOf) : []
    const asked = match[2]?.trim() ?? 'Normal'
    let fits = product.filter(({ printing }) => printing === asked)
    if (fits.length === 0 && match[2] === undefined && product.length === 1) fits = product
    if (fits.length !== 1) {
      leftOut++
      continue
    }
    const key = `${fits[0].id} ${conditions[condition]}`
    const price = Number(row['TCG Market Price']!.replace(/[$,]/g, ''))
    const known = said.get(key) ?? { skus: new Set(), cents: undefined }
    if (known.skus.size > 0) leftOut++
    known.skus.add(row['TCGplayer Id']!)
    known.cents = price
    said.set(key, known)
  }
  const prices: Record<string, Record<string, number>> = {}
  for (const condition of conditions) {
    for (const [key, { skus, cents }] of said) {
      const [id, own] = key.split(' ') as [string, string]
      if (own === condition && skus.size === 1 && cents! > 0) prices[id] = { ...prices[id], [condition]: cents! }
    }
  }
  return { prices, leftOut }
}

describe('a folder in euros', () => {
  const euros = { ...day, currency: 'EUR' } as const
  const bulk = bulkOf(
    command,
    scryfallCard(2, 'Cityscape Leveler', '233', { tcgplayer_id: 452002, prices: { usd: '3', eur: null } }),
  )

  it('has them wherever a price stands: search, movers, history, health, bulk', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeMirror()], { currency: 'EUR' })
    await importInto(out, 'scryfall', [bulk], day)
    const later = bulkOf({ ...command, prices: { ...command.prices, eur: '2.40', eur_foil: null } })
    await importInto(out, 'scryfall', [later], { date: '2026-11-21' })
    const urza = cardsById(out).get('mtg-bro-070')
    assert.deepEqual(urza.prices, { market: 2.4, low: null, mid: null, high: null })
    assert.deepEqual(
      [urza.sources, urza.updatedAt, urza.markets.map((one: { market: string }) => one.market).sort()],
      [['cardmarket', 'tcgplayer', 'scryfall'], '2026-11-21T00:00:00Z', ['cardmarket', 'tcgplayer']],
    )
    assert.deepEqual(cardsById(out).get('pokemon-swsh12-139-holofoil').prices.market, null)
    const history = readdirSync(join(out, 'history')).sort()
    assert.deepEqual(history, ['2026-11-20-prices-in-euros.csv.gz', '2026-11-21-prices-in-euros.csv.gz'])
    assert.ok(historyOf(out, history[0]!).includes('2026-11-20,mtg-bro-070-foil,1.2,,'))
    assert.ok(historyOf(out, history[1]!).includes('2026-11-21,mtg-bro-070,2.4,,'))
    const here = await serveHere(out)
    try {
      const ask = (path: string) => send(here.address('B'), path, { headers: { 'x-api-key': here.keys.business } })
      const ids = async (path: string) => (await ask(path)).json.data.map(({ id }: { id: string }) => id)
      assert.equal((await ask('/healthz')).json.currency, 'EUR')
      assert.deepEqual(await ids('/v1/search?q=urza&min_price=2.4&max_price=9'), ['mtg-bro-070'])
      assert.deepEqual(await ids('/v1/search?q=urza&min_price=2.41&max_price=9'), [])
      const movers = (await ask('/v1/movers?period=1d&min_price=0')).json.data
      assert.deepEqual([movers[0].id, movers[0].change.from, movers[0].change.to], ['mtg-bro-070', 0.8, 2.4])
      const { history } = (await ask('/v1/cards/mtg-bro-070/prices?days=7')).json.data
      assert.deepEqual(
        history.map((row: { market: number }) => row.market),
        [0.8, 2.4],
      )
      const { currency, markets } = (await ask('/v1/cards/mtg-bro-070?view=extended')).json.data
      assert.deepEqual([currency, markets.at(-1).market, markets.at(-1).price], ['EUR', 'tcgplayer', 0.2])
      const lines = gunzipSync((await ask('/v1/bulk/mtg')).bytes).toString()
      assert.ok(lines.includes('"currency":"EUR"') && !/"prices":[^}]*}[^}]*"currency":"USD","tcgplayerId"/.test(lines))
      // Pages and the description have it from there.
      assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'EUR')
    } finally {
      await here.close()
    }
  })

  it('keeps to them, and leaves them by --force alone, which begins the history anew', async () => {
    const out = copyOf(tcgcsv)
    await importInto(out, 'scryfall', [bulk], day)
    const before = contentOf(out)
    const refused = /: has prices in USD, and --currency says EUR: --force imports in EUR and begins its history anew$/
    assert.match(await errorsOf(importInto(out, 'scryfall', [bulk], euros)), refused)
    assert.deepEqual(contentOf(out), before)
    await importInto(out, 'scryfall', [bulk], { ...euros, force: true })
    assert.deepEqual(readdirSync(join(out, 'history')), ['2026-11-20-prices-in-euros.csv.gz'])
    assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'EUR')
    assert.equal(JSON.parse(contentOf(out)['import/choices.json']!).currency, 'EUR')
    await importInto(out, 'tcgcsv', [writeMirror()])
    assert.equal(cardsById(out).get('mtg-bro-070').prices.market, 0.8)
    assert.deepEqual(readdirSync(join(out, 'history')), ['2026-11-20-prices-in-euros.csv.gz'])
    const guide = file('console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n', 'guide.csv')
    assert.match(
      await errorsOf(importInto(out, 'pricecharting', [guide])),
      /pricecharting: has prices in US dollars, and the folder's are in EUR/,
    )
    const dated = temporaryFolder()
    mkdirSync(join(dated, '2026-11-19/3/604'), { recursive: true })
    writeFileSync(join(dated, '2026-11-19/3/604/prices'), '{"success":true,"errors":[],"results":[]}')
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv-archive', [dated])),
      /is in EUR: the history of these files is in US dollars/,
    )
    await importInto(out, 'overlay', [file('id,key,price\nmtg-bro-070,near_mint,1\n', 'mine.csv')], day)
    const dollars = { ...day, currency: 'USD', force: true } as const
    assert.match(
      await errorsOf(importInto(out, 'scryfall', [bulk], dollars)),
      /mine: may have prices in the earlier currency/,
    )
    assert.equal((await runImportHere('overlay', '--remove', 'mine', '--out', out)).code, 0)
    await importInto(out, 'scryfall', [bulk], dollars)
    assert.deepEqual(cardsById(out).get('mtg-bro-070').prices, cardsById(tcgcsv).get('mtg-bro-070').prices)
    assert.equal(JSON.parse(contentOf(out)['about.json']!).currency, 'USD')
  })

  it('has MTGJSON’s 90 days at Cardmarket as its history', async () => {
    const out = temporaryFolder()
    const paper = {
      tcgplayer: shop('USD', { normal: { '2026-11-20': 2.5 } }),
      cardmarket: shop('EUR', { normal: { '2026-11-18': 1, '2026-11-20': 1.54 } }),
      aaa: shop('EUR', { normal: { '2026-11-20': 9 } }),
    }
    const printings = file(allPrintings(), 'AllPrintings.json')
    await importInto(out, 'mtgjson', [printings, pricesOf(paper)], { currency: 'EUR' })
    assert.deepEqual(historyOf(out, '2026-11-18-mtgjson.csv.gz'), ['2026-11-18,mtg-bro-70,1,,'])
    assert.deepEqual(historyOf(out, '2026-11-20-prices-in-euros.csv.gz'), ['2026-11-20,mtg-bro-70,1.54,,'])
    const { prices, markets } = cardsById(out).get('mtg-bro-70')
    assert.deepEqual([prices.market, markets.length], [1.54, 2])
    assert.deepEqual(markets.at(-1), market('tcgplayer', 'USD', 2.5))
  })
})

describe('sealed products', () => {
  const box = 'pokemon-swsh12-451402'

  it('become cards where --sealed says so, and stay so, with their ids, until --no-sealed', async () => {
    const out = copyOf(tcgcsv)
    assert.ok(!cardsById(out).has(box))
    const mirror = writeMirror()
    const run = (...args: string[]) => runImportHere('tcgcsv', mirror, '--out', out, ...args)
    const { code, stdout, stderr } = await run('--sealed')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^game .* sealed .*$/m)
    const { name, rarity, number, printing, tcgplayerId, prices, setCode } = cardsById(out).get(box)
    assert.deepEqual(
      [name, rarity, number, printing, tcgplayerId, prices.market, setCode],
      ['Silver Tempest Elite Trainer Box', 'Sealed', null, null, 451402, 60, 'swsh12'],
    )
    assert.equal(cardsById(out).size, cardsById(tcgcsv).size + 4, 'no code card among them')
    assert.equal((await run()).code, 0)
    assert.ok(cardsById(out).has(box))
    const renamed = withGroups({
      3170: (group) => ({
        ...group,
        products: group.products.map((product) =>
          product.id === 451402 ? { ...product, name: 'ETB', prices: [{ subType: 'Normal', market: 66 }] } : product,
        ),
      }),
    })
    await importInto(out, 'tcgcsv', [writeMirror(renamed)], { date: '2026-11-21' })
    assert.deepEqual([cardsById(out).get(box).name, cardsById(out).get(box).prices.market], ['ETB', 66])
    assert.ok(historyOf(out, '2026-11-20-tcgcsv.csv.gz').includes(`2026-11-20,${box},60,,`))
    const here = await serveHere(out)
    try {
      const ask = async (path: string) =>
        (await send(here.address('B'), path, { headers: { 'x-api-key': here.keys.business } })).json.data
      const boxes = await ask('/v1/search?q=etb&rarity=sealed')
      assert.deepEqual(
        boxes.map(({ id }: { id: string }) => id),
        [box],
      )
      assert.deepEqual(
        (await ask(`/v1/cards/${box}/prices?days=7`)).history.map((row: { market: number }) => row.market),
        [60, 66],
      )
      assert.ok((await ask('/v1/movers?period=1d')).some(({ id }: { id: string }) => id === box))
    } finally {
      await here.close()
    }
    assert.equal((await run('--no-sealed', '--date', '2026-11-22')).code, 0)
    assert.ok(!cardsById(out).has(box))
    assert.ok(mirrorGroups.length > 0)
  })

  it('are asked for at TCGCSV alone', async () => {
    const { code, stderr } = await runImportHere('scryfall', 'x', '--sealed')
    assert.deepEqual([code, stderr.split('\n')[0]], [2, '--sealed: only for tcgcsv'])
  })
})
