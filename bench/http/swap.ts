/** Measures a swap of versions under load: half of the highest rate, with two swaps. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gamesFile } from '../../build/games/folder-games.ts'
import { bytesOf, currentName, readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import type { Workload } from '../harness/harness.ts'
import { median, startReady } from '../harness/harness.ts'
import { residentBytes } from '../harness/process.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { buildVersion, type Subject } from '../harness/subject.ts'
import { prepareScenario } from '../harness/workload.ts'
import { connections, highestRate } from './at-rate.ts'
import { scenarioOf } from './scenarios.ts'

const share = 0.5
/** How long before each swap nothing else happens. */
const restSeconds = 10
/** The first requests after a swap find cold memory, so these seconds count as the swap's. */
const coldSeconds = 2
const momentSeconds = 0.5
/** Two swaps of small versions take less, and of large ones at most this long for each MB. */
const [swapsSeconds, swapsSecondsPerMegabyte] = [30, 0.1]
/** How often the server is asked which version it serves. */
const askMs = 100
const warmUpSeconds = 3

/** The figures of half a second. */
export interface SwapMoment {
  /** True if a version was being swapped, or had been a moment before. */
  readonly isOfSwap: boolean
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
  reportSwap(bench, await swapMoments(bench, { ...subject, indexDir }, workload, [first, second]))
}

export interface SwapFigures {
  /** Requests a second. */
  readonly rate: number
  readonly moments: readonly SwapMoment[]
  /** How long each swap took, from the new `current` until the version was served. */
  readonly swapSeconds: readonly number[]
}

/**
 * Serves the first version at half of its highest rate. Makes the second one current, and later the first one again.
 * Throws if the swaps do not end within the time.
 */
export async function swapMoments(
  bench: Bench,
  subject: Pick<Subject, 'tree' | 'indexDir' | 'storeDir'>,
  workload: Workload,
  [first, second]: readonly [string, string],
): Promise<SwapFigures> {
  const { machine, generator } = bench
  const { indexDir } = subject
  const own = service(machine, subject, workload)
  makeCurrent(indexDir, first)
  const sizes = await Promise.all(
    [first, second].map(async (one) => bytesOf((await readManifest(indexDir, one)).files)),
  )
  const secondsInAll = Math.ceil(2 * restSeconds + swapsSeconds + (Math.max(...sizes) / 1e6) * swapsSecondsPerMegabyte)
  const rate = Math.round((await highestRate({ ...bench, rounds: 1 }, own)) * share)
  const server = await startReady(own)
  try {
    const load = { port: server.port, file: workload.file, connections, rate }
    await generator.run({ ...load, start: 0.5, seconds: warmUpSeconds })
    const residents: number[] = []
    const sampler = setInterval(() => residents.push(residentBytes(server.pid)), momentSeconds * 1000)
    const swapping = swapInTurn(indexDir, server.port, [second, first])
    // If the run ends first, the server stops, and this fails.
    swapping.catch(() => undefined)
    const { moments } = await generator.run({ ...load, start: 0, seconds: secondsInAll, momentSeconds })
    clearInterval(sampler)
    const swaps = await Promise.race([swapping, pause(0)])
    if (swaps === undefined) throw new Error(`two swaps took more than ${secondsInAll} s`)
    const reported = moments!.map(({ requests, p99, max }, i): SwapMoment => {
      const [from, to] = [i * momentSeconds, (i + 1) * momentSeconds]
      const isOfSwap = swaps.some(({ begun, served }) => to > begun && from < served + coldSeconds)
      const residentBytes = residents[Math.min(i, residents.length - 1)]!
      return { isOfSwap, rate: requests / momentSeconds, p99Us: p99, worstUs: max, residentBytes }
    })
    return { rate, moments: reported, swapSeconds: swaps.map(({ begun, served }) => served - begun) }
  } finally {
    await server.stop()
  }
}

/** Returns the highest value of all moments of a swap, or of all others. */
export const worstOf = (
  moments: readonly SwapMoment[],
  isOfSwap: boolean,
  of: (moment: SwapMoment) => number,
): number => Math.max(...moments.filter((moment) => moment.isOfSwap === isOfSwap).map(of))

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

/** Makes one version after the other current. Returns for each when that began and when it was served, in seconds. */
async function swapInTurn(
  indexDir: string,
  port: number,
  versions: readonly string[],
): Promise<readonly { readonly begun: number; readonly served: number }[]> {
  const start = performance.now()
  const passed = () => (performance.now() - start) / 1000
  const swaps = []
  for (const version of versions) {
    await pause(restSeconds * 1000)
    const begun = passed()
    makeCurrent(indexDir, version)
    while ((await versionServed(port)) !== version) await pause(askMs)
    swaps.push({ begun, served: passed() })
  }
  return swaps
}

async function versionServed(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
  return ((await answer.json()) as { version: string }).version
}

/** Makes the version current by a rename, as the build does. */
function makeCurrent(indexDir: string, version: string): void {
  const path = join(indexDir, currentName)
  writeFileSync(`${path}.new`, `${version}\n`)
  renameSync(`${path}.new`, path)
}

function reportSwap(bench: Bench, { rate, moments, swapSeconds }: SwapFigures): void {
  const rows = (['without a swap', 'during one, and 2 s after'] as const).map((what, i) => {
    const most = (of: (moment: SwapMoment) => number) => worstOf(moments, i === 1, of)
    const p99s = moments.filter(({ isOfSwap }) => isOfSwap === (i === 1)).map(({ p99Us }) => p99Us)
    return [
      what,
      whole(-most((moment) => -moment.rate)),
      whole(median(p99s)),
      whole(most(({ p99Us }) => p99Us)),
      fixed(most(({ worstUs }) => worstUs) / 1000, 1),
      megabytes(most((moment) => moment.residentBytes)),
    ]
  })
  bench.report.text(
    `Card details at a constant ${whole(rate)} requests/s. Another version of ${megabytes(bytesOf(bench.subject.version.manifest.files))} MB is made current, ` +
      `and later the first one again: they are served after ${swapSeconds.map((seconds) => fixed(seconds, 1)).join(' and ')} s.`,
  )
  bench.report.table(
    ['half seconds', 'least requests/s', 'median p99 µs', 'highest p99 µs', 'worst answer ms', 'resident MB'],
    rows,
  )
}
