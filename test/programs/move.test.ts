/** `card-prices accounts move`: a single server's accounts, keys and bills are what all servers find, whole or not at all. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { createAccount } from '../../src/accounts/registry.ts'
import { dayMs, dayOfMs } from '../../src/calendar.ts'
import { plans } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import { Counting } from '../quota/counting.ts'
import { cardPrices, collect, runAccountsOf, start, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const redis = await startRedis()
/** Their snapshot goes in two pieces. */
const accountCount = 4321
const log = pino({ level: 'silent' })
const folder = temporaryFolder()
const single = join(folder, 'single')
const today = dayOfMs(Date.now())
/** Requests of the account 2001. */
const usedToday = 4
const keys: string[] = []
let client: Redis

const command = async (machine: string, url: string | undefined, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runAccountsOf(
    { STORE_DIR: join(folder, machine), ACCOUNTS_STORE: url },
    ...args,
  )
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}
async function reported(machine: string, url?: string): Promise<string[]> {
  const found: string[] = []
  for (const args of [
    ['usage', '--all', '--csv'],
    ['list', '--json'],
    ['keys', 'shop 7', '--json'],
    ['usage', 'shop 2001'],
  ]) {
    found.push(await command(machine, url, ...args))
  }
  return found
}

/** A server that counts on the single server's store, without HTTP; some accounts ask, so often, on that day. */
async function count(day: number, requests: ReadonlyMap<number, number>) {
  const wall = () => day * dayMs
  const clocks = { wall, monotonic: () => performance.now() }
  const host = await AccountsHost.open({ storeDir: single, log, clocks })
  const authenticator = new Authenticator(host.shared, wall)
  for (const [account, times] of requests) {
    for (let i = 0; i < times; i++) assert.ok(authenticator.take(authenticator.identify(keys[account]!)!) >= 0)
  }
  await authenticator.close()
  await host.close()
}

before(async () => {
  if (skip) return
  client = new Redis(redis.url)
  const store = new Store(single)
  store.change(() => {
    for (let i = 0; i < accountCount; i++) keys.push(createAccount(store, `shop ${i}`, 'trader', 1).key)
  })
  await store.close()
  // More blocks of usage than are sent at once, which ends within a day.
  const blocks = Math.ceil(accountCount / blockAccounts)
  const ofEachBlock = Array.from({ length: blocks }, (_, i) => [i * blockAccounts, 1] as const)
  for (const ago of [40, 6, 5, 4, 3, 1, 0]) {
    await count(today - ago, new Map([...ofEachBlock, [7, ago + 3], [2001, ago + usedToday]]))
  }
})

after(async () => {
  client?.disconnect()
})

/** Passes on bytes to Redis until there are such words, and nothing after that. */
async function lineOf(end: string) {
  const { port, hostname: host } = new URL(redis.url)
  let isCut = false
  const server = createServer((near) => {
    const far = connect(Number(port), host)
    far.pipe(near)
    near.on('data', (data) => {
      isCut ||= data.includes(end)
      if (isCut) near.pause()
      else far.write(data)
    })
    for (const socket of [near, far]) socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, isCut: () => isCut, server }
}

describe('accounts that are moved', { skip, timeout: 120_000 }, () => {
  // Their usage goes first: they are never there without it.
  for (const [end, state] of [
    [':usage:', 'their usage is on its way'],
    [':last-uses', 'their last uses are on their way'],
    [':snapshot:', 'they are on their way'],
    ['"marks":[', 'they are to be taken'],
  ] as const) {
    it(`are not lost, and leave nothing in Redis for good, if the command is killed when ${state}`, async () => {
      const machine = `killed when ${state}`
      cpSync(single, join(folder, machine), { recursive: true })
      const before = await reported('single')
      const line = await lineOf(end)
      const child = start(cardPrices, ['accounts', 'move', line.url], {
        STORE_DIR: join(folder, machine),
      })
      const output = collect(child)
      await until('it is cut off', () => line.isCut() || child.exitCode !== null)
      assert.ok(line.isCut(), output.stderr())
      child.kill('SIGKILL')
      await once(child, 'close')
      line.server.close()
      const names = await client.keys('*')
      assert.ok(!names.includes('card-prices:accounts:2:changes'))
      for (const name of names.filter((one) => one !== 'card-prices:accounts:2:store')) {
        assert.ok((await client.ttl(name)) > 0, name)
      }
      // Nothing is changed here meanwhile that would not be there.
      const refused = await runAccountsOf({ STORE_DIR: join(folder, machine) }, 'create', 'late', '--plan', 'free')
      assert.match(refused.stderr, /a replica of shared accounts/)
      await command(machine, undefined, 'move', redis.url)
      assert.deepEqual(await reported(`office of ${machine}`, redis.url), before)
      await client.flushall()
    })
  }

  it('stay revoked and suspended when an older export is imported there', async () => {
    const [store, file] = [new Store(join(folder, 'small')), join(folder, 'small.json')]
    const { keyId } = store.change(() => createAccount(store, 'shop', 'trader', Date.now()))
    await store.close()
    await command('small', undefined, 'export', file)
    await command('small', undefined, 'move', redis.url)
    await command('small', redis.url, 'revoke', keyId)
    await command('small', redis.url, 'suspend', 'shop')
    const imported = JSON.parse(await command('office of small', redis.url, 'import', file, '--json'))
    assert.deepEqual(imported, { accounts: 1, keys: 1, changed: 0, kept: 2 })
    const [key] = JSON.parse(await command('small', redis.url, 'keys', 'shop', '--json'))
    const [shop] = JSON.parse(await command('small', redis.url, 'list', '--json'))
    assert.deepEqual([typeof key.revokedAt, shop.suspended], ['string', true])
    await client.flushall()
  })

  it('have what they used of today’s quota there', async () => {
    const machine = 'used'
    cpSync(single, join(folder, machine), { recursive: true })
    await command(machine, undefined, 'move', redis.url)
    const office = new Counting()
    office.time.wall = Date.now()
    await office.startOn({
      storeDir: join(folder, 'office of used'),
      accountsStore: redis.url,
      quotaStore: redis.url,
    })
    const { requestsPerDay } = plans.trader
    assert.equal(await office.takeAnswered(keys[2001]!), requestsPerDay - usedToday - 1)
    await office.close()
    await client.flushall()
  })
})
