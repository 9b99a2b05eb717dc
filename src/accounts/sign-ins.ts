/**
 * Sign-in links and sessions. An operator creates a link and gives it to a person, who opens it and presses a button.
 *
 *   good ─ 15 minutes ──────▶ old        `used` and `old` are final. A link that never existed has no state
 *     └─── button, sign-out ▶ used
 *
 * A session ends 12 hours after its last page, 7 days after it began, when the person signs out, or when the operator ends all
 * sessions of the account. Links and cookies hold random tokens; the store has only their hashes, as of keys.
 *
 * The operator's own links and sessions are for the operator's pages. They belong to no account, and end earlier: 1 hour after the
 * last page, 12 hours after the session began. An account's link or session is never one of the operator's, nor the other way round.
 *
 * Servers that share accounts share links and sessions, so each call first brings the replica up to date.
 */
import { randomBytes } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { type Account, type AuditAction, operatorNumber, type Session } from '../store/store-records.ts'
import { hashOf } from './keys.ts'
import { accountNamed } from './registry.ts'
import type { Replication } from './replication/replication.ts'

export const signInLinkMsMax = 15 * 60_000
/** A session ends this long after the last page, */
export const sessionIdleMsMax = 12 * 3_600_000
/** and in any case this long after signing in. */
export const sessionMsMax = 7 * 86_400_000
/** The same of the operator's sessions. */
export const operatorIdleMsMax = 3_600_000
export const operatorSessionMsMax = 12 * 3_600_000
/** How often the time of a session's last page is stored; sessions are never shorter because of it. */
export const sessionNoteMs = 60_000

/** Who makes a change on the operator's pages, for the audit log. */
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

/** Returns the token for the person's cookie. Call it within a change. @param account its number, or `operatorNumber` */
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
 * A live session had its last page, and began, after these times. The store learns of pages once a minute; that never shortens a
 * session.
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

/** A token is 43 characters of Base64url. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(randomBytesOfToken).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Undefined if the text has not the form of a token. */
export const hashOfToken = (text: string): Buffer | undefined => (shape.test(text) ? hashOf(text) : undefined)

/**
 * Links and sessions of one kind. Each method rejects with an AccountsError, which is a StoreError if the accounts' store can't be
 * asked. `Holder` is what is known of those who sign in.
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

  /** Undefined if links and sessions with this number are of the other kind. @param number of a link or session */
  protected abstract holderOf(number: number): Holder | undefined
  /** Records it as done by who holds it. */
  protected abstract record(action: AuditAction, holder: Holder, now?: number, detail?: string): void
  protected abstract isDeleted(holder: Holder): boolean

  /** Undefined if there is no link with that token. */
  async findLink(token: string, now: number): Promise<({ readonly state: 'good' } & Holder) | EndedLink | undefined> {
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    await this.#replication.refresh()
    return this.#findLink(hash, now)
  }

  /**
   * Uses the link and starts a session, whose token it returns for the person's cookie; or returns why it can't. If several requests
   * use a link at once, one succeeds.
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
   * @param isPage whether the request is for a page, which prolongs the session
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
      // It may have been ended meanwhile.
      await this.change(() => {
        if (store.session(hash) !== undefined) store.putSession(hash, { ...session, lastPageAt: now })
      })
    }
    return { ...holder, id: hash.toString('hex'), token }
  }

  /** Does nothing if it has ended already. */
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

  /** Call it within a change. */
  protected putLink(account: number, now: number): NewLink {
    const { token, hash } = makeToken()
    const expiresAt = now + signInLinkMsMax
    this.store.putSignInLink(hash, { account, expiresAt, usedAt: null })
    return { token, expiresAt }
  }

  /** Ends all sessions, and unused links. Returns the number of live sessions. Call it within a change. */
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

/** Of the people of accounts. */
export class SignIns extends SignInsOf<{ readonly account: Account }> {
  constructor(store: Store, replication: Replication) {
    super(store, replication, ofAccount)
  }

  /** Rejects if there is no such account. @param actor of the audit log; by default that of a command */
  makeLink(accountName: string, now: number, actor?: string): Promise<NewSignInLink> {
    const make = () => {
      const account = accountNamed(this.store, accountName)
      const link = this.putLink(account.number, now)
      this.store.record({ action: 'sign-in link created', account }, now)
      return { account: account.name, ...link }
    }
    return this.change(() => (actor === undefined ? make() : this.store.as(actor, make)))
  }

  /** Ends all sessions of an account, and its unused links. Returns the number of sessions. */
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
    this.store.as(`page ${account.name}`, () => this.store.record({ action, account, detail }, now))
  }
}

interface Operator {
  readonly isOperator: true
}

/** Of the operator. */
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

  /** Ends all sessions of the operator, and unused links. Returns the number of sessions. */
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

/** In an entry of the audit log that no account has. */
const operatorDetail = 'operator'
