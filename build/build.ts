/** The order of the steps, from a snapshot folder to a published version. */
import { mkdir } from 'node:fs/promises'
import { aboutFileName, writeAboutFile } from '../src/indexes/about-file.ts'
import type { Manifest } from '../src/indexes/manifest.ts'
import { inFolder } from '../src/indexes/publish/disk-errors.ts'
import { lockBuilds } from '../src/indexes/publish/lock.ts'
import { prune, removeLeftovers, versionAsItWas } from '../src/indexes/publish/versions.ts'
import { partName, partsOf } from '../src/indexes/version.ts'
import { compileCatalogFiles } from './compile/catalog-files.ts'
import { compileHistory, type HistoryResult } from './compile/history/history.ts'
import type { Progress } from './progress.ts'
import { idsOf, readBase, rememberBuild } from './publish/base.ts'
import { type FileSource, publish } from './publish/publish.ts'
import { currentSize, wrongAsAWhole } from './publish/whole.ts'
import { readAbout } from './read/about.ts'
import { Problems, SnapshotError } from './read/problems.ts'

export interface BuildResult {
  readonly manifest: Manifest
  readonly history: HistoryResult['report']
  /** The files of sets/ and cards/ were those of the version before. */
  readonly catalogReused: boolean
  /** What the operator should know of, though the version is published; a line each. */
  readonly warnings: readonly string[]
  readonly seconds: number
}

export interface BuildOptions {
  /** Publishes a snapshot with far fewer cards than the current version, too. */
  readonly force?: boolean
}

/** Throws SnapshotError if the snapshot is wrong, and Error if the disk fails; then nothing was published. */
export function build(
  snapshots: string,
  indexDir: string,
  progress: Progress,
  options: BuildOptions = {},
): Promise<BuildResult> {
  return inFolder(indexDir, versionAsItWas, async () => {
    await mkdir(indexDir, { recursive: true })
    const unlock = await lockBuilds(indexDir)
    try {
      return await buildLocked(snapshots, indexDir, progress, options)
    } finally {
      await unlock()
    }
  })
}

async function buildLocked(
  snapshots: string,
  indexDir: string,
  progress: Progress,
  { force = false }: BuildOptions,
): Promise<BuildResult> {
  const started = performance.now()
  await removeLeftovers(indexDir)
  const base = await readBase(indexDir)
  const problems = new Problems()
  progress.step('reading sets and cards')
  const about = await readAbout(snapshots, problems)
  const catalog = await compileCatalogFiles(snapshots, indexDir, base?.version, problems)
  const history = await compileHistory({
    snapshots,
    ids: catalog.ids,
    base: base && { parts: partsOf(base.version, 'history'), ids: idsOf(base.version), memory: base.history },
    problems,
    progress: (done) => progress.reading(done),
  })
  problems.check()
  const current = await currentSize(indexDir, base?.version)
  const wrong = wrongAsAWhole({ sets: catalog.setCount, cards: catalog.cardCounts }, current, force)
  if (wrong !== undefined) throw new SnapshotError([wrong])
  progress.step('writing the index')
  const files = new Map<string, FileSource>(catalog.files)
  history.parts.forEach((pieces, part) => {
    files.set(partName('history', part), { pieces })
  })
  if (Object.keys(about).length > 0) files.set(aboutFileName, { pieces: writeAboutFile(about) })
  const manifest = await publish(indexDir, {
    asOf: history.newestDate ?? catalog.newestUpdate,
    counts: { cards: catalog.ids.length, sets: catalog.setCount, historyRows: history.report.rows },
    catalogSource: catalog.source,
    files,
  })
  const warnings = current !== undefined && 'unknown' in current ? [`not compared with: ${current.unknown}`] : []
  // The version is out; what fails from here on does not take it back.
  for (const tidy of [
    () => prune(indexDir),
    () => rememberBuild(indexDir, { version: manifest.version, history: history.memory }),
  ]) {
    const then = 'the new version is current all the same'
    await inFolder(indexDir, then, tidy).catch((error: Error) => warnings.push(error.message))
  }
  const seconds = (performance.now() - started) / 1000
  return { manifest, history: history.report, catalogReused: catalog.reused, warnings, seconds }
}
