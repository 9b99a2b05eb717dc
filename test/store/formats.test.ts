/** Stores of other versions: an older one is migrated; one that is newer, or something else, is refused with one line. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { Store } from '../../src/store/store.ts'
import { someOf } from '../support/amount.ts'
import { accounts, run, runAccountsHere, temporaryFolder } from '../support/command.ts'

/** Runs statements of SQL on a store, which is created if it is missing. */
async function changed(storeDir: string, ...statements: string[]): Promise<void> {
  const store = new Store(storeDir)
  for (const sql of statements) store.database.run(sql)
  await store.close()
}

it('the store of an older schema is copied beside and migrated, also after a start that was killed between the two', async () => {
  const storeDir = temporaryFolder()
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  await changed(storeDir, 'DROP TABLE account_ids', 'PRAGMA user_version = 1')
  const copy = join(storeDir, 'accounts.db.schema-1')
  writeFileSync(copy, 'half a copy')
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

const others: readonly (readonly [what: string, make: (storeDir: string) => unknown, says: RegExp])[] = [
  [
    'a newer version',
    (storeDir) => changed(storeDir, 'PRAGMA user_version = 99'),
    /^[^\n]* was written by a newer version of this software [^\n]+\n$/,
  ],
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
    const env = { STORE_DIR: storeDir, INDEX_DIR: temporaryFolder(), PORT: '0' }
    if (servedToo.includes(what)) outcomes.push(await run('src/cli/serve-command.ts', [], env))
    for (const { code, stdout, stderr } of outcomes) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, says)
    }
  })
}
