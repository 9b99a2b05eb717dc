/** How often servers and the accounts' store exchange messages, how long they wait, and how these times fit each other. */
import assert from 'node:assert/strict'

/** How often a server sends a heartbeat and asks for changes. */
export const replicationPollMs = 250
/** How long one command of Redis may take. Loading a snapshot takes many commands. */
export const replicationCommandMsMax = 1000
export const replicationReconnectMs = 200
/**
 * How long a restarted store accepts no change. In this time, servers report whether they have later changes than the
 * store.
 */
export const replicationRecoveryMs = 1500
/**
 * A server that was frozen for this long accepts no key until its replica is up to date, or the store proves to be away
 * or is rejected.
 */
export const replicationGapMsMax = 3000
/** A server that was silent for this long and has no connection is dead. */
export const serverGoneMsMin = 3500
/**
 * The store reports to commands which servers sent a heartbeat in this time. For this long after the store's start, all
 * of them are taken for live.
 */
export const serverHeardMsMax = 10_000

assert(
  replicationReconnectMs + replicationCommandMsMax < replicationRecoveryMs,
  'all servers reconnect and report meanwhile',
)
assert(
  replicationPollMs < 1000 && replicationPollMs + replicationCommandMsMax < replicationGapMsMax,
  'a server that is not frozen never counts as frozen',
)
assert(replicationGapMsMax < serverGoneMsMin, 'a frozen server that counts as dead accepts no key')
