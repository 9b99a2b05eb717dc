/** Visitors without a session: a form that signs in is this browser's own, and wrong links are counted by address. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { hashOf } from '../../src/accounts/keys.ts'
import { wrongLinksPerMinuteMax } from '../../src/limits.ts'
import { formToken } from '../../src/web/session.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { type Reply, send } from '../support/service.ts'
import { formsIn } from './person.ts'
import { servePages, startServiceHere } from './service-here.ts'
import { guessedLinks, guessLinks } from './wrong-links.ts'

describe('visitors without a session', () => {
  const service = servePages()
  const { storeDir } = service
  before(() => accounts(storeDir, 'create', 'foreign', '--plan', 'free'))

  const linkPath = async () => new URL((await accounts(storeDir, 'sign-in', 'foreign')).url).pathname
  const cookieOf = ({ headers }: Reply) => headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const fieldOf = ({ body }: Reply) => formsIn(body)[0]!.fields['form']

  /** As a browser sends it that does not tell where the form comes from. */
  const post = (path: string, cookie: string, field: string | undefined): Promise<Reply> =>
    send(service.pages, path, {
      method: 'POST',
      headers: { origin: 'null', 'content-type': 'application/x-www-form-urlencoded', cookie },
      body: new URLSearchParams(field === undefined ? {} : { form: field }).toString(),
    })

  describe('a browser that does not tell where a form comes from', () => {
    it('is signed in by the form of a page that it was shown, and by no other site’s', async () => {
      const path = await linkPath()
      const token = path.split('/').at(-1)!
      const shown = await send(service.pages, path)
      const elsewhere = await send(service.pages, path)
      assert.notEqual(cookieOf(shown), cookieOf(elsewhere))
      const foreign: readonly (readonly [what: string, cookie: string, field: string | undefined])[] = [
        ['without a token', cookieOf(shown), undefined],
        ['with an empty token', cookieOf(shown), ''],
        ['with one that follows from the link', cookieOf(shown), formToken(token)],
        ['with one that follows from the stored link', cookieOf(shown), formToken(hashOf(token).toString('hex'))],
        ['with one of a page that another browser was shown', cookieOf(shown), fieldOf(elsewhere)],
        ['with a right one for a browser that has no cookie', '', fieldOf(elsewhere)],
        ['with one that follows from an empty cookie', 'cpl_form=', formToken('')],
        ['with one that follows from none', '', formToken('undefined')],
      ]
      for (const [what, cookie, field] of foreign) {
        const reply = await post(path, cookie, field)
        assert.deepEqual([reply.status, reply.headers['set-cookie']], [403, undefined], what)
      }
      assert.equal((await post(path, cookieOf(shown), fieldOf(shown))).status, 303)
    })

    it('keeps its cookie from page to page, so that a form in another tab is good still', async () => {
      const [one, other] = [await linkPath(), await linkPath()]
      const first = await send(service.pages, one)
      assert.match(first.headers['set-cookie']![0]!, /^cpl_form=[\w-]{43}; Path=\/sign-in; HttpOnly; SameSite=Lax$/)
      const cookie = cookieOf(first)
      const second = await send(service.pages, other, { headers: { cookie } })
      assert.equal(second.headers['set-cookie'], undefined)
      assert.equal((await post(one, cookie, fieldOf(first))).status, 303)
      assert.equal((await post(other, cookie, fieldOf(second))).status, 303)
    })
  })

  it('a browser that tells where a form comes from gets no cookie before it is signed in', async () => {
    const path = await linkPath()
    const headers = { 'sec-fetch-site': 'same-origin' }
    const shown = await send(service.pages, path, { headers: { 'sec-fetch-site': 'none' } })
    assert.deepEqual([shown.headers['set-cookie'], fieldOf(shown)], [undefined, undefined])
    const reply = await send(service.pages, path, { method: 'POST', headers: { origin: 'null', ...headers } })
    assert.equal(reply.status, 303)
  })

  it('wrong links are counted by the address that the proxy tells last, where a proxy is trusted', async () => {
    const trusting = await startServiceHere({ storeDir: temporaryFolder(), trustsProxy: true })
    const many = [undefined, (i: number) => `2001:db8:1:${i}::1`, (i: number) => `::ffff:10.2.0.${i}`]
    for (const each of many) assert.equal(await guessLinks(trusting.pages, each), guessedLinks, `of each ${each}`)
    const bounded: readonly (readonly [what: string, forwarded: (i: number) => string])[] = [
      ['one address', () => '192.0.2.1'],
      ['one address of the other kind', () => '2001:db8::1'],
      ['addresses of one /64', (i) => `2001:DB8:0:7::${i}`],
      ['other ones of it', (i) => `2001:db8:0:8:${i}:${i}:0:1`],
      ['one of IPv4, also as IPv6', (i) => ['::ffff:192.0.2.3', '192.0.2.3', '::FFFF:c000:203'][i % 3]!],
      ['addresses of a link', (i) => `fe80::${i}%eth${i}`],
      ['one address behind made-up ones', (i) => `10.1.0.${i}, 192.0.2.2`],
      ['made-up words', (i) => `word ${i}`],
    ]
    for (const [what, forwarded] of bounded) {
      const pages = await guessLinks(trusting.pages, forwarded)
      assert.ok(pages >= wrongLinksPerMinuteMax && pages <= 2 * wrongLinksPerMinuteMax, `${what}: ${pages}`)
    }
    await trusting.stop()
  })
})
