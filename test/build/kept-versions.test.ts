/** Which versions a build keeps, in which order they were published, and what rollback --list shows of them. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { type BuildResult, build } from '../../build/build.ts'
import { formatVersion } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { isVersionName } from '../../src/indexes/manifest.ts'
import { publishedVersions } from '../../src/indexes/publish/versions.ts'
import { runHere, temporaryFolder } from '../support/command.ts'
import { publishMade, versionNamed } from '../support/versions.ts'
import { currentOf, snapshotWith } from './compiled.ts'

it('with a clock that is set back, the version just published is kept, beside the last three', async () => {
  const indexDir = temporaryFolder()
  const future: string[] = []
  for (const price of [1, 2, 3]) {
    const { manifest } = await build(snapshotWith(2, 1, price), indexDir)
    future.push(manifest.version)
    const later = { ...manifest, builtAt: `2099-01-0${price}T00:00:00.000Z` }
    writeFileSync(join(indexDir, manifest.version, 'manifest.json'), JSON.stringify(later))
  }
  const { version } = (await build(snapshotWith(2, 1, 4), indexDir)).manifest
  assert.equal(currentOf(indexDir), version)
  assert.deepEqual(readdirSync(indexDir).filter(isVersionName).sort(), [...future, version].sort())
  assert.equal((await loadVersion(indexDir, version)).manifest.version, version)
})

it('a version that is published again is the last published one', async () => {
  const indexDir = temporaryFolder()
  const versions: string[] = []
  for (const price of [2, 3, 2, 4]) versions.push((await build(snapshotWith(2, 1, price), indexDir)).manifest.version)
  assert.equal(versions[0], versions[2], 'the same snapshot')
  const published = (await publishedVersions(indexDir)).map((manifest) => manifest.version)
  assert.deepEqual(published, [versions[3], versions[2], versions[1]])
  await build(snapshotWith(2, 1, 5), indexDir)
  assert.ok(!existsSync(join(indexDir, versions[1]!)), 'the one published longest ago goes')
  assert.ok(existsSync(join(indexDir, versions[0]!)))
})

it('rollback --list shows each version, the last published first, and takes no version', {
  timeout: 60_000,
}, async () => {
  const indexDir = temporaryFolder()
  const list = (...args: string[]) => runHere('build/rollback.ts', ['--list', ...args], { INDEX_DIR: indexDir })
  const none = await list()
  assert.deepEqual([none.code, none.stdout, none.stderr], [1, '', `no version is published in ${indexDir} yet\n`])
  const published: BuildResult['manifest'][] = []
  for (const count of [7, 8, 1109]) published.push((await build(snapshotWith(count, 0), indexDir)).manifest)
  writeFileSync(join(indexDir, 'current'), `${published[1]!.version}\n`)
  const { code, stdout } = await list()
  assert.equal(code, 0)
  const [head, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  assert.deepEqual(head, ['version', 'as of', 'cards', 'published'])
  assert.deepEqual(
    rows,
    published
      .toReversed()
      .map(({ version, asOf, counts, builtAt }) => [
        version,
        asOf ?? 'unknown',
        counts.cards.toLocaleString('en'),
        `${builtAt.slice(0, 19).replace('T', ' ')} UTC`,
        ...(version === published[1]!.version ? ['current'] : []),
      ]),
  )
  const wrong = await list(published[0]!.version)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /--list.*\n\nUsage: card-prices rollback/)
  assert.equal(currentOf(indexDir), published[1]!.version)
})

it('the last three versions of each format are kept: a server of another release reads those of its own alone', async () => {
  const indexDir = temporaryFolder()
  const made = (format: unknown, day: number, builtAt: unknown = `2026-11-0${day}T00:00:00.000Z`) =>
    publishMade(
      indexDir,
      { 'cards-000.msgpack': Buffer.from(`${format} ${day}`) },
      { change: (manifest) => ({ ...manifest, format, builtAt }) },
    )
  const [older, newer] = [formatVersion - 1, formatVersion + 1]
  const ofOlder = [1, 2, 3, 4, 5].map((day) => made(older, day))
  const ofNewer = [2, 1].map((day) => made(newer, day))
  // Neither is a version of any release; the last one's folder is empty.
  const damaged = [made('2', 9), made(older, 9, 7), versionNamed(1)]
  mkdirSync(join(indexDir, damaged[2]!))
  rmSync(join(indexDir, 'current'))
  const own: string[] = []
  for (const price of [2, 3, 4, 5]) own.push((await build(snapshotWith(2, 1, price), indexDir)).manifest.version)
  const kept = readdirSync(indexDir).filter(isVersionName)
  assert.deepEqual(kept.sort(), [...ofOlder.slice(2), ...ofNewer, ...own.slice(1)].sort())
  assert.deepEqual(
    (await publishedVersions(indexDir)).map(({ version }) => version),
    own.slice(1).reverse(),
  )
})
