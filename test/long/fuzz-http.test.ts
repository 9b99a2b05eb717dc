/** The fuzzers of requests at length: no crash, no wrong answer, memory that stays, no costly answer. Takes some ten minutes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fuzzCosts } from '../fuzz/costs.ts'
import { fuzzHttp, fuzzSettings } from '../fuzz/http.ts'

it('answers 1,000,000 requests by a grammar as it must', { timeout: 1_800_000 }, async (test) => {
  const settings = fuzzSettings(1_000_000)
  test.diagnostic(JSON.stringify(settings))
  const report = await fuzzHttp(settings)
  test.diagnostic(JSON.stringify(report))
  const [warm, end] = report.memoryMb
  assert.ok(end <= 1.1 * warm, `memory grew from ${warm.toFixed(0)} to ${end.toFixed(0)} MB`)
})

it('answers 200,000 requests that try to take its time within 25 ms each', { timeout: 1_800_000 }, async (test) => {
  test.diagnostic(JSON.stringify(await fuzzCosts(fuzzSettings(200_000), 100_000)))
})
