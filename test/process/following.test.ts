/** The version that `current` names is adopted, after any other and after any failure, or rejected with one line. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { currentStamp } from '../../src/indexes/manifest.ts'
import { follow } from '../../src/platform/follow.ts'
import { temporaryFolder, withLimits } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent, versionNamed } from '../support/versions.ts'

const built = temporaryFolder()
const indexDir = join(temporaryFolder(), 'not', 'there')
let first: string
let second: string

before(async () => {
  await fixtureIndex(built)
  first = readFileSync(join(built, 'current'), 'utf8').trim()
  rmSync(join(built, 'current'))
  second = await addVersion(built, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
})

type Manifest = Record<string, unknown> & { readonly files: readonly { readonly name: string }[] }

function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): void {
  const path = join(folder, 'manifest.json')
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))
}

const [one, other] = ['search.msgpack', 'lists.msgpack']
const swapped = (name: string) => (name === one ? other : name === other ? one : name)

/** Swaps two files and their names in the manifest. */
function swap(folder: string): void {
  renameSync(join(folder, one), join(folder, 'other'))
  renameSync(join(folder, other), join(folder, one))
  renameSync(join(folder, 'other'), join(folder, other))
  changeManifest(folder, ({ files, ...rest }) => {
    return { ...rest, files: files.map((file) => ({ ...file, name: swapped(file.name) })) }
  })
}

const forget = (folder: string) =>
  changeManifest(folder, ({ files, ...rest }) => ({ ...rest, files: files.filter(({ name }) => name !== one) }))
const age = (folder: string) => changeManifest(folder, (manifest) => ({ ...manifest, format: 1 }))

/** Damages of a folder whose manifest is its own; test/indexes has the others that a server refuses. */
const damages: readonly [what: string, damage: (folder: string) => void, message: RegExp][] = [
  ['two files are swapped', swap, /fails its trial: opening it: a (search|lists) file was expected, this is a/],
  ['the manifest lacks a file', forget, /fails its trial: opening it: version \S+ lacks search\.msgpack/],
  ['the version has an older format', age, /format 1\b/],
]

const sooner = withLimits({ currentPollMs: 50, versionRetryMsFirst: 200 })

const versionOf = async ({ address }: Service): Promise<string | undefined> =>
  (await send(address, '/healthz')).json.version
/** The kernel spreads connections over the threads: so many reach each of two but once in a million. */
const versionsOf = async (service: Service) =>
  new Set(await Promise.all(Array.from({ length: 20 }, () => versionOf(service))))
const refusals = ({ log }: Service) =>
  log()
    .split('\n')
    .filter((line) => line.includes('rejected'))

describe('The file `current`', () => {
  let service: Service
  const isServed = async (version: string) => {
    if ((await versionOf(service)) !== version) return false
    const served = await versionsOf(service)
    return served.size === 1 && served.has(version)
  }
  before(async () => {
    service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), THREADS: '2', ...sooner })
  })
  after(async () => assert.equal(await service.stop(), 0))

  it('A server whose INDEX_DIR is missing at its start serves once the folder and `current` are there', async () => {
    await service.logs(new RegExp(`there is no folder ${indexDir}: build one there .* or correct INDEX_DIR`))
    assert.equal((await send(service.address, '/healthz')).status, 503)
    cpSync(built, indexDir, { recursive: true })
    makeCurrent(indexDir, first)
    await until('it is taken up', () => isServed(first))
  })

  it('A server refuses a version whose files are missing, and serves it once they are there', async () => {
    const folder = temporaryFolder()
    renameSync(join(indexDir, second), join(folder, 'beside'))
    makeCurrent(indexDir, second)
    await until('it is refused', () => refusals(service).length > 0)
    assert.ok(
      service
        .log()
        .includes(`${join(indexDir, second, 'manifest.json')} is not there: is the version still being copied?`),
    )
    assert.equal(await versionOf(service), first, 'the old version goes on')
    renameSync(join(folder, 'beside'), join(indexDir, second))
    await until('it is taken up', () => isServed(second))
    assert.equal(refusals(service).length, 1, 'one line')
    makeCurrent(indexDir, first)
    await until('the next one is taken up at once', () => isServed(first), 40_000)
  })

  it('A server out of descriptors refuses a change of `current`, and applies it once it has some again', async () => {
    const before = refusals(service).length
    const { pid } = service.child
    const limit = (count: number) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${count}:4096`])
    limit(readdirSync(`/proc/${pid}/fd`).length)
    makeCurrent(indexDir, second)
    await until('it is refused', () => refusals(service).length > before)
    limit(1024)
    // The port is closed until the server sees that it may open more.
    await until('it is taken up', () => isServed(second).catch(() => false))
    assert.match(refusals(service)[before]!, new RegExp(`${indexDir}/\\S+ can't be \\S+ \\(.*EMFILE\\)`))
    makeCurrent(indexDir, first)
    await until('the first one is taken up', () => isServed(first))
  })

  for (const [number, [what, damage, message]] of damages.entries()) {
    it(`A change of \`current\` is refused with one line if ${what}`, async () => {
      const version = versionNamed(number)
      const folder = join(indexDir, version)
      cpSync(join(indexDir, first), folder, { recursive: true })
      changeManifest(folder, (manifest) => ({ ...manifest, version }))
      damage(folder)
      const before = refusals(service).length
      makeCurrent(indexDir, version)
      await until('it is refused', () => refusals(service).length > before)
      const [line, ...more] = refusals(service).slice(before)
      assert.match(line!, message)
      assert.deepEqual([line!.includes(folder), more], [true, []])
      assert.deepEqual([...(await versionsOf(service))], [first])
    })
  }
})

it('A followed file is applied when it changes, and after a failure again and again, with longer waits each time', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  mock.method(performance, 'now', () => now)
  const events: string[] = []
  const begin = (pollMs?: number) => {
    const seen = { state: 'a', fails: '', work: Promise.resolve() }
    const startedAt = now
    const note = (event: string) => events.push(`${(now - startedAt) / 1000} ${event}`)
    const fingerprintOf = async () => (seen.state === 'unreadable' ? Promise.reject(new Error(seen.state)) : seen.state)
    const apply = () => {
      note(seen.state)
      return seen.fails === '' ? seen.work : Promise.reject(new Error(seen.fails))
    }
    const onRejection = (reason: string) => note(`rejected: ${reason}`)
    return Object.assign(follow(fingerprintOf, 'a', { apply, onRejection, ...(pollMs && { pollMs }) }), { seen })
  }
  /** Lets seconds pass; returns what has happened, by the second. */
  const pass = async (seconds: number) => {
    for (const end = now + 1000 * seconds; ; now += 250, mock.timers.tick(250)) {
      for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
      if (now >= end) return events.splice(0).join(', ')
    }
  }

  const following = begin()
  const { seen } = following
  const changes: readonly (readonly [state: string, fails: string, seconds: number, events: string])[] = [
    ['a', '', 1, ''],
    ['b', '', 1, '1.25 b'],
    ['', '', 1, ''],
    ['b', '', 1, '3.25 b'],
    [
      'c',
      'one',
      190,
      '4.25 c, 4.25 rejected: one, 5.25 c, 7.25 c, 11.25 c, 19.25 c, 35.25 c, 67.25 c, 127.25 c, 187.25 c',
    ],
    ['c', 'two', 120, '247.25 c, 247.25 rejected: two, 307.25 c'],
    ['d', 'two', 1, '314.25 d, 314.25 rejected: two'],
    ['unreadable', '', 2, '315.25 rejected: unreadable'],
    ['d', 'two', 2, '317.25 d, 317.25 rejected: two'],
    ['e', '', 2, '319.25 e'],
  ]
  for (const [state, fails, seconds, expected] of changes) {
    Object.assign(seen, { state, fails })
    assert.equal(await pass(seconds), expected)
    assert.equal(following.isRejecting, fails !== '' || state === 'unreadable', state)
  }
  following.again()
  assert.equal(await pass(0), '321 e', 'at once')
  assert.equal(await pass(2), '', 'once')
  const { promise, resolve } = Promise.withResolvers<void>()
  Object.assign(seen, { state: 'f', work: promise })
  assert.equal(await pass(2), '323.25 f')
  following.again()
  assert.equal(await pass(2), '', 'not while it is applied')
  resolve()
  Object.assign(seen, { state: 'g', fails: 'three' })
  assert.equal(await pass(0.5), '327.25 g, 327.25 rejected: three')
  following.again()
  assert.equal(await pass(0), '327.5 g, 327.5 rejected: three', 'reported again')
  const last = Promise.withResolvers<void>()
  Object.assign(seen, { state: 'h', fails: '', work: last.promise })
  assert.equal(await pass(0.5), '327.75 h')
  following.end()
  last.reject(new Error('too late'))
  following.again()
  assert.equal(await pass(100), '', 'after the end')

  const seldom = begin(5000)
  Object.assign(seldom.seen, { state: 'b', fails: 'one' })
  assert.equal(await pass(18), '0.25 b, 0.25 rejected: one, 1.25 b, 3.25 b, 7.25 b, 15.25 b')
  seldom.seen.fails = ''
  assert.equal(await pass(14), '31.25 b')
  seldom.seen.state = 'c'
  assert.equal(await pass(4), '', 'polled every five seconds')
  assert.equal(await pass(1), '36.25 c')
  seldom.end()
})

it('The stamp of `current` changes with the file, is empty if it is missing, and fails with the path if unreadable', async () => {
  const folder = temporaryFolder()
  assert.equal(await currentStamp(folder), '')
  writeFileSync(join(folder, 'current'), 'x')
  const stamp = await currentStamp(folder)
  assert.notEqual(stamp, '')
  makeCurrent(folder, 'x')
  assert.notEqual(await currentStamp(folder), stamp)
  rmSync(join(folder, 'current'))
  const long = join(folder, 'x'.repeat(300))
  await assert.rejects(currentStamp(long), new RegExp(`^Error: ${long}/current can't be read \\(ENAMETOOLONG\\)$`))
})
