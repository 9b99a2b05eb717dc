/** How long servers and requests wait for the quota store, and how these times fit each other. */
import assert from 'node:assert/strict'

/** How long a request waits for the quota store before it gets 503. */
export const quotaWaitMsMax = 4000
export const quotaCommandMsMax = 1000
export const quotaReconnectMs = 200
/** How long a restarted quota store grants nothing. It may have lost leases, which servers report in this time. */
export const quotaRecoveryMs = 1500

assert(quotaReconnectMs + quotaCommandMsMax < quotaRecoveryMs, 'all servers reconnect and report meanwhile')
assert(
  quotaReconnectMs + quotaCommandMsMax + quotaRecoveryMs < quotaWaitMsMax,
  'requests outlast a restart of the quota store',
)
