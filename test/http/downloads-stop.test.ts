/** A server that stops while long answers are on their way. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { bulkFileName, readBulkFile } from '../../src/indexes/bulk-file.ts'
import { drainMsMax } from '../../src/limits.ts'
import { accounts, build, temporaryFolder } from '../support/command.ts'
import { longAnswer, Reader, requestOf } from '../support/long-answers.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Some 20 MB: no connection holds them. */
it('a server that stops waits for downloads so long and no longer', async () => {
  const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
  assert.equal((await build(longAnswer(30, 1, 10).snapshot, indexDir)).code, 0)
  const version = readFileSync(join(indexDir, 'current'), 'utf8').trim()
  const { gzip } = readBulkFile(readFileSync(join(indexDir, version, bulkFileName('pokemon'))))
  const { key } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  const itsPort = Number(new URL(service.address).port)
  const [stalled, quick] = [
    new Reader(itsPort, requestOf('/v1/bulk/pokemon', key)),
    new Reader(itsPort, requestOf('/v1/bulk/pokemon', key)),
  ]
  await Promise.all([stalled.stall(), quick.stall()])
  const since = performance.now()
  const stopping = service.stop()
  assert.equal(sum(await quick.body()), sum(gzip), 'who reads on has all')
  assert.equal(await stopping, 0)
  const took = performance.now() - since
  assert.ok(took >= drainMsMax - 500 && took < 3 * drainMsMax, `${took} ms`)
  stalled.socket.resume()
  await until('the other one is cut off', () => stalled.closed)
  assert.match(
    service.log(),
    /^\{"level":40[^\n]*"givenUp":1,"msg":"stopped; the last requests could not be answered in time"\}\n$/,
  )
})
