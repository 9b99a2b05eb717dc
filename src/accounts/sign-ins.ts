/**
 * Sign-in links and sessions. An operator creates a link and gives it to a person, who opens it and presses a button.
 *
 *   good ─ 15 minutes ──────▶ old        `used` and `old` are final. A link that never existed has no state
 *     └─── button, sign-out ▶ used
 *
 * A session ends 12 hours after its last page, 7 days after it began, when the person signs out, or when the operator
 * ends all sessions of the account. Links and cookies hold random tokens. The store has only hashes of tokens, as it
 * has only hashes of keys.
 *
 * The operator's own links and sessions are for the operator's pages. They belong to no account. These sessions end
 * earlier: 1 hour after the last page, 12 hours after the session began. A link or session of an account never works as
 * the operator's, and the operator's never works as an account's.
 *
 * Servers that share accounts share links and sessions, so each call first brings the replica up to date.
 */
import { randomBytes } from 'node:crypto'
import { pageActor, type Store } from '../store/store.ts'
import { type Account, type AuditAction, operatorNumber, type Session } from '../store/store-records.ts'
import { hashOf } from './keys.ts'
import { accountNamed } from './registry.ts'
import type { Replication } from './replication/replication.ts'

export const signInLinkMsMax = 15 * 60_000
/** A session ends this long after its last page. */
export const sessionIdleMsMax = 12 * 3_600_000
/** Even with pages in between, a session ends this long after it began. */
export const sessionMsMax = 7 * 86_400_000
/** The operator's sessions have the same two bounds, but shorter. */
export const operatorIdleMsMax = 3_600_000
export const operatorSessionMsMax = 12 * 3_600_000
/** How often the time of a session's last page is stored; sessions are never shorter because of it. */
export const sessionNoteMs = 60_000

/** The audit log's actor for changes on the operator's pages. */
export const operatorActor = 'operator page'

export interface NewLink {
  /** The last part of the link, a secret. */
  readonly token: string
  /** ms since 1970 */
  readonly expiresAt: number
}

export interface NewSignInLink extends NewLink {
  readonly account: string
}

/** A link that was used, or is too old. */
export interface EndedLink {
  readonly state: 'used' | 'old'
}

export interface OperatorSession {
  /** Hexadecimal; distinguishes the sessions of an account, or of the operator. */
  readonly id: string
  /** The value of the cookie, a secret. */
  readonly token: string
}

export interface FoundSession extends OperatorSession {
  readonly account: Account
}

/**
 * Returns the token for the person's cookie. Call it within a change.
 * @param account its number, or `operatorNumber`
 */
export function startSession(store: Store, account: number, now: number): string {
  const { token, hash } = makeToken()
  store.putSession(hash, { account, startedAt: now, lastPageAt: now })
  return token
}

interface SessionBounds {
  readonly idleMsMax: number
  readonly sessionMsMax: number
}

const ofAccount: SessionBounds = { idleMsMax: sessionIdleMsMax, sessionMsMax }
const ofOperator: SessionBounds = { idleMsMax: operatorIdleMsMax, sessionMsMax: operatorSessionMsMax }

/**
 * Returns two times: a live session had its last page after the first, and began after the second. The store learns of
 * a session's pages only once a minute. So the first time is a minute earlier, which prolongs a session but never
 * shortens it.
 */
export const liveSince = (
  now: number,
  bounds: SessionBounds = ofAccount,
): readonly [lastPageAfter: number, startedAfter: number] => [
  now - bounds.idleMsMax - sessionNoteMs,
  now - bounds.sessionMsMax,
]

function hasEnded({ startedAt, lastPageAt }: Session, now: number, bounds: SessionBounds): boolean {
  const [lastPageAfter, startedAfter] = liveSince(now, bounds)
  return lastPageAt <= lastPageAfter || startedAt <= startedAfter
}

const randomBytesOfToken = 32
const shape = /^[\w-]{43}$/

/** Makes a token, which is 43 characters of Base64url, and its hash. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(randomBytesOfToken).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Returns the hash of a token; undefined if the text does not have the form of a token. */
export const hashOfToken = (text: string): Buffer | undefined => (shape.test(text) ? hashOf(text) : undefined)

/**
 * Links and sessions of one kind. Each method rejects with an AccountsError, which is a StoreError if the database is
 * unavailable. `Holder` describes who signs in: an account, or the operator.
 */
abstract class SignInsOf<Holder extends object> {
  protected readonly store: Store
  readonly #replication: Replication
  readonly #bounds: SessionBounds

  constructor(store: Store, replication: Replication, bounds: SessionBounds) {
    this.store = store
    this.#replication = replication
    this.#bounds = bounds
  }

  /**
   * Returns the holder of links and sessions with this number; undefined if the number belongs to the other kind of
   * holder.
   * @param number an account's number, or `operatorNumber`
   */
  protected abstract holderOf(number: number): Holder | undefined
  /** Records the action in the audit log, with the holder as its actor. */
  protected abstract record(action: AuditAction, holder: Holder, now?: number, detail?: string): void
  protected abstract isDeleted(holder: Holder): boolean

  /** Returns undefined if there is no link with that token. */
  async findLink(token: string, now: number): Promise<({ readonly state: 'good' } & Holder) | EndedLink | undefined> {
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#replication.refresh()
    return this.#findLink(hash, now)
  }

  /**
   * Uses the link and starts a session. Returns the session's token, for the person's cookie, or the state of a link
   * that has ended. Undefined if there is no such link. If several requests use a link at once, one succeeds.
   */
  async useLink(token: string, now: number): Promise<({ readonly session: string } & Holder) | EndedLink | undefined> {
    const { store } = this
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    return this.change(() => {
      const found = this.#findLink(hash, now)
      if (found?.state !== 'good') return found
      const link = store.signInLink(hash)!
      store.putSignInLink(hash, { ...link, usedAt: now })
      this.record('sign-in link used', found, now)
      return { ...this.holderOf(link.account)!, session: startSession(store, link.account, now) }
    })
  }

  /**
   * Returns the session of a cookie's token, or undefined if there is none or it has ended.
   * @param isPage true if the request is for a page, which prolongs the session
   */
  async findSession(token: string, now: number, isPage: boolean): Promise<(OperatorSession & Holder) | undefined> {
    const { store } = this
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#replication.refresh()
    const session = store.session(hash)
    if (session === undefined || hasEnded(session, now, this.#bounds)) return undefined
    const holder = this.holderOf(session.account)
    if (holder === undefined || this.isDeleted(holder)) return undefined
    if (isPage && now - session.lastPageAt >= sessionNoteMs) {
      // Another request may have ended the session meanwhile.
      await this.change(() => {
        if (store.session(hash) !== undefined) store.putSession(hash, { ...session, lastPageAt: now })
      })
    }
    return { ...holder, id: hash.toString('hex'), token }
  }

  /** Does nothing if the session has ended already. */
  async endSession(token: string): Promise<void> {
    const { store } = this
    const hash = hashOfToken(token)
    if (hash === undefined) return
    await this.change(() => {
      const session = store.session(hash)
      const holder = session && this.holderOf(session.account)
      if (holder === undefined) return
      store.removeSession(hash)
      this.record('sessions ended', holder, undefined, '1')
    })
  }

  /** Creates a link. Call it within a change. */
  protected putLink(account: number, now: number): NewLink {
    const { token, hash } = makeToken()
    const expiresAt = now + signInLinkMsMax
    this.store.putSignInLink(hash, { account, expiresAt, usedAt: null })
    return { token, expiresAt }
  }

  /** Ends all sessions, and all unused links. Returns how many sessions were live. Call it within a change. */
  protected endAll(account: number, now: number): number {
    this.store.endSignInLinks(account, now)
    return this.store.removeSessionsOf(account, ...liveSince(now, this.#bounds))
  }

  protected change<T>(action: () => T): Promise<T> {
    return this.#replication.change(() => this.store.change(action))
  }

  #findLink(hash: Buffer, now: number): ({ readonly state: 'good' } & Holder) | EndedLink | undefined {
    const link = this.store.signInLink(hash)
    const holder = link && this.holderOf(link.account)
    if (link === undefined || holder === undefined) return undefined
    if (link.usedAt !== null) return { state: 'used' }
    if (now >= link.expiresAt) return { state: 'old' }
    return { state: 'good', ...holder }
  }
}

/** Links and sessions of the people of accounts. */
export class SignIns extends SignInsOf<{ readonly account: Account }> {
  constructor(store: Store, replication: Replication) {
    super(store, replication, ofAccount)
  }

  /** Rejects if there is no such account. @param actor the audit log's actor; by default the user of a command */
  makeLink(accountName: string, now: number, actor?: string): Promise<NewSignInLink> {
    const make = () => {
      const account = accountNamed(this.store, accountName)
      const link = this.putLink(account.number, now)
      this.store.record({ action: 'sign-in link created', account }, now)
      return { account: account.name, ...link }
    }
    return this.change(() => (actor === undefined ? make() : this.store.as(actor, make)))
  }

  /** Ends all sessions of an account, and its unused links. Returns how many sessions were live. */
  signOut(accountName: string, now: number): Promise<number> {
    return this.change(() => {
      const account = accountNamed(this.store, accountName)
      const ended = this.endAll(account.number, now)
      this.store.record({ action: 'sessions ended', account, detail: String(ended) }, now)
      return ended
    })
  }

  protected holderOf(number: number) {
    return number === operatorNumber ? undefined : { account: this.store.account(number) }
  }

  protected isDeleted({ account }: { readonly account: Account }): boolean {
    return account.deletedAt !== null
  }

  protected record(
    action: AuditAction,
    { account }: { readonly account: Account },
    now?: number,
    detail?: string,
  ): void {
    this.store.as(pageActor(account.name), () => this.store.record({ action, account, detail }, now))
  }
}

interface Operator {
  readonly isOperator: true
}

/** Links and sessions of the operator. */
export class OperatorSignIns extends SignInsOf<Operator> {
  constructor(store: Store, replication: Replication) {
    super(store, replication, ofOperator)
  }

  makeLink(now: number): Promise<NewLink> {
    return this.change(() => {
      const link = this.putLink(operatorNumber, now)
      this.store.record({ action: 'sign-in link created', detail: operatorDetail }, now)
      return link
    })
  }

  /** Ends all sessions of the operator, and unused links. Returns how many sessions were live. */
  signOut(now: number): Promise<number> {
    return this.change(() => {
      const ended = this.endAll(operatorNumber, now)
      this.store.record({ action: 'sessions ended', detail: `${operatorDetail}, ${ended}` }, now)
      return ended
    })
  }

  protected holderOf(number: number) {
    return number === operatorNumber ? ({ isOperator: true } as const) : undefined
  }

  protected isDeleted(): boolean {
    return false
  }

  protected record(action: AuditAction, _: Operator, now?: number, detail?: string): void {
    const said = detail === undefined ? operatorDetail : `${operatorDetail}, ${detail}`
    this.store.as(operatorActor, () => this.store.record({ action, detail: said }, now))
  }
}

/** The detail of audit entries about the operator's links and sessions. These entries belong to no account. */
const operatorDetail = 'operator'
