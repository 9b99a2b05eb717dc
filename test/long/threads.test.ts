/** A minute of load on four threads, with swaps and killed threads. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { swapAndKill } from '../process/swap-and-kill.ts'

it('a minute of swaps and killed threads loses and mixes nothing', { timeout: 200_000 }, async () => {
  const seen = await swapAndKill({
    totalMs: 60_000,
    swapEveryMs: 3000,
    killEveryMs: 7000,
    threads: 4,
    connections: 16,
    pauseMs: 4,
    versionCount: 6,
  })
  console.log(JSON.stringify(seen))
  assert.ok(seen.swaps >= 10 && seen.kills >= 7 && seen.answers > 5000)
})
