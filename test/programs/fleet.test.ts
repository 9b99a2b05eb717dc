/** Three servers behind HAProxy, with Redis and nginx: what they promise together, in its short form. */
import { describe } from 'node:test'
import { skipFleet } from '../support/fleet/fleet.ts'
import { promise } from '../support/fleet/promises.ts'

describe('three servers', { skip: skipFleet }, () =>
  promise({ callers: 8, redisAwayMs: 5000, kills: 2, revocations: 3 }),
)
