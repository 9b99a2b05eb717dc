/**
 * Wrong entries in a snapshot folder in place of a sound file, and files that would unpack to gigabytes: the error names each, and
 * nothing waits or crashes.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { build } from '../../build/build.ts'
import { CardIds } from '../../build/read/card-ids.ts'
import { readHistory } from '../../build/read/history/history-rows.ts'
import { readRecords } from '../../build/read/ndjson.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { lineBytesMax, unpackedBytesFree, unpackedTimesMax } from '../../src/limits.ts'
import { amount, someOf } from '../support/amount.ts'
import { runHere, temporaryFolder } from '../support/command.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { problemsOf } from './compiled.ts'

const header = 'date,id,market,low,high,note\n'
const aRow = `2026-11-20,${aCard.id},1,1,1,`
const goodSnapshot = () => snapshotOf({ ...aSnapshot, 'history/a.csv': `${header}${aRow}\n` })

it('The command build changes nothing in its snapshot folder', async () => {
  const snapshot = goodSnapshot()
  const entries = () => readdirSync(snapshot, { recursive: true }).sort()
  const before = entries()
  const { code, stderr } = await runHere(['build', '--snapshots', snapshot], { INDEX_DIR: temporaryFolder() })
  assert.equal(code, 0, stderr)
  assert.deepEqual(entries(), before)
})

describe('A file of a snapshot that is not plain', { timeout: 300_000 }, () => {
  const kinds: readonly (readonly [what: string, make: (path: string) => unknown])[] = [
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a device', (path) => symlinkSync('/dev/zero', path)],
    ['a socket', (path) => new Promise<void>((resolve) => void createServer().listen(path, resolve).unref())],
  ]
  for (const [what, make] of kinds) {
    it(`A build reports ${what} in the place of a file by its name, without opening it`, async () => {
      const names = ['sets/b.ndjson', 'cards/b.ndjson', 'cards/b.ndjson.gz', 'history/b.csv']
      const snapshot = goodSnapshot()
      for (const name of ['about.json', ...names]) await make(join(snapshot, name))
      assert.deepEqual(
        await problemsOf(snapshot),
        ['about.json: file', ...names.map((name) => `${name}:1: line`)].map(
          (place) => `${place}: must be a plain file, or a link to one (${what})`,
        ),
      )
    })
  }

  it('A build reports a file in the place of a folder, and a link that leads nowhere or in a circle', async () => {
    for (const [name, code, make] of [
      ['sets', 'ENOTDIR: not a directory, scandir', (path: string) => writeFileSync(path, '')],
      ['cards', 'ENOTDIR: not a directory, scandir', (path: string) => execFileSync('mkfifo', [path])],
      ['history', 'ENOENT: no such file or directory, scandir', (path: string) => symlinkSync('nowhere', path)],
      ['cards/b.ndjson', 'ELOOP: too many symbolic links encountered, stat', (path: string) => symlinkSync(path, path)],
      ['cards/b.ndjson', 'ENOENT: no such file or directory, stat', (path: string) => symlinkSync('nowhere', path)],
    ] as const) {
      const path = join(goodSnapshot(), name)
      rmSync(path, { recursive: true, force: true })
      make(path)
      const [line] = await problemsOf(path.slice(0, -name.length - 1))
      assert.equal(line, `${name}:1: line: can't be read (${code} '${path}')`)
    }
  })

  it('A link to a plain file is read, and a file of another name is ignored', async () => {
    const snapshot = goodSnapshot()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    writeFileSync(elsewhere, `${JSON.stringify({ ...aCard, id: 'pokemon-base1-005' })}\n`)
    symlinkSync(elsewhere, join(snapshot, 'cards/b.ndjson'))
    mkdirSync(join(snapshot, 'cards/old'))
    execFileSync('mkfifo', [join(snapshot, 'cards/ndjson')])
    const { manifest } = await build(snapshot, temporaryFolder())
    assert.equal(manifest.counts.cards, 2)
  })
})

const folder = temporaryFolder()

/** Reads one file alone; what came of it, by line. */
async function read(name: string, content: Uint8Array): Promise<{ lines: number[]; problems: readonly string[] }> {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { size, ctimeMs } = statSync(path)
  const file = { name, path, bytes: size, ctimeMs }
  const problems = new Problems()
  const lines: number[] = []
  if (name.includes('.csv')) {
    await readHistory({
      file,
      ids: new CardIds([aCard.id]),
      problems,
      onBytes: () => {},
      onUnknown: () => {},
      onRow: ({ line }) => lines.push(line),
    })
  } else await readRecords(file, problems, (_record, line) => lines.push(line))
  // An error that nobody took would end the process here.
  for (let i = 0; i < 5; i++) await turn()
  return { lines, problems: problems.shown }
}

describe('A packed file', () => {
  const records = Array.from({ length: 40 }, (_, i) => `${JSON.stringify({ i, text: Math.sin(i) })}\n`).join('')
  const rows = `${header}${Array.from({ length: 40 }, (_, i) => `2026-11-20,x-${i},1,${i},,${Math.sin(i)}\n`).join('')}`

  /** The library's result at once, bytes after its end apart. */
  const unpacked = (bytes: Uint8Array): string | undefined => {
    try {
      return gunzipSync(bytes).toString()
    } catch {
      return undefined
    }
  }

  for (const [name, text, all] of [
    ['a.ndjson.gz', records, 40],
    ['a.csv.gz', rows, 40],
  ] as const) {
    it(`A truncated or corrupted ${name} is reported, unless it still unpacks to the same text`, {
      timeout: 300_000,
    }, async () => {
      const packed = gzipSync(text)
      let harmed = 0
      const check = async (bytes: Uint8Array) => {
        const { lines, problems } = await read(name, bytes)
        if (unpacked(bytes) === text) assert.deepEqual([lines.length, problems], [all, []])
        else {
          harmed++
          assert.ok(
            problems.some((line) => line.startsWith(`${name}:`)),
            'no problem was reported',
          )
        }
      }
      const step = amount(11, 3)
      for (let at = 0; at < packed.length; at += step) {
        const flipped = Buffer.from(packed)
        flipped[at]! ^= 1 << (at % 8)
        await check(flipped)
        if (at % 4 === 0) await check(packed.subarray(0, at))
      }
      assert.ok(harmed > packed.length / step)
    })

    it(`Bytes after the packed data of ${name} are reported`, async () => {
      const packed = gzipSync(text)
      const { length } = packed
      const [head, end] = ['incorrect header check', 'unexpected end of file']
      for (const [after, wrong] of [
        [Buffer.from('more'), head],
        [Buffer.from('x'), end],
        [Buffer.of(0x1f, 0x8b), end],
        [Buffer.alloc(10), `the packed data ends at byte ${length} of ${length + 10}`],
        [Buffer.concat([Buffer.alloc(1), packed]), `the packed data ends at byte ${length} of ${2 * length + 1}`],
        [Buffer.alloc(3 * 2 ** 20, 7), head],
      ] as const) {
        const { problems } = await read(name, Buffer.concat([packed, after]))
        const withoutLines = problems.map((problem) => problem.replace(/:\d+:/, ':'))
        assert.deepEqual(withoutLines, [`${name}: line: can't be read (${wrong})`])
      }
    })

    it(`Several gzip members in ${name} are read as one file`, async () => {
      const middle = text.indexOf('\n', text.length / 2) - 5
      const members = [gzipSync(text.slice(0, middle)), gzipSync(text.slice(middle))]
      assert.deepEqual((await read(name, Buffer.concat(members))).problems, [])
    })
  }
})

describe('A line', () => {
  const pieceBytes = 2 ** 20
  const filled = (before: string, after: string, bytes: number) =>
    before + 'x'.repeat(bytes - before.length - after.length) + after
  /** A blank line that moves what follows by so many bytes. */
  const blank = (bytes: number) => (bytes === 0 ? '' : `${' '.repeat(bytes - 1)}\n`)
  const forms: readonly (readonly [what: string, name: string, head: string, line: (bytes: number) => string])[] = [
    ['of a record', 'a.ndjson', '', (bytes) => filled('{"a":"', '"}', bytes)],
    ['of a row', 'a.csv', header, (bytes) => filled(aRow, '', bytes)],
    ['of a row with quotes', 'a.csv', header, (bytes) => filled(`${aRow}"`, '"', bytes)],
    ['of a row over several lines', 'a.csv', header, (bytes) => filled(`${aRow}"a\nb\n`, '\n"', bytes)],
  ]
  for (const [what, name, head, lineOf] of forms) {
    it(`A line ${what} may have at most ${lineBytesMax} bytes, wherever the file’s chunks end`, async () => {
      const ends = ['', '\n', '\n\n']
      const sizes = [...(amount(0, 1) === 1 ? [lineBytesMax - 1] : []), lineBytesMax, lineBytesMax + 1]
      for (const [i, bytes] of sizes.entries()) {
        const befores = [0, pieceBytes / 2, pieceBytes - head.length - 1, pieceBytes - head.length]
        for (const [j, before] of befores.entries()) {
          for (const end of amount(0, 1) === 1 ? ends : [ends[(i + j) % ends.length]!]) {
            const text = Buffer.from(`${head}${blank(before)}${lineOf(bytes)}${end}`)
            const line = 1 + Number(head !== '') + Number(before > 0)
            const good = { lines: [line], problems: [] }
            const long = { lines: [], problems: [`${name}:${line}: line: must be at most ${lineBytesMax} bytes`] }
            const place = `${bytes} bytes after ${before}, then ${JSON.stringify(end)}`
            assert.deepEqual(await read(name, text), bytes > lineBytesMax ? long : good, place)
          }
        }
      }
    })
  }
})

const mebibyte = 1024 * 1024

const problemsWith = (name: string, content: string | Buffer) =>
  problemsOf(snapshotOf({ ...aSnapshot, 'history/a.csv': header, [name]: content }))

/** Of so many times the same, each packed to a thousandth. */
const packedTimes = (times: number, content: string, head = ''): Buffer =>
  Buffer.concat([gzipSync(head), ...new Array<Buffer>(times).fill(gzipSync(content))])
const longRow = `2026-11-20,mtg-x-1,,,,${'x'.repeat(1000)}\n`
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

describe('A snapshot with hostile contents', { timeout: 300_000 }, () => {
  const refused: readonly (readonly [what: string, name: string, content: () => string | Buffer, wrong: string])[] = [
    ['a packed line of 10 GB', 'cards/b.ndjson.gz', () => packedTimes(2560, alike(4 * mebibyte)), tooLong],
    ['packed cards beyond the size limit', 'cards/b.ndjson.gz', () => cardsOf(34, alike), tooLarge],
    ['a packed history of 10 GB', 'history/b.csv.gz', () => packedTimes(2400, longRow.repeat(4200), header), tooLarge],
    // The rest of the file is still on its way from the disk.
    ['too long a line early in a large file', 'cards/b.ndjson.gz', () => packedTimes(12, dense(mebibyte)), tooLong],
  ]
  for (const [what, name, content, wrong] of someOf(refused, 4)) {
    it(`A snapshot with ${what} is rejected`, async () => {
      const problems = await problemsWith(name, content())
      const found = problems.map((problem) => problem.replace(/:\d+: line:/, ':'))
      assert.deepEqual(found, [`${name}: ${wrong}`])
    })
  }

  const taken: readonly (readonly [what: string, name: string, content: () => string | Buffer])[] = [
    ['a small file that is packed to a thousandth', 'cards/b.ndjson.gz', () => cardsOf(31, alike)],
    ['a large file that is packed like real ones', 'cards/b.ndjson.gz', () => cardsOf(36, usual)],
  ]
  for (const [what, name, content] of someOf(taken, 1))
    it(`A snapshot with ${what} is built`, async () => assert.deepEqual(await problemsWith(name, content()), []))

  it('A file of NUL bytes, as a power cut may leave it, is refused in every folder of a snapshot', async () => {
    const names = ['cards/b.ndjson', 'sets/b.ndjson', 'history/b.csv', 'about.json']
    for (const name of [...names, ...names.slice(0, 3).map((each) => `${each}.gz`)]) {
      for (const bytes of [1, 4096, 2 * lineBytesMax]) {
        const problems = await problemsWith(name, Buffer.alloc(bytes))
        assert.ok(problems.length > 0 && problems.every((problem) => problem.startsWith(name)), `${name} ${bytes}`)
      }
    }
  })

  it('A line of a snapshot that is nested 100,000 deep is rejected', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`
    assert.deepEqual(await problemsWith('cards/b.ndjson', deep), [
      'cards/b.ndjson:1: line: must be a JSON object (nested too deep to be shown)',
    ])
  })
})
