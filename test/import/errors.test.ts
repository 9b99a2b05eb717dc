/** An error in a download ends the import with a line that names file and place, and leaves the folder as it was. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { blankBytesMax, unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { contentOf, errorsOf, importInto } from '../support/import.ts'
import { mirrorFiles, writeFiles, writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, scryfallCards } from './magic.ts'

const groups = mirrorGroups.filter(({ category }) => [1, 3, 85].includes(category))
const mirror = writeMirror(groups)
const out = temporaryFolder()
let good: Record<string, string>
before(async () => {
  await importInto(out, 'tcgcsv', [mirror])
  good = contentOf(out)
})

const tooLarge = `can't be read: the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times its own`
const tooBlank = `can't be read: more than ${blankBytesMax} bytes of blank lines on end`
const blanks = `${' '.repeat(127)}\n`.repeat(blankBytesMax / 128 + 1)

type Change = (files: Map<string, string | Buffer>) => void
const edit =
  (name: string, change: (text: string) => string | Buffer): Change =>
  (files) =>
    files.set(name, change(`${files.get(name)}`))
const packed =
  (name: string, change: (bytes: Buffer) => Buffer): Change =>
  (files) =>
    files.set(name, change(files.get(name) as Buffer))
const bad: readonly (readonly [what: string, change: Change, expected: RegExp])[] = [
  [
    'prices cut short',
    edit('3/604/prices', (text) => text.slice(0, 150)),
    /3\/604\/prices: line 1, byte \d+: the file is cut short/,
  ],
  [
    'prices that are empty',
    edit('3/604/prices', () => ''),
    /3\/604\/prices: line 1, byte 0: must be JSON \(the file is empty\)/,
  ],
  [
    'prices that are no JSON',
    edit('3/604/prices', () => '<html>403</html>'),
    /3\/604\/prices: line 1, byte 0: must be JSON \(an object must stand here\)/,
  ],
  [
    'prices that are an array',
    edit('3/604/prices', () => '[]'),
    /3\/604\/prices: line 1, byte 0: must be JSON \(an object must stand here\)/,
  ],
  ['prices without results', edit('3/604/prices', () => '{"success":true}'), /3\/604\/prices: results: is missing/],
  [
    'results that are no array',
    edit('3/604/prices', () => '{"results":{}}'),
    /3\/604\/prices: results: must be an array \(\{\}\)/,
  ],
  [
    'an answer without success',
    edit('3/604/prices', (text) => text.replace('"success":true', '"success":false')),
    /3\/604\/prices: success: must be true \(false\)/,
  ],
  [
    'an answer with errors',
    edit('3/604/prices', (text) => text.replace('"errors":[]', '"errors":["x"]')),
    /3\/604\/prices: errors: must be empty/,
  ],
  [
    'products in place of prices',
    (files) => files.set('3/604/prices', files.get('3/604/products')!),
    /3\/604\/prices: results\[0\]\.subTypeName: is missing; \d of \d records are wrong/,
  ],
  [
    'prices of another group',
    (files) => files.set('3/604/prices', files.get('85/24001/prices')!),
    /3\/604\/prices: has prices of none of its group's products/,
  ],
  [
    'products of another group',
    (files) => files.set('3/604/products', files.get('85/24001/products')!),
    /3\/604\/products: results\[0\]\.groupId: must be 604, its folder \(24001\)/,
  ],
  [
    'groups of another game',
    (files) => files.set('3/groups', files.get('1/groups')!),
    /3\/groups: results\[0\]\.categoryId: must be 3, its folder \(1\)/,
  ],
  [
    'groups cut short',
    edit('3/groups', (text) => text.slice(0, -9)),
    /3\/groups: line 1, byte \d+: the file is cut short/,
  ],
  [
    'a product without a name',
    edit('3/604/products', (text) => text.replace('"name":"Alakazam",', '')),
    /3\/604\/products: results\[0\]\.name: is missing/,
  ],
  [
    'a product id that is no number',
    edit('3/604/products', (text) => text.replace('42346', '"42346"')),
    /results\[0\]\.productId: must be a whole number above 0 \("42346"\)/,
  ],
  [
    'a product twice',
    edit('3/604/products', (text) => text.replaceAll('42382', '42346')),
    /results\[1\]\.productId: is there twice/,
  ],
  [
    'a price twice',
    edit('3/604/prices', (text) => text.replace('1st Edition Holofoil', 'Holofoil')),
    /results\[2\]\.subTypeName: is there twice for its product/,
  ],
  [
    'bytes that are no UTF-8',
    (files) =>
      files.set(
        '3/604/products',
        Buffer.from(`${files.get('3/604/products')}`.replace('Alakazam', 'Alak\xffzam'), 'latin1'),
      ),
    /3\/604\/products: results\[0\]: must be UTF-8/,
  ],
  [
    'a gzip cut short',
    packed('3/23120/prices.gz', (bytes) => bytes.subarray(0, -20)),
    /prices\.gz: can't be read: the gzip is cut short/,
  ],
  [
    'a gzip with a flipped byte',
    packed('3/23120/prices.gz', (bytes) => bytes.map((byte, at) => (at === 40 ? byte ^ 0xff : byte)) as Buffer),
    /prices\.gz: can't be read: the gzip is damaged/,
  ],
  [
    'a gzip that something follows',
    packed('3/23120/prices.gz', (bytes) => Buffer.concat([bytes, Buffer.alloc(9), bytes])),
    /prices\.gz: can't be read: the packed data ends at byte \d+ of \d+/,
  ],
  [
    'a gzip that is none',
    (files) => files.set('3/23120/prices.gz', 'text'),
    /prices\.gz: can't be read: the gzip is damaged/,
  ],
  [
    'a gzip that holds more than can be',
    packed('3/23120/prices.gz', () =>
      Buffer.concat([gzipSync('{"padding":"'), ...new Array<Buffer>(2560).fill(gzipSync('x'.repeat(4 * 2 ** 20)))]),
    ),
    new RegExp(`prices\\.gz: ${tooLarge}`),
  ],
  [
    'a field renamed everywhere',
    (files) => {
      files.clear()
      const renamed = mirrorFiles(mirrorGroups.map((group) => ({ ...group, form: 'json' as const })))
      for (const [name, content] of renamed) {
        files.set(name, typeof content === 'string' ? content.replaceAll('marketPrice', 'market') : content)
      }
    },
    /prices: results: no price of the mirror has marketPrice/,
  ],
  [
    'a field of products renamed everywhere',
    (files) => {
      for (const [name, content] of mirrorFiles(mirrorGroups.map((group) => ({ ...group, form: 'json' as const })))) {
        files.set(name, typeof content === 'string' ? content.replaceAll('extendedData', 'extended') : content)
      }
    },
    /products: results: no product of the mirror has extendedData/,
  ],
  [
    'categories cut short',
    edit('categories', (text) => text.slice(0, -9)),
    /categories: line 1, byte \d+: the file is cut short/,
  ],
  [
    'categories of another kind',
    (files) => files.set('categories', files.get('3/604/prices')!),
    /categories: results\[0\]\.categoryId: is missing; \d of \d records are wrong/,
  ],
  [
    'a CSV without a column',
    edit('1/3100/ProductsAndPrices.csv', (text) => text.replace('subTypeName', 'subType')),
    /ProductsAndPrices\.csv: line 1: must have the column subTypeName/,
  ],
  [
    'a CSV with a column twice',
    edit('1/3100/ProductsAndPrices.csv', (text) => text.replace('cleanName', 'name')),
    /ProductsAndPrices\.csv: line 1: must have each column once \(name\)/,
  ],
  [
    'a CSV cut in a row',
    edit('1/3100/ProductsAndPrices.csv', (text) => text.slice(0, -30)),
    /ProductsAndPrices\.csv: line \d+: (the file is cut short|has a quote that is not closed)/,
  ],
  [
    'a CSV cut in a quote',
    edit('1/3100/ProductsAndPrices.csv', (text) => text.slice(0, text.indexOf('&mdash'))),
    /ProductsAndPrices\.csv: line 2: has a quote that is not closed/,
  ],
  ['an empty CSV', edit('1/3100/ProductsAndPrices.csv', () => ''), /ProductsAndPrices\.csv: line 1: must be a header/],
  [
    'a CSV with a price that is none',
    edit('1/3100/ProductsAndPrices.csv', (text) => text.replace(',0.05,', ',cheap,')),
    /ProductsAndPrices\.csv: line 2\.lowPrice: must be a number or null \("cheap"\)/,
  ],
  [
    'a file that is a folder',
    (files) => {
      files.delete('3/604/prices')
      files.set('3/604/prices/x', '')
    },
    /3\/604\/prices: must be a plain file/,
  ],
  [
    'no groups of a game that was imported',
    (files) => {
      for (const name of [...files.keys()]) if (name.startsWith('3/')) files.delete(name)
    },
    /3\/groups: is missing, but cards of pokemon were imported before/,
  ],
]

describe('a mirror with', () => {
  for (const [what, change, expected] of bad) {
    it(what, async () => {
      const files = mirrorFiles(groups)
      change(files)
      const errors = await errorsOf(importInto(out, 'tcgcsv', [writeFiles(files)]))
      assert.match(errors, expected)
      assert.match(errors, /^\d+ errors?(, the first 20 shown)?; nothing was written$/m)
      assert.deepEqual(contentOf(out), good)
    })
  }
})

describe('another file with', () => {
  const files = temporaryFolder()
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(files, name), content)
    return join(files, name)
  }
  const printings = () => file('AllPrintings.json', allPrintings())
  /** So much that it is more than a value may have. */
  const endless = (name: string, start: string): string => {
    const path = file(name, start)
    const more = Buffer.alloc(13 * 2 ** 20, 'x')
    for (let i = 0; i < 10; i++) appendFileSync(path, more)
    return path
  }
  type Case = readonly [what: string, source: string, paths: () => string[], expected: RegExp]
  const cases: readonly Case[] = [
    [
      'prices of MTGJSON cut short',
      'mtgjson',
      () => [printings(), file('a.json', allPrices().slice(0, -40))],
      /a\.json: (line 1, byte \d+: the file is cut short|data\.\S+: must be JSON)/,
    ],
    [
      'printings of MTGJSON cut short',
      'mtgjson',
      () => [file('b.json', allPrintings().slice(0, -5))],
      /b\.json: line 1, byte \d+: the file is cut short/,
    ],
    [
      'a stray bracket in MTGJSON',
      'mtgjson',
      () => [file('c.json', allPrintings().replace('"data":{', '"data":{]'))],
      /c\.json: line 1, byte \d+: must be JSON \(a key must stand here\)/,
    ],
    [
      'neither cards nor prices',
      'mtgjson',
      () => [file('d.json', '{"meta":{}}')],
      /d\.json: data: is missing or empty/,
    ],
    [
      'an array in place of MTGJSON',
      'mtgjson',
      () => [file('o.json', '[{"name":"x"},{"cards":[]}]')],
      /o\.json: line 1, byte 0: must be JSON \(an object must stand here\)/,
    ],
    [
      'prices of MTGJSON without cards',
      'mtgjson',
      () => [file('p.json', allPrices())],
      /p\.json: has prices, and no cards are known yet/,
    ],
    [
      "a set's own file without its code",
      'mtgjson',
      () => [file('w.json', '{"data":{"code":"","name":"x","cards":[]}}')],
      /w\.json: data\.code: must not be blank \(""\)/,
    ],
    [
      'cards of another shape',
      'mtgjson',
      () => [file('e.json', '{"data":{"BRO":{"name":"x","cards":[{"id":1}]}}}')],
      /e\.json: data\.BRO\.cards\[0\]\.uuid: is missing/,
    ],
    [
      'prices that are none',
      'mtgjson',
      () => [printings(), file('f.json', allPrices().replaceAll('2.5', '"2.5"').replaceAll('0.99', '-1'))],
      /f\.json: data\.\S+: must be a number/,
    ],
    [
      'a line of Scryfall cut short',
      'scryfall',
      () => [file('g.jsonl', JSON.stringify(scryfallCards[0]).slice(0, -1))],
      /g\.jsonl: line 1: the file is cut short/,
    ],
    [
      'an array of Scryfall cut short',
      'scryfall',
      () => [file('h.json', JSON.stringify(scryfallCards).slice(0, -1))],
      /h\.json: line 1, byte \d+: the file is cut short/,
    ],
    [
      'cards of Scryfall without a set',
      'scryfall',
      () => [file('i.jsonl', '{"id":"1","name":"x"}\n')],
      /i\.jsonl: line 1\.set: is missing/,
    ],
    [
      'prices of Scryfall under another name',
      'scryfall',
      () => {
        const lines = Array.from({ length: 20 }, (_, i) => JSON.stringify({ ...scryfallCards[1]!, id: `card ${i}` }))
        return [file('v.jsonl', `${lines.join('\n')}\n`.replaceAll('"usd', '"dollars'))]
      },
      /v\.jsonl: prices: no card of the file has usd/,
    ],
    ['no card at all', 'scryfall', () => [file('j.jsonl', '')], /j\.jsonl: line 1: must be JSON \(the file is empty\)/],
    [
      'an overlay without a column',
      'overlay',
      () => [file('k.csv', 'id,price\n')],
      /k\.csv: line 1: must have the column key/,
    ],
    [
      'an overlay with an unknown key',
      'overlay',
      () => [file('l.csv', 'id,key,price\nx,PSA 10,1\n')],
      /l\.csv: line 2\.key: must be market, low/,
    ],
    [
      'an overlay with a price that is none',
      'overlay',
      () => [file('m.csv', 'id,key,price\nx,low,$1\n')],
      /m\.csv: line 2\.price: must be a number/,
    ],
    [
      'a guide without names',
      'pricecharting',
      () => [file('o.csv', 'console-name,manual-only-price\n')],
      /o\.csv: line 1: must have the column product-name/,
    ],
    [
      'a guide without grades',
      'pricecharting',
      () => [file('n.csv', 'console-name,product-name\n')],
      /n\.csv: line 1: must have a column of a grade/,
    ],
    ['a file that is not there', 'scryfall', () => [join(files, 'nowhere.json')], /nowhere\.json: does not exist/],
    [
      'prices of MTGJSON that are one value without end',
      'mtgjson',
      () => [endless('r.json', '{"data":{"x":"')],
      /r\.json: line 1, byte \d+: a value must not be over 134217728 bytes/,
    ],
    ...someOf<Case>(
      [
        [
          'prices of MTGJSON that are one key without end',
          'mtgjson',
          () => [endless('q.json', '{"data":{"')],
          /q\.json: line 1, byte \d+: a value must not be over 134217728 bytes/,
        ],
      ],
      amount(0, 1),
    ),
    ['blank lines in a bulk file', 'scryfall', () => [file('s.jsonl', blanks)], new RegExp(`s\\.jsonl: ${tooBlank}`)],
    [
      'blank lines in an overlay',
      'overlay',
      () => [file('t.csv', `id,key,price\n${blanks}`)],
      new RegExp(`t\\.csv: ${tooBlank}`),
    ],
    ['a file in the place of archive days', 'tcgcsv-archive', () => [file('u', '')], /u: must be a folder/],
    ['no mirror', 'tcgcsv', () => [files], /: is not a mirror: it has none of|is missing, but cards/],
    ['no archive day', 'tcgcsv-archive', () => [files], /is not an archive day/],
    [
      'an empty archive day',
      'tcgcsv-archive',
      () => {
        mkdirSync(join(files, '2026-11-01'), { recursive: true })
        return [join(files, '2026-11-01')]
      },
      /2026-11-01: has no prices of the games/,
    ],
  ]
  for (const [what, source, paths, expected] of cases) {
    it(what, async () => {
      assert.match(await errorsOf(importInto(out, source, paths())), expected)
      assert.deepEqual(contentOf(out), good)
    })
  }
})
