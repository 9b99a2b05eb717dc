/** Compares two runs: all figures if they are of one machine and snapshot, else only the ratios to the limit. */
import { nameOfCode } from './code.ts'
import { fixed, type Report, whole } from './report.ts'
import type { Results, ScenarioResult } from './results.ts'

/** The conditions that both runs must share for all their figures to be comparable. */
const sameOf = ['CPU', 'memory', 'snapshot'] as const

export function compareRuns(report: Report, one: Results, other: Results): void {
  const differing = sameOf.filter((what) => one.conditions[what] !== other.conditions[what])
  report.heading('Two runs')
  report.table(
    ['', 'A', 'B'],
    [
      ['date', ...[one, other].map(({ conditions }) => conditions['date']!)],
      ['code', ...[one, other].map(({ code }) => (code === undefined ? 'unknown' : nameOfCode(code)))],
      ['machine then', ...[one, other].map(stateOf)],
      ...differing.map((what) => [what, one.conditions[what]!, other.conditions[what]!]),
    ],
  )
  const isOneMachine = differing.length === 0
  const pairs = (one.scenarios ?? []).flatMap((a) => {
    const b = other.scenarios?.find(({ name }) => name === a.name)
    return b === undefined ? [] : [[a, b] as const]
  })
  if (!isOneMachine) report.text('The runs are of two machines or snapshots, so only ratios to the limit compare.')
  const titles = ['scenario', 'ratio to the limit, A', 'B', 'B through A']
  const more = isOneMachine ? ['requests/s, A', 'B', 'CPU µs, A', 'B'] : []
  report.table(
    [...titles, ...more],
    pairs.map(([a, b]) => [
      a.name,
      ...[a, b].map((run) => withSpread(run.ratio, run.ratios, (value) => fixed(value, 2))),
      fixed(b.ratio / a.ratio, 2) + (overlap(a.ratios, b.ratios) ? ' ~' : ''),
      ...(isOneMachine
        ? [
            ...[a, b].map((run) => withSpread(run.rate, run.rates, whole)),
            ...[a, b].map((run) => withSpread(run.cpuUs, run.cpus, (value) => fixed(value, 2))),
          ]
        : []),
    ]),
  )
  report.text(
    '`~`: rounds of the one lie among those of the other, so no difference is shown. In brackets: the rounds.',
  )
}

export const stateOf = ({ disturbances }: Pick<Results, 'disturbances'>): string => {
  if (disturbances === undefined) return 'unknown'
  return disturbances.length === 0 ? 'quiet' : `busy: ${disturbances.join(', ')}`
}

function withSpread(value: number, rounds: ScenarioResult['rates'], shown: (value: number) => string): string {
  if (rounds === undefined) return shown(value)
  return `${shown(value)} (${shown(Math.min(...rounds))}–${shown(Math.max(...rounds))})`
}

/** True if the two ranges overlap. False if a run has no rounds, because its range is then unknown. */
const overlap = (a: readonly number[] = [], b: readonly number[] = []): boolean =>
  a.length > 0 && b.length > 0 && Math.min(...a) <= Math.max(...b) && Math.min(...b) <= Math.max(...a)
