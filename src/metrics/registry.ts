/**
 * All metrics, rendered. prom-client has the registry, the format, and the metrics of the process. Its own counters and
 * histograms can only be added to, event by event; so what stands in cells, or is known elsewhere, is handed to it as what it
 * asks every metric for: an object with `get`, which has the values of that moment.
 */
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { ApiForm } from '../settings.ts'
import type { Cells } from './counters.ts'
import { Readings } from './readings.ts'
import type { Row } from './rows.ts'
import { type ServerFigures, serverRows } from './server-rows.ts'
import { threadRows } from './thread-rows.ts'

/** Gauges that are named like counters; each is the sum of another one. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
const loopLookMs = 10

export class Metrics {
  readonly #registry = new Registry()
  readonly #seats: readonly Cells[]
  readonly #look: () => Promise<ServerFigures>
  #readings: Readings
  #known: ServerFigures | undefined
  #rendering: Promise<string> | undefined

  /**
   * @param form of the interface
   * @param seats the cells of the threads' seats, at least one
   * @param look has the threads write down what they know, and tells what they don't
   */
  constructor(form: ApiForm, seats: readonly Cells[], look: () => Promise<ServerFigures>) {
    this.#seats = seats
    this.#look = look
    this.#readings = new Readings(seats)
    for (const row of threadRows(form)) this.#add(row, () => this.#readings)
    for (const row of serverRows) this.#add(row, () => this.#known!)
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: loopLookMs })
    for (const name of misnamed) this.#registry.removeSingleMetric(name)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** As they are now; who asks while they are being rendered gets the same. */
  render(): Promise<string> {
    this.#rendering ??= this.#render().finally(() => {
      this.#rendering = undefined
    })
    return this.#rendering
  }

  async #render(): Promise<string> {
    this.#known = await this.#look()
    this.#readings = new Readings(this.#seats)
    return this.#registry.metrics()
  }

  #add<From>({ name, type, help, values }: Row<From>, from: () => From): void {
    const metric = { name, get: () => ({ name, type, help, values: values(from()) }) }
    this.#registry.registerMetric(metric as unknown as Metric)
  }
}
