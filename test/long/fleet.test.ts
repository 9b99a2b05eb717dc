/** Three servers behind HAProxy, with Redis and nginx: their promises together, through two hundred rounds of failures. */
import { describe, it } from 'node:test'
import { failures, longFailures } from '../support/fleet/failures.ts'
import { skipFleet } from '../support/fleet/fleet.ts'
import { promise } from '../support/fleet/promises.ts'
import { playRounds } from '../support/fleet/rounds.ts'

const seed = Number(process.env['FLEET_SEED'] ?? Math.floor(Math.random() * 1e9))
const rounds = Number(process.env['FLEET_ROUNDS'] ?? 200)

describe('three servers', { skip: skipFleet }, () => {
  describe('at their leisure', () => promise({ callers: 12, redisAwayMs: 60_000, kills: 9, revocations: 30 }))

  it(`keep what they promise through ${rounds} failures`, async (t) => {
    t.diagnostic(`FLEET_SEED=${seed} FLEET_ROUNDS=${rounds}`)
    await playRounds({
      seed,
      rounds,
      failures: [...failures, ...longFailures],
      share: 1,
      tell: (line) => t.diagnostic(line),
    })
  })
})
