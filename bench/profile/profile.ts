/** npm run bench -- --profile SCENARIO: profiles a server thread under the scenario's load, with V8's profiler. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import { startReady } from '../harness/harness.ts'
import { cpuSecondsOf, projectDir } from '../harness/process.ts'
import { fixed, percent, whole, wide } from '../harness/report.ts'
import { prepareScenario } from '../harness/workload.ts'
import type { Scenario } from '../http/scenarios.ts'
import { type CpuProfile, dearest, type FunctionTime, isOutside } from './dearest.ts'
import { flameGraph } from './flame-graph.ts'

const warmUpSeconds = 3
const functionsShown = 20
const waitMs = 10_000

/** Writes `SCENARIO.cpuprofile`, a flame graph and a report into the folder. It ranks functions by their own time. */
export async function profileScenario(bench: Bench, scenario: Scenario, folder: string): Promise<void> {
  const { machine, subject, generator, report, connections, seconds } = bench
  const threadsDir = join(folder, 'threads')
  mkdirSync(threadsDir, { recursive: true })
  const { workload } = await prepareScenario(bench, scenario)
  const probe = pathToFileURL(join(projectDir, 'bench/profile/probe.ts')).href
  const env = { PROFILE_DIR: threadsDir, NODE_OPTIONS: `--import ${probe}` }
  const server = await startReady(service(machine, subject, workload, { env }))
  let requests = 0
  let user = 0
  let kernel = 0
  try {
    const load = { port: server.port, file: workload.file, connections, rate: 0 }
    await generator.run({ ...load, seconds: warmUpSeconds, start: 0.7 })
    process.kill(server.pid, 'SIGUSR2')
    const before = cpuSecondsOf(server.pid)
    requests = (await generator.run({ ...load, seconds, start: 0 })).requests
    const after = cpuSecondsOf(server.pid)
    user = (after.user - before.user) * 1e6
    kernel = (after.kernel - before.kernel) * 1e6
    process.kill(server.pid, 'SIGUSR2')
    await until(() => readdirSync(threadsDir).some((name) => name.endsWith('.cpuprofile')))
  } finally {
    await server.stop()
  }
  const file = join(folder, `${scenario.name}.cpuprofile`)
  const profile = busiest(threadsDir, file)
  rmSync(threadsDir, { recursive: true })
  const cpu = user + kernel
  const sampled = dearest(profile).filter((one) => !isOutside(one))
  const sampledUs = sumOf(sampled)
  const functions = sampledUs > user ? scaled(sampled, user / sampledUs) : sampled
  const others: readonly (readonly [string, number])[] = [
    ['(the kernel)', kernel],
    ['(HTTP library, Node.js and other threads)', user - sumOf(functions)],
  ]
  report.heading(`Where the time of ${scenario.name} goes`)
  report.text(
    `${whole(requests)} requests, ${fixed(cpu / requests, 2)} µs of CPU each, profiled; shares are of that. ` +
      'The kernel and the CPU time are as the system counts them, functions and the garbage collector as V8 samples them.',
  )
  if (sampledUs > user) {
    report.text(
      'Other programs had the thread’s core: V8 sampled more time than the thread used. The functions are scaled down, and the ' +
        'HTTP library’s share can’t be told.',
    )
  }
  report.table(
    ['function', 'where', 'share', 'µs a request', wide('with what it calls, µs')],
    [
      ...others.map(([name, us]) => [name, '', `${fixed((us / cpu) * 100, 1)} %`, fixed(us / requests, 3), '–']),
      ...functions
        .slice(0, functionsShown)
        .map(({ name, url, line, selfUs, totalUs }) => [
          name,
          url === '' ? '' : `${placeOf(url)}:${line}`,
          `${fixed((selfUs / cpu) * 100, 1)} %`,
          fixed(selfUs / requests, 3),
          fixed(totalUs / requests, 3),
        ]),
      ...restOf(functions.slice(functionsShown), cpu, requests),
    ],
  )
  report.save(folder, `${scenario.name}-profile.md`)
  const picture = join(folder, `${scenario.name}-flame.svg`)
  writeFileSync(
    picture,
    flameGraph(
      profile,
      `${scenario.name}: the functions of a server thread, ${percent(sumOf(functions) / cpu)} of its CPU time`,
      placeOf,
    ),
  )
  console.error(
    `open ${picture} in a browser, or ${file} in Chrome's DevTools (Performance, Load profile) or speedscope`,
  )
}

const sumOf = (functions: readonly FunctionTime[]): number => functions.reduce((sum, { selfUs }) => sum + selfUs, 0)

const scaled = (functions: readonly FunctionTime[], share: number): FunctionTime[] =>
  functions.map((one) => ({ ...one, selfUs: one.selfUs * share, totalUs: one.totalUs * share }))

/** A row for all functions that are not shown. */
function restOf(functions: readonly FunctionTime[], cpu: number, requests: number): string[][] {
  const us = sumOf(functions)
  const name = `(${whole(functions.length)} other functions)`
  return functions.length === 0 ? [] : [[name, '', `${fixed((us / cpu) * 100, 1)} %`, fixed(us / requests, 3), '–']]
}

const placeOf = (url: string) => (url.startsWith('file:') ? relative(projectDir, fileURLToPath(url)) : url)

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + waitMs
  while (!holds()) {
    if (performance.now() > end) throw new Error('no thread has written a profile')
    await pause(50)
  }
}

/** Returns the profile of the busiest thread, and moves its file to `file`. */
function busiest(folder: string, file: string): CpuProfile {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => ({ name, profile: JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile }))
  const busyUs = ({ profile }: { profile: CpuProfile }) => dearest(profile).reduce((sum, { selfUs }) => sum + selfUs, 0)
  const [first] = profiles.sort((a, b) => busyUs(b) - busyUs(a))
  renameSync(join(folder, first!.name), file)
  return first!.profile
}
