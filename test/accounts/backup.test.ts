/** A backup beside a running server holds all that was counted before it, and restores as it was. */
import assert from 'node:assert/strict'
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { before, describe, it } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { backupName, restore, superfluous, usualKeep } from '../../src/accounts/backup.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import { amount } from '../support/amount.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const folder = temporaryFolder()
const backup = join(folder, 'backup')

it('A backup of a running server holds every request counted so far, and can be restored while that server runs', async () => {
  const storeDir = join(folder, 'running')
  const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'business')
  const server = await AccountsServer.start({ STORE_DIR: storeDir, THREADS: '2' })
  for (let round = 1; round <= amount(1, 3); round++) {
    for (const thread of [0, 1]) await server.take(key, 500, thread)
    assert.deepEqual(await accounts(storeDir, 'backup', backup), { accounts: 1, keys: 1 })
    const restored = join(folder, `restored-${round}`)
    assert.deepEqual(await accounts(restored, 'restore', backup), { accounts: 1, keys: 1 })
    const host = await AccountsHost.open({ storeDir: restored, log: pino({ level: 'silent' }) })
    const authenticator = new Authenticator(host.shared)
    const principal = authenticator.identify(key)!
    assert.equal(authenticator.take(principal), 100_000 - 1000 * round - 1)
    for (const each of [authenticator, host]) await each.close()
  }
  assert.equal(statSync(backup).mode & 0o777, 0o600)
  const left = readdirSync(folder).filter((name) => name.endsWith('.tmp'))
  assert.deepEqual(left, [])
  await server.take(key, 100)
  await server.kill('SIGKILL')
})

describe('A folder of backups', () => {
  const hourMs = 3_600_000
  const dayNameOf = (name: string) => name.slice('accounts-'.length, 'accounts-YYYYMMDD'.length)

  for (const keep of [usualKeep, { newest: 1, days: 0 }, { newest: 3, days: 2 }]) {
    it(`A backup folder keeps its newest backups (${keep.newest}) and the last one of each day (${keep.days} days)`, () => {
      const random = randomFrom(keep.days)
      let names: string[] = ['accounts.db', 'accounts-20990101T000000Z.db', 'other-20200101T000000Z.db']
      const all: string[] = []
      const others = names.length
      for (let now = Date.parse('2026-02-01T00:10:00Z'); now < Date.parse('2026-03-15T00:00:00Z'); now += hourMs) {
        // A machine may be off for a while.
        if (drawBelow(random, 100) === 0) now += drawBelow(random, 60) * hourMs
        names.push(backupName(now))
        all.unshift(backupName(now))
        const gone = superfluous(names, keep, now)
        names = names.filter((name) => !gone.includes(name))
        const days = Array.from({ length: keep.days }, (_, i) => dayNameOf(backupName(now - i * 24 * hourMs)))
        const newestOf = days.map((day) => all.find((name) => dayNameOf(name) === day))
        const expected = new Set([...all.slice(0, keep.newest), ...newestOf.filter((name) => name !== undefined)])
        assert.deepEqual(new Set(names.slice(others)), expected, backupName(now))
      }
    })
  }

  it('A backup to a folder with --keep writes a new file there and removes old backups, but no other files', async () => {
    const [storeDir, place] = [join(folder, 'kept'), temporaryFolder()]
    await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    const dir = join(place, 'backups/')
    mkdirSync(dir)
    for (const name of ['accounts-20200101T000000Z.db', 'notes.txt']) writeFileSync(join(dir, name), '')
    const { file, ...rest } = await accounts(storeDir, 'backup', dir, '--keep', '1,1')
    assert.deepEqual(rest, { accounts: 1, keys: 1, removed: 1 })
    assert.match(file, /backups\/accounts-\d{8}T\d{6}Z\.db$/)
    assert.deepEqual(readdirSync(dir).sort(), [file.slice(dir.length), 'notes.txt'].sort())
    const store = new Store(storeDir)
    assert.ok(Date.now() - store.setting('backedUpAt')! < 60_000)
    assert.equal(store.setting('backedUpTo'), file)
    await store.close()
    chmodSync(file, 0o644)
    assert.deepEqual(await accounts(join(place, 'restored'), 'restore', file), { accounts: 1, keys: 1 })
    assert.deepEqual(readdirSync(join(place, 'restored')), ['accounts.db'])
    await accounts(storeDir, 'backup', join(place, 'new/'))
    for (const made of ['new', 'restored']) assert.equal(statSync(join(place, made)).mode & 0o777, 0o700, made)
    assert.equal(statSync(join(place, 'restored', 'accounts.db')).mode & 0o777, 0o600)
  })

  it('A restore syncs the store and its folder to disk before the command ends', async (context) => {
    const storeDir = join(folder, 'on-the-disk')
    const synced: string[] = []
    const { fsyncSync } = fs
    context.mock.method(fs, 'fsyncSync', (descriptor: number) => {
      fsyncSync(descriptor)
      synced.push(relative(folder, readlinkSync(`/proc/self/fd/${descriptor}`)))
    })
    syncBuiltinESMExports()
    await restore(backup, storeDir)
    assert.deepEqual(synced, ['on-the-disk/restoring/accounts.db', 'on-the-disk'])
    context.mock.restoreAll()
    syncBuiltinESMExports()
  })

  it('A backup command with a missing parent folder or an invalid --keep fails and prints why', async () => {
    const storeDir = join(folder, 'kept')
    for (const [args, code, message] of [
      [[join(folder, 'no/backups/')], 1, /the folder \S+ does not exist\n$/],
      [[join(folder, 'file'), '--keep', '1,1'], 2, /--keep is for a folder: backup DIR\//],
      ...['1', '0,1', '1,', '1,2,3', 'a,b'].map((text) => [
        [`${folder}/`, '--keep', text],
        2,
        /--keep takes HOURS,DAYS/,
      ]),
    ] as [string[], number, RegExp][]) {
      const outcome = await runAccountsHere(storeDir, 'backup', ...args)
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''])
      assert.match(outcome.stderr, message)
    }
  })
})

describe('A backup or a restoration that fails', () => {
  const whole = join(folder, 'whole')

  before(async () => {
    await accounts(join(folder, 'stopped'), 'create', 'acme', '--plan', 'free')
    await accounts(join(folder, 'stopped'), 'backup', whole)
  })

  const fails = async (storeDir: string, args: string[], message: RegExp) => {
    const { code, stdout, stderr } = await runAccountsHere(storeDir, ...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1)
  }

  const files: readonly (readonly [what: string, make: (path: string) => unknown, message: RegExp])[] = [
    ['a missing file', () => undefined, /^accounts: the file \S+ does not exist\n$/],
    ['a folder', (path) => mkdirSync(path), /^accounts: the file \S+ does not exist\n$/],
    ['an empty file', (path) => writeFileSync(path, ''), /is no store: it is empty/],
    ['a CSV', (path) => writeFileSync(path, 'name,plan\n'.repeat(10_000)), /^accounts: \S+ is damaged \(file is not/],
    [
      'a truncated store',
      (path) => {
        copyFileSync(whole, path)
        truncateSync(path, statSync(whole).size - 8192)
      },
      /^accounts: \S+ is damaged \(/,
    ],
  ]
  for (const [what, make, message] of files) {
    it(`A restore from ${what} fails with one line and restores nothing`, async () => {
      const [path, storeDir] = ['file', 'store'].map((name) => join(temporaryFolder(), name)) as [string, string]
      make(path)
      await fails(storeDir, ['restore', path], message)
      assert.deepEqual(existsSync(storeDir) ? readdirSync(storeDir) : [], [])
    })
  }

  it('A backup is not restored into a folder that is not empty', async () => {
    const storeDir = join(folder, 'stopped')
    const store = readFileSync(join(storeDir, 'accounts.db'))
    await fails(storeDir, ['restore', whole], /stopped is not empty \(accounts.db.*stop its server/)
    assert.deepEqual(readFileSync(join(storeDir, 'accounts.db')), store)
    const other = temporaryFolder()
    mkdirSync(join(other, 'of somebody'))
    await fails(other, ['restore', whole], /is not empty \(of somebody\)/)
  })

  it('A backup of a mistyped STORE_DIR prints one line and makes no store', async () => {
    const storeDir = join(folder, 'mistyped')
    await fails(storeDir, ['backup', join(folder, 'of-nothing')], /there is no store in .*mistyped/)
    assert.ok(!existsSync(storeDir) && !existsSync(join(folder, 'of-nothing')))
  })

  it('A backup to a path that can’t be written prints one line and makes no folder', async () => {
    await fails(join(folder, 'stopped'), ['backup', join(folder, 'no', 'file')], /can't be written/)
    assert.ok(!existsSync(join(folder, 'no')))
  })
})
