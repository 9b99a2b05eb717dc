import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { CardIds } from '../../build/read/card-ids.ts'
import type { SnapshotFile } from '../../build/read/files.ts'
import { readHistory } from '../../build/read/history/history-rows.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { dayOfDate } from '../../src/calendar.ts'
import { quotedCharsMax } from '../../src/limits.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'

fc.configureGlobal({ seed: 20_261_120 })

const cards = ['pokemon-base1-1', 'pokemon-base1-2', 'pokemon-base1-10', 'mtg-lea-1', 'mtg-lea-1.a']

const folder = temporaryFolder()

type Row = [id: string, day: number, market: number, low: number, high: number, line: number]

async function read(
  content: string | Uint8Array,
  name = 'a.csv',
): Promise<{ rows: Row[]; problems: readonly string[] }> {
  const path = join(folder, name)
  await writeFile(path, content)
  const { size, ctimeMs } = await stat(path)
  const file: SnapshotFile = { name: `history/${name}`, path, bytes: size, ctimeMs }
  let unknown = ''
  const problems = new Problems()
  const rows: Row[] = []
  await readHistory({
    file,
    ids: new CardIds(cards),
    problems,
    onBytes: () => {},
    onUnknown: (id) => {
      unknown = id
    },
    onRow: ({ card, day, market, low, high, line }) =>
      rows.push([cards[card] ?? unknown, day, market, low, high, line]),
  })
  return { rows, problems: problems.shown }
}

const day = dayOfDate('2026-11-20')
const header = 'date,id,market,low,high\n'

describe('A history file', () => {
  const id = 'mtg-lea-1'
  const row: Row = [id, day, 150, 120, -1, 2]
  const line = '2026-11-20,mtg-lea-1,1.50,1.2,'
  const noted = `date,id,market,low,high,note\n${line},"a\n""b"",\n"\n2026-11-21,mtg-lea-1,1,1,1,\n`
  const extremes = '1990-01-01,mtg-lea-1,0,10000000,10000000.00\n2099-12-31,mtg-lea-1,,,\n'
  const [firstDay, lastDay] = ['1990-01-01', '2099-12-31'].map(dayOfDate)
  const readExtremes: Row[] = [[id, firstDay!, 0, 1e9, 1e9, 2]].concat([[id, lastDay!, -1, -1, -1, 3]]) as Row[]
  const cases: [string, string, Row[]][] = [
    ['in the usual form', `${header}${line}\n`, [row]],
    ['without a last line break', `${header}${line}`, [row]],
    ['with CRLF', `date,id,market,low,high\r\n${line}\r\n`, [row]],
    ['with a byte order mark', `\ufeff${header}${line}\n`, [row]],
    ['with quotes', '"date",id,"market",low,high\n"2026-11-20","mtg-lea-1","1.50",1.2,""\n', [row]],
    ['with columns in another order', 'high,note,low,id,date,market\n,x y,1.2,mtg-lea-1,2026-11-20,1.50\n', [row]],
    ['with blank lines', `${header}\n  \n${line}\n\n`, [[id, day, 150, 120, -1, 4]]],
    ['with line breaks in a quoted field', noted, [row, [id, day + 1, 100, 100, 100, 5]]],
    ['with a line break in its first field', `note,${header}"a\nb",${line}\n`, [row]],
    ['with prices in other forms', `${header}2026-11-20,mtg-lea-1,1.005,1e2,007\n`, [[id, day, 101, 10_000, 700, 2]]],
    ['with the earliest and latest dates and the highest price', `${header}${extremes}`, readExtremes],
    ['with unknown cards', `${header}2026-11-20,日本,1,1,1\n`, [['日本', day, 100, 100, 100, 2]]],
    ['with the header alone', header, []],
  ]
  for (const [name, content, rows] of cases) {
    test(`A history file is read ${name}`, async () => {
      assert.deepEqual(await read(content), { rows, problems: [] })
      assert.deepEqual(await read(gzipSync(content), 'a.csv.gz'), { rows, problems: [] })
    })
  }
})

describe('A wrong history file', () => {
  const wrongRows: [string, string][] = [
    ['2026-11-20,mtg-lea-1,-1,1,1', 'market: must be 0 or more ("-1")'],
    ['2026-11-20,mtg-lea-1,1,x,1', 'low: must be a number ("x")'],
    ['2026-11-20,mtg-lea-1,1,1,NaN', 'high: must be a number ("NaN")'],
    ['2026-11-20,mtg-lea-1,1,1,1.', 'high: must be a number ("1.")'],
    ...['.5', ' 1', '1/5', ':', '1.:', '1.0:', '1.000x'].map((price): [string, string] => [
      `2026-11-20,mtg-lea-1,${price},1,1`,
      `market: must be a number ("${price}")`,
    ]),
    ['2026-11-20,mtg-lea-1,1,1,10000000.01', 'high: must be at most 10000000 ("10000000.01")'],
    ['2026-02-30,mtg-lea-1,1,1,1', 'date: must be a date, YYYY-MM-DD ("2026-02-30")'],
    ['2026-1-1,mtg-lea-1,1,1,1', 'date: must be a date, YYYY-MM-DD ("2026-1-1")'],
    ['1989-12-31,mtg-lea-1,1,1,1', 'date: must be from 1990-01-01 to 2099-12-31 ("1989-12-31")'],
    ['2100-01-01,mtg-lea-1,1,1,1', 'date: must be from 1990-01-01 to 2099-12-31 ("2100-01-01")'],
    ['0000-01-01,"mtg-lea-1",1,1,1', 'date: must be from 1990-01-01 to 2099-12-31 ("0000-01-01")'],
    ['20.11.2026,mtg-lea-1,1,1,1', 'date: must be a date, YYYY-MM-DD ("20.11.2026")'],
    [',mtg-lea-1,1,1,1', 'date: must be a date, YYYY-MM-DD ("")'],
    ['2026-11-20,mtg-\xff,1,1,1', 'line: must be UTF-8'],
    ['2026-11-20,,1,1,1', 'id: must not be empty ("")'],
    ['2026-11-20,mtg-lea-1,1,1', 'line: must have 5 fields (4)'],
    ['2026-11-20,mtg-lea-1,1,1,1,', 'line: must have 5 fields (6)'],
    ['2026-11-20,"mtg-lea-1"x,1,1,1', 'line: has a quote in the wrong place ("2026-11-20,\\"mtg-lea-1\\"x,1,1,1")'],
  ]
  for (const [line, problem] of wrongRows) {
    test(`A wrong history file is reported at its line: ${line}`, async () => {
      const content = `${header}2026-11-19,mtg-lea-1,1,1,1\n${line}\n2026-11-21,mtg-lea-1,1,1,1\n`
      const { rows, problems } = await read(Buffer.from(content, 'latin1'))
      assert.deepEqual(problems, [`history/a.csv:3: ${problem}`])
      const found = rows.map((row) => row[5])
      assert.deepEqual(found, [2, 4])
    })
  }

  test('A first row without a date is reported at its line', async () => {
    for (const none of ['\0', ' ', ',', '\xff', '-'].map((char) => char.repeat(10))) {
      const { rows, problems } = await read(Buffer.from(`${header}${none},mtg-lea-1,1,1,1\n`, 'latin1'))
      assert.deepEqual(rows, [], JSON.stringify(none))
      assert.match(problems.join('\n'), /^history\/a\.csv:2: /)
    }
  })

  const latin = Buffer.from(`\xff\n${header}`, 'latin1')
  const twice = '1: low: must be one column only (date,id,low,high,low,market)'
  const longest = 'h'.repeat(quotedCharsMax - 23)
  const none = 'must be a column of the header'
  const wrongFiles: [string, string | Uint8Array, string][] = [
    ['an empty file', '', '1: line: must be a header (the file is empty)'],
    ['only blank lines', '\n \n', '1: line: must be a header (the file is empty)'],
    ['a missing column', 'date,id,market,low\n', `1: high: ${none} (date,id,market,low)`],
    ['a column name with a CR', 'date,id,\rmarket,low,high\n', `1: market: ${none} (date,id,\\rmarket,low,high)`],
    ['a long header', `date,id,market,low,${longest}hhh\n`, `1: high: ${none} (date,id,market,low,${longest}…)`],
    ['a duplicate column', 'date,id,low,high,low,market\n', twice],
    [
      'a quote that is not closed',
      `${header}2026-11-20,"mtg-lea-1,1,1,1\n\n`,
      `2: line: has a quote that is not closed`,
    ],
    ['a header that is not UTF-8', latin, '1: line: must be UTF-8'],
    ['a wrong quote in the header', `""x\n${header}`, '1: line: has a quote in the wrong place ("\\"\\"x")'],
    ['a line of 3 MB', `${header}${'x'.repeat(3_000_000)}`, '2: line: must be at most 1048576 bytes'],
  ]
  for (const [name, content, problem] of wrongFiles) {
    test(`A wrong history file is reported: ${name}`, async () => {
      assert.deepEqual((await read(content)).problems, [`history/a.csv:${problem}`])
    })
  }
})

describe('The fast reader of history lines', () => {
  /** Mostly of the usual form, here and there with something else. */
  const part = (usual: fc.Arbitrary<string>) =>
    fc.oneof(
      { weight: 8, arbitrary: usual },
      { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789.-"e +a,\r\t\u00e9'), maxLength: 12 }) },
    )
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
  const date = fc.tuple(fc.integer({ min: 1985, max: 2105 }), two(13), two(32)).map((parts) => parts.join('-'))
  const price = fc.oneof(
    fc.constant(''),
    fc.tuple(fc.integer({ min: 0, max: 123_456_789 }), fc.integer({ min: 0, max: 999 })).map(([a, b]) => `${a}.${b}`),
    fc.integer({ min: 0, max: 20_000_000 }).map(String),
  )
  const id = fc.oneof(fc.constantFrom(...cards), fc.constantFrom('fab-x-1', 'pokemon-base1', 'mtg-lea-1.'))
  const line = fc.tuple(part(date), part(id), part(price), part(price), part(price)).map((fields) => fields.join(','))

  /** Read by the schema, because a quote is not of the usual form. */
  const quoted = (line: string) => line.replace(/^([^",\r]*),/, '"$1",')

  test('The fast reader of history lines reads exactly the lines that the schema accepts, with the same values', async () => {
    // Quotes that are not closed are a matter of the whole file, and have their own case above.
    const closed = line.filter(
      (text) => !/(^|,)"/.test(text) || (/^[^"]*("[^"]*"[^"]*)*$/.test(text) && !/(^|,)"[^"]*$/.test(text)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(closed, { maxLength: 12 }), async (lines) => {
        const [scanned, checked] = [
          await read(header + lines.join('\n')),
          await read(header + lines.map(quoted).join('\n')),
        ]
        // A problem shows the line with its quotes.
        const said = ({ problems }: typeof scanned) => problems.map((text) => text.replace(/place \(.*/, 'place'))
        assert.deepEqual([scanned.rows, said(scanned)], [checked.rows, said(checked)])
      }),
      { numRuns: amount(150, 600) },
    )
  })
})
