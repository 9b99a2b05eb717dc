/** The operator's pages: who may open them, and for how long. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { OperatorSignIns, SignIns } from '../../src/accounts/sign-ins.ts'
import { operatorIdleMsMax, operatorSessionMsMax, sessionNoteMs, signInLinkMsMax } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { type Service, send, startService } from '../support/service.ts'
import { Person } from './person.ts'

const storeDir = temporaryFolder()
const operatorUrl = async (): Promise<string> => (await accounts(storeDir, 'sign-in', '--operator')).url

describe('the desk', () => {
  let service: Service
  before(async () => {
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    const env = { STORE_DIR: storeDir, INDEX_DIR: temporaryFolder() }
    service = await startService({ ...env, WEB_PORT: '0', OPERATOR_PAGES: 'on' })
  })
  after(() => service.stop())

  async function signedIn(): Promise<Person> {
    const person = new Person(service.pages)
    await person.open(new URL(await operatorUrl()).pathname)
    await person.press('Sign in')
    return person
  }

  it('opens by a link that works once, and closes by the button', async () => {
    const person = await signedIn()
    assert.equal(person.page!.status, 200)
    assert.match(person.page!.body, /<h1>Today<\/h1>/)
    await person.press('Sign out')
    assert.equal((await person.open('/operator')).status, 403)
  })

  it('gives a cookie that goes to its pages alone, and from them alone', async () => {
    const { pathname } = new URL(await operatorUrl())
    const { headers, status } = await send(service.pages, pathname, { method: 'POST' })
    assert.deepEqual([status, headers.location], [303, '/operator'])
    const cookie = headers['set-cookie']!.find((text) => text.startsWith('cpl_operator='))!
    assert.match(cookie, /^cpl_operator=[\w-]{43}; Max-Age=43200; Path=\/operator; HttpOnly; SameSite=Strict$/)
    assert.equal((await send(service.pages, pathname, { method: 'POST' })).status, 410)
    assert.equal((await send(service.pages, `${pathname}x`)).status, 404)
  })

  it('is closed to an account, and an account’s pages to the operator', async () => {
    const person = await Person.signedIn(service.pages, storeDir, 'acme')
    const token = /cpl_session=([\w-]+)/.exec(person.cookie)![1]!
    for (const cookie of [`cpl_session=${token}`, `cpl_operator=${token}`]) {
      const { status, body } = await send(service.pages, '/operator', { headers: { cookie } })
      assert.deepEqual([status, body.includes('Today')], [403, false])
    }
    const { pathname } = new URL(await operatorUrl())
    const { headers } = await send(service.pages, pathname, { method: 'POST' })
    const operator = /cpl_operator=([\w-]+)/.exec(headers['set-cookie']!.join())![1]!
    const asAccount = await send(service.pages, '/dashboard', { headers: { cookie: `cpl_session=${operator}` } })
    assert.equal(asAccount.status, 303)
    // Nor does a link of one kind open the other's pages.
    const own = new URL((await accounts(storeDir, 'sign-in', 'acme')).url).pathname
    assert.equal((await send(service.pages, `/operator${own}`)).status, 404)
    const next = new URL(await operatorUrl()).pathname
    assert.equal((await send(service.pages, next.replace('/operator', ''))).status, 404)
  })

  it('refuses forms that another site sends', async () => {
    const person = await signedIn()
    const reply = await person.post('/operator/sign-out', '', { origin: 'https://elsewhere.example' })
    assert.equal(reply.status, 403)
    assert.equal((await person.open('/operator')).status, 200)
    const untold = await person.post('/operator/sign-out', '', { origin: 'null' })
    assert.equal(untold.status, 403)
  })

  it('ends all sessions and links by a command, which the audit log has', async () => {
    const person = await signedIn()
    const unused = new URL(await operatorUrl()).pathname
    const { sessions } = await accounts(storeDir, 'sign-out', '--operator')
    assert.ok(sessions >= 1)
    assert.equal((await person.open('/operator')).status, 403)
    assert.equal((await send(service.pages, unused)).status, 410)
    const log = (await accounts(storeDir, 'log')) as { actor: string; action: string; detail: string }[]
    assert.deepEqual(
      log.slice(0, 4).map(({ actor, action, detail }) => [actor.split(' ')[0], action, detail]),
      [
        ['command', 'sessions ended', `operator, ${sessions}`],
        ['command', 'sign-in link created', 'operator'],
        ['operator', 'sign-in link used', 'operator'],
        ['command', 'sign-in link created', 'operator'],
      ],
    )
  })
})

it('without OPERATOR_PAGES there is no desk, and its link comes with a warning', async () => {
  const dirs = { STORE_DIR: storeDir, INDEX_DIR: temporaryFolder() }
  const service = await startService({ ...dirs, WEB_PORT: '0' })
  try {
    const { stdout, stderr } = await runAccountsHere(storeDir, 'sign-in', '--operator')
    const unknown = await send(service.pages, '/nothing/here')
    for (const path of ['/operator', '/operator/versions', new URL(stdout.split('\n')[0]!).pathname]) {
      const { status, body } = await send(service.pages, path)
      assert.deepEqual([status, body], [404, unknown.body])
    }
    assert.match(stderr, /has no operator's pages: the link works when it runs with OPERATOR_PAGES=on\n$/)
  } finally {
    await service.stop()
  }
})

it('a session of the operator ends 1 hour after its last page, and 12 hours after it began', async () => {
  const store = new Store(temporaryFolder())
  const [now, hour] = [Date.parse('2026-11-21T12:00:00Z'), 3_600_000]
  try {
    const signIns = new OperatorSignIns(store, noReplication())
    const start = async () => {
      const { token, expiresAt } = await signIns.makeLink(now)
      assert.equal(expiresAt, now + signInLinkMsMax)
      const used = await signIns.useLink(token, now)
      return (used as { session: string }).session
    }
    const idle = await start()
    assert.ok(await signIns.findSession(idle, now + operatorIdleMsMax, false))
    assert.equal(await signIns.findSession(idle, now + operatorIdleMsMax + sessionNoteMs, false), undefined)
    const busy = await start()
    for (let at = now; at < now + operatorSessionMsMax; at += hour / 2) {
      assert.ok(await signIns.findSession(busy, at, true), `${(at - now) / hour} h`)
    }
    assert.equal(await signIns.findSession(busy, now + operatorSessionMsMax, true), undefined)
    assert.equal(await new SignIns(store, noReplication()).findSession(busy, now, false), undefined)
    assert.equal(store.countSessions(0, 0), 0, 'sessions of accounts')
  } finally {
    await store.close()
  }
})
