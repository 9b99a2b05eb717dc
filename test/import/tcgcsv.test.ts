/** A mirror of TCGCSV becomes a snapshot folder. */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ImportOptions } from '../../build/import/sources/source.ts'
import { type MirrorGroup, type MirrorProduct, mirrorGroups } from '../fetch/mirror-groups.ts'
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
  runImportHere,
} from '../support/import.ts'
import { dropped, mirrorFiles, withGroups, writeFiles, writeMirror } from '../support/mirror.ts'

const mirror = writeMirror()
const imported = temporaryFolder()
await importInto(imported, 'tcgcsv', [mirror])

/** Imports groups or files, into a new folder unless one is given. */
async function importOf(
  from: readonly MirrorGroup[] | ReadonlyMap<string, string | Buffer>,
  options: Partial<ImportOptions> = {},
  out = temporaryFolder(),
) {
  const dir = from instanceof Map ? writeFiles(from) : writeMirror(from as readonly MirrorGroup[])
  const { report, date } = await importInto(out, 'tcgcsv', [dir], options)
  const reported = report.records.map(({ kind, place, reason, record }) => [kind, place, reason, record])
  return { out, report, reported, date, cards: cardsById(out) }
}

/** A mirror's files with a text of one replaced. */
function edited(name: string, from: string, to: string, files = mirrorFiles()): Map<string, string | Buffer> {
  return files.set(name, `${files.get(name)}`.replaceAll(from, to))
}

/** The mirror's groups, where one of three cards has so many others. */
const withCards = (count: number, of: (i: number) => Partial<MirrorProduct> = () => ({})) =>
  withGroups({
    604: (group) => ({
      ...group,
      products: Array.from({ length: count }, (_, i) => ({
        id: 900_000 + i,
        name: `Card ${i}`,
        number: `${i}/99`,
        rarity: 'C',
        ...of(i),
      })),
    }),
  })

describe('A mirror of TCGCSV', () => {
  const unknown = { market: null, low: null, mid: null, high: null }
  const lugia = { name: 'Lugia VSTAR', setCode: 'swsh12', number: '139', rarity: 'Ultra Rare', tcgplayerId: 451396 }
  const known = { prices: { market: 4.53, low: 3.1, mid: 5, high: 25.51 }, updatedAt: '2026-11-20T00:00:00Z' }
  const cards: [id: string, expected: object][] = [
    ['pokemon-swsh12-139-holofoil', { ...lugia, ...known, sources: ['tcgplayer'] }],
    ['pokemon-swsh12-143', { name: 'Pidgey', prices: { market: 0.05, low: 0.01, mid: 0.15, high: 1000000 } }],
    ['pokemon-swsh12-143-reverse-holofoil', { name: 'Pidgey [Reverse Holofoil]', tcgplayerId: 451397 }],
    [
      'pokemon-swsh12-sv001-holofoil',
      { name: 'Serena', number: 'SV001', prices: { ...unknown, low: 1, mid: 2, high: 3 } },
    ],
    ['pokemon-swsh12-145', { name: 'Skarmory EX (Full Art)', updatedAt: null, prices: unknown }],
    ['pokemon-swsh12-451401-cosmos-holofoil-deluxe', { name: 'Regidrago & Friends Promo', number: null }],
    ['pokemon-pre-001', { name: 'Exeggcute' }],
    ['pokemon-pre-001-holofoil', { name: 'Exeggcute (Poke Ball Pattern)', tcgplayerId: 610002 }],
    ['pokemon-pre-001-holofoil-610003', { name: 'Exeggcute (Master Ball Pattern)', tcgplayerId: 610003 }],
    ['pokemon-pre-610005', { name: 'Unown', number: '!' }],
    ['pokemonjp-g24001-033-holofoil', { name: 'ピカチュウex', setCode: 'g24001' }],
    ['mtg-bro-070', { name: "Urza's Command", prices: { market: 0.2, low: 0.05, mid: 0.25, high: 10 } }],
    ['mtg-atq-3001', { name: "Ashnod's Altar", number: null }],
    ['mtg-sld-001-foil', { tcgplayerId: 200050 }],
    ['mtg-sld-001-foil-200100', { tcgplayerId: 200100 }],
    ['yugioh-rds-rds-en001-1st-edition', { setCode: 'rds' }],
    ['yugioh-rds-331-rds-ense1-limited', { name: 'Blue-Eyes White Dragon', setCode: 'rds-331' }],
    ['lorcana-1-42-cold-foil', { name: 'Elsa - Spirit of Winter [Cold Foil]' }],
    ['onepiece-op01-op01-001-450002', { name: 'Roronoa Zoro (Alternate Art)' }],
    ['onepiece-op01-450003', { name: 'DON!! Card', rarity: 'DON!!', number: null }],
    ['onepiece-st-01-st01-001', { name: 'Monkey.D.Luffy' }],
    ['fab-arc-arc000', { name: 'Eye of Ophidia', updatedAt: null }],
  ]
  for (const [id, expected] of cards) {
    it(`An import of the mirror makes the card ${id}`, () => {
      const card = cardsById(imported).get(id)
      assert.deepEqual({ ...card, ...expected }, card)
    })
  }

  it('A group without cards becomes no set, and once it has a card, its set has the group’s code', async () => {
    const isEmpty = ({ name }: { readonly name: string }) => ['Empty', 'Tins'].includes(name)
    const codes = (out: string) => recordsIn(out, 'sets').map(({ game, code }) => `${game} ${code}`)
    for (const code of ['pokemonjp s1a', 'yugioh ct']) assert.ok(!codes(imported).includes(code), code)
    const assigned = recordsIn(imported, 'import').flatMap(({ game, code }) => (code ? [`${game} ${code}`] : []))
    for (const code of ['pokemonjp s1a', 'yugioh ct']) assert.ok(assigned.includes(code), code)
    const unpriced = { id: 99, name: 'New', number: '1', rarity: 'R' }
    const groups = mirrorGroups.map((group) =>
      isEmpty(group) ? { ...group, products: [{ ...unpriced, id: group.id }] } : group,
    )
    const { out } = await importOf(groups)
    assert.deepEqual(codes(out).sort(), [...codes(imported), 'pokemonjp s1a', 'yugioh ct'].sort())
  })

  it('A set has its code, name and total, and no release date if its group’s date is the time of a fetch', () => {
    const sets = new Map(recordsIn(imported, 'sets').map(({ game, code, ...set }) => [`${game} ${code}`, set]))
    assert.equal(sets.size, mirrorGroups.length - 2, 'two groups have no card')
    const name = 'SWSH12: Silver Tempest'
    assert.deepEqual(sets.get('pokemon swsh12'), { name, releaseDate: '2022-11-11', printedTotal: 195 })
    assert.equal(sets.get('pokemonjp g24002')!['releaseDate'], null)
    assert.equal(sets.get('lorcana 1')!['name'], 'The First Chapter')
    assert.equal(sets.get('mtg bro')!['releaseDate'], '2022-11-18')
  })

  it('An import writes the expected lines of cards, sets, history and ids', async () => {
    const { out } = await importOf(mirrorGroups.slice(0, 1))
    const files = Object.entries(contentOf(out)).filter(([name]) => !/kept|lock/.test(name))
    const lines = files.map(([name, text]) =>
      name.endsWith('.gz') ? `${historyOf(out, name.slice(8)).join('\n')}\n` : text,
    )
    assert.equal(
      lines.join(''),
      `\
{"currency":"USD","images":["https://tcgplayer-cdn.example"]}
{"id":"pokemon-bs-001-holofoil","game":"pokemon","name":"Alakazam","setCode":"bs","number":"001","rarity":"Holo Rare","image":"https://tcgplayer-cdn.example/product/42346_200w.jpg","prices":{"market":44.1,"low":30,"mid":45.5,"high":99.99},"sources":["tcgplayer"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":42346,"printing":"Holofoil","scryfallId":null,"mtgjsonId":null}
{"id":"pokemon-bs-004-1st-edition-holofoil","game":"pokemon","name":"Charizard [1st Edition Holofoil]","setCode":"bs","number":"004","rarity":"Holo Rare","image":"https://tcgplayer-cdn.example/product/42382_200w.jpg","prices":{"market":9000,"low":7500,"mid":9500.5,"high":25000},"sources":["tcgplayer"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":42382,"printing":"1st Edition Holofoil","scryfallId":null,"mtgjsonId":null}
{"id":"pokemon-bs-004-holofoil","game":"pokemon","name":"Charizard [Holofoil]","setCode":"bs","number":"004","rarity":"Holo Rare","image":"https://tcgplayer-cdn.example/product/42382_200w.jpg","prices":{"market":350.12,"low":200,"mid":340,"high":900},"sources":["tcgplayer"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":42382,"printing":"Holofoil","scryfallId":null,"mtgjsonId":null}
2026-11-20,pokemon-bs-001-holofoil,44.1,30,99.99
2026-11-20,pokemon-bs-004-1st-edition-holofoil,9000,7500,25000
2026-11-20,pokemon-bs-004-holofoil,350.12,200,900
{"currency":"USD","sealed":false}
{"source":"tcgplayer","group":604,"game":"pokemon","code":"bs"}
{"source":"tcgplayer","product":42346,"subType":"Holofoil","id":"pokemon-bs-001-holofoil"}
{"source":"tcgplayer","product":42382,"subType":"1st Edition Holofoil","id":"pokemon-bs-004-1st-edition-holofoil"}
{"source":"tcgplayer","product":42382,"subType":"Holofoil","id":"pokemon-bs-004-holofoil"}
{"game":"pokemon","code":"bs","name":"Base Set","releaseDate":"1999-01-09","printedTotal":102}
`,
    )
    const unpriced = '{"source":"tcgplayer","product":451399,"subType":null,"id":"pokemon-swsh12-145"}'
    const ids = readFileSync(join(imported, 'import/ids.ndjson'), 'utf8').trimEnd().split('\n')
    assert.ok(ids.includes(unpriced))
    const numbers = ids.map((line) => JSON.parse(line)).map(({ group, product }) => group ?? 1e6 * product)
    assert.equal(numbers.join(), [...numbers].sort((a, b) => a - b).join(), 'sets, then cards, by their numbers')
  })

  it('A mirror is imported alike from tcgplayer/, CSV, packed files, without products of groups, with padding and with a BOM', async () => {
    const outer = temporaryFolder()
    cpSync(mirror, join(outer, 'tcgplayer'), { recursive: true })
    const padding = `"padding":"${'x'.repeat(2 ** 20)}",${' '.repeat(32 * 2 ** 20)}"results":[`
    const mirrors = [
      outer,
      ...(['json', '.json', 'json.gz', 'csv', 'csv.gz'] as const).map((form) =>
        writeMirror(mirrorGroups.map((group) => ({ ...group, form }))),
      ),
      writeFiles(edited('3/604/products', '"groupId":604,', '')),
      writeFiles(edited('3/604/prices', '"results":[', padding)),
      writeFiles(edited('3/604/prices', '{"success"', '\ufeff{"success"')),
    ]
    for (const dir of mirrors) {
      const { out } = await importNew('tcgcsv', [dir])
      assert.deepEqual(contentOf(out), contentOf(imported))
    }
  })

  it('A card has its sub-type though all its prices are null, from CSV and from JSON', async () => {
    const [first] = mirrorGroups as [MirrorGroup]
    const products = [{ ...first.products[0]!, prices: [{ subType: 'Holofoil' }] }, ...first.products.slice(1)]
    for (const form of ['json', 'csv'] as const) {
      const { report, cards } = await importOf([{ ...first, products, form }])
      assert.equal([...cards.keys()][0], 'pokemon-bs-001-holofoil')
      const game = report.game('pokemon')
      assert.deepEqual([game.cards, game.prices], [3, 2])
    }
  })

  it('The import of the same mirror again touches no file', async () => {
    const out = copyOf(imported)
    const old = new Date('2026-01-01')
    for (const name of Object.keys(contentOf(out))) utimesSync(join(out, name), old, old)
    assert.deepEqual((await importInto(out, 'tcgcsv', [mirror])).changed, [])
    assert.deepEqual(contentOf(out), contentOf(imported))
    for (const name of Object.keys(contentOf(out))) assert.equal(statSync(join(out, name)).mtimeMs, old.getTime(), name)
  })

  it('An import with --games leaves the other games as they are', async () => {
    const games = new Set(['pokemon'] as const)
    const { cards, out } = await importOf(
      withGroups({ 604: dropped(42346), 3189: dropped(450101) }),
      { games },
      copyOf(imported),
    )
    const rows = historyOf(out, '2026-11-20-tcgcsv.csv.gz').map((row) => row.split(',')[1])
    for (const [id, isThere] of [
      ['pokemon-bs-001-holofoil', false],
      ['onepiece-st-01-st01-001', true],
    ] as const)
      assert.deepEqual([cards.has(id), rows.includes(id)], [isThere, isThere], id)
  })

  it('The import command takes --date, --base, --games and --partial', async () => {
    const [out, base] = [temporaryFolder(), 'https://images.example/cards']
    const options = ['--date', '2026-10-01', '--base', base, '--games', 'fab, pokemon', '--partial']
    await runImportHere('tcgcsv', mirror, '--out', out, ...options)
    const { image, updatedAt } = cardsById(out).get('pokemon-swsh12-139-holofoil')
    assert.deepEqual([image, updatedAt], [`${base}/451396_200w.jpg`, '2026-10-01T00:00:00Z'])
    assert.deepEqual(readdirSync(join(out, 'cards')), ['tcgcsv-fab.ndjson', 'tcgcsv-pokemon.ndjson'])
    assert(contentOf(out)['history/2026-10-01-tcgcsv.csv.gz'] !== undefined)
  })

  it('A price that is null, absent or out of bounds is unknown, and a price of 0 stays 0', async () => {
    const row = { productId: 42346, subTypeName: 'Holofoil', lowPrice: 0, midPrice: null, marketPrice: 2 }
    const wrong = ['results[0].highPrice', 'must be at most 10000000, so it is unknown', '99999999.99']
    const noGroup = ['left out', null, 'folder of no group', '9']
    const noProduct = ['left out', null, 'price of no product', '1']
    for (const [highPrice, doubtful] of [
      [undefined, []],
      [99_999_999.99, [['doubtful', ...wrong]]],
    ] as const) {
      const results = [
        { ...row, highPrice },
        { ...row, productId: 1 },
        { ...row, productId: 1, subTypeName: 'Foil' },
      ]
      const files = mirrorFiles(mirrorGroups.slice(0, 1)).set('3/9/x', '')
      const { cards, report, reported } = await importOf(files.set('3/604/prices', JSON.stringify({ results })))
      const { prices } = cards.get('pokemon-bs-001-holofoil')
      assert.deepEqual(prices, { market: 2, low: 0, mid: null, high: null })
      const sealed = ['left out', 'results[2]', 'sealed', '42400 Base Set Booster Pack']
      assert.deepEqual(reported, [noGroup, ...doubtful, sealed, noProduct])
      assert.equal(report.game('pokemon').leftOut.get('price of no product'), 2)
    }
  })

  it('A mirror without modifiedOn has the day of its newest file', async () => {
    const files = mirrorFiles()
    for (const [name, content] of files)
      if (typeof content === 'string') files.set(name, content.replaceAll('modifiedOn', 'changedOn'))
    for (const name of [...files.keys()]) if (/\.gz$|^68\//.test(name)) files.delete(name)
    const dir = writeFiles(files)
    for (const name of files.keys()) utimesSync(join(dir, name), new Date(0), new Date('2026-03-04T12:00:00Z'))
    const games = new Set(['yugioh', 'lorcana', 'swu', 'fab'] as const)
    assert.equal((await importInto(temporaryFolder(), 'tcgcsv', [dir], { games })).date, '2026-03-04')
  })
})

describe('A wrong record of a mirror', () => {
  it('A wrong record of a mirror is left out and counted', async () => {
    const groups = withCards(40, () => ({ prices: [{ subType: 'Normal', market: 1 }] }))
    const files = mirrorFiles(groups)
    files.set('3/604/prices', `${files.get('3/604/prices')}`.replace('"lowPrice":null', '"lowPrice":-1'))
    const { report, reported, cards } = await importOf(files)
    assert.equal(report.game('pokemon').leftOut.get('wrong'), 1)
    assert.equal(reported.find(([, , reason]) => reason === 'wrong')![1], 'results[0].lowPrice')
    assert.equal(cards.get('pokemon-bs-0').prices.market, null, 'the product is there without the price')
  })

  it('A price of a CSV without a sub-type is left out as wrong', async () => {
    const groups = withCards(20, (i) => ({ prices: [{ subType: i === 7 ? '' : 'Normal', market: 1 }] }))
    const own = groups.filter(({ id }) => id === 604).map((group) => ({ ...group, form: 'csv' as const }))
    const { reported } = await importOf(own)
    assert.deepEqual(reported, [['left out', 'line 9.subTypeName', 'wrong', 'must not be blank ("")']])
  })

  it('A record with a lone surrogate is left out, since no snapshot may hold one', async () => {
    const files = mirrorFiles(withCards(80))
    const products = JSON.parse(`${files.get('3/604/products')}`)
    products.results[0].name += '\ud83d'
    products.results[1].imageUrl = 'https://images.example/\udc00.jpg'
    products.results[2].extendedData[0].value += '\udc00'
    products.results[3].name += '\u{1f600}'
    const { reported, cards } = await importOf(files.set('3/604/products', JSON.stringify(products)))
    const places = reported.flatMap(([, place, reason]) => (reason === 'wrong' ? [place] : []))
    assert.equal(places.join(), 'results[0].name,results[1].imageUrl,results[2].extendedData.0.value')
    assert.equal(cards.get('pokemon-bs-3').name, 'Card 3\u{1f600}')
  })

  it('A mirror of which more than a twentieth is wrong is refused', async () => {
    const wrong = (count: number) => withCards(40, (i) => (i < count ? { name: '' } : {}))
    assert.equal((await importOf(wrong(2))).report.game('pokemon').leftOut.get('wrong'), 2)
    assert.match(
      await errorsOf(importOf(wrong(3))),
      /3\/604\/products: results\[0\]\.name: must not be blank \(""\); 3 of 40 records are wrong, more than 5 %/,
    )
  })

  it('A product that is in two groups is left out of the later ones', async () => {
    const [first, second] = [mirrorGroups[0]!, mirrorGroups[2]!]
    const alsoOf = (group: MirrorGroup): MirrorGroup => ({
      ...group,
      form: 'json',
      products: [...group.products, first.products[0]!],
    })
    const lorcana = mirrorGroups.find(({ category }) => category === 71)!
    const { reported, cards } = await importOf([first, alsoOf(second), alsoOf(lorcana)])
    assert.equal(cards.get('pokemon-bs-001-holofoil')?.setCode, 'bs')
    const twice = reported.filter(([, , reason]) => reason === 'product of two groups')
    const places = ['results[9]', `results[${lorcana.products.length}]`]
    assert.equal(twice.map(([, place]) => place).join(), places.join())
  })

  it('A mirror with a wrong and a missing file gets a line for each, and nothing is written', async () => {
    const files = mirrorFiles()
    files.set('3/604/prices', `${files.get('3/604/prices')}`.slice(0, -5))
    files.delete('71/22937/products')
    const out = temporaryFolder()
    const errors = await errorsOf(importOf(files, {}, out))
    assert.match(errors, /71\/22937\/products: is missing, though groups lists The First Chapter/)
    assert.match(errors, /3\/604\/prices: line 1, byte \d+: the file is cut short/)
    assert.match(errors, /^2 errors; nothing was written$/m)
    assert.deepEqual(Object.keys(contentOf(out)), ['import/.lock.db'])
  })
})

describe('The codes and ids of TCGCSV', () => {
  it('A code that two sets share goes to the older set, even if the number of its group is higher', async () => {
    const { out } = await importOf(withGroups({ 330: (group) => ({ ...group, published: '2006-01-01T00:00:00' }) }))
    const codes = recordsIn(out, 'sets').flatMap(({ name, code }) =>
      name.startsWith('Rise of Destiny') ? [[name, code]] : [],
    )
    assert.deepEqual(codes, [
      ['Rise of Destiny (Special)', 'rds'],
      ['Rise of Destiny', 'rds-330'],
    ])
  })

  it('A code that several sets share goes to the oldest, and the others get codes of their own', async () => {
    const abbreviations = { 5: 'X-13', 7: 'X', 8: 'x', 9: 'X!', 10: 'X-9', 11: '', 12: '!', 13: 'X' }
    const groups = Object.entries(abbreviations).map(
      ([id, abbreviation]): MirrorGroup => ({ ...mirrorGroups[0]!, id: Number(id), abbreviation, products: [] }),
    )
    const { out } = await importOf(groups)
    const codes = recordsIn(out, 'import').map(({ group, code }) => [group, code])
    const expected = { 5: 'x-13', 7: 'x', 8: 'x-8', 9: 'x-9', 10: 'x-9-10', 11: 'g11', 12: 'g12', 13: 'x-13-13' }
    assert.deepEqual(Object.fromEntries(codes), expected)
  })

  it('The ids of cards are never too long, and never assigned twice', async () => {
    // The last two would have what the first two got for their length.
    const numbers = ['9'.repeat(130), '9'.repeat(130), 'a', 'a', 'a-4']
    const products = numbers.map((number, i) => ({ id: 1 + i, name: 'Card', number, rarity: 'C' }))
    const { out } = await importOf([{ ...mirrorGroups[0]!, products }])
    const long = 'pokemon-bs-'.padEnd(126, '9')
    const ids = recordsIn(out, 'cards').map(({ id }) => id)
    assert.deepEqual(ids, [`${long}-1`, `${long}-2`, 'pokemon-bs-a', 'pokemon-bs-a-4', 'pokemon-bs-a-4-5'])
  })
})
