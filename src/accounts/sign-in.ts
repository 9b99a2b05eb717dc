/**
 * Sign-in links: an operator has one made and gives it to a person, who uses it up by a button.
 *
 *   made ─ 15 minutes ──────▶ old        used is used, old is old; both can be told from a link that never was
 *     └─── button, sign-out ▶ used
 */
import { signInLinkKeptMs, signInLinkMsMax } from '../limits.ts'
import type { Account } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { accountNamed } from './registry.ts'
import { startSession } from './sessions.ts'
import { hashOfToken, makeToken } from './tokens.ts'

export interface NewSignInLink {
  readonly account: string
  /** What stands at the end of the link: a secret. */
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

/** Throws AccountsError if there is no such account. */
export function makeSignInLink(store: Store, accountName: string, now: number): NewSignInLink {
  const { signInLinks } = store.people
  const { token, hash } = makeToken()
  const expiresAt = now + signInLinkMsMax
  return store.write(() => {
    const account = accountNamed(store, accountName)
    signInLinks.putSync(hash, [account.number, expiresAt, null])
    return { account: account.name, token, expiresAt }
  })
}

/** What has become of the link with that token; undefined if there is none. */
export function findSignInLink(store: Store, token: string, now: number): FoundLink | undefined {
  const hash = hashOfToken(token)
  const link = hash && store.people.signInLink(hash)
  if (link === undefined) return undefined
  const [account, expiresAt, usedAt] = link
  if (usedAt !== null) return { state: 'used' }
  return now < expiresAt ? { state: 'good', account: store.account(account) } : { state: 'old' }
}

/** Uses the link up: the token of a new session, or what was found instead. Of several at once, one gets it. */
export function useSignInLink(
  store: Store,
  token: string,
  now: number,
): SignedIn | Exclude<FoundLink, { state: 'good' }> | undefined {
  const { people } = store
  return store.write(() => {
    const found = findSignInLink(store, token, now)
    if (found?.state !== 'good') return found
    const hash = hashOfToken(token)!
    const [account, expiresAt] = people.signInLink(hash)!
    people.signInLinks.putSync(hash, [account, expiresAt, now])
    return { account: found.account, session: startSession(store, account, now) }
  })
}

/** Uses up all links of an account, without sessions. Within a write. */
export function endSignInLinks({ people: { signInLinks } }: Store, account: number, now: number): void {
  const own = [...signInLinks.getRange({})].filter(({ value }) => value[0] === account)
  for (const { key, value } of own) signInLinks.putSync(key, [account, value[1], now])
}

export const isForgotten = (expiresAt: number, now: number): boolean => now >= expiresAt + signInLinkKeptMs
