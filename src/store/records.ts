/**
 * What the tables hold: each record's shape, and whether what was read has it. A page can be whole and a record in it be
 * overwritten, so that every record is looked at before it is used.
 */
import { accountsMax, keysMax } from '../limits.ts'
import { isPlanName, type PlanName } from '../plans.ts'

export interface Account {
  readonly number: number
  readonly name: string
  readonly plan: PlanName
  /** ms since 1970 */
  readonly createdAt: number
}

export interface KeyRecord {
  readonly number: number
  readonly account: number
  readonly name: string
  /** The public beginning of the key. */
  readonly prefix: string
  /** SHA-256 of the key, as hex. */
  readonly hash: string
  /** ms since 1970; null: never. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

/** A KeyRecord's values in order: half the bytes that its field names would take with them. */
export type StoredKey = [number, number, string, string, Uint8Array, number, number | null, number | null]

/** What a request needs of its key, in a small table of its own: requests touch few pages, however many keys there are. */
export type Secret = [key: number, account: number, expiresAt: number | null]

/** The server whose the store is: what tells its process from all others, and where commands reach it. */
export interface ServerNote {
  readonly pid: number
  /** Where `pid` means this process: the machine's start and its process namespace; '' where the system tells neither. */
  readonly place: string
  /** The process's own start, so that another one that was given its number is told from it; '' as above. */
  readonly started: string
  /** The name of its control socket. */
  readonly socket: string
  /** The address of its pages, if it has any that can be opened. */
  readonly pages?: string
}

/**
 * What a store holds a copy of: the accounts in a store that servers share, as they were when its last change had that number.
 * One of which not all could be copied yet is not `whole`: then its number and chain say nothing.
 */
export interface CopyOf {
  /** Which store of accounts: it was given that when it was begun. */
  readonly id: string
  readonly number: number
  /** A hash over all changes until then: two histories never share one. */
  readonly chain: string
  readonly whole: boolean
}

/** The processes that have taken leases for this STORE_DIR, the last of them last, and what the quota store said of itself to it. */
export interface Lessees {
  readonly ids: readonly string[]
  readonly since: string
}

/** A link by which a person signs in, good once. */
export type SignInLink = [account: number, expiresAt: number, usedAt: number | null]

/** A person who has signed in. */
export type Session = [account: number, startedAt: number, lastPageAt: number]

/** An account's look-ups on pages since `from`, in ms since 1970. */
export type LookUps = [from: number, count: number]

export function storedKey({
  number,
  account,
  name,
  prefix,
  hash,
  createdAt,
  expiresAt,
  revokedAt,
}: KeyRecord): StoredKey {
  return [number, account, name, prefix, Buffer.from(hash, 'hex'), createdAt, expiresAt, revokedAt]
}

export function keyRecord([
  number,
  account,
  name,
  prefix,
  hash,
  createdAt,
  expiresAt,
  revokedAt,
]: StoredKey): KeyRecord {
  return { number, account, name, prefix, hash: Buffer.from(hash).toString('hex'), createdAt, expiresAt, revokedAt }
}

export const isSameServer = (a: ServerNote | undefined, b: ServerNote | undefined): boolean =>
  a?.pid === b?.pid && a?.place === b?.place && a?.started === b?.started && a?.socket === b?.socket

const isMoment = (value: unknown): boolean => value === null || Number.isSafeInteger(value)

const isNumberBelow = (value: unknown, end: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end

export const isAccountNumber = (value: unknown): boolean => isNumberBelow(value, accountsMax)

export const isAccount = (record: Account): boolean =>
  isAccountNumber(record?.number) && typeof record.name === 'string' && isPlanName(record.plan)

export const isSecret = (record: Secret): boolean =>
  Array.isArray(record) && isNumberBelow(record[0], keysMax) && isAccountNumber(record[1]) && isMoment(record[2])

export const isStoredKey = (record: StoredKey): boolean =>
  Array.isArray(record) &&
  isNumberBelow(record[0], keysMax) &&
  isAccountNumber(record[1]) &&
  typeof record[2] === 'string' &&
  typeof record[3] === 'string' &&
  record[4] instanceof Uint8Array &&
  record.slice(5).every(isMoment)

export const isCopyOf = (value: CopyOf): boolean =>
  typeof value?.id === 'string' &&
  Number.isSafeInteger(value.number) &&
  typeof value.chain === 'string' &&
  typeof value.whole === 'boolean'

export const isServerId = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{12}$/.test(value)

const isNumbers = (record: readonly unknown[], length: number): boolean =>
  Array.isArray(record) && record.length === length && record.every((value) => Number.isSafeInteger(value))

export const isSignInLink = (record: SignInLink): boolean =>
  Array.isArray(record) && record.length === 3 && isAccountNumber(record[0]) && record.slice(1).every(isMoment)

export const isSession = (record: Session): boolean => isNumbers(record, 3) && isAccountNumber(record[0])

export const isLookUps = (record: LookUps): boolean => isNumbers(record, 2)

export const isLessees = (value: Lessees): boolean =>
  Array.isArray(value?.ids) && [...value.ids, value.since].every((text) => typeof text === 'string')

export const isServerNote = (value: ServerNote): boolean =>
  Number.isSafeInteger(value?.pid) &&
  [value.place, value.started, value.socket, value.pages ?? ''].every((text) => typeof text === 'string')
