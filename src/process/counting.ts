/** What a server thread counts with. It is loaded only where there are metrics or an access log. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Meter } from '../http/meter.ts'
import type { Server } from '../http/server.ts'
import { AccessLog } from '../log/access.ts'
import { type Cells, loopQuantiles, takeCells } from '../metrics/cells.ts'
import type { Settings } from '../settings.ts'

/** How often the loop is looked at: what a turn takes beyond it is its delay. */
const loopLookMs = 10
const nsPerMs = 1e6

export class Counting {
  readonly cells: Cells
  readonly meter: Meter
  readonly #accessLog: AccessLog | undefined
  /** Lines that the threads before in this seat dropped. */
  readonly #droppedBefore: number
  /** Only for the metrics. */
  readonly #loop: IntervalHistogram | undefined

  /** @param block of the thread's seat */
  constructor(block: SharedArrayBuffer, settings: Settings, log: Logger) {
    this.cells = takeCells(block)
    this.#accessLog = accessLogOf(settings, log)
    this.meter = new Meter(this.cells, this.#accessLog)
    this.#droppedBefore = this.cells.logDropped[0]!
    if (settings.METRICS_PORT === undefined) return
    this.#loop = monitorEventLoopDelay({ resolution: loopLookMs })
    this.#loop.enable()
  }

  /** Writes down what is not counted as it happens; the loop's delay is since the last time. */
  async look({ downloads }: Server): Promise<void> {
    // Whoever looks at the loop has its turn first: after a long delay it has not told of it yet.
    await pause(1)
    const { cells } = this
    cells.downloads[0] = downloads
    cells.logDropped[0] = this.#droppedBefore + (this.#accessLog?.dropped ?? 0)
    for (const [i, quantile] of loopQuantiles.entries()) cells.loopMs[i] = this.#delayMs(quantile)
    this.#loop?.reset()
  }

  #delayMs(quantile: number): number {
    if (this.#loop === undefined || this.#loop.count === 0) return 0
    return Math.max(this.#loop.percentile(quantile * 100) / nsPerMs - loopLookMs, 0)
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
