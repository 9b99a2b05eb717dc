/** `card-prices accounts move` brings the accounts, keys and usage of a single server into a database, or nothing. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { plans } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { Counting } from '../quota/counting.ts'
import { type Outcome, runAccountsOf, temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'

const skip = skipWithout('postgres')
const postgres = await Postgres.start()
const folder = temporaryFolder()
const single = join(folder, 'single')
const today = dayOfMs(Date.now())
const accountCount = 1500
const usedToday = 4
const keys: string[] = []

const run = (machine: string, url: string | undefined, ...args: string[]): Promise<Outcome> =>
  runAccountsOf({ STORE_DIR: join(folder, machine), DATABASE_URL: url }, ...args)

async function command(machine: string, url: string | undefined, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(machine, url, ...args)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

async function reported(machine: string, url?: string): Promise<string[]> {
  const found: string[] = []
  for (const args of [
    ['usage', '--all', '--csv'],
    ['list', '--json'],
    ['keys', 'shop 7', '--json'],
    ['log', 'shop 7', '--json'],
  ]) {
    found.push(await command(machine, url, ...args))
  }
  return found
}

/** A further machine with a copy of the single server's folder. */
function copied(machine: string): string {
  cpSync(single, join(folder, machine), { recursive: true })
  return machine
}

describe('Accounts that are moved', { skip, timeout: 300_000 }, () => {
  before(async () => {
    const store = new Store(single)
    store.change(() => {
      for (let i = 0; i < accountCount; i++) keys.push(createAccount(store, `shop ${i}`, 'trader', 1).key)
    })
    store.write(() => {
      for (const ago of [399, 40, 1, 0])
        for (const account of [7, 300, 1499]) store.addUsage(today - ago, account, ago + usedToday)
    })
    await store.close()
  })

  it('A move brings accounts with usage, keys and audit log into the database, once', async () => {
    const [machine, url] = [copied('whole'), await postgres.database()]
    const found = await reported(machine)
    assert.match(await command(machine, undefined, 'move', url), /1500 accounts and 1500 keys are there/)
    assert.deepEqual(await reported('office', url), found)
    const [row] = await postgres.asks(
      'SELECT sum(requests)::int AS requests FROM card_prices.usage WHERE account = 1499',
      url.replace(/.*\//, ''),
    )
    assert.equal(row.requests, 399 + 40 + 1 + 4 * usedToday)
    assert.match((await run(machine, undefined, 'move', url)).stderr, /is a copy of the accounts in a database already/)
    const second = copied('second')
    assert.match((await run(second, undefined, 'move', url)).stderr, /has accounts already/)
    // It is not changed by a refusal.
    await command(second, undefined, 'create', 'still alone', '--plan', 'free')
  })

  it('A move that fails in the middle leaves no account in the database, and can be repeated', async () => {
    const [machine, url] = [copied('cut'), await postgres.database()]
    const name = url.replace(/.*\//, '')
    await command('first', url, 'list').catch(() => undefined)
    // The last that a move writes is refused.
    await postgres.asks('ALTER TABLE card_prices.usage ADD CONSTRAINT none CHECK (requests < 0)', name)
    const { code, stderr } = await run(machine, undefined, 'move', url)
    assert.deepEqual([code, /refuses \(.*constraint "none"/.test(stderr)], [1, true], stderr)
    const [{ accounts }] = await postgres.asks('SELECT count(*)::int AS accounts FROM card_prices.accounts', name)
    assert.equal(accounts, 0)
    await postgres.asks('ALTER TABLE card_prices.usage DROP CONSTRAINT none', name)
    await command(machine, undefined, 'move', url)
    assert.deepEqual(await reported('office of cut', url), await reported('single'))
  })

  it('Requests that an account used today still count against its quota after its move to a database', async () => {
    const [machine, url] = [copied('used'), await postgres.database()]
    await command(machine, undefined, 'move', url)
    const office = new Counting()
    office.time.wall = Date.now()
    await office.startOn({ storeDir: join(folder, 'office of used'), databaseUrl: url })
    const { requestsPerDay } = plans.trader
    assert.equal(await office.takeAnswered(keys[1499]!), requestsPerDay - usedToday - 1)
    await office.close()
  })

  it('A day’s quota is not granted twice if the moved server restarts before other servers start', async () => {
    const [machine, url] = [copied('beside'), await postgres.database()]
    const { key } = JSON.parse(await command(machine, undefined, 'create', 'small', '--plan', 'free', '--json'))
    const env = { STORE_DIR: join(folder, machine), INDEX_DIR: await fixtureIndex() }
    const use = async (server: Service, times: number) => {
      let letIn = 0
      for (let i = 0; i < times; i++) {
        const { status } = await send(server.address, '/v1/games', { headers: { 'x-api-key': key } })
        if (status === 200) letIn++
      }
      return letIn
    }
    const alone = await startService(env)
    assert.equal(await use(alone, 30), 30)
    const moved = await command(machine, undefined, 'move', url)
    const advice = `The server with process id ${alone.child.pid} counts requests apart until you restart it`
    assert.ok(moved.includes(advice), moved)
    assert.equal(await use(alone, 20), 20)
    assert.equal(await alone.stop(), 0)
    const both = [
      await startService({ ...env, DATABASE_URL: url }),
      await startService({ ...env, STORE_DIR: join(folder, 'beside other'), DATABASE_URL: url }),
    ]
    const { requestsPerDay } = plans.free
    const letIn = 50 + (await use(both[1]!, requestsPerDay)) + (await use(both[0]!, requestsPerDay))
    // One of two servers may keep a request that the other wants.
    assert.ok(letIn <= requestsPerDay && letIn >= requestsPerDay - 1, `${letIn} were let in`)
    for (const server of both) assert.equal(await server.stop(), 0)
  })

  it('A 2.x cluster moves from one of its servers, and others without further changes join with their counts', async () => {
    const url = await postgres.database()
    const [first, second, late, other] = ['2.x first', '2.x second', '2.x late', '2.x other'].map(copied) as [
      string,
      string,
      string,
      string,
    ]
    for (const [machine, number, id] of [
      [first, 9, 'ours'],
      [second, 8, 'ours'],
      [late, 10, 'ours'],
      [other, 9, 'another'],
    ] as const) {
      const store = new Store(join(folder, machine))
      store.write(() => {
        store.setSetting('copyOf', { id, number, mark: '7', whole: true })
        store.setSetting('serverId', machine)
        store.setSetting('sent', `${today} of Redis`)
        store.database.run('UPDATE usage SET unsent = 0')
      })
      await store.close()
    }
    const start = (machine: string) => new Counting().startOn({ storeDir: join(folder, machine), databaseUrl: url })
    await assert.rejects(
      start(second),
      /is a copy of accounts in Redis, which are not in the database .* "Move a cluster of 2\.x"/,
    )
    await command(first, undefined, 'move', url)
    await assert.rejects(start(late), /has 10 changes, more than the 9 that were moved/)
    await assert.rejects(start(other), /is a copy of accounts in Redis, which are not in the database/)
    const [one, two] = [await start(first), await start(second)]
    await Promise.all([one.close(), two.close()])
    const rows = await postgres.asks(
      'SELECT server, sum(requests)::int AS requests FROM card_prices.usage WHERE account = 7 GROUP BY server ORDER BY server',
      url.replace(/.*\//, ''),
    )
    const requests = 399 + 40 + 1 + 4 * usedToday
    assert.deepEqual(
      rows,
      [first, second].map((server) => ({ server, requests })),
    )
  })
})
