/** Columns of CSV files that change what a row’s price is of: they are read, or the file is rejected by their names. */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, contentOf, copyOf, errorsOf, file, importInto, importNew } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { tcgcsv } from './market-files.ts'
import { pricingColumns, pricingFile, pricingRow } from './pricing-files.ts'

const printings = ['Normal', 'Foil', 'Reverse Holofoil', '1st Edition Holofoil', 'Unlimited Holofoil', 'Cold Foil']
const card = ['Pokemon', 'Set', 'Card', '1/9'] as const
const holofoil = ['Pokemon', 'Set', 'Alone', '2/9'] as const
const japanese = ['Pokemon Japan', 'Set', 'Card', '1/9'] as const
const out = temporaryFolder()
before(async () => {
  const product = (id: number, name: string, number: string, ...subTypes: string[]) => ({
    id,
    name,
    number,
    rarity: 'R',
    prices: subTypes.map((subType) => ({ subType, market: 1 })),
  })
  const group = { id: 9, name: 'Set', abbreviation: 'S', published: '2020-01-01T00:00:00' }
  const products = [product(1, 'Card', '1/9', ...printings), product(2, 'Alone', '2/9', 'Holofoil')]
  const own = { ...group, category: 3, products }
  const ofJapan = { ...group, category: 85, id: 10, products: [product(3, 'Card', '1/9', 'Normal')] }
  await importInto(out, 'tcgcsv', [writeMirror([own, ofJapan])])
})

/** The printings that have the price of 5 dollars, and why rows were left out. */
async function priced(rows: readonly Readonly<Record<string, string>>[], ...columns: string[]) {
  const into = copyOf(out)
  const path = pricingFile(rows, [...pricingColumns, ...columns])
  const { report } = await importInto(into, 'tcgplayer-pricing', [path])
  const found = [...cardsById(into).values()].filter(({ prices }) => prices.conditions?.near_mint === 5)
  return [...found.map(({ printing }) => printing), ...report.records.map(({ reason }) => reason)].join('; ')
}

const contradicts = (column: string) => `${column} contradicts Condition or another column`
const noPrinting = 'no such printing of the card'

describe('A further column of a seller’s pricing file', () => {
  for (const [column, value, condition, expected] of [
    ['Printing', '', 'Near Mint', 'Normal'],
    ['Printing', 'Normal', 'Near Mint', 'Normal'],
    ['Printing', 'Reverse Holofoil', 'Near Mint', 'Reverse Holofoil'],
    ['Printing', 'Reverse Holo', 'Near Mint', 'Reverse Holofoil'],
    ['Printing', 'Reverse Holofoil', 'Near Mint Reverse Holofoil', 'Reverse Holofoil'],
    ['Printing', 'Foil', 'Near Mint Reverse Holofoil', contradicts('Printing')],
    ['Printing', 'Normal', 'Near Mint Foil', contradicts('Printing')],
    ['Finish', 'Cold Foil', 'Near Mint', 'Cold Foil'],
    ['Finish', 'nonfoil', 'Near Mint', 'Normal'],
    ['Variant', 'Alternate Art', 'Near Mint', noPrinting],
    ['Variance', 'Foil', 'Near Mint', 'Foil'],
    ['Sub Type Name', 'Foil', 'Near Mint', 'Foil'],
    ['Foil', 'Yes', 'Near Mint', 'Foil'],
    ['Foil', 'TRUE', 'Near Mint Cold Foil', 'Cold Foil'],
    ['Foil', 'Cold Foil', 'Near Mint', 'Cold Foil'],
    ['Foil', 'No', 'Near Mint', 'Normal'],
    ['Foil', 'No', 'Near Mint Foil', contradicts('Foil')],
    ['isFoil', '0', 'Near Mint', 'Normal'],
    ['Edition', '1st Edition', 'Near Mint Holofoil', '1st Edition Holofoil'],
    ['Edition', '1st Edition', 'Near Mint', '1st Edition Holofoil'],
    ['Edition', 'Unlimited', 'Near Mint Holofoil', 'Unlimited Holofoil'],
    ['Edition', 'Unlimited', 'Near Mint 1st Edition Holofoil', noPrinting],
    ['Edition', '1st Edition', 'Near Mint Foil', noPrinting],
    ['Language', 'English', 'Near Mint', 'Normal'],
    ['Language', 'en', 'Near Mint - English', 'Normal'],
    ['Language', 'Japanese', 'Near Mint', 'another language'],
    ['Card Language', 'German', 'Near Mint Foil', 'another language'],
    ['Language', 'Japanese', 'Near Mint - English', contradicts('Language')],
    ['Grade', '', 'Near Mint', 'Normal'],
    ['Grade', 'Ungraded', 'Near Mint Foil', 'Foil'],
    ['Currency', 'USD', 'Near Mint', 'Normal'],
    ['Foil Price', '9', 'Near Mint', 'Normal; is of other prices, which are not imported'],
    ['Condition Notes', 'x', 'Near Mint', 'Normal; is not read'],
    ['Store Shelf', 'Foil', 'Near Mint', 'Normal'],
  ] as const) {
    it(`A row with ${value} in ${column} and the condition ${condition} is ${expected}`, async () => {
      assert.equal(await priced([{ ...pricingRow(...card, condition, '5'), [column]: value }], column), expected)
    })
  }

  it('A pricing row means a product’s only printing if its extra column is empty or names that printing', async () => {
    const row = pricingRow(...holofoil, 'Near Mint', '5')
    assert.equal(await priced([row], 'Foil'), 'Holofoil')
    assert.equal(await priced([{ ...row, Foil: 'No' }], 'Foil'), noPrinting)
    assert.equal(await priced([{ ...row, Foil: 'Yes' }], 'Foil'), noPrinting)
    assert.equal(await priced([{ ...row, Printing: 'Holo' }], 'Printing'), 'Holofoil')
    const inJapan = pricingRow(...japanese, 'Near Mint', '5')
    assert.equal(await priced([{ ...inJapan, Language: 'JP' }], 'Language'), 'Normal')
  })

  it('Extra columns of a pricing row may each name a part of the printing', async () => {
    const row = { Foil: 'yes', Edition: '1st Edition', Printing: 'Holofoil', Language: 'English' }
    assert.equal(
      await priced([{ ...pricingRow(...card, 'Near Mint', '5'), ...row }], ...Object.keys(row)),
      '1st Edition Holofoil',
    )
  })

  it('An extra column that gives a price a grade or another currency ends the import of a pricing file', async () => {
    for (const [column, value, meaning] of [
      ['Grade', 'PSA 10', 'grade'],
      ['Grading Company', 'BGS', 'grade'],
      ['Currency', 'EUR', 'currency'],
    ] as const) {
      const path = pricingFile(
        [{ ...pricingRow(...card, 'Near Mint', '5'), [column]: value }],
        [column, ...pricingColumns],
      )
      const before = contentOf(out)
      const wrong = `${path}: line 2.${column}: gives the price another ${meaning}, which is not imported ("${value}")`
      assert.equal(
        await errorsOf(importInto(out, 'tcgplayer-pricing', [path])),
        `${wrong}\n1 error; nothing was written`,
      )
      assert.deepEqual(contentOf(out), before)
    }
  })
})

it('A report of 6,000 left-out rows lists them all in order, whether or not the import keeps them in memory', async () => {
  const rows = Array.from({ length: 6000 }, (_, i) =>
    pricingRow('Pokemon', 'Set', `Nobody ${i}`, '1/9', 'Near Mint', '1'),
  )
  const path = pricingFile([...rows, pricingRow(...card, 'Near Mint', '5')])
  const { report } = await importInto(copyOf(out), 'tcgplayer-pricing', [path])
  const written = [true, false].map(async (keepsRecords) => {
    const to = join(temporaryFolder(), 'report.json')
    await importInto(copyOf(out), 'tcgplayer-pricing', [path], { report: to, keepsRecords })
    assert.ok(statSync(to).size > 2 ** 20, 'more than is written at once')
    return JSON.parse(readFileSync(to, 'utf8'))
  })
  for (const { records, games } of await Promise.all(written)) {
    assert.deepEqual(records, report.records)
    assert.equal(games.pokemon.leftOut['no card of that game, set, number and name'], rows.length)
  }
  const silent = await importInto(copyOf(out), 'tcgplayer-pricing', [path], { keepsRecords: false })
  assert.deepEqual([silent.report.records.length, silent.report.table()], [0, report.table()])
})

describe('Two rows of a card and condition', () => {
  const row = (price: string, sku = '7', condition = 'Near Mint') => ({
    ...pricingRow(...card, condition, price),
    'TCGplayer Id': sku,
  })
  for (const [what, rows, expected] of [
    ['one condition and price give it that price', [row('5'), row('5')], 'Normal'],
    [
      'one condition and two prices are left out, the lower one first',
      [row('4'), row('5')],
      'two prices of one card and condition',
    ],
    [
      'one condition and two prices are left out, the higher one first',
      [row('5'), row('4')],
      'two prices of one card and condition',
    ],
    ['one condition, a price and a blank are left out', [row('5'), row('')], 'two prices of one card and condition'],
    [
      'one condition and two products are left out',
      [row('4', '8'), row('5')],
      'two products of one card and condition',
    ],
    ['two conditions are both read', [row('4', '8', 'Damaged'), row('5')], 'Normal'],
    [
      'one condition and three prices are left out',
      [row('4'), row('3'), row('5')],
      'two prices of one card and condition; two products of one card and condition',
    ],
  ] as const) {
    it(`Pricing rows of a card with ${what}`, async () => assert.equal(await priced(rows), expected))
  }
})

describe('A column of another CSV that may change what its prices are of', () => {
  const names = [
    'Printing',
    'finish',
    'Is Foil',
    'Variant',
    'Edition',
    'language',
    'Grade',
    'PSA Grade',
    'priceCurrency',
    'Condition',
  ]
  const meanings = 'printing printing printing printing edition language grade grade currency condition'.split(' ')
  for (const [source, header, row] of [
    ['overlay', 'id,key,price', 'pokemon-bs-004-holofoil,psa_10,5'],
    ['pricecharting', 'console-name,product-name,manual-only-price', 'Pokemon Base Set,Alakazam #1,900'],
  ] as const) {
    for (const [i, name] of names.entries()) {
      it(`A file of ${source} with the column ${name} is refused`, async () => {
        const path = file('own.csv', `${header},${name}\n${row},x\n`)
        const before = contentOf(tcgcsv)
        const wrong = `has the column ${name}, which may give a price another ${meanings[i]}: `
        const failed = await errorsOf(importInto(tcgcsv, source, [path]))
        assert.ok(
          failed.startsWith(`${path}: line 1: ${wrong}import the rows of one ${meanings[i]} without it\n`),
          failed,
        )
        assert.deepEqual(contentOf(tcgcsv), before)
      })
    }
    it(`A file of ${source} may have any column that gives its prices no other meaning`, async () => {
      const others =
        'id,note,tcg-id,release-date,retail-cib-buy,sales-volume,upc,genre,psa-9-price,loose-price-eur'.split(',')
      const more = others.filter((name) => !header.includes(`${name},`))
      const path = file(
        'own.csv',
        `${header},${more}\n${row}${',$1'.repeat(more.length)}\n`.replaceAll(/900(?=,)/g, '$900'),
      )
      const { report } = await importInto(copyOf(tcgcsv), source, [path])
      const doubtful = report.records.filter(({ kind }) => kind === 'doubtful').map(({ record }) => record)
      assert.deepEqual(doubtful, ['psa-9-price', 'loose-price-eur'])
    })
  }

  it('A CSV of TCGCSV with further fields of products is imported; with a column that changes what prices mean, it is refused', async () => {
    const product = { id: 1, name: 'Card', number: '1', rarity: 'R', prices: [{ subType: 'Normal', market: 1 }] }
    const group = { category: 3, id: 9, name: 'Set', abbreviation: 'S', published: '', products: [product] }
    const dir = writeMirror([{ ...group, form: 'csv' }])
    const path = join(dir, '3/9/ProductsAndPrices.csv')
    const whole = readFileSync(path, 'utf8')
    for (const [column, isRejected] of [
      ['Language', true],
      ['condition', true],
      ['extFinish', false],
      ['extGrade', false],
      ['presaleInfo', false],
    ] as const) {
      writeFileSync(path, whole.replaceAll(/\r?\n/g, `,${column}$&`))
      const importing = importNew('tcgcsv', [dir])
      const wrong = `${path}: line 1: has the column ${column}, which may give a price another ${column.toLowerCase()}`
      if (isRejected) assert.ok((await errorsOf(importing)).startsWith(wrong))
      else await importing
    }
  })
})
