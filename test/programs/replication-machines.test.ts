/** Machines that join servers which share accounts, and changes that come otherwise than by one command: pages, imports, a start. */
import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createAccount, createDemoAccount } from '../../src/accounts/registry.ts'
import { openReplication } from '../../src/accounts/replication/open-replication.ts'
import { removeOld } from '../../src/accounts/retention.ts'
import { dayMs } from '../../src/calendar.ts'
import { endedKeyDaysKept } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'
import { Person } from '../web/person.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)
/** More than one answer has. */
const importedMany = 8000
let a: Service
let b: Service
let key = ''

const start = (machine: string, env: NodeJS.ProcessEnv = {}) => fleet.start(machine, env)

describe('The machines that share accounts', { skip }, () => {
  it('Machines that share accounts make one demo account at their first starts', async () => {
    const made = await Promise.all(
      ['a', 'b'].map(async (machine) => {
        const store = new Store(fleet.storeDir(machine))
        const { replication } = await openReplication(store, postgres.url())
        const issued = await createDemoAccount(store, replication)
        await replication.close()
        await store.close()
        return issued
      }),
    )
    const keys = made.flatMap((issued) => (issued === undefined ? [] : [issued.key]))
    assert.equal(keys.length, 1)
    key = keys[0]!
    ;[a, b] = await Promise.all([start('a', { WEB_PORT: '0' }), start('b')])
    for (const server of [a, b]) assert.equal(await statusFor(server, key), 200)
  })

  it('A change on a page holds on every machine when the next page is shown', async () => {
    const { url } = await fleet.do('a', 'sign-in', 'demo')
    const person = new Person(a.pages)
    await person.open(new URL(url).pathname)
    await person.press('Sign in')
    await person.open('/dashboard/keys')
    const shown = await person.press('Create key', { name: 'by page' })
    assert.equal(shown.status, 200)
    const made = /id="new-key">(cpl_live_\w+)</.exec(shown.body)![1]!
    for (const server of [a, b]) assert.equal(await statusFor(server, made), 200)
    await person.press('Revoke', {}, 1)
    assert.equal((await person.press('Yes, revoke')).status, 200)
    for (const server of [a, b]) assert.equal(await statusFor(server, made), 401)

    b.child.kill('SIGSTOP')
    await person.open('/dashboard/keys')
    await person.press('Rename')
    const unconfirmed = await person.press('Rename', { name: 'another name' })
    b.child.kill('SIGCONT')
    assert.deepEqual([unconfirmed.status, /has not confirmed it yet/.test(unconfirmed.body)], [503, true])

    await person.open('/dashboard/keys')
    await person.press('Revoke')
    await postgres.end()
    const refused = await person.press('Yes, revoke')
    assert.deepEqual([refused.status, /can’t be shown or changed right now/.test(refused.body)], [503, true])
    assert.equal(await statusFor(a, key), 200)
  })

  it('A server without a copy of the accounts accepts no key while the database is away, and all once it is back', async () => {
    const fresh = await start('fresh')
    assert.equal(await statusFor(fresh, key), 503)
    await fresh.logs(/requests get 503/)
    await postgres.begin()
    await until('it has a copy', async () => (await statusFor(fresh, key)) === 200)
    assert.equal(await fresh.stop(), 0)
  })

  it('Servers copy an import of accounts larger than one batch while they answer requests', async () => {
    const keys: string[] = []
    const other = new Store(fleet.storeDir('other'))
    other.change(() => {
      for (let i = 0; i < importedMany; i++) keys.push(createAccount(other, `imported ${i}`, 'free', 1).key)
    })
    await other.close()
    const file = `${fleet.storeDir('other')}.json`
    assert.equal((await fleet.run('other', ['export', file], '')).code, 0)
    const { stdout } = await fleet.run('office', ['import', file])
    assert.match(stdout, new RegExp(`${2 * importedMany} of them new or changed`))
    for (const server of [a, b]) {
      await until('the last is known', async () => (await statusFor(server, keys.at(-1)!)) === 200)
      assert.equal(await statusFor(server, keys[0]!), 200)
      assert.equal(await statusFor(server, key), 200)
    }
    assert.match((await fleet.run('office', ['import', file])).stdout, / 0 of them new or changed/)
    const { accounts, keys: all } = await fleet.shared()
    // And the demo account, with the key that a page made.
    assert.deepEqual([accounts.length, all.length], [importedMany + 1, importedMany + 2])
  })

  it('Keys that ended long ago are deleted once for all machines', async () => {
    const store = new Store(fleet.storeDir('office'))
    const { replication } = await openReplication(store, postgres.url())
    const { keyId } = await fleet.do('a', 'create-key', 'demo', '--name', 'ended')
    await fleet.do('a', 'revoke', keyId)
    await replication.refresh()
    const isShared = async () => (await fleet.shared()).keys.some(({ id }) => id === keyId)
    const now = Date.now()
    await removeOld(store, replication, now)
    assert.equal(await isShared(), true)
    const { number } = store.setting('copy')!
    const later = now + (endedKeyDaysKept + 1) * dayMs
    await removeOld(store, replication, later)
    assert.equal(await isShared(), false)
    await until('it is gone everywhere', async () => {
      const copies = await Promise.all(['a', 'b'].map((machine) => fleet.copyOf(machine)))
      return copies.every(({ keys }) => keys.every(({ id }) => id !== keyId))
    })
    const removed = store.setting('copy')!.number
    assert.ok(removed > number)
    await removeOld(store, replication, later)
    assert.equal(store.setting('copy')!.number, removed)
    await replication.close()
    await store.close()
  })

  it('A server with a copied STORE_DIR accepts nobody while the other runs, and no request counts twice', async () => {
    const { key: used } = await fleet.do('office', 'create', 'copied', '--plan', 'free')
    const first = await start('first')
    for (let i = 0; i < 20; i++) assert.equal(await statusFor(first, used), 200)
    assert.equal(await first.stop(), 0)
    cpSync(fleet.storeDir('first'), fleet.storeDir('copied'), { recursive: true })
    const again = await start('first')
    const second = await start('copied')
    await second.logs(/is used by another server with this one's id: was its STORE_DIR copied\? Stop one of them/)
    assert.deepEqual([await statusFor(second, used), await statusFor(again, used)], [503, 200])
    // Nobody waits for it.
    await fleet.do('office', 'set-plan', 'copied', 'trader')
    assert.equal(await second.stop(), 0)
    const usage = async () => (await fleet.do('office', 'usage', 'copied')).at(-1).requests
    await until('all is counted, once', async () => (await usage()) === 21)
    rmSync(fleet.storeDir('copied'), { recursive: true })
    const emptied = await start('copied')
    assert.equal(await statusFor(emptied, used), 200)
    for (const server of [again, emptied]) assert.equal(await server.stop(), 0)
    await until('all is counted', async () => (await usage()) === 22)
  })

  it('A machine prints the database’s password nowhere', async () => {
    const said = [a.log(), b.log()]
    await postgres.end()
    for (const args of [['list'], ['create', 'x', '--plan', 'free'], ['push']]) {
      const { stdout, stderr } = await fleet.run('office', args)
      said.push(stdout, stderr)
    }
    const wrong = postgres.url().replace('CHANGE-THIS', 'wrong')
    await postgres.begin()
    const { code, stderr } = await fleet.run('office', ['create', 'x', '--plan', 'free'], wrong)
    assert.equal(code, 1)
    said.push(stderr, (await fleet.run('office', ['list'], 'http://:wrong@x')).stderr)
    for (const text of said) assert.doesNotMatch(text, /CHANGE-THIS|wrong@|:wrong/)
    await Promise.all([a.stop(), b.stop()])
  })
})
