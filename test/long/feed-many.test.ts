/** A hundred thousand accounts: how soon a server that joins serves, and whether it lets in whom the others do. */
import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { after, before, it } from 'node:test'
import { makeKey, randomBase62 } from '../../src/accounts/keys.ts'
import { addAccount, addKey } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { skipWithout } from '../support/programs.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('redis-server')
const accountsMany = 100_000
const joinSecondsMax = 5
/** Each so many accounts' key is kept, to be tried. */
const triedEach = 997
const tried: string[] = []
let redis: RedisServer
let fleet: Fleet

before(async () => {
  if (skip) return
  redis = await startRedis()
  fleet = await Fleet.of(redis)
  const store = new Store(fleet.storeDir('first'))
  const now = Date.now()
  store.change(() => {
    for (let i = 0; i < accountsMany; i++) {
      const { key, prefix, hash } = makeKey()
      const account = addAccount(store, `shop ${i}`, 'business', now)
      const record = {
        name: 'default',
        prefix,
        hash: hash.toString('hex'),
        createdAt: now,
        expiresAt: null,
        revokedAt: null,
      }
      addKey(store, account, `key_${randomBase62(10)}`, record, now)
      if (i % triedEach === 0) tried.push(key)
    }
  })
  await store.close()
  const moved = await fleet.run('first', ['move', redis.url], '')
  assert.equal(moved.code, 0, moved.stderr)
})

after(async () => {
  if (!skip) await redis.stop()
})

it(`a server joins ${accountsMany} accounts within ${joinSecondsMax} s, from its start to its first answer`, {
  skip,
}, async (context) => {
  const from = performance.now()
  const joined = await fleet.start('joined', { QUOTA_STORE: '' })
  const seconds = (performance.now() - from) / 1000
  context.diagnostic(`${seconds.toFixed(2)} s`)
  for (const key of tried) assert.equal(await statusFor(joined, key), 200)
  // Where others use the machine, nothing is known of that.
  if (loadavg()[0]! < availableParallelism()) assert.ok(seconds <= joinSecondsMax, `${seconds} s`)

  // All of it is put in its place once more: everything is copied anew, while it serves.
  let refused = 0
  let isDone = false
  const asking = (async () => {
    while (!isDone) if ((await statusFor(joined, tried[0]!)) !== 200) refused++
  })()
  const pushed = await fleet.run('first', ['push', '--force'])
  isDone = true
  await asking
  assert.deepEqual([pushed.code, refused], [0, 0], pushed.stderr)
  await until('the copies are one', async () => {
    const [first, second] = await Promise.all(['first', 'joined'].map((machine) => fleet.copyOf(machine)))
    return first!.copy!.number === second!.copy!.number && second!.copy!.whole
  })
  assert.equal(await joined.stop(), 0)
})
