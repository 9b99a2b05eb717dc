/** Prices by condition from sellers' files: each row goes to the card that it names in all, or to none. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, copyOf, errorsOf, importInto, runImportHere } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'
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
function pricingFile(rows: readonly PricingRow[], columns = pricingColumns, ending = '\r\n'): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  return file(lines.map((cells) => cells.map(quoted).join(',') + ending).join(''))
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
      pricingRow(...lugia, 'Damaged', '1,234,567.5'),
      pricingRow(...pidgey, 'Lightly Played', '$0.05'),
      pricingRow(...pidgey, 'Heavily Played Reverse Holofoil', '0.25'),
      pricingRow(...charizard, 'Moderately Played 1st Edition Holofoil', '7000'),
      pricingRow(...charizard, 'Near Mint 1st Edition Holofoil - English', '9000.005'),
      pricingRow('Magic: The Gathering', urza[1], urza[2], urza[3], 'Near Mint Foil', '1.50'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Serena - SV001/SV122', 'SV001/SV122', 'Near Mint Holofoil', '2'),
      pricingRow('Pokemon', 'SWSH12: Silver Tempest', 'Skarmory EX (145 Full Art)', '145/195', 'Near Mint', '3'),
      pricingRow('Pokemon Japan', 'SVP Promos', 'x', '1', 'Near Mint - Japanese', '3'),
      pricingRow('Pokémon', 'swsh12 silver tempest', 'PIDGEY', '0143/195', 'Damaged Reverse Holofoil', '0.1'),
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
      'pokemon-swsh12-139-holofoil': { near_mint: 4.53, damaged: 1_234_567.5 },
      'pokemon-swsh12-143': { lightly_played: 0.05 },
      'pokemon-swsh12-143-reverse-holofoil': { heavily_played: 0.25, damaged: 0.1 },
      'pokemon-swsh12-145': { near_mint: 3 },
      'pokemon-swsh12-sv001-holofoil': { near_mint: 2 },
    })
    const { prices, sources } = cardsById(out).get('pokemon-swsh12-139-holofoil')
    assert.deepEqual([prices.market, sources], [4.53, ['tcgplayer', 'tcgplayer-pricing']])
    assert.match(stdout, /^mtg +12 +1\npokemon +13 +6\n|^pokemon +\d+ +6$/m)
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
      pricingFile(
        [pricingRow(...lugia, 'Near Mint Holofoil', ''), pricingRow(...pidgey, 'Near Mint', '0.06')],
        ['My Store', ...pricingColumns].reverse(),
        '\n',
      ),
      pricingFile([pricingRow(...pidgey, 'Damaged', '0.01')]),
    ])
    const after = conditionsOf(out)
    assert.deepEqual(after['pokemon-swsh12-139-holofoil'], { damaged: 1_234_567.5 })
    assert.deepEqual(after['pokemon-swsh12-143'], { near_mint: 0.06, lightly_played: 0.05, damaged: 0.01 })
    assert.equal((await runImportHere('overlay', '--remove', 'tcgplayer-pricing', '--out', out)).code, 0)
    assert.deepEqual(cardsById(out), cardsById(tcgcsv))
  })

  it('is left out where two cards are alike', async () => {
    const out = temporaryFolder()
    const product = (id: number) => ({
      ...{ id, name: 'Charizard', number: '004/102', rarity: 'R' },
      prices: [{ subType: 'Holofoil', market: 1 }],
    })
    const groups = withGroups({ 604: (group) => ({ ...group, products: [product(1), product(2)] }) })
    await importInto(out, 'tcgcsv', [writeMirror(groups)])
    const path = pricingFile([pricingRow(...charizard, 'Near Mint Holofoil', '3')])
    const { report } = await importInto(out, 'tcgplayer-pricing', [path])
    const several = 'several cards of that game, set, number, name and printing'
    assert.deepEqual(Object.fromEntries(report.game('pokemon').leftOut), { [several]: 1 })
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
})
