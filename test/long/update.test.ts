/**
 * A day's update of full size beside a server at half load: no answer is lost, and p99 is at most 1.2 times as high as without.
 * Each second is measured for itself, and the upper quartile of their p99s is compared: a pause of the machine spoils one second
 * of either side. UPDATE_GROUPS makes the update smaller, to try the test itself.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { LoadResult } from '../../bench/load/load.ts'
import { wrkCommand } from '../../bench/load/wrk.ts'
import { categoryOf } from '../../build/import/sources/tcgcsv/mirror.ts'
import { runFetch } from '../fetch/fetch-process.ts'
import { PublicSource } from '../fetch/public-source.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { requestText } from '../support/pipelined.ts'
import { skipWithout } from '../support/programs.ts'
import { type Service, send, startService } from '../support/service.ts'

const categories = Object.values(categoryOf)
const groupsOfGame = Number(process.env['UPDATE_GROUPS'] ?? 144)
const productsOfGroup = 100
const accountCount = 120
const loadSeconds = 40
const rounds = 3
const slowerMax = 1.2
const loadShare = 0.5

const envelope = (results: readonly object[]): string => JSON.stringify({ success: true, errors: [], results })

/** One group in twenty has moved since the day before, and all prices have. */
function filesOf(day: number): Map<string, string> {
  const files = new Map([['/last-updated.txt', `2026-11-${10 + day}T20:05:33+0000`]])
  for (const category of categories) {
    const numbers = Array.from({ length: groupsOfGame }, (_, i) => category * 1000 + i + 1)
    const groups = numbers.map((groupId) => ({
      ...{ groupId, name: `Set ${groupId}`, abbreviation: `S${groupId}`, publishedOn: '2020-01-01T00:00:00' },
      modifiedOn: groupId % 20 === day % 20 ? `2026-11-${10 + day}T08:00:00` : '2026-11-01T08:00:00',
      categoryId: category,
    }))
    files.set(`/tcgplayer/${category}/groups`, envelope(groups))
    for (const groupId of numbers) {
      const ids = Array.from({ length: productsOfGroup }, (_, i) => groupId * 1000 + i)
      const products = ids.map((productId, i) => ({
        ...{ productId, name: `Wanderer ${productId % 977} of the ${i}th Tower`, groupId, imageUrl: null },
        modifiedOn: '2026-11-01T08:00:00',
        extendedData: [
          { name: 'Number', value: `${i + 1}/${productsOfGroup}` },
          { name: 'Rarity', value: 'Rare' },
        ],
      }))
      const prices = ids.map((productId) => {
        const price = (((productId * 7919) % 5000) + ((productId + day) % 7) + 100) / 100
        const more = { midPrice: price, highPrice: price, marketPrice: price, directLowPrice: null }
        return { productId, lowPrice: price, ...more, subTypeName: 'Normal' }
      })
      files.set(`/tcgplayer/${category}/${groupId}/products`, envelope(products))
      files.set(`/tcgplayer/${category}/${groupId}/prices`, envelope(prices))
    }
  }
  return files
}

const run = promisify(execFile)

/**
 * The generator has a core of its own, as if it were another machine: at a rate it never sleeps. This process, which is the
 * publisher, is idle like the update, so the generator leaves that.
 */
async function load(service: Service, file: string, rate: number, seconds: number): Promise<LoadResult> {
  const port = Number(new URL(service.address).port)
  const command = wrkCommand({
    port,
    file,
    start: 0,
    connections: rate === 0 ? 16 : 64,
    seconds,
    rate,
    momentSeconds: 1,
  })
  const { stdout } = await run('chrt', ['--other', '0', 'taskset', '-c', '1', ...command], { maxBuffer: 1e8 })
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}

/** The upper quartile of the p99 of single seconds, in µs, of the first so many. */
function p99Of({ refusals, socketErrors, moments }: LoadResult, seconds = loadSeconds): number {
  assert.deepEqual([refusals, socketErrors], [0, 0])
  const p99s = moments!.slice(0, seconds).map(({ p99 }) => p99)
  return p99s.sort((a, b) => a - b)[Math.floor(p99s.length * 0.75)]!
}

async function requestsFile(service: Service, storeDir: string): Promise<string> {
  const keys: string[] = []
  for (let i = 0; i < accountCount; i++) {
    keys.push((await accounts(storeDir, 'create', `a${i}`, '--plan', 'business')).key)
  }
  const headers = { 'x-api-key': keys[0]! }
  const list = await send(service.address, '/v1/cards?game=mtg&limit=100', { headers })
  const ids: string[] = list.json.data.map(({ id }: { id: string }) => id)
  const paths = ids.flatMap((id, i) => [`/v1/cards/${id}`, `/v1/search?q=wanderer+${i}&limit=10`])
  const file = join(temporaryFolder(), 'requests')
  writeFileSync(file, keys.flatMap((key) => paths.map((path) => `${requestText(path, key)}\0`)).join(''))
  return file
}

it('an update loses no answer of a server beside it, and slows none', {
  timeout: 1_800_000,
  skip: process.getuid!() === 0 ? skipWithout('wrk') : 'only root may give a process its usual priority back',
}, async (context) => {
  const [snapshots, indexDir, storeDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const source = await PublicSource.start(filesOf(0), 0)
  source.packs = false
  const update = async (day: number) => {
    for (const [path, content] of filesOf(day)) source.set(path, content)
    const args = ['update', 'tcgcsv', '--out', snapshots, '--from', source.url, '--again', '--quiet']
    const started = performance.now()
    const { code, stderr } = await runFetch(args, () => {}, { INDEX_DIR: indexDir })
    assert.deepEqual([code, stderr], [0, ''])
    return (performance.now() - started) / 1000
  }
  await update(0)
  const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  await run('taskset', ['-acp', '0', String(service.child.pid)])
  await run('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)])
  const file = await requestsFile(service, storeDir)
  const most = await load(service, file, 0, 3)
  const rate = Math.floor((most.requests / most.seconds) * loadShare)
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const calm = p99Of(await load(service, file, rate, loadSeconds))
    const [besides, seconds] = await Promise.all([load(service, file, rate, loadSeconds), update(round)])
    const beside = p99Of(besides, seconds)
    ratios.push(beside / calm)
    const p99 = `p99 ${calm} µs without, ${beside} µs beside it`
    context.diagnostic(`an update of ${seconds.toFixed(1)} s at ${rate} requests a second: ${p99}`)
  }
  assert.ok(
    Math.min(...ratios) <= slowerMax,
    `one answer in a hundred took ${ratios.map((ratio) => ratio.toFixed(2))} times as long`,
  )
  assert.equal(await service.stop(), 0)
  source.stop()
})
