/**
 * card-prices build: compiles a snapshot folder and publishes it as a version.
 *
 *   sets/, cards/ ──read──check──order──▶ cards-…, ids, catalog, search ─┐
 *   history/ ─────────────read──check───▶ history-… ─────────────────────┴─▶ publish
 *
 * A build copies most of the history from the current version. It compiles only the last week and the days since the
 * first row of a changed file (build/compile/history/read.ts).
 */

import { stat } from 'node:fs/promises'
import { dateOfDay, dayOfDate } from '../src/calendar.ts'
import { type Output, optionOf, ProgramCommand } from '../src/command/command.ts'
import { commandLine } from '../src/command/command-line.ts'
import { table } from '../src/command/table.ts'
import { bytesOf } from '../src/indexes/manifest.ts'
import { kindOf } from '../src/indexes/plain-file.ts'
import { usualSnapshots } from '../src/last-updates.ts'
import { readSetting } from '../src/settings.ts'
import { type BuildResult, build, buildAdvice } from './build.ts'
import { filesIn } from './import/write/folder.ts'
import { finishImport } from './import/write/staging.ts'

const usualFolder = 'snapshots'

export const buildCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('build', output)
    .description('Compiles a snapshot folder, publishes it as a new version and makes it current.')
    .option('--snapshots <DIR>', 'the folder to read', usualFolder)
    .addOption(optionOf('--out <DIR>', 'the folder of versions', 'INDEX_DIR, else indexes'))
    .option(
      '--force',
      'publishes a snapshot even if it lacks many cards or market prices of the current version, or has most market prices halved ' +
        'or doubled',
      false,
    )
    .examples('card-prices build', 'card-prices build --snapshots prices')
    .action(async ({ snapshots, out, force }: BuildOptions) => {
      await checkFolder(snapshots, out)
      await finishImport(snapshots)
      const words = out === undefined ? [] : ['--out', out]
      const advise = (lines: readonly string[]) => buildAdvice(lines, snapshots, ...words)
      output.log(reportOf(await build(snapshots, out ?? readSetting('INDEX_DIR'), { force, advise })))
    })

/** Throws if the snapshot folder is missing, or is not a folder. */
async function checkFolder(snapshots: string, out: string | undefined): Promise<void> {
  const found = await stat(snapshots).catch(() => undefined)
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new Error(`${snapshots} must be a folder, and is ${kindOf(found)}`)
  const words = out === undefined ? [] : ['--out', out]
  const isUsual = snapshots === usualFolder && filesIn(usualSnapshots, 'cards').length > 0
  const there = isUsual
    ? `; build the one that is here (${commandLine('build', '--snapshots', usualSnapshots, ...words)})`
    : ''
  throw new Error(`the snapshot folder ${snapshots} does not exist${there}`)
}

interface BuildOptions {
  readonly snapshots: string
  readonly out?: string
  readonly force: boolean
}

/** The lines that a build prints at its end. @param today YYYY-MM-DD, UTC */
export function reportOf(
  { manifest, history, warnings, seconds }: BuildResult,
  today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
): string {
  const bytes = bytesOf(manifest.files)
  const historyBytes = bytesOf(manifest.files.filter(({ name }) => name.startsWith('history-')))
  const { cards, sets, historyRows } = manifest.counts
  const rows: [string, string][] = [
    ['version', manifest.version],
    ['as of', manifest.asOf ?? 'unknown'],
    ['cards', number(cards)],
    ['sets', number(sets)],
    [
      'history rows',
      `${number(historyRows)} kept, ${(historyBytes / Math.max(historyRows, 1)).toFixed(2)} bytes a row`,
    ],
    [
      'history files',
      `${number(history.files)}, ${number(history.filesRead)} read with ${number(history.rowsRead)} rows`,
    ],
    ['dropped rows', `${number(history.dropped)} of unknown cards`],
    ['index', `${(bytes / 1e6).toFixed(1)} MB`],
    ['time', `${seconds.toFixed(1)} s`],
    ...[...warnings, ...aheadOf(manifest.asOf, today)].map((warning): [string, string] => ['warning', warning]),
  ]
  return table(rows)
}

/**
 * Warns if the newest date is after tomorrow, since all windows of the history end on the newest date. Tomorrow is
 * accepted, since a clock or a time zone may be off by a day.
 */
function aheadOf(asOf: string | null, today: string): string[] {
  if (asOf === null || asOf <= dateOfDay(dayOfDate(today) + 1)) return []
  return [`the newest date, ${asOf}, is after tomorrow, and every history window ends there`]
}

const number = (value: number) => value.toLocaleString('en')
