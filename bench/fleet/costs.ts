/**
 * Costs as measured on one machine (two cores of 2.1 GHz, Redis 7.0): `npm run bench:fleet -- --check` measures the
 * first of them again. Also the capacity of one machine of each kind: above it something fails.
 */
import { accountsMax } from '../../src/limits.ts'

/** Of a Redis's one thread: a question about a lease, and each server that its account is known to have asked of. */
export const leaseQuestionUs = 65
export const leaseFieldUs = 2.6
/** One of many leases that the store receives at once. */
export const leaseSentUs = 23
/** A server's question for changes, which is its sign of life. */
export const feedQuestionUs = 65
/** A block of usage, or a record, that is written or read. */
export const blockUs = 5
export const recordUs = 3

// Memory of Redis, with what its tables take (`MEMORY USAGE`).
export const accountBytes = 124
export const keyBytes = 188
export const lastUseBytes = 5
/** Beside the bytes of the block. */
export const blockExtraBytes = 308
/** A server's field in the hash of an account's quota; beyond 512 fields Redis keeps them otherwise. */
export const leaseFieldBytes = 13
export const leaseFieldBytesMany = 56
export const leaseFieldsFew = 512
export const leaseHashBytes = 110

/** A version as it is fetched: the real catalog with 365 days, of which a day's prices change nearly all files. */
export const versionBytes = 137e6
/** From the last byte to the first answer: checked, opened by all threads. */
export const takeUpMs = 1500

export interface Machines {
  /** Of one Redis. */
  readonly redisBytes: number
  /** Bits a second, of Redis and of the file server; a card-price server has a tenth of it. */
  readonly networkBits: number
  readonly accounts: number
}

export const machines: Machines = { redisBytes: 64e9, networkBits: 10e9, accounts: accountsMax }
/** A core is full of questions before all of its time is: those that come together wait. */
export const coreShareMax = 0.7
