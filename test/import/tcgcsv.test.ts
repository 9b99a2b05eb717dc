/** A mirror of TCGCSV becomes a snapshot folder. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, contentOf, copyOf, errorsOf, historyOf, importInto, recordsIn } from '../support/import.ts'
import { dropped, mirrorDay, mirrorFiles, withGroups, writeFiles, writeMirror } from '../support/mirror.ts'

const mirror = writeMirror()
const imported = temporaryFolder()
before(async () => {
  await importInto(imported, 'tcgcsv', [mirror])
})

/** To go on with. */
const folder = () => copyOf(imported)

describe('a mirror', () => {
  const cards: [id: string, expected: object][] = [
    [
      'pokemon-swsh12-139-holofoil',
      {
        name: 'Lugia VSTAR',
        setCode: 'swsh12',
        number: '139',
        rarity: 'Ultra Rare',
        sources: ['tcgplayer'],
        tcgplayerId: 451396,
        updatedAt: '2026-11-20T00:00:00Z',
        prices: { market: 4.53, low: 3.1, mid: 5, high: 25.51 },
      },
    ],
    ['pokemon-swsh12-143', { name: 'Pidgey', prices: { market: 0.05, low: 0.01, mid: 0.15, high: 1000000 } }],
    ['pokemon-swsh12-143-reverse-holofoil', { name: 'Pidgey [Reverse Holofoil]', tcgplayerId: 451397 }],
    [
      'pokemon-swsh12-sv001-holofoil',
      { name: 'Serena', number: 'SV001', prices: { market: null, low: 1, mid: 2, high: 3 } },
    ],
    [
      'pokemon-swsh12-145',
      { name: 'Skarmory EX (Full Art)', updatedAt: null, prices: { market: null, low: null, mid: null, high: null } },
    ],
    ['pokemon-swsh12-451401-cosmos-holofoil-deluxe', { name: 'Regidrago & Friends Promo', number: null }],
    ['pokemon-bs-004-1st-edition-holofoil', { name: 'Charizard [1st Edition Holofoil]' }],
    ['pokemon-pre-001', { name: 'Exeggcute' }],
    ['pokemon-pre-001-holofoil', { name: 'Exeggcute (Poke Ball Pattern)', tcgplayerId: 610002 }],
    ['pokemon-pre-001-holofoil-610003', { name: 'Exeggcute (Master Ball Pattern)', tcgplayerId: 610003 }],
    ['pokemon-pre-610005', { name: 'Unown', number: '!' }],
    ['pokemon-pre-099-102-100-102', { number: '099/102 & 100/102' }],
    ['pokemon-pre-101-078-sar', { number: '101/078 SAR' }],
    ['pokemonjp-g24001-033-holofoil', { name: 'ピカチュウex', setCode: 'g24001' }],
    ['pokemonjp-g24002-pw-1', { number: 'PW 1' }],
    ['mtg-bro-070', { name: "Urza's Command", prices: { market: 0.2, low: 0.05, mid: 0.25, high: 10 } }],
    ['mtg-bro-070-foil', { name: "Urza's Command [Foil]" }],
    ['mtg-bro-233', { name: 'Cityscape Leveler', rarity: 'M' }],
    ['mtg-atq-3001', { name: "Ashnod's Altar", number: null }],
    ['mtg-sld-001-foil', { tcgplayerId: 200050 }],
    ['mtg-sld-001-foil-200100', { tcgplayerId: 200100 }],
    ['yugioh-rds-rds-en001-1st-edition', { setCode: 'rds' }],
    ['yugioh-rds-331-rds-ense1-limited', { name: 'Blue-Eyes White Dragon', setCode: 'rds-331' }],
    ['lorcana-1-42', { name: 'Elsa - Spirit of Winter' }],
    ['lorcana-1-42-cold-foil', { name: 'Elsa - Spirit of Winter [Cold Foil]' }],
    ['onepiece-op01-op01-001', { name: 'Roronoa Zoro', number: 'OP01-001' }],
    ['onepiece-op01-op01-001-450002', { name: 'Roronoa Zoro (Alternate Art)' }],
    ['onepiece-op01-450003', { name: 'DON!! Card', rarity: 'DON!!', number: null }],
    ['onepiece-st-01-st01-001', { name: 'Monkey.D.Luffy' }],
    ['fab-arc-arc000', { name: 'Eye of Ophidia', updatedAt: null }],
  ]
  for (const [id, expected] of cards) {
    it(`gives ${id}`, () => {
      const card = cardsById(imported).get(id)
      assert(card !== undefined, 'it is there')
      assert.deepEqual({ ...card, ...expected }, card)
    })
  }

  it('gives all cards of all games, and leaves out sealed products and code cards, counted', async () => {
    const report = join(temporaryFolder(), 'report.json')
    await importInto(temporaryFolder(), 'tcgcsv', [mirror], { report })
    const { games, records, date } = JSON.parse(readFileSync(report, 'utf8'))
    assert.equal(date, mirrorDay)
    assert.deepEqual(games.pokemon, {
      sets: 3,
      cards: 18,
      sealed: 0,
      prices: 17,
      newIds: 18,
      added: 18,
      changed: 0,
      changedNames: 0,
      gone: 0,
      held: 0,
      doubtful: 0,
      leftOut: { 'code card': 1, sealed: 2 },
    })
    assert.deepEqual(games.fab.cards, 4)
    assert.equal(records.filter((record: { kind: string }) => record.kind === 'left out').length, 5)
    for (const record of records)
      assert(record.file.startsWith(mirror) && record.place !== null && record.reason !== '')
  })

  it('gives sets with their codes, and no date where it is the time of a fetch', () => {
    const sets = new Map(recordsIn(imported, 'sets').map((set) => [`${set.game} ${set.code}`, set]))
    assert.equal(sets.size, mirrorGroups.length)
    assert.deepEqual(sets.get('pokemon swsh12'), {
      game: 'pokemon',
      code: 'swsh12',
      name: 'SWSH12: Silver Tempest',
      releaseDate: '2022-11-11',
      printedTotal: 195,
    })
    assert.equal(sets.get('pokemonjp g24002').releaseDate, null)
    assert.equal(sets.get('lorcana 1').name, 'The First Chapter')
    assert.equal(sets.get('mtg bro').releaseDate, '2022-11-18')
  })

  it('gives a history day of the cards with prices', () => {
    const rows = historyOf(imported, '2026-11-20-tcgcsv.csv.gz')
    assert(rows.includes('2026-11-20,pokemon-swsh12-139-holofoil,4.53,3.1,25.51'))
    assert(rows.includes('2026-11-20,pokemon-swsh12-sv001-holofoil,,1,3'))
    assert(!rows.some((row) => row.includes('fab-arc-arc000')))
    assert.deepEqual(rows, [...rows].sort())
  })

  it('may lie in tcgplayer/, and gives the same', async () => {
    const outer = temporaryFolder()
    cpSync(mirror, join(outer, 'tcgplayer'), { recursive: true })
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [outer])
    assert.deepEqual(contentOf(out), contentOf(imported))
  })

  it('gives the same from CSV and from JSON', async () => {
    const forms = ['json', '.json', 'json.gz', 'csv', 'csv.gz'] as const
    const outs = await Promise.all(
      forms.map(async (form) => {
        const out = temporaryFolder()
        // A CSV tells a sealed product from a card by its columns; text of cards is left aside either way.
        await importInto(out, 'tcgcsv', [writeMirror(mirrorGroups.map((group) => ({ ...group, form })))])
        return contentOf(out)
      }),
    )
    for (const content of outs) assert.deepEqual(content, outs[0])
  })

  it('gives a card its sub-type though all its prices are null, from CSV and from JSON', async () => {
    const [first] = mirrorGroups as [MirrorGroup]
    const products = [{ ...first.products[0]!, prices: [{ subType: 'Holofoil' }] }, ...first.products.slice(1)]
    for (const form of ['json', 'csv'] as const) {
      const out = temporaryFolder()
      const { report } = await importInto(out, 'tcgcsv', [writeMirror([{ ...first, products, form }])])
      assert.deepEqual(Object.keys(Object.fromEntries(cardsById(out)))[0], 'pokemon-bs-001-holofoil')
      const { cards, prices } = report.game('pokemon')
      assert.deepEqual({ cards, prices }, { cards: 3, prices: 2 })
    }
  })

  it('leaves out a price of a CSV without a sub-type, as wrong', async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({
      id: 900_000 + i,
      name: `Card ${i}`,
      number: `${i}`,
      prices: [{ subType: i === 7 ? '' : 'Normal', market: 1 }],
    }))
    const { report } = await importInto(temporaryFolder(), 'tcgcsv', [
      writeMirror([{ ...mirrorGroups[0]!, products: many, form: 'csv' }]),
    ])
    const [wrong] = report.records
    assert.deepEqual([wrong!.place, wrong!.record], ['line 9.subTypeName', 'must not be blank ("")'])
  })

  it('may have products that tell no group', async () => {
    const files = mirrorFiles()
    files.set('3/604/products', `${files.get('3/604/products')}`.replaceAll('"groupId":604,', ''))
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeFiles(files)])
    assert.deepEqual(contentOf(out), contentOf(imported))
  })

  it('twice gives the same bytes, and touches nothing', async () => {
    const again = temporaryFolder()
    await importInto(again, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(again), contentOf(imported))
    const out = folder()
    const old = new Date('2026-01-01')
    for (const name of Object.keys(contentOf(out))) utimesSync(join(out, name), old, old)
    const { changed } = await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(changed, [])
    assert.deepEqual(contentOf(out), contentOf(imported))
    for (const name of Object.keys(contentOf(out))) assert.equal(statSync(join(out, name)).mtimeMs, old.getTime(), name)
  })

  it('with --games leaves the other games as they are', async () => {
    const out = folder()
    const changed = writeMirror(withGroups({ 604: dropped(42346), 3189: dropped(450101) }))
    await importInto(out, 'tcgcsv', [changed], { games: new Set(['pokemon'] as const) })
    const cards = cardsById(out)
    assert(!cards.has('pokemon-bs-001-holofoil'), 'its own card is gone')
    assert(cards.has('onepiece-st-01-st01-001'), 'the other game keeps its cards')
    const rows = historyOf(out, '2026-11-20-tcgcsv.csv.gz')
    assert(
      rows.some((row) => row.includes('onepiece-st-01-st01-001')),
      'and its history of the day',
    )
    assert(!rows.some((row) => row.includes('pokemon-bs-001-holofoil')))
  })

  it('takes --date and --base', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [mirror], { date: '2026-10-01', imageBase: 'https://images.example/cards' })
    const card = cardsById(out).get('pokemon-swsh12-139-holofoil')
    assert.equal(card.image, 'https://images.example/cards/451396_200w.jpg')
    assert.equal(card.updatedAt, '2026-10-01T00:00:00Z')
    assert(contentOf(out)['history/2026-10-01-tcgcsv.csv.gz'] !== undefined)
  })

  it('leaves a single wrong record out, and counts it', async () => {
    const many = Array.from({ length: 40 }, (_, i) => ({
      id: 900_000 + i,
      name: `Card ${i}`,
      number: `${i}/99`,
      rarity: 'C',
      prices: [{ subType: 'Normal', market: 1 }],
    }))
    const files = mirrorFiles(withGroups({ 604: (group) => ({ ...group, products: many }) }))
    files.set('3/604/prices', `${files.get('3/604/prices')}`.replace('"lowPrice":null', '"lowPrice":-1'))
    const out = temporaryFolder()
    const { report } = await importInto(out, 'tcgcsv', [writeFiles(files)])
    assert.equal(report.game('pokemon').leftOut.get('wrong'), 1)
    assert.match(report.records.find(({ reason }) => reason === 'wrong')!.place!, /^results\[0\]\.lowPrice$/)
    assert.equal(cardsById(out).get('pokemon-bs-0').prices.market, null, 'the product is there without the price')
  })

  it('leaves out a record with a lone surrogate, which no snapshot may hold', async () => {
    const many = Array.from({ length: 80 }, (_, i) => ({ id: 900_000 + i, name: `Card ${i}`, number: `${i}/99` }))
    const files = mirrorFiles(withGroups({ 604: (group) => ({ ...group, products: many }) }))
    const products = JSON.parse(`${files.get('3/604/products')}`)
    products.results[0].name += '\ud83d'
    products.results[1].imageUrl = 'https://images.example/\udc00.jpg'
    products.results[2].extendedData[0].value += '\udc00'
    products.results[3].name += '\u{1f600}'
    files.set('3/604/products', JSON.stringify(products))
    const out = temporaryFolder()
    const { report } = await importInto(out, 'tcgcsv', [writeFiles(files)])
    assert.deepEqual(
      report.records.filter(({ reason }) => reason === 'wrong').map(({ place }) => place),
      ['results[0].name', 'results[1].imageUrl', 'results[2].extendedData.0.value'],
    )
    assert.equal(cardsById(out).get('pokemon-bs-3').name, 'Card 3\u{1f600}')
  })

  it('takes a file of which one record in twenty is wrong, and no more', async () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ id: 900_000 + i, name: `Card ${i}`, number: `${i}/99` }))
    const files = mirrorFiles(withGroups({ 604: (group) => ({ ...group, products: many }) }))
    const wrong = (count: number): string => {
      for (let i = 0; i < count; i++)
        files.set('3/604/products', `${files.get('3/604/products')}`.replace(`"name":"Card ${i}"`, '"name":""'))
      return writeFiles(files)
    }
    const { report } = await importInto(temporaryFolder(), 'tcgcsv', [wrong(2)])
    assert.equal(report.game('pokemon').leftOut.get('wrong'), 2)
    assert.match(
      await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [wrong(3)])),
      /3\/604\/products: results\[0\]\.name: must not be blank \(""\); 3 of 40 records are wrong, more than 5 %/,
    )
  })

  it('has unknown prices where they are null or absent, and 0 where they are 0', async () => {
    const files = mirrorFiles()
    const prices = { productId: 42346, subTypeName: 'Holofoil', lowPrice: 0, midPrice: null, marketPrice: 2 }
    files.set('3/604/prices', JSON.stringify({ success: true, errors: [], results: [prices] }))
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeFiles(files)])
    assert.deepEqual(cardsById(out).get('pokemon-bs-001-holofoil').prices, { market: 2, low: 0, mid: null, high: null })
  })

  it('has the day of its newest file where no record tells when it was modified', async () => {
    const files = mirrorFiles()
    for (const [name, content] of files)
      if (typeof content === 'string') files.set(name, content.replaceAll('modifiedOn', 'changedOn'))
    for (const name of [...files.keys()]) if (/\.gz$|^68\//.test(name)) files.delete(name)
    const dir = writeFiles(files)
    for (const name of files.keys()) utimesSync(join(dir, name), new Date(0), new Date('2026-03-04T12:00:00Z'))
    const games = new Set(['yugioh', 'lorcana', 'swu', 'fab'] as const)
    assert.equal((await importInto(temporaryFolder(), 'tcgcsv', [dir], { games })).date, '2026-03-04')
  })

  it('gives a code that two sets share to the older one, though its number is higher', async () => {
    const sets = withGroups({ 330: (group) => ({ ...group, published: '2006-01-01T00:00:00' }) })
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeMirror(sets)])
    const codes = recordsIn(out, 'sets').filter(({ name }) => name.startsWith('Rise of Destiny'))
    assert.deepEqual(
      codes.map(({ name, code }) => [name, code]),
      [
        ['Rise of Destiny (Special)', 'rds'],
        ['Rise of Destiny', 'rds-330'],
      ],
    )
  })

  it('gives a code that three sets share to the oldest, each other one of its own, none twice', async () => {
    const named = (id: number, abbreviation: string): MirrorGroup => ({
      ...mirrorGroups[0]!,
      id,
      abbreviation,
      products: [],
    })
    const abbreviations = { 5: 'X-13', 7: 'X', 8: 'x', 9: 'X!', 10: 'X-9', 11: '', 12: '!', 13: 'X' }
    const groups = Object.entries(abbreviations).map(([id, abbreviation]) => named(Number(id), abbreviation))
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeMirror(groups)])
    assert.deepEqual(
      recordsIn(out, 'import').map(({ group, code }) => [group, code]),
      [
        [5, 'x-13'],
        [7, 'x'],
        [8, 'x-8'],
        [9, 'x-9'],
        [10, 'x-9-10'],
        [11, 'g11'],
        [12, 'g12'],
        [13, 'x-13-13'],
      ],
    )
  })

  it('gives ids that are never too long, and never one twice', async () => {
    const number = `${'9'.repeat(130)}`
    const card = (id: number, printed: string) => ({ id, name: 'Card', number: printed, rarity: 'C' })
    // The last two would have what the first two got for their length.
    const products = [card(1, number), card(2, number), card(3, 'a'), card(4, 'a'), card(5, 'a-4')]
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [writeMirror([{ ...mirrorGroups[0]!, products }])])
    const ids = recordsIn(out, 'cards').map(({ id }) => id)
    assert.deepEqual(ids, [
      `pokemon-bs-${'9'.repeat(115)}-1`,
      `pokemon-bs-${'9'.repeat(115)}-2`,
      'pokemon-bs-a',
      'pokemon-bs-a-4',
      'pokemon-bs-a-4-5',
    ])
    for (const id of ids) assert(id.length <= 128)
  })

  it('leaves out a product of two groups, and tells records that are missing', async () => {
    const [first, second] = [mirrorGroups[0]!, mirrorGroups[2]!]
    const files = mirrorFiles([first, { ...second, form: 'json', products: [...second.products, first.products[0]!] }])
    files.set('3/604/products', `${files.get('3/604/products')}`.replace('"totalItems":3', '"totalItems":4'))
    const out = temporaryFolder()
    const { report } = await importInto(out, 'tcgcsv', [writeFiles(files)])
    assert.equal(cardsById(out).get('pokemon-bs-001-holofoil').setCode, 'bs')
    assert.deepEqual(
      report.records
        .filter(({ reason }) => reason !== 'sealed')
        .map(({ kind, place, reason, record }) => [kind, place, reason, record]),
      [
        ['doubtful', 'totalItems', 'the file has 3 records', '4'],
        ['left out', 'results[9]', 'product of two groups', '42346 Alakazam'],
      ],
    )
  })

  it('tells records beyond those that a file counts', async () => {
    const files = mirrorFiles([mirrorGroups[0]!])
    files.set('3/604/products', `${files.get('3/604/products')}`.replace('"totalItems":3', '"totalItems":2'))
    const { report } = await importInto(temporaryFolder(), 'tcgcsv', [writeFiles(files)])
    const doubtful = report.records.filter(({ kind }) => kind === 'doubtful')
    assert.deepEqual(
      doubtful.map(({ place, reason, record }) => [place, reason, record]),
      [['totalItems', 'the file has 3 records', '2']],
    )
  })

  it('is remembered line by line as operators read it', () => {
    const lines = readFileSync(join(imported, 'import/ids.ndjson'), 'utf8').split('\n')
    for (const line of [
      '{"source":"tcgplayer","group":3170,"game":"pokemon","code":"swsh12"}',
      '{"source":"tcgplayer","product":451396,"subType":"Holofoil","id":"pokemon-swsh12-139-holofoil"}',
      '{"source":"tcgplayer","product":451399,"subType":null,"id":"pokemon-swsh12-145"}',
    ])
      assert(lines.includes(line), line)
  })

  it('is read as a stream where a file is too large to be read whole', async () => {
    const files = mirrorFiles()
    const padded = (name: string): string =>
      `${files.get(name)}`.replace('"results":[', `"padding":"${'x'.repeat(33 * 2 ** 20)}","results":[`)
    files.set('3/604/prices', padded('3/604/prices'))
    const out = temporaryFolder()
    const padding = writeFiles(files)
    await importInto(out, 'tcgcsv', [padding])
    assert.deepEqual(contentOf(out), contentOf(imported))
    truncateSync(join(padding, '3/604/prices'), `${files.get('3/604/prices')}`.length - 1)
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [padding])),
      /3\/604\/prices: line 1, byte \d+: the file is cut short/,
    )
  })

  it('keeps the prices of a row whose high is beyond all bounds', async () => {
    const parked = withGroups({
      604: (group) => ({
        ...group,
        products: [
          {
            id: 42346,
            name: 'Alakazam',
            number: '1',
            prices: [{ subType: 'Holofoil', market: 44.1, high: 99_999_999.99 }],
          },
        ],
      }),
    })
    const out = temporaryFolder()
    const { report } = await importInto(out, 'tcgcsv', [writeMirror(parked)])
    assert.deepEqual(cardsById(out).get('pokemon-bs-1-holofoil').prices, {
      market: 44.1,
      low: null,
      mid: null,
      high: null,
    })
    assert.equal(report.game('pokemon').doubtful, 1)
  })
})

describe('a large mirror', () => {
  /** So many groups that a thread reads them. */
  const groups = Array.from({ length: 202 }, (_, i): MirrorGroup => {
    const products = [1, 2, 3].map((n) => ({
      id: 1000 * (i + 1) + n,
      name: `Card ${n} - ${n}/3`,
      number: `${n}/3`,
      rarity: 'Rare',
      prices: n === 3 ? [] : [{ subType: 'Normal', market: i + n / 100 }],
    }))
    const category = i % 2 === 0 ? 3 : 1
    return {
      category,
      id: 5000 + i,
      name: `Group ${i}`,
      abbreviation: `G${i}`,
      published: '2020-01-01T00:00:00',
      products,
    }
  })

  it('gives what its games give one by one, which no thread reads', async () => {
    const large = writeMirror(groups)
    const [whole, parts] = [temporaryFolder(), temporaryFolder()]
    const { report } = await importInto(whole, 'tcgcsv', [large])
    assert.equal(report.game('pokemon').cards, 303)
    for (const game of ['mtg', 'pokemon'] as const)
      await importInto(parts, 'tcgcsv', [large], { games: new Set([game] as const) })
    assert.deepEqual(contentOf(parts), contentOf(whole))
  })

  it('is refused for what is wrong in it, as a small one is', async () => {
    const files = mirrorFiles(groups)
    files.set('3/5100/prices', `${files.get('3/5100/prices')}`.slice(0, -5))
    files.delete('1/5101/products')
    const out = temporaryFolder()
    const errors = await errorsOf(importInto(out, 'tcgcsv', [writeFiles(files)]))
    assert.match(errors, /1\/5101\/products: is missing, though groups lists Group 101/)
    assert.match(errors, /3\/5100\/prices: line 1, byte \d+: the file is cut short/)
    assert.match(errors, /^2 errors; nothing was written$/m)
    assert.deepEqual(Object.keys(contentOf(out)), ['import/.lock.db'])
  })
})
