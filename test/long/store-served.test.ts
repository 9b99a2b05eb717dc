/** The store's file under a running server is replaced, removed, cut, overwritten; its disk fills up. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { mountDisk } from '../support/disk.ts'
import { skipWithoutMounting } from '../support/programs.ts'
import { drawBelow, randomFrom } from '../support/random.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const rounds = 60
const fills = 100
const indexDir = temporaryFolder()
await fixtureIndex(indexDir)

const statusFor = async (service: Service, key: string) =>
  (await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })).status

/** In another process: to close a file that is open here would release SQLite's locks on it. */
const overwrite = (from: string, to: string) => execFileSync('cp', [from, to])

const random = randomFrom(27)

/** Each is handed the store's file and a copy of it. */
const mishaps: Readonly<Record<string, (file: string, copy: string) => void>> = {
  'replaced by a copy': (file, copy) => {
    cpSync(copy, `${file}.new`)
    renameSync(`${file}.new`, file)
  },
  'overwritten by a copy': (file, copy) => overwrite(copy, file),
  removed: (file) => rmSync(file),
  'removed with all beside it': (file) => {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  },
  'made read-only': (file) => chmodSync(file, 0o400),
  'cut in two': (file) => truncateSync(file, readFileSync(file).length >> 1),
  'cut to nothing': (file) => truncateSync(file, 0),
  'overwritten by noise': (file) => {
    const bytes = readFileSync(file)
    const from = drawBelow(random, bytes.length)
    for (let i = from; i < Math.min(from + 20_000, bytes.length); i++) bytes[i] = drawBelow(random, 256)
    writeFileSync(`${file}.noise`, bytes)
    overwrite(`${file}.noise`, file)
    rmSync(`${file}.noise`)
  },
  'left without its WAL': (file) => rmSync(`${file}-wal`, { force: true }),
}

describe('the file of a store that is served', () => {
  const kinds = Object.keys(mishaps)
  for (let round = 0; round < rounds; round++) {
    const kind = kinds[round % kinds.length]!
    it(`round ${round}: ${kind}`, { timeout: 60_000 }, async () => {
      const storeDir = temporaryFolder()
      const file = join(storeDir, 'accounts.db')
      const { key, keyId } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')
      for (let i = 0; i < 5; i++) await accounts(storeDir, 'create', `other ${i}`, '--plan', 'free')
      const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
      assert.equal(await statusFor(service, key), 200)
      await accounts(storeDir, 'revoke', keyId)
      cpSync(file, `${file}.copy`)
      mishaps[kind]!(file, `${file}.copy`)
      for (const command of [
        ['list'],
        ['create', 'new', '--plan', 'free'],
        ['set-plan', 'other 1', 'trader'],
        ['log'],
      ]) {
        const { code, stderr } = await runAccountsHere(storeDir, ...command)
        assert.ok(code === 0 || code === 1, `${command}: ${code}`)
        assert.match(stderr, /^([^\n]*\n)?$/, `${command}`)
        assert.notEqual(await statusFor(service, key), 200, 'a revoked key was let in')
      }
      assert.equal(service.child.exitCode, null)
      assert.equal(service.child.signalCode, null)
      await service.stop()
      assert.equal(service.child.signalCode, null)
      const again = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir }).catch((error: Error) => error)
      if (again instanceof Error) assert.match(again.message, /^the server exited 1: [^\n]+\n$/)
      else {
        assert.equal(await statusFor(again, key), 401)
        assert.equal(await again.stop(), 0)
      }
    })
  }
})

const skip = skipWithoutMounting()

it(`a disk that fills up ${fills} times under requests and changes loses nothing`, {
  skip,
  timeout: 600_000,
}, async () => {
  const disk = mountDisk(8 * 2 ** 20)
  try {
    const { key } = await accounts(disk.folder, 'create', 'shop', '--plan', 'business')
    const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: disk.folder, LOG_LEVEL: 'silent' })
    const made = ['shop']
    let refused = 0
    let asked = 0
    for (let round = 0; round < fills; round++) {
      disk.fill(drawBelow(random, 30) * 4096)
      for (let i = 0; i < 3; i++) {
        const name = `shop ${round} ${i}`
        const { code, stderr } = await runAccountsHere(disk.folder, 'create', name, '--plan', 'free')
        if (code === 0) made.push(name)
        else {
          refused++
          assert.match(stderr, /^accounts: [^\n]+\n$/)
        }
        for (let times = 0; times < 5; times++) assert.equal(await statusFor(service, key), 200)
        asked += 5
      }
      disk.free()
      await until('it is written again', async () => {
        const name = `free ${round}`
        const { code } = await runAccountsHere(disk.folder, 'create', name, '--plan', 'free')
        if (code === 0) made.push(name)
        return code === 0
      })
    }
    assert.ok(refused > fills / 4, `${refused} were refused`)
    assert.equal(await service.stop(), 0)
    const store = new Store(disk.folder)
    assert.deepEqual([...store.allAccounts()].map(({ name }) => name).sort(), made.sort())
    assert.equal(store.database.damage('integrity_check'), undefined)
    const today = dayOfMs(Date.now())
    const used = store.usedOn(today, 0) + store.usedOn(today - 1, 0)
    assert.equal(used, asked)
    await store.close()
  } finally {
    await disk.unmount()
  }
})
