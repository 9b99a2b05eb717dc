/**
 * An import that is refused leaves the folder as it was: a line names file and place of each error in a download, or the prices
 * that can’t be those that follow the ones imported last.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { lineBytesMax, unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  errorsOf,
  file,
  importInto,
  importNew,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { groupsOf, type Market, mirrorFiles, writeFiles, writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, brothersWar, scryfallCards, shop, uuid } from './magic.ts'

const groups = mirrorGroups.filter(({ id }) => [604, 23120, 3100, 24001].includes(id))
const mirror = writeMirror(groups)
const out = temporaryFolder()
await importInto(out, 'tcgcsv', [mirror])
const good = contentOf(out)

/** The content, so many bytes of it, a text in place of another, or what becomes of it. */
type Change = string | number | readonly [from: string, to: string] | ((content: Buffer) => Buffer)
const changed = (content: Buffer, change: Change): string | Buffer => {
  if (typeof change === 'string') return change
  if (typeof change === 'number') return content.subarray(0, change)
  return typeof change === 'function' ? change(content) : `${content}`.replaceAll(...change)
}

const files = mirrorFiles(groups)
const textOf = (name: string) => `${files.get(name)}`
const [prices, products, packed] = ['3/604/prices', '3/604/products', '3/23120/prices.gz'] as const
const [categories, csv] = ['categories', '1/3100/ProductsAndPrices.csv'] as const
const noUtf8 = (content: Buffer) => Buffer.from(`${content}`.replace('Alakazam', 'Alak\xffzam'), 'latin1')
const flipped = (content: Buffer) => Buffer.from(content.map((byte, at) => (at === 40 ? byte ^ 0xff : byte)))
const followed = (content: Buffer) => Buffer.concat([content, Buffer.alloc(9), content])
const bomb = () => Buffer.concat([gzipSync('{"x":'), ...Array(2560).fill(gzipSync(' '.repeat(4 * 2 ** 20)))])

const tooLarge = `can't be read: the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times its own`
const [aboveZero, isTwice] = ['must be a whole number above 0', 'is there twice']
const damages: readonly (readonly [what: string, file: string, change: Change, expected: string])[] = [
  ['prices cut short', prices, 150, 'line 1, byte 145: the file is cut short'],
  ['prices that are empty', prices, '', 'line 1, byte 0: must be JSON (the file is empty)'],
  ['prices that are an array', prices, '[]', 'line 1, byte 0: must be JSON (an object must stand here)'],
  ['prices without the field results', prices, '{"success":true}', 'results: is missing'],
  ['results that are no array', prices, '{"results":{}}', 'results: must be an array ({})'],
  ['an answer without success', prices, ['"success":true', '"success":false'], 'success: must be true (false)'],
  ['an answer with errors', prices, ['"errors":[]', '"errors":["x"]'], 'errors: must be empty (["x"])'],
  ['products in place of prices', prices, textOf(products), '[0].subTypeName: is missing; 3 of 3'],
  ['prices of another group', prices, textOf('85/24001/prices'), "has prices of none of its group's products"],
  [
    'products of another group',
    products,
    textOf('85/24001/products'),
    '[0].groupId: must be 604, its folder (24001); 2 of 2',
  ],
  ['groups of another game', '3/groups', textOf('1/groups'), '[0].categoryId: must be 3, its folder (1); 1 of 1'],
  ['a group twice', '3/groups', ['23120', '604'], '[1].groupId: is there twice (604); 1 of 2'],
  ['a product without a name', products, ['"name":"Alakazam",', ''], '[0].name: is missing; 1 of 3'],
  ['a product id in quotes', products, [':42346,', ':"42346",'], `[0].productId: ${aboveZero} ("42346"); 1 of 3`],
  ['a product twice', products, ['42382', '42346'], '[1].productId: is there twice (42346); 1 of 3'],
  ['a price twice', prices, ['1st Edition ', ''], `[2].subTypeName: ${isTwice} for its product ("Holofoil"); 1 of 4`],
  ['bytes that are no UTF-8', products, noUtf8, '[0]: must be UTF-8 ("{…'],
  ['a gzip cut short', packed, -20, "can't be read: the gzip is cut short"],
  ['a gzip with a flipped byte', packed, flipped, "can't be read: the gzip is damaged, …"],
  ['a gzip that something follows', packed, followed, "can't be read: the packed data ends at byte 253 of 515"],
  ['a gzip file that is no gzip', packed, 'text', "can't be read: the gzip is damaged, …"],
  ['a gzip that unpacks to more than the limit', packed, bomb, tooLarge],
  ['categories cut short', categories, -9, 'line 1, byte 682: the file is cut short'],
  ['prices in place of categories', categories, textOf(prices), '[0].categoryId: is missing; 4 of 4'],
  ['a CSV without a column', csv, ['subTypeName', 'subType'], 'line 1: must have the column subTypeName'],
  ['a CSV cut in a row', csv, -30, 'line 7: the file is cut short'],
  ['a CSV cut in a quote', csv, textOf(csv).indexOf('&mdash'), 'line 2: the file is cut short'],
  ['an empty CSV', csv, '', 'line 1: must be a header (the file is empty)'],
  [
    'a CSV whose price is no number',
    csv,
    [',0.05,', ',cheap,'],
    'line 2.lowPrice: must be a number or null ("cheap"); 1 of 4',
  ],
]

/** All files of all groups, none packed, with a field renamed. */
const renamed = (from: string, to: string) =>
  [...mirrorFiles(mirrorGroups.map((group) => ({ ...group, form: 'json' as const })))].map(
    ([name, content]) => [name, typeof content === 'string' ? content.replaceAll(from, to) : content] as const,
  )
const noneHas = (what: string, field: string) => `no ${what} of the mirror has ${field}`
const without = (start: string) => [...files].filter(([name]) => !name.startsWith(start))
const mirrors: readonly (readonly [what: string, files: Iterable<readonly [string, string | Buffer]>, string])[] = [
  [
    'prices with a renamed field',
    renamed('marketPrice', 'x'),
    `1/2/prices: results: ${noneHas('price', 'marketPrice')}`,
  ],
  [
    'products with a renamed field',
    renamed('extendedData', 'x'),
    `1/2/products: results: ${noneHas('product', 'extendedData')}`,
  ],
  ['no groups in the folder of a game', without('3/groups'), '3/groups: is missing'],
  ['a file that is a folder', [...without(prices), [`${prices}/x`, '']], '3/604/prices: must be a plain file'],
  [
    ...(['no groups of a game', without('3/')] as const),
    "3/groups: is missing, but cards of pokemon were imported before; name the mirror's games with --games",
  ],
]

/** @param line the only one: `; 1 of 3` at its end are the wrong records, `…` are the words of zlib, or a long value */
async function assertRefused(source: string, paths: readonly string[], line: string): Promise<void> {
  const errors = (await errorsOf(importInto(out, source, paths))).replace(/(is damaged, |\("\{).*/, '$1…')
  const share = '; $1 records are wrong, more than 5 %; the first is shown'
  assert.equal(errors, `${line.replace(/; (\d+ of \d+)$/, share)}\n1 error; nothing was written`)
  assert.deepEqual(contentOf(out), good)
}

describe('A wrong mirror', () => {
  for (const [what, file, change, expected] of damages) {
    it(`A mirror is refused if it has ${what}`, () => {
      const dir = writeFiles(new Map(files).set(file, changed(Buffer.from(files.get(file)!), change)))
      return assertRefused('tcgcsv', [dir], `${join(dir, file)}: ${expected.replace(/^\[/, 'results[')}`)
    })
  }
  for (const [what, content, expected] of mirrors) {
    it(`A mirror is refused if it has ${what}`, () => {
      const dir = writeFiles(new Map(content))
      return assertRefused('tcgcsv', [dir], join(dir, expected))
    })
  }
})

describe('Another wrong file', () => {
  const printings = () => file('AllPrintings.json', allPrintings())
  const withPrices = (content: string) => () => [printings(), file('prices.json', content)]
  /** So much that it is more than a value may have. */
  const endless = (start: string): string => file('x.json', start + 'x'.repeat(130 * 2 ** 20))
  const groupsFiles = [3, 85, 1, 2, 71, 68, 79, 62].map((category) => `${category}/groups`).join(', ')
  const secondPrices = 'is a second file of prices: one a run'
  const noPrice = 'data: has no price of TCGplayer in US dollars for a known card'
  const notNumber = `data.${uuid(1)}.paper.tcgplayer.retail.normal.2026-11-20: must be a number ("2.5"); 2 of 5`
  const noKey =
    'must be market, low, mid, high, a condition (near_mint), a grader and a grade (psa_10), cardmarketId, or market:NAME:CURRENCY'
  const openQuote = `line 2: has a quote that is not closed, or is over ${lineBytesMax} bytes`
  const noId = 'must be a letter or digit, and at most 63 more, dots or hyphens'
  const paid = { cardkingdom: shop('USD', {}, { normal: { '2026-11-20': -1 } }) }
  const wrongBuylist = `data.${uuid(1)}.paper.cardkingdom.buylist.normal.2026-11-20: must be 0 or more (-1); 1 of 1`
  const sourceName = 'has the name of a source: name its layer with --as'
  const cards = [brothersWar.cards[0], brothersWar.cards[0]]
  const twice = allPrintings({ BRO: { ...brothersWar, cards } })
  const names = 'console-name,product-name'
  const guide = `${names},new-price\n`
  const bothUnits = `line 3.new-price: must be in dollars, as the file's first price ("90"); 1 of 2`
  const tooLong = 'a value must not be over 134217728 bytes'
  const emptyDay = join(temporaryFolder(), '2026-11-01')
  mkdirSync(emptyDay)
  const noDays = writeFiles(new Map(['2026-11-01', '2026-11-01 x/3/604/prices'].map((name) => [name, ''])))
  const scryfall = JSON.stringify(scryfallCards)
  const inYen = () =>
    Array.from({ length: 20 }, (_, i) => `${JSON.stringify({ ...scryfallCards[1]!, id: `card ${i}` })}\n`)
      .join('')
      .replaceAll('"usd', '"yen')

  type Case = readonly [source: string, what: string, content: string | (() => string), expected: string]
  const contents: readonly Case[] = [
    ['mtgjson', 'neither cards nor prices', '{"meta":{}}', 'data: is missing or empty'],
    ['mtgjson', 'prices alone', allPrices, 'has prices, and no cards are known yet: import AllPrintings.json with it'],
    ['mtgjson', 'a card twice', twice, `data.BRO.cards[1].uuid: is there twice ("${uuid(1)}"); 1 of 3`],
    [
      'mtgjson',
      'a blank code',
      '{"data":{"code":"","name":"x","cards":[]}}',
      'data.code: must not be blank (""); 1 of 1',
    ],
    ['mtgjson', 'no id', '{"data":{"B":{"name":"x","cards":[{"id":1}]}}}', 'data.B.cards[0].uuid: is missing; 1 of 2'],
    ['scryfall', 'a line cut short', JSON.stringify(scryfallCards[0]).slice(0, -1), 'line 1: the file is cut short'],
    ['scryfall', 'cards without a set', '{"id":"1","name":"x"}\n', 'line 1.set: is missing; 1 of 1'],
    ['scryfall', 'prices under another name', inYen, 'prices: no card of the file has usd'],
    [
      'scryfall',
      'a price in euros that is no number',
      scryfall.replace('19.24', 'x'),
      '[0].prices.eur: must be a number ("x"); 1 of 5',
    ],
    ['scryfall', 'no id', scryfall.replace(uuid(1001), '-'), `[0].id: ${noId} ("-"); 1 of 5`],
    ['scryfall', 'an empty array', '[]', 'line 1: has no cards'],
    ['scryfall', 'no card at all', '', 'line 1: must be JSON (the file is empty)'],
    ['overlay', 'a column missing', 'id,price\n', 'line 1: must have the column key'],
    ['overlay', 'an unknown key', 'id,key,price\nx,PSA 10,1\n', `line 2.key: ${noKey} ("PSA 10"); 1 of 1`],
    [
      'overlay',
      'a price that is no number',
      'id,key,price\nx,low,$1\n',
      'line 2.price: must be a number ("$1"); 1 of 1',
    ],
    ['overlay', 'no id', 'id,key,price\n,low,1\n', 'line 2.id: must not be empty (""); 1 of 1'],
    [
      'overlay',
      'a price twice',
      'id,key,price\nx,low,1\nx,low,2\n',
      `line 3.key: ${isTwice} for its card ("low"); 1 of 2`,
    ],
    ['overlay', 'a quote without end', () => `id,key,price\n"${'x'.repeat(lineBytesMax)}`, openQuote],
    ['pricecharting', 'no console name', `${guide},X #1,$1\n`, 'line 2.console-name: must not be blank; 1 of 1'],
    ['pricecharting', 'no product name', `${guide}Magic x,<b>,$1\n`, 'line 2.product-name: must not be blank; 1 of 1'],
    ['pricecharting', 'dollars and cents', `${guide}Magic x,X #1,$9\nMagic x,X #2,90\n`, bothUnits],
    [
      'pricecharting',
      'no column of product names',
      'console-name,manual-only-price\n',
      'line 1: must have the column product-name',
    ],
    ['pricecharting', 'no column of a grade', `${names}\n`, 'line 1: must have a column of a grade, such as cib-price'],
    ['tcgcsv-archive', 'a file in place of a folder', '', 'must be a folder'],
  ]
  type PathsCase = readonly [source: string, what: string, paths: () => string[], expected: string]
  const paths: readonly PathsCase[] = [
    ...contents.map(([source, what, content, expected]): PathsCase => {
      const given = () => [file('x', typeof content === 'string' ? content : content())]
      return [source, what, given, expected]
    }),
    ['mtgjson', 'prices cut short', withPrices(allPrices().slice(0, -40)), 'line 1, byte 764: the file is cut short'],
    ['mtgjson', 'all sets twice', () => [printings(), printings()], 'is a second file of all sets: one a run'],
    ['mtgjson', 'prices twice', () => [file('a', allPrices()), file('a', allPrices())], secondPrices],
    ['mtgjson', 'prices of other cards', withPrices(allPrices().replaceAll('00000000-', 'a0000000-')), noPrice],
    ['mtgjson', 'a wrong buylist', withPrices(JSON.stringify({ data: { [uuid(1)]: { paper: paid } } })), wrongBuylist],
    [
      'mtgjson',
      'prices in quotes',
      withPrices(allPrices().replaceAll('2.5', '"2.5"').replaceAll('0.99', '-1')),
      notNumber,
    ],
    ...someOf<PathsCase>(
      [
        ['mtgjson', 'one value without end', () => [endless('{"data":{"x":"')], `line 1, byte 13: ${tooLong}`],
        ['mtgjson', 'one key without end', () => [endless('{"data":{"')], `line 1, byte 9: ${tooLong}`],
      ],
      amount(0, 2),
    ),
    ['overlay', 'a file named after a source', () => [file('tcgplayer.csv', 'id,key,price\n')], sourceName],
    ['scryfall', 'a file that does not exist', () => [join(temporaryFolder(), 'nowhere.json')], 'does not exist'],
    [
      'tcgcsv',
      'a folder that is no mirror',
      () => [temporaryFolder()],
      `is not a mirror: it has none of ${groupsFiles}`,
    ],
    [
      'tcgcsv-archive',
      'a folder without a day',
      () => [noDays],
      'is not an archive day (YYYY-MM-DD) and contains none',
    ],
    ['tcgcsv-archive', 'an empty archive day', () => [emptyDay], 'has no prices of the games'],
  ]
  for (const [source, what, given, expected] of paths) {
    it(`An import of ${source} with ${what} is refused`, () => {
      const paths = given()
      return assertRefused(source, paths, `${paths.at(-1)}: ${expected}`)
    })
  }
})

const all = (count: number, market: Market = 10): Market[] => new Array<Market>(count).fill(market)
/** The first ones of so many have another price. */
const some = (changed: number, count: number, market: Market): Market[] => [
  ...all(changed, market),
  ...all(count - changed),
]

/** @param times what the others' prices are now; none if there are none */
const figures = (lost: number, had: number, times?: string): string =>
  `${lost} of ${had} cards that had a market price have none now${
    times === undefined ? '' : `, and the median of the others is ${times} times what it was`
  }`

const day = { date: '2026-11-20' }
const dayAfter = { date: '2026-11-21' }

async function importedOf(...groups: readonly (readonly MirrorGroup[])[]): Promise<string> {
  const { out } = await importNew('tcgcsv', [writeMirror(groups.flat())], day)
  return out
}

describe('A mirror that lost much of a game', () => {
  const refused: readonly (readonly [what: string, earlier: Market[], later: Market[], figures: string])[] = [
    ['whose prices are all null', all(120), all(120, null), figures(120, 120)],
    ['with more than a tenth of its prices null', all(100), some(11, 100, null), figures(11, 100, '1')],
    ['with more than a tenth of its prices gone', all(120), all(107), figures(13, 120, '1')],
    ['whose prices are a thousand times the last ones', all(120), all(120, 10_000), figures(0, 120, '1,000')],
    ['of three cards whose prices are in cents in place of dollars', all(3), all(3, 1000), figures(0, 3, '100')],
    ['whose prices are a little over twice the last ones', all(120), all(120, 20.01), figures(0, 120, '2.001')],
    ['whose prices are a little below half of the last ones', all(120), all(120, 4.99), figures(0, 120, '0.499')],
    [
      'whose prices are a thousand times the last ones, but for those of 0',
      [...all(40), ...all(40, 0), ...all(40)],
      [...all(40, 10_000), ...all(40, 0), ...all(40, 10_000)],
      figures(0, 120, '1,000'),
    ],
    ['with more than half of its prices ten times the last ones', all(120), some(61, 120, 100), figures(0, 120, '10')],
  ]
  for (const [what, earlier, later, found] of refused) {
    it(`An import refuses a game ${what} until --accept names the game`, async () => {
      const out = await importedOf(groupsOf(earlier))
      const before = contentOf(out)
      const dir = writeMirror(groupsOf(later))
      assert.equal(
        await errorsOf(importInto(out, 'tcgcsv', [dir], dayAfter)),
        `${dir}: pokemon: ${found}: --accept pokemon imports it all the same\n1 error; nothing was written`,
      )
      assert.deepEqual(contentOf(out), before)
      const args = ['tcgcsv', dir, '--out', out, '--date', dayAfter.date, '--accept', 'pokemon']
      const { code, stderr } = await runImportHere(...args)
      assert.equal(code, 0, stderr)
      assert.notDeepEqual(contentOf(out), before)
    })
  }

  /** `written` are the prices in the folder afterwards, if they are not the later ones. */
  const taken: readonly (readonly [what: string, earlier: Market[], later: Market[], written?: Market[]])[] = [
    ['with a tenth of its prices null', all(100), some(10, 100, null)],
    ['with a tenth of its prices gone', all(100), all(90)],
    [
      'whose 99 prices are all null, and holds back its two sets of 40',
      [...all(99), ...all(50, null)],
      all(149, null),
      [...all(80), ...all(69, null)],
    ],
    ['whose prices are twice the last ones', all(120), all(120, 20)],
    ['whose prices are half of the last ones', all(120), all(120, 5)],
    // The first set of 40 is held. Half of the second one keeps its prices, so its median is as before.
    ['with half of its prices a thousand times the last ones', all(120), some(60, 120, 10_000), some(20, 120, 10_000)],
    ['whose prices were and are 0', all(120, 0), all(120, 0)],
    ['priced for the first time', all(120, null), all(120, 10_000)],
  ]
  for (const [what, earlier, later, written = later] of taken) {
    it(`An import accepts a game ${what}`, async () => {
      const out = await importedOf(groupsOf(earlier))
      await importInto(out, 'tcgcsv', [writeMirror(groupsOf(later))], dayAfter)
      const prices = recordsIn(out, 'cards').map(({ prices }) => prices?.market ?? null)
      assert.deepEqual(prices.sort(), [...written].sort())
    })
  }
})

describe('The comparison of a mirror with the last one', () => {
  it('An import reports a wrong day and wrong prices together', async () => {
    const out = await importedOf(groupsOf(all(100)))
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [writeMirror(groupsOf(all(100, 30)))])),
      /: is dated 2026-11-20, .*\n.*: pokemon: 0 of 100 cards .* 3 times .*\n2 errors; nothing was written$/,
    )
  })

  it('An import compares the prices of each game only with that game’s last ones', async () => {
    const [pokemon, mtg] = [all(1000), all(100)]
    const out = await importedOf(groupsOf(pokemon), groupsOf(mtg, 1))
    const dir = writeMirror([...groupsOf(pokemon), ...groupsOf(some(11, 100, null), 1)])
    assert.match(await errorsOf(importInto(out, 'tcgcsv', [dir], dayAfter)), /: mtg: 11 of 100 .*\n1 error;/)
    // Games that are not imported stay as they are.
    await importInto(out, 'tcgcsv', [dir], { ...dayAfter, games: new Set(['pokemon'] as const) })
  })

  it('An import with --partial compares only the prices of groups whose files it has', async () => {
    const out = await importedOf(groupsOf(all(200)))
    const files = mirrorFiles(groupsOf(all(200, 10_000)))
    for (const group of [301, 302, 303, 304]) files.delete(`3/${group}/prices`)
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [writeFiles(files)], { ...dayAfter, partial: true })),
      /: pokemon: 0 of 40 cards .* 1,000 times/,
    )
  })

  it('An import compares the prices of an overlay only with the last overlay of the same name', async () => {
    const out = await importedOf(groupsOf(all(120)))
    const overlay = (name: string, price: number, rows = 120): string => {
      const path = join(temporaryFolder(), name)
      const ids = [...cardsById(out).keys()].slice(0, rows)
      writeFileSync(path, ['id,key,price', ...ids.map((id) => `${id},market,${price}`), ''].join('\n'))
      return path
    }
    await importInto(out, 'overlay', [overlay('sales.csv', 10)])
    assert.match(
      await errorsOf(importInto(out, 'overlay', [overlay('sales.csv', 10_000)])),
      /sales\.csv: pokemon: 0 of 120 cards .* 1,000 times/,
    )
    assert.match(await errorsOf(importInto(out, 'overlay', [overlay('sales.csv', 10, 100)])), /: pokemon: 20 of 120 /)
    await importInto(out, 'overlay', [overlay('others.csv', 10_000)])
  })
})

describe('The report of an import', () => {
  it('The report of an import lists a group whose prices are gone, and counts the known prices', async () => {
    const out = await importedOf(groupsOf(all(979)))
    const later = groupsOf([...all(960), ...all(19, null)])
    const { report } = await importInto(out, 'tcgcsv', [writeMirror(later)], dayAfter)
    const listed = () =>
      report.records.filter(({ kind }) => kind === 'doubtful').map(({ game, reason, record }) => [game, reason, record])
    assert.deepEqual(listed(), [['pokemon', 'had prices, and has none now', '324 Group 24']])
    const { cards, prices, doubtful } = report.game('pokemon')
    assert.deepEqual({ cards, prices, doubtful }, { cards: 979, prices: 960, doubtful: 1 })
    const again = await importInto(out, 'tcgcsv', [writeMirror(later)], dayAfter)
    assert.equal(again.report.game('pokemon').doubtful, 0)
  })
})
