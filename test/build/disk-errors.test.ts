/** A disk that loses what was not synced; and one that refuses: one line with the path that was given and what to do, and the served version stays as it was. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import fsPromises, { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import zlib, { type ZlibOptions } from 'node:zlib'
import { build } from '../../build/build.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { inFolder } from '../../src/indexes/publish/durable.ts'
import { amount } from '../support/amount.ts'
import { build as buildCommand, runHere, temporaryFolder } from '../support/command.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { syncedBy } from '../support/synced.ts'

const snapshotAt = (price: number) =>
  snapshotOf({ ...aSnapshot, 'cards/a.ndjson': [{ ...aCard, prices: { market: price } }] })
const compile = async (snapshot: string, indexDir: string) => (await build(snapshot, indexDir)).manifest

it('an index folder that cannot be one is reported by its path', { timeout: 60_000 }, async () => {
  const file = join(temporaryFolder(), 'a file')
  writeFileSync(file, '')
  for (const [out, said] of [
    [file, 'is no folder (EEXIST)'],
    [join(file, 'deeper'), 'is no folder (ENOTDIR)'],
  ] as const) {
    const { code, stderr } = await buildCommand(snapshotOf(aSnapshot), out)
    assert.deepEqual([code, stderr], [1, `${out}: ${said}; the served version is as it was\n`])
  }
})

it('a full disk stops a rollback with one line', { skip: !existsSync('/dev/full') && 'needs /dev/full' }, async () => {
  const indexDir = temporaryFolder()
  const first = await compile(snapshotAt(1), indexDir)
  const second = await compile(snapshotAt(2), indexDir)
  symlinkSync('/dev/full', join(indexDir, '.staging-current'))
  const { code, stderr } = await runHere('build/rollback.ts', [first.version], { INDEX_DIR: indexDir })
  const advice = 'no space left on the disk (ENOSPC): free some, then try again'
  assert.deepEqual([code, stderr], [1, `${indexDir}: ${advice}; the served version is as it was\n`])
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), second.version)
  assert.ok(!readdirSync(indexDir).includes('.staging-current'))
})

it('a note that can’t be kept is a warning: the version is published', async () => {
  const indexDir = temporaryFolder()
  mkdirSync(join(indexDir, 'build.msgpack'))
  const { manifest, warnings } = await build(snapshotAt(1), indexDir)
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8').trim(), manifest.version)
  assert.equal(warnings.length, 1)
  assert.ok(warnings[0]!.startsWith(`${indexDir}: EISDIR`), warnings[0])
  assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', 'build.msgpack', 'current', manifest.version].sort())
})

it('a version is made current when its files, their names and its own name are on the disk', async (context) => {
  const indexDir = temporaryFolder()
  const synced = await syncedBy(context, indexDir, () => compile(snapshotAt(1), indexDir))
  const staging = synced[0]!.split('/')[0]!
  const version = readFileSync(join(indexDir, 'current'), 'utf8').trim()
  const names = readdirSync(join(indexDir, version)).map((name) => join(staging, name))
  assert.deepEqual(synced.slice(0, names.length).sort(), names.sort())
  assert.deepEqual(synced.slice(names.length, names.length + 4), [staging, '', '.staging-current', ''])
})

it('a build that fails says its first error when nothing of it works any more', async (context) => {
  const indexDir = temporaryFolder()
  const { open: openFile } = fsPromises
  const { createGzip } = zlib
  let packing = 0
  // The cards' file fails at once, while the games' files are still being packed.
  context.mock.method(fsPromises, 'open', async (path: string, ...more: [string]) => {
    if (!path.endsWith('cards-000.msgpack')) return openFile(path, ...more)
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'open' })
  })
  context.mock.method(zlib, 'createGzip', (options: ZlibOptions) => {
    packing++
    const packer = createGzip(options).once('end', () => packing--)
    const end = packer.end.bind(packer)
    packer.end = () => {
      setTimeout(end, 50)
      return packer
    }
    return packer
  })
  syncBuiltinESMExports()
  try {
    await assert.rejects(build(snapshotAt(1), indexDir), /: no space left on the disk \(ENOSPC\)/)
    assert.equal(packing, 0)
    const descriptors = readdirSync('/proc/self/fd').map((name) => readlinkOf(`/proc/self/fd/${name}`))
    assert.deepEqual(
      descriptors.filter((path) => path.startsWith(indexDir)),
      [],
      'no file is open',
    )
    assert.deepEqual(readdirSync(indexDir), ['.lock.db'])
  } finally {
    context.mock.restoreAll()
    syncBuiltinESMExports()
  }
})

/** Empty if the descriptor is closed meanwhile. */
function readlinkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

describe('an error of the system', () => {
  const cases: readonly (readonly [what: string, work: () => Promise<unknown>, said: RegExp])[] = [
    ['with advice', () => writeFile('/dev/full', 'x'), /^indexes: no space left on the disk \(ENOSPC\): free some, /],
    ['without advice', () => writeFile('/no/such/folder/file', 'x'), /^indexes: ENOENT: .*\/no\/such\/folder\/file/],
  ]
  for (const [what, work, said] of cases) {
    it(`names the folder: ${what}`, async () => {
      await assert.rejects(
        inFolder('indexes', 'all else holds', () => inFolder('indexes', 'all else holds', work)),
        (error: Error) => {
          assert.match(error.message, said)
          assert.equal(error.message.match(/; all else holds/g)?.length, 1)
          return true
        },
      )
    })
  }

  it('differs from an error of our own, which stays as it is', async () => {
    const fault = new TypeError('a fault of ours')
    await assert.rejects(
      inFolder('indexes', '', () => Promise.reject(fault)),
      fault,
    )
  })
})

describe('a disk that fills up', { skip: skipWithoutMounting() }, () => {
  it('at any moment of a build leaves a whole version and no rubbish, and one line says so', async (context) => {
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
      assert.deepEqual(
        readdirSync(disk).filter((name) => name.startsWith('.')),
        ['.lock.db'],
      )
      free()
    }
    assert.ok(seen.refused > 0 && seen.published > 0, JSON.stringify(seen))
  })
})
