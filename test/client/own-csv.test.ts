/** The CSV of a valued list, when it is read again. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownColumns } from '../../src/lists/own-csv.ts'
import { readAll } from '../../src/lists/read-list.ts'

const head = Object.keys(ownColumns).join(',')
const charizard = '2,4,Charizard,Base Set,4,Holofoil,Rare,near_mint,1.00,4.00,USD,exact,pokemon-base1-004,4 Charizard'
const read = (text: string) => readAll(`\ufeff${text}\r\n`)
const [line] = read(`${head}\r\n${charizard}`).lines

describe('Our own CSV, read again', () => {
  it('The CSV of a valued list has no unsure column, and its rows are looked up by id', () => {
    const { columns } = read(`${head}\r\n${charizard}`)
    assert.deepEqual(
      columns.map(({ field, sure }) => [field, sure]),
      Object.values(ownColumns).map((field) => [field, true]),
    )
    assert.deepEqual(
      [line?.questions[0], line?.quantity, line?.condition, line?.text],
      [{ id: 'pokemon-base1-004', printing: 'Holofoil' }, 4, 'near_mint', '4 Charizard'],
    )
  })

  for (const [what, row, former] of [
    ['its amount', charizard, 400],
    ['its unit price times the quantity if the quantity was changed', charizard.replace('2,4,', '2,3,'), 300],
    ['an amount that a spreadsheet wrote with a decimal comma', charizard.replace('1.00,4.00', '"1,00","4,00"'), 400],
    ['its amount if it has no unit price', charizard.replace('1.00,4.00', ',4.10'), 410],
    ['nothing if it has neither unit price nor amount', charizard.replace('1.00,4.00', ','), undefined],
  ] as const) {
    it(`The value that a row of our CSV had at its export is read from ${what}`, () => {
      assert.equal(read(`${head}\r\n${row}`).lines[0]?.former?.cents, former)
    })
  }

  it('The CSV of an earlier release, without rarities, is recognized as well', () => {
    const [, ...cells] = charizard.split(',Rare')
    const { columns, lines } = read(`${head.replace(',rarity', '')}\r\n2,4,Charizard,Base Set,4,Holofoil${cells}`)
    assert.ok(columns.every(({ sure }) => sure))
    assert.deepEqual(lines[0]?.former, { cents: 400, currency: 'USD' })
  })

  it('A row of our CSV with an unknown grade keeps this grade when it is read again', () => {
    const [graded] = read(`${head}\r\n${charizard.replace('near_mint', 'ace_9_5')}`).lines
    assert.deepEqual([graded?.grade, graded?.condition], ['ace_9_5', undefined])
  })

  it('A row without a card in our CSV is looked up like its original line, and an excluded row stays excluded', () => {
    const rows = [
      '2,3,Onyx,,7,,,,,,,ambiguous,,3 Onyx',
      "3,1,'=1+1,,,,,,,,,none,,'=1+1",
      '4,1,,,,,,,,,,excluded,,1 Onyx (Proxy)',
    ]
    const [onyx, formula, proxy] = read([head, ...rows].join('\r\n')).lines
    assert.deepEqual([onyx?.questions[0], onyx?.quantity, onyx?.text], [{ name: 'Onyx', number: '7' }, 3, '3 Onyx'])
    assert.equal(formula?.questions[0]?.name, '=1+1')
    assert.deepEqual([proxy?.isExcluded, proxy?.questions], [true, []])
  })

  it('A column that a person added to our CSV is unsure', () => {
    const { columns } = read(`${head},Copies held\r\n${charizard},7`)
    assert.deepEqual(columns.at(-1)?.sure, false)
  })

  it('A file that shares only some columns with our CSV is not taken for it', () => {
    const { lines } = read('quantity,name,amount,currency\r\n1,Onyx,2.00,USD')
    assert.equal(lines[0]?.former, undefined)
  })
})
