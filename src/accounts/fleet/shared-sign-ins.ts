/** Sign-in links and sessions that all servers find, in the accounts' store alone. */
import { sessionNoteMs, signInLinkKeptMs, signInLinkMsMax } from '../../limits.ts'
import { type Account, isSession, isSignInLink, type Session, type SignInLink } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { FeedConnection } from '../feed/connection.ts'
import { accountNamed } from '../registry.ts'
import { type FoundSession, sessionEnd } from '../sessions.ts'
import type { FoundLink, NewSignInLink, SignedIn } from '../sign-in.ts'
import type { SignIns } from '../sign-ins.ts'
import { hashOfToken, makeToken } from '../tokens.ts'
import { copiedId, nameIn, storeName } from './same-store.ts'
import { defineSignInScripts } from './sign-in-scripts.ts'

export class SharedSignIns implements SignIns {
  readonly #connection: FeedConnection
  readonly #store: Store

  constructor(connection: FeedConnection, store: Store) {
    this.#connection = connection
    this.#store = store
    defineSignInScripts(connection.redis)
  }

  async makeLink(accountName: string, now: number): Promise<NewSignInLink> {
    const { number, name } = accountNamed(this.#store, accountName)
    const { token, hash } = makeToken()
    const expiresAt = now + signInLinkMsMax
    const id = this.#id()
    const keys = [storeName, linkName(id, hash), linksName(id, number)]
    const values = [
      `${number} ${expiresAt} 0`,
      signInLinkMsMax + signInLinkKeptMs,
      hash.toString('hex'),
      expiresAt,
      now,
    ]
    await this.#connection.ask((redis) => redis.putLink(3, ...keys, id, ...values))
    return { account: name, token, expiresAt }
  }

  async findLink(token: string, now: number): Promise<FoundLink | undefined> {
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    const id = this.#id()
    const found = await this.#connection.ask((redis) => redis.readRecord(2, storeName, linkName(id, hash), id, ''))
    return this.#foundLink(found, now)
  }

  async useLink(token: string, now: number): Promise<SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined> {
    // A copy that is behind may lack the account: then the link is still good afterwards.
    const before = await this.findLink(token, now)
    if (before?.state !== 'good') return before
    const session = makeToken()
    const hash = session.hash.toString('hex')
    const end = sessionEnd([before.account.number, now, now])
    const id = this.#id()
    const keys = [storeName, linkName(id, hashOfToken(token)!), sessionsName(id)]
    const [found, isUsed] = await this.#connection.ask((redis) => redis.useLink(3, ...keys, id, now, hash, end))
    if (isUsed === 1) return { account: before.account, session: session.token }
    const other = this.#foundLink(found, now)
    return other?.state === 'good' ? undefined : other
  }

  async findSession(token: string, now: number, isPage: boolean): Promise<FoundSession | undefined> {
    const hash = hashOfToken(token)
    if (hash === undefined) return undefined
    const id = this.#id()
    const found = await this.#connection.ask((redis) => redis.readRecord(2, storeName, sessionName(id, hash), id, ''))
    const session = numbersIn(found) as Session | undefined
    if (session === undefined || !isSession(session) || now >= sessionEnd(session)) return undefined
    const [account, startedAt, lastPageAt] = session
    if (isPage && now - lastPageAt >= sessionNoteMs) await this.#notePage(id, hash, [account, startedAt, now])
    return { account: this.#account(account), id: hash.toString('hex'), token }
  }

  async endSession(token: string): Promise<void> {
    const hash = hashOfToken(token)
    if (hash === undefined) return
    const id = this.#id()
    const keys = [storeName, sessionName(id, hash), sessionsName(id)]
    await this.#connection.ask((redis) => redis.endSession(3, ...keys, id, hash.toString('hex')))
  }

  async signOut(accountName: string, now: number): Promise<number> {
    const { number } = accountNamed(this.#store, accountName)
    const id = this.#id()
    const keys = [storeName, `${sessionsName(id)}:${number}`, sessionsName(id), linksName(id, number)]
    return this.#connection.ask((redis) => redis.signOut(4, ...keys, id, now))
  }

  /** Those of all accounts. */
  async count(now: number): Promise<number> {
    const id = this.#id()
    return this.#connection.ask((redis) => redis.countSessions(2, storeName, sessionsName(id), id, now))
  }

  /** A session that was ended meanwhile stays ended. */
  async #notePage(id: string, hash: Buffer, session: Session): Promise<void> {
    const all = sessionsName(id)
    const keys = [storeName, sessionName(id, hash), all, `${all}:${session[0]}`]
    const values = [hash.toString('hex'), session.join(' '), sessionEnd(session), session[2]]
    await this.#connection.ask((redis) => redis.prolongSession(4, ...keys, id, ...values))
  }

  #foundLink(text: string | null, now: number): FoundLink | undefined {
    const link = numbersIn(text) as SignInLink | undefined
    if (link === undefined || !isSignInLink(link)) return undefined
    const [account, expiresAt, usedAt] = link
    if (usedAt !== 0) return { state: 'used' }
    return now < expiresAt ? { state: 'good', account: this.#account(account) } : { state: 'old' }
  }

  /** One that this copy lacks was made a moment ago. */
  #account(number: number): Account {
    if (number >= this.#store.counter('nextAccount')) throw this.#connection.away
    return this.#store.account(number)
  }

  #id(): string {
    return copiedId(this.#store, this.#connection)
  }
}

const linkName = (id: string, hash: Buffer) => nameIn(id, `link:${hash.toString('hex')}`)
const linksName = (id: string, account: number) => nameIn(id, `links:${account}`)
const sessionName = (id: string, hash: Buffer) => nameIn(id, `session:${hash.toString('hex')}`)
const sessionsName = (id: string) => nameIn(id, 'sessions')

const numbersIn = (text: string | null): readonly number[] | undefined => text?.split(' ').map(Number)
