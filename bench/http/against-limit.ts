/** Each scenario against the limit, and card details against what else is installed. */
import { ask } from '../contest/answers.ts'
import { contest, doubtOf, type Figures, median } from '../contest/contest.ts'
import { limit, limitInOneCall, peers, service } from '../contest/contestants.ts'
import { fixed, percent, whole } from '../contest/report.ts'
import { type Bench, prepareScenario } from '../contest/workload.ts'
import { type Scenario, scenarios } from './scenarios.ts'

const header = [
  'scenario',
  'requests/s',
  'min–max',
  'limit',
  'ratio',
  'min–max',
  'aim',
  'CPU µs',
  "limit's",
  'CPU ratio',
  'p50 µs',
  'p99 µs',
  'p99.9 µs',
  'generator',
  'body',
  'answers',
]

/** Returns, by the scenario's name, the limit's CPU time a request over the scenario's own: others' load shows least in it. */
export async function measureScenarios(bench: Bench, chosen: readonly Scenario[]): Promise<Map<string, number>> {
  bench.report.heading('Over HTTP, against the limit')
  const ratios = new Map<string, number>()
  const rows: string[][] = []
  for (const scenario of chosen) {
    console.error(`${scenario.name} …`)
    const { workload, sample } = await prepareScenario(bench, scenario)
    const contestants = [service(bench.machine, bench.subject, workload), limit(bench.machine, sample, workload)]
    const figures = await contest(contestants, bench)
    const own = figures.get('service')!
    const limits = figures.get('limit')!
    const perRound = own.map((round, i) => round.rate / limits[i]!.rate)
    const perRoundOfCpu = own.map((round, i) => limits[i]!.cpuUs / round.cpuUs)
    ratios.set(scenario.name, median(perRoundOfCpu))
    rows.push([
      `${scenario.name}: ${scenario.what}`,
      ...rateCells(own),
      medianOf(limits, rate, whole) + doubtOf(limits),
      fixed(median(perRound), 2),
      `${fixed(Math.min(...perRound), 2)}–${fixed(Math.max(...perRound), 2)}`,
      fixed(scenario.aim, 2),
      medianOf(
        own,
        ({ cpuUs }) => cpuUs,
        (us) => fixed(us, 2),
      ),
      medianOf(
        limits,
        ({ cpuUs }) => cpuUs,
        (us) => fixed(us, 2),
      ),
      fixed(median(perRoundOfCpu), 2),
      ...latencyCells(own),
      medianOf(own, ({ generatorShare }) => generatorShare, percent),
      whole(sample.bodyBytes),
      sample.hash,
    ])
  }
  bench.report.table(header, rows)
  return ratios
}

/** Card details beside other ways to serve them; all in the same rounds. */
export async function measurePeers(bench: Bench): Promise<void> {
  bench.report.heading('Card details beside peers')
  const { workload, sample, requests } = await prepareScenario(bench, scenarios[0]!)
  const others = peers(bench.machine, bench.subject, sample, workload)
  const installed = others.flatMap(({ contestant }) => contestant ?? [])
  const subject = service(bench.machine, bench.subject, workload)
  const contestants = [
    limit(bench.machine, sample, workload),
    limitInOneCall(bench.machine, sample, workload),
    subject,
    ...installed,
  ]
  for (const { contestant, hasData } of others) {
    if (contestant !== undefined && hasData) await checkBodies(contestant, subject, requests.slice(0, 100))
  }
  const figures = await contest(contestants, bench)
  const limits = figures.get('limit')!
  const rows = contestants.map(({ name }) => {
    const own = figures.get(name)!
    return [
      name,
      ...rateCells(own),
      fixed(median(own.map((round, i) => round.rate / limits[i]!.rate)), 2),
      medianOf(
        own,
        ({ cpuUs }) => cpuUs,
        (us) => fixed(us, 2),
      ),
      ...latencyCells(own),
      medianOf(own, ({ generatorShare }) => generatorShare, percent),
    ]
  })
  const missing = others.filter(({ contestant }) => contestant === undefined)
  const blanks = Array.from({ length: 8 }, () => '–')
  const titles = ['server', 'requests/s', 'min–max', 'ratio', 'CPU µs', 'p50 µs', 'p99 µs', 'p99.9 µs', 'generator']
  bench.report.table(titles, [...rows, ...missing.map(({ name }) => [`${name}: not installed`, ...blanks])])
}

type Startable = Parameters<typeof contest>[0][number]

/** Throws unless both servers answer with the same bodies. */
async function checkBodies(peer: Startable, own: Startable, requests: readonly string[]): Promise<void> {
  const [theirs, ours] = await Promise.all([bodies(peer, requests), bodies(own, requests)])
  if (theirs !== ours) throw new Error(`${peer.name} does not answer as the service does`)
}

async function bodies({ start }: Startable, requests: readonly string[]): Promise<string> {
  const server = await start()
  const all: string[] = []
  for await (const { body } of ask(server.port, requests)) all.push(body.toString())
  await server.stop()
  return all.join('\n')
}

const rate = (round: Figures) => round.rate

const medianOf = (figures: readonly Figures[], value: (round: Figures) => number, shown: (value: number) => string) =>
  shown(median(figures.map(value)))

function rateCells(figures: readonly Figures[]): string[] {
  const rates = figures.map(rate)
  return [whole(median(rates)) + doubtOf(figures), `${whole(Math.min(...rates))}–${whole(Math.max(...rates))}`]
}

const latencyCells = (figures: readonly Figures[]): string[] =>
  (['p50', 'p99', 'p999'] as const).map((part) => medianOf(figures, ({ latencyUs }) => latencyUs[part], whole))
