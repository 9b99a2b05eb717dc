/**
 * npm run bench:history: measures what the history costs: a full build, a build with one more file, memory, and
 * responses.
 *
 * The full build compiles all history files but the last. The next build adds the last file, which is one more day if
 * each day has a file. The limit for reading is `sqlite3 .import` of the first files, if sqlite3 is installed. If two
 * runs have the same hash, they returned the same responses.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Argument } from 'commander'
import { compileHistory, type HistoryResult } from '../../build/compile/history/compile-history.ts'
import { CardIds } from '../../build/read/card-ids.ts'
import { type SnapshotFile, snapshotFiles } from '../../build/read/files.ts'
import { readRecords } from '../../build/read/ndjson.ts'
import { Problems } from '../../build/read/snapshot-problems.ts'
import { dayOfDate } from '../../src/calendar.ts'
import { ProgramCommand, runProgram } from '../../src/command/command.ts'
import { History } from '../../src/history/history.ts'
import { readHistoryFile } from '../../src/indexes/history-file.ts'
import { batchIdsMax } from '../../src/limits.ts'
import { drawBelow, randomFrom } from '../../test/support/random.ts'
import { Report, whole } from '../harness/report.ts'

const report = new Report()
const windows = { '7d': 7, '30d': 30, '90d': 90, '1y': 365, all: Number.POSITIVE_INFINITY }
const cardsDrawn = 20_000
const sqliteFiles = 4
/** The server sends long bodies in slices of this size. */
const sliceBytes = 64 * 1024

interface Compiled {
  readonly result: HistoryResult
  readonly parts: readonly Uint8Array[]
  readonly seconds: number
}

/** `measure` sets these before it measures anything. */
let snapshots: string
let ids: string[]
let files: SnapshotFile[]
let folder: string

async function measure(snapshotDir: string): Promise<void> {
  snapshots = resolve(snapshotDir)
  ids = await cardIds()
  const unfit = new Problems()
  files = await snapshotFiles(snapshots, 'history', 'csv', unfit)
  unfit.check()
  if (files.length < 2) throw new Error(`${snapshots} must have two history files or more`)
  folder = await mkdtemp(join(tmpdir(), 'history-bench-'))
  try {
    await mkdir(join(folder, 'history'))
    await Promise.all(files.slice(0, -1).map(linked))
    const full = await compiled(null)
    const peakMegabytes = process.resourceUsage().maxRSS / 1024
    await linked(files.at(-1)!)
    const more = await compiled(full)
    printBuilds(full, more, peakMegabytes)
    printWindows(more)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function cardIds(): Promise<string[]> {
  const found: string[] = []
  const problems = new Problems()
  for (const file of await snapshotFiles(snapshots, 'cards', 'ndjson', problems)) {
    await readRecords(file, problems, (record) => found.push((record as { id: string }).id))
  }
  problems.check()
  return found
}

function linked(file: SnapshotFile): Promise<void> {
  return symlink(file.path, join(folder, file.name))
}

async function compiled(base: Compiled | null): Promise<Compiled> {
  const problems = new Problems()
  const started = performance.now()
  const result = await compileHistory({
    snapshots: folder,
    ids: new CardIds(ids),
    base: base && { parts: base.parts, ids: new CardIds(ids), cache: base.result.cache },
    problems,
    progress: () => {},
  })
  const seconds = (performance.now() - started) / 1000
  problems.check()
  return { result, parts: result.parts.map((pieces) => Buffer.concat(pieces)), seconds }
}

function printBuilds(full: Compiled, more: Compiled, peakMegabytes: number): void {
  const { rows } = more.result.report
  const bytes = more.parts.reduce((sum, { length }) => sum + length, 0)
  const { rowsRead } = full.result.report
  const sqlite = sqliteRowsPerSecond()
  const rate = rowsRead / full.seconds
  console.log(`${cpus()[0]!.model}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}: ${snapshots}\n`)
  report.table(
    ['building', 'figure', 'limit'],
    [
      ['cards', whole(ids.length), ''],
      ['rows', whole(rows), ''],
      ['full build, s', full.seconds.toFixed(1), ''],
      ['full build, rows/s', whole(rate), sqlite === undefined ? '' : `≥ ${whole(2 * sqlite)}`],
      ['sqlite3 .import, rows/s', sqlite === undefined ? 'not installed' : whole(sqlite), ''],
      ['peak memory, MB', whole(peakMegabytes), '≤ 1,500'],
      ['one more file, s', more.seconds.toFixed(2), `≤ ${(full.seconds / 10).toFixed(2)}`],
      ['one more file, rows read', whole(more.result.report.rowsRead), ''],
      ['history, MB', (bytes / 1e6).toFixed(1), ''],
      ['bytes a row', (bytes / rows).toFixed(3), '≤ 0.9'],
    ],
  )
}

/**
 * Returns the rows a second that sqlite3 imports from the first plain CSV files. Undefined if it fails or is missing.
 */
function sqliteRowsPerSecond(): number | undefined {
  const plain = files.filter(({ name }) => name.endsWith('.csv')).slice(0, sqliteFiles)
  const imports = plain.map(({ path }) => `.import '${path.replaceAll("'", "''")}' history`)
  const script = ['.mode csv', ...imports, 'select count(*) from history;'].join('\n')
  const started = performance.now()
  const { status, stdout } = spawnSync('sqlite3', [':memory:'], { input: script, encoding: 'utf8' })
  return status === 0 ? Number(stdout) / ((performance.now() - started) / 1000) : undefined
}

function printWindows({ parts, result }: Compiled): void {
  const asOf = result.newestDate === null ? 0 : dayOfDate(result.newestDate)
  const history = new History(parts.map(readHistoryFile), asOf)
  const random = randomFrom(1)
  const drawn = Array.from({ length: cardsDrawn }, () => drawBelow(random, ids.length))
  const rows = Object.entries(windows).map(([period, days]) => {
    const label = `"period":"${period}"`
    const hash = createHash('sha256')
    let bytes = 0
    for (const card of drawn) {
      const body = history.body(card, ids[card]!, label, days)
      hash.update(body)
      bytes += body.length
    }
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now()
      for (const card of drawn) bytes += history.body(card, ids[card]!, label, days).length
      return ((performance.now() - started) / cardsDrawn) * 1000
    }).sort((a, b) => a - b)
    const spread = `${times[0]!.toFixed(2)} … ${times.at(-1)!.toFixed(2)}`
    return [period, times[2]!.toFixed(2), spread, whole(bytes / 6 / cardsDrawn), hash.digest('hex').slice(0, 12)]
  })
  report.table(['window', 'µs an answer', 'fastest … slowest of 5', 'bytes an answer', 'hash of the answers'], rows)
  printBatches(history, drawn)
}

/** Times the two steps of a batch: computing the body's length, and rendering each slice when it is sent. */
function printBatches(history: History, drawn: readonly number[]): void {
  const rows = Object.entries(windows).map(([period, days]) => {
    const spent = { measured: [] as number[], rendered: [] as number[] }
    const timed = <Result>(of: number[], work: () => Result): Result => {
      const started = performance.now()
      const result = work()
      of.push((performance.now() - started) * 1000)
      return result
    }
    for (let from = 0; from < drawn.length; from += batchIdsMax) {
      const cards = drawn.slice(from, from + batchIdsMax)
      const names = cards.map((card) => ids[card]!)
      const body = timed(spent.measured, () => history.bodies(cards, names, `"period":"${period}"`, days))
      for (let at = 0; at < body.length; at += sliceBytes) {
        timed(spent.rendered, () => body.subarray(at, Math.min(body.length, at + sliceBytes)))
      }
    }
    const middle = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!.toFixed(0)
    return [period, middle(spent.measured), middle(spent.rendered)]
  })
  report.table([`window, ${batchIdsMax} cards`, 'µs to measure', 'µs a slice of 64 KB'], rows)
}

const program = new ProgramCommand('npm run bench:history --', console)
  .description(
    'Measures what the history costs: to build, to build again with one more file, to hold, and to answer from.',
  )
  .addArgument(
    new Argument('[SNAPSHOT_DIR]', 'the snapshot folder, with two history files or more').default('snapshots'),
  )
  .action(measure)
process.exitCode = await runProgram(program, process.argv.slice(2), console)
