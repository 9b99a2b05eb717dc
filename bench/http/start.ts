/** Measures a start: its time, the memory after it, and the size of the index on disk. */

import { setTimeout as pause } from 'node:timers/promises'
import { bytesOf } from '../../src/indexes/manifest.ts'
import { aims, reported } from '../aims.ts'
import type { Bench } from '../harness/bench.ts'
import { service } from '../harness/contestants.ts'
import { type Candidate, median, startReady } from '../harness/harness.ts'
import type { Machine } from '../harness/machine.ts'
import { residentBytes } from '../harness/process.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import type { Subject } from '../harness/subject.ts'

/** After this time, work that a start has deferred is done. */
const settleMs = 500

/** Reports the time from the start of the process to `listening`, the memory then, and the size of the index. */
export async function measureStart({ machine, subject, report, rounds }: Bench): Promise<void> {
  report.heading('Start and size')
  const { counts, files } = subject.version.manifest
  const starts: Start[] = []
  for (let round = 0; round < rounds; round++) starts.push(await startOnce(machine, subject))
  const startMs = median(starts.map((start) => start.startMs))
  report.table(
    ['', 'median', 'min–max', 'aim'],
    [
      ['start to listening, ms', ...spread(starts, 'startMs', whole), reported(aims.startMs(), startMs)],
      ['resident memory then, MB', ...spread(starts, 'residentBytes', megabytes), '–'],
    ],
  )
  const all = bytesOf(files)
  const contents = `${whole(counts.cards)} cards, ${whole(counts.sets)} sets, ${whole(counts.historyRows)} history rows`
  report.table(
    ['index', 'MB', 'bytes a card'],
    [...files, { name: `all: ${contents}`, bytes: all }].map(({ name, bytes }) => [
      name,
      megabytes(bytes),
      fixed(bytes / counts.cards, 1),
    ]),
  )
}

export interface Start {
  readonly startMs: number
  readonly residentBytes: number
}

/**
 * Starts the server once, on all cores, because threads load beside the supervisor.
 * @param before requests to send, one after the other, before the memory is measured
 */
export async function startOnce(
  machine: Machine,
  subject: Pick<Subject, 'tree' | 'indexDir' | 'storeDir'>,
  { threads = 1, before = [] }: { threads?: number; before?: readonly string[] } = {},
): Promise<Start> {
  const workload = { file: '', status: 200, before }
  const contestant: Candidate = service(machine, subject, workload, { threads, cores: `0-${machine.cores - 1}` })
  const { startMs, pid, stop } = await startReady(contestant)
  await pause(settleMs)
  const start = { startMs, residentBytes: residentBytes(pid) }
  await stop()
  return start
}

/** Returns the median and the range, as cells of a table. */
function spread(starts: readonly Start[], what: keyof Start, text: (value: number) => string): [string, string] {
  const values = starts.map((start) => start[what])
  return [text(median(values)), `${text(Math.min(...values))}–${text(Math.max(...values))}`]
}
