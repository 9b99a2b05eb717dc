/** Measures a server at a constant rate in an open loop: requests keep their schedule while the server pauses. */

import type { Bench } from '../harness/bench.ts'
import { type Candidate, median, runHarness, startReady } from '../harness/harness.ts'
import { cpuSeconds } from '../harness/process.ts'
import type { LoadResult } from '../load/load.ts'

/** Enough connections that one is free whenever a request is due. */
export const connections = 256
const warmUpSeconds = 3

/** Returns the requests a second that the server answers at full load. */
export async function highestRate(bench: Bench, contestant: Candidate): Promise<number> {
  return median((await runHarness([contestant], bench)).get(contestant.name)!.map(({ rate }) => rate))
}

export interface AtRate {
  readonly result: LoadResult
  /** The server's CPU time, divided by the time of the measurement. */
  readonly serverShare: number
}

/** Measures each rate in turn, on one process of the server. */
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
