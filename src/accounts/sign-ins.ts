/**
 * Sign-in links and sessions. An operator has a link made and gives it to a person, who uses it up by a button.
 *
 *   made ─ 15 minutes ──────▶ old        used is used, old is old; both can be told from a link that never was
 *     └─── button, sign-out ▶ used
 *
 * A session ends 12 hours after the last page, 7 days after it began, when its person signs out, or when the operator ends all
 * of an account's. Links and cookies hold random tokens, of which the store has the hash alone, as of keys.
 *
 * Where servers share accounts they share these too: each call first brings the copy to the present.
 */
import { randomBytes } from 'node:crypto'
import { sessionIdleMsMax, sessionMsMax, sessionNoteMs, signInLinkMsMax } from '../limits.ts'
import type { Account, Session } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { hashOf } from './keys.ts'
import { accountNamed } from './registry.ts'
import type { Replication } from './replication/replication.ts'

export interface NewSignInLink {
  readonly account: string
  /** The end of the link, a secret. */
  readonly token: string
  /** ms since 1970 */
  readonly expiresAt: number
}

/** The token of a new session, for the person's cookie. */
export interface SignedIn {
  readonly account: Account
  readonly session: string
}

export type FoundLink = { readonly state: 'good'; readonly account: Account } | { readonly state: 'used' | 'old' }

export interface FoundSession {
  readonly account: Account
  /** By which it is told from the account's others; as hex. */
  readonly id: string
  /** The value of the cookie, a secret. */
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

const hasEnded = (session: Session, now: number): boolean => now >= sessionEnd(session)

/** Sessions that have not ended had their last page, and began, after these times. */
export const liveSince = (now: number): readonly [lastPageAfter: number, startedAfter: number] => [
  now - sessionIdleMsMax - sessionNoteMs,
  now - sessionMsMax,
]

const randomBytesOfToken = 32
const shape = /^[\w-]{43}$/

/** A token is 43 characters of Base64url. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(randomBytesOfToken).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Its hash; undefined if the text can be no token, whatever its length. */
export const hashOfToken = (text: string): Buffer | undefined => (shape.test(text) ? hashOf(text) : undefined)

/** Each method rejects with an AccountsError: a StoreError where shared accounts can't be asked for now. */
export class SignIns {
  readonly #store: Store
  readonly #feed: Replication

  constructor(store: Store, feed: Replication) {
    this.#store = store
    this.#feed = feed
  }

  /** For an account that there is. */
  makeLink(accountName: string, now: number): Promise<NewSignInLink> {
    const store = this.#store
    const { token, hash } = makeToken()
    const expiresAt = now + signInLinkMsMax
    return this.#change(() => {
      const account = accountNamed(store, accountName)
      store.putSignInLink(hash, { account: account.number, expiresAt, usedAt: null })
      store.record({ action: 'sign-in link created', account }, now)
      return { account: account.name, token, expiresAt }
    })
  }

  /** The state of the link with that token; undefined if there is none. */
  async findLink(token: string, now: number): Promise<FoundLink | undefined> {
    if (hashOfToken(token) === undefined) return undefined
    await this.#feed.refresh()
    return this.#findLink(token, now)
  }

  /** Uses the link up: the token of a new session, or what was found instead. Of several at once, one gets it. */
  async useLink(token: string, now: number): Promise<SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined> {
    const store = this.#store
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    return this.#change(() => {
      const found = this.#findLink(token, now)
      if (found?.state !== 'good') return found
      const { account } = found
      store.putSignInLink(hash, { ...store.signInLink(hash)!, usedAt: now })
      store.as(`page ${account.name}`, () => store.record({ action: 'sign-in link used', account }, now))
      return { account, session: startSession(store, account.number, now) }
    })
  }

  /**
   * The session of a cookie's token, undefined if there is none or it has ended.
   * @param isPage whether its person has opened a page, by which it lasts longer
   */
  async findSession(token: string, now: number, isPage: boolean): Promise<FoundSession | undefined> {
    const store = this.#store
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#feed.refresh()
    const session = store.session(hash)
    if (session === undefined || hasEnded(session, now)) return undefined
    const account = store.account(session.account)
    if (account.deletedAt !== null) return undefined
    if (isPage && now - session.lastPageAt >= sessionNoteMs) {
      // A session that was ended meanwhile stays ended.
      await this.#change(() => {
        if (store.session(hash) !== undefined) store.putSession(hash, { ...session, lastPageAt: now })
      })
    }
    return { account, id: hash.toString('hex'), token }
  }

  /** Ends one; that it has ended already changes nothing. */
  async endSession(token: string): Promise<void> {
    const store = this.#store
    const hash = hashOfToken(token)
    if (hash === undefined) return
    await this.#change(() => {
      const session = store.session(hash)
      if (session === undefined) return
      const account = store.account(session.account)
      store.removeSession(hash)
      store.as(`page ${account.name}`, () => store.record({ action: 'sessions ended', account, detail: '1' }))
    })
  }

  /** Ends all sessions of an account that there is, and its links that are not used yet. Returns how many sessions there were. */
  signOut(accountName: string, now: number): Promise<number> {
    const store = this.#store
    return this.#change(() => {
      const account = accountNamed(store, accountName)
      store.endSignInLinks(account.number, now)
      const ended = store.removeSessionsOf(account.number, ...liveSince(now))
      store.record({ action: 'sessions ended', account, detail: String(ended) }, now)
      return ended
    })
  }

  #findLink(token: string, now: number): FoundLink | undefined {
    const link = this.#store.signInLink(hashOfToken(token)!)
    if (link === undefined) return undefined
    if (link.usedAt !== null) return { state: 'used' }
    if (now >= link.expiresAt) return { state: 'old' }
    return { state: 'good', account: this.#store.account(link.account) }
  }

  #change<T>(action: () => T): Promise<T> {
    return this.#feed.change(() => this.#store.change(action))
  }
}
