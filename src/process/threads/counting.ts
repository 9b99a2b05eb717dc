/** The counters and access log of a server thread. Loaded only with METRICS_PORT or ACCESS_LOG. */
import { createHistogram } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { withoutKey } from '../../api/query-string.ts'
import { Instrumentation } from '../../http/instrumentation.ts'
import type { Server } from '../../http/server.ts'
import { AccessLog } from '../../log/access.ts'
import { lineFormat } from '../../log/text-lines.ts'
import { loopQuantiles, type ThreadCounters, takeOverCounters } from '../../metrics/thread-counters.ts'
import type { Settings } from '../../settings.ts'

/** The interval of a timer. How late the timer runs is the event loop's delay. */
const loopTimerMs = 10
const usPerMs = 1000

export class RequestCounting {
  readonly cells: ThreadCounters
  readonly instrumentation: Instrumentation
  readonly #accessLog: AccessLog | undefined
  /** How many lines of the access log earlier threads of this slot have dropped. */
  readonly #droppedBefore: number
  /** Delays (µs) since the last scrape. Node.js's own monitor does not count a delay during which it is reset. */
  readonly #delays = createHistogram()
  #timedAt = performance.now()

  /** @param block the counters of the thread's slot */
  constructor(block: SharedArrayBuffer, settings: Settings, log: Logger) {
    this.cells = takeOverCounters(block)
    this.#accessLog = accessLogOf(settings, log)
    this.instrumentation = new Instrumentation(this.cells, this.#accessLog)
    this.#droppedBefore = this.cells.logDropped[0]!
    if (settings.METRICS_PORT !== undefined) setInterval(() => this.#recordDelay(), loopTimerMs).unref()
  }

  /** Updates the counters that requests do not update. `loopMs` gets the delays since the last call. */
  update({ downloads }: Server): void {
    this.#recordDelay()
    const { cells } = this
    cells.downloads[0] = downloads.count
    cells.logDropped[0] = this.#droppedBefore + (this.#accessLog?.dropped ?? 0)
    for (const [i, quantile] of loopQuantiles.entries()) {
      cells.loopMs[i] = this.#delays.percentile(quantile * 100) / usPerMs
    }
    this.#delays.reset()
  }

  #recordDelay(): void {
    const now = performance.now()
    this.#delays.record(Math.max(1, Math.round((now - this.#timedAt - loopTimerMs) * usPerMs)))
    this.#timedAt = now
  }
}

function accessLogOf({ ACCESS_LOG, LOG_LEVEL, LOG_FORMAT }: Settings, log: Logger): AccessLog | undefined {
  if (ACCESS_LOG === 'off') return undefined
  const logsQueries = LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace'
  return new AccessLog({
    selects: ACCESS_LOG,
    loggedQuery: logsQueries ? withoutKey : undefined,
    format: lineFormat(LOG_FORMAT),
    onDropped: (dropped) => log.error({ dropped }, 'lines of the access log were dropped, because nobody read them'),
  })
}
