/** A start, a month's bill and a backup of 100,000 accounts with 400 days of usage; the latter beside a server that answers. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { addAccount, createAccount } from '../../src/accounts/registry.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import { accounts, projectDir, run, temporaryFolder } from '../support/command.ts'
import { send, startService } from '../support/service.ts'
import { ConstantCaller } from './constant-caller.ts'

const accountCount = 100_000
const first = dayOfDate('2026-10-01')
const days = 31
const last = first + days - 1
const commandMsMax = 2000
const startMsMax = 300
const starts = 5
const answerMsMax = 10
const calmMs = 3000

const usedOn = (day: number, account: number) => 1 + ((account * 7 + day) % 9000)

/** Medians of the time to the first answer, of a store with one account and of this one, in turn. */
async function startMs(storeDir: string, key: string): Promise<[one: number, many: number]> {
  const [oneDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  const single = await accounts(oneDir, 'create', 'one', '--plan', 'free')
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < starts; i++) {
    for (const [at, [dir, own]] of [[oneDir, single.key] as const, [storeDir, key] as const].entries()) {
      const from = performance.now()
      const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: dir })
      await send(service.address, '/v1/games', { headers: { 'x-api-key': own } })
      times[at]!.push(performance.now() - from)
      await service.stop()
    }
  }
  const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[starts >> 1]!
  return [median(times[0]), median(times[1])]
}

it(`usage and backup of ${accountCount} accounts`, { timeout: 300_000 }, async (context) => {
  const storeDir = temporaryFolder()
  const store = new Store(storeDir)
  const { key } = createAccount(store, 'caller', 'business', 0)
  store.change(() => {
    for (let i = 1; i < accountCount; i++) addAccount(store, `account ${i}`, 'free', i)
  })
  for (let day = last - usageDaysKept + 1; day <= last; day++) {
    store.write(() => {
      for (let block = 0; block * blockAccounts < accountCount; block++) {
        const from = block * blockAccounts
        const numbers = Array.from({ length: Math.min(blockAccounts, accountCount - from) }, (_, i) => from + i)
        const counts = new Uint8Array(Uint32Array.from(numbers, (number) => usedOn(day, number)).buffer)
        store.database.put('usage', 'day, block', { day, block, counts, unsent: 0 })
      }
    })
  }
  await store.close()
  const [one, many] = await startMs(storeDir, key)
  const service = await startService({ INDEX_DIR: temporaryFolder(), STORE_DIR: storeDir })
  const request = `GET /v1/games HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`
  const caller = new ConstantCaller(Number(new URL(service.address).port), request)
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
  const figures = {
    startOneMs: one,
    startManyMs: many,
    usageMs,
    megabytes: bytes / 1e6,
    calm,
    beside,
    backupMs,
    besideBackup,
    restoreMs,
  }
  context.diagnostic(JSON.stringify({ ...figures, backupMegabytes: statSync(backup).size / 1e6 }))
  const shown = await accounts(restored, 'usage', `account ${accountCount - 1}`, '--month', '2026-10')
  assert.deepEqual(shown.at(-1), { date: dateOfDay(last), requests: usedOn(last, accountCount - 1), plan: 'free' })
  assert.ok(many - one < startMsMax, `a start takes ${many - one} ms longer`)
  for (const ms of [usageMs, backupMs]) assert.ok(ms < commandMsMax, `${ms} ms`)
  // On a machine that does much else answers take as long without a command.
  for (const ms of [beside, besideBackup]) assert.ok(ms < Math.max(answerMsMax, 2 * calm), `an answer took ${ms} ms`)
})
