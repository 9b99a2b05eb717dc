/** Counts when a day begins at an awkward moment, and when the clock is set ahead and back: nothing lost, nothing reopened. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it, mock } from 'node:test'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { Authenticator, type Principal } from '../../src/accounts/authenticator.ts'
import { Flusher } from '../../src/accounts/flusher.ts'
import { hashOf } from '../../src/accounts/keys.ts'
import { addAccount, addKey, createAccount, listKeys } from '../../src/accounts/registry.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { moveAccounts } from '../../src/accounts/replication/upload.ts'
import { removeOld, startRetention } from '../../src/accounts/retention.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dayMs, dayOfMs } from '../../src/calendar.ts'
import { auditDaysKept, usageDaysKept } from '../../src/limits.ts'
import type { PlanName } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import type { Account } from '../../src/store/store-records.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { Wire } from '../support/proxy-wire.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'
import { noon } from './counting.ts'
import { serveHere } from './serve-here.ts'

const hourMs = 3_600_000
const today = dayOfMs(noon)
const alone = noReplication()
/** A flusher and an authenticator without a process around them, on clocks of the test's own. */
function counting(plan: PlanName = 'free') {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'acme', plan, noon)
  const shared = reserveAccounts(storeDir, false)
  const time = { wall: noon, monotonic: 0 }
  const clocks = { wall: () => time.wall, monotonic: () => time.monotonic }
  const authenticator = new Authenticator(shared, clocks.wall)
  const access = authenticator.identify(key)!
  const flusher = new Flusher(shared.quota, store, clocks)
  const usage = (day: number) => store.usedOn(day, access.account)
  const close = async () => {
    await authenticator.close()
    await store.close()
  }
  return { store, shared, key, time, authenticator, access, flusher, usage, close }
}

const takeMany = (authenticator: Authenticator, access: Principal, times: number) => {
  for (let i = 0; i < times; i++) authenticator.take(access)
}

it('The flusher stores the counts of each day, and the retention keeps 400 days', async () => {
  const { store, time, authenticator, access, flusher, close } = counting()
  for (let day = 0; day < 410; day++) {
    time.wall = noon + day * dayMs
    takeMany(authenticator, access, 1 + (day % 200))
    flusher.flush()
    await removeOld(store, alone, time.wall)
  }
  const last = today + 409
  const found = Array.from({ length: 500 }, (_, i) => store.usedOn(last - 499 + i, access.account))
  assert.deepEqual(
    found,
    Array.from({ length: 500 }, (_, i) => (i < 100 ? 0 : 1 + ((i - 90) % 200))),
  )
  assert.equal(store.usageKeys([0, 0], 1000).length, 400)
  await close()
})

/** The rest after each transaction that a removal of old rows takes. */
async function leftAfterEach(store: Store, now: number, count: () => number): Promise<number[]> {
  const left: number[] = []
  const write = store.write.bind(store)
  store.write = (action) => {
    const result = write(action)
    left.push(count())
    return result
  }
  await removeOld(store, alone, now)
  store.write = write
  // Other transactions remove other things.
  return [...new Set(left)]
}

it('The retention deletes usage that is too old in several transactions, and leaves newer usage', async () => {
  const { store, close } = counting()
  const oldest = today - usageDaysKept
  store.write(() => {
    for (let account = 0; account < 2500 * blockAccounts; account += blockAccounts) store.addUsage(oldest, account, 1)
    store.addUsage(oldest + 1, 0, 1)
  })
  const left = await leftAfterEach(store, noon, () => store.usageKeys([0, 0], 10_000).length)
  assert.deepEqual(left, [1501, 501, 1])
  assert.equal(store.usedOn(oldest + 1, 0), 1)
  await close()
})

it('The retention deletes entries of the audit log older than 400 days, and nothing else', async () => {
  const { store, close } = counting()
  const account = 0
  const end = noon + auditDaysKept * dayMs
  const times = [noon - 1, noon, noon + 1, end]
  for (const time of times) store.record({ action: 'account suspended', account: store.account(account) }, time)
  await removeOld(store, alone, end)
  const left = [...store.auditLog(account, 0)].flat().filter(({ action }) => action === 'account suspended')
  assert.deepEqual(left.map(({ time }) => time).sort(), times.slice(1))
  await close()
})

it('The retention deletes keys that ended 90 days ago in several transactions, and nothing else', async () => {
  const { store, time, authenticator, access, key, close } = counting()
  const end = (days: number) => noon + days * dayMs
  const table: readonly (readonly [what: string, expiresAt: number | null, revokedAt: number | null])[] = [
    ['live', null, null],
    ['expires later', end(200), null],
    ['expires first, then is revoked', end(1), end(50)],
    ['expired', end(1), null],
    ['revoked', null, end(1)],
    ['revoked, would expire later', end(300), end(1)],
    ['revoked late', null, end(12)],
    ['expired late', end(12), null],
  ]
  const gone = new Set(['expires first, then is revoked', 'expired', 'revoked', 'revoked, would expire later'])
  const hashes = new Map<string, Buffer>()
  const add = (account: Account, name: string, expiresAt: number | null, revokedAt: number | null) => {
    const hash = hashOf(name)
    hashes.set(name, hash)
    const record = { name, prefix: '', hash: hash.toString('hex'), createdAt: 0, expiresAt, revokedAt }
    addKey(store, account, { keyId: `key_${name}`, ...record }, noon)
  }
  store.change(() => {
    for (const row of table) add(store.account(access.account), ...row)
    const account = addAccount(store, 'many', 'free', 0)
    for (let i = 0; i < 1500; i++) add(account, `${i}`, 0, 0)
  })
  store.write(() => {
    for (let number = 0; number < store.counter('nextKey'); number++) store.putKeyUse(number, 1)
  })
  const names = () => listKeys(store, access.account, time.wall).map(({ name }) => name)
  assert.equal(names().length, 1 + table.length)
  time.wall = end(92)
  assert.deepEqual(names(), ['default', ...table.map(([what]) => what).filter((what) => !gone.has(what))])
  const left = await leftAfterEach(store, time.wall, () => store.contents().keys)
  assert.equal(left.length, 3, `in parts: ${left}`)
  assert.equal(left.at(-1), 1 + table.length - gone.size)
  for (const [what] of table) {
    const isGone = gone.has(what)
    assert.equal(store.key(`key_${what}`) === undefined, isGone, what)
    assert.equal(store.keyInUse(hashes.get(what)!) === undefined, isGone || what.startsWith('revoked'), what)
  }
  assert.equal(store.keysOf(access.account).length, 1 + table.length - gone.size)
  const found = store.database.all<{ key: number }>('SELECT key FROM key_uses').map(({ key }) => key)
  assert.deepEqual(
    found,
    store.keysOf(access.account).map(({ number }) => number),
    'last uses go with their keys',
  )
  assert.ok(authenticator.identify(key))
  await close()
})

it('The retention deletes nothing on a day that has not lasted an hour', async () => {
  const { store, time, authenticator, access, flusher, usage, close } = counting()
  takeMany(authenticator, access, 3)
  flusher.flush()
  mock.timers.enable({ apis: ['setInterval'] })
  mock.method(Date, 'now', () => time.wall)
  const timer = startRetention(store, alone, pino({ level: 'silent' }))
  const turns = async () => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  }
  time.wall = noon + 500 * dayMs
  for (const ms of [hourMs, hourMs - 1]) {
    mock.timers.tick(ms)
    await turns()
    assert.equal(usage(today), 3)
  }
  mock.timers.tick(1)
  await until('what is old is deleted', () => usage(today) === 0)
  clearInterval(timer)
  mock.reset()
  await close()
})

describe('The midnight of several threads', async () => {
  const { store, shared, key, time, authenticator, access, flusher, usage, close } = counting()
  const workerClock = new Float64Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL('../support/accounts-process.ts', import.meta.url), {
    workerData: { shared, clock: workerClock },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const answer = () => once(worker, 'message')
  after(async () => {
    worker.postMessage({ id: 2, name: 'stop', given: [] })
    await once(worker, 'exit')
    await close()
  })

  const moments = ['before the slot is read', 'in the transaction', 'after the transaction'] as const
  for (const [i, moment] of moments.entries()) {
    it(`A day that begins on another thread while a flush runs (${moment}) is stored next, and the first day loses nothing`, async () => {
      const [first, second] = [today + 10 * i, today + 10 * i + 2]
      const wallOf = (day: number) => noon + (day - today) * dayMs
      time.wall = wallOf(first)
      workerClock[0] = wallOf(second)
      worker.postMessage({ id: 0, name: 'remaining', given: ['none'] })
      await answer()

      takeMany(authenticator, access, 3)
      const begin = () => {
        worker.postMessage({ id: 1, name: 'take', given: [key, 7] })
        // Time enough for the other thread, unless it waits for this one.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      }
      const answered = answer()
      const write = store.write.bind(store)
      store.write = (action) => {
        const result = write(() => {
          if (moment === moments[0]) begin()
          const written = action()
          if (moment === moments[1]) begin()
          return written
        })
        if (moment === moments[2]) begin()
        return result
      }
      flusher.flush()
      store.write = write
      assert.deepEqual((await answered)[0].result, [199, 198, 197, 196, 195, 194, 193])
      flusher.flush()
      assert.deepEqual([usage(first), usage(second)], [3, 7])

      time.wall = wallOf(second)
      assert.equal(authenticator.take(access), 192)
      flusher.flush()
      assert.deepEqual([usage(first), usage(second)], [3, 8])
    })
  }
})

it('The flusher reports the age of its last flush and the number of failed ones', async () => {
  const { store, time, authenticator, access, flusher, usage, close } = counting()
  const write = store.write.bind(store)
  time.monotonic = 5000
  assert.deepEqual([flusher.ageMs, flusher.failures], [5000, 0])
  flusher.flush()
  assert.equal(flusher.ageMs, 0, 'there was nothing to write')
  authenticator.take(access)
  store.write = () => {
    throw new Error('the disk is full')
  }
  time.monotonic += 400
  for (const failures of [1, 2]) {
    assert.throws(() => flusher.flush())
    assert.deepEqual([flusher.ageMs, flusher.failures], [400, failures])
  }
  store.write = write
  flusher.flush()
  assert.deepEqual([flusher.ageMs, flusher.failures, usage(today)], [0, 2, 1])
  await close()
})

describe('A POST whose body comes after midnight and fails is refunded on its own day', () => {
  const lastMoment = (today + 1) * dayMs - 1
  const body = '{"ids":[]}'
  for (const isLeased of [false, true]) {
    it(isLeased
      ? 'A POST that fails after midnight is refunded on its own day, with leases'
      : 'A POST that fails after midnight is refunded on its own day, without leases', {
      skip: isLeased && skipWithout('postgres'),
    }, async () => {
      const storeDir = temporaryFolder()
      const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'business')
      const databaseUrl = isLeased ? (await Postgres.start()).url() : undefined
      if (databaseUrl !== undefined) await moveAccounts(storeDir, databaseUrl)
      let now = lastMoment
      const clocks = { wall: () => now, monotonic: () => performance.now() }
      const { host, data, port, address, stop } = await serveHere({ storeDir, databaseUrl, clocks })
      Object.defineProperty(data.catalog, 'batch', {
        value: () => {
          throw new TypeError('a fault of ours')
        },
      })
      const count = async () => {
        const { status } = await send(address, '/v1/games', { headers: { 'x-api-key': key } })
        assert.equal(status, 200)
      }
      await count()
      const wire = await Wire.open(port)
      wire.write(
        `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /v1/cards/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      )
      assert.equal((await wire.answer())?.status, 200)
      now++
      await count()
      assert.match((await wire.ask(body.slice(5)))!.body, /INTERNAL_ERROR/)
      wire.close()
      host.flusher.flush()
      const store = new Store(storeDir)
      assert.deepEqual([store.usedOn(dayOfMs(lastMoment), 0), store.usedOn(dayOfMs(now), 0)], [1, 1])
      await store.close()
      await stop()
    })
  }
})
