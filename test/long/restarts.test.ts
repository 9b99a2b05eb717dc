/** Ten restarts in turn behind each proxy, at half load. nginx asks no server for its health: it needs no time to hear of it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restartInTurn } from '../process/rolling-restarts.ts'
import { skipWithout } from '../support/programs.ts'

for (const [name, drainSeconds] of [
  ['haproxy', 3],
  ['nginx', 0],
] as const) {
  it(`ten restarts behind ${name} fail no answer`, { skip: skipWithout(name), timeout: 600_000 }, async (context) => {
    const seen = await restartInTurn(name, 10, drainSeconds)
    context.diagnostic(JSON.stringify(seen))
    assert.ok(seen.answers > 1000)
  })
}
