/** Attacks on pages: forms from elsewhere, guesses, bodies and heads without end; and the parts of every page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import { before, describe, it } from 'node:test'
import { loadAssets } from '../../src/web/assets.ts'
import { accounts } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { send } from '../support/service.ts'
import { type Form, formsIn, Person } from './person.ts'
import { servePages } from './service-here.ts'
import { guessLinks } from './wrong-links.ts'

describe('The security of the pages', () => {
  const service = servePages(fixtureIndex)
  const { storeDir } = service
  let person: Person
  let account: string
  let keyId: string
  before(async () => {
    ;({ person, name: account, keyId } = await service.shop('trader'))
  })

  const formWith = async (path: string, button: string): Promise<Form> =>
    formsIn((await person.open(path)).body).find(({ buttons }) => buttons.includes(button))!

  describe('Every page', () => {
    it('The pages’ styles and scripts come from this server, with types, gzip and headers to cache them for ever', async () => {
      const pages = ['/docs', '/docs/reference', '/dashboard', '/dashboard/keys'].map((path) =>
        send(service.pages, path, { headers: { cookie: person.cookie } }),
      )
      const bodies = (await Promise.all(pages)).map(({ body }) => body).join('')
      const parts = new Set([...bodies.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, path]) => path!))
      assert.ok(parts.size >= 9, `${parts.size}`)
      const types: Record<string, string> = { js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }
      types['css'] = 'text/css; charset=utf-8'
      for (const path of parts) {
        assert.match(path, /^\/assets\/[0-9a-f]{12}\/[a-z-]+\.(css|js|svg)$/)
        const plain = await send(service.pages, path)
        assert.equal(plain.status, 200)
        assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.equal(plain.headers['content-type'], types[path.split('.')[1]!])
        for (const [, name] of plain.body.matchAll(/ from '\.\/([^']*)'/g)) {
          assert.equal(
            (await send(service.pages, path.replace(/[^/]*$/, name!))).status,
            200,
            `${path} imports ${name}`,
          )
        }
        const packed = await send(service.pages, path, { headers: { 'accept-encoding': 'gzip' } })
        assert.equal(packed.headers['content-encoding'], 'gzip')
        assert.ok(Number(packed.headers['content-length'] ?? packed.body.length) < plain.body.length + 100)
      }
      for (const path of ['x/style.css', '', '..%2f..%2fpackage.json', '000000000000/style.css']) {
        assert.equal((await send(service.pages, `/assets/${path}`)).status, 404, path)
      }
    })
  })

  describe('A form and its origin', () => {
    const other = 'https://evil.example'
    const fromElsewhere: readonly (readonly [what: string, headers: Record<string, string>])[] = [
      ['another origin', { origin: other }],
      ['another origin that says it is none', { origin: other, 'sec-fetch-site': 'same-origin' }],
      ['another port of this host', { origin: 'http://127.0.0.1:1' }],
      ['another scheme of this host', { origin: 'https://127.0.0.1' }],
      ['a page without an origin', { origin: 'null' }],
      ['a page without an origin, elsewhere', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['a sibling', { 'sec-fetch-site': 'same-site' }],
      ['a site that claims our origin', { 'sec-fetch-site': 'cross-site' }],
      ['a site of an unknown kind', { 'sec-fetch-site': 'anything' }],
      ['an empty origin', { origin: '' }],
    ]
    it('A form from another site gets 403 and changes nothing', async () => {
      const before = JSON.stringify(await accounts(storeDir, 'keys', account))
      const { url } = await accounts(storeDir, 'sign-in', account)
      const posts: [path: string, body: string][] = [
        ['/dashboard/keys', 'name=stolen'],
        [`/dashboard/keys/${keyId}/revoke`, ''],
        [`/dashboard/keys/${keyId}/regenerate`, ''],
        [`/dashboard/keys/${keyId}/rename`, 'name=stolen'],
        ['/sign-out', ''],
        [new URL(url).pathname, ''],
      ]
      const alike = ['an origin that only begins like ours', { origin: `${service.pages}.example` }] as const
      for (const [what, given] of [...fromElsewhere, alike]) {
        for (const [path, body] of posts) {
          const type = 'application/x-www-form-urlencoded'
          const headers = { origin: service.pages, 'content-type': type, ...given, cookie: person.cookie }
          const reply = await send(service.pages, path, { method: 'POST', headers, body })
          assert.equal(reply.status, 403, `${what}, ${path}`)
          assert.equal(reply.headers['set-cookie'], undefined)
        }
      }
      assert.equal(JSON.stringify(await accounts(storeDir, 'keys', account)), before)
      assert.equal((await person.open('/dashboard')).status, 200)
      assert.equal((await send(service.pages, new URL(url).pathname)).status, 200, 'the link is good still')
    })

    const fromHere: readonly (readonly [what: string, headers: Record<string, string>])[] = [
      ['as browsers send it from a page that tells no referrer', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
      ['as they send it over http between machines', { origin: 'null' }],
      ['with its origin', { 'sec-fetch-site': 'same-origin' }],
      ['of a page that the user opened', { origin: 'null', 'sec-fetch-site': 'none' }],
    ]
    for (const [what, headers] of fromHere) {
      it(`A form of this site, ${what}, is accepted`, async () => {
        const form = await formWith(`/dashboard/keys/${keyId}/rename`, 'Rename')
        assert.equal((await person.submit(form, { name: what.slice(0, 60) }, headers)).status, 200)
        assert.ok(person.page!.body.includes(what.slice(0, 60)))
        const { url } = await accounts(storeDir, 'sign-in', account)
        const another = new Person(service.pages)
        await another.open(new URL(url).pathname)
        const [signIn] = formsIn(another.page!.body)
        assert.match((await another.submit(signIn!, {}, headers)).body, new RegExp(`<h1>${account}</h1>`))
      })
    }

    it('A form without headers of a browser is accepted, but not with another session’s token', async () => {
      const type = 'application/x-www-form-urlencoded'
      const path = `/dashboard/keys/${keyId}/rename`
      const headers = { cookie: person.cookie, 'content-type': type }
      assert.equal((await send(service.pages, path, { method: 'POST', headers, body: 'name=plain' })).status, 303)
      const other = await Person.signedIn(service.pages, storeDir, account)
      const form = formsIn((await other.open(path)).body).find(({ buttons }) => buttons.includes('Rename'))!
      assert.equal((await person.submit(form, { name: 'x' }, { origin: 'null' })).status, 403)
    })

    const wrong: readonly (readonly [what: string, headers: Record<string, string>, body: string, status: number])[] = [
      ['too large', {}, `name=${'x'.repeat(17_000)}`, 413],
      ['of JSON', { 'content-type': 'application/json' }, '{"name":"x"}', 415],
      ['of parts', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--', 415],
      ['of text', { 'content-type': 'text/plain' }, 'name=x', 415],
      ['without its length', { 'transfer-encoding': 'chunked' }, 'name=x', 411],
    ]
    it('A form too large, or of another type, is rejected', async () => {
      for (const [what, headers, body, status] of wrong) {
        assert.equal((await person.post('/dashboard/keys', body, headers)).status, status, what)
      }
    })
  })

  describe('The bounds for strangers', () => {
    it('A request whose head never ends gets 431', async () => {
      const socket = connect(Number(new URL(service.pages).port), '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
      socket.on('error', () => {})
      const writing = setInterval(() => socket.write(`X-${Math.random()}: ${'a'.repeat(1000)}\r\n`), 5)
      const [first] = (await once(socket, 'data')) as [Buffer]
      clearInterval(writing)
      socket.destroy()
      assert.match(first.toString('latin1'), /^HTTP\/1\.1 431 /)
    })

    it('A visitor who guesses sign-in links shuts out nobody with a good link', async () => {
      const good = new URL((await accounts(storeDir, 'sign-in', account)).url).pathname
      await guessLinks(service.pages)
      const { status, headers, body } = await send(service.pages, '/sign-in/none')
      const refused = [status, headers['retry-after'], headers.connection, body]
      assert.deepEqual(refused, [429, '60', 'close', 'Too many wrong sign-in links.'])
      assert.equal((await person.open('/dashboard')).status, 200)
      assert.equal((await send(service.pages, good)).status, 200)
      assert.equal((await send(service.pages, good, { method: 'POST' })).status, 303)
    })
  })
})

it('The address of a page’s style changes with the style', (context) => {
  const addressOf = () => loadAssets().path('style.css')
  const before = addressOf()
  const style = `${loadAssets().find(before)!.bytes}`
  const folder = new URL('../../src/web/style/', import.meta.url)
  // Comments and line breaks are not sent.
  assert.doesNotMatch(style, /\/\*|\n/)
  for (const name of fs.readdirSync(folder)) {
    const rules = `${fs.readFileSync(new URL(name, folder))}`.replace(/\/\*.*?\*\//gs, '')
    assert.ok(style.includes(rules.replace(/\s+/g, ' ').trim()), name)
  }
  const { readFileSync: read } = fs
  const newer = (path: string | URL, ...more: []) =>
    String(path).endsWith('/uPlot.min.css') ? Buffer.from('newer') : read(path, ...more)
  context.mock.method(fs, 'readFileSync', newer as typeof read)
  syncBuiltinESMExports()
  const after = addressOf()
  context.mock.restoreAll()
  syncBuiltinESMExports()
  assert.notEqual(after, before)
  assert.equal(addressOf(), before)
})
