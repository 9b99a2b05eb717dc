/** Prices by condition from sellers' files: each row goes to the card that it names in all, or to none. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { conditions } from '../../src/catalog/card-fields.ts'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, copyOf, errorsOf, importInto, recordsIn, runImportHere } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { file, tcgcsv } from './market-files.ts'

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
    const other = pricingRow(...lugia, 'Lightly Played Holofoil', '5')
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
      other,
      other,
    ])
    const args = ['--out', out, '--date', '2026-11-20']
    const { code, stdout, stderr } = await runImportHere('tcgplayer-pricing', path, ...args)
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
    const leftOut = stdout.slice(stdout.indexOf('left out because')).split('\n\n')[0]!.replaceAll(/ {2,}/g, ' | ')
    assert.deepEqual(leftOut.split('\n').slice(1).sort(), [
      'another condition | mtg | 1',
      'another game | (no game) | 1',
      'another language | mtg | 2',
      'no card of that game, set, number and name | mtg | 3',
      'no card of that game, set, number and name | pokemonjp | 1',
      'no such printing of the card | mtg | 1',
      'no such printing of the card | pokemon | 1',
      'sealed product | mtg | 1',
      'two products of one card and condition | pokemon | 2',
    ])
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
    const free = pricingFile([{ ...rows[0]!, 'TCG Market Price': 'free' }])
    for (const [out, path, expected] of [
      [tcgcsv, wrong, /must have the column TCG Market Price\n/],
      [temporaryFolder(), wrong, /: has no cards yet, /],
      [tcgcsv, free, /line 2\.TCG Market Price: must be a number \("free"\)/],
    ] as const)
      assert.match(await errorsOf(importInto(out, 'tcgplayer-pricing', [path])), expected)
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
      const leftOut = [null, 'pokemon'] as const
      const count = leftOut.flatMap((game) => [...report.game(game).leftOut.values()]).reduce((a, b) => a + b, 0)
      assert.equal(count, expected.leftOut, `round ${round}`)
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
  'Zuße',
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
    const [game, set] = [
      mostly('Pokemon', ['Pokémon', 'Digimon']),
      mostly(group.name, ['Set 2: One', 'set 1 one', '3']),
    ]
    return pricingRow(game, set, mostly(name, someNames), mostly(number!, someNumbers), text, price)
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
  const words = (text: string) => {
    const ascii = plain(text).replaceAll('æ', 'ae').replaceAll('ß', 'ss')
    return (ascii.match(/[\p{L}\p{N}☆]+|☆/gu) ?? []).join(' ')
  }
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
