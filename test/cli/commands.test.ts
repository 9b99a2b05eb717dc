/** Versions as an operator publishes, rolls back and inspects them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { inspectCommand } from '../../src/cli/inspect-command.ts'
import { readCurrent, readManifest } from '../../src/indexes/manifest.ts'
import { accounts, build, runHere, temporaryFolder } from '../support/command.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'

describe('versions', () => {
  const snapshotAt = (price: number) =>
    snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [{ ...aCard, prices: { market: price } }] })
  // One server for all, from before there is a version.
  const indexDir = temporaryFolder()
  const storeDir = temporaryFolder()
  let service: Service
  let key: string
  before(async () => {
    key = (await accounts(storeDir, 'create', 'a', '--plan', 'trader')).key
    service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, LOG_LEVEL: 'info' })
  })
  after(async () => assert.equal(await service.stop(), 0))

  const rollBack = (...args: string[]) => runHere('build/rollback.ts', args, { INDEX_DIR: indexDir })
  const versionOf = (stdout: string) => /^version\s+(\S+)$/m.exec(stdout)![1]!

  it('are published, taken up while serving, kept three at a time and rolled back', async () => {
    const price = async () =>
      (await send(service.address, `/v1/cards/${aCard.id}`, { headers: { 'x-api-key': key } })).json?.data?.prices
        .market
    const becomes = (expected: number) => until(`the price is ${expected}`, async () => (await price()) === expected)

    const empty = await send(service.address, `/v1/cards/${aCard.id}`, { headers: { 'x-api-key': key } })
    assert.equal(empty.status, 503)
    assert.equal(empty.json.error.code, 'SERVICE_UNAVAILABLE')
    assert.match(String(empty.headers['retry-after']), /^\d+$/)
    assert.equal(empty.headers['x-ratelimit-remaining'], '10000', 'what can not be answered does not count')
    assert.equal((await send(service.address, '/healthz')).status, 503)
    assert.equal((await rollBack()).code, 1)

    const versions: string[] = []
    for (const market of [1, 2, 3, 4]) {
      const { code, stdout, stderr } = await build(snapshotAt(market), indexDir)
      assert.equal(code, 0, stderr)
      versions.push(versionOf(stdout))
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), versions.at(-1))
      await becomes(market)
    }
    const kept = readdirSync(indexDir).filter((name) => versions.includes(name))
    assert.deepEqual(kept.sort(), versions.slice(1).sort())

    for (const [args, expected] of [
      [[], 3],
      [[], 2],
      [[versions[3]!], 4],
    ] as const) {
      assert.equal((await rollBack(...args)).code, 0)
      await becomes(expected)
    }
    assert.equal((await rollBack(versions[1]!)).code, 0)
    await becomes(2)
    const oldest = await rollBack()
    assert.equal(oldest.code, 1)
    assert.match(oldest.stderr, /oldest/)
    assert.equal((await rollBack('nonsense')).code, 1)
  })

  it('that are damaged are not rolled back to', async () => {
    const indexDir = temporaryFolder()
    const bad = versionOf((await build(snapshotAt(1), indexDir)).stdout)
    const good = versionOf((await build(snapshotAt(2), indexDir)).stdout)
    flip(join(indexDir, bad, 'cards-000.msgpack'))
    for (const args of [[], [bad]]) {
      const { code, stdout, stderr } = await runHere('build/rollback.ts', args, { INDEX_DIR: indexDir })
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(stderr, `${join(indexDir, bad, 'cards-000.msgpack')} has a wrong checksum\n`)
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), good)
    }
  })
})

describe('inspect', () => {
  const indexDir = temporaryFolder()
  const inspect = (args: readonly string[], env = {}) => runHere(inspectCommand, args, { INDEX_DIR: indexDir, ...env })

  before(async () => {
    const cards = ['004', null].map((number, i) => ({ ...aCard, id: `${aCard.id}-${i}`, number }))
    const { id } = cards[0]!
    const rows = `date,id,market,low,high\n2026-11-19,${id},1,1,1\n2026-11-20,${id},2,1,3\n`
    const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': cards, 'history/a.csv': rows })
    assert.equal((await build(snapshot, indexDir)).code, 0)
  })

  it('shows the version', async () => {
    const { code, stdout, stderr } = await inspect([])
    const { version, builtAt, format, files } = await readManifest(indexDir, (await readCurrent(indexDir))!)
    const about = ['as of: 2026-11-20', `built at: ${builtAt}`, `format: ${format}`]
    const counts = ['cards: 2', 'sets: 1', 'history rows: 2', ...files.map(({ name }) => `${name}: 0.0 MB`)]
    const lines = [`version: ${version}`, ...about, ...counts, 'all files: 0.0 MB, held once for all threads', '']
    assert.deepEqual([code, stdout.replaceAll(/ {2,}/g, ': ').split('\n'), stderr], [0, lines, ''])
  })

  const newest = '{"date":"2026-11-20","market":2,"low":1,"high":3}'
  const shown: readonly (readonly [index: number, number: string | null, lines: string])[] = [
    [
      0,
      '004',
      `number: 004\nplace in the order: 1 of 2\nhistory: 2 days, 2026-11-19 to 2026-11-20\nnewest: ${newest}\n`,
    ],
    [1, null, 'number: unknown\nplace in the order: 2 of 2\nhistory: none\nnewest: none\n'],
  ]
  for (const [index, number, lines] of shown) {
    it(`shows a card with the number ${number}`, async () => {
      const { code, stdout, stderr } = await inspect([`${aCard.id}-${index}`])
      const [details, table] = stdout.split('\n\n') as [string, string]
      const card = JSON.parse(details)
      assert.deepEqual([code, card.number, card.markets, stderr], [0, number, [], ''])
      assert.deepEqual([JSON.stringify(card, null, 2), table.replaceAll(/ {2,}/g, ': ')], [details, lines])
    })
  }

  it('says in one line that there is no such card, or no version', async () => {
    assert.deepEqual(await inspect(['none']), { code: 1, stdout: '', stderr: 'no card has the id none\n' })
    const stderr = 'no version is published in /nowhere yet\n'
    assert.deepEqual(await inspect([], { INDEX_DIR: '/nowhere' }), { code: 1, stdout: '', stderr })
  })
})

function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(path, bytes)
}
