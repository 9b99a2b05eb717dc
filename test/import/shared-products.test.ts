/** One product of TCGplayer that two cards of a source name: it and its prices are those of one card, or of none. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, contentOf, file, historyOf, importInto, recordsIn } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrintings, magicCard, meta, scryfallCard, shop, uuid } from './magic.ts'
import { bulkOf } from './market-files.ts'

const day = { date: '2026-11-20' }
const bro = "The Brothers' War"
const mirrorOf = (number: string | undefined) => {
  const product = {
    id: 7,
    name: 'Card',
    rarity: 'R',
    prices: [
      { subType: 'Normal', market: 1 },
      { subType: 'Foil', market: 2 },
    ],
  }
  const group = { category: 1, id: 9, name: bro, abbreviation: 'BRO', published: '2022-11-18T00:00:00' }
  const groups: MirrorGroup[] = [{ ...group, products: [{ ...product, ...(number && { number }) }] }]
  return writeMirror(groups)
}

/** A card of a source by the place that it says: `BRO 70`. Its uuid and its prices end in its index from 1. */
const named = (places: readonly string[]) =>
  places.map((place, i) => {
    const [set, number] = place.split(' ') as [string, string]
    return { set, number, id: i + 1, price: 2 + i }
  })
const finishes = ['nonfoil', 'foil']

function mtgjsonFiles(places: readonly string[]): string[] {
  const cards = named(places)
  const sets = [...new Set(cards.map(({ set }) => set))].map((set) => {
    const own = cards.filter((card) => card.set === set)
    const identifiers = { tcgplayerProductId: '7', mcmId: '3' }
    const made = own.map(({ id, number }) => magicCard(uuid(id), 'Card', number, { finishes, identifiers }))
    return [set, { name: set === 'BRO' ? bro : set, releaseDate: '2022-11-18', cards: made }]
  })
  const at = (price: number) => ({ '2026-11-20': price })
  const priced = cards.map(({ id, price }) => {
    const paper = {
      tcgplayer: shop('USD', { normal: at(price), foil: at(price + 4) }),
      cardmarket: shop('EUR', { normal: at(price + 20) }),
    }
    return [uuid(id), { paper }]
  })
  const prices = JSON.stringify({ meta, data: Object.fromEntries(priced) })
  return [file('AllPrintings.json', allPrintings(Object.fromEntries(sets))), file('AllPrices.json', prices)]
}

const scryfallFile = (places: readonly string[]) =>
  bulkOf(
    ...named(places).map(({ id, set, number, price }) =>
      scryfallCard(id, 'Card', number, {
        set: set.toLowerCase(),
        set_name: set === 'BRO' ? bro : set,
        tcgplayer_id: 7,
        finishes,
        prices: { usd: `${price}`, usd_foil: `${price + 4}`, eur: `${price + 20}` },
      }),
    ),
  )

type SourceName = 'mtgjson' | 'scryfall'
const importSource = (out: string, source: SourceName, places: readonly string[], more: object = {}) =>
  source === 'mtgjson'
    ? importInto(out, source, mtgjsonFiles(places), more)
    : importInto(out, source, [scryfallFile(places)], { ...day, ...more })

/** Of each card in id order: id, market price, product, and sources. */
const shownIn = (out: string) =>
  [...cardsById(out).values()].map(({ id, prices, tcgplayerId, sources }) =>
    [id, prices.market, tcgplayerId, sources.join('+')].join(' '),
  )

const mirrorIds = ['mtg-bro-70', 'mtg-bro-70-foil']
const joined = (source: SourceName) => [`mtg-bro-70 1 7 tcgplayer+${source}`, `mtg-bro-70-foil 2 7 tcgplayer+${source}`]

for (const source of ['mtgjson', 'scryfall'] as const) {
  describe(`Two cards of ${source} that name one product`, () => {
    const lone = (ids: readonly string[]) => ids.map((id) => `${id}   ${source}`)
    for (const [what, mirrored, places, others] of [
      ['by number', '070', ['BRO 70', 'BRO 71'], ['mtg-bro-71', 'mtg-bro-71-foil']],
      ['by number, the other first', '070', ['BRO 71', 'BRO 70'], ['mtg-bro-71', 'mtg-bro-71-foil']],
      ['by set', '070', ['XYZ 70', 'BRO 70'], ['mtg-xyz-70', 'mtg-xyz-70-foil']],
      [
        'by number, of three',
        '070',
        ['BRO 69', 'BRO 70', 'XYZ 70'],
        ['mtg-bro-69', 'mtg-bro-69-foil', 'mtg-xyz-70', 'mtg-xyz-70-foil'],
      ],
    ] as const) {
      for (const order of ['mirror first', 'mirror last'] as const) {
        it(`A product that cards of ${source} name goes to the card with its set and number (cards differ ${what}; ${order})`, async () => {
          const out = temporaryFolder()
          const mirror = () => importInto(out, 'tcgcsv', [mirrorOf(mirrored)], day)
          if (order === 'mirror first') await mirror()
          const { report } = await importSource(out, source, places)
          const isLast = order === 'mirror last'
          const doubtful = report.records.filter(({ kind }) => kind === 'doubtful')
          assert.equal(doubtful.length, isLast ? 2 * places.length : others.length)
          const which = isLast ? 'and so does another card' : 'which is that of another card'
          const reason = new RegExp(`^names TCGplayer's product 7 (Normal|Foil), ${which}: it has neither`)
          for (const record of doubtful) assert.match(record.reason, reason)
          if (isLast) await mirror()
          const id = isLast ? (id: string) => id : (id: string) => id.replace('bro-70', 'bro-070')
          assert.deepEqual(shownIn(out).sort(), [...joined(source).map(id), ...lone(others)].sort())
          if (source === 'mtgjson') {
            const rows = isLast
              ? []
              : [
                  ['mtg-bro-070', 2],
                  ['mtg-bro-070-foil', 6],
                ]
            const own = named(places).findIndex(({ set, number }) => set === 'BRO' && number === '70')
            const expected = rows.map(([id, price]) => `2026-11-20,${id},${Number(price) + own},,`)
            assert.deepEqual(historyOf(out, '2026-11-20-mtgjson.csv.gz'), expected)
          }
          const before = contentOf(out)
          await importSource(out, source, places)
          if (!isLast) assert.deepEqual(contentOf(out), before, 'importing it again changes nothing')
          // Prices that are laid over cards meet the same cards.
          await importInto(out, 'overlay', [file('own.csv', `id,key,price\n${others[0]},damaged,3\n`)], day)
          assert.equal(cardsById(out).get(others[0])!.prices.market, null)
        })
      }
    }

    for (const [what, mirrored, places] of [
      ['if neither has its number', '072', ['BRO 70', 'BRO 71']],
      ['if it has no number and both are in its set', undefined, ['BRO 70', 'BRO 71']],
    ] as const) {
      it(`Neither of two cards of ${source} gets the product that both name ${what}`, async () => {
        const out = temporaryFolder()
        await importInto(out, 'tcgcsv', [mirrorOf(mirrored)], day)
        await importSource(out, source, places)
        const cards = [...cardsById(out).values()]
        assert.equal(cards.length, 6)
        for (const { sources, prices, tcgplayerId } of cards) {
          const isMirrors = sources.includes('tcgplayer')
          assert.deepEqual([sources.length, prices.market !== null, tcgplayerId], [1, isMirrors, isMirrors ? 7 : null])
        }
      })
    }

    it(`The first of two cards of ${source} with a product’s set and number gets the product, and keeps it`, async () => {
      const out = temporaryFolder()
      await importInto(out, 'tcgcsv', [mirrorOf('070')], day)
      for (const places of [
        ['BRO 71', 'BRO 70'],
        ['BRO 70', 'BRO 70'],
      ]) {
        await importSource(out, source, places)
        const found = cardsById(out).get('mtg-bro-070')
        assert.equal(`${found.mtgjsonId ?? ''}${found.scryfallId ?? ''}`.at(-1), '2', places.join())
        assert.equal([...cardsById(out).values()].filter(({ prices }) => prices.market !== null).length, 2)
      }
    })

    it(`A product without a number that two cards of ${source} name goes to the card in its set`, async () => {
      const out = temporaryFolder()
      await importInto(out, 'tcgcsv', [mirrorOf(undefined)], day)
      await importSource(out, source, ['XYZ 70', 'BRO 70'])
      const both = shownIn(out).filter((line) => line.endsWith(`tcgplayer+${source}`))
      assert.equal(both.length, 2)
    })

    it(`Without a mirror, two cards of ${source} that name one product get no dollar price, and a card alone gets one`, async () => {
      const out = temporaryFolder()
      await importSource(out, source, ['BRO 70', 'BRO 71'])
      assert.deepEqual(shownIn(out), lone([...mirrorIds, 'mtg-bro-71', 'mtg-bro-71-foil']))
      const euros = [...cardsById(out).values()].flatMap(({ markets = [] }) => markets)
      assert.deepEqual(
        euros.map((market) => market.price),
        [22, 23],
        'Cardmarket’s are of their own',
      )
      await importSource(out, source, ['BRO 70'])
      assert.deepEqual(shownIn(out), [`mtg-bro-70 2 7 ${source}`, `mtg-bro-70-foil 6 7 ${source}`])
    })

    it(`A card of ${source} loses a product’s id when the card with the product’s number appears, and keeps its next id`, async () => {
      const out = temporaryFolder()
      await importInto(out, 'tcgcsv', [mirrorOf('071')], day)
      await importSource(out, source, ['BRO 70'])
      assert.deepEqual(shownIn(out), [
        `mtg-bro-071 1 7 tcgplayer+${source}`,
        `mtg-bro-071-foil 2 7 tcgplayer+${source}`,
      ])
      const both = ['BRO 70', 'BRO 71']
      const expected = [
        ...lone(mirrorIds),
        `mtg-bro-071 1 7 tcgplayer+${source}`,
        `mtg-bro-071-foil 2 7 tcgplayer+${source}`,
      ]
      for (let runs = 0; runs < 2; runs++) {
        await importSource(out, source, both)
        assert.deepEqual(shownIn(out).sort(), [...expected].sort())
        const ids = recordsIn(out, 'import').flatMap(({ id }) => (id ? [id] : []))
        assert.equal(new Set(ids).size, 4)
      }
    })
  })
}

for (const [finishes, own] of [
  [
    ['nonfoil', 'etched'],
    ['mtg-bro-70-etched Etched mtgjson', `mtg-bro-70-${uuid(1)} Normal mtgjson`],
  ],
  [['etched'], ['mtg-bro-70-etched Etched mtgjson']],
] as const)
  it(`The id of a product without a price goes to its first sub-type, not to the etched finish (finishes: ${finishes.join(', ')})`, async () => {
    const identifiers = { tcgplayerProductId: '6', tcgplayerEtchedProductId: '7' }
    const cards = [magicCard(uuid(1), 'Card', '70', { finishes, identifiers })]
    const printings = file('AllPrintings.json', allPrintings({ BRO: { name: bro, releaseDate: '2022-11-18', cards } }))
    const out = temporaryFolder()
    const mirrored = async (...subTypes: string[]) => {
      const prices = subTypes.map((subType, i) => ({ subType, market: 1 + i }))
      const products = [{ id: 7, name: 'Card (Etched)', number: '70', rarity: 'R', prices }]
      const group = { category: 1, id: 9, name: bro, abbreviation: 'BRO', published: '2022-11-18T00:00:00', products }
      await importInto(out, 'tcgcsv', [writeMirror([group])], day)
      await importInto(out, 'mtgjson', [printings])
      return [...cardsById(out).values()].map(({ id, printing, sources }) => `${id} ${printing} ${sources.join('+')}`)
    }
    assert.deepEqual((await mirrored()).sort(), ['mtg-bro-70 null tcgplayer', ...own].sort())
    const priced = await mirrored('Normal', 'Foil')
    assert.ok(priced.includes('mtg-bro-70 Normal tcgplayer'), priced.join())
  })

it('Two cards that name one product both have Cardmarket’s history in a folder in euros', async () => {
  const out = temporaryFolder()
  await importSource(out, 'mtgjson', ['BRO 70', 'BRO 71'], { currency: 'EUR' })
  const files = readdirSync(join(out, 'history'))
  const rows = new Set(files.flatMap((name) => historyOf(out, name)))
  assert.deepEqual([...rows].sort(), ['2026-11-20,mtg-bro-70,22,,', '2026-11-20,mtg-bro-71,23,,'])
})

it('In a folder in euros, each card’s history row is of the day of its own source’s prices', async () => {
  const out = temporaryFolder()
  const one = scryfallCard(1, 'Newer', '70', { finishes: ['nonfoil'] })
  await importInto(out, 'scryfall', [bulkOf(one)], { ...day, currency: 'EUR' })
  const set = { name: 'Of its own', releaseDate: '2026-01-01', cards: [magicCard(uuid(7), 'Older', '1')] }
  const inDollars = shop('USD', { normal: { '2026-11-18': 3 } })
  const paper = { cardmarket: shop('EUR', { normal: { '2026-11-18': 2 } }), tcgplayer: inDollars }
  const prices = { meta: { date: '2026-11-18' }, data: { [uuid(7)]: { paper } } }
  const files = [file('printings.json', allPrintings({ XYZ: set })), file('prices.json', JSON.stringify(prices))]
  await importInto(out, 'mtgjson', files, { currency: 'EUR' })
  const rows = (day: string) => historyOf(out, `${day}-prices-in-euros.csv.gz`)
  assert.deepEqual(rows('2026-11-18'), ['2026-11-18,mtg-xyz-1,2,,'])
  assert.deepEqual(rows('2026-11-20'), ['2026-11-20,mtg-bro-70,19.24,,'])
})

it('Two sets with one code and different names are one if a product is in both', async () => {
  for (const [product, id] of [
    [7, 'mtg-bro-71'],
    [8, 'mtg-bro-bro-71'],
  ] as const) {
    const out = temporaryFolder()
    const cards = ['70', '71'].map((number, i) => ({
      ...scryfallCard(1 + i, `Card ${number}`, number, { finishes: ['nonfoil'], set_name: 'Another name' }),
      ...(i === 0 && { tcgplayer_id: product }),
    }))
    await importInto(out, 'tcgcsv', [mirrorOf('70')])
    await importInto(out, 'scryfall', [bulkOf(...cards)], day)
    assert.ok(cardsById(out).has(id), [...cardsById(out).keys()].join())
  }
})
