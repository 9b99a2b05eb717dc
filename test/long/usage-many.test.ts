/** A bill and a backup of 100,000 accounts with a month of usage, beside a server that answers meanwhile. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { addAccount, createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, projectDir, run, temporaryFolder } from '../support/command.ts'
import { startService } from '../support/service.ts'
import { SteadyCaller } from '../support/steady-caller.ts'

const accountCount = 100_000
const first = dayOfDate('2026-10-01')
const days = 31
const commandMsMax = 2000
const answerMsMax = 10
const calmMs = 3000

it(`usage and backup of ${accountCount} accounts`, { timeout: 300_000 }, async (context) => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'caller', 'business', 0)
  store.change(() => {
    for (let i = 1; i < accountCount; i++) addAccount(store, `account ${i}`, 'free', i)
  })
  for (let day = 0; day < days; day++) {
    store.write(() => {
      for (let i = 0; i < accountCount; i++) store.addUsage(first + day, i, 1 + ((i * 7 + day) % 9000))
    })
  }
  await store.close()
  const service = await startService({ INDEX_DIR: temporaryFolder(), STORE_DIR: storeDir })
  const request = `GET /v1/games HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`
  const caller = new SteadyCaller(Number(new URL(service.address).port), request)
  await caller.longest()
  await pause(calmMs)
  const calm = await caller.longest()
  const started = performance.now()
  const args = ['src/cli/accounts/main.ts', 'usage', '--all', '--month', '2026-10', '--csv']
  const child = spawn(process.execPath, args, {
    cwd: projectDir,
    env: { ...process.env, STORE_DIR: storeDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let bytes = 0
  let rows = 0
  child.stdout.on('data', (data: Buffer) => {
    bytes += data.length
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) rows++
  })
  await once(child, 'close')
  const usageMs = performance.now() - started
  const beside = await caller.longest()
  assert.equal(rows, accountCount * days + 1)

  const backup = join(temporaryFolder(), 'backup')
  const backupStarted = performance.now()
  assert.equal((await run('src/cli/accounts/main.ts', ['backup', backup], { STORE_DIR: storeDir })).code, 0)
  const backupMs = performance.now() - backupStarted
  const besideBackup = await caller.longest()
  const restoreStarted = performance.now()
  const restored = join(temporaryFolder(), 'store')
  assert.equal((await run('src/cli/accounts/main.ts', ['restore', backup], { STORE_DIR: restored })).code, 0)
  const restoreMs = performance.now() - restoreStarted
  await caller.stop()
  assert.equal(await service.stop(), 0)
  const figures = { usageMs, megabytes: bytes / 1e6, calm, beside, backupMs, besideBackup, restoreMs }
  context.diagnostic(JSON.stringify({ ...figures, backupMegabytes: statSync(backup).size / 1e6 }))
  const last = await accounts(restored, 'usage', `account ${accountCount - 1}`, '--month', '2026-10')
  assert.deepEqual(last.at(-1), {
    date: dateOfDay(first + days - 1),
    requests: 1 + (((accountCount - 1) * 7 + days - 1) % 9000),
    plan: 'free',
  })
  for (const ms of [usageMs, backupMs, restoreMs]) assert.ok(ms < commandMsMax, `${ms} ms`)
  // On a machine that does much else answers take as long without a command.
  for (const ms of [beside, besideBackup]) assert.ok(ms < Math.max(answerMsMax, 2 * calm), `an answer took ${ms} ms`)
})
