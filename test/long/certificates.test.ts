/** Twenty certificates under load, with one thread and with four. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rollCertificates } from '../process/rolling-certificates.ts'
import { skipWithout } from '../support/programs.ts'

const answerMsMax = 50
/** The machine, too, may hold an answer up. A server that does so itself does it at each change. */
const slowChangesMax = 4

for (const threads of [1, 4]) {
  it(`twenty changes with ${threads} threads`, { skip: skipWithout('openssl'), timeout: 300_000 }, async (context) => {
    const seen = await rollCertificates(20, threads)
    context.diagnostic(JSON.stringify(seen))
    assert.equal(seen.refusals, 6)
    // On a machine that does much else answers take as long without a change.
    const slow = seen.longestMs.filter((ms) => ms > Math.max(answerMsMax, 2 * seen.longestCalmMs))
    assert.ok(slow.length <= slowChangesMax, `answers took ${slow} ms`)
  })
}
