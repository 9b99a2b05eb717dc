/**
 * Pages beside programs: 50 people click and one floods, the thread of the pages dies, and callers notice nothing. And what a
 * person waits for, in a store of 100,000 accounts. INDEX_DIR names an index to try it with; else it is a generated one.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { thisMachine } from '../../bench/harness/machine.ts'
import { generatorFor, type LoadResult } from '../../bench/load/load.ts'
import { addAccount, createAccount } from '../../src/accounts/registry.ts'
import { startSession } from '../../src/accounts/sign-ins.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { Store } from '../../src/store/store.ts'
import { build, collect, projectDir, temporaryFolder } from '../support/command.ts'
import { drawFrom, randomFrom } from '../support/random.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import type { PeopleOptions, Seen } from './people.ts'

const accountCount = 100_000
const peopleCount = 50
const rounds = 5
const seconds = 3
const rateShareMin = 0.97
const laterMsMax = 2
const backMsMax = 2000
const firstPageBytesMax = 150_000
const firstPageMsMax = 200
const pageMsMax = 50

const storeDir = temporaryFolder()
const probeDir = temporaryFolder()
const machine = thisMachine()
let service: Service
let keys: string[]
let cookies: string[]
let ids: string[]
/** The kernel's number of the thread that answers programs. */
let thread: string

before(async () => {
  const indexDir = process.env['INDEX_DIR'] ?? temporaryFolder()
  if (process.env['INDEX_DIR'] === undefined) await build(join(projectDir, 'snapshots'), indexDir)
  const store = new Store(storeDir)
  const now = Date.now()
  store.change(() => {
    keys = Array.from({ length: 1000 }, (_, i) => createAccount(store, `shop ${i}`, 'business', now).key)
    for (let i = keys.length; i < accountCount; i++) addAccount(store, `account ${i}`, 'free', now)
    cookies = Array.from({ length: peopleCount }, (_, i) => `cpl_session=${startSession(store, i, now)}`)
  })
  store.write(() => {
    for (let back = 0; back < 90; back++) store.addUsage(dayOfMs(now) - back, 0, 100 + back)
  })
  await store.close()
  service = await startService({
    INDEX_DIR: indexDir,
    STORE_DIR: storeDir,
    WEB_PORT: '0',
    WEB_TRUST_PROXY: '1',
    PROBE_DIR: probeDir,
    NODE_OPTIONS: `--require ${join(projectDir, 'test/support/pages-probe.cjs')}`,
  })
  ids = await idsOf('mtg')
  await keepApart()
})
after(() => service.stop())

async function idsOf(game: string): Promise<string[]> {
  const found: string[] = []
  for (let offset = 0; found.length < 5000; offset += 50) {
    const headers = { 'x-api-key': keys[0]! }
    const { json } = await send(service.address, `/v1/cards?game=${game}&limit=50&offset=${offset}`, { headers })
    if (json.data.length === 0) break
    found.push(...json.data.map(({ id }: { id: string }) => id))
  }
  return found
}

/** Programs' thread has the first core for itself, all else is on the second one with the generator and the people. */
async function keepApart(): Promise<void> {
  const { pid } = service.child
  const usedBy = (task: string) => cpuSeconds(`/proc/${pid}/task/${task}`)
  const tasks = readdirSync(`/proc/${pid}/task`)
  const used = new Map(tasks.map((task) => [task, usedBy(task)]))
  await load(2, 0)
  const byUse = tasks.sort((a, b) => usedBy(b) - used.get(b)! - (usedBy(a) - used.get(a)!))
  thread = byUse[0]!
  if (!machine.pins) return
  execFileSync('taskset', ['-acp', '1', String(pid)], { stdio: 'ignore' })
  execFileSync('taskset', ['-cp', '0', thread], { stdio: 'ignore' })
}

function cpuSeconds(folder: string): number {
  const fields = readFileSync(`${folder}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Card details. @param rate 0: as many as it can */
async function load(forSeconds: number, rate: number): Promise<LoadResult & { readonly cpuUs: number }> {
  const random = randomFrom(7)
  const request = () =>
    `GET /v1/cards/${drawFrom(random, ids)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${drawFrom(random, keys)}\r\n\r\n\0`
  const file = join(temporaryFolder(), 'requests')
  writeFileSync(file, Array.from({ length: 20_000 }, request).join(''))
  const port = Number(new URL(service.address).port)
  const folder = thread === undefined ? `/proc/${service.child.pid}` : `/proc/${service.child.pid}/task/${thread}`
  const used = cpuSeconds(folder)
  const result = await generatorFor(machine).run({ port, file, start: 0, connections: 64, seconds: forSeconds, rate })
  assert.equal(result.refusals, 0)
  return { ...result, cpuUs: ((cpuSeconds(folder) - used) / result.requests) * 1e6 }
}

/** They have what is left of the generator's core: people are elsewhere. */
function people() {
  const options: PeopleOptions = { pages: service.pages, cookies, ids, flood: 10 }
  const command = [process.execPath, 'test/long/people.ts', JSON.stringify(options)]
  const placed = machine.pins
    ? ['nice', '-n', '19', 'taskset', '-c', '1', ...command]
    : ['nice', '-n', '19', ...command]
  const child = spawn(placed[0]!, placed.slice(1), { cwd: projectDir, stdio: ['ignore', 'pipe', 'inherit'] })
  const output = collect(child)
  process.once('exit', () => child.kill('SIGKILL'))
  return {
    rest: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    end: async (): Promise<Seen> => {
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await ended
      return JSON.parse(output.stdout())
    },
  }
}

const medianOf = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

it('a dashboard is there at once, and is small', { timeout: 120_000 }, async (t) => {
  const headers = { cookie: cookies[0]!, 'accept-encoding': 'gzip' }
  // The first look-up opens the data.
  for (const path of ['/dashboard/look-up?q=charizard', '/docs']) await send(service.pages, path, { headers })
  const started = performance.now()
  const page = await send(service.pages, '/dashboard', { headers })
  const parts = [...page.body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const replies = await Promise.all(parts.map((path) => send(service.pages, path, { headers })))
  const ms = performance.now() - started
  const bytes = [page, ...replies].reduce((sum, reply) => sum + reply.bytes.length, 0)
  t.diagnostic(`dashboard: ${bytes} bytes in ${parts.length + 1} answers, ${ms.toFixed(1)} ms`)
  assert.ok(parts.length > 1 && replies.every(({ status }) => status === 200))
  assert.ok(bytes <= firstPageBytesMax, `${bytes} bytes`)
  assert.ok(ms <= firstPageMsMax, `${ms} ms`)
  const paths = [
    '/',
    '/docs',
    '/docs/reference',
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/look-up?q=charizard',
    '/dashboard/usage.json',
    `/dashboard/cards/${ids[0]}`,
  ]
  for (const path of paths) {
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const begun = performance.now()
      const { status } = await send(service.pages, path, { headers })
      times.push(performance.now() - begun)
      assert.equal(status, 200, path)
    }
    const worst = Math.max(...times)
    t.diagnostic(`${path}: ${medianOf(times).toFixed(1)} ms, worst ${worst.toFixed(1)}`)
    assert.ok(medianOf(times) <= pageMsMax, path)
  }
})

it('50 people and a flood cost programs nothing', { timeout: 300_000 }, async (t) => {
  const crowd = people()
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) {
    crowd.rest()
    const alone = await load(seconds, 0)
    crowd.goOn()
    await pause(500)
    const beside = await load(seconds, 0)
    rates.push(beside.requests / beside.seconds / (alone.requests / alone.seconds))
    costs.push(alone.cpuUs / beside.cpuUs)
  }
  crowd.rest()
  const { requests } = await load(seconds, 0)
  const rate = Math.round(requests / seconds / 2)
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    crowd.rest()
    alone.push((await load(seconds, rate)).latencyUs.p999)
    crowd.goOn()
    beside.push((await load(seconds, rate)).latencyUs.p999)
  }
  const seen = await crowd.end()
  t.diagnostic(`rate ${medianOf(rates).toFixed(3)} (${rates.map((r) => r.toFixed(2)).join(' ')}) of that alone`)
  t.diagnostic(`by CPU time ${medianOf(costs).toFixed(3)} (${costs.map((r) => r.toFixed(2)).join(' ')})`)
  t.diagnostic(`at ${rate}/s: p99.9 ${medianOf(alone)} µs alone, ${medianOf(beside)} beside`)
  t.diagnostic(`pages: ${JSON.stringify(seen)}`)
  assert.ok(seen.pages > 100 && seen.flooded > 100)
  assert.ok(Math.max(medianOf(rates), medianOf(costs)) >= rateShareMin)
  assert.ok(medianOf(beside) - medianOf(alone) <= laterMsMax * 1000)
})

it('the thread of the pages killed under load is back soon, and no caller notices', { timeout: 120_000 }, async (t) => {
  const crowd = people()
  const loading = load(10, 20_000)
  const isUp = () =>
    send(service.pages, '/').then(
      ({ status }) => status === 200,
      () => false,
    )
  for (let round = 0; round < 2; round++) {
    await pause(2000)
    writeFileSync(join(probeDir, 'throw'), '')
    await until('it died', async () => !existsSync(join(probeDir, 'throw')) && !(await isUp()))
    const died = performance.now()
    await until('it is back', isUp)
    const ms = performance.now() - died
    t.diagnostic(`back after ${Math.round(ms)} ms`)
    assert.ok(ms <= backMsMax, `${ms} ms`)
  }
  const { requests } = await loading
  assert.ok(requests > 150_000, `${requests} requests`)
  await crowd.end()
})
