/** What a start costs, what threads cost, what more cards cost. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, prepareScenario } from './bench.ts'
import { contest, median } from './contest.ts'
import { service } from './contestants.ts'
import { residentBytes } from './process.ts'
import { fixed, megabytes, whole } from './report.ts'
import { scenarios } from './scenarios.ts'
import type { Subject } from './subject.ts'

const details = scenarios[0]!

/** From the start of the process to `listening`, the memory then, and the index on disk. */
export async function measureStart({ machine, subject, report, rounds }: Bench): Promise<void> {
  report.heading('Start and size')
  const startMs: number[] = []
  const resident: number[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await service(machine, subject, { file: '', status: 200, before: [] }).start()
    startMs.push(server.startMs)
    await pause(500)
    resident.push(residentBytes(server.pid))
    await server.stop()
  }
  const { counts, files } = subject.version.manifest
  report.table(
    ['', 'median', 'min–max'],
    [
      [
        'start to listening, ms',
        whole(median(startMs)),
        `${whole(Math.min(...startMs))}–${whole(Math.max(...startMs))}`,
      ],
      [
        'resident memory then, MB',
        megabytes(median(resident)),
        `${megabytes(Math.min(...resident))}–${megabytes(Math.max(...resident))}`,
      ],
    ],
  )
  report.table(
    ['index', 'MB', 'bytes a card'],
    [
      ...files.map(({ name, bytes }) => [name, megabytes(bytes), fixed(bytes / counts.cards, 1)]),
      ...[files.reduce((sum, { bytes }) => sum + bytes, 0)].map((bytes) => [
        `all: ${whole(counts.cards)} cards, ${whole(counts.sets)} sets, ${whole(counts.historyRows)} history rows`,
        megabytes(bytes),
        fixed(bytes / counts.cards, 1),
      ]),
    ],
  )
}

/**
 * Two threads against one. With fewer than three cores the generator has none of its own then, so both are let run on
 * all cores: their rates mean little, the CPU time for a request does.
 */
export async function measureThreads(bench: Bench): Promise<void> {
  bench.report.heading('Threads')
  const { workload } = await prepareScenario(bench, details)
  const cores = bench.machine.cores > 2 ? '0,2' : '0,1'
  const variants = ['1', '2'].map((threads) =>
    service(bench.machine, bench.subject, workload, { threads, cores, name: `THREADS=${threads}` }),
  )
  const figures = await contest(variants, bench)
  const [one] = variants.map(({ name }) => figures.get(name)!)
  const rows = variants.map(({ name }) => {
    const own = figures.get(name)!
    const cpu = own.map(({ cpuUs }) => cpuUs)
    const resident = own.map((round) => round.residentBytes)
    return [
      name,
      whole(median(own.map(({ rate }) => rate))),
      fixed(median(cpu), 2),
      fixed(median(cpu.map((us, i) => us / one![i]!.cpuUs)), 2),
      megabytes(median(resident)),
      fixed(median(resident.map((bytes, i) => bytes / one![i]!.residentBytes)), 2),
    ]
  })
  bench.report.table(['service', 'requests/s', 'CPU µs', 'ratio', 'resident MB', 'ratio'], rows)
}

/** Card details from a larger snapshot against those from the other one. */
export async function measureScale(bench: Bench, larger: Subject): Promise<void> {
  bench.report.heading('More cards')
  const variants = []
  for (const subject of [bench.subject, larger]) {
    const { workload } = await prepareScenario(bench, details, subject)
    const name = `${whole(subject.ids.length)} cards`
    variants.push(service(bench.machine, subject, workload, { name }))
  }
  const figures = await contest(variants, bench)
  const [base] = variants.map(({ name }) => figures.get(name)!)
  const rows = variants.map(({ name }) => {
    const own = figures.get(name)!
    const ratios = own.map((round, i) => round.rate / base![i]!.rate)
    return [
      name,
      whole(median(own.map(({ rate }) => rate))),
      fixed(median(ratios), 2),
      `${fixed(Math.min(...ratios), 2)}–${fixed(Math.max(...ratios), 2)}`,
      fixed(median(own.map(({ cpuUs }) => cpuUs)), 2),
      megabytes(median(own.map((round) => round.residentBytes))),
    ]
  })
  bench.report.table(['service', 'requests/s', 'ratio', 'min–max', 'CPU µs', 'resident MB'], rows)
}
