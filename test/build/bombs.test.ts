/** Snapshot files that would unpack to gigabytes are rejected at their beginning. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { lineBytesMax, unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import { someOf } from '../support/amount.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { problemsOf } from './compiled.ts'

const mebibyte = 1024 * 1024
const header = 'date,id,market,low,high,note\n'

const problemsWith = (name: string, content: string | Buffer) =>
  problemsOf(snapshotOf({ ...aSnapshot, 'history/a.csv': header, [name]: content }))

/** Of so many times the same, each packed to a thousandth. */
const packedTimes = (times: number, content: string | Buffer): Buffer =>
  Buffer.concat(new Array<Buffer>(times).fill(gzipSync(content)))
/** A card in a line of nearly the largest size; `filling` tells how well it is packed. */
const cardLine = (i: number, filling: string): string =>
  `${JSON.stringify({ ...aCard, id: `${aCard.id}-${i}`, filling })}\n`
const dense = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes)
/** Of all the filling is the same, and packed once. */
function cardsOf(count: number, filling: (bytes: number) => string): Buffer {
  const filled = gzipSync(filling(mebibyte - 1000), { level: 1 })
  const around = Array.from({ length: count }, (_, i) => cardLine(i, '|').split('|') as [string, string])
  return Buffer.concat(around.flatMap(([start, end]) => [gzipSync(start), filled, gzipSync(end)]))
}
const alike = (bytes: number): string => 'x'.repeat(bytes)
/** As real files are packed, to a fifth. */
const usual = (bytes: number): string =>
  Array.from({ length: Math.ceil(bytes / 1000) }, () => dense(200) + alike(800))
    .join('')
    .slice(0, bytes)

const tooLarge = `can't be read (the packed data holds more than ${unpackedBytesFree} bytes and ${unpackedTimesMax} times its own)`
const tooLong = `must be at most ${lineBytesMax} bytes`

describe('a snapshot with', { timeout: 120_000 }, () => {
  const refused: readonly (readonly [what: string, name: string, content: () => string | Buffer, wrong: string])[] = [
    [
      '10 GB of one letter, packed',
      'cards/b.ndjson.gz',
      () => packedTimes(2560, Buffer.alloc(4 * mebibyte, 'x')),
      tooLong,
    ],
    ['more than can be, packed', 'cards/b.ndjson.gz', () => cardsOf(34, alike), tooLarge],
    [
      '10 GB of a history, packed',
      'history/b.csv.gz',
      () =>
        Buffer.concat([
          gzipSync(header),
          packedTimes(2400, `2026-11-20,mtg-x-1,,,,${'x'.repeat(1000)}\n`.repeat(4200)),
        ]),
      tooLarge,
    ],
    // The rest of the file is still on its way from the disk.
    ['too long a line at the beginning of much', 'cards/b.ndjson.gz', () => packedTimes(12, dense(mebibyte)), tooLong],
  ]
  for (const [what, name, content, wrong] of someOf(refused, 4)) {
    it(`${what}, is rejected`, async () => {
      const problems = await problemsWith(name, content())
      assert.deepEqual(
        problems.map((problem) => problem.replace(/:\d+: line:/, ':')),
        [`${name}: ${wrong}`],
      )
    })
  }

  const taken: readonly (readonly [what: string, name: string, content: () => string | Buffer])[] = [
    ['a little, packed to a thousandth', 'cards/b.ndjson.gz', () => cardsOf(31, alike)],
    ['much, packed as real files are', 'cards/b.ndjson.gz', () => cardsOf(36, usual)],
  ]
  for (const [what, name, content] of someOf(taken, 1))
    it(`${what}, is built`, async () => assert.deepEqual(await problemsWith(name, content()), []))

  it('a line nested to any depth, is rejected', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`
    assert.deepEqual(await problemsWith('cards/b.ndjson', deep), [
      'cards/b.ndjson:1: line: must be a JSON object (nested too deep to be shown)',
    ])
  })
})
