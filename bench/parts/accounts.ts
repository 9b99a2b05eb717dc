/** The cost of a request's key and count, in process on one thread: nanoseconds each. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bench } from 'tinybench'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { isWellFormed, makeKey, randomBase62 } from '../../src/accounts/keys.ts'
import { addAccount, addKey } from '../../src/accounts/registry.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { command } from '../../src/command/command.ts'
import { Store } from '../../src/store/store.ts'

const accountCount = 10_000
const keysInTurn = 1000

const usage = `Usage: npm run bench:accounts

Measures what a request pays for its key and its count, in process on one thread.

  --help   shows this`

process.exitCode = await command(usage, {}, async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'accounts-bench-'))
  const store = new Store(storeDir)
  const keys = store.change(() =>
    Array.from({ length: accountCount }, (_, i) => {
      const account = addAccount(store, `account ${i}`, 'business', 0)
      const { key, prefix, hash } = makeKey()
      const record = {
        name: 'default',
        prefix,
        hash: hash.toString('hex'),
        createdAt: 0,
        expiresAt: null,
        revokedAt: null,
      }
      addKey(store, account, { keyId: `key_${randomBase62(10)}`, ...record }, 0)
      return key
    }),
  )
  const unknown = Array.from({ length: keysInTurn }, () => makeKey().key)
  const mistyped = unknown.map((key) => `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`)
  if (mistyped.some(isWellFormed)) throw new Error('a mistyped key passes its check digits')

  /** Counted up by one a call, so that each call has another key. */
  let turn = 0
  /** The results, so that the compiler can leave nothing out. */
  let checksum = 0

  const shared = reserveAccounts(storeDir, false)
  const generation = new Int32Array(shared.generation)
  const authenticator = new Authenticator(shared)
  const seen = keys.slice(0, keysInTurn).map((key) => authenticator.identify(key)!)

  const bench = new Bench({ time: 500, warmupTime: 200 })
  bench
    .add('nothing: the turn of the keys alone', () => {
      checksum += keys[turn++ % keysInTurn]!.length
    })
    .add('identify, a key seen before (of 1,000)', () => {
      checksum += authenticator.identify(keys[turn++ % keysInTurn]!)!.limit
    })
    .add('identify, a well-formed key that nobody has', () => {
      checksum += authenticator.identify(unknown[turn++ % keysInTurn]!) === undefined ? 1 : 0
    })
    .add('identify, a mistyped key', () => {
      checksum += authenticator.identify(mistyped[turn++ % keysInTurn]!) === undefined ? 1 : 0
    })
    .add('take (of 1,000 accounts)', () => {
      checksum += authenticator.take(seen[turn++ % keysInTurn]!)
    })
    .add('identify and take, as a request does', () => {
      checksum += authenticator.take(authenticator.identify(keys[turn++ % keysInTurn]!)!)
    })
    .add('identify, a key not seen before (of 10,000)', () => {
      // After each round all is forgotten.
      if (turn % accountCount === 0) Atomics.add(generation, 0, 1)
      checksum += authenticator.identify(keys[turn++ % accountCount]!)!.limit
    })
  await bench.run()

  console.log('| what | ns, mean | ns, median | ns, 99 % |\n| --- | ---: | ---: | ---: |')
  for (const { name, result } of bench.tasks) {
    if (!('latency' in result)) throw new Error(`${name} did not run`)
    const { mean, p50, p99 } = result.latency
    console.log(`| ${name} | ${[mean, p50, p99].map((ms) => Math.round(ms * 1e6)).join(' | ')} |`)
  }
  console.log(`answers: ${checksum > 0 ? 'all there' : 'none'}`)
  await Promise.all([authenticator.close(), store.close()])
  rmSync(storeDir, { recursive: true })
  return 0
})
