/**
 * Two of the commands that write, at once, each in a process namespace of its own, as in two containers with one volume: neither sees
 * the other's process, and both have the process id 1.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { isVersionName } from '../../src/indexes/manifest.ts'
import { outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { contentOf, copyOf, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const inNamespace = ['--pid', '--fork', '--kill-child', '--mount-proc']
const skip =
  spawnSync('unshare', [...inNamespace, 'true']).status !== 0 &&
  'needs root that may make a process namespace (unshare)'

type Writer = 'build' | 'import' | 'rollback'
const pairs: readonly (readonly [Writer, Writer])[] = [
  ['build', 'build'],
  ['build', 'import'],
  ['build', 'rollback'],
  ['import', 'import'],
  ['import', 'rollback'],
  ['rollback', 'rollback'],
]
const refusal =
  /^(another (build|import) is running \(process 1 on [^\n]+, since [^\n]+Z\)|[^\n]+: changed while it was read, and nothing was published: build it again)\n$/

/** One for each version that a rollback may go back to, and one that each of two builds may add. */
const snapshots = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'].map((day, at) =>
  snapshotOf({
    'sets/a.ndjson': [aSet],
    'cards/a.ndjson': Array.from({ length: 2000 }, (_, i) => ({
      ...aCard,
      id: `pokemon-base1-${i}`,
      prices: { market: i + 1 + at / 100 },
      updatedAt: `${day}T06:00:00Z`,
    })),
  }),
)
const mirror = writeMirror()
const importedDays = ['2026-11-21', '2026-11-22']

const snapshotIn = (folder: string): string =>
  JSON.stringify(Object.entries(contentOf(folder)).filter(([name]) => !/^import\/\.(lock|staging-[^/]+$)/.test(name)))

describe('The program in process namespaces of its own', { skip, timeout: 1_200_000 }, () => {
  const [indexDir, imported] = [temporaryFolder(), temporaryFolder()]
  /** The versions in `indexDir`, the oldest first. */
  const versions: string[] = []
  /** Contents of the imported folder after imports of these days in this order. */
  const contents = new Map<string, string>()
  const importDay = (folder: string, date: string) => importInto(folder, 'tcgcsv', [mirror], { date, force: true })

  before(async () => {
    for (const from of snapshots.slice(0, 3)) versions.push((await build(from, indexDir)).manifest.version)
    await importDay(imported, '2026-11-20')
    for (const order of [[], [0], [1], [0, 1], [1, 0]]) {
      const folder = copyOf(imported)
      for (const day of order) await importDay(folder, importedDays[day]!)
      contents.set(snapshotIn(folder), order.sort().join(' '))
    }
  })

  for (const pair of pairs) {
    it(`The commands ${pair.join(' and ')} at once each succeed or are refused, and leave whole folders`, async () => {
      const [dir, folder] = [temporaryFolder(), copyOf(imported)]
      cpSync(indexDir, dir, { recursive: true, preserveTimestamps: true })
      const commands: Record<Writer, (at: number) => string[]> = {
        build: (at) => ['build', '--snapshots', pair.includes('import') ? folder : snapshots[3 + at]!, '--force'],
        import: (at) => ['import', 'tcgcsv', mirror, '--date', importedDays[at]!, '--out', folder, '--force'],
        rollback: () => ['rollback'],
      }
      const run = (writer: Writer, at: number) =>
        outcomeOf(
          spawn('unshare', [...inNamespace, join(projectDir, 'bin/card-prices'), ...commands[writer](at)], {
            env: { ...process.env, INDEX_DIR: dir },
            stdio: ['ignore', 'pipe', 'pipe'],
          }),
        )
      const outcomes = await Promise.all(pair.map(run))
      for (const { code, stderr } of outcomes) if (code !== 0) assert.match(stderr, refusal)
      const done = (writer: Writer) => [0, 1].filter((at) => pair[at] === writer && outcomes[at]!.code === 0)
      assert.ok(outcomes.some(({ code }) => code === 0))
      const names = readdirSync(dir)
      const actual = names.filter((name) => /^\.(staging|removing)/.test(name))
      assert.deepEqual(actual, [])
      const found = names.filter(isVersionName)
      for (const version of found) await loadVersion(dir, version)
      for (const version of versions.slice(done('build').length)) assert.ok(found.includes(version), 'it is kept')
      const made = found.filter((version) => !versions.includes(version))
      assert.equal(made.length, done('build').length, 'each build that got through left its version')
      const current = readFileSync(join(dir, 'current'), 'utf8').trim()
      assert.ok(found.includes(current))
      if (made.length === 0) assert.equal(current, versions.at(-1 - done('rollback').length), 'each rollback counts')
      assert.equal(contents.get(snapshotIn(folder)), done('import').join(' '), 'each import that got through is there')
    })
  }
})
