/** The operator's pages: who may open them, and for how long. */
import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { decodeHTMLStrict } from 'entities'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import {
  OperatorSignIns,
  operatorIdleMsMax,
  operatorSessionMsMax,
  SignIns,
  sessionNoteMs,
  signInLinkMsMax,
} from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { DoctorRuns } from '../../src/web/operator/doctor-runs.ts'
import { accounts, run, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { formsIn, Person, rowsOf } from './person.ts'

const storeDir = temporaryFolder()
const dirs = { STORE_DIR: storeDir, INDEX_DIR: temporaryFolder() }
const operatorUrl = async (): Promise<string> => (await accounts(storeDir, 'sign-in', '--operator')).url

describe('The operator’s pages', () => {
  let service: Service
  before(async () => {
    await fixtureIndex(dirs.INDEX_DIR)
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    service = await startService({ ...dirs, WEB_PORT: '0', OPERATOR_PAGES: 'on' })
  })
  after(() => service.stop())

  async function signedIn(): Promise<Person> {
    const person = new Person(service.pages)
    await person.open(new URL(await operatorUrl()).pathname)
    await person.press('Sign in')
    return person
  }

  it('The operator signs in with a link, and the sign-out button closes the operator’s pages', async () => {
    const person = await signedIn()
    assert.equal(person.page!.status, 200)
    assert.match(person.page!.body, /<h1>Today<\/h1>/)
    await person.press('Sign out')
    assert.equal((await person.open('/operator')).status, 403)
  })

  it('The operator’s cookie is strict and only for the operator’s pages, and the sign-in link works once', async () => {
    const { pathname } = new URL(await operatorUrl())
    const { headers, status } = await send(service.pages, pathname, { method: 'POST' })
    assert.deepEqual([status, headers.location], [303, '/operator'])
    const cookie = headers['set-cookie']!.find((text) => text.startsWith('cpl_operator='))!
    assert.match(cookie, /^cpl_operator=[\w-]{43}; Max-Age=43200; Path=\/operator; HttpOnly; SameSite=Strict$/)
    assert.equal((await send(service.pages, pathname, { method: 'POST' })).status, 410)
    assert.equal((await send(service.pages, `${pathname}x`)).status, 404)
  })

  it('The operator’s pages are closed to an account, and an account’s pages to the operator', async () => {
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

  it('The operator’s pages refuse forms from another site', async () => {
    const person = await signedIn()
    const reply = await person.post('/operator/sign-out', '', { origin: 'https://elsewhere.example' })
    assert.equal(reply.status, 403)
    assert.equal((await person.open('/operator')).status, 200)
    const untold = await person.post('/operator/sign-out', '', { origin: 'null' })
    assert.equal(untold.status, 403)
  })

  it('A command ends all sessions and links of the operator, and the audit log has it', async () => {
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

  it('The operator makes an account, sees its key and sign-in link once, and its first request counted', async () => {
    const person = await signedIn()
    await person.open('/operator/accounts')
    const name = 'Ünïque <script>alert(1)</script>'
    await person.press('New account', { name, plan: 'trader' })
    const shown = person.page!
    assert.equal(shown.status, 200)
    const key = /cpl_live_[0-9A-Za-z]{38}/.exec(shown.body)![0]
    const link = new RegExp(`${service.pages}/sign-in/[\\w-]{43}`).exec(shown.body)![0]
    assert.ok(!shown.body.includes('<script>alert'), 'a name is escaped')
    const path = person.path
    assert.equal((await person.open(path)).body.includes(key), false, 'it is shown once')
    const visitor = new Person(service.pages)
    await visitor.open(new URL(link).pathname)
    assert.match((await visitor.press('Sign in')).body, /<h2 id="usage">Usage/)

    const before = await countedToday(person)
    assert.equal((await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status, 200)
    await until('it is seen', async () => (await countedToday(person)) === before + 1)
    const found = await person.open(`/operator/accounts?q=${encodeURIComponent('UNIQUE')}&plan=trader&state=live`)
    assert.deepEqual(rowsIn(found.body), [[name, 'Trader', '1', '1', '1']])
    assert.deepEqual(rowsIn((await person.open('/operator/accounts?q=unique&plan=free')).body), [])
  })

  it('The operator suspends an account at once with a reason, resumes and changes it, and the audit log has each step', async () => {
    const { key } = await accounts(storeDir, 'create', 'late payer', '--plan', 'free')
    const person = await signedIn()
    const statusOfKey = async () => (await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status
    assert.equal(await statusOfKey(), 200)
    const path = await openAccount(person, 'late payer')
    await person.press('Suspend', { reason: 'unpaid <b>' })
    assert.match(person.page!.body, /role="status"[^>]*><p><em>late payer<\/em> is suspended\.<\/p>/)
    const unconfirmed = await person.open(`${path}?done=suspend&unconfirmed`)
    assert.match(unconfirmed.body, /is suspended\. One of the servers has not confirmed it yet/)
    await person.open(`${path}?done=suspend`)
    assert.match(person.page!.body, /<dt>Reason<\/dt><dd>unpaid &lt;b&gt;<\/dd>/)
    assert.equal(await statusOfKey(), 403)
    assert.deepEqual(
      rowsIn((await person.open('/operator/accounts?state=suspended')).body).map(([name]) => name),
      ['late payer suspended'],
    )
    await openAccount(person, 'late payer')
    await person.press('Resume')
    assert.equal(await statusOfKey(), 200)
    await person.press('Change plan', { plan: 'business' })
    await person.press('Rename', { name: 'early payer' })
    assert.match(person.page!.body, /<h1>early payer<\/h1>/)
    await person.press('Revoke')
    await person.press('Yes, revoke')
    assert.match(person.page!.body, /The key <em>default<\/em> is revoked\./)
    assert.equal(await statusOfKey(), 401)
    await person.press('Sign-in link')
    assert.match(person.page!.body, /\/sign-in\/[\w-]{43}/)
    const log = (await accounts(storeDir, 'log', 'early payer')) as { actor: string; action: string }[]
    const done = log.filter(({ actor }) => actor === 'operator page').map(({ action }) => action)
    assert.deepEqual(done.toReversed(), [
      'account suspended',
      'account resumed',
      'plan changed',
      'account renamed',
      'key revoked',
      'sign-in link created',
    ])
  })

  it('A refused form keeps what the operator typed, and names the reason', async () => {
    const person = await signedIn()
    await person.open('/operator/accounts')
    const refused = await person.press('New account', { name: 'acme', plan: 'business' })
    assert.equal(refused.status, 400)
    assert.match(refused.body, /role="alert">The account acme already exists\.<\/p>/)
    assert.match(refused.body, /id="new-name" [^>]*value="acme"/)
    assert.match(refused.body, /<option value="business" selected>/)
    await openAccount(person, 'acme')
    const renamed = await person.press('Rename', { name: '-x' })
    assert.equal(renamed.status, 400)
    assert.match(renamed.body, /role="alert">The name of an account begins with no blank or hyphen/)
    assert.match(renamed.body, /id="rename-field" [^>]*value="-x"/)
    assert.equal((await person.press('Change plan', { plan: 'constructor' })).status, 400)
  })

  it('A form that the operator sends after the session’s end keeps what was typed, and can be sent in the next session', async () => {
    const person = await signedIn()
    await openAccount(person, 'acme')
    const suspend = formsIn(person.page!.body).find(({ buttons }) => buttons.includes('Suspend'))!
    await accounts(storeDir, 'sign-out', '--operator')
    const kept = await person.submit(suspend, { reason: 'typed before it ended' })
    assert.equal(kept.status, 401)
    assert.match(kept.body, /card-prices accounts sign-in --operator/)
    assert.match(kept.body, /value="typed before it ended"/)
    const again = formsIn(kept.body).find(({ buttons }) => buttons.includes('Send again'))!
    await person.open(new URL(await operatorUrl()).pathname)
    await person.press('Sign in')
    const sent = await person.submit(again)
    assert.match(sent.body, /<dt>Reason<\/dt><dd>typed before it ended<\/dd>/)
    await person.press('Resume')
  })

  it('The operator gets 404 for unknown or deleted accounts, unknown keys, and a key of another account', async () => {
    const person = await signedIn()
    const { keyId } = await accounts(storeDir, 'create', 'other', '--plan', 'free')
    const own = await openAccount(person, 'acme')
    for (const path of [
      '/operator/accounts/999999999',
      '/operator/accounts/-1',
      '/operator/accounts/1e1',
      '/operator/accounts/constructor',
      `${own}/keys/${keyId}/revoke`,
      `${own}/keys/nope/revoke`,
    ]) {
      assert.equal((await person.open(path)).status, 404, path)
    }
    const { status } = await person.post(`${own}/keys/${keyId}/revoke`, '')
    assert.equal(status, 404)
    const gone = await openAccount(person, 'other')
    await accounts(storeDir, 'delete', 'other', '--yes')
    assert.equal((await person.open(gone)).status, 404)
    assert.equal((await person.post(`${gone}/resume`, '')).status, 404)
  })

  it('The operator reads the audit log by account, action and days, and as CSV', async () => {
    const person = await signedIn()
    await accounts(storeDir, 'create', '=1+1', '--plan', 'free')
    const page = await person.open(`/operator/log?account=${encodeURIComponent('=1+1')}&action=account+created&days=1`)
    const [, entry] = rowsOf(page.body, 'Entries of the audit log')
    assert.deepEqual([entry?.[2], entry?.[3], entry?.[5]], ['account created', '=1+1', 'free'])
    assert.match((await person.open('/operator/log?account=nobody')).body, /There is no account of this name/)
    assert.equal((await person.open('/operator/log?days=x&action=constructor&before=x')).status, 200)
    const csv = await person.open(`/operator/log.csv?account=${encodeURIComponent('=1+1')}`)
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8; header=present')
    const lines = csv.body.split('\r\n')
    assert.equal(lines[0], '\uFEFFtime,actor,action,account,keyId,detail')
    assert.equal(lines.length, 4, 'two entries')
    for (const line of lines.slice(1, -1)) assert.match(line, /^[\dT:.-]+Z,command [^,]+,(account|key) created,'=1\+1,/)
  })

  it('The operator sees the same lines as the doctor prints', async () => {
    const person = await signedIn()
    const { body } = await person.open('/operator?check')
    const found = [...body.matchAll(/<li><span class="tag">(\w+)<\/span> <strong>([^<]+)<\/strong>: ([^<]*)/g)]
    const shown = found.map(([, state, part, text]) => [state, part, decodeHTMLStrict(text!)])
    const env = { ...process.env, ...dirs, PORT: '0', WEB_PORT: '0', OPERATOR_PAGES: 'on' }
    const { stdout } = await run('src/cli/main.ts', ['doctor', '--json'], env)
    const findings = JSON.parse(stdout) as { state: string; part: string; found: string }[]
    const expected = findings
      .filter(({ state }) => state !== 'ok')
      .map(({ state, part, found }) => [state, part, found])
    assert.deepEqual(shown, expected)
    assert.ok(
      shown.some(([, part]) => part === 'backup'),
      'there is no backup',
    )
  })
})

/** The rows of the list of accounts, without the last use. */
const rowsIn = (body: string): string[][] =>
  body.includes('>Accounts</caption>')
    ? rowsOf(body, 'Accounts')
        .slice(1)
        .map((row) => row.slice(0, 5))
    : []

async function countedToday(person: Person): Promise<number> {
  const { body } = await person.open('/operator')
  return Number(/<dt>Counted to quotas<\/dt><dd><data value="(\d+)">/.exec(body)![1])
}

/** Opens the page of an account by the list. Returns its path. */
async function openAccount(person: Person, name: string): Promise<string> {
  const { body } = await person.open(`/operator/accounts?q=${encodeURIComponent(name)}`)
  const path = /href="(\/operator\/accounts\/\d+)"/.exec(body)![1]!
  assert.equal((await person.open(path)).status, 200)
  return path
}

it('A server without OPERATOR_PAGES has no operator’s pages, and their link comes with a warning', async () => {
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

it('The operator’s page starts the doctor if its last run is older than 15 s, and never twice at once', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') })
  try {
    let begun = 0
    const runs = new DoctorRuns(async () => {
      begun++
      return { stdout: '[]' }
    })
    assert.equal(runs.latest(), undefined)
    assert.equal(runs.latest(), undefined)
    const first = await runs.run()
    assert.deepEqual([begun, runs.latest()], [1, first])
    mock.timers.tick(15_000)
    assert.deepEqual([runs.latest(), begun], [first, 1])
    mock.timers.tick(1)
    assert.deepEqual([runs.latest(), begun], [first, 2])
    const second = await runs.run()
    assert.deepEqual([begun, second.at - first.at, runs.latest()], [2, 15_001, second])
  } finally {
    mock.timers.reset()
  }
})

it('A session of the operator ends 1 hour after its last page, and 12 hours after it began', async () => {
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
