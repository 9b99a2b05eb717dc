/** A store that becomes the accounts of all servers, and their usage, in a real Redis: what is there then, and what is refused. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { backUp, restore } from '../../src/accounts/backup.ts'
import { OthersUsage } from '../../src/accounts/fleet/others-usage.ts'
import { UsageSender } from '../../src/accounts/fleet/usage-sender.ts'
import { createAccount, listKeys, suspendAccount } from '../../src/accounts/registry.ts'
import { ReplicationConnection } from '../../src/accounts/replication/replication-connection.ts'
import { SharedReplication } from '../../src/accounts/replication/shared-replication.ts'
import { moveAccounts, pushAccounts } from '../../src/accounts/replication/upload.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { runHere, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'

const skip = skipWithout('redis-server')
const redis = await startRedis()
const today = dayOfMs(Date.now())
const keptSeconds = 400 * 86_400
const prefix = 'card-prices:accounts:2:'

describe('accounts that a command brings to all servers', { skip, timeout: 60_000 }, () => {
  let client: Redis
  const [single, office] = [new Store(temporaryFolder()), new Store(temporaryFolder())]
  const connection = new ReplicationConnection(redis.url)
  const replication = SharedReplication.open(office, redis.url)
  const place = `the accounts' store at ${new URL(redis.url).host}`
  const server = () => single.setting('serverId')!
  const accountsId = () => single.setting('copyOf')!.id
  before(async () => {
    client = new Redis(redis.url)
    single.change(() => {
      for (let i = 0; i < 300; i++) createAccount(single, `shop ${i}`, 'free', 1)
    })
    // A day too old, the oldest one that is kept, and two of today.
    for (const [day, account] of [
      [today - 400, 1],
      [today - 399, 1],
      [today - 1, 1],
      [today, 1],
      [today, 299],
    ] as const) {
      single.write(() => single.addUsage(day, account, 7))
    }
    single.write(() => single.putKeyUse(299, 5))
    await connection.connect()
  })
  after(async () => {
    await replication.close()
    connection.close()
    client.disconnect()
    for (const store of [single, office]) await store.close()
  })

  /** All counts in Redis: day, server and block. */
  async function usageThere(): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const name of await client.keys(`${prefix}${accountsId()}:usage:*`)) {
      const [month, block] = name.split(':').slice(-2)
      for (const [field, counts] of Object.entries(await client.hgetallBuffer(name))) {
        assert.equal(field.slice(0, 7), month)
        found[`${field} ${block}`] = counts.toString('hex')
      }
      const seconds = await client.ttl(name)
      assert.ok(seconds > keptSeconds - 60 && seconds <= keptSeconds, `${seconds} s`)
    }
    return found
  }
  const one = '0000000007000000'

  it('are moved with their usage and last uses, once, into an empty store alone', async () => {
    await assert.rejects(pushAccounts(single.dir, redis.url, false), {
      message: `the store ${single.dir} is no replica of shared accounts: move its accounts there by card-prices accounts move`,
    })
    assert.deepEqual(await moveAccounts(single.dir, redis.url), { accounts: 300, keys: 300, unconfirmed: undefined })
    const other = `${'00000000'.repeat(43)}07000000`
    const expected = {
      [`${dateOfDay(today - 399)} ${server()} 0`]: one,
      [`${dateOfDay(today - 1)} ${server()} 0`]: one,
      [`${dateOfDay(today)} ${server()} 0`]: one,
      [`${dateOfDay(today)} ${server()} 1`]: other,
    }
    assert.deepEqual(await usageThere(), expected)
    assert.deepEqual(await client.zrange(`${prefix}${accountsId()}:last-uses`, '0', '-1', 'WITHSCORES'), ['299', '5'])
    await replication.refresh()
    assertSameContents(contentsOf(office), contentsOf(single))
    assert.equal(contentsOf(office).audit_log.at(-1)!['action'], 'store moved')
    assert.deepEqual([single.unsentUsage(9), single.unsentKeyUses(9)], [[], []])

    const others = new OthersUsage(connection, office)
    const expectedOfAccount = [0, 7, ...Array.from({ length: 397 }, () => 0), 7, 7]
    assert.deepEqual(await others.ofAccount(1, today - 400, today), expectedOfAccount)
    const counts = new Uint32Array(512)
    counts[1] = counts[299] = 7
    assert.deepEqual(await others.onDay(today), counts)
    assert.deepEqual(
      await new OthersUsage(connection, single).onDay(today),
      new Uint32Array(512),
      'its own are not others’',
    )
    office.write(() => office.addUsage(today, 1, 2))
    const words = ['accounts', 'usage', 'shop 1', '--json']
    const { stdout } = await runHere(words, { STORE_DIR: office.dir, ACCOUNTS_STORE: redis.url })
    assert.equal(JSON.parse(stdout).at(-1).requests, 9, 'here, and on the other server')
    const keys = [299, 298].map((account) => ({
      ...listKeys(office, account)[0]!,
      lastUsedAt: account === 298 ? 9 : null,
    }))
    const actual = (await others.usedAnywhere(keys)).map(({ lastUsedAt }) => lastUsedAt)
    assert.deepEqual(actual, [5000, 9])

    assert.deepEqual(await others.usedAnywhere([]), [])
    await assert.rejects(moveAccounts(single.dir, redis.url), {
      message: `the store ${single.dir} is a replica of shared accounts already`,
    })
    const second = new Store(temporaryFolder())
    createAccount(second, 'x', 'free', 1)
    second.write(() => second.addUsage(today, 0, 1))
    const names = (await client.keys('*')).sort()
    await assert.rejects(moveAccounts(second.dir, redis.url), { message: `${place} has accounts already` })
    assert.deepEqual((await client.keys('*')).sort(), names, 'nor is its usage there')
    createAccount(second, 'y', 'free', 1)
    const shared = SharedReplication.open(second, redis.url)
    await assert.rejects(shared.refresh(), /has accounts of its own/)
    await shared.close()
    await second.close()
  })

  it('have counts that are sent again if the store lost them, and never in the place of later ones', async () => {
    let isFollowing = false
    const sender = new UsageSender(connection, single, () => isFollowing)
    const add = () => single.write(() => single.addUsage(today, 1, 1))
    const there = async () => (await usageThere())[`${dateOfDay(today)} ${server()} 0`]
    add()
    sender.send()
    await sender.close(1000)
    assert.equal(await there(), one, 'it does not follow the store')
    isFollowing = true
    sender.send()
    await sender.close(1000)
    assert.equal(await there(), '0000000008000000')
    const token = single.setting('sent')!
    assert.match(token, new RegExp(`^${today} [0-9a-f]{12}$`))
    const sent = `${prefix}${accountsId()}:sent`
    assert.deepEqual(
      [await client.hgetall(sent), (await client.ttl(sent)) > keptSeconds - 60],
      [{ [server()]: token }, true],
    )
    single.write(() => single.putKeyUse(299, 4))
    const away = new ReplicationConnection(redis.url)
    await assert.rejects(new UsageSender(away, single, () => true).sendAll(), {
      message: `${place} can't be asked (not connected yet)`,
    })
    assert.deepEqual(single.unsentKeyUses(9), [{ key: 299, second: 4 }])
    await sender.sendAll()
    assert.deepEqual(single.unsentKeyUses(9), [])
    assert.equal(
      await client.zscore(`${prefix}${accountsId()}:last-uses`, 299),
      '5',
      'another server has sent a later use',
    )
    // The store has lost the last batch, or has nothing: all that it may lack comes again, from the day before the first one.
    for (const lost of [token, undefined]) {
      add()
      await sender.sendAll()
      for (const name of await client.keys(`${prefix}${accountsId()}:usage:*`)) await client.del(name)
      await (lost === undefined ? client.del(sent) : client.hset(sent, server(), lost))
      await sender.sendAll()
      assert.equal(await there(), lost === undefined ? '000000000a000000' : '0000000009000000')
      assert.equal(Object.keys(await usageThere()).length, lost === undefined ? 4 : 3)
      assert.equal(await client.hget(sent, server()), single.setting('sent'))
    }
  })

  it('are restored from a backup if that is forced, with its usage under the name of its server', async () => {
    const [file, storeDir] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'restored')]
    await backUp(single.dir, file)
    await replication.change(() => createAccount(office, 'later', 'free', 1))
    const reason = 'has 3 changes, no fewer than these: there is nothing to push. --force replaces them'
    await assert.rejects(restore(file, storeDir, redis.url), { message: `${place} ${reason}` })
    const before = await usageThere()
    await client.del(`${prefix}${accountsId()}:usage:${dateOfDay(today).slice(0, 7)}:1`)
    const restored = await restore(file, storeDir, redis.url, true)
    assert.deepEqual(restored, { accounts: 300, keys: 300, unconfirmed: undefined })
    assert.deepEqual(await usageThere(), before)
    await replication.refresh()
    const store = new Store(storeDir)
    assertSameContents(contentsOf(office), contentsOf(store))
    assert.deepEqual(
      [store.setting('serverId'), store.setting('sent'), store.usedOn(today, 1)],
      [undefined, undefined, 0],
    )
    assert.deepEqual(
      [office.counter('nextAccount'), contentsOf(office).audit_log.at(-1)!['action']],
      [300, 'store restored'],
    )
    await replication.change(() => suspendAccount(office, 'shop 1', undefined, 1))
    // An incomplete replica is pushed nowhere, and this one has fewer changes.
    await assert.rejects(pushAccounts(storeDir, redis.url, false), /nothing to push/)
    store.write(() => store.setSetting('copyOf', { ...store.setting('copyOf')!, whole: false }))
    await assert.rejects(pushAccounts(storeDir, redis.url, true), {
      message: `the replica in ${storeDir} is incomplete`,
    })
    await store.close()
  })
})
