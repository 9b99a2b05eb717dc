/** The aims of the service, in one table for all parts of the benchmark. */
import type { Doubt } from './harness/harness.ts'

/** The least or the most that a figure may be. */
export type Aim = { readonly least: number } | { readonly most: number }

/**
 * By scenario: the service's requests a second divided by the limit's, or the limit's CPU time divided by the
 * service's. Of these two ratios, the one that varied less between rounds counts.
 */
const ofLimit: Readonly<Record<string, number>> = {
  details: 0.97,
  batch: 0.8,
  'search-zipf': 0.95,
  'search-new': 0.65,
  'search-fields': 0.3,
  suggest: 0.85,
  full: 0.6,
  games: 0.95,
  sets: 0.95,
  health: 0.95,
  // The service takes longer than the limit, and a third of the extra time is for reading the series. The ratio would
  // reach 0.85 only if the build rendered the text, which would add 200 MB to the 150 MB of the index.
  'history-30d': 0.75,
  'history-1y': 0.75,
  changes: 0.9,
  movers: 0.8,
  // A page of a list is rendered like that of a new search, and finding its cards costs less.
  'list-game': 0.65,
  'list-far': 0.65,
  'list-sorted': 0.65,
  'list-csv': 0.65,
  // Filtering reads all cards of the game in at most 1 ms. The limit's 8 µs are this share of it.
  'list-filtered': 0.008,
  'list-changed': 0.008,
  bulk: 0.9,
  // A line took 5 µs while its look-ups waited for sixteen separate places of memory. One is enough.
  match: 0.2,
  unchanged: 0.95,
  'no-card': 0.95,
  'no-route': 0.95,
  'no-key': 0.95,
  'wrong-key': 0.95,
  'used-up': 0.95,
}

/** By scenario, then by the number of copies of the cards: requests a second, divided by those with one copy. */
const ofOnce: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  details: { 4: 0.95 },
  'search-new': { 4: 0.7 },
}

/** The names of the scenarios that have an aim. */
export const scenariosWithAims: readonly string[] = Object.keys(ofLimit)

const least = (value: number | undefined): Aim | undefined => (value === undefined ? undefined : { least: value })

export const aims = {
  ofLimit: (scenario: string): Aim | undefined => least(ofLimit[scenario]),
  ofOnce: (scenario: string, times: number): Aim | undefined => least(ofOnce[scenario]?.[times]),
  /** (Resident memory / resident memory with one copy of the cards) / number of copies. */
  memoryToCards: { most: 1 } as Aim,
  /** @param times the number of copies of the cards */
  startMs: (times = 1): Aim => ({ most: times > 4 ? 4000 : 1200 }),
  /** The slowest response in a minute at 80 % of the highest rate. */
  worstMs: { most: 15 } as Aim,
  /** p99.9, divided by the limit's at the same rate. */
  p999ToLimit: { most: 1.2 } as Aim,
  /** CPU time a request with two threads, divided by that with one. The result is divided by the limit's. */
  threadsToLimit: { most: 1.05 } as Aim,
  /** This and the next two: requests a second, divided by those of a service without metrics and access log. */
  metricsToNone: { least: 0.98 } as Aim,
  logSampledToNone: { least: 0.97 } as Aim,
  logToNone: { least: 0.6 } as Aim,
}

export const isMissed = (aim: Aim, value: number): boolean =>
  'least' in aim ? !(value >= aim.least) : !(value <= aim.most)

/**
 * Returns a table's cell with the aim, and with MISSED if the value misses it. Returns `–` without an aim.
 * @param doubt the figure's mark. With `†`, the value neither reaches nor misses the aim
 */
export function reported(aim: Aim | undefined, value: number, doubt: Doubt = ''): string {
  if (aim === undefined) return '–'
  const text = 'least' in aim ? `≥ ${aim.least}` : `≤ ${aim.most}`
  if (doubt === ' †') return `${text} †`
  return isMissed(aim, value) ? `${text} MISSED` : text
}
