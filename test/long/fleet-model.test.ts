/** The model of fleets held against three real servers, one of which is killed. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { compare } from '../../bench/fleet/check.ts'
import { skipWithout } from '../support/programs.ts'

for (const seed of [18, 19]) {
  it(`the model says what three servers do, by seed ${seed}`, { skip: skipWithout('redis-server') }, async () => {
    const { checked, latestMs } = await compare(seed)
    for (const { name, model, real, isRight } of checked) {
      assert.ok(isRight, `${name}: ${model} in the model, ${real} of the servers; requests up to ${latestMs} ms late`)
    }
  })
}
