/** A bill of 100,000 accounts over all days that are kept, of three servers, and what it takes of time and memory. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { Redis } from 'ioredis'
import { UsageSender } from '../../src/accounts/fleet/usage-sender.ts'
import { addAccount } from '../../src/accounts/registry.ts'
import { ReplicationConnection } from '../../src/accounts/replication/connection.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { usageDaysKept } from '../../src/limits.ts'
import { Store } from '../../src/store/store.ts'
import { blockAccounts } from '../../src/store/usage-block.ts'
import { projectDir, run, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'

const accountCount = 100_000
const blocks = Math.ceil(accountCount / blockAccounts)
const today = dayOfMs(Date.now())
const commandMsMax = 240_000
const megabytesMax = 400
const script = 'src/cli/accounts/main.ts'

/** Each server's count of an account on a day: on one day in four. */
const requestsOf = (server: number, account: number, day: number) =>
  (account + day + server) % 4 === 0 ? 1 + ((account * 7 + day * 3 + server) % 900) : 0

it(`usage --all of ${accountCount} accounts, ${usageDaysKept} days and three servers`, {
  skip: skipWithout('redis-server'),
  timeout: 900_000,
}, async (context) => {
  const redis = await startRedis()
  const folder = temporaryFolder()
  const first = join(folder, 'first')
  const env = { STORE_DIR: first, ACCOUNTS_STORE: redis.url }
  const store = new Store(first)
  store.change(() => {
    for (let i = 0; i < accountCount; i++) addAccount(store, `account ${i}`, 'free', i)
  })
  await store.close()
  const moved = await run(script, ['move', redis.url], { STORE_DIR: first })
  assert.equal(moved.code, 0, moved.stderr)
  let sendMs = 0
  for (let server = 0; server < 3; server++) {
    const storeDir = server === 0 ? first : join(folder, `server ${server}`)
    if (server > 0) assert.equal((await run(script, ['list'], { ...env, STORE_DIR: storeDir })).code, 0)
    fill(storeDir, server)
    const started = performance.now()
    await sendAll(storeDir, redis.url)
    sendMs = performance.now() - started
  }
  const client = new Redis(redis.url)
  const megabytes = Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1]) / 1e6
  await client.config('SET', 'slowlog-log-slower-than', '1000')
  await client.slowlog('RESET')
  const started = performance.now()
  const child = spawn(process.execPath, [script, 'usage', '--all', '--csv'], {
    cwd: projectDir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let reported = ''
  child.stderr.on('data', (data: Buffer) => {
    reported += data
  })
  let sum = 0
  let rows = -1
  let rest = ''
  let peak = 0
  child.stdout.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('latin1')).split('\n')
    rest = lines.pop()!
    peak = Math.max(peak, megabytesOf(child.pid!))
    for (const line of lines) {
      rows++
      if (rows > 0) sum += Number(line.slice(line.lastIndexOf(',') + 1))
    }
  })
  const [code] = await once(child, 'close')
  const usageMs = performance.now() - started
  assert.equal(code, 0, reported)
  const slow = (await client.slowlog('GET', 1000)) as [id: number, time: number, us: number][]
  const longestMs = Math.max(0, ...slow.map(([, , us]) => us)) / 1000
  context.diagnostic(JSON.stringify({ usageMs, rows, peak, sendMs, storeMegabytes: megabytes, longestMs }))
  client.disconnect()
  await redis.stop()
  let expected = 0
  for (let server = 0; server < 3; server++) {
    for (let day = today - usageDaysKept + 1; day <= today; day++) {
      for (let account = 0; account < accountCount; account++) expected += requestsOf(server, account, day)
    }
  }
  assert.equal(sum, expected)
  assert.ok(usageMs < commandMsMax, `${usageMs} ms`)
  assert.ok(peak < megabytesMax, `${peak} MB`)
})

/** Its own memory, without the pages of files; of an ended process 0. */
function megabytesOf(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

function fill(storeDir: string, server: number): void {
  const store = new Store(storeDir)
  for (let day = today - usageDaysKept + 1; day <= today; day++) {
    store.write(() => {
      for (let block = 0; block < blocks; block++) {
        const counts = Uint32Array.from({ length: blockAccounts }, (_, place) =>
          block * blockAccounts + place < accountCount ? requestsOf(server, block * blockAccounts + place, day) : 0,
        )
        store.database.run('INSERT INTO usage VALUES (?, ?, ?, 0)', day, block, new Uint8Array(counts.buffer))
      }
    })
  }
}

/** As a server that starts does. */
async function sendAll(storeDir: string, url: string): Promise<void> {
  const store = new Store(storeDir)
  const connection = new ReplicationConnection(url)
  await connection.connect()
  await new UsageSender(connection, store, () => true).close(600_000)
  connection.close()
  await store.close()
}
