/**
 * Hours and weeks as Prometheus would have seen them, put together from some scrapes of a real server, and the
 * alerts of deploy that fire in them, by `promtool test rules`.
 *
 *   as(calm, 60)   between(calm, failed, 10)   as(failed, 20)   away(5)
 *   ────────────── counters rise as much as ── ──────────────── no scrape succeeds: up is 0
 *                  between the two scrapes
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { pathOf } from '../support/programs.ts'
import { Scrape, scrape } from '../support/scrape.ts'

export const rulesFile = join(projectDir, 'deploy/alerts.yml')
/** The metrics that the rules name; promtool need not know of others. */
const named = new Set(readFileSync(rulesFile, 'utf8').match(/\bcpl_\w+/g))
const job = 'card-prices'
const minuteSeconds = 60

/** A server's metrics, and their time (Unix seconds). */
export interface Seen {
  readonly at: number
  readonly reported: Scrape
}

/** @param address of the metrics */
export const see = async (address: string): Promise<Seen> => ({
  reported: await scrape(address),
  at: Date.now() / 1000,
})

/** The same with another text of its metrics. */
export const changed = ({ at, reported }: Seen, from: RegExp, to: string): Seen => ({
  at,
  reported: new Scrape(reported.text.replace(from, to)),
})

/** The sum of a metric's series whose labels hold the text. */
export const sumOf = ({ reported }: Seen, metric: string, labels = ''): number =>
  samplesIn(reported).reduce(
    (sum, { name, labels: held, value }) => sum + (name === metric && held.includes(labels) ? value : 0),
    0,
  )

interface Sample {
  readonly name: string
  /** As they stand, without braces. */
  readonly labels: string
  readonly value: number
  /** Only ever added to, until the server is restarted. */
  readonly isCounter: boolean
}

function samplesIn({ values, types }: Scrape): Sample[] {
  return [...values].map(([series, value]) => {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series)!
    const type = types.get(name!) ?? types.get(name!.replace(/_(bucket|sum|count)$/, ''))
    return { name: name!, labels, value, isCounter: type === 'counter' || type === 'histogram' }
  })
}

/** Stands where a series has no sample: it has ended, or was not there. */
const ended = 'stale'
const none = '_'

/** A moment in time is as long ago at the beginning of the minutes as it was when it was seen. */
const valueAt = ({ name, value }: Sample, { at }: Seen, startsAt: number): number =>
  name.endsWith('_timestamp_seconds') ? value - at + startsAt : value

export class Timeline {
  readonly stepMinutes: number
  readonly #instance: string
  readonly #series = new Map<string, (number | typeof ended | typeof none)[]>()
  /** The values of counters, by series. */
  #counted = new Map<string, number>()
  #steps = 0

  constructor(stepMinutes = 1, instance = 'prices1:8082') {
    this.stepMinutes = stepMinutes
    this.#instance = instance
  }

  get minutes(): number {
    return this.#steps * this.stepMinutes
  }

  /** All stays as it was then; what is a moment in time was as long ago at the beginning of these minutes. */
  as(seen: Seen, minutes: number): this {
    return this.between(seen, seen, minutes)
  }

  /** Counters rise evenly by what they rose from one scrape to the other; all else is as it was at the second one. */
  between(from: Seen, to: Seen, minutes: number): this {
    const before = new Map(samplesIn(from.reported).map((sample) => [this.#key(sample), sample.value]))
    const steps = minutes / this.stepMinutes
    return this.#add(to, steps, (sample, key, step, startsAt) => {
      if (sample.isCounter) {
        const start = this.#counted.get(key) ?? before.get(key) ?? 0
        return start + (Math.max(sample.value - (before.get(key) ?? 0), 0) * (step + 1)) / steps
      }
      return valueAt(sample, to, startsAt)
    })
  }

  /** A gauge goes on rising as fast as it did between the scrapes; all else is as it was at the second one. */
  goOn(gauge: string, from: Seen, to: Seen, minutes: number): this {
    const [before, after] = [from, to].map((seen) => sumOf(seen, gauge))
    const aSecond = (after! - before!) / (to.at - from.at)
    const risen = (step: number) => after! + aSecond * (step + 1) * this.stepMinutes * minuteSeconds
    return this.#add(to, minutes / this.stepMinutes, (sample, _, step, startsAt) =>
      sample.name === gauge ? risen(step) : valueAt(sample, to, startsAt),
    )
  }

  /** The server was restarted: its counters are what it tells. */
  restarted(): this {
    this.#counted = new Map()
    return this
  }

  away(minutes: number): this {
    for (let step = 0; step < minutes / this.stepMinutes; step++) {
      for (const [key, values] of this.#series) {
        if (!isUp(key)) this.#put(key, values.at(-1) === ended || values.at(-1) === none ? none : ended)
      }
      this.#put(this.#key({ name: 'up', labels: '' }), 0)
      this.#steps++
    }
    return this
  }

  /** As promtool reads them, but for durations of what was never asked: they are many, and no sum is another for them. */
  inputSeries(): object[] {
    const isAsked = ([series, values]: readonly [string, readonly unknown[]]) =>
      !/_seconds_(bucket|sum|count)\{/.test(series) || values.some((value) => typeof value === 'number' && value > 0)
    return [...this.#series].filter(isAsked).map(([series, values]) => ({ series, values: runsOf(values) }))
  }

  #add(
    { reported: scraped }: Seen,
    steps: number,
    valueAt: (sample: Sample, key: string, step: number, startsAt: number) => number,
  ): this {
    const startsAt = this.minutes * minuteSeconds
    const reported = samplesIn(scraped)
      .filter(({ name }) => named.has(name))
      .map((sample) => [this.#key(sample), sample] as const)
    const keys = new Set(reported.map(([key]) => key))
    let last = new Map<string, number>()
    for (let step = 0; step < steps; step++) {
      last = new Map(reported.map(([key, sample]) => [key, valueAt(sample, key, step, startsAt)]))
      for (const [key, value] of last) this.#put(key, value)
      for (const key of this.#series.keys()) if (!keys.has(key) && !isUp(key)) this.#put(key, step === 0 ? ended : none)
      this.#put(this.#key({ name: 'up', labels: '' }), 1)
      this.#steps++
    }
    this.#counted = last
    return this
  }

  #key({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
    return `${name}{job="${job}",instance="${this.#instance}"${labels === '' ? '' : `,${labels}`}}`
  }

  #put(key: string, value: number | typeof ended | typeof none): void {
    let values = this.#series.get(key)
    if (values === undefined) {
      values = new Array(this.#steps).fill(none)
      this.#series.set(key, values)
    }
    values.push(value)
  }
}

/** An hour of calm, the state for some minutes, and calm again. */
export const lasting = (calm: Seen, state: Seen, minutes: number, then = 60): Timeline =>
  new Timeline().as(calm, 60).as(state, minutes).as(calm, then)

const isUp = (key: string) => key.startsWith('up{')

/** `1 1 1 2` as `1x2 2`: so many more of the same. */
function runsOf(values: readonly (number | string)[]): string {
  const runs: [value: number | string, more: number][] = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run !== undefined && run[0] === value && value !== ended) run[1]++
    else runs.push([value, 0])
  }
  return runs.map(([value, more]) => (more === 0 ? `${value}` : `${value}x${more}`)).join(' ')
}

/** By minute, the alerts that fire: their names without `CardPrices`, with blanks between them. */
type Firing = Readonly<Record<number, string>>

export const silentAt = (...minutes: number[]): Firing => Object.fromEntries(minutes.map((minute) => [minute, '']))

/** Fails unless just these alerts fire at these minutes. */
export function assertFiring(expected: Firing, ...timelines: readonly [Timeline, ...Timeline[]]): void {
  const [{ stepMinutes }] = timelines
  const interval = `${stepMinutes}m`
  const file = join(temporaryFolder(), 'tests.yml')
  const checks = Object.entries(expected).map(([minute, alerts]) => ({
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minute}m`,
    exp_samples: (alerts.match(/\w+/g) ?? []).map((name) => ({ labels: `{alertname="CardPrices${name}"}`, value: 1 })),
  }))
  const input = timelines.flatMap((timeline) => timeline.inputSeries())
  const test = { interval, input_series: input, promql_expr_test: checks }
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests: [test] }))
  const { status, stdout, stderr } = promtool('test', 'rules', file)
  assert.equal(status, 0, stdout + stderr)
}

export const promtool = (...args: string[]) => spawnSync(pathOf('promtool')!, args, { encoding: 'utf8' })
