/** Columns whose names no table has, beside values of every kind: none that may change an amount is passed over. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimedBy } from '../../src/lists/columns.ts'
import { namingOf } from '../../src/lists/fields.ts'
import { KnownSets } from '../../src/lists/known-sets.ts'
import { readAll } from '../../src/lists/read-list.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

const random = randomFrom('columns')
const starts =
  'My,The,Card,Print,Variant,Market,Graded,Item,Collector,Own,Real,Actual,Foil,Set,Ma,Mon,Meine,La,El,Il,O,カード'.split(
    ',',
  )
const words =
  'Type,Value,Finish,Edition,Number,Condition,Grade,Language,Qty,Count,Set,Expansion,Holo,Version,State,Zustandsnote,Auflage,Édition,Versione,Versão,Sprachen,Langues,Nr.,Anz.,Held,Kind'.split(
    ',',
  )
const ends = ' (Y/N), ?, #, 2, Info, Name, Code, /Edition, *,:, (EN), x, der Karte, (opt.)'.split(',')

/** A slip of the keyboard: a letter twice, left out, or in the wrong place. */
function slip(name: string): string {
  const at = drawBelow(random, name.length - 1)
  return drawFrom(random, [
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at + 1) + name.slice(at),
    name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2),
  ])
}

const names = new Set<string>()
while (names.size < 500) {
  const whole = `${drawFrom(random, ['', drawFrom(random, starts)])} ${drawFrom(random, words)}${drawFrom(random, ['', drawFrom(random, ends)])}`
  const name = (random() < 0.3 ? slip(whole) : whole).trim()
  const isKnown = namingOf(name) !== 'unknown' || claimedBy([name, 'Name', 'Qty'])[0] !== undefined
  if (!isKnown && !/[,;"]/.test(name)) names.add(name)
}

const sets = new KnownSets()
sets.add([
  { name: 'Base Set', code: 'base1', game: 'pokemon' },
  { name: 'SV03: Obsidian Flames', code: 'obf', game: 'pokemon' },
  { name: 'Jungle', code: 'base2', game: 'pokemon' },
])

const values = {
  mattering: {
    'names of sets': ['Base Set', 'Obsidian Flames', 'Jungle'],
    'codes of sets': ['base1', 'OBF', 'base2'],
    finishes: ['Reverse Holo', 'Normal', 'Foil'],
    conditions: ['NM', 'LP', 'Heavily Played'],
    grades: ['PSA 10', 'BGS 9.5', 'CGC 9'],
    languages: ['German', 'English', 'Japanese'],
    games: ['Pokemon', 'Magic', 'YuGiOh'],
    'yes and no': ['yes', 'no', 'yes'],
    'signs of yes': ['x', 'x', 'x'],
    copies: ['2', '1', '4'],
    'copies with decimals': ['2.00', '1.00', '4.00'],
    numbers: ['4/102', '125', '60/64'],
    'printed numbers': ['OP01-001', 'LOB-EN001', 'SWSH066'],
    'products of a shop': ['451396', '88012', '12345678'],
    'words that nobody knows': ['sealed', 'shiny', 'old'],
    'money with a word': ['$3.05', 'Reverse Holo', 'Foil'],
  },
  harmless: {
    'empty cells': ['', '', ''],
    'amounts of money': ['$3.05', '$12', '$1,250.00'],
    'amounts without a sign': ['3.05', '12.50', '1250.99'],
    'amounts with a comma': ['3,05 €', '12,50 €', '0,10 €'],
    dates: ['2026-11-20', '2026-01-02', '2025-12-31'],
    'dates of elsewhere': ['11/20/2026', '20.11.2026', 'Nov 20, 2026'],
    times: ['2026-11-20T10:00:00Z', '2026-11-20 10:00:00.123', '10:30'],
    addresses: ['https://example.org/a', 'http://example.org/b', 'www.example.org/c'],
    UUIDs: Array.from({ length: 3 }, (_, i) => `0000579f-7b35-4ed3-b44c-00000000000${i}`),
    percentages: ['5%', '12.5 %', '-3 %'],
  },
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`
const columnOf = (name: string, cells: readonly string[]) =>
  readAll([`Qty,Name,${quoted(name)}`, ...cells.map((cell) => `1,Charizard,${quoted(cell)}`)].join('\n'), {
    known: { sets },
  }).columns[2]!

describe('500 columns with names that no table has', () => {
  for (const [kind, cells] of Object.entries(values.mattering)) {
    it(`A column with any of 500 unknown names is unsure if it has ${kind}`, () => {
      for (const name of names) assert.equal(columnOf(name, cells).sure, false, name)
    })
  }
  for (const [kind, cells] of Object.entries(values.harmless)) {
    it(`A column with any of 500 unknown names changes no amount if it has ${kind}`, () => {
      for (const name of names)
        assert.deepEqual([columnOf(name, cells).sure, columnOf(name, cells).field], [true, null], name)
    })
  }
})

describe('The guess for an unknown column', () => {
  const cases: readonly (readonly [name: string, cells: readonly string[], field: string | null])[] = [
    ['Set/Edition', values.mattering['names of sets'], 'set'],
    ['Variant Type', values.mattering.finishes, 'printing'],
    ['Market Finish', values.mattering.finishes, 'printing'],
    ['Graded Value', values.mattering.grades, 'grade'],
    ['State', values.mattering.conditions, 'condition'],
    ['Spoken', values.mattering.languages, 'language'],
    ['Line', values.mattering.games, 'game'],
    ['Foil (Y/N)', values.mattering['yes and no'], 'foil'],
    ['Graded?', values.mattering['yes and no'], 'grade'],
    ['Is it a proxy?', values.mattering['yes and no'], 'exclude'],
    ['1st Ed?', values.mattering['yes and no'], 'firstEdition'],
    ['Kept', values.mattering['yes and no'], null],
    ['Print Number', values.mattering.numbers, 'number'],
    ['Held', values.mattering.copies, null],
  ]
  for (const [name, cells, field] of cases) {
    it(`The column ${name} with ${cells.join(', ')} is guessed as ${field}`, () =>
      assert.equal(columnOf(name, cells).field, field))
  }

  it('A column of whole numbers is guessed as the quantity if no other column is one', () => {
    const { columns } = readAll('Name,Held\na,5\nb,12')
    assert.deepEqual([columns[1]!.field, columns[1]!.sure], ['quantity', false])
  })
  it('The guess for a column needs the sets of the data only if it has words', () => {
    assert.equal(readAll('Qty,Name,Foo\n1,a,Base Set').needsSets, true)
    assert.equal(readAll('Qty,Name,Foo\n1,a,$3.05').needsSets, false)
    assert.equal(readAll('Qty,Name,Set\n1,a,Base Set').needsSets, false)
  })
})

describe('A known column', () => {
  const columnsOf = (text: string, columns = {}) =>
    readAll(text, { known: { sets }, columns }).columns.map(({ field, sure }) => `${field}${sure ? '' : '?'}`)
  const cases: Readonly<Record<string, readonly [text: string, ...fields: string[]]>> = {
    'that is named for set codes and contains printed numbers is the number': [
      'Name,Set Code\na,SDY-006\nb,LOB-EN001',
      'name',
      'number',
    ],
    'that is named for numbers and contains codes of sets is the set code': [
      'Name,Set,Number\na,Base Set,obf',
      'name',
      'set',
      'setCode',
    ],
    'that is named for versions and contains names of sets is guessed as the set': [
      'Name,Version\na,Base Set\nb,Jungle',
      'name',
      'set?',
    ],
    'that is named for finishes and contains names of sets is the set': [
      'Name,Variant\na,Base Set\nb,Jungle',
      'name',
      'set',
    ],
    'of counts is unsure beside a total that is empty in every row': [
      'Total Quantity,Add to Quantity,Product Name\n,3,a\n,1,b',
      'totalQuantity',
      'quantity?',
      'name',
    ],
    'of counts is unsure if every row is 0 or empty': ['Qty,Name\n0,a\n,b', 'quantity?', 'name'],
    'of counts is unsure beside a count of foils': [
      'Count,Foil count,Name\n3,1,a',
      'quantity?',
      'foilQuantity?',
      'name',
    ],
    'of counts is the total in a list of UrzaGatherer': [
      'Count,Foil count,Special foil count,Name\n3,1,0,a',
      'totalQuantity',
      'foilQuantity',
      'foilQuantity',
      'name',
    ],
  }
  for (const [title, [text, ...fields]] of Object.entries(cases)) {
    it(`A known column ${title}`, () => assert.deepEqual(columnsOf(text), fields))
  }
  it('The caller’s choice for one of two columns of counts settles the other', () => {
    const text = 'Count,Foil count,Name\n3,1,a'
    assert.deepEqual(columnsOf(text, { Count: 'totalQuantity' }), ['totalQuantity', 'foilQuantity', 'name'])
    const quantities = readAll(text, { columns: { Count: 'totalQuantity' } }).lines.map(({ quantity }) => quantity)
    assert.deepEqual(quantities, [2, 1])
  })
})

describe('The frame of a table', () => {
  it('A table may have titles above its header, a second header, and a sum below', () => {
    const read = readAll('My cards,\n\nName,Qty\na,1\nName,Qty\nb,2\nTotal,3\n')
    assert.deepEqual(
      [read.headings, read.lines.map(({ line, quantity }) => [line, quantity])],
      [
        3,
        [
          [4, 1],
          [6, 2],
        ],
      ],
    )
  })
})
