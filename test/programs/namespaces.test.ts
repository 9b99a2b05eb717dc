/**
 * Two of the commands that write, at once, each in a process namespace of its own, as in two containers with one volume: neither sees
 * the other's process, and both have the process id 1.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { isVersionName } from '../../src/indexes/manifest.ts'
import { versionsKeptMax } from '../../src/limits.ts'
import { type Outcome, outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { contentOf, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const inNamespace = ['--pid', '--fork', '--kill-child', '--mount-proc']

const skipWithoutNamespaces = (): string | false =>
  spawnSync('unshare', [...inNamespace, 'true']).status !== 0 &&
  'needs root that may make a process namespace (unshare)'

const cards = 2000
const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'] as const
const refusals = [
  /^another (build|import) is running \(process 1 on [^\n]+, since [^\n]+Z\)\n$/,
  /^[^\n]+: changed while it was read, and nothing was published: build it again\n$/,
]

/** Snapshots and imports that all races start from. */
class Races {
  readonly #mirror = writeMirror()
  readonly #snapshots: readonly string[]
  readonly #indexDir = temporaryFolder()
  readonly #imported = temporaryFolder()
  /** The versions in `#indexDir`, the oldest first, then those that a race may build. */
  readonly #versions: string[] = []
  /** Of the imported folder, by the days that were imported in this order. */
  readonly #contents = new Map<string, string>()
  readonly #versionsOfImported: string[] = []

  constructor() {
    this.#snapshots = days.map((day, at) =>
      snapshotOf({
        'sets/a.ndjson': [aSet],
        'cards/a.ndjson': Array.from({ length: cards }, (_, i) => ({
          ...aCard,
          id: `pokemon-base1-${i}`,
          prices: { market: i + 1 + at / 100 },
          updatedAt: `${day}T06:00:00Z`,
        })),
      }),
    )
  }

  async prepare(): Promise<void> {
    const compiled = async (snapshots: string, indexDir: string) => (await build(snapshots, indexDir)).manifest.version
    for (const snapshots of this.#snapshots.slice(0, versionsKeptMax)) {
      this.#versions.push(await compiled(snapshots, this.#indexDir))
    }
    for (const snapshots of this.#snapshots.slice(versionsKeptMax)) {
      this.#versions.push(await compiled(snapshots, temporaryFolder()))
    }
    await importInto(this.#imported, 'tcgcsv', [this.#mirror], { date: days[0] })
    for (const order of [[], [1], [2], [1, 2], [2, 1]]) {
      const folder = temporaryFolder()
      cpSync(this.#imported, folder, { recursive: true })
      // The days come in any order.
      for (const day of order) await importInto(folder, 'tcgcsv', [this.#mirror], { date: days[day]!, force: true })
      this.#contents.set(snapshotIn(folder), order.join(' '))
      this.#versionsOfImported.push(await compiled(folder, temporaryFolder()))
    }
  }

  /** Returns how each of the two ended; throws if one did harm. */
  async race(pair: readonly [Writer, Writer]): Promise<readonly Ending[]> {
    const [indexDir, snapshots] = [temporaryFolder(), temporaryFolder()]
    cpSync(this.#indexDir, indexDir, { recursive: true, preserveTimestamps: true })
    cpSync(this.#imported, snapshots, { recursive: true })
    const isOfImported = pair.includes('import')
    const commands = pair.map((writer, at) => {
      if (writer === 'rollback') return ['rollback']
      if (writer === 'import')
        return ['import', 'tcgcsv', this.#mirror, '--date', days[at + 1]!, '--out', snapshots, '--force']
      const from = isOfImported ? snapshots : this.#snapshots[versionsKeptMax + at]!
      return ['build', '--snapshots', from, '--force']
    })
    const outcomes = await Promise.all(commands.map((command) => runInNamespace(command, { INDEX_DIR: indexDir })))
    const endings = outcomes.map(({ code, stderr }) => {
      if (code !== 0)
        assert.ok(
          refusals.some((line) => line.test(stderr)),
          stderr,
        )
      return code === 0 ? 'done' : 'refused'
    })
    assert.ok(endings.includes('done'), 'one of two gets through')
    await this.#checkVersions(indexDir, pair, endings)
    if (isOfImported) this.#checkImported(snapshots, pair, endings)
    for (const folder of [indexDir, snapshots]) rmSync(folder, { recursive: true })
    return endings
  }

  async #checkVersions(indexDir: string, pair: readonly Writer[], endings: readonly Ending[]): Promise<void> {
    const done = (writer: Writer) => pair.filter((one, at) => one === writer && endings[at] === 'done').length
    const names = readdirSync(indexDir)
    assert.deepEqual(
      names.filter((name) => /^\.(staging|removing)/.test(name)),
      [],
      'nothing is left',
    )
    const found = names.filter(isVersionName)
    for (const version of found) await loadVersion(indexDir, version)
    const old = this.#versions.slice(0, versionsKeptMax)
    const made = found.filter((version) => !old.includes(version))
    const possible = pair.includes('import') ? this.#versionsOfImported : this.#versions
    for (const version of made) assert.ok(possible.includes(version), `${version} is of no whole snapshot`)
    assert.equal(made.length, done('build'), 'each build that got through left its version')
    const current = readFileSync(join(indexDir, 'current'), 'utf8').trim()
    assert.ok(found.includes(current))
    for (const version of old.slice(made.length)) assert.ok(found.includes(version), `${version} was pruned early`)
    if (made.length === 0) assert.equal(current, old.at(-1 - done('rollback')), 'each rollback counts')
  }

  #checkImported(snapshots: string, pair: readonly Writer[], endings: readonly Ending[]): void {
    const imported = pair.flatMap((writer, at) => (writer === 'import' && endings[at] === 'done' ? [at + 1] : []))
    const order = this.#contents.get(snapshotIn(snapshots))
    assert.ok(order !== undefined, 'the imported folder is whole')
    assert.deepEqual(
      order.split(' ').filter(Boolean).sort(),
      imported.map(String),
      'what an import said it did is there',
    )
  }
}

type Writer = 'build' | 'import' | 'rollback'
type Ending = 'done' | 'refused'

const snapshotIn = (folder: string): string =>
  JSON.stringify(Object.entries(contentOf(folder)).filter(([name]) => !/^import\/\.(lock|staging-[^/]+$)/.test(name)))

const runInNamespace = (command: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> =>
  outcomeOf(
    spawn('unshare', [...inNamespace, join(projectDir, 'bin/card-prices'), ...command], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

const writers: readonly Writer[] = ['build', 'import', 'rollback']
const pairs = writers.flatMap((one, at) => writers.slice(at).map((other) => [one, other] as const))

const rounds = Number(process.env['RACES'] ?? 1)

describe('in process namespaces of their own', { skip: skipWithoutNamespaces(), timeout: 1_200_000 }, () => {
  const races = new Races()
  before(() => races.prepare())
  for (const pair of pairs) {
    it(`${pair.join(' and ')} at once: one waits, or is refused`, async () => {
      for (let round = 0; round < rounds; round++) await races.race(pair)
    })
  }
})
