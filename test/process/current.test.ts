/** The figures of the owners of the version and of the threads: a service in this process. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { loadVersion } from '../../src/indexes/load.ts'
import { readManifest } from '../../src/indexes/manifest.ts'
import { startService } from '../../src/process/supervisor.ts'
import { readSettings } from '../../src/settings.ts'
import { temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, columnsOf, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

it('what is served, was taken, was refused, failed and was replaced is known', { timeout: 90_000 }, async (test) => {
  const indexDir = temporaryFolder()
  const published = undefined
  const settings = readSettings({ PORT: '0', INDEX_DIR: indexDir, STORE_DIR: temporaryFolder() })
  const sent = test.mock.method(Worker.prototype, 'postMessage')
  const log = pino({ level: 'silent' })
  const { address, current, threads, stop } = await startService(settings, log)
  assert.deepEqual(current.figures, { served: undefined, taken: 0, refused: 0, isRefusing: false, published })
  assert.deepEqual(threads.figures, { up: 1, failures: 0 })

  const snapshot = { 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }
  const first = await addVersion(indexDir, snapshotOf(snapshot))
  const { asOf, counts, builtAt } = await readManifest(indexDir, first)
  const served = { version: first, asOf, counts, publishedAt: builtAt }
  makeCurrent(indexDir, first)
  await until('it is served', () => current.figures.taken === 1)
  assert.deepEqual(current.figures, { served, taken: 1, refused: 0, isRefusing: false, published })

  const good = await loadVersion(indexDir, first)
  const { file, start } = columnsOf(good).find(({ name }) => name === 'wordLetters')!
  const wrong = versionNamed(1)
  damagedCopy(indexDir, good, wrong, file, (bytes) => bytes.fill(0xff, start, start + 1))
  makeCurrent(indexDir, wrong)
  await until('it is refused', () => current.figures.refused > 0)
  const refusedAt = performance.now()

  // No message: the thread fails.
  const thread = sent.mock.calls.at(-1)!.this as Worker
  thread.postMessage(null)
  await until('another one answers', () => threads.figures.failures === 1 && threads.figures.up === 1)
  assert.equal((await send(address, '/openapi.json')).json.openapi, '3.1.0', 'it has what is described')

  await until('it was tried again', () => performance.now() - refusedAt > 1300)
  const again = { served, taken: 1, refused: 1, isRefusing: true, published }
  assert.deepEqual(current.figures, again, 'for the same reason: it counts once')
  makeCurrent(indexDir, first)
  await until('the first one is taken again', () => !current.figures.isRefusing)
  assert.deepEqual(current.figures, { served, taken: 2, refused: 1, isRefusing: false, published })
  await stop()
  assert.equal(threads.figures.failures, 1, 'ending when asked is no failure')
})
