/** The aims of the service: one table, read by every part of the benchmark. */
import type { Doubt } from './harness/harness.ts'

/** Of a figure that must be so much at least, or at most. */
export type Aim = { readonly least: number } | { readonly most: number }

/** By scenario: requests a second through those of the limit that fits, or the limit's CPU time through the service's. */
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
  // Only text that the build has rendered would reach 0.85, for 200 MB more of 150: reading the series is a third of it.
  'history-30d': 0.75,
  'history-1y': 0.75,
  changes: 0.9,
  movers: 0.8,
  // Its page is rendered as a new search's is, and found for less.
  'list-game': 0.65,
  'list-far': 0.65,
  'list-sorted': 0.65,
  'list-csv': 0.65,
  // A pass over the game's cards: 1 ms at most, of which the limit's 8 µs are this share.
  'list-filtered': 0.008,
  'list-changed': 0.008,
  bulk: 0.9,
  // A line took 5 µs. Its look-ups waited for memory, and can take one place of it in place of sixteen.
  match: 0.2,
  unchanged: 0.95,
  'no-card': 0.95,
  'no-route': 0.95,
  'no-key': 0.95,
  'wrong-key': 0.95,
  'used-up': 0.95,
}

/** By scenario and by how many times the cards: requests a second through those with the cards once. */
const ofOnce: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  details: { 4: 0.95 },
  'search-new': { 4: 0.7 },
}

/** The scenarios that have an aim. */
export const scenariosWithAims: readonly string[] = Object.keys(ofLimit)

const least = (value: number | undefined): Aim | undefined => (value === undefined ? undefined : { least: value })

export const aims = {
  ofLimit: (scenario: string): Aim | undefined => least(ofLimit[scenario]),
  ofOnce: (scenario: string, times: number): Aim | undefined => least(ofOnce[scenario]?.[times]),
  /** Resident memory through that with the cards once, divided by how many times the cards. */
  memoryToCards: { most: 1 } as Aim,
  /** @param times how many times the cards */
  startMs: (times = 1): Aim => ({ most: times > 4 ? 4000 : 1200 }),
  /** At 80 % of the highest rate, for a minute. */
  worstMs: { most: 15 } as Aim,
  /** p99.9 through the limit's at the same rate. */
  p999ToLimit: { most: 1.2 } as Aim,
  /** CPU a request with two threads through that with one, divided by the same of the limit. */
  threadsToLimit: { most: 1.05 } as Aim,
  /** Requests a second through those of a service that is not watched. */
  metricsToNone: { least: 0.98 } as Aim,
  logSampledToNone: { least: 0.97 } as Aim,
  logToNone: { least: 0.6 } as Aim,
}

export const isMissed = (aim: Aim, value: number): boolean =>
  'least' in aim ? !(value >= aim.least) : !(value <= aim.most)

/** A cell that tells the aim and whether it is missed. @param doubt of the figure: with `†` it counts neither way */
export function reported(aim: Aim | undefined, value: number, doubt: Doubt = ''): string {
  if (aim === undefined) return '–'
  const text = 'least' in aim ? `≥ ${aim.least}` : `≤ ${aim.most}`
  if (doubt === ' †') return `${text} †`
  return isMissed(aim, value) ? `${text} MISSED` : text
}
