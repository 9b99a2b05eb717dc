/** Measures a swap of versions under load: half of the highest rate for half a minute, with two swaps. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gamesFile } from '../../build/games/folder-games.ts'
import { currentName, readCurrent } from '../../src/indexes/manifest.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import type { Workload } from '../harness/harness.ts'
import { startReady } from '../harness/harness.ts'
import { residentBytes } from '../harness/process.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { buildVersion, type Subject } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { connections, highestRate } from './at-rate.ts'
import { scenarioOf } from './scenarios.ts'

const share = 0.5
const secondsInAll = 30
const swapsAt = [10, 20]
const momentSeconds = 0.5
const warmUpSeconds = 3

/** The figures of half a second. `second` is its end. */
export interface SwapMoment {
  readonly second: number
  readonly rate: number
  readonly p99Us: number
  readonly worstUs: number
  readonly residentBytes: number
}

export async function measureSwap(bench: Bench, snapshots: string): Promise<void> {
  const { subject, report } = bench
  report.heading('A swap of versions')
  const { workload } = await prepareScenario(bench, scenarioOf('details'))
  const first = subject.version.manifest.version
  const indexDir = await twoVersions(bench, snapshots)
  const second = (await readCurrent(indexDir))!
  const { rate, moments } = await swapMoments(bench, { ...subject, indexDir }, workload, [first, second])
  reportSwap(bench, rate, moments)
}

/**
 * Serves the first version at half of its highest rate. Makes the second one current, and later the first one again.
 */
export async function swapMoments(
  bench: Bench,
  subject: Pick<Subject, 'tree' | 'indexDir' | 'storeDir'>,
  workload: Workload,
  [first, second]: readonly [string, string],
): Promise<{ readonly rate: number; readonly moments: readonly SwapMoment[] }> {
  const { machine, generator } = bench
  const { indexDir } = subject
  const own = service(machine, subject, workload)
  makeCurrent(indexDir, first)
  const rate = Math.round((await highestRate({ ...bench, rounds: 1 }, own)) * share)
  const server = await startReady(own)
  try {
    const load = { port: server.port, file: workload.file, connections, rate }
    await generator.run({ ...load, start: 0.5, seconds: warmUpSeconds })
    const residents: number[] = []
    const sampler = setInterval(() => residents.push(residentBytes(server.pid)), momentSeconds * 1000)
    const swaps = swapAt(indexDir, [second, first])
    const { moments } = await generator.run({ ...load, start: 0, seconds: secondsInAll, momentSeconds })
    clearInterval(sampler)
    await swaps
    const reported = moments!.map(({ requests, p99, max }, i): SwapMoment => {
      const residentBytes = residents[Math.min(i, residents.length - 1)]!
      const second = (i + 1) * momentSeconds
      return { second, rate: requests / momentSeconds, p99Us: p99, worstUs: max, residentBytes }
    })
    return { rate, moments: reported }
  } finally {
    await server.stop()
  }
}

const isNearSwap = ({ second }: SwapMoment) => swapsAt.some((at) => second > at && second <= at + 3)

/** Returns the highest value of all moments near a swap, or of all others. */
export const worstOf = (moments: readonly SwapMoment[], isNear: boolean, of: (moment: SwapMoment) => number): number =>
  Math.max(...moments.filter((moment) => isNearSwap(moment) === isNear).map(of))

/** The size of the measured version's files in bytes. */
export const bytesOf = ({ subject }: Pick<Bench, 'subject'>) =>
  subject.version.manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Makes an index folder with the measured version and a new one with one more card. The new one is current. */
async function twoVersions({ subject }: Bench, snapshots: string): Promise<string> {
  const indexDir = join(subject.folder, 'swapped')
  cpSync(subject.indexDir, indexDir, { recursive: true })
  const other = join(subject.folder, 'swapped-snapshot')
  mkdirSync(other)
  for (const name of ['sets', 'cards', 'history']) {
    mkdirSync(join(other, name))
    const folder = resolve(snapshots, name)
    if (!existsSync(folder)) continue
    for (const file of readdirSync(folder)) symlinkSync(join(folder, file), join(other, name, file))
  }
  if (existsSync(join(snapshots, gamesFile))) symlinkSync(resolve(snapshots, gamesFile), join(other, gamesFile))
  // One more card changes the names, words, lists and records.
  writeFileSync(join(other, 'cards/more.ndjson'), `${JSON.stringify(oneMore(subject))}\n`)
  return buildVersion(other, indexDir)
}

function oneMore({ ids, names, listed }: Bench['subject']): object {
  return { id: `${ids[0]}-more`, name: `${names[0]} More`, game: listed[0]!.game, setCode: listed[0]!.setCode }
}

async function swapAt(indexDir: string, versions: readonly string[]): Promise<void> {
  let passed = 0
  for (const [i, version] of versions.entries()) {
    await pause((swapsAt[i]! - passed) * 1000)
    passed = swapsAt[i]!
    makeCurrent(indexDir, version)
  }
}

/** Makes the version current by a rename, as the build does. */
function makeCurrent(indexDir: string, version: string): void {
  const path = join(indexDir, currentName)
  writeFileSync(`${path}.new`, `${version}\n`)
  renameSync(`${path}.new`, path)
}

function reportSwap(bench: Bench, rate: number, moments: readonly SwapMoment[]): void {
  const rows = (['without a swap', 'within 3 s of one'] as const).map((what, i) => {
    const most = (of: (moment: SwapMoment) => number) => worstOf(moments, i === 1, of)
    return [
      what,
      whole(-most((moment) => -moment.rate)),
      whole(most(({ p99Us }) => p99Us)),
      fixed(most(({ worstUs }) => worstUs) / 1000, 1),
      megabytes(most((moment) => moment.residentBytes)),
    ]
  })
  bench.report.text(
    `Card details at a constant ${whole(rate)} requests/s; after ${swapsAt.join(' and ')} s another version of ` +
      `${megabytes(bytesOf(bench))} MB is made current. The worst of half seconds.`,
  )
  bench.report.table(['half seconds', 'least requests/s', 'highest p99 µs', 'worst answer ms', 'resident MB'], rows)
}
