/** Stores of other versions: an older one is migrated; one that is newer, or something else, is refused with one line. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Store } from '../../src/store/store.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import { someOf } from '../support/amount.ts'
import { accounts, run, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { asNewer, asOlder } from './old-store.ts'

it('usage in blocks is what it would be entry by entry', async () => {
  const store = new Store(temporaryFolder())
  const random = randomFrom(5)
  const reference = new Map<string, number>()
  for (let round = 0; round < 40; round++) {
    store.write(() => {
      for (let i = 0; i < 50; i++) {
        const [day, account] = [drawBelow(random, 3), drawBelow(random, 3 * blockAccounts)]
        const added = drawBelow(random, 2000) - 500
        store.addUsage(day, account, added)
        reference.set(`${day} ${account}`, Math.max((reference.get(`${day} ${account}`) ?? 0) + added, 0))
      }
    })
  }
  for (let day = 0; day < 3; day++) {
    for (let account = 0; account < 4 * blockAccounts; account++) {
      assert.equal(store.usedOn(day, account), reference.get(`${day} ${account}`) ?? 0)
    }
  }
  await store.close()
})

const serve = (storeDir: string) =>
  run('src/main.ts', [], { STORE_DIR: storeDir, INDEX_DIR: temporaryFolder(), PORT: '0' })

describe('the store of an older schema', () => {
  for (const [what, left] of [
    ['is copied beside and migrated', undefined],
    ['is so, too, after a start that was killed between the two', 'half a copy'],
  ] as const) {
    it(what, async () => {
      const storeDir = temporaryFolder()
      await accounts(storeDir, 'create', 'acme', '--plan', 'free')
      await asOlder(storeDir)
      const copy = join(storeDir, 'accounts.db.schema-1')
      if (left !== undefined) writeFileSync(copy, left)
      const [{ account }] = await accounts(storeDir, 'list')
      assert.equal(account, 'acme')
      assert.equal(statSync(copy).mode & 0o777, 0o600)
      const database = new DatabaseSync(copy)
      const { user_version: schema } = database.prepare('PRAGMA user_version').get()!
      const { name } = database.prepare('SELECT name FROM accounts').get()!
      database.close()
      assert.deepEqual([schema, name], [1, 'acme'])
      await accounts(storeDir, 'rename', 'acme', 'new')
      assert.deepEqual(
        readdirSync(storeDir).filter((file) => !/^(accounts\.db(-shm|-wal|\.schema-1)?|server\.db.*)$/.test(file)),
        [],
      )
    })
  }
})

const others: readonly (readonly [what: string, make: (storeDir: string) => unknown, says: RegExp])[] = [
  ['a newer version', asNewer, /^[^\n]* was written by a newer version of this software [^\n]+\n$/],
  [
    'something else that is in SQLite',
    (storeDir) => {
      mkdirSync(storeDir, { recursive: true })
      const other = new DatabaseSync(join(storeDir, 'accounts.db'))
      other.exec('CREATE TABLE bookmarks (url TEXT)')
      other.close()
    },
    /^[^\n]*accounts\.db is no store: it is empty, or another kind of file\n$/,
  ],
]
const servedToo = someOf(others, 1).map(([what]) => what)
for (const [what, make, says] of others) {
  it(`a store of ${what} is refused with one line, by commands and at a start`, async () => {
    const storeDir = temporaryFolder()
    await make(storeDir)
    const outcomes = [await runAccountsHere(storeDir, 'list')]
    if (servedToo.includes(what)) outcomes.push(await serve(storeDir))
    for (const { code, stdout, stderr } of outcomes) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, says)
    }
  })
}
