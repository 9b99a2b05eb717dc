/** The metrics that server threads count. */
import { keyRefusals } from '../accounts/authenticator.ts'
import { pageCounts } from '../api/page-cache.ts'
import { planNames } from '../plans.ts'
import type { ApiForm } from '../settings.ts'
import { byName, counter, gauge, histogram, type Row, seconds, summary, type Value } from './metric-rows.ts'
import { type Durations, expectedStatuses, type Readings } from './readings.ts'
import { bucketMsMax, loopQuantiles, routeLabels, statuses } from './thread-counters.ts'

const bucketLabels: readonly string[] = [...bucketMsMax.map((ms) => String(seconds(ms))), '+Inf']

export function threadRows(form: ApiForm): readonly Row<Readings>[] {
  const expected = routeLabels.map((label) => expectedStatuses(label, form))
  const requests = 'cpl_http_request_duration_seconds'
  const searches = 'cpl_search_duration_seconds'
  return [
    counter(
      'cpl_http_requests_total',
      'Requests answered, by route and status. Requests whose client left before the response, and those that the HTTP ' +
        'library rejects itself (431, 505), are not counted.',
      (readings) =>
        routeLabels.flatMap((route, i) =>
          statuses
            .map((status, j) => ({ labels: { route, status: String(status) }, value: readings.requests(i, j) }))
            .filter(({ value }, j) => value > 0 || expected[i]!.has(statuses[j]!)),
        ),
    ),
    histogram(
      requests,
      'Seconds from the first byte of a request handled to its response handed over, by route. It includes waiting for ' +
        'a body or the quota store, and excludes sending a long response.',
      (readings) => routeLabels.flatMap((route, i) => durationsOf(requests, readings.durations(i), { route })),
    ),
    histogram(
      searches,
      'Seconds to compute a response to /v1/search. Responses from the page cache are not included.',
      (readings) => durationsOf(searches, readings.searches(), {}),
    ),
    counter(
      'cpl_page_cache_total',
      'Look-ups in the cache of pages (searches, lists, suggestions, sets), by result: hit or miss.',
      (readings) => byName('result', pageCounts, readings.sums('pages')),
    ),
    counter('cpl_key_refusals_total', 'Requests answered 401, by reason. A revoked key is unknown.', (readings) =>
      byName('reason', keyRefusals, readings.sums('keyRefusals')),
    ),
    counter('cpl_quota_refusals_total', 'Requests answered 429, by the plan of the account.', (readings) =>
      byName('plan', planNames, readings.sums('quotaRefusals')),
    ),
    counter(
      'cpl_access_log_lines_dropped_total',
      'Lines of the access log that were dropped, because nobody read them in time.',
      (readings) => readings.sums('logDropped')[0],
    ),
    gauge('cpl_connections', 'Open connections of callers.', (readings) => readings.sums('connections')[0]),
    gauge('cpl_downloads', 'Long responses that are being sent.', (readings) => readings.sums('downloads')[0]),
    // This is a summary, because promtool rejects a gauge with quantiles.
    summary(
      'cpl_event_loop_delay_seconds',
      'Event-loop delay of a server thread in seconds, since the last scrape; quantile 1 is the longest.',
      ({ slots }) =>
        slots.flatMap(({ loopMs }, slot) =>
          loopQuantiles.map((quantile, i) => ({
            labels: { thread: String(slot + 1), quantile: String(quantile) },
            value: seconds(loopMs[i]!),
          })),
        ),
    ),
  ]
}

/** The values of a histogram. Prometheus expects cumulative buckets. */
function durationsOf(name: string, { buckets, ms }: Durations, labels: Value['labels']): Value[] {
  let count = 0
  const values = Array.from(buckets, (inBucket, i) => {
    count += inBucket
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bucketLabels[i]! }, value: count }
  })
  return [
    ...values,
    { metricName: `${name}_sum`, labels, value: seconds(ms) },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
