/** How often servers ask the database for changes, how long they wait, and how these times fit each other. */
import assert from 'node:assert/strict'
import { queryMsMax } from '../../postgres/bounds.ts'

/** How often a server sends a heartbeat and asks for changes. */
export const replicationPollMs = 250
/**
 * A server that was frozen for this long accepts no key until its copy is up to date, or until it knows that the
 * database is unavailable or rejected.
 */
export const replicationGapMsMax = 3000
/** A server that was silent for this long and has no connection is dead. */
export const serverGoneMsMin = 3500
/** For this long after the start of the database, all servers that have not signed off count as live. */
export const serverHeardMsMax = 10_000
/** A server that was away for at most this many days catches up without copying everything. */
export const changeDaysKept = 30

assert(
  replicationPollMs < 1000 && replicationPollMs + queryMsMax < replicationGapMsMax,
  'who is not frozen never counts as frozen',
)
assert(replicationGapMsMax < serverGoneMsMin, 'a frozen server that counts as dead accepts no key')
