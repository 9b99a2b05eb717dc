/**
 * npm run bench: what the service does on this machine, beside what the machine could do.
 *
 *   snapshot ─build─▶ index, accounts ─▶ in process ─▶ over HTTP, in turn with limit and peers ─▶ tables, figures, pictures
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ProgramCommand, runProgram } from '../src/command/command.ts'
import type { Bench } from './harness/bench.ts'
import { describe, thisMachine } from './harness/machine.ts'
import { projectDir } from './harness/process.ts'
import { percent, Report, whole } from './harness/report.ts'
import { type Results, resultsName } from './harness/results.ts'
import {
  bestCeiling,
  type MeasuredPart,
  mergeRun,
  quietShare,
  type Run,
  readRun,
  reportName,
  writeRun,
} from './harness/runs.ts'
import { prepare } from './harness/subject.ts'
import { measureAgainst } from './http/against-commit.ts'
import { measureScenarios } from './http/against-limit.ts'
import { measurePeers } from './http/beside-peers.ts'
import { measureCards } from './http/cards.ts'
import { measureCeiling } from './http/ceiling.ts'
import { measureLatency } from './http/latency.ts'
import { requestsListed, scenarioOf, scenarios } from './http/scenarios.ts'
import { measureStart } from './http/start.ts'
import { measureSwap } from './http/swap.ts'
import { measureThreads } from './http/threads.ts'
import { measureWatched } from './http/watched.ts'
import { generatorFor } from './load/load.ts'
import { addOptions, type Options, optionsFrom, parts as partNames } from './options.ts'
import { measureInProcess } from './parts/in-process.ts'
import { measureMemory } from './parts/memory.ts'
import { redraw, writePictures } from './pictures.ts'
import { profileScenario } from './profile/profile.ts'

/** The short form is for machines of any kind, so its bound is wide. */
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
  const bench = await benchFor(options)
  if (options.against !== undefined) {
    await measureAgainst(bench, options.snapshots, options.against, [...options.only].map(scenarioOf))
    bench.report.save(folder, reportName)
    return 0
  }
  if (options.profile !== undefined) {
    await profileScenario(bench, scenarioOf(options.profile), folder)
    return 0
  }
  const measured = await measureParts(bench, options, folder)
  if (measured === undefined) {
    console.error(`still busy after ${options.waitQuiet} minutes`)
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

async function benchFor({ snapshots, short, wide, rounds, seconds }: Options): Promise<Bench> {
  const machine = thisMachine()
  const subject = await prepare(snapshots, short ? 100 : 1000)
  const lists = short ? { requestsListed: 10_000, answersSampled: 200 } : { requestsListed, answersSampled: 2000 }
  const report = new Report(wide)
  return { machine, generator: generatorFor(machine), subject, report, rounds, seconds, connections: 64, ...lists }
}

/** Results are saved after each part: all of them take an hour and more. Returns undefined if the machine did not become quiet. */
async function measureParts(bench: Bench, options: Options, folder: string): Promise<Run | undefined> {
  const { machine, generator, subject, report, rounds, seconds, connections } = bench
  const { only, snapshots, times } = options
  const conditions = describe(machine, {
    'load generator': `${generator.name}, ${connections} connections`,
    snapshot: `${whole(subject.ids.length)} cards, ${whole(subject.version.manifest.counts.historyRows)} history rows`,
    rounds: `${rounds} of ${seconds} s each, a fresh process a round, in turn, the order reversed each round`,
  })
  report.table(['conditions', ''], Object.entries(conditions))
  const best = bestCeiling(resultsFolder, conditions['CPU']!)
  const ceiling = await quietCeiling(bench, best, options.waitQuiet)
  if (ceiling === undefined) return undefined
  const results: Results = { conditions, ceiling }
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
    cards: () => measureCards(bench, snapshots, times),
    swap: () => measureSwap(bench, snapshots),
    memory: () => measureMemory(bench, snapshots),
  }
  for (const name of partNames) {
    if (!(only.has(name) || (name === 'http' && chosen.length > 0))) continue
    report.begin(name)
    await measures[name]()
    measured.push({ name, date: conditions['date']!.slice(0, 10), ceiling, text: report.textOf(name) })
    writeRun(folder, merged(), '')
  }
  return merged()
}

/** The generator's ceiling. On a busy machine it is measured again until the time is over; then it is undefined. */
async function quietCeiling(bench: Bench, best: number, waitMinutes: number): Promise<number | undefined> {
  for (const end = Date.now() + waitMinutes * 60_000; ; await pause(busyPauseMs)) {
    const ceiling = await measureCeiling(bench)
    const share = ceiling / Math.max(ceiling, best)
    const isQuiet = share >= quietShare
    bench.report.text(`The machine is ${isQuiet ? 'quiet' : 'busy'}: ${percent(share)} of its highest ceiling.`)
    if (isQuiet || waitMinutes === 0) return ceiling
    if (Date.now() > end) return undefined
  }
}

const fileDate = () => new Date().toISOString().slice(0, 19).replaceAll(':', '')

const program = addOptions(
  new ProgramCommand('npm run bench --', console).description(
    'Measures the service over a snapshot, and writes tables, figures and pictures into a folder of bench/results/.',
  ),
).action((given: Parameters<typeof optionsFrom>[0]) => run(optionsFrom(given)))
process.exitCode = await runProgram(program, process.argv.slice(2), console)
