/**
 * Sessions: who has signed in on the pages. A session ends 12 hours after the last page, 7 days after it began, when its
 * person signs out, or when the operator ends all of an account's.
 */
import { sessionIdleMsMax, sessionMsMax, sessionNoteMs } from '../limits.ts'
import type { Account, Session } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { hashOfToken, makeToken } from './tokens.ts'

/** A session that has not ended. */
export interface FoundSession {
  readonly account: Account
  /** By which it is told from the account's others; as hex. */
  readonly id: string
  /** What the cookie holds: a secret. */
  readonly token: string
}

/** The token of a new one, for the person's cookie. Within a write. */
export function startSession(store: Store, account: number, now: number): string {
  const { token, hash } = makeToken()
  store.people.sessions.putSync(hash, [account, now, now])
  return token
}

/** ms since 1970. The last page is noted in steps, and a session is never shorter by them. */
export const sessionEnd = ([, startedAt, lastPageAt]: Session): number =>
  Math.min(startedAt + sessionMsMax, lastPageAt + sessionIdleMsMax + sessionNoteMs)

/**
 * The session of a cookie's token, undefined if there is none or it has ended.
 * @param isPage whether its person has opened a page, by which it lasts longer
 */
export function findSession(store: Store, token: string, now: number, isPage: boolean): FoundSession | undefined {
  const hash = hashOfToken(token)
  const session = hash && store.people.session(hash)
  if (hash === undefined || session === undefined || now >= sessionEnd(session)) return undefined
  const [account, startedAt, lastPageAt] = session
  if (isPage && now - lastPageAt >= sessionNoteMs) notePage(store, hash, [account, startedAt, now])
  return { account: store.account(account), id: hash.toString('hex'), token }
}

/** A session that was ended meanwhile stays ended. */
function notePage(store: Store, hash: Buffer, session: Session): void {
  const { people } = store
  store.write(() => {
    if (people.session(hash) !== undefined) people.sessions.putSync(hash, session)
  })
}

/** Ends one; that it has ended already changes nothing. */
export function endSession(store: Store, token: string): void {
  const hash = hashOfToken(token)
  if (hash === undefined) return
  const { sessions } = store.people
  store.write(() => sessions.removeSync(hash))
}

/** Ends all of an account's. Returns how many there were. Within a write. */
export function endSessionsOf({ people: { sessions } }: Store, account: number, now: number): number {
  const found = [...sessions.getRange({})].filter(({ value }) => value[0] === account)
  for (const { key } of found) sessions.removeSync(key)
  return found.filter(({ value }) => now < sessionEnd(value)).length
}
