/** The rows of the store. Times are ms since 1970; null: never. */
import type { PlanName } from '../plans.ts'

export interface Account {
  readonly number: number
  readonly name: string
  readonly plan: PlanName
  readonly createdAt: number
  readonly suspendedAt: number | null
  readonly suspendedFor: string | null
  readonly deletedAt: number | null
}

export interface KeyRecord {
  readonly number: number
  readonly account: number
  readonly name: string
  /** The public beginning of the key. */
  readonly prefix: string
  /** SHA-256 of the key, as hex. */
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface KeyInUse {
  readonly key: number
  readonly account: number
  readonly plan: PlanName
  readonly expiresAt: number | null
  readonly isSuspended: boolean
}

export type CountsByPlan = Readonly<Record<PlanName, { readonly accounts: number; readonly liveKeys: number }>>

/** Stands for an account's number in links and sessions of the operator. */
export const operatorNumber = -1

export interface SignInLink {
  /** An account's number, or `operatorNumber`. */
  readonly account: number
  readonly expiresAt: number
  readonly usedAt: number | null
}

export interface Session {
  /** An account's number, or `operatorNumber`. */
  readonly account: number
  readonly startedAt: number
  readonly lastPageAt: number
}

/** Never contains a key, a token or a link. */
export interface AuditEntry {
  readonly action: AuditAction
  readonly account?: Account | undefined
  readonly keyId?: string | undefined
  readonly detail?: string | undefined
}

export const auditActions = [
  'account created',
  'account imported',
  'account renamed',
  'account suspended',
  'account resumed',
  'account deleted',
  'plan changed',
  'key created',
  'key imported',
  'key renamed',
  'key regenerated',
  'key revoked',
  'sign-in link created',
  'sign-in link used',
  'sessions ended',
  'store restored',
  'store pushed',
  'store moved',
] as const
export type AuditAction = (typeof auditActions)[number]

export interface AuditRow {
  readonly time: number
  readonly actor: string
  readonly action: string
  /** The account's name at that time. */
  readonly account: string | null
  readonly keyId: string | null
  readonly detail: string | null
}

/** The table `settings`. */
export interface Settings {
  /** Incremented at each change of accounts or keys. */
  readonly generation: number
  readonly backedUpAt: number
  /** The absolute path of that backup. */
  readonly backedUpTo: string
  readonly server: ServerRecord
  /** How many server threads hung and ended their process. */
  readonly hungThreads: number
  /** How many times commands have notified the server. See accounts/control.ts. */
  readonly asked: number
  /** The last notification that the server has answered, and whether the store then had all its counts. */
  readonly answered: { readonly asked: number; readonly isWritten: boolean }
  /** Identifies this server among those that share accounts: 12 hexadecimal digits. */
  readonly serverId: string
  readonly copy: CopyState
  /** Exists if a release before 3.0 made the store a copy of accounts in Redis. */
  readonly copyOf: CopyState
  readonly keptLeases: KeptLeases
  /** The fencing token of the usage that was sent last, see usage-sender.ts. */
  readonly sent: string
}

/** The store's running server, or the last server that ran. */
export interface ServerRecord {
  readonly pid: number
  /** `http://HOST:PORT`, with the real port; undefined until it listens. */
  readonly address?: string
  /** The address of its pages, if it has any. */
  readonly pages?: string
  readonly hasOperatorPages?: boolean
}

/** The state of the shared accounts that the store is a copy of. `whole` is false while all rows are being copied. */
export interface CopyState {
  /** The id of the shared accounts. */
  readonly id: string
  /** The number of the last change; -1 before everything is copied for the first time. */
  readonly number: number
  /** Random for each change: two histories never share a mark. */
  readonly mark: string
  readonly whole: boolean
}

/**
 * Leases that a stopping server could not release, because the database was unavailable. The next start takes them
 * over.
 */
export interface KeptLeases {
  readonly process: string
  readonly exchange: number
  readonly day: number
  /** For each account: its number, the requests granted, those of them that are left, and those granted to others. */
  readonly leases: readonly (readonly [account: number, granted: number, left: number, others: number])[]
}
