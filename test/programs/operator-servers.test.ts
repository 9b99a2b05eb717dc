/** The operator's pages of three servers that share accounts: a session, and what is changed at one, is of all. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import type { Service } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'
import { Person, rowsOf } from '../web/person.ts'

const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)

describe('The operator’s pages of three servers', { skip: skipWithout('postgres'), timeout: 300_000 }, () => {
  const servers: Service[] = []
  /** The same person, by each server: a browser sends its cookie to the one address before them. */
  const people: Person[] = []
  before(async () => {
    await fleet.do('a', 'create', 'first', '--plan', 'free')
    for (const machine of ['a', 'b', 'c']) {
      servers.push(await fleet.start(machine, { WEB_PORT: '0', OPERATOR_PAGES: 'on' }))
    }
    const { url } = await fleet.do('b', 'sign-in', '--operator')
    people.push(...servers.map(({ pages }) => new Person(pages)))
    await people[2]!.open(new URL(url).pathname)
    await people[2]!.press('Sign in')
    for (const person of people.slice(0, 2)) person.cookie = people[2]!.cookieFor('/operator')
  })
  after(() => Promise.all(servers.map((server) => server.stop())))

  it('The operator’s pages of three servers open by one session, and list all servers with their versions', async () => {
    for (const person of people) {
      const { status, body } = await person.open('/operator')
      assert.equal(status, 200)
      const rows = rowsOf(body, 'Servers that share the accounts').slice(1)
      assert.equal(rows.length, 3)
      const version = /<dt>Version<\/dt><dd><code>([^<]+)</.exec(body)![1]!
      assert.deepEqual(new Set(rows.map(([, served]) => served)), new Set([version]))
      for (const [, , heartbeat] of rows) assert.match(heartbeat!, /^\d\.\d s ago$/)
    }
  })

  it('An account that the operator makes, suspends or resumes on any server changes on all servers', async () => {
    const [first, second, third] = people as [Person, Person, Person]
    await first.open('/operator/accounts')
    await first.press('New account', { name: 'shared shop', plan: 'trader' })
    const key = /cpl_live_[0-9A-Za-z]{38}/.exec(first.page!.body)![0]
    const { path } = first
    for (const server of servers) assert.equal(await statusFor(server, key), 200)
    await second.open(path.split('?')[0]!)
    await second.press('Suspend', { reason: 'unpaid' })
    for (const server of servers) assert.equal(await statusFor(server, key), 403)
    assert.match((await third.open('/operator/accounts?q=shared')).body, /suspended/)
    await third.open(path.split('?')[0]!)
    await third.press('Resume')
    for (const server of servers) assert.equal(await statusFor(server, key), 200)
    // Requests of all servers are together, two seconds late at most.
    await until('all are counted', async () => {
      const [row] = rowsOf((await second.open('/operator/accounts?q=shared')).body, 'Accounts').slice(1)
      return row?.[3] === '6'
    })
  })

  it('The operator’s pages answer a change with 503 while the database is away', async () => {
    const [person] = people as [Person]
    await person.open('/operator/accounts')
    await postgres.end()
    try {
      const { status } = await person.press('New account', { name: 'nobody', plan: 'free' })
      assert.equal(status, 503)
    } finally {
      await postgres.begin()
    }
  })
})
