/** Exported accounts are merged by their ids: renames and deletions travel, even if another account has the name by then. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { exportAccounts } from '../../src/accounts/accounts-file.ts'
import { importAccounts } from '../../src/accounts/merge.ts'
import * as registry from '../../src/accounts/registry.ts'
import { storeFileName } from '../../src/store/database.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/command.ts'
import { assertSameContents, contentsOf } from '../support/sharing-servers.ts'

const now = Date.now()
const create = (store: Store, name: string) => registry.createAccount(store, name, 'free', now)
const rename = (store: Store, name: string, to: string) => registry.renameAccount(store, name, to, now)
const remove = (store: Store, name: string) => registry.deleteAccount(store, name, now)

/** As a release without ids left it. */
const forgetIds = (store: Store) => store.database.run('DELETE FROM account_ids')

/** Live accounts with the ids of their live keys, by name. */
function accountsOf(store: Store): Record<string, unknown> {
  const live = [...store.allAccounts()].filter(({ deletedAt }) => deletedAt === null)
  return Object.fromEntries(
    live
      .map(({ number, name, plan }) => {
        const keys = registry.listKeys(store, number, now).filter((key) => registry.isLive(key, now))
        return [name, { plan, id: store.accountId({ ...store.account(number) }), keys: keys.map(({ keyId }) => keyId) }]
      })
      .sort(),
  )
}

async function exported(store: Store): Promise<string> {
  const file = join(temporaryFolder(), 'accounts.json')
  await exportAccounts(store, file)
  return file
}

/** Imports, and again, which changes nothing. */
function load(store: Store, file: string): number {
  const { changed } = importAccounts(store, file, now)
  const before = contentsOf(store)
  assert.equal(importAccounts(store, file, now).changed, 0, 'again')
  assertSameContents(contentsOf(store), before)
  return changed
}

/** Two stores with the same accounts. */
async function pair(...names: string[]): Promise<[Store, Store]> {
  const [from, to] = [new Store(temporaryFolder()), new Store(temporaryFolder())]
  for (const name of names) create(from, name)
  load(to, await exported(from))
  assert.deepEqual(accountsOf(to), accountsOf(from))
  return [from, to]
}

const changes: Readonly<Record<string, (store: Store) => void>> = {
  'a rename': (store) => rename(store, 'a', 'x'),
  'a rename to another case': (store) => rename(store, 'a', 'A'),
  'a rename, and the name used again': (store) => {
    rename(store, 'a', 'x')
    create(store, 'a')
  },
  'names that were swapped': (store) => {
    rename(store, 'a', 'x')
    rename(store, 'b', 'a')
    rename(store, 'x', 'b')
  },
  'a deletion, and the name used again': (store) => {
    remove(store, 'a')
    create(store, 'a')
  },
  'a deletion, and another renamed to it': (store) => {
    remove(store, 'a')
    rename(store, 'b', 'a')
  },
}

describe('an import makes accounts as they are there after', () => {
  for (const [what, change] of Object.entries(changes)) {
    for (const hasIds of [true, false]) {
      it(`${what}${hasIds ? '' : ', from releases without ids'}`, async () => {
        const [from, to] = await pair('a', 'b', 'c')
        if (!hasIds) for (const store of [from, to]) forgetIds(store)
        change(from)
        load(to, await exported(from))
        assert.deepEqual(accountsOf(to), accountsOf(from))
      })
    }

    it(`${what}, as one change of servers that share accounts`, async () => {
      const [from, to] = await pair('a', 'b', 'c')
      const dir = temporaryFolder()
      copyFileSync(join(to.dir, storeFileName), join(dir, storeFileName))
      const replica = new Store(dir)
      change(from)
      const file = await exported(from)
      const { changesets } = to.try(() => importAccounts(to, file, now))
      replica.write(() => {
        for (const changeset of changesets) replica.apply(changeset)
      })
      load(to, file)
      assert.deepEqual(accountsOf(replica), accountsOf(from))
    })
  }
})

it('an account that was deleted here stays deleted, and the others are imported', async () => {
  const [from, to] = await pair('a', 'b')
  remove(to, 'a')
  rename(from, 'b', 'c')
  load(to, await exported(from))
  assert.deepEqual(Object.keys(accountsOf(to)), ['c'])
})

it('a file of a release without ids finds its accounts by their names, and is refused if one was renamed there', async () => {
  const [from, to] = await pair('a', 'b')
  registry.setPlan(from, 'b', 'trader', now)
  forgetIds(from)
  const file = await exported(from)
  load(to, file)
  const found = Object.values(accountsOf(to)).map((account) => (account as { plan: string }).plan)
  assert.deepEqual(found, ['free', 'trader'])
  from.database.run("UPDATE accounts SET name = 'x' WHERE name = 'a'")
  const renamed = await exported(from)
  assert.throws(() => importAccounts(to, renamed, now), {
    message: /^the key key_\w+ belongs to another account here$/,
  })
})

it('a file has what a release without ids reads, and of deleted accounts what it needs', async () => {
  const from = new Store(temporaryFolder())
  const [a, b] = [create(from, 'a').keyId, create(from, 'b').keyId]
  remove(from, 'a')
  forgetIds(from)
  const text = readFileSync(await exported(from), 'utf8')
  const { prefix, hash } = from.key(b)!
  const key = { keyId: b, name: 'default', prefix, hash, createdAt: now, expiresAt: null, revokedAt: null }
  const account = { name: 'b', plan: 'free', createdAt: now, suspendedAt: null, suspendedFor: null, keys: [key] }
  const expected = { format: 1, accounts: [account], deleted: [{ id: 'a', name: 'a', keyIds: [a] }] }
  assert.deepEqual([JSON.parse(text), text.endsWith('}\n')], [expected, true])
})

it('nothing is imported from a file with a wrong field, which is named, or with an account twice', async () => {
  const [from, to] = await pair('a')
  const file = await exported(from)
  const text = readFileSync(file, 'utf8')
  for (const [path, value] of [
    ['format', 2],
    ['accounts.0.id', ''],
    ['accounts.0.name', 'x'.repeat(101)],
    ['accounts.0.plan', 'gold'],
    ['accounts.0.createdAt', -1],
    ['accounts.0.suspendedAt', 1.5],
    ['accounts.0.suspendedFor', 1],
    ['accounts.0.keys.0.keyId', 'key_123456789'],
    ['accounts.0.keys.0.prefix', 'cpl_live_12345'],
    ['accounts.0.keys.0.hash', 'A'.repeat(64)],
    ['accounts.0.keys.0.expiresAt', '1'],
    ['deleted.0', { id: 'x'.repeat(101) }],
  ] as const) {
    const data = JSON.parse(text)
    const names = path.split('.')
    names.slice(0, -1).reduce((place, name) => place[name], data)[names.at(-1)!] = value
    writeFileSync(file, JSON.stringify(data))
    assert.throws(
      () => importAccounts(to, file, now),
      ({ message }: Error) => message.startsWith(`${file}: ${path}`),
    )
  }
  const data = JSON.parse(text)
  data.accounts.push({ ...data.accounts[0], name: 'b' })
  for (const [content, says] of [
    [JSON.stringify(data), 'the file has the account b twice'],
    ['1', `${file}: the file: `],
    ['{', `${file} can't be read (`],
  ] as const) {
    writeFileSync(file, content)
    assert.throws(
      () => importAccounts(to, file, now),
      ({ message }: Error) => message.startsWith(says),
    )
  }
})

for (const [taken, says] of [
  ['x', /^the account x of the file is another one than x here: rename one of them$/],
  ['X!', /^the account x of the file is too similar to X!, which exists here$/],
] as const) {
  it(`nothing is imported if another account here is named ${taken}, and one of the file x`, async () => {
    const [from, to] = await pair('a', 'b')
    rename(from, 'a', 'x')
    remove(from, 'b')
    create(to, taken)
    const before = accountsOf(to)
    const file = await exported(from)
    assert.throws(() => importAccounts(to, file, now), { message: says })
    assert.deepEqual(accountsOf(to), before)
  })
}
