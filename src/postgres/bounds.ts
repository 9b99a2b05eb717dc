/** How long a process waits for PostgreSQL, and how much of a quota a server leases. */
import assert from 'node:assert/strict'

/** How long a usual query, or an attempt to connect to a host, may take. */
export const queryMsMax = 1000
/** The pause between two attempts to connect. */
export const reconnectMs = 200
/** How long a restarted database rejects changes. In this time, servers report whether they have later changes. */
export const recoveryMs = 1500

/** A grant is at most a sixteenth of what remains of the quota. So grants shrink to 1 as the quota runs out. */
export const leaseShare = 16
/** If servers hold more than this share of a quota, a server that needs more recalls what the others have left. */
export const recallShare = 7 / 8

assert(reconnectMs + queryMsMax < recoveryMs, 'all servers reconnect and report meanwhile')
