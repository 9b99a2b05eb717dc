/**
 * litestream's needs of a program whose file it follows: it holds a read transaction, copies the file once, and then the WAL as
 * it grows. Nothing may take frames from the WAL that it has not copied, nor lock the file so that it can't read. The program
 * itself is not in Debian, so a reader that does the same stands for it; the rules are at litestream.io/tips.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { AccountsServer, passed } from '../support/accounts-server.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { until } from '../support/until.ts'

/** In another process: to close the file in this one would release SQLite's locks on it. */
const copy = (from: string, to: string) => execFileSync('cp', [from, to])

/** Of the WAL's header: the salts change when it begins anew. */
const saltsOf = (wal: Buffer) => wal.toString('hex', 16, 24)

it('A reader that follows the WAL as litestream does can restore every change and count, up to the server’s stop', async () => {
  const [storeDir, copies] = [temporaryFolder(), temporaryFolder()]
  const { key } = await accounts(storeDir, 'create', 'first', '--plan', 'trader')
  const path = join(storeDir, 'accounts.db')
  const follower = new DatabaseSync(path)
  follower.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
  follower.exec('INSERT INTO _litestream_seq VALUES (1, 1); PRAGMA wal_checkpoint(TRUNCATE)')
  follower.exec('UPDATE _litestream_seq SET seq = seq + 1; BEGIN; SELECT count(*) FROM _litestream_seq')
  copy(path, join(copies, 'accounts.db'))
  const salts = saltsOf(readFileSync(`${path}-wal`))

  const server = await AccountsServer.start({ STORE_DIR: storeDir })
  const seen: Buffer[] = []
  const look = () => seen.push(readFileSync(`${path}-wal`))
  for (const name of ['second', 'third', 'fourth']) {
    const made = await accounts(storeDir, 'create', name, '--plan', 'free')
    await accounts(storeDir, 'revoke', made.keyId)
    look()
  }
  assert.equal(passed(await server.take(key, 5)), 5)
  await until('counts are written', async () => (await accounts(storeDir, 'list'))[0].usedToday === 5)
  await accounts(storeDir, 'backup', join(copies, 'backup'))
  look()
  await server.kill('SIGTERM')
  look()

  for (const [i, wal] of seen.entries()) {
    assert.equal(saltsOf(wal), salts, 'the WAL never began anew')
    const before = seen[i - 1] ?? Buffer.alloc(0)
    assert.ok(wal.subarray(0, before.length).equals(before), 'what was in the WAL stays there')
  }
  // The file as it was first, with all frames since: what litestream restores.
  copy(`${path}-wal`, join(copies, 'accounts.db-wal'))
  follower.exec('COMMIT')
  follower.close()
  const restored = await accounts(copies, 'list')
  assert.deepEqual(
    restored.map(({ account, keys, usedToday }: { account: string; keys: number; usedToday: number }) => [
      account,
      keys,
      usedToday,
    ]),
    [['first', 1, 5], ...['second', 'third', 'fourth'].map((name) => [name, 0, 0])],
  )
  assert.equal((await accounts(copies, 'log')).length, 2 + 3 * 3)
})
