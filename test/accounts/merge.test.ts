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
  'a rename that changes only upper and lower case': (store) => rename(store, 'a', 'A'),
  'a rename and a new account with the old name': (store) => {
    rename(store, 'a', 'x')
    create(store, 'a')
  },
  'a swap of two names': (store) => {
    rename(store, 'a', 'x')
    rename(store, 'b', 'a')
    rename(store, 'x', 'b')
  },
  'a deletion and a new account with the same name': (store) => {
    remove(store, 'a')
    create(store, 'a')
  },
  'a deletion and another account renamed to its name': (store) => {
    remove(store, 'a')
    rename(store, 'b', 'a')
  },
}

describe('An import into another store', () => {
  for (const [what, change] of Object.entries(changes)) {
    for (const hasIds of [true, false]) {
      it(`An import applies ${what}${hasIds ? '' : ' if neither store has account ids'}`, async () => {
        const [from, to] = await pair('a', 'b', 'c')
        if (!hasIds) for (const store of [from, to]) forgetIds(store)
        change(from)
        load(to, await exported(from))
        assert.deepEqual(accountsOf(to), accountsOf(from))
      })
    }

    it(`An import’s changes carry ${what} to a replica of shared accounts`, async () => {
      const [from, to] = await pair('a', 'b', 'c')
      const dir = temporaryFolder()
      copyFileSync(join(to.dir, storeFileName), join(dir, storeFileName))
      const replica = new Store(dir)
      change(from)
      const file = await exported(from)
      const { changes } = to.try(() => importAccounts(to, file, now))
      replica.write(() => {
        for (const rows of changes) replica.applyShared(rows)
      })
      load(to, file)
      assert.deepEqual(accountsOf(replica), accountsOf(from))
    })
  }
})

/** What is done here after the file was written, and what it must stay. The account's key has the id `keyId`. */
const restrictions: Readonly<Record<string, (store: Store, keyId: string) => void>> = {
  'a revocation': (store, keyId) => registry.revokeKey(store, keyId, now),
  'a revocation whose key is no longer listed': (store, keyId) => {
    const long = now - 91 * 86_400_000
    registry.revokeKey(store, keyId, long)
    store.change(() => store.removeOutdated('keys', 10, registry.endedKeysKeptFrom(now)))
  },
  'a regeneration': (store, keyId) => registry.regenerateKey(store, keyId, now + 1),
  'an earlier expiry': (store, keyId) =>
    store.change(() => store.putKey(keyId, { ...store.key(keyId)!, expiresAt: now + 9 })),
  'a suspension': (store) => registry.suspendAccount(store, 'a', 'unpaid', now),
  'a deletion': (store) => remove(store, 'a'),
}

describe('An import of an older file', () => {
  const usable = (store: Store) => {
    const { audit_log: _, usage: __, ...tables } = contentsOf(store) as Record<string, unknown>
    return tables
  }
  for (const [what, restrict] of Object.entries(restrictions)) {
    for (const hasIds of [true, false]) {
      it(`An import of an older file does not undo ${what}${hasIds ? '' : ' if neither store has account ids'}`, async () => {
        const [from, to] = await pair('a', 'b')
        if (!hasIds) for (const store of [from, to]) forgetIds(store)
        const file = await exported(from)
        const [account] = to.allAccounts()
        restrict(to, registry.listKeys(to, account!.number)[0]!.keyId)
        const before = usable(to)
        const imported = importAccounts(to, file, now + 2)
        assert.deepEqual([imported.changed, imported.kept], [0, 1])
        assert.deepEqual(usable(to), before)
      })
    }
  }

  it('An import applies a revocation, a regeneration, a suspension and an earlier expiry from another store', async () => {
    const [from, to] = await pair('a', 'b')
    const [a, b] = [...from.allAccounts()].map(({ number }) => registry.listKeys(from, number)[0]!.keyId)
    const files: string[] = []
    for (const change of [
      () => registry.regenerateKey(from, a!, now + 1),
      () => registry.regenerateKey(from, a!, now + 2),
      () => registry.revokeKey(from, b!, now + 3),
      () => registry.suspendAccount(from, 'a', 'unpaid', now + 4),
      () => from.change(() => from.putKey(a!, { ...from.key(a!)!, expiresAt: now + 5 })),
    ]) {
      change()
      files.push(await exported(from))
      assert.deepEqual(importAccounts(to, files.at(-1)!, now + 9), { accounts: 2, keys: 2, changed: 1, kept: 0 })
    }
    assert.deepEqual([to.key(a!), to.key(b!)], [from.key(a!), from.key(b!)])
    const { suspendedFor } = [...to.allAccounts()][0]!
    assert.equal(suspendedFor, 'unpaid')
    // Each file is older than the next one.
    for (const [i, file] of files.entries()) {
      const { changed, kept } = importAccounts(to, file, now + 9)
      assert.deepEqual([changed, kept > 0], [0, i < files.length - 1], `file ${i}`)
    }
    assert.deepEqual([to.key(a!), to.key(b!)], [from.key(a!), from.key(b!)])
  })
})

it('An import leaves a deleted account deleted, and applies the changes of other accounts', async () => {
  const [from, to] = await pair('a', 'b')
  remove(to, 'a')
  rename(from, 'b', 'c')
  load(to, await exported(from))
  assert.deepEqual(Object.keys(accountsOf(to)), ['c'])
})

it('An import of a file without account ids matches accounts by name, and is refused if one was renamed', async () => {
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

it('An export of a store without account ids has its live accounts, and name and key ids of deleted ones', async () => {
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

it('An import refuses a file with an invalid field or a duplicate account, and names it', async () => {
  const [from, to] = await pair('a')
  const file = await exported(from)
  const text = readFileSync(file, 'utf8')
  for (const [path, value] of [
    ['format', 2],
    ['accounts.0.id', ''],
    ['accounts.0.name', 'x'.repeat(101)],
    ['accounts.0.name', '-x'],
    ['accounts.0.plan', 'gold'],
    ['accounts.0.plan', 'constructor'],
    ['accounts.0.createdAt', -1],
    ['accounts.0.createdAt', now + 2 * 86_400_000],
    ['accounts.0.suspendedAt', 1.5],
    ['accounts.0.suspendedFor', 1],
    ['accounts.0.suspendedFor', 'x'.repeat(501)],
    ['accounts.0.suspendedFor', 'a\u202eb'],
    ['accounts.0.keys.0.keyId', 'key_123456789'],
    ['accounts.0.keys.0.name', 'a\nb'],
    ['accounts.0.keys.0.prefix', 'cpl_live_12345'],
    ['accounts.0.keys.0.hash', 'A'.repeat(64)],
    ['accounts.0.keys.0.expiresAt', '1'],
    ['accounts.0.keys.0.expiresAt', 1e15],
    ['accounts.0.keys.0.revokedAt', now + 2 * 86_400_000],
    ['deleted.0', { id: 'x'.repeat(101) }],
  ] as const) {
    const data = JSON.parse(text)
    const names = path.split('.')
    names.slice(0, -1).reduce((place, name) => place[name], data)[names.at(-1)!] = value
    writeFileSync(file, JSON.stringify(data))
    const isNamed = path.startsWith('accounts.') && path !== 'accounts.0.name'
    const where = isNamed ? path.replace('accounts.0.', 'account a: ') : path
    assert.throws(
      () => importAccounts(to, file, now),
      ({ message }: Error) => message.startsWith(`${file}: ${where}`) && !message.includes('\n'),
    )
  }
  const data = JSON.parse(text)
  const [{ keys }] = data.accounts
  const twice = {
    ...data,
    accounts: [{ ...data.accounts[0], keys: [...keys, { ...keys[0], keyId: 'key_0123456789' }] }],
  }
  data.accounts.push({ ...data.accounts[0], name: 'b' })
  for (const [content, says] of [
    [JSON.stringify(data), 'the file has the account b twice'],
    [JSON.stringify(twice), 'account a: key_0123456789: hash: is that of another key'],
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
  it(`An import of the account x is refused if another account here is named ${taken}`, async () => {
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
