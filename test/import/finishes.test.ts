/** Prices by finish, of each source that has them: each is that of its own printing, and none of a printing beside it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, file, historyOf, importInto, importNew } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrintings, magicCard, scryfallCard, shop, uuid } from './magic.ts'
import { bulkOf, pricesOf } from './market-files.ts'

const day = { date: '2026-11-20' }
const categories = { mtg: 1, yugioh: 2, pokemon: 3, fab: 62, lorcana: 71, pokemonjp: 85 } as const
const guideNumbers = { mtg: 1, yugioh: 3, pokemon: 6, fab: 16, lorcana: 19, pokemonjp: 6 } as const
type Game = keyof typeof categories

/** A folder with one product of these sub-types, whose market prices are 1, 2, … dollars. */
async function productOf(game: Game, printings: readonly string[], currency?: 'USD' | 'EUR') {
  const prices = printings.map((subType, i) => ({ subType, market: 1 + i }))
  const product = { id: 7, name: 'Card', number: '1', rarity: 'R', prices }
  const group: MirrorGroup = {
    category: categories[game],
    id: 9,
    name: 'Set',
    abbreviation: 'S',
    published: '2020-01-01T00:00:00',
    products: [product],
  }
  return importNew('tcgcsv', [writeMirror([group])], { ...day, ...(currency && { currency }) })
}

/** Gives all cards of the folder the id 1 at Cardmarket, and imports a guide with these prices of it. */
async function guided(out: string, game: Game, prices: object) {
  const ids = [...cardsById(out).keys()].map((id) => `${id},cardmarketId,1`)
  await importInto(out, 'overlay', [file('ids.csv', ['id,key,price', ...ids].join('\n'))], day)
  const dir = temporaryFolder()
  const guide = { version: 1, createdAt: '2026-11-20T02:45:00+0200', priceGuides: [{ idProduct: 1, ...prices }] }
  writeFileSync(join(dir, `price_guide_${guideNumbers[game]}.json`), JSON.stringify(guide))
  return importInto(out, 'cardmarket', [dir])
}

/** By printing, the card's price of a market, null if it has none. */
const pricesIn = (out: string, market: string, currency: string) =>
  Object.fromEntries(
    [...cardsById(out).values()].map(({ printing, markets = [] }) => [
      printing,
      // biome-ignore lint/suspicious/noExplicitAny: records of files
      markets.find((one: any) => one.market === market && one.currency === currency)?.price ?? null,
    ]),
  )

const holo = { trend: 0.55, 'trend-holo': 1.54 }
const foil = { trend: 0.55, 'trend-foil': 1.54 }
const noFoil = { trend: 0.55, 'trend-foil': 0, 'low-foil': null, 'avg30-foil': 0 }

describe('A price of Cardmarket’s guide', () => {
  for (const [game, printings, prices, expected] of [
    // Pokémon: `-holo` is that of the Reverse Holofoil, and the plain fields are those of all others.
    ['pokemon', ['Normal'], holo, [0.55]],
    ['pokemon', ['Holofoil'], holo, [0.55]],
    ['pokemon', ['Reverse Holofoil'], holo, [1.54]],
    ['pokemon', ['Reverse Holofoil'], { trend: 0.55, 'trend-holo': 0 }, [null]],
    ['pokemon', ['Reverse Holofoil'], { trend: 0.55 }, [null]],
    ['pokemon', ['Reverse Holofoil'], { trend: 0.55, 'trend-holo': null, 'avg30-holo': 1.2 }, [1.2]],
    ['pokemon', ['Normal', 'Reverse Holofoil'], holo, [0.55, 1.54]],
    ['pokemon', ['Holofoil', 'Reverse Holofoil'], holo, [0.55, 1.54]],
    ['pokemon', ['Holofoil', 'Reverse Holofoil'], { 'trend-holo': 1.54 }, [null, 1.54]],
    ['pokemon', ['Normal', 'Holofoil', 'Reverse Holofoil'], holo, [0.55, 0.55, 1.54]],
    ['pokemon', ['1st Edition Holofoil', 'Unlimited Holofoil'], holo, [0.55, 0.55]],
    ['pokemon', ['1st Edition', 'Unlimited'], holo, [0.55, 0.55]],
    ['pokemonjp', ['Holofoil', 'Reverse Holofoil'], holo, [0.55, 1.54]],
    // `-foil` is of no Pokémon card.
    ['pokemon', ['Holofoil', 'Reverse Holofoil'], foil, [0.55, null]],
    ['pokemon', ['Normal', 'Reverse Holofoil'], foil, [0.55, null]],
    ['pokemon', ['Holofoil'], { 'trend-foil': 1.54 }, [null]],
    // All other games: `-foil` is that of the foil, whatever it is called.
    ['mtg', ['Normal'], foil, [0.55]],
    ['mtg', ['Foil'], foil, [1.54]],
    ['mtg', ['Normal', 'Foil'], foil, [0.55, 1.54]],
    ['mtg', ['Normal', 'Foil'], noFoil, [0.55, null]],
    ['mtg', ['Normal', 'Foil'], { 'trend-foil': 1.54 }, [null, 1.54]],
    ['mtg', ['Foil'], noFoil, [0.55]],
    ['mtg', ['Foil'], { trend: 0.55 }, [0.55]],
    ['mtg', ['Etched'], noFoil, [0.55]],
    ['mtg', ['Normal', 'Etched'], foil, [0.55, 1.54]],
    ['mtg', ['Etched', 'Foil'], foil, [null, null]],
    ['mtg', ['Etched', 'Foil'], noFoil, [null, null]],
    ['mtg', ['Normal', 'Etched', 'Foil'], foil, [0.55, null, null]],
    ['mtg', ['Normal', 'Glossy'], foil, [0.55, null]],
    ['mtg', ['Normal', 'Foil'], holo, [0.55, null]],
    ['lorcana', ['Normal', 'Cold Foil'], foil, [0.55, 1.54]],
    ['lorcana', ['Cold Foil'], noFoil, [0.55]],
    ['lorcana', ['Holofoil'], foil, [1.54]],
    ['lorcana', ['Normal', 'Holofoil'], foil, [0.55, 1.54]],
    ['lorcana', ['Cold Foil', 'Holofoil'], foil, [null, null]],
    ['fab', ['Normal', 'Rainbow Foil'], foil, [0.55, 1.54]],
    ['fab', ['1st Edition Normal', '1st Edition Rainbow Foil'], foil, [0.55, 1.54]],
    ['fab', ['1st Edition Cold Foil', 'Unlimited Edition Cold Foil'], foil, [1.54, 1.54]],
    ['yugioh', ['1st Edition', 'Unlimited'], foil, [0.55, 0.55]],
    ['yugioh', ['1st Edition', 'Limited', 'Unlimited'], { trend: 0.55 }, [0.55, 0.55, 0.55]],
  ] as const) {
    it(`A price of Cardmarket’s guide goes to its finish: ${game} ${printings.join(', ')} with ${JSON.stringify(prices)}`, async () => {
      for (const currency of ['USD', 'EUR'] as const) {
        const { out } = await productOf(game, printings, currency)
        await guided(out, game, prices)
        assert.deepEqual(
          pricesIn(out, 'cardmarket', 'EUR'),
          Object.fromEntries(printings.map((p, i) => [p, expected[i]])),
        )
        const own = [...cardsById(out).values()].map(({ printing, prices: { market } }) => [printing, market])
        const owned = printings.map((printing, i) => [printing, currency === 'EUR' ? expected[i] : 1 + i])
        assert.deepEqual(Object.fromEntries(own), Object.fromEntries(owned), `a folder in ${currency}`)
        if (currency === 'USD') continue
        const known = expected.filter((price) => price !== null)
        const rows = known.length === 0 ? [] : historyOf(out, '2026-11-20-prices-in-euros.csv.gz')
        assert.deepEqual(rows.map((row) => Number(row.split(',')[2])).sort(), [...known].sort())
      }
    })
  }

  it('A price of Cardmarket’s guide under an unknown name is in the report', async () => {
    for (const [game, prices, names] of [
      ['pokemon', { ...foil, 'trend-holo': 2, 'avg1-holo': 1, idCategory: 1, 'avg30-foil': 0 }, ['trend-foil']],
      [
        'mtg',
        { ...holo, 'avg7-foil': 2, 'trend-etched': 1, trendUSD: 2, countSellers: 4 },
        ['trend-holo', 'trend-etched', 'trendUSD'],
      ],
      ['fab', { ...foil, 'avg1-foil': 1 }, []],
    ] as const) {
      const { out } = await productOf(game, ['Normal'])
      const { records } = (await guided(out, game, prices)).report
      const doubtful = records.filter(({ kind }) => kind === 'doubtful')
      assert.deepEqual(
        doubtful.map(({ reason, record }) => `${record} ${reason}`),
        names.map((name) => `${name} is of other prices, which are not imported`),
      )
    }
  })
})

describe('A price of a source’s own finishes', () => {
  it('Each sub-type of a TCGCSV product becomes a card with its own price', async () => {
    const printings = [
      'Normal',
      'Holofoil',
      'Reverse Holofoil',
      'Foil',
      'Cold Foil',
      '1st Edition',
      '1st Edition Holofoil',
    ]
    const { out } = await productOf('pokemon', printings)
    const found = [...cardsById(out).values()].map(({ printing, prices }) => [printing, prices.market])
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(printings.map((printing, i) => [printing, 1 + i])))
  })

  for (const [finishes, prices, expected] of [
    [
      ['nonfoil', 'foil', 'etched'],
      { usd: '1', usd_foil: '2', usd_etched: '3', eur: '4', eur_foil: '5', eur_etched: '6' },
      { Normal: [1, 4], Foil: [2, 5], Etched: [3, 6] },
    ],
    [['foil', 'etched'], { usd: '1', usd_foil: '2', eur: '4' }, { Foil: [2, null], Etched: [null, null] }],
    [['etched'], { usd: '1', usd_foil: '2', eur_foil: '4' }, { Etched: [null, null] }],
    [['foil'], { usd: '1', eur: '4' }, { Foil: [null, null] }],
    [['nonfoil', 'glossy'], { usd: '1', usd_glossy: '2', eur: '4' }, { Normal: [1, 4], Glossy: [null, null] }],
  ] as const) {
    it(`A Scryfall card in ${finishes.join(', ')} gets the prices of its finishes from ${Object.keys(prices).join(', ')}`, async () => {
      const card = scryfallCard(1, 'Card', '1', { finishes, prices, tcgplayer_id: 7, cardmarket_id: 1 })
      const { out, report } = await importNew('scryfall', [bulkOf(card)], day)
      const euros = pricesIn(out, 'cardmarket', 'EUR')
      const found = [...cardsById(out).values()].map((one) => [one.printing, [one.prices.market, euros[one.printing]]])
      assert.deepEqual(Object.fromEntries(found), expected)
      const others = report.game('mtg').leftOut.get('of another finish') ?? 0
      assert.equal(others, 'usd_glossy' in prices ? 1 : 0)
    })
  }

  it('Scryfall’s Foil and Etched prices are kept if a price of Cardmarket’s guide could belong to either finish', async () => {
    const prices = { usd_foil: '2', usd_etched: '3', eur_foil: '5', eur_etched: '6' }
    const card = scryfallCard(1, 'Card', '1', { finishes: ['foil', 'etched'], prices, cardmarket_id: 1 })
    const { out } = await importNew('scryfall', [bulkOf(card)], day)
    await guided(out, 'mtg', { trend: 8, 'trend-foil': 9 })
    assert.deepEqual(pricesIn(out, 'cardmarket', 'EUR'), { Foil: 5, Etched: 6 })
  })

  it('Each finish of each shop of MTGJSON has its own price, and an unknown finish is in the report', async () => {
    const finishes = ['nonfoil', 'foil', 'etched']
    const identifiers = { tcgplayerProductId: '7', tcgplayerEtchedProductId: '7', mcmId: '1' }
    const set = { name: 'Set', code: 'SET', cards: [magicCard(uuid(1), 'Card', '1', { finishes, identifiers })] }
    const at = (price: number) => ({ '2026-11-20': price })
    const paper = {
      tcgplayer: shop('USD', { normal: at(1), foil: at(2), etched: at(3), glossy: at(9) }),
      cardmarket: shop('EUR', { foil: at(5), etched: at(6) }),
    }
    const files = [file('AllPrintings.json', allPrintings({ SET: set })), pricesOf(paper)]
    const { out, report } = await importNew('mtgjson', files)
    await guided(out, 'mtg', { trend: 8, 'trend-foil': 9 })
    const found = [...cardsById(out).values()].map(({ printing, prices }) => [printing, prices.market])
    assert.deepEqual(Object.fromEntries(found), { Normal: 1, Foil: 2, Etched: 3 })
    assert.deepEqual(pricesIn(out, 'cardmarket', 'EUR'), { Normal: 8, Foil: 5, Etched: 6 })
    const others = report.records.filter(({ reason }) => reason === 'of another finish')
    assert.deepEqual(
      others.map(({ record }) => record),
      ['tcgplayer glossy'],
    )
  })
})
