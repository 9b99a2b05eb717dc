/** An error in a download ends the import with a line that names file and place, and leaves the folder as it was. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { contentOf, errorsOf, file, importInto } from '../support/import.ts'
import { mirrorFiles, writeFiles, writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, scryfallCards } from './magic.ts'

const groups = mirrorGroups.filter(({ category }) => [1, 3, 85].includes(category))
const mirror = writeMirror(groups)
const out = temporaryFolder()
await importInto(out, 'tcgcsv', [mirror])
const good = contentOf(out)

const cutShort = /line 1, byte \d+: the file is cut short/
const noObject = /line 1, byte 0: must be JSON \(an object must stand here\)/
const tooLong = /line 1, byte \d+: a value must not be over 134217728 bytes/
const tooLarge = new RegExp(`the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times`)
const ofAnother = (field: string, own: number, other: number) =>
  new RegExp(`results\\[0\\]\\.${field}: must be ${own}, its folder \\(${other}\\)`)

/** The content, so many bytes of it, a text in place of another, or what becomes of it. */
type Change = string | number | readonly [from: string, to: string] | ((content: Buffer) => Buffer)
const changed = (content: Buffer, change: Change): string | Buffer => {
  if (typeof change === 'string') return change
  if (typeof change === 'number') return content.subarray(0, change)
  return typeof change === 'function' ? change(content) : `${content}`.replaceAll(...change)
}

const files = mirrorFiles(groups)
const contentIn = (name: string) => `${files.get(name)}`
const [categories, prices, products, packed] = ['categories', '3/604/prices', '3/604/products', '3/23120/prices.gz']
const csv = '1/3100/ProductsAndPrices.csv'
const noUtf8 = (content: Buffer) => Buffer.from(`${content}`.replace('Alakazam', 'Alak\xffzam'), 'latin1')
const flipped = (content: Buffer) => Buffer.from(content.map((byte, at) => (at === 40 ? byte ^ 0xff : byte)))
const followed = (content: Buffer) => Buffer.concat([content, Buffer.alloc(9), content])
const bomb = () => Buffer.concat([gzipSync('{"x":"'), ...Array(2560).fill(gzipSync('x'.repeat(4 * 2 ** 20)))])

const damages: readonly (readonly [what: string, file: string, change: Change, expected: RegExp])[] = [
  ['prices cut short', prices!, 150, cutShort],
  ['prices that are empty', prices!, '', /line 1, byte 0: must be JSON \(the file is empty\)/],
  ['prices that are an array', prices!, '[]', noObject],
  ['prices without results', prices!, '{"success":true}', /results: is missing/],
  ['results that are no array', prices!, '{"results":{}}', /results: must be an array \(\{\}\)/],
  ['an answer without success', prices!, ['"success":true', '"success":false'], /success: must be true \(false\)/],
  ['an answer with errors', prices!, ['"errors":[]', '"errors":["x"]'], /errors: must be empty/],
  ['products in place of prices', prices!, contentIn(products!), /results\[0\]\.subTypeName: is missing; \d of \d/],
  ['prices of another group', prices!, contentIn('85/24001/prices'), /has prices of none of its group's products/],
  ['products of another group', products!, contentIn('85/24001/products'), ofAnother('groupId', 604, 24001)],
  ['groups of another game', '3/groups', contentIn('1/groups'), ofAnother('categoryId', 3, 1)],
  ['a product without a name', products!, ['"name":"Alakazam",', ''], /results\[0\]\.name: is missing/],
  ['a product id in quotes', products!, [':42346,', ':"42346",'], /must be a whole number above 0 \("42346"\)/],
  ['a product twice', products!, ['42382', '42346'], /results\[1\]\.productId: is there twice/],
  ['a price twice', prices!, ['1st Edition Holofoil', 'Holofoil'], /results\[2\]\.subTypeName: is there twice for/],
  ['bytes that are no UTF-8', products!, noUtf8, /results\[0\]: must be UTF-8/],
  ['a gzip cut short', packed!, -20, /can't be read: the gzip is cut short/],
  ['a gzip with a flipped byte', packed!, flipped, /can't be read: the gzip is damaged/],
  ['a gzip that something follows', packed!, followed, /the packed data ends at byte \d+ of \d+/],
  ['a gzip that is none', packed!, 'text', /can't be read: the gzip is damaged/],
  ['a gzip that holds more than can be', packed!, bomb, tooLarge],
  ['categories cut short', categories!, -9, cutShort],
  ['categories of another kind', categories!, contentIn(prices!), /results\[0\]\.categoryId: is missing; \d of \d/],
  ['a CSV without a column', csv, ['subTypeName', 'subType'], /line 1: must have the column subTypeName/],
  ['a CSV cut in a row', csv, -30, /line \d+: the file is cut short/],
  ['a CSV cut in a quote', csv, contentIn(csv).indexOf('&mdash'), /line 2: the file is cut short/],
  ['an empty CSV', csv, '', /line 1: must be a header/],
  ['a CSV with a price that is none', csv, [',0.05,', ',cheap,'], /line 2\.lowPrice: must be a number or null \("ch/],
]

/** All files of all groups, none packed, with a field renamed. */
const renamed = (from: string, to: string) =>
  [...mirrorFiles(mirrorGroups.map((group) => ({ ...group, form: 'json' as const })))].map(
    ([name, content]) => [name, typeof content === 'string' ? content.replaceAll(from, to) : content] as const,
  )
const without = (start: string) => [...files].filter(([name]) => !name.startsWith(start))
const mirrors: readonly (readonly [what: string, files: Iterable<readonly [string, string | Buffer]>, RegExp])[] = [
  [
    'a field of prices renamed',
    renamed('marketPrice', 'market'),
    /prices: results: no price of the mirror has marketPr/,
  ],
  [
    'a field of products renamed',
    renamed('extendedData', 'data'),
    /products: results: no product of the mirror has ext/,
  ],
  ['a file that is a folder', [...without(prices!), [`${prices}/x`, '']], /must be a plain/],
  ['no groups of a game', without('3/'), /3\/groups: is missing, but cards of pok/],
]

describe('a mirror with', () => {
  const refused = async (dir: string): Promise<string> => {
    const errors = await errorsOf(importInto(out, 'tcgcsv', [dir]))
    assert.match(errors, /^\d+ errors?(, the first 20 shown)?; nothing was written$/m)
    assert.deepEqual(contentOf(out), good)
    return errors
  }

  for (const [what, file, change, expected] of damages) {
    it(what, async () => {
      const dir = writeFiles(new Map(files).set(file, changed(Buffer.from(files.get(file)!), change)))
      const line = (await refused(dir)).split('\n').find((one) => one.startsWith(`${join(dir, file)}: `))
      assert.match(line ?? 'no line of the file', expected)
    })
  }

  for (const [what, content, expected] of mirrors)
    it(what, async () => assert.match(await refused(writeFiles(new Map(content))), expected))
})

describe('another file with', () => {
  const printings = () => file('AllPrintings.json', allPrintings())
  /** So much that it is more than a value may have. */
  const endless = (start: string): string => file('x.json', start + 'x'.repeat(130 * 2 ** 20))
  const emptyDay = join(temporaryFolder(), '2026-11-01')
  mkdirSync(emptyDay)
  const wrongPrices = () => allPrices().replaceAll('2.5', '"2.5"').replaceAll('0.99', '-1')
  const scryfall = JSON.stringify(scryfallCards)
  const inYen = () =>
    Array.from({ length: 20 }, (_, i) => `${JSON.stringify({ ...scryfallCards[1]!, id: `card ${i}` })}\n`)
      .join('')
      .replaceAll('"usd', '"yen')

  type Case = readonly [source: string, what: string, content: string | (() => string), expected: RegExp]
  const contents: readonly Case[] = [
    ['mtgjson', 'a stray bracket', allPrintings().replace('"data":{', '"data":{]'), /byte \d+: .*a key must stand/],
    ['mtgjson', 'neither cards nor prices', '{"meta":{}}', /: data: is missing or empty/],
    ['mtgjson', 'an array', '[{"name":"x"},{"cards":[]}]', noObject],
    ['mtgjson', 'prices without cards', allPrices, /: has prices, and no cards are known yet/],
    [
      'mtgjson',
      'a set without its code',
      '{"data":{"code":"","name":"x","cards":[]}}',
      /data\.code: must not be blank/,
    ],
    ['mtgjson', 'other cards', '{"data":{"BRO":{"name":"x","cards":[{"id":1}]}}}', /cards\[0\]\.uuid: is missing/],
    ['scryfall', 'a line cut short', JSON.stringify(scryfallCards[0]).slice(0, -1), /line 1: the file is cut short/],
    ['scryfall', 'cards without a set', '{"id":"1","name":"x"}\n', /line 1\.set: is missing/],
    ['scryfall', 'prices under another name', inYen, /: prices: no card of the file has usd/],
    ['scryfall', 'euros that are none', scryfall.replace('19.24', 'x'), /\[0\]\.prices\.eur: must be a number/],
    ['scryfall', 'no card at all', '', /line 1: must be JSON \(the file is empty\)/],
    ['overlay', 'a column missing', 'id,price\n', /line 1: must have the column key/],
    ['overlay', 'an unknown key', 'id,key,price\nx,PSA 10,1\n', /line 2\.key: must be market, low/],
    ['overlay', 'a price that is none', 'id,key,price\nx,low,$1\n', /line 2\.price: must be a number/],
    ['pricecharting', 'no names', 'console-name,manual-only-price\n', /line 1: must have the column product-name/],
    ['pricecharting', 'no grades', 'console-name,product-name\n', /line 1: must have a column of a grade/],
    ['tcgcsv-archive', 'no day', '', /: must be a folder/],
  ]
  type PathsCase = readonly [source: string, what: string, paths: () => string[], expected: RegExp]
  const paths: readonly PathsCase[] = [
    ...contents.map(([source, what, content, expected]): PathsCase => {
      const given = () => [file('x', typeof content === 'string' ? content : content())]
      return [source, what, given, expected]
    }),
    ['mtgjson', 'prices cut short', () => [printings(), file('a.json', allPrices().slice(0, -40))], cutShort],
    ['mtgjson', 'other prices', () => [printings(), file('f.json', wrongPrices())], /data\.\S+: must be a number/],
    ...someOf<PathsCase>(
      [
        ['mtgjson', 'one value without end', () => [endless('{"data":{"x":"')], tooLong],
        ['mtgjson', 'one key without end', () => [endless('{"data":{"')], tooLong],
      ],
      amount(0, 2),
    ),
    [
      'scryfall',
      'a name that is not there',
      () => [join(temporaryFolder(), 'nowhere.json')],
      /nowhere\.json: does not exist/,
    ],
    ['tcgcsv', 'no mirror', () => [temporaryFolder()], /: is not a mirror: it has none of/],
    ['tcgcsv-archive', 'no archive day', () => [temporaryFolder()], /is not an archive day/],
    ['tcgcsv-archive', 'an empty archive day', () => [emptyDay], /2026-11-01: has no prices of the games/],
  ]
  for (const [source, what, given, expected] of paths) {
    it(`${what}, for ${source}`, async () => {
      assert.match(await errorsOf(importInto(out, source, given())), expected)
      assert.deepEqual(contentOf(out), good)
    })
  }
})
