/**
 * Sessions: who has signed in on the pages. A session ends 12 hours after the last page, 7 days after it began, when its
 * person signs out, or when the operator ends all of an account's.
 */
import { sessionIdleMsMax, sessionMsMax, sessionNoteMs } from '../limits.ts'
import type { Account, Session } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { makeToken } from './tokens.ts'

/** A session that has not ended. */
export interface FoundSession {
  readonly account: Account
  /** By which it is told from the account's others; as hex. */
  readonly id: string
  /** What the cookie holds: a secret. */
  readonly token: string
}

/** The token of a new one, for the person's cookie. Within a change. */
export function startSession(store: Store, account: number, now: number): string {
  const { token, hash } = makeToken()
  store.putSession(hash, { account, startedAt: now, lastPageAt: now })
  return token
}

/** ms since 1970. The last page is noted in steps, and a session is never shorter by them. */
const sessionEnd = ({ startedAt, lastPageAt }: Session): number =>
  Math.min(startedAt + sessionMsMax, lastPageAt + sessionIdleMsMax + sessionNoteMs)

export const hasEnded = (session: Session, now: number): boolean => now >= sessionEnd(session)

/** Sessions that have not ended had their last page, and began, after these times. */
export const liveSince = (now: number): readonly [lastPageAfter: number, startedAfter: number] => [
  now - sessionIdleMsMax - sessionNoteMs,
  now - sessionMsMax,
]
