/** How long a session lasts, wherever sessions are kept. */
const minute = 60_000
const hour = 60 * minute

export interface SessionCase {
  readonly what: string
  /** When its person opens pages, and when an open page asks for usage by itself: in ms after signing in. */
  readonly pages: readonly number[]
  readonly polls?: readonly number[]
  readonly at: number
  readonly isGood: boolean
}

const every = (ms: number, times: number) => Array.from({ length: times }, (_, i) => (i + 1) * ms)

export const sessionCases: readonly SessionCase[] = [
  { what: 'lasts 12 hours after signing in', pages: [], at: 12 * hour, isGood: true },
  { what: 'ends then', pages: [], at: 12 * hour + minute + 1, isGood: false },
  { what: 'lasts 12 hours after the last page', pages: [11 * hour, 22 * hour], at: 34 * hour, isGood: true },
  { what: 'ends 12 hours after it', pages: [11 * hour, 22 * hour], at: 34 * hour + minute + 1, isGood: false },
  { what: 'lasts at most 7 days', pages: every(8 * hour, 20), at: 7 * 24 * hour - 1, isGood: true },
  { what: 'ends after 7 days though pages are opened', pages: every(8 * hour, 20), at: 7 * 24 * hour, isGood: false },
  { what: 'is not prolonged by what is no page', pages: [], polls: every(hour, 12), at: 13 * hour, isGood: false },
]

/** When it is looked up, in order. */
export const visitsOf = ({ pages, polls = [] }: SessionCase) =>
  [...pages.map((at) => ({ at, isPage: true })), ...polls.map((at) => ({ at, isPage: false }))].sort(
    (a, b) => a.at - b.at,
  )
