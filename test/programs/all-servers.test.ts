/** Shared knowledge of real servers that share accounts: requests, last uses, who is signed in. Through deaths of either side. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { scrape } from '../support/scrape.ts'
import { type Service, send } from '../support/service.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'
import { Person, rowsOf, shownKey } from '../web/person.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const fleet = await Fleet.of(postgres)
const machines = ['a', 'b', 'c'] as const
let running: Service[]
let key = ''
let counted = 0

before(async () => {
  if (skip) return
  process.env['WEB_URL'] = 'http://pages.example'
  key = (await fleet.do('office', 'create', 'shop', '--plan', 'business')).key
  await fleet.do('office', 'create', 'other', '--plan', 'free')
  running = await Promise.all(machines.map(start))
})

after(async () => {
  if (skip) return
  await Promise.all(running.map((server) => server.stop()))
})

function start(machine: string): Promise<Service> {
  return fleet.start(machine, { WEB_PORT: '0' })
}

async function kill({ child }: Service): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function ask(server: Service, times: number): Promise<void> {
  for (let i = 0; i < times; i++) assert.equal(await statusFor(server, key), 200)
  counted += times
}

const usedOf = async (machine: string) => (await fleet.do(machine, 'usage', 'shop')).at(-1).requests as number

/** On every machine, and on one without a server. */
async function allTell(expected = counted): Promise<void> {
  for (const machine of [...machines, 'office']) {
    await until(`${machine} tells ${expected}`, async () => (await usedOf(machine)) === expected)
  }
}

/** Signed in by a link that a command made, on the pages of one server. */
async function signIn(server: Service, account = 'shop'): Promise<Person> {
  const { url } = await fleet.do('office', 'sign-in', account)
  const person = new Person(server.pages)
  await person.open(new URL(url).pathname)
  const reply = await person.press('Sign in')
  assert.equal(reply.status, 200)
  return person
}

/** The same person, whom a balancer sends to another server. */
function at(server: Service, person: Person): Person {
  const same = new Person(server.pages)
  same.cookie = person.cookie
  return same
}

describe('The requests of all servers', { skip }, () => {
  it('Every server and command reports the requests of all servers as one sum', async () => {
    for (const [i, server] of running.entries()) await ask(server, 5 * (i + 1))
    await allTell()
    assert.deepEqual(
      (await fleet.do('b', 'list')).map(({ account, usedToday }: Record<string, unknown>) => [account, usedToday]),
      [
        ['shop', counted],
        ['other', 0],
      ],
    )
    const month = new Date().toISOString().slice(0, 7)
    for (const args of [[], ['--month', month]]) {
      const rows = await fleet.do('office', 'usage', '--all', ...args)
      const found = rows.map(({ account, plan, requests }: Record<string, unknown>) => [account, plan, requests])
      assert.deepEqual(found, [['shop', 'business', counted]])
    }
    const csv = (await fleet.run('c', ['usage', '--all', '--csv'])).stdout
    assert.match(csv, new RegExp(`^account,plan,date,requests\nshop,business,[\\d-]{10},${counted}\n$`))
    for (const machine of [...machines, 'office']) {
      await until(`${machine} tells when the key was used`, async () => {
        const [{ lastUsedAt }] = await fleet.do(machine, 'keys', 'shop')
        return lastUsedAt !== null && Math.abs(Date.now() - Date.parse(lastUsedAt)) < 60_000
      })
    }
  })

  it('A killed server loses at most its requests of the last second, and counts on once it is back', async () => {
    await ask(running[0]!, 7)
    await allTell()
    await ask(running[0]!, 3)
    await kill(running[0]!)
    const reported = await usedOf('b')
    assert.ok(reported <= counted && reported >= counted - 3, `${reported} of ${counted}`)
    running[0] = await start('a')
    await until('it tells what its file has', async () => (await usedOf('a')) === (await usedOf('b')))
    const kept = await usedOf('a')
    assert.ok(kept <= counted && kept >= counted - 3, `${kept} of ${counted}`)
    counted = kept
    await ask(running[0]!, 2)
    await allTell()
  })

  it('All requests are counted again after one server’s copy was pushed into an emptied database', async () => {
    await postgres.replace()
    for (const server of running) await ask(server, 4)
    const { code, stdout, stderr } = await fleet.run('b', ['usage', 'shop', '--json'])
    assert.equal(code, 0)
    assert.ok(JSON.parse(stdout).at(-1).requests < counted)
    assert.match(stderr, /is empty, and this copy has \d+ changes.*: this may be out of date\n/)
    await until('it is pushed', async () => (await fleet.run('c', ['push'])).code === 0)
    await allTell()
  })

  it('A server that stops loses no request', async () => {
    for (const [i, server] of running.entries()) {
      await ask(server, 11)
      assert.equal(await server.stop(), 0)
      running[i] = await start(machines[i]!)
    }
    assert.equal(await usedOf('office'), counted)
  })
})

describe('A backup of one of several servers', { skip }, () => {
  it('After a restored backup, its server’s requests are counted once, whether or not that server comes back', async () => {
    await ask(running[0]!, 5)
    const file = join(temporaryFolder(), 'backup')
    assert.equal((await fleet.run('a', ['backup', file])).code, 0)
    await kill(running[0]!)
    await postgres.replace()
    await until('it is restored', async () => (await fleet.run('d', ['restore', file])).code === 0)
    for (const machine of ['b', 'c', 'd', 'office']) {
      await until(`${machine} tells all`, async () => (await usedOf(machine)) === counted)
    }
    running[0] = await start('a')
    await ask(running[0]!, 1)
    await allTell()
  })
})

describe('The pages of several servers', { skip }, () => {
  it('A person who signed in at one server sees the same pages and figures at any other', async () => {
    const person = await signIn(running[0]!)
    await ask(running[1]!, 1)
    await allTell()
    for (const server of running) {
      const page = await at(server, person).open('/dashboard')
      assert.match(page.body, /<h1>shop<\/h1>/)
      assert.ok(page.body.includes(`<data value="${counted}">`), `${counted} are shown`)
      const [, today] = rowsOf(page.body, 'Requests a day')
      assert.equal(today![1], `${counted}`)
      const now = await send(server.pages, '/dashboard/usage.json', { headers: { cookie: person.cookie } })
      assert.equal(now.json.used, counted)
      const keys = await at(server, person).open('/dashboard/keys')
      assert.doesNotMatch(rowsOf(keys.body, 'Keys of this account')[1]![3]!, /never/)
    }
    assert.equal((await scrape(running[1]!.metrics)).value('cpl_sessions'), 1)
  })

  it('A new key is shown once, whichever server shows the next page', async () => {
    const person = await signIn(running[0]!)
    await person.open('/dashboard')
    const token = /name="form" value="([^"]+)"/.exec(person.page!.body)![1]!
    const made = await send(running[0]!.pages, '/dashboard/keys', {
      method: 'POST',
      headers: { cookie: person.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ name: 'of a page', expires: '', form: token }).toString(),
    })
    assert.equal(made.status, 303)
    const path = made.headers.location!.split('#')[0]!
    const elsewhere = at(running[1]!, person)
    elsewhere.cookie = `${person.cookie}; ${made.headers['set-cookie']![0]!.split(';')[0]}`
    const shown = shownKey((await elsewhere.open(path)).body)!
    assert.equal(await statusFor(running[2]!, shown), 200)
    assert.equal(shownKey((await elsewhere.open(path)).body), undefined)
    counted++
  })
})
