/** Servers and commands whose database is away, is empty, or has older accounts. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { scrape } from '../support/scrape.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)
let a: Service
let b: Service
let key = ''

const figure = async ({ metrics }: Service, name: string) => (await scrape(metrics)).value(name)

before(async () => {
  if (!skip) ({ key, a, b } = await fleet.pair())
})

describe('The database of shared accounts', { skip }, () => {
  it('A change is refused with one line while the database is away, and requests are answered', async () => {
    for (const server of [a, b]) assert.equal(await statusFor(server, key), 200, 'it leases')
    await postgres.end()
    const { code, stdout, stderr } = await fleet.run('a', ['create', 'nobody', '--plan', 'free'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^accounts: the database at 127\.0\.0\.1:\d+ can't be asked \(.*\)\n$/)
    assert.match((await fleet.run('a', ['list'])).stderr, /this may be out of date\n/)
    await until('the metric tells', async () => (await figure(a, 'cpl_database_up')) === 0)
    assert.equal((await fetch(`${a.address}/healthz`)).status, 200)
    // It can't know at a start what it learns then: it uses its copy, and what it had leased.
    await b.stop()
    b = await fleet.start('b')
    assert.equal(await statusFor(b, key), 200)
    assert.equal(await statusFor(a, key), 200)
  })

  it('Servers refuse an emptied database and keep their accounts, until a copy is pushed into it', async () => {
    await postgres.begin()
    await postgres.replace()
    const untilRefused = async (refused: 0 | 1) => {
      for (const server of [a, b])
        await until('it is', async () => (await figure(server, 'cpl_accounts_copy_refused')) === refused)
    }
    await untilRefused(1)
    await a.logs(/is empty, and this copy has \d+ changes/)
    for (const machine of ['a', 'office']) {
      const { code, stderr } = await fleet.run(machine, ['create', 'nobody', '--plan', 'free'])
      assert.deepEqual([code, /is empty/.test(stderr)], [1, true], stderr)
    }
    // Nor by a machine that never had a copy.
    const { code, stderr } = await fleet.run('new', ['create', 'nobody', '--plan', 'free'])
    assert.deepEqual([code, /has a server, \S+, with \d+ changes/.test(stderr)], [1, true], stderr)
    assert.equal(await statusFor(b, key), 200)
    const pushed = await fleet.run('a', ['push'])
    assert.equal(pushed.code, 0, pushed.stderr)
    await untilRefused(0)
    const { key: further } = await fleet.do('office', 'create-key', 'shop', '--name', 'pushed')
    for (const server of [a, b]) assert.equal(await statusFor(server, further), 200)
    const copy = await fleet.copyOf('b')
    assert.match((await fleet.run('b', ['push'])).stderr, /there is nothing to push/)
    // Too many to send in full: there are thousands.
    for (const found of [await fleet.copyOf('b'), await fleet.shared()]) assert.ok(isDeepStrictEqual(found, copy))
    assert.equal(copy.audit_log.filter(({ action }) => action === 'store pushed').length, 1)
  })

  it('An emptied database assigns no number again that a server knows, even after a push of an older copy', async () => {
    await fleet.do('past', 'list')
    for (const name of ['one', 'two']) await fleet.do('office', 'create', name, '--plan', 'free')
    await fleet.do('office', 'list')
    const { next_numbers: next } = await fleet.copyOf('office')
    await postgres.replace()
    assert.match((await fleet.run('past', ['push'])).stderr, /has a server, \S+, with/)
    const pushed = await fleet.run('past', ['push', '--force'])
    assert.equal(pushed.code, 0, pushed.stderr)
    assert.deepEqual((await fleet.shared()).next_numbers, next)
    for (const machine of ['past', 'a', 'b'])
      assert.deepEqual((await fleet.copyOf(machine)).next_numbers, next, machine)
  })

  it('A restored backup replaces the database only with --force', async () => {
    const file = `${fleet.storeDir('office')}.backup`
    assert.equal((await fleet.run('office', ['backup', file])).code, 0)
    await fleet.do('office', 'create', 'later', '--plan', 'free')
    assert.match((await fleet.run('restored', ['restore', file])).stderr, /--force/)
    assert.equal((await fleet.run('restored', ['restore', file, '--force'])).code, 0)
    assert.deepEqual((await fleet.shared()).accounts, (await fleet.copyOf('restored')).accounts)
  })
})
