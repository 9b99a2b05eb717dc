/**
 * Renders all metrics. prom-client provides the registry, the format and the metrics of the process. Its counters and
 * histograms can only count single events, but our values are counted elsewhere. So each of our metrics is an object
 * with `get`, which is all that the registry calls.
 */
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { ApiForm } from '../settings.ts'
import type { Row } from './metric-rows.ts'
import { Readings } from './readings.ts'
import { type ServerFigures, serverRows } from './server-rows.ts'
import type { ThreadCounters } from './thread-counters.ts'
import { threadRows } from './thread-rows.ts'

/** prom-client's gauges with names of counters. They are removed: each is only the sum of another metric. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
const loopLookMs = 10

export class Metrics {
  readonly #registry = new Registry()
  readonly #slots: readonly ThreadCounters[]
  readonly #collect: () => Promise<ServerFigures>
  #readings: Readings
  #figures: ServerFigures | undefined
  #rendering: Promise<string> | undefined

  /**
   * @param form the form of the API
   * @param slots the threads' counters, at least one
   * @param collect updates the threads' counters, and returns the main thread's figures
   */
  constructor(form: ApiForm, slots: readonly ThreadCounters[], collect: () => Promise<ServerFigures>) {
    this.#slots = slots
    this.#collect = collect
    this.#readings = new Readings(slots)
    for (const row of threadRows(form)) this.#add(row, () => this.#readings)
    for (const row of serverRows) this.#add(row, () => this.#figures!)
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: loopLookMs })
    for (const name of misnamed) this.#registry.removeSingleMetric(name)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Concurrent calls share one rendering. */
  render(): Promise<string> {
    this.#rendering ??= this.#render().finally(() => {
      this.#rendering = undefined
    })
    return this.#rendering
  }

  async #render(): Promise<string> {
    this.#figures = await this.#collect()
    this.#readings = new Readings(this.#slots)
    return this.#registry.metrics()
  }

  #add<From>({ name, type, help, values }: Row<From>, from: () => From): void {
    const metric = { name, get: () => ({ name, type, help, values: values(from()) }) }
    this.#registry.registerMetric(metric as unknown as Metric)
  }
}
