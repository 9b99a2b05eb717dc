/** A disk that loses what was not synced; and one that refuses: one line with the path that was given and what to do, and the served version stays as it was. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import fsPromises, { utimes } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { build } from '../../build/build.ts'
import { Mirror, mirrorStatus } from '../../build/fetch-state.ts'
import { publish, Staging } from '../../build/publish/publish.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { amount } from '../support/amount.ts'
import { build as buildCommand, runHere, temporaryFolder } from '../support/command.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { syncedBy } from '../support/synced.ts'

const snapshotAt = (price: number) =>
  snapshotOf({ ...aSnapshot, 'cards/a.ndjson': [{ ...aCard, prices: { market: price } }] })
const compile = async (snapshot: string, indexDir: string) => (await build(snapshot, indexDir)).manifest

it('A build whose index folder is a file, or lies below one, names that file', { timeout: 300_000 }, async () => {
  const file = join(temporaryFolder(), 'a file')
  writeFileSync(file, '')
  for (const out of [file, join(file, 'deeper/still')]) {
    const { code, stderr } = await buildCommand(snapshotOf(aSnapshot), out)
    assert.deepEqual([code, stderr], [1, `${file} must be a folder, and is a file\n`])
  }
})

it('A rollback on a full disk changes nothing', { skip: !existsSync('/dev/full') && 'needs /dev/full' }, async () => {
  const indexDir = temporaryFolder()
  const first = await compile(snapshotAt(1), indexDir)
  const second = await compile(snapshotAt(2), indexDir)
  symlinkSync('/dev/full', join(indexDir, '.staging-current'))
  const { code, stderr } = await runHere(['rollback', first.version], { INDEX_DIR: indexDir })
  const advice = 'no space left on the disk (ENOSPC): free some, then try again'
  assert.deepEqual([code, stderr], [1, `${indexDir}: ${advice}; the served version is as it was\n`])
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), second.version)
  assert.ok(!readdirSync(indexDir).includes('.staging-current'))
})

it('A version is not made current if the disk returns other bytes than were written', async () => {
  const indexDir = temporaryFolder()
  const first = await compile(snapshotAt(1), indexDir)
  const staging = new Staging(indexDir)
  staging.put('ids.msgpack', [Buffer.from('as it was written')])
  const counts = { cards: 1, sets: 1, historyRows: 0 }
  const manifest = await staging.finish({ asOf: '2026-11-21', counts, sequence: 2 }, () => [Buffer.from('a report')])
  writeFileSync(join(staging.folder, 'ids.msgpack'), 'as it came back..')
  await assert.rejects(publish(indexDir, staging, manifest), { message: /ids\.msgpack .*checksum/ })
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), first.version)
})

it('A version is published with a warning if its build cache can’t be written', async () => {
  const indexDir = temporaryFolder()
  mkdirSync(join(indexDir, 'build.msgpack'))
  const started = performance.now()
  const { manifest, warnings, seconds } = await build(snapshotAt(1), indexDir)
  assert.ok(seconds > 0 && seconds < (performance.now() - started) / 1000, `${seconds} seconds`)
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), manifest.version)
  const [from, to] = ['.staging-build.msgpack', 'build.msgpack'].map((name) => join(indexDir, name))
  const error = `EISDIR: illegal operation on a directory, rename '${from}' -> '${to}'`
  assert.deepEqual(warnings, [`${indexDir}: ${error}; the new version is current all the same`])
  assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', 'build.msgpack', 'current', manifest.version].sort())
})

it('A version is made current only after its files and folders are synced to disk', async (context) => {
  const indexDir = temporaryFolder()
  const synced = await syncedBy(context, indexDir, () => compile(snapshotAt(1), indexDir))
  const staging = synced[0]!.split('/')[0]!
  const version = readFileSync(join(indexDir, 'current'), 'utf8').trim()
  const names = readdirSync(join(indexDir, version)).map((name) => join(staging, name))
  assert.deepEqual(synced.slice(0, names.length).sort(), names.sort())
  assert.deepEqual(synced.slice(names.length, names.length + 4), [staging, '', '.staging-current', ''])
})

/** Does something first whenever a build opens the cards' file; the lock and the record of the failure alone are left. */
async function openingCards(context: TestContext, indexDir: string, first: () => unknown, run: () => Promise<void>) {
  const { open: openFile } = fsPromises
  context.mock.method(fsPromises, 'open', async (path: string, ...more: [string]) => {
    if (path.endsWith('cards-000.msgpack')) await first()
    return openFile(path, ...more)
  })
  syncBuiltinESMExports()
  try {
    await run()
    assert.deepEqual(readdirSync(indexDir), ['.lock.db', 'build-failure.json'])
  } finally {
    context.mock.restoreAll()
    syncBuiltinESMExports()
  }
}

it('A snapshot that changes while it is read is not published', async (context) => {
  const [snapshot, indexDir] = [snapshotAt(1), temporaryFolder()]
  const future = new Date('2099-01-01')
  // When the version's first file is written, the cards have been read.
  const touch = () => utimes(join(snapshot, 'cards/a.ndjson'), future, future)
  await openingCards(context, indexDir, touch, async () => {
    const message = `${snapshot}: changed while it was read, and nothing was published: build it again`
    await assert.rejects(build(snapshot, indexDir), { message })
  })
})

it('A build that fails in several places reports the first error and leaves no file open', async (context) => {
  const indexDir = temporaryFolder()
  // The cards' file fails at once, while the games' files are still being packed.
  const refuse = () => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'open' })
  }
  await openingCards(context, indexDir, refuse, async () => {
    await assert.rejects(build(snapshotAt(1), indexDir), /: no space left on the disk \(ENOSPC\)/)
    const descriptors = readdirSync('/proc/self/fd').map((name) => `/proc/self/fd/${name}`)
    // That of the list itself is closed.
    const paths = descriptors.filter((path) => existsSync(path)).map((path) => readlinkSync(path))
    assert.ok(!paths.some((path) => path.startsWith(indexDir)), 'no file is open')
  })
})

it('A mirror’s state lists its fetched files, and each counts as present only with the recorded length', async (context) => {
  const folder = temporaryFolder()
  const atHour = (hour: number) => Date.UTC(2026, 10, 20, hour, 59)
  const mirror = new Mirror(folder, 'tcgcsv')
  mirror.begin('7', ['mtg'])
  assert.deepEqual(mirrorStatus(folder), { isWhole: false, revision: 'unfinished 7' })
  writeFileSync(mirror.path('b'), 'cut')
  mirror.record('b', { of: '7', bytes: 4 })
  mirror.put('a', 'é', '7')
  const recorded = new Mirror(folder, 'another')
  const asked = [recorded.has('a', '7'), recorded.has('a', '8'), recorded.has('b', '7'), recorded.has('c', '7')]
  assert.deepEqual(asked, [true, false, false, false])
  for (const hour of [-1, 0, 0, 23, 24]) mirror.countRequest(atHour(hour))
  assert.deepEqual([mirror.requestsOfDay(atHour(24)), mirror.requestsOfDay(atHour(25))], [4, 2])
  mirror.state.pausedUntilMs = 9
  const synced = await syncedBy(context, folder, () => mirror.finish(0))
  assert.deepEqual(synced, ['b', 'a', '.staging-fetch.json', ''])
  const requests = { '2026-11-20T00': 2, '2026-11-20T23': 1, '2026-11-21T00': 1 }
  const files = { a: { of: '7', bytes: 2 }, b: { of: '7', bytes: 4 } }
  assert.deepEqual(new Mirror(folder, 'another').state, {
    source: 'tcgcsv',
    state: 'whole',
    stamp: '7',
    games: ['mtg'],
    askedAt: '1970-01-01T00:00:00.000Z',
    answeredAtMs: 0,
    requests,
    files,
  })
  assert.deepEqual(mirrorStatus(mirror.path('a')), { isWhole: true, revision: 'whole 7' })
  writeFileSync(mirror.path('fetch.json'), '')
  assert.deepEqual(mirrorStatus(folder), { isWhole: false, revision: 'unfinished null' })
  assert.equal(mirrorStatus(temporaryFolder()), undefined)
})

describe('A disk that fills up', { skip: skipWithoutMounting() }, () => {
  it('A disk that fills up during a build leaves a complete version and no partial files, with a one-line error', async (context) => {
    const page = 4096
    const { folder: disk, fill, free, unmount } = mountDisk(256 * page)
    // An error of its own does not hide that of the test.
    context.after(unmount)
    let published = await compile(snapshotAt(0.99), disk)
    const seen = { refused: 0, unnoted: 0, published: 0 }
    for (let room = 0; room < 24; room += amount(3, 1)) {
      fill(room * page)
      try {
        const result = await build(snapshotAt(1 + room / 100), disk)
        published = result.manifest
        for (const warning of result.warnings) {
          assert.match(
            warning,
            /^\S+\/disk: no space left on the disk \(ENOSPC\).*; the new version is current all the/,
          )
        }
        seen[result.warnings.length > 0 ? 'unnoted' : 'published']++
      } catch (error) {
        const said = 'no space left on the disk (ENOSPC): free some, then try again; the served version is as it was'
        assert.equal((error as Error).message, `${disk}: ${said}`)
        seen.refused++
      }
      assert.equal(readFileSync(join(disk, 'current'), 'utf8').trim(), published.version)
      await loadVersion(disk, published.version)
      const found = readdirSync(disk).filter((name) => name.startsWith('.'))
      assert.deepEqual(found, ['.lock.db'])
      free()
    }
    assert.ok(seen.refused > 0 && seen.published > 0, JSON.stringify(seen))
  })
})
