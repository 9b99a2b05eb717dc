/**
 * The importer’s readers: what they take is what a whole parser takes, however the bytes are cut into chunks; and what is made of
 * the numbers, names and prices that sources print.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { slug } from '../../build/import/ids.ts'
import { ImportErrors } from '../../build/import/import-errors.ts'
import { Report } from '../../build/import/import-report.ts'
import { readCsv } from '../../build/import/read/csv-file.ts'
import { FileRecords } from '../../build/import/read/file-records.ts'
import { JsonSplitter, SplitError } from '../../build/import/read/json-splitter.ts'
import { inputFile } from '../../build/import/read/open.ts'
import { dayOfText, imageOf, numberOf, plainText, printingName } from '../../build/import/source-values.ts'
import { priceReader } from '../../build/import/sources/pricecharting-source.ts'
import { withoutNumber } from '../../src/names/numbers.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'

function cut(
  bytes: Buffer,
  container: string,
  chunkBytes: number,
): { pieces: [string | number, unknown][]; members: Record<string, unknown> } {
  const pieces: [string | number, unknown][] = []
  const members: Record<string, unknown> = {}
  const cutter = new JsonSplitter(
    container,
    (key, piece) => pieces.push([key, JSON.parse(piece.toString())]),
    (key, piece) => {
      members[key] = JSON.parse(piece.toString())
    },
  )
  for (let at = 0; at < bytes.length; at += chunkBytes) cutter.take(bytes.subarray(at, at + chunkBytes))
  cutter.end()
  return { pieces, members }
}

describe('The splitter of JSON', () => {
  it('The splitter of JSON returns what JSON.parse returns, for chunks of any size', () => {
    const entries = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 })
    fc.assert(
      fc.property(
        entries,
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (object, array, chunkBytes, indented) => {
          const text = (value: unknown) => Buffer.from(JSON.stringify(value, null, indented ? 2 : 0))
          const parsed = (value: unknown) => JSON.parse(JSON.stringify(value))
          const { container: _, ...rest } = object as Record<string, unknown>
          const ofObject = cut(text({ ...rest, container: object }), 'container', chunkBytes)
          assert.deepEqual(ofObject.pieces, Object.entries(parsed(object)))
          assert.deepEqual(ofObject.members, { ...parsed(rest), container: {} })
          const elements = parsed(array).map((value: unknown, i: number) => [i, value])
          assert.deepEqual(cut(text({ container: array }), 'container', chunkBytes).pieces, elements)
          assert.deepEqual(cut(text(array), '', chunkBytes).pieces, elements)
        },
      ),
      { numRuns: amount(100, 300), seed: 7 },
    )
  })

  it('The splitter of JSON refuses a text that is cut short anywhere', () => {
    const text = Buffer.from('{"meta":{"a":"\\\\\\""},"data":{"x":[1,{"y":"}"}],"z":"\\u00e9"}}')
    for (let length = 0; length < text.length; length++) {
      assert.throws(
        () => cut(text.subarray(0, length), 'data', 7),
        (error) => error instanceof SplitError || error instanceof SyntaxError,
        `${length}`,
      )
    }
    for (const [wrong, message] of [
      [`${text}${text}`, 'line 1, byte 61: must be JSON (nothing may follow the end)'],
      ['{"data":[1 22]}', 'line 1, byte 11: must be JSON (a comma or the closing bracket must stand here)'],
      ['{\n"a": 1,\n"data": [}', 'line 3, byte 19: must be JSON (a value must stand here)'],
      ['{"a" 1}', 'line 1, byte 5: must be JSON (a colon must stand here)'],
      ['{"\\x": 1}', 'line 1, byte 5: must be JSON (a key must stand here)'],
      ['{1: 1}', 'line 1, byte 1: must be JSON (a key must stand here)'],
      [' \n[]', 'line 2, byte 2: must be JSON (an object must stand here)'],
      ['', 'line 1, byte 0: must be JSON (the file is empty)'],
      ['{"data":[1', 'line 1, byte 10: the file is cut short'],
    ] as const)
      assert.throws(() => cut(Buffer.from(wrong), 'data', 7), { message })
  })
})

it('The CSV reader names the line on which a wrong row begins, even after fields with line breaks and blank lines', async () => {
  const path = join(temporaryFolder(), 'a.csv')
  // Rows of ten lines each, over several chunks.
  const good = `id,"${'line\n'.repeat(8)}${'x'.repeat(1000)}"\n\n`
  const rows = [
    'a,b\n',
    '\n\r\n',
    ...new Array<string>(3000).fill(good),
    '\n"one\nfield"\n',
    'id,"a"b\n',
    '1,2,3\n',
    Buffer.from('caf\xe9,1\n', 'latin1'),
  ]
  writeFileSync(path, Buffer.concat(rows.map((row) => Buffer.from(row))))
  const errors = new ImportErrors()
  const report = new Report()
  const seen: number[] = []
  await readCsv(inputFile(path, errors)!, new FileRecords(path, null, { errors, report }), {
    required: [],
    onRow: (_, line) => seen.push(line),
  })
  assert.deepEqual(
    seen,
    Array.from({ length: 3000 }, (_, i) => 4 + 10 * i),
  )
  const found = report.records.map(({ place, record }) => [place, record])
  assert.deepEqual(found, [
    ['line 30005', 'must have 2 fields (1)'],
    ['line 30007', 'has a quote in the wrong place ("id,\\"a\\"b")'],
    ['line 30008', 'must have 2 fields (3)'],
    ['line 30009', 'must be UTF-8'],
  ])
})

describe('The report of an import', () => {
  it('An import’s report counts all records, and lists the first of those with the same game, reason and record', () => {
    const report = new Report()
    const often = (game: 'mtg' | null, reason: string, record: string) =>
      report.leftOutOften({ game, file: `${report.records.length}`, reason, record })
    for (const record of ['a', 'b', 'a']) often(null, 'r', record)
    for (const reason of ['r', 'ra', 'r']) often('mtg', reason, 'a')
    report.leftOut({ game: 'mtg', file: 'f', place: 'line 9', reason: 'r', record: 'a' }, 1200)
    const listed = report.records.map(({ game, file, place, reason, record }) => [game, file, place, reason, record])
    assert.deepEqual(listed, [
      [null, '0', null, 'r', 'a'],
      [null, '1', null, 'r', 'b'],
      ['mtg', '2', null, 'r', 'a'],
      ['mtg', '3', null, 'ra', 'a'],
      ['mtg', 'f', 'line 9', 'r', 'a'],
    ])
    report.game('mtg').sealed = 1
    report.notes.push('first', 'second')
    const tables = [
      'game       sets  cards  sealed  prices  new ids  changed  changed names  gone  held  doubtful  left out',
      'mtg           0      0       1       0        0        0              0     0     0         0     1,203',
      '(no game)     0      0       0       0        0        0              0     0     0         0         3',
      '\nleft out because  game       records',
      'r                 mtg          1,202\nr                 (no game)        3\nra                mtg              1',
    ]
    assert.equal(report.table(), `first\n\nsecond\n\n${tables.join('\n')}`)
  })

  it('A report sums what several imports did, and counts the snapshot’s cards once', () => {
    const [sum, report] = [new Report(), new Report()]
    const standing = { sets: 1, cards: 2, sealed: 3, prices: 4, held: 5 }
    const did = { newIds: 6, added: 7, changed: 8, changedNames: 9, gone: 10, doubtful: 11 }
    Object.assign(report.game('mtg'), { ...standing, ...did })
    for (let imports = 0; imports < 2; imports++) sum.addCounts(report)
    const twice = Object.fromEntries(Object.entries(did).map(([key, count]) => [key, 2 * count]))
    assert.deepEqual({ ...sum.game('mtg') }, { ...standing, ...twice, leftOut: new Map() })
  })
})

describe('A printed number', () => {
  const pairs = '139/195=139|SV001/SV122=SV001|276/XY-P=276|A/28=A|!/28=!|H25/H32=H25|055a/111=055a|PW 1=PW 1'
  const more = 'SM103a=SM103a|THREE=THREE|N/A=|n/a=| =|101/078 SAR=101/078 SAR|OP01-001=OP01-001|1/2/3=1/2/3'
  const both = '099/102 & 100/102=099/102 & 100/102|099/102 &amp; 100/102=099/102 & 100/102'
  for (const [printed, number] of [pairs, more, both]
    .join('|')
    .split('|')
    .map((one) => one.split('=')))
    it(`The printed number "${printed}" is ${number || 'none'}`, () => assert.equal(numberOf(printed!), number || null))
})

describe('The name of a card', () => {
  const cases: [printed: string, number: string | null, name: string][] = [
    ['Squirtle - 063/100', '063/100', 'Squirtle'],
    ["Janine's Secret Art - 112/131 (Poke Ball Pattern)", '112/131', "Janine's Secret Art (Poke Ball Pattern)"],
    ['Steelix (H29)', 'H29/H32', 'Steelix'],
    ['Golem (14)', '14', 'Golem'],
    ['Golem (14)', '014/100', 'Golem'],
    ['X.Drake (054)', 'OP01-054', 'X.Drake'],
    ['X.Drake (OP01-054)', 'OP01-054', 'X.Drake'],
    ['X.Drake (ST01-054)', 'OP01-054', 'X.Drake (ST01-054)'],
    ['Skarmory EX (145 Full Art)', '145/195', 'Skarmory EX (Full Art)'],
    ['Skarmory EX (145/195 Full Art)', '145/195', 'Skarmory EX (Full Art)'],
    ['Roronoa Zoro (001) (Alternate Art)', 'OP01-001', 'Roronoa Zoro (Alternate Art)'],
    ['Nami (V.2)', 'OP01-016', 'Nami (V.2)'],
    ['Pikachu (2024)', '024/100', 'Pikachu (2024)'],
    ['Mewtwo - 1/2', '150/165', 'Mewtwo - 1/2'],
    ['Porygon2', '2', 'Porygon2'],
    ['Zygarde 10%', '10', 'Zygarde 10%'],
    ['Team Rocket - 15/82 - Holo', '15/82', 'Team Rocket - Holo'],
    ['Darth Vader - Dark Lord of the Sith', '010/252', 'Darth Vader - Dark Lord of the Sith'],
    ['(7)', '7', '(7)'],
    ['Card (10)', '1', 'Card (10)'],
    ['Card (100)', '1/100', 'Card (100)'],
    ['Bulbasaur (7)', null, 'Bulbasaur (7)'],
    ['Bulbasaur (N/A)', 'N/A', 'Bulbasaur (N/A)'],
    ['Pikachu & Zekrom - 099/102 & 100/102', '099/102 & 100/102', 'Pikachu & Zekrom'],
    ['Charmander - 101/078', '101/078 SAR', 'Charmander'],
  ]
  for (const [printed, number, name] of cases)
    it(`For the name "${printed}" and the number ${number}, withoutNumber returns "${name}"`, () =>
      assert.equal(withoutNumber(printed, number), name))

  it('A name has entities decoded once, and no tags or double spaces', () => {
    assert.equal(plainText('Ashnod&#39;s  <em>Altar</em> &amp;amp; &eacute;&nbsp;x '), "Ashnod's Altar &amp; é x")
    assert.equal(plainText('2 < 3 > 1'), '2 < 3 > 1')
    assert.equal(plainText('Lugia<i>V</i> (<b>Promo</b>)<br/>Two<p>Three</p>'), 'LugiaV (Promo) Two Three')
    assert.equal(plainText('&lt;em&gt;Mew&lt;/em&gt;'), 'Mew')
    assert.equal(plainText('Maliss <P> White Rabbit'), 'Maliss <P> White Rabbit')
    assert.equal(plainText('<EM>Mew</EM><BR>Two'), 'Mew Two')
  })

  it('A product of several sub-types has each but Normal in brackets behind its name', () => {
    assert.equal(printingName('Pidgey', 'Reverse Holofoil', true), 'Pidgey [Reverse Holofoil]')
    assert.equal(printingName('Pidgey', 'Normal', true), 'Pidgey')
    assert.equal(printingName('Pidgey', 'Holofoil', false), 'Pidgey')
  })
})

it('A part of an id has letters, digits, dots, and hyphens between them', () => {
  const texts = ['Reverse Holofoil', '1st Edition', 'OP01-001', '  A/28! ', 'v1.5', '★', 'Pokémon', 'a_b~c']
  assert.equal(texts.map(slug).join(), 'reverse-holofoil,1st-edition,op01-001,a-28,v1.5,,pok-mon,a-b-c')
})

it('A price of PriceCharting is in dollars or in cents, never both in a file', () => {
  const wrong = 'must be dollars such as $1,234.56, or whole cents'
  assert.deepEqual(['$1,234.56', '$5', '$0.5', '', '$12,34', '1.5', 'x', '700'].map(priceReader()), [
    123456,
    500,
    50,
    null,
    wrong,
    wrong,
    wrong,
    "must be in dollars, as the file's first price",
  ])
  assert.deepEqual(['123456', '$5'].map(priceReader()), [123456, "must be in cents, as the file's first price"])
})

it('The reader of days takes only dates of the calendar from 1990 to 2099', () => {
  const none = ['2022-02-30', '0001-01-01T00:00:00', '1989-12-31', '2100-01-01', '', null]
  const days = [...none, '2022-11-11T00:00:00', '1990-01-01', '2099-12-31']
  assert.deepEqual(days.map(dayOfText), [...none.map(() => null), '2022-11-11', '1990-01-01', '2099-12-31'])
})

it('An image’s address keeps its file name when another base replaces the rest', () => {
  assert.equal(imageOf('https://a.example/x/1_200w.jpg?9', 'https://b.example/i/'), 'https://b.example/i/1_200w.jpg')
  assert.equal(imageOf('https://a.example/1.jpg?9', undefined), 'https://a.example/1.jpg?9')
  for (const address of ['1.jpg', '', null, 'ftp://a.example/1']) assert.equal(imageOf(address, undefined), null)
})
