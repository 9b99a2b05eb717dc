/** The command-line options of `npm run bench`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { optionOf, type ProgramCommand, UsageError } from '../src/command/command.ts'
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
  'growth',
  'swap',
  'memory',
  'dearest',
] as const
const scenarioNames = scenarios.map(({ name }) => name)
const names: readonly string[] = [...scenarioNames, ...parts]

/** Scenarios with different paths through the code. `--against` compares these by default. */
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
  'list-game',
  'list-far',
  'list-sorted',
  'list-filtered',
  'list-changed',
  'list-csv',
  'cards-set',
  'bulk',
]
const shortParts = ['in-process', 'details', 'search-zipf', 'history-30d']
/** The options of `npm run bench`. */
export const addOptions = (program: ProgramCommand): ProgramCommand =>
  program
    .option('--snapshots <DIR>', 'the snapshot folder', join(projectDir, 'snapshots'))
    .addOption(
      optionOf('--index <DIR>', "an index folder that is ready, of this release's format", 'built from the snapshots'),
    )
    .addOption(optionOf('--only <NAME,…>', 'parts or scenarios, see below', 'all'))
    .addOption(optionOf('--rounds <N>', 'rounds of each comparison', '5'))
    .addOption(optionOf('--seconds <N>', 'of each measurement; twenty times that for the part latency', '3'))
    .option('--times <N,…>', 'how many times the cards, for the part growth', '1,4,16')
    .option('--years <N,…>', 'how many years of history, for the part growth', '1,3,5')
    .option('--wide', 'all columns of the tables; what is written has them in any case', false)
    .option(
      '--short',
      'about a minute in all: does it run, and are card details above 0.5 of the limit by CPU time? If not, it exits 1',
      false,
    )
    .option(
      '--reference',
      'replaces the measured parts in bench/results/reference/, except those measured on a quieter machine',
      false,
    )
    .addOption(
      optionOf(
        '--wait-quiet <MINUTES>',
        'on a busy machine, waits at most so long until it is quiet; if it stays busy, exits 1',
        'measures at once',
      ),
    )
    .addOption(
      optionOf(
        '--against <COMMIT>',
        'the main scenarios beside another commit of this repository, by turns: how much CPU time each takes for a request',
        'none',
      ),
    )
    .addOption(
      optionOf(
        '--profile <SCENARIO>',
        'a CPU profile of a server thread under that load: its dearest functions, and a flame graph',
        'none',
      ),
    )
    .addOption(
      optionOf('--compare <DIR...>', 'two runs side by side: the folders A and B that they were written to', 'none'),
    )
    .addOption(optionOf('--redraw <DIR>', 'draws the pictures of a run again, from its results.json', 'none'))
    .section('Names for --only:', () => [
      ['parts', parts.join(', ')],
      ['scenarios, all of the part http', scenarioNames.join(', ')],
    ])

export interface Options {
  readonly snapshots: string
  /** A built index folder. Undefined: the benchmark builds one from the snapshots. */
  readonly index: string | undefined
  /** Names of parts and scenarios. */
  readonly only: ReadonlySet<string>
  readonly rounds: number
  readonly seconds: number
  /** The copies of the cards for the part growth: ascending, 1 included. */
  readonly times: readonly number[]
  readonly years: readonly number[]
  readonly wide: boolean
  readonly short: boolean
  readonly reference: boolean
  /** The most minutes to wait for a quiet machine. 0: measures at once, also on a busy machine. */
  readonly waitQuiet: number
  /** A name that git knows for a commit. */
  readonly against: string | undefined
  /** A scenario's name. */
  readonly profile: string | undefined
  /** Two runs' folders. */
  readonly compare: readonly [string, string] | undefined
  /** A run's folder. */
  readonly redraw: string | undefined
}

/** The options as they are typed. */
interface Given {
  readonly snapshots: string
  readonly only?: string
  readonly rounds?: string
  readonly seconds?: string
  readonly times: string
  readonly years: string
  readonly waitQuiet?: string
  readonly wide: boolean
  readonly short: boolean
  readonly reference: boolean
  readonly against?: string
  readonly profile?: string
  readonly index?: string
  readonly compare?: readonly string[]
  readonly redraw?: string
}

/** Checks the options and fills in defaults. Throws UsageError. */
export function optionsFrom(given: Given): Options {
  const { snapshots, index, wide, short, reference, against, profile, redraw } = given
  if (!existsSync(join(snapshots, 'cards'))) throw new UsageError(`--snapshots: ${snapshots} has no cards`)
  if (index !== undefined && !existsSync(join(index, 'current')))
    throw new UsageError(`--index: ${index} has no version`)
  if (given.compare !== undefined && given.compare.length !== 2) throw new UsageError('--compare: name two folders')
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
    years: given.years.split(',').map((text) => positive('--years', text)),
    wide,
    short,
    reference,
    waitQuiet: given.waitQuiet === undefined ? 0 : positive('--wait-quiet', given.waitQuiet),
    against,
    profile,
    index,
    compare: given.compare as readonly [string, string] | undefined,
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
