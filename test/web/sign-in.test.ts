/** Signing in by a link, sessions and their ends, over real HTTP; and visitors without a session: their forms, and wrong links. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Hono } from 'hono'
import { hashOf } from '../../src/accounts/keys.ts'
import { wrongLinksPerMinuteMax } from '../../src/limits.ts'
import { visitorNetwork } from '../../src/web/shared/look-ups.ts'
import { formToken } from '../../src/web/shared/session.ts'
import type { PageEnv, Site } from '../../src/web/site.ts'
import { accounts, runHere, temporaryFolder } from '../support/command.ts'
import { type Reply, send } from '../support/service.ts'
import { formsIn, Person } from './person.ts'
import { type ServiceHere, startServiceHere } from './service-here.ts'
import { guessedLinks, guessLinks } from './wrong-links.ts'

const storeDir = temporaryFolder()
let service: ServiceHere
before(async () => {
  for (const name of ['acme', 'other', 'foreign']) await accounts(storeDir, 'create', name, '--plan', 'free')
  service = await startServiceHere({ storeDir })
})
after(() => service.stop())

describe('Signing in', () => {
  const link = async (account = 'acme') => (await accounts(storeDir, 'sign-in', account)) as Record<string, string>
  const pathOf = (url: string) => new URL(url).pathname
  const signedIn = (account: string) => Person.signedIn(service.pages, storeDir, account)

  describe('A sign-in link', () => {
    it('A sign-in link is printed with its account, the pages’ address and its end', async () => {
      const reported = await link()
      assert.deepEqual(Object.keys(reported), ['account', 'url', 'expiresAt'])
      assert.equal(reported['account'], 'acme')
      assert.match(reported['url']!, new RegExp(`^${service.pages}/sign-in/[\\w-]{43}$`))
      const ms = Date.parse(reported['expiresAt']!) - Date.now()
      assert.ok(ms > 14 * 60_000 && ms <= 15 * 60_000, `${ms}`)
      assert.ok(!reported['url']!.includes('undefined'))
    })

    it('A sign-in link names the account, and opening it signs nobody in', async () => {
      const { url } = await link()
      for (let i = 0; i < 3; i++) {
        for (const method of ['GET', 'HEAD']) {
          const reply = await send(service.pages, pathOf(url!), { method })
          assert.equal(reply.status, 200)
          assert.doesNotMatch(String(reply.headers['set-cookie']), /cpl_session/)
          if (method === 'GET') assert.match(reply.body, /<h1>Sign in as acme<\/h1>/)
        }
      }
      const person = new Person(service.pages)
      await person.open(pathOf(url!))
      assert.match((await person.press('Sign in')).body, /<h1>acme<\/h1>/)
    })

    it('A sign-in link sets a cookie that no script reads, for this site alone', async () => {
      const { url } = await link()
      const reply = await send(service.pages, pathOf(url!), { method: 'POST', headers: { origin: service.pages } })
      const cookie = reply.headers['set-cookie']![0]!
      assert.match(cookie, /^cpl_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    })

    it('A sign-in link works once, even for many at the same moment', async () => {
      const { url } = await link()
      const use = async () => (await send(service.pages, pathOf(url!), { method: 'POST' })).status
      const statuses = await Promise.all(Array.from({ length: 8 }, use))
      assert.deepEqual(statuses.sort(), [303, ...Array(7).fill(410)])
    })

    const wrong: readonly (readonly [what: string, path: string])[] = [
      ['of another token', `/sign-in/${randomBytes(32).toString('base64url')}`],
      ['too short', '/sign-in/abc'],
      ['too long', `/sign-in/${'a'.repeat(3000)}`],
      ['malformed', '/sign-in/%E0%A4%A'],
      ['with a key in it', `/sign-in/cpl_live_${'a'.repeat(38)}`],
      ['a path out', '/sign-in/..%2f..%2fetc%2fpasswd'],
    ]
    it('A wrong sign-in link is 404, and the page says what to do', async () => {
      for (const [what, path] of wrong) {
        for (const method of ['GET', 'POST']) {
          const reply = await send(service.pages, path, { method })
          assert.equal(reply.status, 404, what)
          assert.match(reply.body, /ask the operator for a new one/i)
        }
      }
    })
  })

  describe('A session', () => {
    it('A session ends by the sign-out button, and other sessions of its account go on', async () => {
      const [one, two] = [await signedIn('acme'), await signedIn('acme')]
      const stolen = one.cookie
      await one.open('/dashboard')
      await one.press('Sign out')
      assert.equal(one.cookie, '')
      one.cookie = stolen
      assert.match((await one.open('/dashboard')).body, /the operator gives out sign-in links/)
      assert.match((await two.open('/dashboard')).body, /<h1>acme<\/h1>/)
    })

    it('The command sign-out ends all sessions of its account at once, and none of another account', async () => {
      const [one, two, other] = [await signedIn('acme'), await signedIn('acme'), await signedIn('other')]
      const ended = await accounts(storeDir, 'sign-out', 'acme')
      assert.equal(ended.account, 'acme')
      assert.ok(ended.sessions >= 2)
      for (const person of [one, two])
        assert.equal((await send(service.pages, '/dashboard', cookieOf(person))).status, 303)
      assert.equal((await send(service.pages, '/dashboard/usage.json', cookieOf(one))).status, 401)
      assert.equal((await send(service.pages, '/dashboard', cookieOf(other))).status, 200)
    })

    it('The command sign-out also ends unused links of its account, but no later ones and none of another account', async () => {
      const [before, others] = [await link(), await link('other')]
      await accounts(storeDir, 'sign-out', 'acme')
      const later = await link()
      const statusOf = async ({ url }: Record<string, string>, method = 'GET') =>
        (await send(service.pages, pathOf(url!), { method })).status
      assert.deepEqual([await statusOf(before), await statusOf(before, 'POST')], [410, 410])
      assert.deepEqual([await statusOf(others, 'POST'), await statusOf(later, 'POST')], [303, 303])
    })

    it('A session outlives a restart of the server', async () => {
      const person = await signedIn('acme')
      const before = await link()
      await service.stop()
      service = await startServiceHere({ storeDir })
      assert.equal((await send(service.pages, '/dashboard', cookieOf(person))).status, 200)
      assert.equal((await send(service.pages, pathOf(before['url']!))).status, 200, 'a link outlives it, too')
    })

    it('A forged, empty or overlong cookie opens no session', async () => {
      const forged = randomBytes(32).toString('base64url')
      for (const value of [forged, '', 'a'.repeat(2000), '"><script>', `${forged}; cpl_session=${forged}`, '%00%ff']) {
        const reply = await send(service.pages, '/dashboard', { headers: { cookie: `cpl_session=${value}` } })
        assert.equal(reply.status, 303, value)
      }
      const reply = await send(service.pages, '/dashboard', { headers: { cookie: `cpl_session=${'a'.repeat(9000)}` } })
      assert.equal(reply.status, 431)
    })
  })

  describe('The command sign-in', () => {
    it('The command sign-in says if no address is known, or nobody serves pages there', async () => {
      const folder = temporaryFolder()
      await accounts(folder, 'create', 'acme', '--plan', 'free')
      const unknown = await runHere(['accounts', 'sign-in', 'acme'], { STORE_DIR: folder })
      assert.equal(unknown.code, 1)
      assert.match(unknown.stderr, /^accounts: the address of the pages is not known: .*WEB_URL/)
      const table: readonly (readonly [env: Record<string, string>, address: string])[] = [
        [{ WEB_URL: 'https://prices.example/' }, 'https://prices.example'],
        [{ WEB_PORT: '8081' }, 'http://127.0.0.1:8081'],
        [{ WEB_PORT: '8081', WEB_HOST: '::1' }, 'http://[::1]:8081'],
        [{ WEB_PORT: '8081', HOST: '10.0.0.1' }, 'http://10.0.0.1:8081'],
      ]
      for (const [env, address] of table) {
        const known = await runHere(['accounts', 'sign-in', 'acme', '--json'], { STORE_DIR: folder, ...env })
        assert.equal(known.code, 0, known.stderr)
        assert.match(known.stderr, /no server with pages runs on this store/)
        assert.ok(JSON.parse(known.stdout).url.startsWith(`${address}/sign-in/`), known.stdout)
      }
      for (const command of ['sign-in', 'sign-out']) {
        const nobody = await runHere(['accounts', command, 'nobody'], { STORE_DIR: folder, WEB_PORT: '8081' })
        assert.equal(nobody.code, 1)
        assert.match(nobody.stderr, /there is no account nobody/)
      }
    })
  })

  const cookieOf = ({ cookie }: Person) => ({ headers: { cookie } })
})

describe('Visitors without a session', () => {
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

  describe('A browser that does not say where a form comes from', () => {
    it('A browser without origin headers is signed in by the page it was shown, and by no other site', async () => {
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

    it('A browser without origin headers keeps its cookie from page to page, so forms in other tabs work', async () => {
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

  it('A browser with origin headers gets no cookie before it is signed in', async () => {
    const path = await linkPath()
    const headers = { 'sec-fetch-site': 'same-origin' }
    const shown = await send(service.pages, path, { headers: { 'sec-fetch-site': 'none' } })
    assert.deepEqual([shown.headers['set-cookie'], fieldOf(shown)], [undefined, undefined])
    const reply = await send(service.pages, path, { method: 'POST', headers: { origin: 'null', ...headers } })
    assert.equal(reply.status, 303)
  })

  it('Wrong sign-in links are counted by the last address that a trusted proxy names', async () => {
    const trusting = await startServiceHere({ storeDir: temporaryFolder(), trustsProxy: true })
    assert.equal(await guessLinks(trusting.pages), guessedLinks, 'of each address one')
    const pages = await guessLinks(trusting.pages, () => '192.0.2.1')
    assert.ok(pages >= wrongLinksPerMinuteMax && pages <= 2 * wrongLinksPerMinuteMax, `${pages}`)
    await trusting.stop()
  })

  /** The networks by which visitors with these forwarded addresses are counted, behind a proxy that is trusted. */
  async function networksOf(forwarded: (i: number) => string): Promise<Set<string>> {
    const app = new Hono<PageEnv>()
    app.get('/', (context) => context.text(visitorNetwork({ trustsProxy: true } as Site, context)))
    const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
    const ask = async (i: number) => {
      const reply = await app.request('/', { headers: { 'X-Forwarded-For': forwarded(i) } }, env)
      return reply.text()
    }
    return new Set(await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i))))
  }

  const others: readonly ((i: number) => string)[] = [(i) => `2001:db8:1:${i}::1`, (i) => `::ffff:10.2.0.${i}`]
  const same: readonly (readonly [what: string, forwarded: (i: number) => string])[] = [
    ['one address', () => '192.0.2.1'],
    ['one address of the other kind', () => '2001:db8::1'],
    ['addresses of one /64', (i) => `2001:DB8:0:7::${i}`],
    ['other ones of it', (i) => `2001:db8:0:8:${i}:${i}:0:1`],
    ['one of IPv4, also as IPv6', (i) => ['::ffff:192.0.2.3', '192.0.2.3', '::FFFF:c000:203'][i % 3]!],
    ['addresses of a link', (i) => `fe80::${i}%eth${i}`],
    ['one address behind made-up ones', (i) => `10.1.0.${i}, 192.0.2.2`],
    ['made-up words', (i) => `word ${i}`],
  ]
  it('Visitors of one network are counted together, and those of others apart', async () => {
    for (const forwarded of others) assert.equal((await networksOf(forwarded)).size, 60, forwarded(1))
    for (const [what, forwarded] of same) assert.equal((await networksOf(forwarded)).size, 1, what)
    assert.deepEqual(await networksOf((i) => `word ${i}`), new Set(['127.0.0.1']), 'where the proxy tells no address')
  })
})

describe('A page of an account without a session', () => {
  const open = (path: string, cookie = '') => send(service.pages, path, { headers: { cookie } })

  it('A link to an account’s card or look-up leads a stranger to the public page', async () => {
    for (const path of ['/cards/pokemon-base1-004', '/look-up?q=forest&game=pokemon']) {
      const reply = await open(`/dashboard${path}`)
      assert.deepEqual([reply.status, reply.headers['location'], reply.headers['set-cookie']], [303, path, undefined])
    }
  })

  it('Signing in leads back to the page of the account that was asked for', async () => {
    const turned = await open('/dashboard/keys?x=1')
    assert.deepEqual([turned.status, turned.headers['location']], [303, '/'])
    const { url } = (await accounts(storeDir, 'sign-in', 'acme')) as Record<string, string>
    const cookie = turned.headers['set-cookie']![0]!.split(';')[0]!
    const headers = { origin: service.pages, cookie }
    const signedIn = await send(service.pages, new URL(url!).pathname, { method: 'POST', headers })
    assert.equal(signedIn.headers['location'], '/dashboard/keys?x=1')
    assert.match(String(signedIn.headers['set-cookie']), /cpl_next=; Max-Age=0; Path=\/; HttpOnly/)
  })

  for (const next of [
    '//evil.example',
    'https://evil.example/dashboard',
    '/dashboard/../operator',
    '/dashboardx',
    '%0d',
    '\\\\e',
  ]) {
    it(`Signing in leads to the dashboard if the cookie says ${JSON.stringify(next)}`, async () => {
      const { url } = (await accounts(storeDir, 'sign-in', 'acme')) as Record<string, string>
      const headers = { origin: service.pages, cookie: `cpl_next=${encodeURIComponent(next)}` }
      const signedIn = await send(service.pages, new URL(url!).pathname, { method: 'POST', headers })
      assert.equal(signedIn.headers['location'], '/dashboard')
    })
  }
})
