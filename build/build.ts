/** The order of the steps, from a snapshot folder to a published version. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dayOfDate, noDay } from '../src/calendar.ts'
import { type About, aboutFileName, writeAboutFile } from '../src/indexes/about-file.ts'
import { changesFileName, writeChangesFile } from '../src/indexes/changes-file.ts'
import { unlessDamaged } from '../src/indexes/format.ts'
import type { Manifest } from '../src/indexes/manifest.ts'
import { inFolder } from '../src/indexes/publish/disk-errors.ts'
import { lockBuilds } from '../src/indexes/publish/lock.ts'
import { prune, removeRemains, versionAsItWas } from '../src/indexes/publish/versions.ts'
import { partName } from '../src/indexes/version.ts'
import { allEnded } from './all-ended.ts'
import { type Base, readBase, writeBuildCache } from './compile/base.ts'
import { type Catalog, readCatalog } from './compile/catalog-files.ts'
import { daysOfChange } from './compile/changes.ts'
import { compileHistory, type HistoryResult } from './compile/history/history.ts'
import type { HistoryBase } from './compile/history/plan.ts'
import { TextsFile } from './compile/texts-file.ts'
import { ImportErrors } from './import/errors.ts'
import { sourceInDollars, wrongCurrency } from './import/write/own.ts'
import { isImportUnfinished } from './import/write/staging.ts'
import { loadCatalogs, loadLayers } from './import/write/state.ts'
import { newestChange } from './outdated.ts'
import type { Progress } from './progress.ts'
import { currentCards, incompleteness, warningsOf } from './publish/completeness.ts'
import { publish, Staging } from './publish/publish.ts'
import { aboutName, readAbout } from './read/about.ts'
import { Problems, SnapshotError, shown } from './read/problems.ts'
import { WorkerPool } from './workers/pool.ts'

export interface BuildResult {
  readonly manifest: Manifest
  readonly history: HistoryResult['report']
  /** No file of sets/ and cards/ has changed since the base. */
  readonly catalogReused: boolean
  /** For the operator, a line each; the version is published all the same. */
  readonly warnings: readonly string[]
  readonly seconds: number
}

export interface BuildOptions {
  /** By default one thread a core where that pays. */
  readonly pool?: WorkerPool
  /** Publishes a snapshot that fails the completeness check, too. */
  readonly force?: boolean
}

/** Throws SnapshotError if the snapshot is wrong, and Error if the disk fails. Then nothing is published. */
export function build(
  snapshots: string,
  indexDir: string,
  progress: Progress,
  options: BuildOptions = {},
): Promise<BuildResult> {
  return inFolder(indexDir, versionAsItWas, async () => {
    await mkdir(indexDir, { recursive: true })
    const unlock = await lockBuilds(indexDir)
    const { force = false, pool = new WorkerPool() } = options
    try {
      return await buildLocked({ snapshots, indexDir, progress, force, pool })
    } finally {
      unlock()
    }
  })
}

interface Work {
  readonly snapshots: string
  readonly indexDir: string
  readonly progress: Progress
  readonly force: boolean
  readonly pool: WorkerPool
}

async function buildLocked(work: Work): Promise<BuildResult> {
  const { indexDir, pool } = work
  const started = performance.now()
  await removeRemains(indexDir)
  const staging = await Staging.start(indexDir)
  let texts: TextsFile | undefined
  try {
    texts = TextsFile.create(join(staging.folder, 'texts'))
    const { staged, cache, warnings, ...report } = await compile(work, texts, staging)
    await publish(indexDir, staged)
    // The version is current: a failure from here on is a warning.
    for (const cleanUp of [() => prune(indexDir), () => writeBuildCache(indexDir, cache)]) {
      const then = 'the new version is current all the same'
      await inFolder(indexDir, then, cleanUp).catch((error: Error) => warnings.push(error.message))
    }
    const seconds = (performance.now() - started) / 1000
    return { manifest: staged.manifest, ...report, warnings, seconds }
  } finally {
    await pool.close()
    // Before the texts are closed: files that are being staged may still read them.
    await staging.remove()
    texts?.close()
  }
}

async function compile(work: Work, texts: TextsFile, staging: Staging) {
  const { snapshots, indexDir, progress, force, pool } = work
  const base = await readBase(indexDir)
  const problems = new Problems()
  progress.step('reading sets and cards')
  const changedBefore = await newestChange(snapshots)
  const about = await readAbout(snapshots, problems)
  checkCurrency(snapshots, about, problems)
  const catalog = await readCatalog(snapshots, about.currency ?? null, base, problems, pool, texts)
  const historyRead = compileHistory({
    snapshots,
    ids: catalog.ids,
    base: (await unlessDamaged(historyBase(base, catalog))) ?? null,
    problems,
    progress: (done) => progress.reading(done),
    pool,
    onPart: (part, pieces) => {
      if (problems.count === 0) staging.put(partName('history', part), { pieces })
    },
  })
  const changesPut = historyRead.then(({ changes, changedOn, newestDate }) => {
    if (problems.count > 0) return
    const asOf = newestDate ?? catalog.newestUpdate
    const days = daysOfChange(changedOn, catalog.updates, asOf === null ? noDay : dayOfDate(asOf))
    staging.put(changesFileName, { pieces: writeChangesFile({ changes, changedOn: days }) })
  })
  const isRight = problems.count === 0 && catalog.setCount > 0
  const [names, history] = await allEnded([isRight ? catalog.compile(staging.put) : [], historyRead, changesPut])
  if (isImportUnfinished(snapshots) || (await newestChange(snapshots)) !== changedBefore) {
    throw new SnapshotError([`${snapshots}: changed while it was read, and nothing was published: build it again`])
  }
  problems.check()
  const current = await currentCards(indexDir, base, catalog)
  const wrong = incompleteness(catalog, current, force)
  if (wrong !== undefined) throw new SnapshotError([wrong])
  progress.step('writing the index')
  const historyNames = Array.from({ length: history.parts }, (_, part) => partName('history', part))
  const aboutNames = Object.keys(about).length > 0 ? [aboutFileName] : []
  for (const name of aboutNames) staging.put(name, { pieces: writeAboutFile(about) })
  const asOf = history.newestDate ?? catalog.newestUpdate
  const staged = await staging.finish({
    asOf,
    counts: { cards: catalog.ids.count, sets: catalog.setCount, historyRows: history.report.rows },
    catalogSource: catalog.source,
    names: [...names, ...historyNames, changesFileName, ...aboutNames],
  })
  const { version } = staged.manifest
  const { order, updates } = catalog
  return {
    staged,
    history: history.report,
    catalogReused: catalog.reused,
    cache: { version, fingerprint: catalog.fingerprint, order, updates, history: history.cache },
    warnings: warningsOf(current, asOf),
  }
}

/** Imports check it, too, but about.json can change after them. A folder without imports is in the operator's currency. */
function checkCurrency(snapshots: string, { currency }: About, problems: Problems): void {
  if (wrongCurrency(currency, 'imports') === undefined) return
  const errors = new ImportErrors()
  const source = sourceInDollars(loadCatalogs(snapshots, null, false, errors), loadLayers(snapshots, errors).values())
  const wrong = wrongCurrency(currency, source)
  if (wrong !== undefined) problems.add(aboutName, undefined, 'currency', wrong, shown(currency))
}

/** Throws IndexError. */
async function historyBase(base: Base | null, catalog: Catalog): Promise<HistoryBase | null> {
  if (base === null) return null
  const parts = await base.readParts('history')
  return { parts, ids: await base.idsBefore(catalog), cache: base.cache.history }
}
