/** A server at a constant rate, open loop: a pause of it makes nobody ask less. */

import type { Bench } from '../harness/bench.ts'
import { type Candidate, median, runHarness, startReady } from '../harness/harness.ts'
import { cpuSeconds } from '../harness/process.ts'
import type { LoadResult } from '../load/load.ts'

/** Enough that a connection is free at each moment of the rate. */
export const connections = 256
const warmUpSeconds = 3

/** Requests a second that it answers when it is asked as much as it can. */
export async function highestRate(bench: Bench, contestant: Candidate): Promise<number> {
  return median((await runHarness([contestant], bench)).get(contestant.name)!.map(({ rate }) => rate))
}

export interface AtRate {
  readonly result: LoadResult
  /** The part of a core that the server was busy. */
  readonly serverShare: number
}

/** Each rate in turn, asked of the same process. */
export async function atRates(
  { generator }: Bench,
  contestant: Candidate,
  rates: readonly number[],
  seconds: number,
): Promise<AtRate[]> {
  const server = await startReady(contestant)
  try {
    const measured: AtRate[] = []
    for (const rate of rates) {
      const load = { port: server.port, file: contestant.workload.file, connections, rate }
      await generator.run({ ...load, start: 0.5, seconds: warmUpSeconds })
      const cpuBefore = cpuSeconds(server.pid)
      const result = await generator.run({ ...load, start: 0, seconds })
      measured.push({ result, serverShare: (cpuSeconds(server.pid) - cpuBefore) / result.seconds })
    }
    return measured
  } finally {
    await server.stop()
  }
}
