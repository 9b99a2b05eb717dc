/** Long work in turns. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SenderGone, Turns } from '../../src/web/shared/turns.ts'

it('Long work for a page ends at its next pause after the sender left, and lets other work run until then', async () => {
  let isGone = false
  let others = 0
  const turns = new Turns(() => isGone)
  const other = setInterval(() => others++, 0)
  let steps = 0
  const work = async () => {
    for (;;) {
      steps++
      for (const end = performance.now() + 2; performance.now() < end; );
      if (steps === 50) isGone = true
      await turns.pause()
    }
  }
  await assert.rejects(work(), SenderGone)
  clearInterval(other)
  assert.equal(steps, 50)
  assert.ok(others > 10, `${others}`)
})
