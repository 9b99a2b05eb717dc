/**
 * npm run bench: what the service does on this machine, beside what the machine could do.
 *
 *   snapshot ─build─▶ index, accounts ─▶ in process ─▶ over HTTP, in turn with limit and peers ─▶ tables, figures, pictures
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../src/command/command.ts'
import { describe, thisMachine } from './harness/machine.ts'
import { projectDir } from './harness/process.ts'
import { Report, whole } from './harness/report.ts'
import { type Results, resultsName } from './harness/results.ts'
import { prepare } from './harness/subject.ts'
import type { Bench } from './harness/workload.ts'
import { measureScenarios } from './http/against-limit.ts'
import { measurePeers } from './http/beside-peers.ts'
import { measureCards } from './http/cards.ts'
import { measureCeiling } from './http/ceiling.ts'
import { measureLatency } from './http/latency.ts'
import { measureRates } from './http/rates.ts'
import { requestsListed, scenarioOf, scenarios } from './http/scenarios.ts'
import { measureStart } from './http/start.ts'
import { measureSwap } from './http/swap.ts'
import { measureThreads } from './http/threads.ts'
import { measureWatched } from './http/watched.ts'
import { generatorFor } from './load/load.ts'
import { type Options, optionsFrom, optionsTable, UsageError, usage } from './options.ts'
import { measureInProcess } from './parts/in-process.ts'
import { measureMemory } from './parts/memory.ts'
import { shown, writePictures } from './pictures/pictures.ts'
import { profileScenario } from './profile/profile.ts'

/** The short form is for machines of any kind, so its bound is wide. */
const shortRatioMin = 0.5
const reportName = 'bench.md'
const latencySecondsFor = (seconds: number) => 20 * seconds

/** Returns the exit code. */
async function run(options: Options): Promise<number> {
  const folder = join(projectDir, 'bench/results', options.reference ? 'reference' : fileDate())
  const bench = await benchFor(options)
  if (options.profile !== undefined) {
    await profileScenario(bench, scenarioOf(options.profile), folder)
    return 0
  }
  const results = await measureParts(bench, options, folder)
  const pictures = options.short ? [] : await writePictures(results, folder)
  bench.report.keep(shown(pictures))
  save(bench, results, folder)
  console.error(`written to ${folder}: ${[reportName, resultsName, ...pictures].join(', ')}`)
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

/** Results are saved after each part: all of them take an hour and more. */
async function measureParts(bench: Bench, options: Options, folder: string): Promise<Results> {
  const { machine, generator, subject, report, rounds, seconds, connections } = bench
  const { only, snapshots, times } = options
  const conditions = describe(machine, {
    'load generator': `${generator.name}, ${connections} connections`,
    snapshot: `${whole(subject.ids.length)} cards, ${whole(subject.version.manifest.counts.historyRows)} history rows`,
    rounds: `${rounds} of ${seconds} s each, a fresh process a round, in turn, the order reversed each round`,
  })
  report.table(['conditions', ''], Object.entries(conditions))
  const results: Results = { conditions }
  await measureCeiling(bench)
  const chosen = scenarios.filter(({ name }) => only.has(name))
  const parts: readonly (readonly [isAsked: boolean, measure: () => Promise<unknown>])[] = [
    [only.has('in-process'), () => measureInProcess(bench)],
    [chosen.length > 0, async () => (results.scenarios = await measureScenarios(bench, chosen))],
    [only.has('peers'), async () => (results.peers = await measurePeers(bench))],
    [only.has('threads'), () => measureThreads(bench)],
    [only.has('watched'), () => measureWatched(bench)],
    [only.has('start'), () => measureStart(bench)],
    [only.has('latency'), () => measureLatency(bench, latencySecondsFor(seconds))],
    [only.has('rates'), async () => (results.rates = await measureRates(bench))],
    [only.has('swap'), async () => (results.swap = await measureSwap(bench, snapshots))],
    [only.has('cards'), async () => (results.cards = await measureCards(bench, snapshots, times))],
    [only.has('memory'), async () => (results.memory = await measureMemory(bench, snapshots))],
  ]
  for (const [isAsked, measure] of parts) {
    if (!isAsked) continue
    await measure()
    save(bench, results, folder)
  }
  return results
}

function save({ report }: Bench, results: Results, folder: string): void {
  report.save(folder, reportName)
  writeFileSync(join(folder, resultsName), `${JSON.stringify(results, null, 1)}\n`)
}

const fileDate = () => new Date().toISOString().slice(0, 19).replaceAll(':', '')

process.exitCode = await command(usage, optionsTable, 0, async ({ values }) => {
  try {
    return await run(optionsFrom(values))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    return 2
  }
})
