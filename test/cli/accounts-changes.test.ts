/** Accounts that are suspended, resumed, renamed and deleted beside running servers, and the log of all changes. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { assertError, formOf } from '../api/served-forms.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Reply, type Sent, type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Person, shownKey, textOf } from '../web/person.ts'

const indexDir = temporaryFolder()
await fixtureIndex(indexDir)

const card = '/v1/cards/pokemon-base1-004'
const batch = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ids":[]}' }
const wrongBatch = { ...batch, headers: { 'content-type': 'text/plain' } }

/** A request with that key, over a connection of its own: together they reach every thread. */
const ask = (key: string, path = '/v1/games', sent: Sent = {}): Promise<Reply> =>
  send(service.address, path, { ...sent, headers: { 'x-api-key': key, ...sent.headers } })

/** The answer of every thread. */
async function everywhere<Value>(key: string, of: (reply: Reply) => Value): Promise<Value> {
  const replies = await Promise.all(Array.from({ length: 8 }, () => ask(key, card)))
  const [value, ...others] = new Set(replies.map(of))
  assert.deepEqual(others, [], 'every thread has the same')
  return value!
}

const statusEverywhere = (key: string) => everywhere(key, ({ status }) => status)

const storeDir = temporaryFolder()
let service: Service
after(async () => assert.equal(await service.stop(), 0))

describe('A suspended account', () => {
  let keys: string[]
  let other: string
  before(async () => {
    const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'trader')
    keys = [key, (await accounts(storeDir, 'create-key', 'acme')).key]
    other = (await accounts(storeDir, 'create', 'other', '--plan', 'free')).key
    service = await startService({ STORE_DIR: storeDir, INDEX_DIR: indexDir, THREADS: '2', WEB_PORT: '0' })
  })

  /** The answer to `/prices` is always of form B. */
  const paths: readonly (readonly [path: string, sent?: Sent])[] = [
    ['/v1/games'],
    [card],
    [`${card}/history`],
    [`${card}/prices`],
    ['/v1/cards/nope'],
    ['/v1/search'],
    ['/v1/cards/batch', batch],
    ['/v1/cards/batch', wrongBatch],
  ]

  it('A suspended account gets 403 on every endpoint once the command returns, and its requests do not count', async () => {
    for (const key of keys) assert.equal(await statusEverywhere(key), 200)
    const before = (await ask(keys[0]!)).headers['x-ratelimit-remaining']
    const suspended = await accounts(storeDir, 'suspend', 'acme', '--reason', 'the bill of October')
    assert.deepEqual(Object.keys(suspended), ['account', 'suspendedAt', 'reason'])
    assert.deepEqual([suspended.account, suspended.reason], ['acme', 'the bill of October'])
    assert.ok(Math.abs(Date.parse(suspended.suspendedAt) - Date.now()) < 60_000)
    for (const key of keys) {
      assert.equal(await statusEverywhere(key), 403)
      for (const [path, sent] of paths) {
        const reply = await ask(key, path, sent)
        assertError(reply, formOf(path, 'A'), 403, 'ACCOUNT_SUSPENDED')
        assert.equal(reply.headers['x-ratelimit-remaining'], before, path)
        assert.equal(reply.headers['x-ratelimit-limit'], '10000')
        assert.equal(reply.headers['retry-after'], undefined)
        assert.ok(!reply.body.includes('October'), 'the reason is for its people')
      }
    }
    assert.equal(await statusEverywhere(other), 200)
    // Counts and the last use are at most a second behind.
    await until('all is written down', async () => (await accounts(storeDir, 'list'))[1].usedToday === 8)
    await until('the last use is known', async () => (await accounts(storeDir, 'keys', 'acme'))[0].lastUsedAt !== null)
    const [{ suspended: isSuspended, usedToday }, { suspended: isOther }] = await accounts(storeDir, 'list')
    assert.deepEqual([isSuspended, usedToday, isOther], [true, 10_000 - Number(before), false])
  })

  it('A suspended account stays suspended when a key is created and when the server restarts', async () => {
    const { key, keyId } = await accounts(storeDir, 'create-key', 'acme')
    assert.equal(await statusEverywhere(key), 403)
    const regenerated = await accounts(storeDir, 'regenerate', keyId)
    assert.equal(await statusEverywhere(regenerated.key), 403)
    assert.equal(await statusEverywhere(key), 401)
    const anew = new Authenticator(reserveAccounts(storeDir, false))
    for (const key of keys) assert.equal(anew.identify(key)!.isSuspended, true)
    await anew.close()
    assert.equal((await accounts(storeDir, 'keys', 'acme')).length, 3, 'nothing is deleted')
  })

  it('A resumed account has the quota that it had left, and later changes apply at once', async () => {
    const left = Number((await ask(keys[0]!)).headers['x-ratelimit-remaining'])
    assert.deepEqual(await accounts(storeDir, 'resume', 'acme'), { account: 'acme' })
    const { status, headers } = await ask(keys[0]!)
    assert.deepEqual([status, headers['x-ratelimit-remaining']], [200, String(left - 1)])
    for (const key of keys) assert.equal(await statusEverywhere(key), 200)
    await accounts(storeDir, 'set-plan', 'acme', 'business')
    assert.equal(await everywhere(keys[0]!, ({ headers }) => headers['x-ratelimit-limit']), '100000')
    const [{ keyId }] = await accounts(storeDir, 'keys', 'acme')
    await accounts(storeDir, 'revoke', keyId)
    assert.equal(await statusEverywhere(keys[0]!), 401)
    const entries = (await accounts(storeDir, 'log', 'acme')).length
    await accounts(storeDir, 'resume', 'acme')
    assert.equal((await accounts(storeDir, 'log', 'acme')).length, entries, 'once more changes nothing')
  })
})

describe('A change of an account beside a server with pages', () => {
  it('The people of a suspended account see the reason on their pages until the account is resumed', async () => {
    await accounts(storeDir, 'create', 'shop', '--plan', 'free')
    const person = await Person.signedIn(service.pages, storeDir, 'shop')
    await accounts(storeDir, 'suspend', 'shop', '--reason', '<b>the bill</b> of October')
    assert.match(textOf((await person.open('/dashboard')).body), /suspended <b>the bill<\/b> of October/)
    await accounts(storeDir, 'suspend', 'shop', '--reason', 'the bill of November')
    assert.match(textOf((await person.open('/dashboard')).body), /suspended the bill of November/)
    await accounts(storeDir, 'resume', 'shop')
    assert.doesNotMatch((await person.open('/dashboard')).body, /suspended|November/)
  })

  it('A renamed account keeps its keys, sessions and usage', async () => {
    const { key } = await accounts(storeDir, 'create', 'old name', '--plan', 'free')
    const person = await Person.signedIn(service.pages, storeDir, 'old name')
    await ask(key)
    const renamed = await accounts(storeDir, 'rename', 'old name', 'Nouveau Cafe\u0301')
    assert.deepEqual(renamed, { account: 'Nouveau Cafe\u0301', before: 'old name' })
    assert.equal((await ask(key)).headers['x-ratelimit-remaining'], '198')
    assert.match((await person.open('/dashboard')).body, /<h1>Nouveau Café<\/h1>/)
    const [{ requests }] = (await accounts(storeDir, 'usage', 'Nouveau Café')).slice(-1)
    assert.ok(requests >= 1)
    await accounts(storeDir, 'create', 'old name', '--plan', 'trader')
  })

  it('A deleted account stops working at once, and its usage is still reported', async () => {
    const { key } = await accounts(storeDir, 'create', 'gone', '--plan', 'free')
    const second = (await accounts(storeDir, 'create-key', 'gone')).key
    const person = await Person.signedIn(service.pages, storeDir, 'gone')
    const { url } = await accounts(storeDir, 'sign-in', 'gone')
    assert.equal(await statusEverywhere(key), 200)
    assert.deepEqual(await accounts(storeDir, 'delete', 'gone', '--yes'), { account: 'gone', keys: 2 })
    for (const each of [key, second]) assert.equal(await statusEverywhere(each), 401)
    assert.doesNotMatch((await person.open('/dashboard')).body, /<h1>gone<\/h1>/)
    assert.equal((await send(service.pages, new URL(url).pathname)).status, 410)
    const names = (await accounts(storeDir, 'list')).map(({ account }: { account: string }) => account)
    assert.ok(!names.includes('gone'))
    const billed = { plan: 'free', date: dateOfDay(dayOfMs(Date.now())), requests: 8 }
    const ofAll = async () =>
      (await accounts(storeDir, 'usage', '--all')).filter(({ account }: { account: string }) =>
        account.startsWith('gone'),
      )
    assert.deepEqual(await ofAll(), [{ account: 'gone (deleted)', ...billed }])
    assert.deepEqual((await accounts(storeDir, 'usage', 'gone')).at(-1), { ...billed })

    await accounts(storeDir, 'create', 'gone', '--plan', 'trader')
    assert.deepEqual(await ofAll(), [{ account: 'gone (deleted)', ...billed }], 'the name is another one’s now')
    assert.equal((await accounts(storeDir, 'usage', 'gone')).at(-1).requests, 0)
    assert.equal((await accounts(storeDir, 'keys', 'gone')).length, 1)
  })
})

describe('The audit log', () => {
  const secrets: string[] = []
  const command = `command ${userInfo().username}@${hostname()}`
  /** The rows of `log audited`, oldest first. */
  const expected: (readonly [actor: string, action: string, account: string, keyId: string | null, detail: unknown])[] =
    []

  const issue = async (...args: string[]) => {
    const issued = await accounts(storeDir, ...args)
    secrets.push(issued.key)
    return issued.keyId as string
  }
  const add = (
    action: string,
    keyId: string | null = null,
    detail: unknown = null,
    actor = command,
    name = 'audited',
  ) => expected.push([actor, action, name, keyId, detail])

  it('The audit log has every change with its actor, account, key and detail', async () => {
    const first = await issue('create', 'audited', '--plan', 'free')
    add('account created', null, 'free')
    add('key created', first, 'default')
    await accounts(storeDir, 'set-plan', 'audited', 'trader')
    add('plan changed', null, 'free to trader')
    const second = await issue('create-key', 'audited', '--name', '=1+1')
    add('key created', second, '=1+1')
    await issue('regenerate', second)
    add('key regenerated', second)
    await accounts(storeDir, 'revoke', second)
    add('key revoked', second)
    await accounts(storeDir, 'suspend', 'audited', '--reason', 'a "bill", unpaid')
    add('account suspended', null, 'a "bill", unpaid')
    await accounts(storeDir, 'resume', 'audited')
    add('account resumed')

    const { url } = await accounts(storeDir, 'sign-in', 'audited')
    const path = new URL(url).pathname
    secrets.push(path.split('/').at(-1)!)
    add('sign-in link created')
    const person = new Person(service.pages)
    await person.open(path)
    await person.press('Sign in')
    secrets.push(person.cookie.split('=')[1]!)
    add('sign-in link used', null, null, 'page audited')
    await person.open('/dashboard/keys')
    await person.press('Create key', { name: 'by a page' })
    const key = shownKey(person.page!.body)!
    secrets.push(key)
    const [made] = (await accounts(storeDir, 'keys', 'audited')).slice(-1)
    assert.equal(made.name, 'by a page')
    add('key created', made.keyId, 'by a page', 'page audited')
    await accounts(storeDir, 'sign-out', 'audited')
    add('sessions ended', null, '1')
    await accounts(storeDir, 'rename', 'audited', 'audited two')
    add('account renamed', null, 'to audited two')
    await accounts(storeDir, 'delete', 'audited two', '--yes')
    add('account deleted', null, null, command, 'audited two')
    await issue('create', 'another', '--plan', 'business')

    const log = await accounts(storeDir, 'log', 'audited two')
    for (const entry of log) {
      assert.deepEqual(Object.keys(entry), ['time', 'actor', 'action', 'account', 'keyId', 'detail'])
      assert.equal(new Date(entry.time).toISOString(), entry.time)
    }
    const rows = log.map(({ time, ...row }: Record<string, unknown>) => Object.values(row))
    assert.deepEqual(rows.toReversed(), expected)
    const times = log.map(({ time }: { time: string }) => time)
    assert.deepEqual(times, times.toSorted().toReversed())
    const all = await accounts(storeDir, 'log')
    assert.deepEqual(all.slice(2, 2 + log.length), log)
    assert.deepEqual([all[0].action, all[1].action, all[1].account], ['key created', 'account created', 'another'])
  })

  it('The audit log is printed as a table, or as CSV without cells that a spreadsheet would evaluate', async () => {
    const { stdout } = await runAccountsHere(storeDir, 'log', '--csv')
    const rows = parse(stdout, { columns: true }) as Record<string, string>[]
    const all: Record<string, string | null>[] = await accounts(storeDir, 'log')
    assert.deepEqual(
      rows,
      all.map((entry) =>
        Object.fromEntries(
          Object.entries(entry).map(([name, value]) => [name, value === '=1+1' ? "'=1+1" : (value ?? '')]),
        ),
      ),
    )
    const { stdout: table } = await runAccountsHere(storeDir, 'log')
    assert.equal(table.split('\n').length, 1 + all.length + 1)
  })

  it('The option --since of the audit log takes a date or a timestamp', async () => {
    const all = await accounts(storeDir, 'log')
    const today = dayOfMs(Date.parse(all.at(-1).time))
    const since = async (text: string) => (await accounts(storeDir, 'log', '--since', text)).length
    assert.equal(await since(dateOfDay(today)), all.length)
    assert.equal(await since(dateOfDay(today + 2)), 0)
    const [third] = all.slice(2)
    const count = all.filter(({ time }: { time: string }) => time >= third.time).length
    assert.equal(await since(third.time), count)
  })

  it('The audit log and the tables of the store hold no key, token or sign-in link', async () => {
    assert.ok(secrets.length >= 7)
    const { stdout } = await runAccountsHere(storeDir, 'log', '--json')
    const store = new Store(storeDir)
    const tables = store.database.all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    const rows = tables.flatMap(({ name }) => store.database.all<Record<string, unknown>>(`SELECT * FROM ${name}`))
    await store.close()
    const texts = rows.flatMap((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : String(value),
      ),
    )
    // The first 13 characters of a key are public.
    for (const secret of secrets.map((text) => text.slice(13))) {
      for (const text of [stdout, ...texts]) assert.ok(!text.includes(secret))
    }
  })

  it('A backup includes the audit log, and a restore adds an entry to it', async () => {
    const file = join(temporaryFolder(), 'backup')
    const restored = join(temporaryFolder(), 'store')
    await accounts(storeDir, 'backup', file)
    await accounts(restored, 'restore', file)
    const [{ action, actor, account }, ...before] = await accounts(restored, 'log')
    assert.deepEqual([action, actor, account], ['store restored', command, null])
    assert.deepEqual(before, await accounts(storeDir, 'log'))
  })
})

it('An export carries a suspension, and a second import changes nothing', async () => {
  const [from, to, next] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const file = join(from, 'accounts.json')
  await accounts(from, 'create', 'acme', '--plan', 'free')
  await accounts(from, 'suspend', 'acme', '--reason', 'the bill')
  await accounts(from, 'export', file)
  for (const changed of [2, 0]) assert.equal((await accounts(to, 'import', file)).changed, changed)
  const store = new Store(to)
  assert.equal(store.account(0).suspendedFor, 'the bill')
  await store.close()
  const actions = (await accounts(to, 'log')).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['key imported', 'account imported'])

  const [{ id: _, suspendedAt: __, suspendedFor: ___, ...old }] = JSON.parse(readFileSync(file, 'utf8')).accounts
  assert.deepEqual(Object.keys(old), ['name', 'plan', 'createdAt', 'keys'])
  writeFileSync(file, JSON.stringify({ format: 1, accounts: [old] }))
  assert.equal((await accounts(next, 'import', file)).changed, 2)
  assert.equal((await accounts(next, 'list'))[0].suspended, false)
})
