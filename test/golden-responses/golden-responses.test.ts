/**
 * Old answers stay: statuses and bodies of two thousand requests, compared with those of the
 * version before the interface grew. Headers are left out, since a good GET has an ETag now, and of /healthz the version,
 * which is named after files whose format changed. New requests are not among them. One digest is newer: a search for `and` also
 * finds `&` now.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { someOf } from '../support/amount.ts'
import { answersNow, type OldAnswer } from './answers.ts'
import { oldRequests } from './requests.ts'

const recorded = readFileSync(new URL('../golden-responses/digests.txt', import.meta.url), 'utf8')
  .trim()
  .split(/\s+/)

/** With what was answered. */
const all = oldRequests().map((request, i) => ({ request, digest: recorded[i] }))
const isLarge = ({ request }: (typeof all)[number]) => String(request.sent.body ?? '').length > 10_000
/** Bodies that are too large are few. */
const some = new Set(someOf(all, 300))
const asked = all.filter((one) => some.has(one) || isLarge(one))

describe('what was answered before', () => {
  let answers: OldAnswer[] = []
  before(async () => {
    assert.equal(oldRequests().length, recorded.length)
    answers = await answersNow(asked.map(({ request }) => request))
  })

  it('is answered still, byte for byte', () => {
    assert.equal(answers.length, asked.length)
    const changed = answers.filter(({ digest }, i) => digest !== asked[i]!.digest)
    const reported = changed.slice(0, 5).map(({ asked: { form, who, path, sent }, reply }) => {
      const request = `${sent.method} ${path.slice(0, 200)} ${String(sent.body ?? '').slice(0, 100)}`
      return `form ${form}, ${who}: ${request}\n  ${reply.status} ${reply.body.slice(0, 300)}`
    })
    assert.equal(changed.length, 0, `${changed.length} answers changed, the first of them:\n${reported.join('\n')}`)
  })

  it('is of every kind', () => {
    const statuses = new Map<number, number>()
    for (const { reply } of answers) statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    for (const status of [200, 204, 400, 401, 403, 404, 405, 413, 415, 429])
      assert.ok(statuses.get(status), `${status}`)
    assert.ok(statuses.get(200)! > answers.length / 2)
  })
})
