/** A short run of the fuzzer of requests (test/long has the long one). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fuzzHttp, fuzzSettings } from './fuzz/http.ts'

it('answers 20,000 requests by a grammar as it must', { timeout: 120_000 }, async (test) => {
  const settings = fuzzSettings(20_000)
  test.diagnostic(JSON.stringify(settings))
  const report = await fuzzHttp(settings)
  test.diagnostic(JSON.stringify(report))
  assert.ok(report.compared > report.requests / 2 || settings.script !== undefined, 'most answers are compared')
})
