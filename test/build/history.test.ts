import assert from 'node:assert/strict'
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { pack, unpack } from 'msgpackr'
import { compileHistory, type HistoryResult } from '../../build/compile/history/compile-history.ts'
import type { HistoryCache, OnProgress } from '../../build/compile/history/read.ts'
import { CardIds } from '../../build/read/card-ids.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { dateOfDay, dayOfDate, noDay } from '../../src/calendar.ts'
import { History } from '../../src/history/history.ts'
import { partCards } from '../../src/indexes/format.ts'
import { readHistoryFile } from '../../src/indexes/history-file.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'

fc.configureGlobal({ seed: 20_261_120 })

let snapshots = ''

const pathOf = (name: string) => join(snapshots, 'history', name)

interface Built {
  readonly ids: readonly string[]
  readonly parts: readonly Uint8Array[]
  readonly cache: HistoryCache
  readonly result: HistoryResult
  readonly problems: Problems
}

async function build(ids: readonly string[], base: Built | null, progress: OnProgress = () => {}): Promise<Built> {
  const problems = new Problems()
  const before = base && { ...base, ids: new CardIds(base.ids) }
  const result = await compileHistory({ snapshots, ids: new CardIds(ids), base: before, problems, progress })
  const parts = result.parts.map((pieces) => Buffer.concat(pieces))
  // As it comes back from the disk.
  const cache = unpack(pack(result.cache)) as HistoryCache
  return { ids, parts, cache, result, problems }
}

/** The rows of a file: what it holds for each id and day. */
type File = ReadonlyMap<string, readonly [id: string, day: number, prices: string]>

const header = 'date,id,market,low,high\n'
const write = (name: string, file: File) => {
  const text = header + Array.from(file.values(), ([id, day, prices]) => `${dateOfDay(day)},${id},${prices}\n`).join('')
  return writeFile(pathOf(name), name.endsWith('.gz') ? gzipSync(text) : text)
}

/** The plain way: later files replace rows of earlier ones. */
function expectedBody(id: string, files: ReadonlyMap<string, File>): string {
  const rows = new Map<number, string>()
  for (const name of [...files.keys()].sort()) {
    for (const [rowId, day, prices] of files.get(name)!.values()) if (rowId === id) rows.set(day, prices)
  }
  const history = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([day, prices]) => {
      const [market, low, high] = prices.split(',').map((price) => (price === '' ? null : Number(price)))
      return { date: dateOfDay(day), market, low, high }
    })
  return JSON.stringify({ data: { cardId: id, period: 'all', history } })
}

function checkAgainstFiles({ ids, parts, result }: Built, files: ReadonlyMap<string, File>): void {
  const asOf = result.newestDate === null ? 0 : dayOfDate(result.newestDate)
  const history = new History(parts.map(readHistoryFile), asOf)
  let rows = 0
  ids.forEach((id, card) => {
    const body = Buffer.from(history.body(card, id, '"period":"all"', Number.POSITIVE_INFINITY)).toString()
    assert.equal(body, expectedBody(id, files))
    rows += JSON.parse(body).data.history.length
  })
  const all = [...files.values()].flatMap((file) => [...file.values()])
  const known = all.filter(([id]) => ids.includes(id))
  assert.equal(result.report.rows, rows)
  assert.equal(result.report.dropped, all.length - known.length)
  assert.equal(result.report.files, files.size)
  const newest = known.map(([, day]) => day).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  assert.equal(result.newestDate, known.length === 0 ? null : dateOfDay(newest))
}

function checkSame(now: Built, atOnce: Built): void {
  assert.ok(Buffer.concat(now.parts).equals(Buffer.concat(atOnce.parts)), 'the bytes of a build at once')
  for (const key of ['newestDate', 'changes', 'changedOn'] as const)
    assert.deepEqual(now.result[key], atOnce.result[key])
  for (const key of ['files', 'rows', 'dropped'] as const) {
    assert.equal(now.result.report[key], atOnce.result.report[key], key)
  }
}

const universe = Array.from({ length: 12 }, (_, i) => `mtg-a-${i}`)
const firstDay = dayOfDate('2026-02-20')

const prices = fc.oneof(
  { weight: 5, arbitrary: fc.constant('1.5,1,2') },
  { weight: 3, arbitrary: fc.integer({ min: 145, max: 155 }).map((cents) => `${cents / 100},1,2`) },
  { weight: 1, arbitrary: fc.constantFrom(',,', '0,0,0', '1000000,,0.01', '10000000,10000000,10000000') },
)
const fileOn = (days: fc.Arbitrary<number>): fc.Arbitrary<File> =>
  fc
    .array(fc.tuple(fc.constantFrom(...universe), days, prices), { minLength: 0, maxLength: 25 })
    .map((rows) => new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row])))

const nearDays = fc.integer({ min: 0, max: 12 })
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('next day'), file: fileOn(fc.constant(0)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct'), pick: fc.nat(), file: fileOn(nearDays) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change'), pick: fc.nat(), file: fileOn(nearDays) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'rename', 'touch'), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cards'), ids: fc.shuffledSubarray(universe) }) },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

/** Changes the folder, `files` and `ids` as the action says; `turn` counts the actions. */
async function act(step: Action, turn: number, files: Map<string, File>, ids: string[]): Promise<void> {
  const names = [...files.keys()].sort()
  const picked = 'pick' in step ? names[step.pick % names.length] : undefined
  const moved = 'file' in step ? shifted(step.file, step.do === 'next day' ? firstDay + turn : firstDay) : new Map()
  const put = (name: string) => {
    files.set(name, moved)
    return write(name, moved)
  }
  if (step.do === 'next day') await put(`${dateOfDay(firstDay + turn)}.csv${turn % 3 === 0 ? '.gz' : ''}`)
  if (step.do === 'correct') await put(`${'pick' in step && step.pick % 2 === 0 ? 'zz' : '00'}-${turn}.csv`)
  if ('ids' in step) ids.splice(0, ids.length, ...step.ids)
  if (picked === undefined) return
  if (step.do === 'change') await put(picked)
  if (step.do === 'touch') await utimes(pathOf(picked), new Date(turn * 1e6), new Date(turn * 1e6))
  if (step.do === 'remove' || step.do === 'rename') {
    const to = `${picked.split('.')[0]}-${turn}.csv${picked.endsWith('.gz') ? '.gz' : ''}`
    if (step.do === 'rename') files.set(to, files.get(picked)!)
    files.delete(picked)
    await (step.do === 'rename' ? rename(pathOf(picked), pathOf(to)) : rm(pathOf(picked)))
  }
}

const shifted = (file: File, days: number): File =>
  new Map(Array.from(file.values(), ([id, day, text]) => [`${id} ${day + days}`, [id, day + days, text] as const]))

describe('A history built from one before', () => {
  beforeEach(async () => {
    snapshots = temporaryFolder()
    await mkdir(join(snapshots, 'history'))
  })
  test('A history built incrementally has the same bytes as one built from scratch, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(universe, { minLength: 6 }),
        fc.array(action, { minLength: 1, maxLength: 9 }),
        async (firstIds, actions) => {
          await rm(join(snapshots, 'history'), { recursive: true })
          await mkdir(join(snapshots, 'history'))
          const files = new Map<string, File>()
          const ids = [...firstIds]
          let base: Built | null = null
          for (const [turn, step] of actions.entries()) {
            await act(step, turn, files, ids)
            const now: Built = await build([...ids], base)
            const atOnce = await build([...ids], null)
            checkSame(now, atOnce)
            checkAgainstFiles(now, files)
            base = now
          }
        },
      ),
      { numRuns: amount(12, 60) },
    )
  })

  const day = (n: number, ids = universe.slice(0, 3)): File =>
    // The first card's price stays.
    new Map(ids.map((id, i) => [id, [id, firstDay + n, `${i === 0 ? 5 : n},,`] as const]))
  const name = (n: number) => `${dateOfDay(firstDay + n)}.csv`
  const ids = universe.slice(0, 3)

  // The base has a file a day, 14 of them; the last seven days are always built again.
  const cases: readonly (readonly [what: string, change: (cards: string[]) => Promise<unknown>, filesRead: number])[] =
    [
      ['the last week if nothing changed', async () => {}, 7],
      ['a new day and the last week', () => write(name(14), day(14)), 8],
      ['the last week and a correction of it', () => write('2026-corrections.csv', day(9)), 8],
      ['a changed file and the later ones', () => write(name(4), day(4, ids.slice(0, 2))), 10],
      ['a file that was touched, and the later ones', () => utimes(pathOf(name(2)), new Date(), new Date(0)), 12],
      ['the files after a removed one', () => rm(pathOf(name(3))), 10],
      ['the last week if the newest file is removed', () => rm(pathOf(name(13))), 6],
      ['all files if a new file has a row of an earlier day', () => write('2026-corrections.csv', day(6)), 15],
      [
        'all files if the last week is removed',
        () => Promise.all(Array.from({ length: 7 }, (_, n) => rm(pathOf(name(7 + n))))),
        7,
      ],
      ['all files if a new card has rows', async (cards) => cards.push('mtg-late-1'), 14],
      ['all files if a card is removed', async (cards) => cards.pop(), 14],
      ['the last week for a new card without rows', async (cards) => cards.push('mtg-late-2'), 7],
      ['only the last week again if the cards have another order', async (cards) => cards.reverse(), 7],
    ]
  for (const [what, change, filesRead] of cases) {
    test(`An incremental build of a history reads ${what}`, async () => {
      const cards = [...ids]
      for (let n = 0; n < 14; n++) await write(name(n), day(n, n === 2 || n === 3 ? [...ids, 'mtg-late-1'] : ids))
      const base = await build(ids, null)
      await change(cards)
      const now = await build(cards, base)
      assert.equal(now.result.report.filesRead, filesRead)
      checkSame(now, await build(cards, null))
    })
  }

  test('A row that a file has twice is reported, also if its card was unknown before', async () => {
    const row = '2026-02-20,mtg-a-7'
    await writeFile(pathOf('a.csv'), `${header}${row},1,1,1\n2026-02-20,mtg-a-2,1,1,1\n${row},2,2,2\n`)
    const unknown = await build(universe.slice(0, 7), null)
    assert.deepEqual(unknown.problems.shown, [])
    for (const base of [unknown, null]) {
      const { problems } = await build(universe.slice(0, 8), base)
      const wrong = 'history/a.csv:4: date: must be the only row of its card and date (2026-02-20)'
      assert.deepEqual(problems.shown, [wrong])
    }
  })

  test('A card that becomes known has all its rows, also those of files that were read before', async () => {
    const late = 'mtg-a-2'
    for (const days of [
      ['05', '09', '01'],
      ['09', '01', '05'],
    ]) {
      let base: Built | null = null
      for (const day of days) {
        await writeFile(
          pathOf(`${days[0]}-${day}.csv`),
          `${header}2026-02-${day},${late},1,2,3\n2026-02-${day},mtg-a-1,,,\n`,
        )
        base = await build(['mtg-a-1'], base)
      }
      checkSame(await build(['mtg-a-1', late], base), await build(['mtg-a-1', late], null))
    }
  })

  test('A build reports how many bytes of the history files it has read', async () => {
    const sizes: number[] = []
    for (const name of ['a.csv', 'b.csv.gz', 'c.csv']) {
      await write(name, day(sizes.length, ids.slice(sizes.length)))
      sizes.push((await stat(pathOf(name))).size)
    }
    const [a, b, c] = sizes as [number, number, number]
    const reported: unknown[] = []
    await build(['mtg-a-1'], null, (done) => reported.push({ ...done }))
    const bytesTotal = a + b + c
    assert.deepEqual(reported, [
      { bytes: a, bytesTotal, file: 'history/a.csv' },
      { bytes: a + b, bytesTotal, file: 'history/b.csv.gz' },
      { bytes: bytesTotal, bytesTotal, file: 'history/c.csv' },
    ])
  })

  test('Cards of every part of a history have their rows, also after an incremental build', async () => {
    const ids = Array.from({ length: partCards + 2 }, (_, i) => `mtg-${i}`)
    const cards = [0, partCards - 1, partCards, partCards + 1]
    // A card's price of a day is that of the card before on the day before.
    const marketOf = (date: string, i: number) => 10 + Number(date.slice(-2)) - i
    const rowsOf = (date: string) => cards.map((card, i) => `${date},mtg-${card},${marketOf(date, i)},1,${card}\n`)
    const write = (date: string) => writeFile(pathOf(`${date}.csv`), header + rowsOf(date).join(''))
    for (const date of ['2026-02-01', '2026-02-21']) await write(date)
    const base = await build(ids, null)
    await write('2026-02-22')
    const now = await build(ids, base)
    const history = new History(now.parts.map(readHistoryFile), dayOfDate('2026-02-22'))
    for (const [i, card] of cards.entries()) {
      const rowOf = (day: string) => `{"date":"2026-02-${day}","market":${marketOf(day, i)},"low":1,"high":${card}}`
      const rows = ['01', '21', '22'].map(rowOf)
      const body = Buffer.from(history.body(card, `mtg-${card}`, '"days":30', 30)).toString()
      assert.equal(body, `{"data":{"cardId":"mtg-${card}","days":30,"history":[${rows}]}}`)
    }
    const changed = [...now.result.changedOn.keys()].filter((card) => now.result.changedOn[card] !== noDay)
    assert.deepEqual(
      [changed, now.result.report],
      [cards, { files: 3, filesRead: 2, rows: 12, rowsRead: 8, dropped: 0 }],
    )
  })
})
