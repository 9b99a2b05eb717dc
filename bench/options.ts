/** The command line of `npm run bench`. */
import { join } from 'node:path'
import { projectDir } from './harness/process.ts'
import { scenarios } from './http/scenarios.ts'

export const parts = [
  'in-process',
  'http',
  'peers',
  'threads',
  'watched',
  'start',
  'latency',
  'cards',
  'swap',
  'memory',
] as const
const scenarioNames = scenarios.map(({ name }) => name)
const names: readonly string[] = [...scenarioNames, ...parts]

export const usage = `Usage: npm run bench -- [--snapshots DIR] [--only NAME,…] [--rounds N] [--seconds N] [--wait-quiet MINUTES] [--wide] [--short | --reference]
       npm run bench -- --against COMMIT [--only SCENARIO,…] [--snapshots DIR] [--rounds N] [--seconds N]
       npm run bench -- --profile SCENARIO [--snapshots DIR] [--seconds N]
       npm run bench -- --redraw DIR

Measures the service over a snapshot, and writes tables, figures and pictures into a folder of bench/results/.

  --snapshots DIR     the snapshot folder (default: snapshots)
  --only NAME,…       of ${parts.join(', ')}; or scenarios, which http has all of: ${scenarioNames.join(', ')}
  --rounds N          rounds of each comparison (default: 5)
  --seconds N         of each measurement; twenty times that for the part latency (default: 3)
  --times N,…         how many times the cards, for the part cards (default: 0.25,1,4,16)
  --wide              all columns of the tables; what is written has them in any case
  --short             about a minute in all: does it run, and are card details above 0.5 of the limit by CPU time? If not, it exits 1
  --reference         replaces the measured parts in bench/results/reference/, except those measured on a quieter machine
  --wait-quiet MINUTES  on a busy machine, waits at most so long until it is quiet; if it stays busy, exits 1
  --against COMMIT    the main scenarios beside another commit of this repository, by turns: how much CPU time each takes for a request
  --profile SCENARIO  a CPU profile of a server thread under that load, and its dearest functions
  --redraw DIR        draws the pictures of a run again, from its results.json
  --help              shows this`

/** Each has a way of its own through the code. */
const mainScenarios = [
  'details',
  'unchanged',
  'batch',
  'match',
  'search-zipf',
  'search-new',
  'search-fields',
  'full',
  'suggest',
  'movers',
  'history-30d',
  'changes',
]
const shortParts = ['in-process', 'details', 'search-zipf', 'history-30d']
const optionalNumber = { type: 'string' } as const

export const optionsTable = {
  snapshots: { type: 'string', default: join(projectDir, 'snapshots') },
  only: { type: 'string' },
  rounds: optionalNumber,
  seconds: optionalNumber,
  times: { type: 'string', default: '0.25,1,4,16' },
  wide: { type: 'boolean', default: false },
  short: { type: 'boolean', default: false },
  reference: { type: 'boolean', default: false },
  'wait-quiet': optionalNumber,
  against: { type: 'string' },
  profile: { type: 'string' },
  redraw: { type: 'string' },
} as const

export interface Options {
  readonly snapshots: string
  /** Parts and scenarios. */
  readonly only: ReadonlySet<string>
  readonly rounds: number
  readonly seconds: number
  /** Of the part cards, ascending; 1 is among them. */
  readonly times: readonly number[]
  readonly wide: boolean
  readonly short: boolean
  readonly reference: boolean
  /** Minutes; 0 measures on a busy machine, too. */
  readonly waitQuiet: number
  /** A commit, as git names it. */
  readonly against: string | undefined
  /** A scenario's name. */
  readonly profile: string | undefined
  /** A run's folder. */
  readonly redraw: string | undefined
}

export class UsageError extends Error {}

/** @param values as parseArgs gives them by `optionsTable`. Throws UsageError. */
export function optionsFrom(values: Readonly<Record<string, unknown>>): Options {
  const given = values as {
    snapshots: string
    only?: string
    rounds?: string
    seconds?: string
    times: string
    'wait-quiet'?: string
    wide: boolean
    short: boolean
    reference: boolean
    against?: string
    profile?: string
    redraw?: string
  }
  const { snapshots, wide, short, reference, against, profile, redraw } = given
  if (profile !== undefined && !scenarioNames.includes(profile)) {
    throw new UsageError(`--profile: there is no scenario ${profile}, only ${scenarioNames.join(', ')}`)
  }
  const chosen =
    given.only?.split(',') ??
    (against !== undefined ? mainScenarios : short ? shortParts : reference ? [...parts] : names)
  const unknown = chosen.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`--only: there is no ${unknown}, only ${names.join(', ')}`)
  const part = chosen.find((name) => !scenarioNames.includes(name))
  if (against !== undefined && part !== undefined) throw new UsageError(`--against: ${part} is a part; name a scenario`)
  const scenario = chosen.find((name) => scenarioNames.includes(name))
  if (reference && scenario !== undefined) throw new UsageError(`--reference: ${scenario} is a scenario; name a part`)
  return {
    snapshots,
    only: new Set(chosen.includes('http') ? [...chosen, ...scenarioNames] : chosen),
    rounds: positive('--rounds', given.rounds ?? (short ? '3' : '5')),
    seconds: positive('--seconds', given.seconds ?? (short ? '1' : '3')),
    times: timesFrom(given.times),
    wide,
    short,
    reference,
    waitQuiet: given['wait-quiet'] === undefined ? 0 : positive('--wait-quiet', given['wait-quiet']),
    against,
    profile,
    redraw,
  }
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${name}: must be a whole number of 1 or more (${text})`)
  return Number(text)
}

function timesFrom(text: string): number[] {
  const times = new Set([1, ...text.split(',').map(Number)])
  for (const factor of times) {
    const whole = factor >= 1 ? factor : 1 / factor
    if (!(Number.isInteger(whole) && whole <= 64)) {
      throw new UsageError(`--times: must be whole numbers up to 64, or one through such a number (${text})`)
    }
  }
  return [...times].sort((a, b) => a - b)
}
