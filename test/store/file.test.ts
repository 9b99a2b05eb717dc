/**
 * A store's file that was damaged, is another version's or something else, or is on a full disk: one line and exit 1, never a signal.
 * A whole one is never refused, and an older one is migrated.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { hashOf } from '../../src/accounts/keys.ts'
import { accountNamed, createAccount, createKey, revokeKey } from '../../src/accounts/registry.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { AccountsError, accountsErrorOf } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { amount } from '../support/amount.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'

const log = pino({ level: 'silent' })
/** As database.ts sets it. */
const pageBytes = 8192
const accountCount = 250

const folder = temporaryFolder()
const first = join(folder, 'first')
const file = join(first, 'accounts.db')
const filled = new Store(first)
filled.change(() => {
  for (let i = 0; i < accountCount; i++) {
    const { keyId } = createAccount(filled, `account ${i}`, 'free', i)
    createKey(filled, `account ${i}`, { name: 'test', expiresAt: null }, i)
    if (i % 5 === 0) revokeKey(filled, keyId, i)
    for (let day = 0; day < 5; day++) filled.addUsage(20_000 + day, i, i + day)
  }
})
await filled.close()
const bytes = readFileSync(file)

/** A folder with a copy of the store. */
function copied(): { storeDir: string; copy: string } {
  const storeDir = temporaryFolder()
  const copy = join(storeDir, 'accounts.db')
  copyFileSync(file, copy)
  return { storeDir, copy }
}

/** Of a file that is open here: see database.ts. */
const copyFromOutside = (from: string, to: string) => execFileSync('cp', [from, to])

/** The errors found when the store is opened and read. */
async function damageOf(storeDir: string): Promise<string | undefined> {
  let store: Store | undefined
  try {
    store = new Store(storeDir)
    return store.database.damage('integrity_check')
  } catch (error) {
    assert.ok(error instanceof AccountsError, String(error))
    return error.message
  } finally {
    await store?.close()
  }
}

describe('A whole store', () => {
  it('A change is on the disk when it returns, and waits for another process as long as allowed', async () => {
    const { storeDir, copy } = copied()
    const [store, other] = [new Store(storeDir), new Store(storeDir)]
    store.write(() => {
      const message = `${copy} is locked by another process: try again`
      assert.throws(() => other.write(() => undefined, 1), { message })
    })
    const names = ['synchronous', 'journal_mode', 'page_size', 'busy_timeout', 'cell_size_check', 'trusted_schema']
    const settings = names.map((name) => Object.values(other.database.get<object>(`PRAGMA ${name}`)!)[0])
    assert.deepEqual(settings, [2, 'wal', pageBytes, 5000, 1, 0])
    createAccount(other, 'later', 'free', 0)
    for (const each of [store, other]) await each.close()
  })
})

describe('A damaged store', () => {
  it('A store that is cut at any length is reported as damaged', async () => {
    const { storeDir, copy } = copied()
    const lengths = Array.from({ length: 50 }, (_, i) => Math.floor((i * bytes.length) / 50))
    const bounds = [99, 100, 101, pageBytes - 1, pageBytes, pageBytes + 1, bytes.length - pageBytes]
    for (const length of [...lengths.slice(1), ...bounds].sort((a, b) => b - a)) {
      truncateSync(copy, length)
      assert.ok(await damageOf(storeDir), `cut to ${length}`)
    }
  })

  const inSqlite = (path: string, sql: string) => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }
  const advice = /^[^\n]*(restore a backup|is no store: it is empty)[^\n]*$/
  const files: [what: string, make: (path: string) => void, says: RegExp][] = [
    ['an empty file', (path) => truncateSync(path, 0), advice],
    ['a text file', (path) => writeFileSync(path, 'no store\n'.repeat(2000)), advice],
    ['a store cut in two', (path) => truncateSync(path, bytes.length >> 1), advice],
    ['a store cut in its head', (path) => truncateSync(path, 50), advice],
    ['a store without its head', (path) => writeFileSync(path, Buffer.from(bytes).fill(0, 0, pageBytes)), advice],
    [
      'a store of a newer version',
      (path) => inSqlite(path, 'PRAGMA user_version = 99'),
      /^[^\n]* was written by a newer version of this software [^\n]+$/,
    ],
    [
      'another database of SQLite',
      (path) => {
        rmSync(path)
        inSqlite(path, 'CREATE TABLE bookmarks (url TEXT)')
      },
      /^[^\n]*accounts\.db is no store: it is empty, or another kind of file$/,
    ],
  ]
  for (const [what, make, says] of files) {
    // That a server's process ends then, with that line, is in failing-starts.test.ts.
    it(`A command and a start report ${what} in one line`, async () => {
      const { storeDir, copy } = copied()
      make(copy)
      const { code, stdout, stderr } = await runAccountsHere(storeDir, 'list')
      assert.deepEqual([code, stdout, stderr.includes(copy)], [1, '', true])
      const message = stderr.slice('accounts: '.length, -1)
      assert.match(message, says)
      await assert.rejects(AccountsHost.open({ storeDir, log }), { message })
    })
  }
})

describe('The files that a killed process leaves beside the store', () => {
  const left: [what: string, content: Uint8Array][] = [
    ['empty', new Uint8Array()],
    ['cut', new Uint8Array(100)],
    ['of some pages', new Uint8Array(3 * pageBytes).fill(1)],
    ['zeroed', new Uint8Array(32_768)],
    ['of noise', Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919) >> 3)],
  ]
  for (const ending of ['-wal', '-shm']) {
    for (const [what, content] of left) {
      it(`A ${ending} file that is ${what} and was left by a killed process loses no account`, async () => {
        const { storeDir, copy } = copied()
        writeFileSync(`${copy}${ending}`, content)
        const { code, stderr } = await runAccountsHere(storeDir, 'create', 'acme', '--plan', 'free')
        assert.equal(code, 0, stderr)
        assert.equal((await accounts(storeDir, 'list')).length, accountCount + 1)
        assert.equal(await damageOf(storeDir), undefined)
      })
    }
  }

  it('A WAL that is lost or damaged brings no revoked key back', async () => {
    const storeDir = join(folder, 'revoked')
    const store = new Store(storeDir)
    const { key, keyId } = createAccount(store, 'acme', 'free', 0)
    revokeKey(store, keyId, 1)
    for (const [what, damage] of [
      ['lost', () => undefined],
      ['of noise', (wal: string) => writeFileSync(wal, left.at(-1)![1])],
    ] as const) {
      // As a crash of the machine leaves it: this store is still open.
      const after = join(folder, `revoked-${what}`)
      mkdirSync(after)
      copyFromOutside(join(storeDir, 'accounts.db'), join(after, 'accounts.db'))
      damage(join(after, 'accounts.db-wal'))
      const again = new Store(after)
      assert.equal(again.keyInUse(hashOf(key)), undefined, what)
      assert.equal(again.key(keyId)?.revokedAt, 1, what)
      await again.close()
    }
    await store.close()
  })
})

describe('The rows that a store must not have', () => {
  const now = Date.now()
  for (const sql of [
    `UPDATE accounts SET plan = 'gold'`,
    `INSERT INTO usage VALUES (${dayOfMs(now)}, 0, x'0102030405', 0)`,
  ]) {
    it(`A store with a wrong row ends a server’s start with one line: ${sql}`, async () => {
      const storeDir = temporaryFolder()
      const store = new Store(storeDir)
      createAccount(store, 'acme', 'free', now)
      store.database.run('PRAGMA ignore_check_constraints = ON')
      store.database.run(sql)
      await store.close()
      const open = AccountsHost.open({ storeDir, log })
      await assert.rejects(open, {
        message: /^the store \S+ is damaged: CHECK constraint failed in \w+; restore a backup$/,
      })
    })
  }

  it('An extended code of SQLite for corruption means damage, and other failures do not', () => {
    for (const [fields, says] of [
      [{ errcode: 779 }, 'it is damaged (a row is missing): advice'],
      [{ errcode: 26 }, 'it is damaged (a row is missing): advice'],
      [{ code: 'ERR_OUT_OF_RANGE' }, 'it is damaged (a row is missing): advice'],
      [{ errcode: 261 }, 'it is locked by another process: try again'],
      [{ errcode: 13 }, "it can't be read or written (a row is missing)"],
      [{ errno: -13, code: 'EACCES' }, "it can't be opened (permission denied)"],
    ] as const) {
      const error = accountsErrorOf(Object.assign(new Error('a row\nis missing'), fields), 'it', ': advice')
      assert.deepEqual([error instanceof AccountsError, (error as Error).message], [true, says])
    }
    const fault = new TypeError('of the program')
    assert.equal(accountsErrorOf(fault, 'it'), fault)
  })

  it('A key whose account is gone, or a revoked one in the wrong index, is refused', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    const { key, keyId } = createAccount(store, 'acme', 'free', now)
    revokeKey(store, keyId, now)
    const { key: other } = createKey(store, 'acme', { name: 'other', expiresAt: null }, now)
    await changed(
      storeDir,
      'DROP INDEX keys_by_hash',
      'CREATE UNIQUE INDEX keys_by_hash ON keys (hash)',
      'PRAGMA writable_schema = ON',
      "UPDATE sqlite_schema SET sql = sql || ' WHERE revoked_at IS NULL' WHERE name = 'keys_by_hash'",
    )
    assert.deepEqual([store.keyInUse(hashOf(key)), store.keyInUse(hashOf(other))?.key], [undefined, 1])
    store.database.run('DELETE FROM accounts')
    assert.equal(store.keyInUse(hashOf(other)), undefined)
    assert.throws(() => store.account(0), { message: 'the store has no account number 0: restore a backup' })
    await store.close()
  })
})

/** Runs statements of SQL on a store, which is created if it is missing. */
async function changed(storeDir: string, ...statements: string[]): Promise<void> {
  const store = new Store(storeDir)
  for (const sql of statements) store.database.run(sql)
  await store.close()
}

it('A store of an older schema is copied and migrated, even if an earlier start was killed while it copied', async () => {
  const storeDir = temporaryFolder()
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  await changed(
    storeDir,
    'DROP TABLE account_ids',
    ...['inserted', 'removed', 'updated_from', 'updated_to'].map((name) => `DROP TRIGGER accounts_${name}`),
    'DROP TABLE account_counts',
    ...['time', 'action', 'account', 'account_and_action'].map((name) => `DROP INDEX audit_log_by_${name}`),
    'CREATE INDEX audit_log_by_account ON audit_log (account_number)',
    'DROP INDEX keys_by_end',
    'CREATE INDEX keys_by_account ON keys (account)',
    'PRAGMA user_version = 1',
  )
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

const skip = skipWithoutMounting()
const diskBytes = 8 * 2 ** 20

describe('A store on a disk that fills up', { skip }, () => {
  const disk = skip === false ? mountDisk(diskBytes) : undefined
  after(() => disk?.unmount())

  it('A store on a full disk refuses changes in one line, can be read, and changes again once there is space', async () => {
    const { folder, fill, free } = disk!
    let store = new Store(folder)
    createAccount(store, 'before', 'free', 0)
    const made = ['before']
    let refusals = 0
    const steps = amount(10, 40)
    try {
      // Room for a part of what a change writes: for none of it, for the WAL's pages, for some of the file's too.
      for (const left of Array.from({ length: steps }, (_, i) => i * (40 / steps) * 4096)) {
        fill(left)
        for (let attempt = 0; attempt < 10; attempt++) {
          const name = `${left} ${attempt}`
          try {
            createAccount(store, name, 'free', 0)
            made.push(name)
          } catch (error) {
            assert.ok(error instanceof AccountsError, String(error))
            assert.match(error.message, /^\S+accounts\.db can't be read or written \(database or disk is full\)$/)
            assert.equal(store.accountNumber(name), undefined, `${name} was refused, and is there`)
            refusals++
          }
          assert.equal(accountNamed(store, 'before').plan, 'free')
        }
        // As a command would find it.
        await store.close()
        free()
        store = new Store(folder)
      }
      assert.ok(refusals > steps / 2, `${refusals} were refused`)
      createAccount(store, 'later', 'free', 0)
      const names = [...store.allAccounts()].map(({ name }) => name)
      assert.deepEqual(names, [...made, 'later'])
      assert.equal(store.database.damage('integrity_check'), undefined)
    } finally {
      await store.close()
    }
  })
})
