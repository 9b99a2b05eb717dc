/** The importer's readers: what they take is what a whole parser takes, however the bytes are cut into chunks. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ImportErrors } from '../../build/import/import-errors.ts'
import { Report } from '../../build/import/import-report.ts'
import { readCsv } from '../../build/import/read/csv-file.ts'
import { FileRecords } from '../../build/import/read/file-records.ts'
import { JsonSplitter, SplitError } from '../../build/import/read/json-splitter.ts'
import { inputFile } from '../../build/import/read/open.ts'
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

describe('a JSON text cut into pieces', () => {
  it('gives what JSON.parse gives, in chunks of any size', () => {
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

  it('is refused wherever it is cut short', () => {
    const text = Buffer.from('{"meta":{"a":"\\\\\\""},"data":{"x":[1,{"y":"}"}],"z":"\\u00e9"}}')
    for (let length = 0; length < text.length; length++) {
      assert.throws(
        () => cut(text.subarray(0, length), 'data', 7),
        (error) => error instanceof SplitError || error instanceof SyntaxError,
        `${length}`,
      )
    }
    assert.throws(() => cut(Buffer.concat([text, text]), 'data', 7), SplitError)
    assert.throws(() => cut(Buffer.from('{"data":[1 22]}'), 'data', 7), SplitError)
    assert.throws(() => cut(Buffer.from('{\n"a": 1,\n"data": [}'), 'data', 7), /^Error: line 3, byte 19: must be JSON/)
  })
})

it('a CSV names the line on which a wrong row begins, behind fields of several lines and blank lines', async () => {
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
  assert.deepEqual(
    report.records.map(({ place, record }) => [place, record]),
    [
      ['line 30005', 'must have 2 fields (1)'],
      ['line 30007', 'has a quote in the wrong place ("id,\\"a\\"b")'],
      ['line 30008', 'must have 2 fields (3)'],
      ['line 30009', 'must be UTF-8'],
    ],
  )
})
