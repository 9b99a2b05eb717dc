/** Ids, printings and the currency that sources give: cards whose source replaces their ids, and cards that are one of two products. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  assertRefused,
  cardsById,
  contentOf,
  errorsOf,
  file,
  importInto,
  importNew,
  recordsIn,
} from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, brothersWar, scryfallCard, scryfallCards, uuid } from './magic.ts'

interface Card {
  readonly uuid: string
  readonly name: string
  readonly number: string
  readonly rarity: string
  readonly finishes: readonly string[]
  readonly identifiers: Readonly<Record<string, string>>
}

const card = (
  id: number,
  number: string,
  identifiers: Card['identifiers'] = {},
  finishes: readonly string[] = ['nonfoil'],
): Card => ({
  uuid: uuid(id),
  name: 'Plains',
  number,
  rarity: 'common',
  finishes,
  identifiers,
})
const product = (tcgplayerProductId: string) => ({ tcgplayerProductId })
const scryfall = (scryfallId: string) => ({ scryfallId })

const importDay = (out: string, cards: readonly Card[], prices?: string, others: object = {}) =>
  importInto(out, 'mtgjson', [
    file('printings.json', allPrintings({ BRO: { ...brothersWar, cards }, ...others })),
    ...(prices === undefined ? [] : [prices]),
  ])
const pricesOf = (day: string, ...priced: readonly (readonly [cards: readonly Card[], price: number])[]) => {
  const data = priced.flatMap(([cards, price]) => {
    const paper = { tcgplayer: { currency: 'USD', retail: { normal: { [day]: price } } } }
    return cards.map(({ uuid }) => [uuid, { paper }])
  })
  return file(`${day}.json`, JSON.stringify({ meta: { date: day }, data: Object.fromEntries(data) }))
}
/** The ids of a source, `uuid finish` by `uuid finish`. */
const linesIn = (out: string, key: 'uuid' | 'card' = 'uuid') =>
  Object.fromEntries(
    recordsIn(out, 'import').flatMap((line) =>
      key in line ? [[`${Number(line[key].slice(-12))} ${line.finish}`, line.id]] : [],
    ),
  )

describe('A card that comes under another uuid', () => {
  const old = 'mtg-bro-70'
  const ownId = (id: number) => `${old}-${uuid(id)}`
  type Row = readonly [what: string, days: readonly (readonly Card[])[], lines: Record<string, string>]
  const [first, second] = [card(1, '70', product('9')), card(2, '70', product('9'))]
  const foil = (id: number) => card(id, '70', product('9'), ['foil', 'nonfoil'])
  const foil9 = card(1, '70', product('9'), ['foil'])
  const another = { '1 nonfoil': old, '2 nonfoil': ownId(2) }
  const rows: readonly Row[] = [
    ['with another uuid and the same product keeps its id', [[first], [second]], { '2 nonfoil': old }],
    [
      'with another uuid and the same Scryfall id keeps its id',
      [[card(1, '70', scryfall('s'))], [card(2, '70', scryfall('s'))]],
      { '2 nonfoil': old },
    ],
    ['with another uuid and only the same set and number gets a new id', [[card(1, '70')], [card(2, '70')]], another],
    ['with another uuid and another product gets a new id', [[first], [card(2, '70', product('8'))]], another],
    [
      'with another uuid and another number gets a new id',
      [[first], [card(2, '71', product('9'))]],
      { ...another, '2 nonfoil': 'mtg-bro-71' },
    ],
    [
      'with another uuid and two finishes keeps both ids',
      [[foil(1)], [foil(2)]],
      { '2 foil': `${old}-foil`, '2 nonfoil': old },
    ],
    [
      'with another uuid and one of its two finishes keeps that finish’s id',
      [[foil(1)], [second]],
      { '1 foil': `${old}-foil`, '2 nonfoil': old },
    ],
    ['with another uuid gets a new id while the first uuid is there', [[first], [first, second]], another],
    [
      'with another uuid gets a new id for its foil while the first uuid has that foil',
      [[foil9], [foil9, card(2, '70', { ...product('8'), tcgplayerAlternativeFoilProductId: '9' }, ['foil'])]],
      { '1 foil': `${old}-foil`, '2 foil': `${old}-foil-${uuid(2)}` },
    ],
    [
      'with two other uuids gets two new ids',
      [[first], [second, card(3, '70', product('9'))]],
      { ...another, '3 nonfoil': ownId(3) },
    ],
    ['that is gone for a day comes back with its id', [[first], [], [first]], { '1 nonfoil': old }],
    [
      'with another uuid keeps its id even when the first uuid comes back',
      [[first], [second], [second, first]],
      { '1 nonfoil': ownId(1), '2 nonfoil': old },
    ],
  ]
  for (const [what, days, lines] of rows) {
    it(`A card of MTGJSON ${what}`, async () => {
      const out = temporaryFolder()
      const kept = card(50, '50')
      for (const cards of days) await importDay(out, [...cards, kept])
      assert.deepEqual(linesIn(out), { ...lines, '50 nonfoil': 'mtg-bro-50' })
      const before = contentOf(out)
      await importDay(out, [...days.at(-1)!, kept])
      assert.deepEqual(contentOf(out), before, 'a second time changes nothing')
    })
  }

  it('A card that keeps its id under another uuid is reported, is not counted as new, and keeps its price', async () => {
    const out = temporaryFolder()
    await importDay(out, [first], pricesOf('2026-11-19', [[first], 5]))
    const { report } = await importDay(out, [card(2, '70', product('9'))])
    const { newIds, added, gone } = report.game('mtg')
    assert.deepEqual([newIds, added, gone], [0, 0, 0])
    const inherited = report.records.map(({ kind, reason, record }) => [kind, reason, record])
    assert.deepEqual(inherited, [['inherited', `the source's id was ${uuid(1)}, is ${uuid(2)}`, old]])
    const { prices, mtgjsonId } = cardsById(out).get(old)
    assert.deepEqual([prices.market, mtgjsonId], [5, uuid(2)])
  })

  it('A set whose cards all have other uuids is not held, and a held set keeps its earlier uuids', async () => {
    const out = temporaryFolder()
    const many = (from: number) => Array.from({ length: 30 }, (_, i) => card(from + i, `${i}`, product(`${i + 1}`)))
    const others = Array.from({ length: 40 }, (_, i) => card(900 + i, `${i}`))
    const day = async (from: number, date: string, price: number) => {
      const cards = many(from)
      const prices = pricesOf(date, [cards, price], [others, 1])
      const { held } = await importDay(out, cards, prices, { XYZ: { ...brothersWar, name: 'Other', cards: others } })
      return [held.length, cardsById(out).get('mtg-bro-7').mtgjsonId, Object.values(linesIn(out)).sort()]
    }
    const [, , ids] = await day(100, '2026-11-18', 1)
    assert.deepEqual(await day(200, '2026-11-19', 1.1), [0, uuid(207), ids])
    assert.deepEqual(await day(300, '2026-11-20', 99), [1, uuid(207), ids])
    assert.deepEqual(await day(300, '2026-11-21', 1.2), [0, uuid(307), ids])
  })

  it('A card of Scryfall, or of a mirrored product, keeps its id under another uuid', async () => {
    const out = temporaryFolder()
    const mirror = writeMirror()
    const day = async (id: number) => {
      const one = scryfallCard(id, "Urza's Command", '70', { tcgplayer_id: 452001 })
      const other = scryfallCard(id + 1, 'Alone', '71', { tcgplayer_id: 999, finishes: ['nonfoil'] })
      await importInto(out, 'scryfall', [file('bulk.json', JSON.stringify([one, other]))], { date: '2026-11-20' })
      return Object.values(linesIn(out, 'card'))
    }
    const alone = await day(1)
    assert.deepEqual(await day(11), alone)
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(await day(21), alone)
    // A mirror's product is a card, also when a day lies between.
    await importInto(out, 'mtgjson', [file('one.json', allPrintings({ BRO: brothersWar }))])
    const { '1 nonfoil': id } = linesIn(out)
    const cards = brothersWar.cards.slice(1)
    await importInto(out, 'mtgjson', [file('none.json', allPrintings({ BRO: { ...brothersWar, cards } }))])
    const again = [{ ...brothersWar.cards[0]!, uuid: uuid(81) }, { ...brothersWar.cards[0]!, uuid: uuid(82) }, ...cards]
    for (let run = 0; run < 2; run++)
      await importInto(out, 'mtgjson', [file('two.json', allPrintings({ BRO: { ...brothersWar, cards: again } }))])
    const { '1 nonfoil': gone, '81 nonfoil': joined, '82 nonfoil': another } = linesIn(out)
    assert.deepEqual([gone, joined], [undefined, id])
    assert.notEqual(another, id, 'two cards of one product are two')
  })
})

describe('A card of two products', () => {
  const [normal, foil] = ['656542', '656544'] as const
  const group = mirrorGroups.find(({ id }) => id === 3100)!
  const mirrorOf = (...products: readonly (readonly [id: string, ...subTypes: string[]])[]) =>
    writeMirror([
      {
        ...group,
        products: products.map(([id, ...subTypes]) => ({
          id: Number(id),
          name: id === foil ? 'Plains (Rainbow Foil)' : 'Plains',
          number: '70',
          rarity: 'C',
          prices: subTypes.map((subType) => ({ subType, market: 1 })),
        })),
      },
    ])
  const ofBoth = (anchor: string, other: string) =>
    file(
      `pair-${anchor}.json`,
      allPrintings({
        BRO: {
          ...brothersWar,
          cards: [
            card(1, '70', { tcgplayerProductId: anchor, tcgplayerAlternativeFoilProductId: other }, [
              'nonfoil',
              'foil',
            ]),
          ],
        },
      }),
    )
  const both = mirrorOf([normal, 'Normal'], [foil, 'Foil'])
  const unpriced = mirrorOf([normal], [foil, 'Foil'])
  const joined = [
    [Number(normal), 'Normal', ['tcgplayer', 'mtgjson']],
    [Number(foil), 'Foil', ['tcgplayer', 'mtgjson']],
  ]
  it('A card that names two products lacks the finish of a product that TCGplayer does not have', async () => {
    const { out } = await importNew('tcgcsv', [mirrorOf([normal, 'Normal'])])
    const { report } = await importInto(out, 'mtgjson', [ofBoth(normal, foil)])
    const left = report.records.map(({ place, reason, record }) => `${place} ${reason}: ${record}`)
    assert.deepEqual(left, [`data.BRO.cards[0] a finish that TCGplayer does not have: ${uuid(1)} foil`])
  })

  it('A product does not get the id of a card whose id is that of another product, even if that one is gone', async () => {
    const { out } = await importNew('tcgcsv', [mirrorOf([normal, 'Normal', 'Foil'])])
    await importInto(out, 'mtgjson', [ofBoth(normal, foil)])
    await importInto(out, 'tcgcsv', [both])
    const ids = Object.fromEntries(
      recordsIn(out, 'import').flatMap(({ product, subType, id }) =>
        product === undefined ? [] : [[`${product} ${subType}`, id]],
      ),
    )
    assert.deepEqual(ids, {
      [`${normal} Normal`]: 'mtg-bro-70',
      [`${normal} Foil`]: 'mtg-bro-70-foil',
      [`${foil} Foil`]: `mtg-bro-70-foil-${foil}`,
    })
  })

  const rows: readonly (readonly [what: string, mirror: string, cards: readonly unknown[]])[] = [
    ['each has a finish', both, joined],
    [
      'one has both finishes',
      mirrorOf([normal, 'Normal', 'Foil']),
      [joined[0], [Number(normal), 'Foil', ['tcgplayer', 'mtgjson']]],
    ],
    ['only one is there', mirrorOf([normal, 'Normal']), joined.slice(0, 1)],
    ['one is unpriced', unpriced, [[Number(normal), 'Normal', ['tcgplayer', 'mtgjson']], joined[1]]],
  ]
  for (const [what, mirror, cards] of rows) {
    for (const guide of [ofBoth(normal, foil), ofBoth(foil, normal)]) {
      it(`A card of two products joins those that TCGplayer has: ${what} (${guide.slice(-11)})`, async () => {
        const inOrder = async (...order: readonly (readonly [source: string, path: string])[]) => {
          const out = temporaryFolder()
          for (const [source, path] of [...order, ...order])
            await importInto(out, source, [path], { date: '2026-11-20' })
          const before = contentOf(out)
          for (const [source, path] of order) await importInto(out, source, [path], { date: '2026-11-20' })
          assert.deepEqual(contentOf(out), before, 'a second time changes nothing')
          const byProduct = (a: { tcgplayerId: number; printing: string }, b: typeof a) =>
            a.tcgplayerId - b.tcgplayerId || (a.printing > b.printing ? -1 : 1)
          return [...cardsById(out).values()].sort(byProduct).map((one) => [one.tcgplayerId, one.printing, one.sources])
        }
        assert.deepEqual(await inOrder(['tcgcsv', mirror], ['mtgjson', guide]), cards)
        // MTGJSON alone can't say which of the two an unpriced product is.
        if (mirror !== unpriced) assert.deepEqual(await inOrder(['mtgjson', guide], ['tcgcsv', mirror]), cards)
      })
    }
  }
})

const printings = file('AllPrintings.json', allPrintings())
const prices = file('AllPrices.json', allPrices())
const bulk = file('default-cards.jsonl', scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join(''))
const ofPokemon = mirrorGroups.filter(({ category }) => category === 3)
const mirror = writeMirror(ofPokemon)

describe('The currency of a folder', () => {
  const hosts = '"images":["https://tcgplayer-cdn.example"]'
  const aboutIn = (out: string) =>
    existsSync(join(out, 'about.json')) ? readFileSync(join(out, 'about.json'), 'utf8') : undefined

  for (const [about, after] of [
    [undefined, `{"currency":"USD",${hosts}}\n`],
    ['{"currency":"US$","title":"Ours"}', `{"currency":"US$","title":"Ours",${hosts}}\n`],
    ['{"currency":"usd","images":[]}', '{"currency":"usd","images":[]}'],
    ['{"currency":""}', `{"currency":"USD",${hosts}}\n`],
    ['\ufeff{"title":"Ours"}', `{"title":"Ours","currency":"USD",${hosts}}\n`],
    ['{"title":5}', '{"title":5}'],
    ['{"title":"Ours","images":[]}', '{"title":"Ours","images":[],"currency":"USD"}\n'],
    ['{"title":', '{"title":'],
    ['[]', '[]'],
  ] as const) {
    it(`An import writes its sources’ currency into about.json unless that has one or is wrong: ${about ?? 'no file'}`, async () => {
      const out = temporaryFolder()
      if (about !== undefined) writeFileSync(join(out, 'about.json'), about)
      await importInto(out, 'tcgcsv', [mirror])
      assert.equal(aboutIn(out), after)
      assert.deepEqual((await importInto(out, 'tcgcsv', [mirror])).changed, [])
    })
  }

  describe('The currency in about.json', () => {
    const euros = '{"currency":"EUR"}'
    const wrongOf = (source: string) =>
      `currency: must be USD, or absent: the prices of ${source} are in US dollars ("EUR")`
    const unpriced = ofPokemon.map((group) => ({
      ...group,
      products: group.products.map((product) => ({ ...product, prices: [] })),
    }))
    const guide = file('guide.csv', 'console-name,product-name,manual-only-price\nPokemon Base Set,Alakazam #1,$900\n')
    const overlay = file('euros.csv', 'id,key,price\npokemon-bs-001,market,12.5\n')
    const buildOf = (out: string) => build(out, temporaryFolder())

    /** Folders whose prices so far have no known currency. */
    const folders: readonly (readonly [source: string, paths: readonly string[], before?: readonly MirrorGroup[]])[] = [
      ['tcgcsv', [mirror]],
      ['scryfall', [bulk]],
      ['mtgjson', [printings, prices]],
      ['pricecharting', [guide], unpriced],
    ]
    it('An import refuses a choices.json that has wrong choices or is no JSON', async () => {
      for (const choices of ['{"currency":"GBP"}', '{"sealed":1}', '{']) {
        const path = file('choices.json', choices)
        const out = join(path, '../snapshots')
        mkdirSync(join(out, 'import'), { recursive: true })
        renameSync(path, join(out, 'import/choices.json'))
        const wrong = 'must have the choices that an import keeps: {"currency":"USD","sealed":false}'
        assert.equal(
          await errorsOf(importInto(out, 'tcgcsv', [mirror])),
          `${join(out, 'import/choices.json')}: ${wrong}`,
        )
      }
    })

    for (const [source, paths, before] of folders) {
      it(`The currency in about.json must be that of ${source}, for an import and for a build`, async () => {
        const out = temporaryFolder()
        const about = join(out, 'about.json')
        const write = () => writeFileSync(about, euros)
        write()
        if (before !== undefined) await importInto(out, 'tcgcsv', [writeMirror(before)])
        await assertRefused(importInto(out, source, paths, { date: '2026-11-20' }), `${about}: ${wrongOf(source)}`)
        rmSync(about)
        await importInto(out, source, paths, { date: '2026-11-20' })
        write()
        const message = `about.json: ${wrongOf(source)}\n1 problem; nothing was published`
        await assert.rejects(buildOf(out), { message })
        rmSync(about)
        await buildOf(out)
      })
    }

    it('A currency in about.json stays if only overlays have prices, and an archive in dollars is then refused', async () => {
      const out = temporaryFolder()
      writeFileSync(join(out, 'about.json'), euros)
      await importInto(out, 'tcgcsv', [writeMirror(unpriced)])
      await importInto(out, 'overlay', [overlay])
      assert.equal(aboutIn(out), `{"currency":"EUR",${hosts}}\n`)
      await buildOf(out)
      const archive = importInto(out, 'tcgcsv-archive', [mirror], { date: '2026-11-19' })
      assert.ok((await errorsOf(archive)).includes(wrongOf('tcgcsv-archive')))
    })
  })

  it('An import writes no currency into about.json if the folder also has the operator’s own cards', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'cards'))
    const own = { id: 'pokemon-own-1', game: 'pokemon', name: 'Mine', setCode: 'bs' }
    writeFileSync(join(out, 'cards/mine.ndjson'), `${JSON.stringify(own)}\n`)
    await importInto(out, 'tcgcsv', [mirror])
    assert.equal(aboutIn(out), `{${hosts}}\n`)
  })
})
