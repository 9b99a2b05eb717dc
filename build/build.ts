/** The order of the steps, from a snapshot folder to a published version. */
import { mkdir } from 'node:fs/promises'
import { aboutFileName, writeAboutFile } from '../src/indexes/about-file.ts'
import { changesFileName, writeChangesFile } from '../src/indexes/changes-file.ts'
import type { Manifest } from '../src/indexes/manifest.ts'
import { inFolder } from '../src/indexes/publish/disk-errors.ts'
import { lockBuilds } from '../src/indexes/publish/lock.ts'
import { prune, removeRemains, stagingOf, versionAsItWas } from '../src/indexes/publish/versions.ts'
import { partName } from '../src/indexes/version.ts'
import { releaseMemory } from '../src/platform/memory.ts'
import { type Catalog, readCatalog } from './compile/catalog-files.ts'
import { compileChanges } from './compile/changes.ts'
import { compileHistory, type HistoryResult } from './compile/history/history.ts'
import type { HistoryBase } from './compile/history/plan.ts'
import { TextsFile } from './compile/texts-file.ts'
import type { Progress } from './progress.ts'
import { type Base, readBase, rememberBuild, unlessDamaged } from './publish/base.ts'
import { currentCards, incompleteness } from './publish/completeness.ts'
import { publish } from './publish/publish.ts'
import { Staging } from './publish/staging.ts'
import { readAbout } from './read/about.ts'
import { Problems, SnapshotError } from './read/problems.ts'
import { WorkerPool } from './workers/pool.ts'

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
  /** Who does the large jobs; by default one thread a core where that pays. */
  readonly crew?: WorkerPool
  /** Publishes a snapshot that is unlike the current version (publish/whole.ts), too. */
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
    const { force = false, crew = new WorkerPool() } = options
    try {
      return await buildLocked({ snapshots, indexDir, progress, force, crew })
    } finally {
      await unlock()
    }
  })
}

interface Work {
  readonly snapshots: string
  readonly indexDir: string
  readonly progress: Progress
  readonly force: boolean
  readonly crew: WorkerPool
}

async function buildLocked(work: Work): Promise<BuildResult> {
  const { indexDir, crew } = work
  const started = performance.now()
  await removeRemains(indexDir)
  const staging = await Staging.start(indexDir)
  let texts: TextsFile | undefined
  try {
    texts = TextsFile.create(`${stagingOf(indexDir)}-texts`)
    const { staged, note, warnings, ...report } = await compile(work, texts, staging)
    // Of what was compiled nothing is held any more: there must be room for the version as it is read back.
    crew.reset()
    releaseMemory()
    await publish(indexDir, staged, crew)
    // The version is out; what fails from here on does not take it back.
    for (const tidy of [() => prune(indexDir), () => rememberBuild(indexDir, note)]) {
      const then = 'the new version is current all the same'
      await inFolder(indexDir, then, tidy).catch((error: Error) => warnings.push(error.message))
    }
    const seconds = (performance.now() - started) / 1000
    return { manifest: staged.manifest, ...report, warnings, seconds }
  } finally {
    await crew.close()
    // What is being staged may read them still.
    await staging.remove()
    texts?.close()
  }
}

/** All but the publishing. */
async function compile(work: Work, texts: TextsFile, staging: Staging) {
  const { snapshots, indexDir, progress, force, crew } = work
  const base = await readBase(indexDir)
  const problems = new Problems()
  progress.step('reading sets and cards')
  const about = await readAbout(snapshots, problems)
  const catalog = await readCatalog(snapshots, about.currency ?? null, base, problems, crew, texts)
  const historyRead = compileHistory({
    snapshots,
    ids: catalog.ids,
    base: (await unlessDamaged(historyBase(base, catalog))) ?? null,
    problems,
    progress: (done) => progress.reading(done),
    crew,
    onPart: (part, pieces) => {
      if (problems.count === 0) staging.put(partName('history', part), { pieces })
    },
  })
  // While the catalog's files go to the disk.
  const changesPut = historyRead.then(({ changes }) => {
    if (problems.count > 0) return
    staging.put(changesFileName, { pieces: writeChangesFile(compileChanges(changes, catalog.games)) })
  })
  // Threads read the history meanwhile.
  const isRight = problems.count === 0 && catalog.setCount > 0
  const [names, history] = await Promise.all([isRight ? catalog.compile(staging) : [], historyRead, changesPut])
  problems.check()
  const current = await currentCards(indexDir, base, catalog)
  const wrong = incompleteness(catalog, current, force)
  if (wrong !== undefined) throw new SnapshotError([wrong])
  progress.step('writing the index')
  const historyNames = Array.from({ length: history.parts }, (_, part) => partName('history', part))
  const aboutNames = Object.keys(about).length > 0 ? [aboutFileName] : []
  for (const name of aboutNames) staging.put(name, { pieces: writeAboutFile(about) })
  const staged = await staging.finish({
    asOf: history.newestDate ?? catalog.newestUpdate,
    counts: { cards: catalog.ids.count, sets: catalog.setCount, historyRows: history.report.rows },
    catalogSource: catalog.source,
    names: [...names, ...historyNames, changesFileName, ...aboutNames],
  })
  const { version } = staged.manifest
  return {
    staged,
    history: history.report,
    catalogReused: catalog.reused,
    note: { version, steady: catalog.steady, order: catalog.order, history: history.memory },
    warnings: current !== undefined && 'unknown' in current ? [`not compared with: ${current.unknown}`] : [],
  }
}

/** The last version's history. Throws IndexError. */
async function historyBase(base: Base | null, catalog: Catalog): Promise<HistoryBase | null> {
  if (base === null) return null
  const parts = await base.readParts('history')
  return { parts, ids: await base.idsBefore(catalog), memory: base.note.history }
}
