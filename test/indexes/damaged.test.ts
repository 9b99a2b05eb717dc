/**
 * Versions whose checksums are right and some of whose bytes are not. Each is refused by its trial, or each request is
 * answered: rightly, wrongly or with a 500. None goes on.
 *
 *   DAMAGED_VERSIONS=2000 npx node --import tsx --test test/indexes/damaged.test.ts
 *   DAMAGED_INDEX=DIR     an INDEX_DIR in place of the fixture
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { amount } from '../support/amount.ts'
import { fixtureIndex } from '../support/sample.ts'
import type { DamagedOptions, Message, Sums } from './damaged-worker.ts'

const { DAMAGED_VERSIONS, DAMAGED_INDEX, DAMAGED_SEED = 'damage' } = process.env
const versions = Number(DAMAGED_VERSIONS ?? amount(24, 500))

/** A request takes some ms, and opening a version a second. What goes on takes for ever. */
const silenceMsMax = 240_000
/** A request may take so many times the CPU time of the dearest request to the right version. */
const timesMax = 30

/** Resolves to the sums. Rejects with what the thread was doing when it fell silent. */
function run(options: DamagedOptions): Promise<Sums> {
  const worker = new Worker(new URL('./damaged-worker.ts', import.meta.url), { workerData: options })
  let silence: NodeJS.Timeout
  return new Promise<Sums>((resolve, reject) => {
    let doing = 'starting'
    silence = setTimeout(() => reject(new Error(`does not end: ${doing}`)), silenceMsMax)
    worker.on('error', (error) => reject(new Error(`${doing}: ${error.message}`, { cause: error })))
    worker.on('message', (message: Message) => {
      silence.refresh()
      if ('sums' in message) resolve(message.sums)
      else doing = message.doing
    })
  }).finally(() => {
    clearTimeout(silence)
    return worker.terminate()
  })
}

it('A version with 1 to 8 changed bytes is refused, or takes at most 30 times the usual time for a request', async (test) => {
  const indexDir = DAMAGED_INDEX ?? (await fixtureIndex())
  const sums = await run({ indexDir, seed: DAMAGED_SEED, versions, cards: 30 })
  test.diagnostic(JSON.stringify(sums))
  assert.equal(sums.refused + sums.damaged + sums.unnoticed, versions)
  assert.ok(
    sums.refused > 0 && sums.wrong > 0 && sums.right > 0,
    'versions are refused, and answer wrongly and rightly',
  )
  assert.ok(sums.msMost < timesMax * sums.rightMsMost, `${sums.msMost} of ${sums.rightMsMost} ms: ${sums.dearest}`)
})
