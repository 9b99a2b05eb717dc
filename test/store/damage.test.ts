/** A store's file that was damaged is one line and exit 1, never a signal; a whole one is never refused. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Gate } from '../../src/accounts/gate.ts'
import { hashOf } from '../../src/accounts/keys.ts'
import { createAccount, createKey, listAccounts, revokeKey } from '../../src/accounts/registry.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { damageOf } from '../../src/store/file.ts'
import { Store } from '../../src/store/store.ts'
import { run, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { damagedCopy, fillStore } from '../support/damage.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const folder = temporaryFolder()
const first = join(folder, 'first')
const file = join(first, 'accounts.mdb')
await fillStore(first, 400)
const bytes = readFileSync(file)
let copies = 0

/** A folder with a copy of the store. */
function copied(): { storeDir: string; copy: string } {
  const storeDir = join(folder, `copy-${copies++}`)
  mkdirSync(storeDir)
  const copy = join(storeDir, 'accounts.mdb')
  copyFileSync(file, copy)
  return { storeDir, copy }
}

describe('a whole store', () => {
  it('has no damage, after whatever was written into it', async () => {
    const storeDir = join(folder, 'busy')
    const store = new Store(storeDir)
    const random = randomFrom(11)
    const path = join(storeDir, 'accounts.mdb')
    const keyIds: string[] = []
    for (let round = 0; round < 150; round++) {
      const { account, keyId } = createAccount(store, `${round}-${'x'.repeat(drawBelow(random, 50))}`, 'free', round)
      keyIds.push(keyId)
      for (let i = drawBelow(random, 5); i > 0; i--) keyIds.push(createKey(store, account, `${i}`, null, round).keyId)
      revokeKey(store, keyIds[drawBelow(random, keyIds.length)]!, round)
      const [day, many] = [dayOfMs(Date.now()) + (round >> 4), drawBelow(random, 400)]
      store.write(() => {
        for (let i = 0; i < many; i++) store.addUsage(day, drawBelow(random, 5000), drawBelow(random, 2 ** 20))
        if (round % 20 === 19) for (const key of [...store.usage.getKeys({ limit: 20 })]) store.usage.removeSync(key)
      })
      assert.equal(damageOf(path), undefined, `round ${round}`)
    }
    await store.close()
    assert.equal(damageOf(path), undefined)
  })

  it('is not refused while another process writes into it', async () => {
    const storeDir = join(folder, 'written')
    await fillStore(storeDir, 2000)
    const store = new Store(storeDir)
    const writing = setInterval(() => createAccount(store, `${Math.random()}`, 'free', 0), 1)
    const list = () => run('src/cli/accounts/main.ts', ['list', '--json'], { STORE_DIR: storeDir })
    const outcomes = await Promise.all([list(), list()])
    clearInterval(writing)
    for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr)
    await store.close()
  })
})

describe('a damaged store', () => {
  it('cut at any length is refused', () => {
    const { copy } = copied()
    const lengths = Array.from({ length: 200 }, (_, i) => Math.floor((i * bytes.length) / 200))
    for (const length of [...lengths, 1, 23, 24, 176, 4095, 4096, 4097, 8191, bytes.length - 1].sort((a, b) => b - a)) {
      truncateSync(copy, length)
      assert.ok(damageOf(copy), `cut to ${length}`)
    }
  })

  it('with a page zeroed is refused, unless nothing uses that page', async () => {
    const { copy } = copied()
    let unused = 0
    for (let page = 0; page * 4096 < bytes.length; page++) {
      const zeroed = Buffer.from(bytes).fill(0, page * 4096, (page + 1) * 4096)
      writeFileSync(copy, zeroed)
      if (damageOf(copy) === undefined) unused++
    }
    assert.ok(unused < bytes.length / 4096 / 2, `${unused} pages could be zeroed`)
  })

  it('never ends a process by a signal', async () => {
    const cases = 50
    const { code, stdout } = await run('test/support/damage-process.ts', [folder, '0', `${cases}`])
    const lines = stdout.trimEnd().split('\n')
    assert.equal(code, 0, `it ended at ${lines.at(-1)}`)
    assert.equal(lines.length, cases)
    assert.ok(!stdout.includes('THREW'), stdout)
    assert.ok(lines.filter((line) => line.includes('refused')).length > cases / 3)
    assert.ok(lines.filter((line) => line.includes('opened')).length > 5, 'what lies in values alone is no damage')
  })

  const files: [what: string, make: (path: string) => void][] = [
    ['an empty file', (path) => writeFileSync(path, '')],
    ['a text', (path) => writeFileSync(path, 'no store\n'.repeat(2000))],
    ['a store cut in two', (path) => truncateSync(path, bytes.length >> 1)],
  ]
  it('is one line that names the file and says what to do, from a command and from the server', async () => {
    await Promise.all(
      files.map(async ([what, make]) => {
        const { storeDir, copy } = copied()
        make(copy)
        const env = { STORE_DIR: storeDir, INDEX_DIR: folder, PORT: '0' }
        for (const { code, stdout, stderr } of [
          await runAccountsHere(storeDir, 'list'),
          await run('src/main.ts', [], env),
        ]) {
          assert.equal(code, 1, what)
          assert.equal(stdout, '')
          assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
          assert.ok(stderr.includes(copy) && stderr.includes('remove it to begin anew'), stderr)
        }
      }),
    )
    const { storeDir, copy } = copied()
    rmSync(copy)
    const { code } = await runAccountsHere(storeDir, 'create', 'anew', '--plan', 'free')
    assert.equal(code, 0, 'a store is made where there is no file')
  })
})

describe('a lock file that nobody uses', () => {
  const locks: [what: string, content: Uint8Array][] = [
    ['empty', new Uint8Array()],
    ['cut', new Uint8Array(100)],
    ['cut behind its head', new Uint8Array(8000).fill(1)],
    ['zeroed', new Uint8Array(8272)],
    ['of noise', Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919) >> 3)],
  ]
  it('may hold anything', async () => {
    await Promise.all(
      locks.map(async ([what, content]) => {
        const { storeDir, copy } = copied()
        writeFileSync(`${copy}-lock`, content)
        const { code, stderr } = await runAccountsHere(storeDir, 'create', 'acme', '--plan', 'free')
        assert.equal(code, 0, `${what}: ${stderr}`)
      }),
    )
  })
})

describe('a record that holds what it should not', () => {
  type Spoilt = [table: string, spoil: (store: Store, hash: Uint8Array) => unknown]
  const values = ['text', 7, null, [], [1], { number: 0 }, { number: -1, name: 'acme', plan: 'free' }] as never[]
  const spoilt: Spoilt[] = [
    ['accounts', (store) => values.map((value) => () => store.accounts.putSync(0, value))],
    ['secrets', (store, hash) => values.map((value) => () => store.secrets.putSync(hash, value))],
    ['usage', (store) => [1, 5, 1028].map((bytes) => () => store.usage.putSync([today, 0], new Uint8Array(bytes)))],
  ]
  const today = dayOfMs(Date.now())
  for (const [table, spoil] of spoilt) {
    it(`in the table ${table} is said to be damaged, to commands and to requests`, async () => {
      const storeDir = join(folder, `spoilt-${table}`)
      const store = new Store(storeDir)
      const now = Date.now()
      const { key } = createAccount(store, 'acme', 'free', now)
      const damaged = new RegExp(`the store holds a damaged record in its table ${table}`)
      for (const put of spoil(store, hashOf(key)) as (() => void)[]) {
        store.write(put)
        const gate = new Gate(reserveAccounts(storeDir, false))
        const request = () => {
          const access = gate.identify(key)!
          return gate.take(access)
        }
        assert.throws(request, (error: Error) => error instanceof AccountsError && damaged.test(error.message))
        if (table !== 'secrets') assert.throws(() => listAccounts(store, today, now), damaged)
        await gate.close()
      }
      await store.close()
    })
  }
})

it('300 readers at once find room', async () => {
  const { storeDir } = copied()
  const stores = Array.from({ length: 300 }, () => new Store(storeDir))
  const iterators = stores.map((store) => store.accounts.getRange({})[Symbol.iterator]())
  for (const iterator of iterators) assert.ok(iterator.next().value)
  for (const iterator of iterators) iterator.return?.()
  await Promise.all(stores.map((store) => store.close()))
})

it('a case of damage can be run again', () => {
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  for (let seed = 0; seed < 20; seed++) {
    assert.equal(damagedCopy(file, one, seed), damagedCopy(file, two, seed))
    assert.deepEqual(readFileSync(one), readFileSync(two))
  }
})
