/**
 * npm run bench: measures the service on this machine, beside the most that the machine can do.
 *
 *   snapshot ─build─▶ index, accounts ─▶ in process ─▶ over HTTP, by turns with limit and peers ─▶ tables, pictures
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ProgramCommand, runProgram, UsageError } from '../src/command/command.ts'
import type { Bench } from './harness/bench.ts'
import { type Code, nameOfCode, thisCode } from './harness/code.ts'
import { revisionOf } from './harness/commit.ts'
import { compareRuns, stateOf } from './harness/compare.ts'
import { describe, type Machine, thisMachine } from './harness/machine.ts'
import { projectDir } from './harness/process.ts'
import { type Activity, disturbances, lookAround, spreadOf } from './harness/quiet.ts'
import { Report, whole } from './harness/report.ts'
import { type AgainstResult, type Results, resultsName } from './harness/results.ts'
import { type MeasuredPart, mergeRun, type Run, readRun, reportName, writeResults, writeRun } from './harness/runs.ts'
import { prepare } from './harness/subject.ts'
import { measureAgainst } from './http/against-commit.ts'
import { measureScenarios } from './http/against-limit.ts'
import { measurePeers } from './http/beside-peers.ts'
import { measureCeiling } from './http/ceiling.ts'
import { measureGrowth } from './http/growth.ts'
import { measureLatency } from './http/latency.ts'
import { requestsListed, scenarioOf, scenarios } from './http/scenarios.ts'
import { measureStart } from './http/start.ts'
import { measureSwap } from './http/swap.ts'
import { measureThreads } from './http/threads.ts'
import { measureWatched } from './http/watched.ts'
import { type Generator, generatorFor } from './load/load.ts'
import { addOptions, type Options, optionsFrom, parts as partNames } from './options.ts'
import { measureDearest } from './parts/dearest.ts'
import { measureInProcess } from './parts/in-process.ts'
import { measureMemory } from './parts/memory.ts'
import { redraw, writePictures } from './pictures.ts'
import { profileScenario } from './profile/profile.ts'

/** The least share of the limit that `--short` accepts. It is low, because `--short` runs on any machine. */
const shortRatioMin = 0.5
const resultsFolder = join(projectDir, 'bench/results')
const busyPauseMs = 30_000
const latencySecondsFor = (seconds: number) => 20 * seconds

/** Returns the exit code. */
async function run(options: Options): Promise<number> {
  const folder = join(resultsFolder, options.reference ? 'reference' : fileDate())
  if (options.redraw !== undefined) {
    redraw(options.redraw)
    return 0
  }
  if (options.compare !== undefined) {
    const [one, other] = options.compare.map(resultsIn) as [Results, Results]
    compareRuns(new Report(options.wide), one, other)
    return 0
  }
  // Bad options must fail before the build. The machine's use is measured before the benchmark runs anything.
  const revision = options.against === undefined ? undefined : revisionOf(options.against)
  const machine = thisMachine()
  const generator = generatorFor(machine)
  const code = thisCode()
  const activity = await lookAround(true)
  const bench = await benchFor(options, machine, generator)
  if (options.against !== undefined) {
    const chosen = [...options.only].map(scenarioOf)
    const conditions = describe(machine, { ...conditionsOf(bench), code: nameOfCode(code) })
    const found = disturbances(activity)
    const save = (scenarios: readonly AgainstResult[]) =>
      writeResults(folder, {
        conditions,
        code,
        ...(found === undefined ? {} : { disturbances: found }),
        against: { commit: revision!, scenarios },
      })
    await measureAgainst(bench, options.snapshots, { name: options.against, revision: revision! }, chosen, save)
    bench.report.text(`${sayCode(code, found)} Both commits were measured by turns.`)
    bench.report.save(folder, reportName)
    console.error(`written to ${folder}: ${reportName}, ${resultsName}`)
    return 0
  }
  if (options.profile !== undefined) {
    await profileScenario(bench, scenarioOf(options.profile), folder)
    return 0
  }
  const measured = await measureParts(bench, options, folder, code, activity)
  if (measured === undefined) {
    console.error(`still busy after ${options.waitQuiet} min, so nothing was measured`)
    return 1
  }
  const { results } = measured
  writeRun(folder, measured, options.short ? '' : writePictures(results, folder))
  console.error(`written to ${folder}: ${reportName}, ${resultsName}, and its pictures`)
  const details = results.scenarios?.find(({ name }) => name === 'details')
  const byCpu = details === undefined ? 1 : details.limitCpuUs / details.cpuUs
  if (!options.short || byCpu >= shortRatioMin) return 0
  console.error(`card details are at ${byCpu.toFixed(2)} of the limit by CPU time, below ${shortRatioMin}`)
  return 1
}

async function benchFor(
  { snapshots, index, short, wide, rounds, seconds }: Options,
  machine: Machine,
  generator: Generator,
): Promise<Bench> {
  const subject = await prepare(snapshots, short ? 100 : 1000, index)
  const lists = short ? { requestsListed: 10_000, answersSampled: 200 } : { requestsListed, answersSampled: 2000 }
  const report = new Report(wide)
  return { machine, generator, subject, report, rounds, seconds, connections: 64, ...lists }
}

/**
 * Measures the chosen parts. Saves the results after each part, because all parts together take more than an hour.
 * Returns undefined if the machine did not become quiet.
 */
async function measureParts(
  bench: Bench,
  options: Options,
  folder: string,
  code: Code,
  activity: Activity,
): Promise<Run | undefined> {
  const { machine, report, seconds } = bench
  const { only, snapshots, times, years } = options
  const conditions = describe(machine, { ...conditionsOf(bench), code: nameOfCode(code) })
  report.table(['conditions', ''], Object.entries(conditions))
  const quiet = await untilQuiet(bench, activity, options.waitQuiet)
  if (quiet === undefined) return undefined
  const { ceiling } = quiet
  const results: Results = {
    conditions,
    code,
    ...(quiet.disturbances === undefined ? {} : { disturbances: quiet.disturbances }),
    ...(ceiling === undefined ? {} : { ceiling }),
  }
  const before = options.reference ? readRun(folder) : undefined
  const measured: MeasuredPart[] = []
  const merged = () => mergeRun(partNames, before, { head: report.textOf(''), parts: measured, results })
  const chosen = scenarios.filter(({ name }) => only.has(name))
  const measures: Readonly<Record<(typeof partNames)[number], () => Promise<unknown>>> = {
    'in-process': () => measureInProcess(bench),
    http: async () => (results.scenarios = await measureScenarios(bench, chosen)),
    peers: async () => (results.peers = await measurePeers(bench)),
    threads: () => measureThreads(bench),
    watched: () => measureWatched(bench),
    start: () => measureStart(bench),
    latency: () => measureLatency(bench, latencySecondsFor(seconds)),
    growth: () => measureGrowth(bench, snapshots, { times, years }),
    swap: () => measureSwap(bench, snapshots),
    memory: () => measureMemory(bench, snapshots),
    dearest: () => measureDearest(bench),
  }
  for (const name of partNames) {
    if (!(only.has(name) || (name === 'http' && chosen.length > 0))) continue
    report.begin(name)
    await measures[name]()
    report.text(sayCode(code, quiet.disturbances))
    // With a ceiling of 0, a part from a busy machine replaces no part of the reference.
    const shown = quiet.disturbances?.length === 0 ? (ceiling ?? 0) : 0
    measured.push({ name, date: conditions['date']!.slice(0, 10), ceiling: shown, text: report.textOf(name) })
    writeRun(folder, merged(), '')
  }
  return merged()
}

interface Quiet {
  /** @see Ceiling.rate */
  readonly ceiling: number | undefined
  /** Empty on a quiet machine; undefined if the kernel reports nothing. */
  readonly disturbances: readonly string[] | undefined
}

/**
 * Measures the generator's ceiling. On a busy machine, repeats that until the machine is quiet. Returns undefined if it
 * is still busy after `waitMinutes`. With 0 minutes, returns after the first measurement.
 */
async function untilQuiet(bench: Bench, first: Activity, waitMinutes: number): Promise<Quiet | undefined> {
  const end = Date.now() + waitMinutes * 60_000
  for (let activity = first; ; activity = await lookAround(false)) {
    const { rate, sent } = await measureCeiling(bench)
    const seen = disturbances(activity)
    const found = seen && [...seen, ...spreadOf(sent)]
    const isBusy = found !== undefined && found.length > 0
    const advice =
      isBusy && waitMinutes === 0 ? ' Figures of README.md need a quiet one: --wait-quiet waits for that.' : ''
    bench.report.text(`The machine was ${stateOf(found === undefined ? {} : { disturbances: found })}.${advice}`)
    if (found?.length === 0 || waitMinutes === 0) return { ceiling: rate, disturbances: found }
    if (Date.now() > end) return undefined
    await pause(busyPauseMs)
  }
}

const sayCode = (code: Code, found: readonly string[] | undefined) =>
  `Measured ${new Date().toISOString().slice(0, 10)}, ${nameOfCode(code)}, the machine ` +
  `${stateOf(found === undefined ? {} : { disturbances: found })}.`

const conditionsOf = ({ generator, subject, rounds, seconds, connections }: Bench) => ({
  'load generator': `${generator.name}, ${connections} connections`,
  snapshot: `${whole(subject.ids.length)} cards, ${whole(subject.version.manifest.counts.historyRows)} history rows`,
  rounds: `${rounds} of ${seconds} s each, a fresh process a round, in turn, the order reversed each round`,
})

/** Throws UsageError if the folder has no run. */
function resultsIn(folder: string): Results {
  const run = readRun(folder)
  if (run === undefined) throw new UsageError(`--compare: ${folder} has no ${resultsName}`)
  return run.results
}

const fileDate = () => new Date().toISOString().slice(0, 19).replaceAll(':', '')

const program = addOptions(
  new ProgramCommand('npm run bench --', console).description(
    'Measures the service over a snapshot, and writes tables, figures and pictures into a folder of bench/results/.',
  ),
).action((given: Parameters<typeof optionsFrom>[0]) => run(optionsFrom(given)))
process.exitCode = await runProgram(program, process.argv.slice(2), console)
