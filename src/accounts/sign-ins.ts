/** Sign-in links and sessions, wherever they are kept: in the store alone, or where all servers find them. */
import type { Store } from '../store/store.ts'
import { accountNamed } from './registry.ts'
import { endSession, endSessionsOf, type FoundSession, findSession } from './sessions.ts'
import type { SignedIn } from './sign-in.ts'
import {
  endSignInLinks,
  type FoundLink,
  findSignInLink,
  makeSignInLink,
  type NewSignInLink,
  useSignInLink,
} from './sign-in.ts'

/** Each rejects with an AccountsError, a StoreError where they can't be asked for now. */
export interface SignIns {
  /** For an account that there is. */
  makeLink(accountName: string, now: number): Promise<NewSignInLink>
  /** What has become of the link with that token; undefined if there is none. */
  findLink(token: string, now: number): Promise<FoundLink | undefined>
  /** Uses the link up: the token of a new session, or what was found instead. Of several at once, one gets it. */
  useLink(token: string, now: number): Promise<SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined>
  /** The session of a cookie's token, undefined if there is none or it has ended. @param isPage as in sessions.ts */
  findSession(token: string, now: number, isPage: boolean): Promise<FoundSession | undefined>
  /** Ends one; that it has ended already changes nothing. */
  endSession(token: string): Promise<void>
  /** Ends all sessions of an account that there is, and its links that are not used yet. Returns how many sessions there were. */
  signOut(accountName: string, now: number): Promise<number>
}

/** Those of one server, in its store. */
export class OwnSignIns implements SignIns {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async makeLink(accountName: string, now: number): Promise<NewSignInLink> {
    return makeSignInLink(this.#store, accountName, now)
  }

  async findLink(token: string, now: number): Promise<FoundLink | undefined> {
    return findSignInLink(this.#store, token, now)
  }

  async useLink(token: string, now: number): Promise<SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined> {
    return useSignInLink(this.#store, token, now)
  }

  async findSession(token: string, now: number, isPage: boolean): Promise<FoundSession | undefined> {
    return findSession(this.#store, token, now, isPage)
  }

  async endSession(token: string): Promise<void> {
    endSession(this.#store, token)
  }

  async signOut(accountName: string, now: number): Promise<number> {
    return this.#store.write(() => {
      const { number } = accountNamed(this.#store, accountName)
      endSignInLinks(this.#store, number, now)
      return endSessionsOf(this.#store, number, now)
    })
  }
}
