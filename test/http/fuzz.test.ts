/** A short run of the fuzzer of requests, and what it found, made certain. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { fuzzCosts } from '../fuzz/costs.ts'
import { fuzzHttp, fuzzSettings } from '../fuzz/http.ts'
import { makeKeys } from '../fuzz/known.ts'
import { amount } from '../support/amount.ts'
import { build, projectDir, temporaryFolder } from '../support/command.ts'
import { send, startService } from '../support/service.ts'

it('answers requests by a grammar as it must', { timeout: 120_000 }, async (test) => {
  const settings = fuzzSettings(amount(70, 2500))
  test.diagnostic(JSON.stringify(settings))
  const report = await fuzzHttp(settings)
  test.diagnostic(JSON.stringify(report))
  assert.ok(report.compared > report.requests / 2 || settings.script !== undefined, 'most answers are compared')
})

it('answers requests that try to take its time within 25 ms each', { timeout: 120_000 }, async (test) => {
  test.diagnostic(JSON.stringify(await fuzzCosts(fuzzSettings(amount(3000, 20_000)), 4000)))
})

it('lives on when clients reset connections while answers are written to them', { timeout: 60_000 }, async () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  assert.equal((await build(join(projectDir, 'snapshots'), indexDir)).code, 0)
  const { keys } = await makeKeys(storeDir, 1)
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  const port = Number(new URL(service.address).port)
  const pipeline = `GET /v1/sets?limit=200 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]}\r\n\r\n`.repeat(50)
  const hasEnded = () => service.child.exitCode !== null || service.child.signalCode !== null
  // Some 1 in 200 meets the moment.
  for (let round = 0; round < amount(6, 40) && !hasEnded(); round++) {
    const clients = Array.from({ length: 20 }, async (_, i) => {
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => {})
      const leave = () => socket.resetAndDestroy()
      socket.write(pipeline, i % 3 === 0 ? leave : () => setImmediate(leave))
      await new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(clients)
  }
  assert.ok(!hasEnded(), `the server ended: ${service.log()}`)
  assert.equal((await send(service.address, '/healthz')).status, 200)
  assert.equal(await service.stop(), 0)
})
