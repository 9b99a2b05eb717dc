/** A short run of the fuzzer of requests, and of the one of requests that take time. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { costSettings, searchDearest } from '../fuzz/costs.ts'
import { fuzzHttp, fuzzSettings } from '../fuzz/http.ts'
import { amount } from '../support/amount.ts'

it('A server answers random requests of a grammar rightly, and keeps serving clean connections meanwhile', {
  timeout: 300_000,
}, async (test) => {
  const settings = fuzzSettings(amount(70, 2500))
  test.diagnostic(JSON.stringify(settings))
  const report = await fuzzHttp(settings)
  test.diagnostic(JSON.stringify(report))
  assert.ok(report.compared > report.requests / 2 || settings.script !== undefined, 'most answers are compared')
})

it('The fuzzer finds no request above its endpoint’s limit of CPU time', {
  timeout: 600_000,
}, async (test) => {
  const settings = costSettings(amount(600, 20_000))
  test.diagnostic(JSON.stringify(settings))
  for (const { endpoint, ms, request } of await searchDearest(settings)) {
    test.diagnostic(`${endpoint}: ${ms.toFixed(2)} ms: ${request.slice(0, 400)}`)
  }
})
