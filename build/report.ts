/** What the operator reads at the end of a build. */
import type { BuildResult } from './build.ts'

export function reportOf({ manifest, history, catalogReused, seconds }: BuildResult): string {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const historyBytes = manifest.files
    .filter(({ name }) => name.startsWith('history-'))
    .reduce((sum, file) => sum + file.bytes, 0)
  const { cards, sets, historyRows } = manifest.counts
  const rows: [string, string][] = [
    ['version', manifest.version],
    ['as of', manifest.asOf ?? 'unknown'],
    ['cards', `${number(cards)}${catalogReused ? ' (unchanged)' : ''}`],
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
  ]
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n')
}

const number = (value: number) => value.toLocaleString('en')
