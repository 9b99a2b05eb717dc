/** What operators do to accounts and keys: each function is one change of the store, or none if it throws. */
import { accountNameCharsMax, accountsMax, keysMax, keysPerAccountMax } from '../limits.ts'
import type { PlanName } from '../plans.ts'
import { AccountsError, Refusal } from '../store/accounts-error.ts'
import type { Account, KeyRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { isForgotten } from './ended-keys.ts'
import type { Feed } from './feed/feed.ts'
import { makeKey, randomBase62 } from './keys.ts'

/** A key just made: the only time that its text is known. */
export interface IssuedKey {
  readonly account: string
  readonly plan: PlanName
  readonly keyId: string
  readonly key: string
}

export interface ListedKey extends KeyRecord {
  readonly keyId: string
  /** ms since 1970, or null */
  readonly lastUsedAt: number | null
}

export interface ListedAccount {
  readonly account: string
  readonly plan: PlanName
  /** Live ones. */
  readonly keys: number
  readonly usedToday: number
}

/** A new account with its first key. Throws AccountsError if the name, or one like it, is taken, or it can't be one. */
export function createAccount(store: Store, name: string, plan: PlanName, now: number): IssuedKey {
  checkName('an account', name)
  return store.change(() => {
    const known = store.accountLike(name)
    if (known !== undefined) throw new Refusal(`there is an account ${known.name} already`)
    return issueKey(store, addAccount(store, composed(name), plan, now), 'default', null, now)
  })
}

/** An account without keys, within a change. Throws AccountsError. */
export function addAccount(store: Store, name: string, plan: PlanName, createdAt: number): Account {
  checkName('an account', name)
  if (store.accountNumber(name) !== undefined) throw new Refusal(`there is an account ${name} already`)
  const number = store.takeNumber('nextAccount')
  if (number >= accountsMax) throw new AccountsError(`there are ${accountsMax} accounts, the most that a store holds`)
  const account = { number, name, plan, createdAt }
  store.putAccount(account)
  return account
}

/** Letters and their accents as one: nobody can tell such names apart. */
const composed = (name: string): string => name.normalize('NFC')

/** Throws AccountsError if there is no such account. */
export function accountNamed(store: Store, name: string): Account {
  const number = store.accountNumber(name)
  if (number !== undefined) return store.account(number)
  const like = store.accountLike(name)
  if (like === undefined) throw new Refusal(`there is no account ${name}`)
  if (composed(like.name) === composed(name)) return like
  throw new Refusal(`there is no account ${name}, but there is ${like.name}`)
}

export function setPlan(store: Store, name: string, plan: PlanName): void {
  store.change(() => {
    const account = accountNamed(store, name)
    store.putAccount({ ...account, plan })
  })
}

/**
 * A further key. Throws AccountsError if the account has its ten live keys already.
 * @param expiresAt ms since 1970, or null: never
 */
export function createKey(
  store: Store,
  accountName: string,
  keyName: string,
  expiresAt: number | null,
  now: number,
): IssuedKey {
  checkName('a key', keyName)
  return store.change(() => issueKey(store, accountNamed(store, accountName), keyName, expiresAt, now))
}

function issueKey(store: Store, account: Account, name: string, expiresAt: number | null, now: number): IssuedKey {
  const { key, prefix, hash } = makeKey()
  const keyId = freeKeyId(store)
  addKey(
    store,
    account,
    keyId,
    { name, prefix, hash: hash.toString('hex'), createdAt: now, expiresAt, revokedAt: null },
    now,
  )
  return { account: account.name, plan: account.plan, keyId, key }
}

/** A key of which all but its number is known, within a change. Throws AccountsError. */
export function addKey(
  store: Store,
  account: Account,
  keyId: string,
  record: Omit<KeyRecord, 'number' | 'account'>,
  now: number,
): void {
  if (isLive(record, now) && liveKeys(store, account.number, now) >= keysPerAccountMax) {
    throw new Refusal(`the account ${account.name} has ${keysPerAccountMax} live keys: revoke one first`)
  }
  const number = store.takeNumber('nextKey')
  if (number >= keysMax) throw new AccountsError(`${keysMax} keys have been made, the most that a store numbers`)
  store.putKey(keyId, { number, account: account.number, ...record })
}

/** A new secret under the same id, name and expiry. Throws AccountsError if the key is unknown, revoked or expired. */
export function regenerateKey(store: Store, keyId: string, now: number): IssuedKey {
  return store.change(() => {
    const record = keyWithId(store, keyId)
    if (record.revokedAt !== null) throw new Refusal(`the key ${keyId} is revoked: create a new one`)
    if (!isLive(record, now)) throw new Refusal(`the key ${keyId} has expired: create a new one`)
    const { key, prefix, hash } = makeKey()
    store.putKey(keyId, { ...record, prefix, hash: hash.toString('hex') })
    const account = store.account(record.account)
    return { account: account.name, plan: account.plan, keyId, key }
  })
}

/** Revoking once more changes nothing. Throws AccountsError if there is no such key. */
export function revokeKey(store: Store, keyId: string, now: number): { account: string; revokedAt: number } {
  return store.change(() => {
    const record = keyWithId(store, keyId)
    const revokedAt = record.revokedAt ?? now
    store.putKey(keyId, { ...record, revokedAt })
    return { account: store.account(record.account).name, revokedAt }
  })
}

/** Another name for a key. Throws AccountsError if it can't be one, or the key is unknown or revoked. */
export function renameKey(store: Store, keyId: string, name: string): void {
  checkName('a key', name)
  store.change(() => {
    const record = keyWithId(store, keyId)
    if (record.revokedAt !== null) throw new Refusal(`the key ${keyId} is revoked`)
    store.putKey(keyId, { ...record, name })
  })
}

function keyWithId(store: Store, keyId: string): KeyRecord {
  const record = store.key(keyId)
  if (record === undefined) throw new Refusal(`there is no key ${keyId}`)
  return record
}

/** All keys of an account in order of creation, those that were revoked or expired in the last 90 days too. */
export function listKeys(store: Store, account: number, now = Date.now()): ListedKey[] {
  const keys: ListedKey[] = []
  for (const keyId of store.keyIdsOf(account)) {
    const record = store.knownKey(keyId)
    if (isForgotten(record, now)) continue
    const seconds = store.lastUse(record.number)
    keys.push({ keyId, ...record, lastUsedAt: seconds === undefined ? null : seconds * 1000 })
  }
  return keys
}

/** All accounts in order of creation. @param others what other servers answered today, by account */
export function listAccounts(store: Store, today: number, now: number, others?: ArrayLike<number>): ListedAccount[] {
  const found: ListedAccount[] = []
  for (const account of store.allAccounts()) {
    found.push({
      account: account.name,
      plan: account.plan,
      keys: liveKeys(store, account.number, now),
      usedToday: store.usedOn(today, account.number) + (others?.[account.number] ?? 0),
    })
  }
  return found
}

const liveKeys = (store: Store, account: number, now: number) =>
  listKeys(store, account, now).filter((key) => isLive(key, now)).length

/** Whether requests with the key are let in. */
export const isLive = (key: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>, now: number) =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)

/** Random, so that ids tell nothing of how many keys there are. */
function freeKeyId(store: Store): string {
  for (;;) {
    const keyId = `key_${randomBase62(10)}`
    if (store.key(keyId) === undefined) return keyId
  }
}

/** Throws AccountsError unless the text can name an account or a key: it is shown in terminals and typed in shells. */
export function checkName(what: 'an account' | 'a key', name: string): void {
  const wrong =
    name.length < 1 || name.length > accountNameCharsMax
      ? `is 1 to ${accountNameCharsMax} characters long`
      : /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)
        ? 'holds no control characters'
        : /^[-\s]|\s$/.test(name)
          ? 'begins with no blank or hyphen and ends with no blank'
          : undefined
  if (wrong !== undefined) throw new Refusal(`the name of ${what} ${wrong}`)
}

/** Of the account that a first start makes. */
export const demoName = 'demo'

/**
 * For the very first start: the account `demo` on the Business plan, with its key; undefined if any account was ever
 * made. Rejects with an AccountsError if that can't be stored now.
 */
export function createDemoAccount(store: Store, feed: Feed): Promise<IssuedKey | undefined> {
  return feed.change(() =>
    store.counter('nextAccount') === 0 ? createAccount(store, demoName, 'business', Date.now()) : undefined,
  )
}
