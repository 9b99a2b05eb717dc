/**
 * npm run bench: what the service does on this machine, beside what the machine could do.
 *
 *   snapshot ─build─▶ index, accounts ─▶ in process ─▶ over HTTP, each scenario in turn with the limit ─▶ tables
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describe, thisMachine } from './contest/machine.ts'
import { projectDir } from './contest/process.ts'
import { Report, whole } from './contest/report.ts'
import { prepare } from './contest/subject.ts'
import type { Bench } from './contest/workload.ts'
import { measurePeers, measureScenarios } from './http/against-limit.ts'
import { measureCeiling } from './http/ceiling.ts'
import { measureLatency } from './http/latency.ts'
import { requestsListed, scenarios } from './http/scenarios.ts'
import { measureScale, measureStart, measureThreads } from './http/size.ts'
import { generatorFor } from './load/load.ts'
import { measureInProcess } from './parts/in-process.ts'

const parts = ['in-process', 'http', 'peers', 'threads', 'start', 'latency', 'scale']
const names = [...scenarios.map(({ name }) => name), ...parts]

const usage = `Usage: npm run bench -- [--snapshots DIR] [--only NAME,…] [--rounds N] [--seconds N] [--larger DIR] [--short]

Measures the service over a snapshot, and writes the tables to bench/results/ too.

  --snapshots DIR   the snapshot folder (default: snapshots)
  --larger DIR      another one with more cards, for the part scale
  --only NAME,…     of ${names.join(', ')}
  --rounds N        rounds of each comparison (default: 5)
  --seconds N       of each measurement; twenty times that for the part latency (default: 3)
  --short           about a minute in all: does it run, and are card details above 0.6 of the limit by CPU time? If not, it exits 1
  --help            shows this`

const shortParts = ['in-process', 'details', 'search-zipf', 'history-30d']
/** The short form is for machines of any kind, so its bound is wide. */
const shortRatioMin = 0.6
const latencySecondsFor = (seconds: number) => 20 * seconds

interface Options {
  readonly snapshots: string
  readonly larger: string | undefined
  readonly only: ReadonlySet<string>
  readonly rounds: number
  readonly seconds: number
  readonly short: boolean
}

class UsageError extends Error {}

/** Undefined if help was asked for. Throws UsageError. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      snapshots: { type: 'string', default: join(projectDir, 'snapshots') },
      larger: { type: 'string' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { snapshots, larger, short } = values
  const chosen = values.only?.split(',') ?? (short ? shortParts : names)
  const unknown = chosen.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`--only: there is no ${unknown}, only ${names.join(', ')}`)
  const only = new Set(chosen.includes('http') ? [...chosen, ...scenarios.map(({ name }) => name)] : chosen)
  const rounds = positive('--rounds', values.rounds ?? (short ? '3' : '5'))
  return {
    snapshots,
    larger,
    only,
    rounds,
    seconds: positive('--seconds', values.seconds ?? (short ? '1' : '3')),
    short,
  }
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${name}: must be a whole number of 1 or more (${text})`)
  return Number(text)
}

/** Returns the exit code. */
async function measureParts(options: Options): Promise<number> {
  const { short, rounds, seconds, only } = options
  const machine = thisMachine()
  const generator = generatorFor(machine)
  const report = new Report()
  const subject = await prepare(options.snapshots, short ? 100 : 1000)
  const lists = short ? { requestsListed: 10_000, answersSampled: 200 } : { requestsListed, answersSampled: 2000 }
  const bench: Bench = { machine, generator, subject, report, rounds, seconds, connections: 64, ...lists }
  const conditions = {
    'load generator': `${generator.name}, ${bench.connections} connections`,
    snapshot: `${whole(subject.ids.length)} cards, ${whole(subject.version.manifest.counts.historyRows)} history rows`,
    rounds: `${rounds} of ${seconds} s each, a fresh process a round, in turn, the order reversed each round`,
  }
  report.table(['conditions', ''], Object.entries(describe(machine, conditions)))
  await measureCeiling(bench)
  if (only.has('in-process')) await measureInProcess(bench)
  const chosen = scenarios.filter(({ name }) => only.has(name))
  const ratios = chosen.length > 0 ? await measureScenarios(bench, chosen) : new Map<string, number>()
  if (only.has('peers')) await measurePeers(bench)
  if (only.has('threads')) await measureThreads(bench)
  if (only.has('start')) await measureStart(bench)
  if (only.has('latency')) await measureLatency(bench, latencySecondsFor(seconds))
  if (only.has('scale') && options.larger !== undefined) {
    await measureScale(bench, await prepare(options.larger, subject.keys.length))
  }
  const file = report.save(join(projectDir, 'bench/results'), `${fileDate()}-bench.md`)
  console.error(`written to ${file}`)
  const details = ratios.get('details') ?? 1
  if (!short || details >= shortRatioMin) return 0
  console.error(`card details are at ${details.toFixed(2)} of the limit by CPU time, below ${shortRatioMin}`)
  return 1
}

const fileDate = () => new Date().toISOString().slice(0, 19).replaceAll(':', '')

async function main(): Promise<number> {
  try {
    const options = readOptions()
    if (options !== undefined) return await measureParts(options)
    console.log(usage)
    return 0
  } catch (error) {
    if (error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) {
      console.error(`${(error as Error).message}\n\n${usage}`)
      return 2
    }
    console.error(`bench: ${(error as Error).message}`)
    return 1
  }
}

process.exitCode = await main()
