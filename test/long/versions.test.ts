/** New versions under load, builds killed at any moment, a full disk: the served version stays whole, no answer is lost. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { loadVersion } from '../../src/indexes/load.ts'
import { accounts, build, run, start, temporaryFolder } from '../support/command.ts'
import { skipWithoutMounting } from '../support/programs.ts'
import { type Service, send, startService } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, damagedCopy, makeCurrent, versionNamed } from '../support/versions.ts'

const cardCount = 20_000
const ids = Array.from({ length: cardCount }, (_, i) => `pokemon-base1-${i}`)

/** A snapshot in which every price of every card, and of its history, is this one. */
function snapshotAt(price: number, folder = temporaryFolder()): string {
  const card = (id: string) => ({
    id,
    game: 'pokemon',
    name: `Card ${id}`,
    setCode: 'base1',
    prices: { market: price },
  })
  const days = ['2026-11-18', '2026-11-19', '2026-11-20']
  return snapshotOf(
    {
      'sets/a.ndjson': [{ game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' }],
      'cards/a.ndjson': ids.map(card),
      'history/a.csv': [
        'date,id,market,low,high',
        ...days.flatMap((day) => ids.map((id) => `${day},${id},${price},${price},${price}`)),
        '',
      ].join('\n'),
    },
    folder,
  )
}

const versionOf = (stdout: string) => /^version\s+(\S+)$/m.exec(stdout)![1]!

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) / 1024
}

const healthOf = async ({ address }: Service): Promise<string> => (await send(address, '/healthz')).json.version

interface Watched {
  readonly answers: number
  readonly slowestMs: number
  readonly wrong: readonly string[]
}

/** Asks for details and history in turn over eight connections, some 200 times a second each, from a thread of its own. */
const watcherCode = `
const { parentPort, workerData } = require('node:worker_threads')
const { Agent, get } = require('node:http')
const { address, key, ids } = workerData
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const wrong = []
let answers = 0, slowestMs = 0, stopped = false
parentPort.once('message', () => { stopped = true })
function ask(path) {
  return new Promise((resolve, reject) => {
    get(address + path, { agent, headers: { 'x-api-key': key } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => { text += part }).on('end', () => resolve([response.statusCode, text])).on('error', reject)
    }).on('error', reject)
  })
}
async function caller(n) {
  for (let i = n; !stopped; i += 8) {
    const id = ids[(i * 7919) % ids.length]
    const path = '/v1/cards/' + id + (i % 2 ? '/history?period=all' : '')
    const started = performance.now()
    try {
      const [status, text] = await ask(path)
      const prices = new Set([...text.matchAll(/"(?:market|low|high)":([0-9.]+)/g)].map((match) => match[1]))
      const ended = text.endsWith('}}')
      if (status !== 200 || prices.size !== 1 || !ended) wrong.push(path + ' ' + status + ' ' + [...prices])
    } catch (error) { wrong.push(path + ' ' + error.message) }
    slowestMs = Math.max(slowestMs, performance.now() - started)
    answers++
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(caller)).then(() => { parentPort.postMessage({ answers, slowestMs, wrong }); agent.destroy() })
`

it('twenty swaps and five rollbacks under load lose, mix and delay nothing', { timeout: 300_000 }, async () => {
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  const keys = []
  for (let i = 0; i < 10; i++) keys.push((await accounts(storeDir, 'create', `account ${i}`, '--plan', 'business')).key)
  const folder = snapshotAt(1)
  await build(folder, indexDir)
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  const health = async () => ((await (await fetch(`${service.address}/healthz`)).json()) as { version: string }).version
  const isServed = async (version: string) => {
    const asked = performance.now()
    while ((await health()) !== version) {
      assert.ok(performance.now() - asked < 2000, 'a new version is taken up within 2 s')
      await sleep(20)
    }
  }

  let answers = 0
  let slowestMs = 0
  const underLoad = async (change: (n: number) => Promise<string>, key: string) => {
    const watcher = new Worker(watcherCode, { eval: true, workerData: { address: service.address, key, ids } })
    await sleep(200)
    await isServed(await change(0))
    await sleep(200)
    watcher.postMessage('stop')
    const [watched] = (await once(watcher, 'message')) as [Watched]
    assert.deepEqual(watched.wrong, [])
    answers += watched.answers
    slowestMs = Math.max(slowestMs, watched.slowestMs)
  }

  const pid = service.child.pid!
  let afterFirst = 0
  let newest = ''
  for (let n = 0; n < 20; n++) {
    snapshotAt(n + 2, folder)
    await underLoad(
      async () => {
        newest = versionOf((await build(folder, indexDir)).stdout)
        return newest
      },
      keys[n % 10],
    )
    if (n === 0) afterFirst = residentMb(pid)
  }
  for (let n = 0; n < 5; n++) {
    const args = n % 2 === 0 ? [] : [newest]
    await underLoad(async () => {
      const { code, stdout, stderr } = await run('build/rollback.ts', args, { INDEX_DIR: indexDir })
      assert.equal(code, 0, stderr)
      return /^version (\S+) is current$/m.exec(stdout)![1]!
    }, keys[n])
  }
  const after = residentMb(pid)
  console.log(
    `${answers} answers, the slowest ${slowestMs.toFixed(1)} ms; memory ${afterFirst.toFixed(0)} → ${after.toFixed(0)} MB`,
  )
  assert.ok(slowestMs < 100, `the slowest answer took ${slowestMs} ms`)
  assert.ok(after <= 1.15 * afterFirst, `memory grew from ${afterFirst} to ${after} MB`)
  assert.equal(await service.stop(), 0)
})

it('twenty versions taken and twenty refused leave memory as it was', { timeout: 300_000 }, async () => {
  const indexDir = temporaryFolder()
  const versions = [await addVersion(indexDir, snapshotAt(1)), await addVersion(indexDir, snapshotAt(2))]
  const good = await loadVersion(indexDir, versions[0]!)
  const damaged = versionNamed(1)
  damagedCopy(indexDir, good, damaged, 'ids.msgpack', (bytes) => bytes.fill(0xff, bytes.length - 4))
  makeCurrent(indexDir, versions[0]!)
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), THREADS: '2' })
  const refusals = () => service.log().split('rejected').length - 1
  const isServed = (version: string) => until(`${version} is served`, async () => (await healthOf(service)) === version)
  const readings: number[] = []
  for (let n = 0; n < 21; n++) {
    const version = versions[(n + 1) % 2]!
    makeCurrent(indexDir, version)
    await isServed(version)
    makeCurrent(indexDir, damaged)
    await until('it is refused', () => refusals() === n + 1)
    readings.push(residentMb(service.child.pid!))
  }
  // Where a reading falls between a version's coming and its going is chance: the least of a few tells what stays.
  const least = (from: number, to: number) => Math.min(...readings.slice(from, to))
  const [before, after] = [least(1, 6), least(16, 21)]
  console.log(`memory ${readings.map((mb) => mb.toFixed(0)).join(' ')} MB`)
  assert.ok(after <= 1.15 * before, `memory grew from ${before} to ${after} MB`)
  assert.equal(await service.stop(), 0)
})

it('a build killed at any of 50 moments leaves the served version whole and no rubbish', {
  timeout: 300_000,
}, async () => {
  const indexDir = temporaryFolder()
  const folder = snapshotAt(1)
  const first = performance.now()
  const before = versionOf((await run('build/main.ts', ['--snapshots', folder, '--out', indexDir])).stdout)
  const usualMs = performance.now() - first
  snapshotAt(2, folder)
  const current = () => readFileSync(join(indexDir, 'current'), 'utf8').trim()
  let published = 0
  for (let n = 0; n < 50; n++) {
    const child = start('build/main.ts', ['--snapshots', folder, '--out', indexDir])
    const exited = once(child, 'exit')
    await sleep((usualMs * (n + Math.random())) / 50)
    child.kill('SIGKILL')
    await exited
    await loadVersion(indexDir, current())
    if (current() !== before) published++
  }
  const { code, stdout, stderr } = await build(folder, indexDir)
  assert.equal(code, 0, stderr)
  const after = versionOf(stdout)
  assert.equal(current(), after)
  assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', before, 'build.msgpack', 'current', after].sort())
  console.log(`50 kills, ${published} of them after the version was published`)
})

it('a full disk stops a build with one line and leaves the served version whole', {
  skip: skipWithoutMounting(),
}, async () => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  const folder = snapshotAt(1)
  const roomy = temporaryFolder()
  const { manifest } = await loadVersion(roomy, versionOf((await build(folder, roomy)).stdout))
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${Math.round(2.4 * bytes)}`, 'tmpfs', disk])
  try {
    const before = versionOf((await build(folder, disk)).stdout)
    snapshotAt(2, folder)
    const { code, stderr } = await build(folder, disk)
    assert.equal(code, 1)
    assert.match(stderr, /^[^\n]*ENOSPC[^\n]*\n$/)
    assert.equal(readFileSync(join(disk, 'current'), 'utf8').trim(), before)
    await loadVersion(disk, before)
    assert.deepEqual(readdirSync(disk).sort(), ['.lock.db', before, 'build.msgpack', 'current'].sort())
  } finally {
    execFileSync('umount', [disk])
  }
})
