/** The report that a build prints at its end. */
import { dateOfDay, dayOfDate } from '../src/calendar.ts'
import { table } from '../src/command/table.ts'
import type { BuildResult } from './build.ts'

/** @param today YYYY-MM-DD, UTC */
export function reportOf(
  { manifest, history, warnings, seconds }: BuildResult,
  today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
): string {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const historyBytes = manifest.files
    .filter(({ name }) => name.startsWith('history-'))
    .reduce((sum, file) => sum + file.bytes, 0)
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

/** All windows end on the newest date. Tomorrow is accepted, since a clock or a time zone may be off by a day. */
function aheadOf(asOf: string | null, today: string): string[] {
  if (asOf === null || asOf <= dateOfDay(dayOfDate(today) + 1)) return []
  return [`the newest date, ${asOf}, is after tomorrow, and every history window ends there`]
}

const number = (value: number) => value.toLocaleString('en')
