/** Three servers and failures, in an order that a seed draws: each kind once. */
import { it } from 'node:test'
import { failures } from '../support/fleet/failures.ts'
import { skipFleet } from '../support/fleet/fleet.ts'
import { playRounds } from '../support/fleet/rounds.ts'

const seed = Number(process.env['FLEET_SEED'] ?? 18)
const rounds = Number(process.env['FLEET_ROUNDS'] ?? failures.length)

it('three servers keep what they promise through each fault', { skip: skipFleet }, async (t) => {
  t.diagnostic(`FLEET_SEED=${seed} FLEET_ROUNDS=${rounds}`)
  await playRounds({ seed, rounds, failures: failures, share: 0.1, tell: (line) => t.diagnostic(line) })
})
