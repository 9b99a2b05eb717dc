/**
 * Changes and looks up accounts and keys. A function that changes the store makes its whole change, or none if it
 * throws.
 */
import { dayMs, dayOfMs } from '../calendar.ts'
import {
  accountNameCharsMax,
  accountsMax,
  endedKeyDaysKept,
  keysMax,
  keysPerAccountMax,
  suspensionReasonCharsMax,
} from '../limits.ts'
import type { PlanName } from '../plans.ts'
import { AccountsError, Refusal } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import type { Account, KeyRecord } from '../store/store-records.ts'
import type { Part } from '../store/tables.ts'
import { blockAccounts, blockOf, countsIn } from '../store/usage-block.ts'
import { makeKey, randomBase62 } from './keys.ts'
import type { Replication } from './replication/replication.ts'

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
  readonly keys: number
  readonly usedToday: number
  readonly number: number
  readonly suspended: boolean
  /** ms since 1970 */
  readonly createdAt: number
}

/**
 * Creates an account with its first key. Throws AccountsError if the name is invalid, or if an account has the name or
 * a similar one.
 */
export function createAccount(store: Store, name: string, plan: PlanName, now: number): IssuedKey {
  checkName('an account', name)
  return store.change(() => {
    refuseTaken(store, name)
    const account = addAccount(store, composed(name), plan, now)
    store.putAccountId(account, `acc_${randomBase62(10)}`)
    store.record({ action: 'account created', account, detail: plan }, now)
    return issueKey(store, account, { name: 'default', expiresAt: null }, now)
  })
}

/** Throws Refusal if another account has the name or a similar one. @param own the number of the account itself */
function refuseTaken(store: Store, name: string, own?: number): void {
  const known = store.accountLike(name)
  if (known !== undefined && known.number !== own) throw new Refusal(`the account ${known.name} already exists`)
}

/** Adds an account without keys. Call it within a change. Throws AccountsError. */
export function addAccount(store: Store, name: string, plan: PlanName, createdAt: number): Account {
  checkName('an account', name)
  if (store.accountNumber(name) !== undefined) throw new Refusal(`the account ${name} already exists`)
  const number = store.takeNumber('nextAccount')
  if (number >= accountsMax)
    throw new AccountsError(`there are already ${accountsMax} accounts, the maximum of a store`)
  const account = { number, name, plan, createdAt, suspendedAt: null, suspendedFor: null, deletedAt: null }
  store.putAccount(account)
  // The first plan holds from the day before the creation. A change of plan on the day of creation then gets a row of
  // its own, and does not replace this row.
  store.putPlanDay(number, dayOfMs(createdAt) - 1, plan)
  return account
}

/** Joins letters and their accents into single characters, because a name with separate accents looks the same. */
const composed = (name: string): string => name.normalize('NFC')

/** Returns the account of that name. Throws AccountsError if there is none. */
export function accountNamed(store: Store, name: string): Account {
  const number = store.accountNumber(name)
  if (number !== undefined) return store.account(number)
  const like = store.accountLike(name)
  if (like === undefined) throw new Refusal(`there is no account ${name}`)
  if (composed(like.name) === composed(name)) return like
  throw new Refusal(`there is no account ${name}; did you mean ${like.name}?`)
}

/**
 * Returns the account of that name, or else the last deleted account of that name. Throws AccountsError if there is
 * neither.
 */
export const accountOnceNamed = (store: Store, name: string): Account =>
  (store.accountNumber(name) === undefined ? store.deletedAccount(name) : undefined) ?? accountNamed(store, name)

export function setPlan(store: Store, name: string, plan: PlanName, now = Date.now()): void {
  store.change(() => {
    const account = accountNamed(store, name)
    if (account.plan === plan) return
    store.putAccount({ ...account, plan })
    store.putPlanDay(account.number, dayOfMs(now), plan)
    store.record({ action: 'plan changed', account, detail: `${account.plan} to ${plan}` }, now)
  })
}

/** An account's plan on a day, for bills. */
export interface DayPlan {
  /** The plan at the beginning of the day. */
  readonly plan: PlanName
  /** The plan at the end of the day; absent if it is the plan at the beginning. */
  readonly planChangedTo?: PlanName
}

/** Returns a function that finds an account's plan on a day, for accounts with numbers from `first` to `end` - 1. */
export function plansByDay(store: Store, first: number, end: number): (account: Account, day: number) => DayPlan {
  const found = store.planDays(first, end)
  return ({ number, plan }, day) => {
    const known = found.get(number)
    if (known === undefined) return { plan }
    const before = (known.find(({ fromDay }) => fromDay < day) ?? known.at(-1)!).plan
    const after = known.find(({ fromDay }) => fromDay === day)?.plan ?? before
    return after === before ? { plan: before } : { plan: before, planChangedTo: after }
  }
}

/** @param reason shown to the account's people */
export function suspendAccount(store: Store, name: string, reason: string | undefined, now: number): Account {
  if (reason !== undefined) checkText('a reason', reason, suspensionReasonCharsMax)
  return store.change(() => {
    const account = accountNamed(store, name)
    const suspended = { ...account, suspendedAt: account.suspendedAt ?? now, suspendedFor: reason ?? null }
    store.putAccount(suspended)
    store.record({ action: 'account suspended', account, detail: reason }, now)
    return suspended
  })
}

/** Does nothing if the account is not suspended. */
export function resumeAccount(store: Store, name: string, now: number): void {
  store.change(() => {
    const account = accountNamed(store, name)
    if (account.suspendedAt === null) return
    store.putAccount({ ...account, suspendedAt: null, suspendedFor: null })
    store.record({ action: 'account resumed', account }, now)
  })
}

/** Throws AccountsError if the name is invalid, or if another account has the name or a similar one. */
export function renameAccount(store: Store, name: string, to: string, now: number): void {
  checkName('an account', to)
  store.change(() => {
    const account = accountNamed(store, name)
    refuseTaken(store, to, account.number)
    putName(store, account, composed(to), now)
  })
}

/** Renames an account. An account without an id first gets its old name as its id. Call it within a change. */
export function putName(store: Store, account: Account, name: string, now: number): void {
  store.putAccountId(account, store.accountId(account))
  store.putAccount({ ...account, name })
  store.record({ action: 'account renamed', account, detail: `to ${name}` }, now)
}

/** Ends the account's keys, sessions and links, and keeps its usage for bills. Returns the number of live keys. */
export function deleteAccount(store: Store, name: string, now: number): number {
  return store.change(() => endAccount(store, accountNamed(store, name), now))
}

/** Does the same as `deleteAccount`. Call it within a change. */
export function endAccount(store: Store, account: Account, now: number): number {
  const keys = store.liveKeysOf(account.number, now)
  for (const { keyId, lastUsed: _, ...key } of keys) store.putKey(keyId, { ...key, revokedAt: now })
  store.endSignInLinks(account.number, now)
  store.removeSessionsOf(account.number, 0, 0)
  store.putAccount({ ...account, deletedAt: now })
  store.record({ action: 'account deleted', account }, now)
  return keys.length
}

type NewKeyFields = Pick<KeyRecord, 'name' | 'expiresAt'>

/** Throws AccountsError if the account has ten live keys already. */
export function createKey(store: Store, accountName: string, fields: NewKeyFields, now: number): IssuedKey {
  checkName('a key', fields.name)
  return store.change(() => issueKey(store, accountNamed(store, accountName), fields, now))
}

function issueKey(store: Store, account: Account, fields: NewKeyFields, now: number): IssuedKey {
  const { key, prefix, hash } = makeKey()
  // Ids are random, so that they do not reveal how many keys there are.
  const keyId = `key_${randomBase62(10)}`
  addKey(store, account, { keyId, ...fields, prefix, hash: hash.toString('hex'), createdAt: now, revokedAt: null }, now)
  store.record({ action: 'key created', account, keyId, detail: fields.name }, now)
  return { account: account.name, plan: account.plan, keyId, key }
}

type AddedKey = Omit<KeyRecord, 'number' | 'account'> & { readonly keyId: string }

/** Adds a key and assigns its number. Call it within a change. Throws AccountsError. */
export function addKey(store: Store, account: Account, { keyId, ...record }: AddedKey, now: number): void {
  if (isLive(record, now) && store.liveKeysOf(account.number, now).length >= keysPerAccountMax) {
    throw new Refusal(`the account ${account.name} has ${keysPerAccountMax} live keys: revoke one first`)
  }
  const number = store.takeNumber('nextKey')
  if (number >= keysMax) throw new AccountsError(`${keysMax} keys have been made, the maximum of a store`)
  store.putKey(keyId, { number, account: account.number, ...record })
}

/** Replaces the secret; id, name and expiry stay. Throws AccountsError if the key is unknown, revoked or expired. */
export function regenerateKey(store: Store, keyId: string, now: number): IssuedKey {
  return store.change(() => {
    const record = keyWithId(store, keyId)
    if (record.revokedAt !== null) throw new Refusal(`the key ${keyId} is revoked: create a new one`)
    if (!isLive(record, now)) throw new Refusal(`the key ${keyId} has expired: create a new one`)
    const { key, prefix, hash } = makeKey()
    const account = store.account(record.account)
    store.putKey(keyId, { ...record, prefix, hash: hash.toString('hex') })
    store.record({ action: 'key regenerated', account, keyId }, now)
    return { account: account.name, plan: account.plan, keyId, key }
  })
}

/** Does nothing if the key is revoked already. Throws AccountsError if there is no such key. */
export function revokeKey(store: Store, keyId: string, now: number): { account: string; revokedAt: number } {
  return store.change(() => {
    const record = keyWithId(store, keyId)
    const account = store.account(record.account)
    if (record.revokedAt !== null) return { account: account.name, revokedAt: record.revokedAt }
    store.putKey(keyId, { ...record, revokedAt: now })
    store.record({ action: 'key revoked', account, keyId }, now)
    return { account: account.name, revokedAt: now }
  })
}

/** Throws AccountsError if the name is invalid, or the key is unknown or revoked. */
export function renameKey(store: Store, keyId: string, name: string, now = Date.now()): void {
  checkName('a key', name)
  store.change(() => {
    const record = keyWithId(store, keyId)
    if (record.revokedAt !== null) throw new Refusal(`the key ${keyId} is revoked`)
    store.putKey(keyId, { ...record, name })
    const account = store.account(record.account)
    store.record({ action: 'key renamed', account, keyId, detail: `${record.name} to ${name}` }, now)
  })
}

function keyWithId(store: Store, keyId: string): KeyRecord {
  const record = store.key(keyId)
  if (record === undefined) throw new Refusal(`there is no key ${keyId}`)
  return record
}

/** An account's keys in order of creation, including those that ended in the last 90 days. */
export function listKeys(store: Store, account: number, now = Date.now()): ListedKey[] {
  return listed(store.keysOf(account).filter((key) => !isForgotten(key, now)))
}

/** An account's live keys, in order of creation. There are at most `keysPerAccountMax`. */
export const listLiveKeys = (store: Store, account: number, now: number): ListedKey[] =>
  listed(store.liveKeysOf(account, now))

/** Returns a part of the keys that ended in the last 90 days, the latest first. */
export const listEndedKeys = (store: Store, account: number, now: number, part: Part): ListedKey[] =>
  listed(store.endedKeysOf(account, { from: endedKeysKeptFrom(now), now }, part))

const listed = (keys: ReturnType<Store['keysOf']>): ListedKey[] =>
  keys.map(({ lastUsed, ...key }) => ({ ...key, lastUsedAt: lastUsed === null ? null : lastUsed * 1000 }))

type Ends = Pick<KeyRecord, 'revokedAt' | 'expiresAt'>

export const isForgotten = (key: Ends, now: number): boolean => endOf(key) <= endedKeysKeptFrom(now)

/** When a key ends or ended. */
export const endOf = ({ revokedAt, expiresAt }: Ends): number =>
  Math.min(revokedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY)

/** Keys that ended before this time are not listed. */
export const endedKeysKeptFrom = (now: number): number => now - endedKeyDaysKept * dayMs

/** All accounts in order of creation. @param others today's requests at other servers, by account number */
export function listAccounts(store: Store, today: number, now: number, others?: ArrayLike<number>): ListedAccount[] {
  const found: ListedAccount[] = []
  for (let first = 0; first < store.counter('nextAccount'); first += blockAccounts) {
    const keys = store.liveKeys(first, first + blockAccounts, now)
    const counts = countsIn(store.usageBlock(today, blockOf(first)))
    for (const { number, name, plan, suspendedAt, createdAt, deletedAt } of store.accountsFrom(
      first,
      first + blockAccounts,
    )) {
      if (deletedAt !== null) continue
      const usedToday = (counts[number - first] ?? 0) + (others?.[number] ?? 0)
      const suspended = suspendedAt !== null
      found.push({ account: name, plan, keys: keys.get(number) ?? 0, usedToday, number, suspended, createdAt })
    }
  }
  return found
}

/** True if the key is neither revoked nor expired. */
export const isLive = (key: Ends, now: number) =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)

/** Throws AccountsError if the text is not a valid name. */
export const checkName = (what: 'an account' | 'a key', name: string): void =>
  checkText(`the name of ${what}`, name, accountNameCharsMax)

/** Throws AccountsError if the text is not safe for terminals and shells. */
function checkText(what: string, text: string, charsMax: number): void {
  const rule = brokenRule(text, charsMax)
  if (rule !== undefined) throw new Refusal(`${what} ${rule}`)
}

/** Returns the rule that a name, or the reason of a suspension, breaks; undefined if it breaks none. */
export function brokenRule(text: string, charsMax: number): string | undefined {
  if (text.length < 1 || text.length > charsMax) return `is 1 to ${charsMax} characters long`
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) return 'holds no control characters'
  return /^[-\s]|\s$/.test(text) ? 'begins with no blank or hyphen and ends with no blank' : undefined
}

export const demoName = 'demo'

/**
 * Creates the account `demo` on the Business plan, at the very first start. Returns undefined if there ever was an
 * account. Rejects with an AccountsError if the account can't be stored.
 */
export function createDemoAccount(store: Store, replication: Replication): Promise<IssuedKey | undefined> {
  return replication.change(() =>
    store.counter('nextAccount') === 0 ? createAccount(store, demoName, 'business', Date.now()) : undefined,
  )
}
