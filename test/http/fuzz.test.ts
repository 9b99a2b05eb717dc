/** A short run of the fuzzer of requests, and of the one of requests that take time. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fuzzCosts } from '../fuzz/costs.ts'
import { fuzzHttp, fuzzSettings } from '../fuzz/http.ts'
import { amount } from '../support/amount.ts'

it('answers requests by a grammar as it must', { timeout: 120_000 }, async (test) => {
  const settings = fuzzSettings(amount(70, 2500))
  test.diagnostic(JSON.stringify(settings))
  const report = await fuzzHttp(settings)
  test.diagnostic(JSON.stringify(report))
  assert.ok(report.compared > report.requests / 2 || settings.script !== undefined, 'most answers are compared')
})

it('answers requests that try to take its time within 25 ms each', { timeout: 120_000 }, async (test) => {
  test.diagnostic(JSON.stringify(await fuzzCosts(fuzzSettings(amount(1500, 20_000)), 4000)))
})
