/** The metrics that the main thread knows. */

import type { ReplicationFigures } from '../accounts/replication/follower.ts'
import type { LastUpdate, LastUpdates } from '../last-updates.ts'
import { planNames } from '../plans.ts'
import type { CountsByPlan } from '../store/store-records.ts'
import { softwareVersion } from '../version.ts'
import { byName, counter, gauge, type Row, seconds, type Value } from './metric-rows.ts'

/** A figure is undefined if there is none; the help of its row says when. Times are in ms since 1970. */
export interface ServerFigures {
  /** The API's address, as callers see it. */
  readonly api: string
  /** The version that all threads serve. */
  readonly served: ServedData | undefined
  readonly versionsTaken: number
  readonly versionsRefused: number
  readonly isVersionRefused: boolean
  readonly isIndexUrlUp: boolean | undefined
  /** How long INDEX_URL has named a version that is not served. */
  readonly versionBehindMs: number | undefined
  readonly threadsUp: number
  readonly threadFailures: number
  readonly pagesThreadFailures: number | undefined
  /** The number of hung threads, in all server processes that this store had. */
  readonly hungThreads: number
  readonly database: ReplicationFigures | undefined
  /** How long the store may have lacked some counts. */
  readonly flushAgeMs: number
  readonly flushFailures: number
  readonly byPlan: CountsByPlan | undefined
  readonly sessions: number | undefined
  readonly certificateExpiresAt: number | undefined
  readonly backedUpAt: number | undefined
  /** The last run of card-prices update for each source. Empty if INDEX_DIR is filled by other means. */
  readonly updates: LastUpdates
  readonly isBuildFailed: boolean
}

interface ServedData {
  readonly version: string
  /** YYYY-MM-DD, null if unknown. */
  readonly asOf: string | null
  /** A time in a form that Date.parse reads. */
  readonly publishedAt: string
  readonly counts: { readonly cards: number; readonly sets: number; readonly historyRows: number }
}

export const serverRows: readonly Row<ServerFigures>[] = [
  gauge('cpl_build_info', '1; the version of the software.', () => [
    { labels: { version: softwareVersion }, value: 1 },
  ]),
  gauge('cpl_server_info', '1; the address to which programs send requests, API_URL.', ({ api }) => [
    { labels: { api_url: api }, value: 1 },
  ]),
  gauge(
    'cpl_data_info',
    '1; the version of the served data, and its newest date.',
    ({ served }) => served && [{ labels: { version: served.version, as_of: served.asOf ?? '' }, value: 1 }],
  ),
  gauge(
    'cpl_data_as_of_timestamp_seconds',
    'The newest date of the served data, as Unix seconds of its midnight in UTC.',
    ({ served }) => (served?.asOf == null ? undefined : seconds(Date.parse(served.asOf))),
  ),
  gauge(
    'cpl_data_published_timestamp_seconds',
    'When the served data was built, in Unix seconds.',
    ({ served }) => served && seconds(Date.parse(served.publishedAt)),
  ),
  gauge('cpl_data_cards', 'Cards in the served data.', ({ served }) => served?.counts.cards),
  gauge('cpl_data_sets', 'Sets in the served data.', ({ served }) => served?.counts.sets),
  gauge(
    'cpl_data_history_rows',
    'Days of prices in the served data, of all cards together.',
    ({ served }) => served?.counts.historyRows,
  ),
  counter(
    'cpl_version_changes_total',
    'Versions of the data, by result: taken (including the first), or refused. A repeated refusal counts once.',
    ({ versionsTaken, versionsRefused }) => byName('result', ['taken', 'refused'], [versionsTaken, versionsRefused]),
  ),
  gauge(
    'cpl_version_refused',
    '1 while the version that current names is rejected and the previous one is served, else 0.',
    ({ isVersionRefused }) => isVersionRefused,
  ),
  gauge(
    'cpl_index_url_up',
    '1 if INDEX_URL answered last time, else 0. No series without INDEX_URL.',
    ({ isIndexUrlUp }) => isIndexUrlUp,
  ),
  gauge(
    'cpl_index_version_behind_seconds',
    'Seconds for which INDEX_URL has named a version that is not served, else 0. No series without INDEX_URL.',
    ({ versionBehindMs }) => versionBehindMs && seconds(versionBehindMs),
  ),
  gauge('cpl_threads', 'Server threads that answer.', ({ threadsUp }) => threadsUp),
  counter(
    'cpl_thread_failures_total',
    'Server threads that ended unexpectedly or could not be started. Each is replaced.',
    ({ threadFailures }) => threadFailures,
  ),
  counter(
    'cpl_pages_thread_failures_total',
    "How often the pages' thread ended unexpectedly or could not be started. It is replaced. No series without WEB_PORT.",
    ({ pagesThreadFailures }) => pagesThreadFailures,
  ),
  counter(
    'cpl_threads_hung_total',
    'Server threads that used 10 s of CPU time without an end. Each ended its process; the store keeps the count.',
    ({ hungThreads }) => hungThreads,
  ),
  gauge(
    'cpl_database_up',
    '1 if the database that servers share answers, else 0. This and the next two have no series without DATABASE_URL.',
    ({ database }) => database?.isUp,
  ),
  gauge(
    'cpl_accounts_changes_behind',
    "Changes of accounts and keys that this server's copy lacks.",
    ({ database }) => database?.behind,
  ),
  gauge(
    'cpl_accounts_copy_refused',
    '1 if this server rejects the database because its accounts are others, older or gone, else 0.',
    ({ database }) => database?.isRejected,
  ),
  gauge(
    'cpl_usage_flush_age_seconds',
    'Seconds since the store last had all counts for quotas and bills.',
    ({ flushAgeMs }) => seconds(flushAgeMs),
  ),
  counter(
    'cpl_usage_flush_failures_total',
    'Failed attempts to write counts to the store.',
    ({ flushFailures }) => flushFailures,
  ),
  gauge(
    'cpl_accounts',
    'Accounts, by plan.',
    ({ byPlan }) => byPlan && byName('plan', planNames, countsOf(byPlan, 'accounts')),
  ),
  gauge(
    'cpl_live_keys',
    'Keys that are neither revoked nor expired, by plan.',
    ({ byPlan }) => byPlan && byName('plan', planNames, countsOf(byPlan, 'liveKeys')),
  ),
  gauge(
    'cpl_sessions',
    'Sessions of people on the pages; an ended one may be included for some minutes. No series without WEB_PORT.',
    ({ sessions }) => sessions,
  ),
  gauge(
    'cpl_certificate_expires_timestamp_seconds',
    'When the served certificate expires, in Unix seconds. No series without TLS_CERT.',
    ({ certificateExpiresAt }) => certificateExpiresAt && seconds(certificateExpiresAt),
  ),
  gauge(
    'cpl_backup_timestamp_seconds',
    'When card-prices accounts backup last succeeded, in Unix seconds. No series if it never did.',
    ({ backedUpAt }) => backedUpAt && seconds(backedUpAt),
  ),
  gauge(
    'cpl_last_update_timestamp_seconds',
    'When card-prices update last ended, in Unix seconds, by source. No series if INDEX_DIR is filled by other means.',
    ({ updates }) => bySource(updates, ({ endedAt }) => seconds(Date.parse(endedAt))),
  ),
  gauge('cpl_last_update_success', '1 if that run fetched, imported and built what was new, else 0.', ({ updates }) =>
    bySource(updates, ({ success }) => Number(success)),
  ),
  gauge(
    'cpl_last_build_failed',
    '1 if the last build into INDEX_DIR failed or was refused, so that earlier prices are served, else 0.',
    ({ isBuildFailed }) => isBuildFailed,
  ),
  gauge(
    'cpl_update_sets_held',
    'For how many days a set has kept earlier prices, because those of its source look wrong. No series without such a set.',
    ({ updates }) =>
      Object.entries(updates).flatMap(([source, { held }]) =>
        held.map(({ game, code, runs }) => ({ labels: { source, game, set: code }, value: runs })),
      ),
  ),
]

const bySource = (updates: LastUpdates, figureOf: (update: LastUpdate) => number): Value[] =>
  Object.entries(updates).map(([source, update]) => ({ labels: { source }, value: figureOf(update) }))

const countsOf = (byPlan: CountsByPlan, figure: 'accounts' | 'liveKeys'): number[] =>
  planNames.map((plan) => byPlan[plan][figure])
