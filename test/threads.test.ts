/** Threads that die with connections open, and versions that change meanwhile. test/long/threads.test.ts takes longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { swapAndKill } from './support/swap-and-kill.ts'

it('ten seconds of swaps and killed threads lose and mix nothing', { timeout: 90_000 }, async () => {
  const seen = await swapAndKill({ totalMs: 10_000, swapEveryMs: 1000, killEveryMs: 2300 })
  console.log(JSON.stringify(seen))
  assert.ok(seen.swaps >= 3 && seen.kills >= 3 && seen.answers > 200)
})
