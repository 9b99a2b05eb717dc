/** What a server thread counts with. It is loaded only where there are metrics or an access log. */
import { createHistogram } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Instrumentation } from '../http/instrumentation.ts'
import type { Server } from '../http/server.ts'
import { AccessLog } from '../log/access.ts'
import { type Cells, loopQuantiles, takeCells } from '../metrics/cells.ts'
import type { Settings } from '../settings.ts'

/** How often the loop is looked at: what a turn takes beyond it is its delay. */
const loopLookMs = 10
const usPerMs = 1000

export class Counting {
  readonly cells: Cells
  readonly instrumentation: Instrumentation
  readonly #accessLog: AccessLog | undefined
  /** Lines that the threads before in this seat dropped. */
  readonly #droppedBefore: number
  /** How late the loop came to its looks (µs), since somebody asked. Node's own monitor loses a delay that begins at a reset. */
  readonly #delays = createHistogram()
  #lookedAt = performance.now()

  /** @param block of the thread's seat */
  constructor(block: SharedArrayBuffer, settings: Settings, log: Logger) {
    this.cells = takeCells(block)
    this.#accessLog = accessLogOf(settings, log)
    this.instrumentation = new Instrumentation(this.cells, this.#accessLog)
    this.#droppedBefore = this.cells.logDropped[0]!
    if (settings.METRICS_PORT !== undefined) setInterval(() => this.#lookAtLoop(), loopLookMs).unref()
  }

  /** Writes down what is not counted as it happens; the loop's delay is since the last time. */
  look({ downloads }: Server): void {
    this.#lookAtLoop()
    const { cells } = this
    cells.downloads[0] = downloads.count
    cells.logDropped[0] = this.#droppedBefore + (this.#accessLog?.dropped ?? 0)
    for (const [i, quantile] of loopQuantiles.entries()) {
      cells.loopMs[i] = this.#delays.percentile(quantile * 100) / usPerMs
    }
    this.#delays.reset()
  }

  #lookAtLoop(): void {
    const now = performance.now()
    this.#delays.record(Math.max(1, Math.round((now - this.#lookedAt - loopLookMs) * usPerMs)))
    this.#lookedAt = now
  }
}

function accessLogOf({ ACCESS_LOG, LOG_LEVEL }: Settings, log: Logger): AccessLog | undefined {
  if (ACCESS_LOG === 'off') return undefined
  return new AccessLog({
    chosen: ACCESS_LOG,
    tellsQueries: LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace',
    tellDropped: (dropped) => log.error({ dropped }, 'lines of the access log were dropped, since nobody read them'),
  })
}
