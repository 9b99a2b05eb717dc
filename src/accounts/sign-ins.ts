/**
 * Sign-in links and sessions. An operator creates a link and gives it to a person, who opens it and presses a button.
 *
 *   good ─ 15 minutes ──────▶ old        `used` and `old` are final; both differ from a link that never existed
 *     └─── button, sign-out ▶ used
 *
 * A session ends 12 hours after its last page, 7 days after it began, when the person signs out, or when the operator ends all
 * sessions of the account. Links and cookies hold random tokens; the store has only their hashes, as of keys.
 *
 * Servers that share accounts share links and sessions, so each call first brings the replica up to date.
 */
import { randomBytes } from 'node:crypto'
import { sessionIdleMsMax, sessionMsMax, sessionNoteMs, signInLinkMsMax } from '../limits.ts'
import type { Store } from '../store/store.ts'
import type { Account, Session } from '../store/store-records.ts'
import { hashOf } from './keys.ts'
import { accountNamed } from './registry.ts'
import type { Replication } from './replication/replication.ts'

export interface NewSignInLink {
  readonly account: string
  /** The last part of the link, a secret. */
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
  /** Hexadecimal; distinguishes the account's sessions. */
  readonly id: string
  /** The value of the cookie, a secret. */
  readonly token: string
}

/** Returns the token for the person's cookie. Call it within a change. */
export function startSession(store: Store, account: number, now: number): string {
  const { token, hash } = makeToken()
  store.putSession(hash, { account, startedAt: now, lastPageAt: now })
  return token
}

/**
 * A live session had its last page, and began, after these times. The store learns of pages once a minute; that never shortens a
 * session.
 */
export const liveSince = (now: number): readonly [lastPageAfter: number, startedAfter: number] => [
  now - sessionIdleMsMax - sessionNoteMs,
  now - sessionMsMax,
]

function hasEnded({ startedAt, lastPageAt }: Session, now: number): boolean {
  const [lastPageAfter, startedAfter] = liveSince(now)
  return lastPageAt <= lastPageAfter || startedAt <= startedAfter
}

const randomBytesOfToken = 32
const shape = /^[\w-]{43}$/

/** A token is 43 characters of Base64url. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(randomBytesOfToken).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Undefined if the text has not the form of a token. */
export const hashOfToken = (text: string): Buffer | undefined => (shape.test(text) ? hashOf(text) : undefined)

/** Each method rejects with an AccountsError, which is a StoreError if the accounts' store can't be asked. */
export class SignIns {
  readonly #store: Store
  readonly #replication: Replication

  constructor(store: Store, replication: Replication) {
    this.#store = store
    this.#replication = replication
  }

  /** Rejects if there is no such account. */
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

  /** Undefined if there is no link with that token. */
  async findLink(token: string, now: number): Promise<FoundLink | undefined> {
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#replication.refresh()
    return this.#findLink(hash, now)
  }

  /** Uses the link and starts a session, or returns why it can't. If several requests use a link at once, one succeeds. */
  async useLink(token: string, now: number): Promise<SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined> {
    const store = this.#store
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    return this.#change(() => {
      const found = this.#findLink(hash, now)
      if (found?.state !== 'good') return found
      const { account } = found
      store.putSignInLink(hash, { ...store.signInLink(hash)!, usedAt: now })
      store.as(`page ${account.name}`, () => store.record({ action: 'sign-in link used', account }, now))
      return { account, session: startSession(store, account.number, now) }
    })
  }

  /**
   * Returns the session of a cookie's token, or undefined if there is none or it has ended.
   * @param isPage whether the request is for a page, which prolongs the session
   */
  async findSession(token: string, now: number, isPage: boolean): Promise<FoundSession | undefined> {
    const store = this.#store
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#replication.refresh()
    const session = store.session(hash)
    if (session === undefined || hasEnded(session, now)) return undefined
    const account = store.account(session.account)
    if (account.deletedAt !== null) return undefined
    if (isPage && now - session.lastPageAt >= sessionNoteMs) {
      // It may have been ended meanwhile.
      await this.#change(() => {
        if (store.session(hash) !== undefined) store.putSession(hash, { ...session, lastPageAt: now })
      })
    }
    return { account, id: hash.toString('hex'), token }
  }

  /** Does nothing if it has ended already. */
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

  /** Ends all sessions of an account, and its unused links. Returns the number of sessions. */
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

  #findLink(hash: Buffer, now: number): FoundLink | undefined {
    const link = this.#store.signInLink(hash)
    if (link === undefined) return undefined
    if (link.usedAt !== null) return { state: 'used' }
    if (now >= link.expiresAt) return { state: 'old' }
    return { state: 'good', account: this.#store.account(link.account) }
  }

  #change<T>(action: () => T): Promise<T> {
    return this.#replication.change(() => this.#store.change(action))
  }
}
