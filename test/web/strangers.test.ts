/** Pages of people without an account: the first page, look-ups within a limit, cards, and the status. Never a history or a key. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strangerLookUpsPerMinuteMax, strangerSuggestionsPerMinuteMax } from '../../src/limits.ts'
import { build } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Reply, send } from '../support/service.ts'
import { textOf, weightOf } from './person.ts'
import { servePages } from './service-here.ts'

describe('people without an account', () => {
  const service = servePages((indexDir) => build(fixtureSnapshot(), indexDir), true)
  let addresses = 0
  /** Each page is opened from another address, which a proxy names. */
  const open = (path: string, from = `2001:db8::${++addresses}`): Promise<Reply> =>
    send(service.pages, path, { headers: { 'x-forwarded-for': from } })

  it('load the first page in at most 60 kB and 5 answers', async () => {
    const { responses, bytes } = await weightOf(service.pages, '/')
    assert.ok(responses <= 5 && bytes <= 60_000, `${bytes} bytes in ${responses} responses`)
  })

  it('get 20 look-ups a minute an address, of searches and cards together', async () => {
    const paths = ['/look-up?q=forest', '/cards/pokemon-base1-004']
    const ask = (count: number, from: string) =>
      Promise.all(Array.from({ length: count }, (_, i) => open(paths[i % 2]!, from)))
    const first = await ask(strangerLookUpsPerMinuteMax, '192.0.2.1')
    assert.ok(first.every(({ status }) => status === 200))
    for (const reply of await ask(4, '192.0.2.1')) {
      assert.equal(reply.status, 429)
      const [, seconds] = /can look up 20 cards a minute\. Try again in (\d+) s/.exec(textOf(reply.body))!
      assert.equal(reply.headers['retry-after'], seconds)
    }
    assert.equal((await open(paths[0]!, '192.0.2.2')).status, 200)
    assert.equal((await open('/', '192.0.2.1')).status, 200)
    const letters = strangerSuggestionsPerMinuteMax + 1
    const typed = await Promise.all(Array.from({ length: letters }, () => open('/suggestions.json?q=a', '192.0.2.1')))
    assert.equal(typed.filter(({ status }) => status === 429).length, 1)
  })

  it('see the operator’s accent and logo, under addresses that change with them', async () => {
    const logo = { type: 'image/svg+xml', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') } as const
    const partsOf = async () => {
      const { body } = await open('/')
      return [/rel="stylesheet" href="([^"]*)"/, /class="name has-logo" href="\/"><img src="([^"]*)"/].map(
        (form) => form.exec(body)?.[1],
      )
    }
    const [plain] = await partsOf()
    service.data.about = { accent: '#7a1f5c', logo }
    const [style, picture] = await partsOf()
    assert.notEqual(style, plain)
    const sent = await send(service.pages, style!)
    assert.match(sent.body, /:root\{--accent:#7a1f5c;/)
    assert.ok(sent.body.startsWith((await send(service.pages, plain!)).body))
    const shown = await send(service.pages, picture!)
    assert.deepEqual([shown.body, shown.headers['content-type']], [logo.bytes.toString(), logo.type])
    assert.match(shown.headers['content-security-policy'] as string, /^default-src 'none'; .*sandbox$/)
    service.data.about = { accent: '#005a3c' }
    assert.notEqual((await partsOf())[0], style)
    assert.equal((await send(service.pages, style!)).status, 200, 'a page that is open still finds it')
    assert.equal((await send(service.pages, '/brand/000000000000/style.css')).status, 404)
  })
})
