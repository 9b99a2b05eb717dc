/** The version that `current` names is adopted, after any other and after any failure, or rejected with one line. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentStamp } from '../../src/indexes/manifest.ts'
import { follow } from '../../src/platform/follow.ts'
import { amount } from '../support/amount.ts'
import { run, temporaryFolder, withLimits } from '../support/command.ts'
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

function changeFile(folder: string, name: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(join(folder, name), change(readFileSync(join(folder, name))))
}

const [one, other] = ['search.msgpack', 'lists.msgpack']
const swapped = (name: string) => (name === one ? other : name === other ? one : name)

function flipBit(bytes: Buffer): Buffer {
  bytes[bytes.length >> 1]! ^= 1
  return bytes
}

function swap(folder: string): void {
  renameSync(join(folder, one), join(folder, 'other'))
  renameSync(join(folder, other), join(folder, one))
  renameSync(join(folder, 'other'), join(folder, other))
}

/** Swaps the files and their names in the manifest. */
function swapAll(folder: string): void {
  swap(folder)
  changeManifest(folder, ({ files, ...rest }) => {
    return { ...rest, files: files.map((file) => ({ ...file, name: swapped(file.name) })) }
  })
}

const forget = (folder: string) =>
  changeManifest(folder, ({ files, ...rest }) => ({ ...rest, files: files.filter(({ name }) => name !== one) }))
const manifestWith = (changes: object) => (folder: string) =>
  changeManifest(folder, (manifest) => ({ ...manifest, ...changes }))
const cutShort = (bytes: Buffer) => bytes.subarray(0, -1)

/** They change a version's folder, whose manifest is its own. */
const damages: readonly [what: string, damage: (folder: string) => void, message: RegExp][] = [
  ['a bit of a file is wrong', (folder) => changeFile(folder, one, flipBit), /search\.msgpack has a wrong checksum/],
  [
    'a file is cut short',
    (folder) => changeFile(folder, one, cutShort),
    / bytes, its manifest says \d+: is it still being/,
  ],
  [
    'a file is missing',
    (folder) => rmSync(join(folder, one)),
    /search\.msgpack is not there: is it still being copied\?/,
  ],
  ['two files are swapped', swap, /(search|lists)\.msgpack has (\d+ bytes|a wrong checksum)/],
  [
    'two files are swapped, and in the manifest too',
    swapAll,
    /can't be opened: a (search|lists) file was expected, this is a/,
  ],
  ['the manifest names a file less', forget, /can't be opened: version \S+ lacks search\.msgpack/],
  ['it has an older format', manifestWith({ format: 1 }), /format 1\b/],
  [
    'the manifest is no JSON',
    (folder) => writeFileSync(join(folder, 'manifest.json'), '{'),
    /manifest\.json is not JSON/,
  ],
  ['it is the copy of another version', manifestWith({ version: versionNamed(77) }), /belongs to version \S+4d/],
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

describe('what is followed', { concurrency: true }, () => {
  describe('current', { concurrency: false }, () => {
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

    it('may come into a folder that is not there at the start', async () => {
      await service.logs(new RegExp(`there is no folder ${indexDir}: build one there .* or correct INDEX_DIR`))
      assert.equal((await send(service.address, '/healthz')).status, 503)
      cpSync(built, indexDir, { recursive: true })
      makeCurrent(indexDir, first)
      await until('it is taken up', () => isServed(first))
    })

    it('may be there before the files: they are taken up when they have come', async () => {
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
      await until('the next one is taken up at once', () => isServed(first), 5000)
    })

    it('is read again when there are descriptors again', async () => {
      const before = refusals(service).length
      const { pid } = service.child
      const limit = (count: number) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${count}:4096`])
      limit(readdirSync(`/proc/${pid}/fd`).length)
      makeCurrent(indexDir, second)
      await until('it is refused', () => refusals(service).length > before)
      limit(1024)
      // The port is closed until the server sees that it may open more.
      await until('it is taken up', () => isServed(second).catch(() => false))
      assert.match(refusals(service)[before]!, new RegExp(`${indexDir}/\\S+ can't be \\S+ \\S*\\(?EMFILE\\)`))
      makeCurrent(indexDir, first)
      await until('the first one is taken up', () => isServed(first))
    })

    for (const [number, [what, damage, message]] of damages.entries()) {
      const atStart = number < amount(0, damages.length)
      it(`is refused by one line if ${what}${atStart ? ', and at a start' : ''}`, async () => {
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
        if (!atStart) return
        const { code, stdout, stderr } = await run('src/cli/serve-command.ts', [], {
          ...{ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), PORT: '0', LOG_LEVEL: 'error' },
        })
        assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stderr)
        assert.match(stderr, message)
      })
    }
  })

  it('what is refused is tried again after a second, doubled each time, anew for another version; what is said again is not', async () => {
    const folder = temporaryFolder()
    const taken: number[] = []
    const heard: string[] = []
    let reason = 'one'
    // Long beside what a busy machine needs for a look.
    const retryMs = 250
    const following = follow(() => currentStamp(folder), '', {
      apply: async () => {
        taken.push(performance.now())
        if (reason !== '') throw new Error(reason)
      },
      onRejection: (why) => heard.push(why),
      pollMs: 20,
      retryMs,
    })
    const name = (version: number) => makeCurrent(folder, versionNamed(version))
    await sleep(100)
    assert.deepEqual(taken, [], 'nothing is there')
    name(1)
    await until('it is tried three times', () => taken.length === 3)
    const waited = (time: number) => taken[time]! - taken[time - 1]!
    assert.ok(waited(1) >= retryMs - 10 && waited(2) >= 2 * retryMs - 10, taken.join())
    assert.deepEqual(heard, ['one'])
    reason = 'two'
    name(2)
    await until('the delays begin anew', () => taken.length === 5)
    assert.ok(waited(4) < 4 * retryMs, `${waited(4)} ms`)
    assert.deepEqual(heard, ['one', 'two'])
    reason = ''
    await until('it is taken', () => taken.length === 6)
    await sleep(100)
    assert.equal(taken.length, 6, 'and then left alone')
    following.end()
  })

  it('what is refused is tried again at once when current changes', async () => {
    const folder = temporaryFolder()
    let tries = 0
    const take = () => Promise.reject(new Error(`try ${++tries}`))
    const retryMs = 60_000
    const following = follow(() => currentStamp(folder), '', {
      apply: take,
      onRejection: () => {},
      pollMs: 20,
      retryMs,
    })
    for (let version = 1; version <= 3; version++) {
      makeCurrent(folder, versionNamed(version))
      await until('it is tried', () => tries === version)
    }
    following.end()
  })
})

it('a current that can not be looked at is logged with its path, one that is not there is none', async () => {
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
