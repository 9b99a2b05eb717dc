/**
 * Old answers stay: statuses and bodies of two thousand requests to real servers of both forms over the sample snapshot, compared with
 * those of the version before the interface grew. Headers are left out, since a good GET has an ETag now, and of /healthz the version,
 * which is named after files whose format changed. New requests are not among them. Two digests are newer: a search for `and` also
 * finds `&` now, and one for `nidoran♂` begins with that name.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { someOf } from '../support/amount.ts'
import { sampleSnapshot } from '../support/sample.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { type Reply, send } from '../support/service.ts'
import { type OldRequest, oldRequests } from './requests.ts'

const recorded = readFileSync(new URL('digests.txt', import.meta.url), 'utf8').match(/\S+/g)!
const requestsAtOnce = 20

/** With what was answered. */
const all = oldRequests().map((request, i) => ({ request, digest: recorded[i] }))
const isLarge = ({ request }: (typeof all)[number]) => String(request.sent.body ?? '').length > 10_000
/** Bodies that are too large are few. */
const some = new Set(someOf(all, 300))
const asked = all.filter((one) => some.has(one) || isLarge(one))

interface OldAnswer {
  readonly asked: OldRequest
  readonly reply: Reply
  /** Of status and body: 36 bits in base64, which tell a changed answer as well as more would. */
  readonly digest: string
}

it('The recorded requests get the recorded statuses and bodies, byte for byte', async () => {
  assert.equal(all.length, recorded.length)
  const answers: OldAnswer[] = []
  const here = await serveHere(sampleSnapshot)
  try {
    for (let at = 0; at < asked.length; at += requestsAtOnce) {
      const requests = asked.slice(at, at + requestsAtOnce)
      answers.push(...(await Promise.all(requests.map(({ request }) => ask(request, here)))))
    }
  } finally {
    await here.close()
  }
  assert.equal(answers.length, asked.length)
  const changed = answers.filter(({ digest }, i) => digest !== asked[i]!.digest)
  const reported = changed.slice(0, 5).map(({ asked: { form, who, path, sent }, reply }) => {
    const request = `${sent.method} ${path.slice(0, 200)} ${String(sent.body ?? '').slice(0, 100)}`
    return `form ${form}, ${who}: ${request}\n  ${reply.status} ${reply.body.slice(0, 300)}`
  })
  assert.equal(changed.length, 0, `${changed.length} answers changed, the first of them:\n${reported.join('\n')}`)
})

async function ask(asked: OldRequest, here: ServersHere): Promise<OldAnswer> {
  const { form, who, path, sent } = asked
  const key = who === 'wrong' ? 'cpl_live_wrong' : who === 'none' ? undefined : here.keys[who]
  const headers = { ...sent.headers, ...(key === undefined ? {} : { 'x-api-key': key }) }
  const reply = await send(here.address(form), path, { ...sent, headers })
  return { asked, reply, digest: digestOf(reply) }
}

/** A version is named after the bytes of its files, which are not what a caller is answered; that of the software came later. */
const withoutVersion = (body: string) =>
  body.replace(/^(\{"status":"ok","version":")[^"]*(.*),"software":"[^"]*"/, '$1$2')

const digestOf = ({ status, body }: Reply): string =>
  createHash('sha256')
    .update(`${status} ${withoutVersion(body)}`)
    .digest('base64url')
    .slice(0, 6)
