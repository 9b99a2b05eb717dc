/** How long requests wait for a lease, and how this relates to the time limits of the database. */
import assert from 'node:assert/strict'
import { queryMsMax, reconnectMs } from '../../postgres/bounds.ts'

/** How long a request waits for the database before it gets 503. */
export const quotaWaitMsMax = 4000

assert(2 * (reconnectMs + queryMsMax) < quotaWaitMsMax, 'requests outlast a connection that is replaced')
