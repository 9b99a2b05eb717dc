/** Requests metrics from a server, and parses them as Prometheus does. */
import assert from 'node:assert/strict'
import { send } from './service.ts'

export class Scrape {
  readonly text: string
  /** By name and labels as written: `cpl_threads`, `cpl_page_cache_total{result="hit"}`. */
  readonly values = new Map<string, number>()
  /** The type in each metric's TYPE line, by the metric's name. */
  readonly types = new Map<string, string>()

  constructor(text: string) {
    this.text = text
    for (const line of text.split('\n')) {
      const type = /^# TYPE (\S+) (\S+)$/.exec(line)
      if (type !== null) this.types.set(type[1]!, type[2]!)
      const sample = /^([^#{ ]+(?:\{.*\})?) (\S+)$/.exec(line)
      if (sample !== null) this.values.set(sample[1]!, Number(sample[2]))
    }
  }

  value(series: string): number | undefined {
    return this.values.get(series)
  }

  /** The values of a metric that are not 0, by the values of their labels: `/v1/search 200`. */
  counts(name: string): Map<string, number> {
    const found = [...this.values].filter(([series, value]) => series.startsWith(`${name}{`) && value !== 0)
    return new Map(found.map(([series, value]) => [labelValues(series).join(' '), value]))
  }

  /** The label values of the series whose names begin with `cpl_`, without the labels `le` and `quantile`. */
  labels(): Set<string> {
    const own = [...this.values.keys()].filter((series) => series.startsWith('cpl_'))
    return new Set(own.flatMap((series) => labelValues(series.replace(/(le|quantile)="[^"]*"/, ''))))
  }
}

const labelValues = (series: string) => [...series.matchAll(/"([^"]*)"/g)].map(([, value]) => value!)

/** @param address the address of the metrics: `http://127.0.0.1:PORT` */
export async function scrape(address: string): Promise<Scrape> {
  const reply = await send(address, '/metrics')
  assert.equal(reply.status, 200, reply.body)
  return new Scrape(reply.body)
}

/**
 * Asserts that the buckets of each histogram never fall, and that its last bucket and its count equal the number of the
 * route's requests.
 */
export function assertAgrees({ values }: Scrape): void {
  const requests = new Map<string, number>()
  for (const [series, value] of values) {
    const route = /^cpl_http_requests_total\{route="([^"]*)"/.exec(series)?.[1]
    if (route !== undefined) requests.set(route, (requests.get(route) ?? 0) + value)
  }
  const name = 'cpl_http_request_duration_seconds'
  for (const [route, count] of requests) {
    const buckets = [...values].filter(([series]) => series.startsWith(`${name}_bucket{route="${route}",`))
    assert.ok(buckets.length > 10)
    for (const [i, [series, value]] of buckets.entries()) assert.ok(i === 0 || value >= buckets[i - 1]![1], series)
    assert.equal(buckets.at(-1)![0], `${name}_bucket{route="${route}",le="+Inf"}`)
    assert.equal(buckets.at(-1)![1], count, route)
    assert.equal(values.get(`${name}_count{route="${route}"}`), count, route)
    const sum = values.get(`${name}_sum{route="${route}"}`)!
    assert.ok(count === 0 ? sum === 0 : sum > 0, route)
  }
}
