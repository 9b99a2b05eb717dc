/** A fault of our own: an answer that throws. The caller gets a 500 that tells nothing, others go on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { Answers } from '../../src/api/answers.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { Problems } from '../../src/api/problems.ts'
import { routes } from '../../src/api/routes.ts'
import { Admissions, endpointOf } from '../../src/http/admission.ts'
import { Connections } from '../../src/http/connections/connections.ts'
import type { HttpRequest, HttpResponse } from '../../src/http/connections/uws.ts'
import { ErrorBoundary } from '../../src/http/error-boundary.ts'
import { Replies } from '../../src/http/reply.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { type PlanName, plans } from '../../src/plans.ts'
import type { ApiForm } from '../../src/settings.ts'
import { Store } from '../../src/store/store.ts'
import { assertError } from '../api/served-forms.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { forms } from '../support/servers-here.ts'
import { type Sent, send } from '../support/service.ts'

const loggedIn = (line: string) => {
  const { level, err, path, msg } = JSON.parse(line)
  return [level, err.type, path, msg]
}

const card = '/v1/cards/pokemon-base1-004'
const fail = () => {
  throw new TypeError('/a/path/of/ours')
}

for (const form of forms) {
  it(`An exception in a handler gets 500 without details in form ${form}, is refunded, and the server goes on`, {
    timeout: 300_000,
  }, async () => {
    const [indexDir, storeDir] = [await fixtureIndex(), temporaryFolder()]
    const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'trader')
    const damaged = (await accounts(storeDir, 'create', 'b', '--plan', 'trader')).key
    const lines: string[] = []
    const log = pino({ base: null }, { write: (line) => lines.push(line) })
    const host = await AccountsHost.open({ storeDir, log })
    const store = new Store(storeDir)
    store.database.run('PRAGMA ignore_check_constraints = ON')
    store.database.run(`UPDATE accounts SET plan = 'none' WHERE number = 1`)
    const authenticator = new Authenticator(host.shared)
    const server = new Server({ settings: { API_FORM: form, TLS_CERT: undefined }, authenticator, log })
    const data = await openDataset(await loadVersion(indexDir, readFileSync(join(indexDir, 'current'), 'utf8').trim()))
    Object.defineProperties(data.catalog, { gamesBody: { value: fail }, batch: { value: fail } })
    Object.defineProperty(data.catalog, 'matches', { value: () => null })
    Object.defineProperty(data.history, 'body', { value: fail })
    server.data = data
    const address = `http://127.0.0.1:${await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true })}`
    const batch = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ids":[]}' }
    const unsendable = '/v1/match'
    const table: readonly (readonly [path: string, sent: Sent, form: ApiForm, key: string])[] = [
      ['/v1/games', {}, form, key],
      ['/v1/games', { method: 'HEAD' }, form, key],
      ['/v1/cards/batch', batch, form, key],
      [`${card}/history`, {}, 'A', key],
      [`${card}/prices`, {}, 'B', key],
      ['/v1/sets', {}, form, damaged],
      [`${card}/prices`, {}, 'B', damaged],
      ['/v1/cards/batch', batch, form, damaged],
      [unsendable, { ...batch, body: '{"cards":[{"name":"Abra"}]}' }, form, key],
    ]
    const expected = table.map(([path, , , secret]) =>
      secret === key && path !== unsendable
        ? [50, 'TypeError', path.replace('pokemon-base1-004', '{id}'), 'a response failed']
        : [50, 'TypeError', undefined, 'a request could not be answered'],
    )
    for (const [path, sent, formOfRoute, secret] of table) {
      const headers = { ...sent.headers, 'x-api-key': secret, connection: 'keep-alive' }
      const reply = await send(address, path, { ...sent, headers })
      const isRefunded = secret === key && path !== unsendable
      assert.equal(reply.headers.connection, isRefunded ? undefined : 'close', path)
      assert.equal(reply.headers['x-ratelimit-remaining'], isRefunded ? '10000' : '0', path)
      if (sent.method === 'HEAD') assert.equal(reply.status, 500)
      else assertError(reply, formOfRoute, 500, 'INTERNAL_ERROR')
      assert.ok(!reply.body.includes('path'))
    }
    const reply = await send(address, '/v1/sets', { headers: { 'x-api-key': key } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['x-ratelimit-remaining'], '9998', 'what could not be sent was counted')
    assert.deepEqual(lines.map(loggedIn), expected)
    for (const secret of [key, damaged]) assert.ok(!lines.join('').includes(secret))
    await server.stop()
    await authenticator.close()
    await store.close()
    await host.close()
  })
}

it('A 500 that can’t be sent is logged', async () => {
  const { authenticator, close } = authenticatorOf('free')
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => lines.push(line) })
  const [admissions, replies] = [new Admissions(authenticator, undefined), new Replies(authenticator)]
  const boundary = new ErrorBoundary(log, admissions, replies, new Connections(log))
  boundary.run({} as HttpResponse, new Problems('A'), () => assert.fail('first'))
  assert.deepEqual(lines.map(loggedIn), [
    [50, 'AssertionError', undefined, 'a request could not be answered'],
    [50, 'TypeError', undefined, 'the 500 could not be sent either'],
  ])
  await close()
})

/** An authenticator on a store with one account of its own. */
function authenticatorOf(plan: PlanName) {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'a', plan, Date.now())
  const authenticator = new Authenticator(reserveAccounts(storeDir, false))
  const close = async () => {
    await authenticator.close()
    await store.close()
  }
  return { key, authenticator, close }
}

it('A counted request that fails is refunded, and one that was not counted is not', async () => {
  const { key, authenticator, close } = authenticatorOf('free')
  const admissions = new Admissions(authenticator, undefined)
  const problems = { A: new Problems('A'), B: new Problems('B') }
  const history = routes.find(({ operation }) => operation === 'getCardHistory')!
  const endpoint = endpointOf(history, 'A', new Answers().of[history.operation], problems)
  const request = { getHeader: () => key } as unknown as HttpRequest
  const admit = (serving = true) => admissions.admit(endpoint, request, serving)
  const left = () => admissions.rateOf(request).remaining
  const restricted = Array.from({ length: plans.free.requestsPerDay }, () => admit())
  for (const [status, refused] of [
    ['429 Too Many Requests', admit()],
    ['503 Service Unavailable', admit(false)],
  ] as const) {
    assert.equal(refused.problem?.status, status)
    admissions.refund(refused)
    assert.deepEqual([refused.remaining, left()], [0, 0], status)
  }
  const last = restricted.at(-1)!
  assert.equal(last.problem?.status, '403 Forbidden')
  admissions.refund(last)
  assert.deepEqual([last.remaining, left()], [1, 1])
  assert.deepEqual([admissions.giveUp(endpoint, admit()).remaining, left()], [1, 1])
  await close()
})

it('A server that stops answers HEAD without a body, and 405 with Allow', async () => {
  const { key, authenticator, close } = authenticatorOf('trader')
  const settings = { API_FORM: 'A', TLS_CERT: undefined } as const
  const server = new Server({ settings, authenticator, log: pino({ level: 'silent' }) })
  // Its health is all that is asked of it: a body is waited for, and what comes later is refused.
  server.data = { health: Buffer.from('{}') } as Partial<Dataset> as Dataset
  const port = (await server.apps.listen({ host: '127.0.0.1', port: 0, exclusive: true }))!
  const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const opened = async (sent: string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.write(health + sent)
    await once(socket, 'data')
    return socket
  }
  const waiting = await opened(
    `POST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  )
  const asking = await opened('')
  server.drain()
  const statusOf = async (path: string) => (await send(`http://127.0.0.1:${port}`, path)).status
  assert.deepEqual([await statusOf('/healthz'), await statusOf('/v1/games')], [503, 401])
  const stopped = server.stop()
  let received = ''
  asking.on('data', (data) => {
    received += data
  })
  const asked = ['HEAD /healthz', 'HEAD /nope', 'HEAD /v1/match', 'DELETE /v1/games']
  asking.write(asked.map((line) => health.replace('GET /healthz', line)).join(''))
  await once(asking, 'close')
  assert.match(
    received,
    /^HTTP\/1\.1 503 [^{]*\r\n\r\nHTTP\/1\.1 404 [^{]*\r\n\r\nHTTP\/1\.1 405 [^{]*\r\nAllow: POST, OPTIONS\r\n[^{]*\r\n\r\nHTTP\/1\.1 405 [^{]*\r\nAllow: GET, HEAD, OPTIONS\r\nConnection: close\r\n/i,
  )
  waiting.destroy()
  await stopped
  await close()
})
