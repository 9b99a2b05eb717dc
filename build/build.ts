/** The order of the steps, from a snapshot folder to a published version. */
import { removeBuildFailure, writeBuildFailure } from '../src/build-failure.ts'
import { dayOfDate, noDay } from '../src/calendar.ts'
import { commandLine } from '../src/command/command-line.ts'
import { type About, aboutFileName, writeAboutFile } from '../src/indexes/about-file.ts'
import { changesFileName, writeChangesFile } from '../src/indexes/changes-file.ts'
import { partName } from '../src/indexes/load.ts'
import type { Manifest } from '../src/indexes/manifest.ts'
import { inFolder } from '../src/indexes/publish/durable.ts'
import { lockBuilds } from '../src/indexes/publish/lock.ts'
import { nextSequence, prune, removeRemains, versionAsItWas } from '../src/indexes/publish/versions.ts'
import { type Report, writeReport } from '../src/indexes/report-file.ts'
import { makeFolder } from '../src/platform/make-folder.ts'
import { readCurrentVersion, readHistoryBase, readKnownContent, writeBuildCache } from './compile/base.ts'
import { compileChanges } from './compile/card-orders.ts'
import { compileCatalog, readCatalog } from './compile/catalog-files.ts'
import type { Card } from './compile/compiled-cards.ts'
import { compileHistory, type HistoryResult } from './compile/history/compile-history.ts'
import { ImportErrors } from './import/import-errors.ts'
import { lastImportOf, readImportChanges } from './import/write/changes.ts'
import { pricedSource, readChoices, wrongCurrency } from './import/write/choices.ts'
import { isImportUnfinished } from './import/write/staging.ts'
import { loadCatalogs, loadLayers } from './import/write/state.ts'
import { Progress } from './progress.ts'
import { acceptedByImports, incompleteness, warningsOf } from './publish/completeness.ts'
import { publish, Staging } from './publish/publish.ts'
import { compareWith } from './publish/version-report.ts'
import { aboutName, readAbout } from './read/about.ts'
import { Problems, SnapshotError, shown } from './read/snapshot-problems.ts'
import { contentOf, isUntouched } from './snapshot-content.ts'

export interface BuildResult {
  readonly manifest: Manifest
  readonly history: HistoryResult['report']
  /** Each warning is a line for the operator. A warning does not prevent the publication. */
  readonly warnings: readonly string[]
  readonly report: Report
  readonly seconds: number
}

export interface BuildOptions {
  /**
   * Publishes a snapshot even if it fails the completeness check. A snapshot without sets or cards is never published.
   */
  readonly force?: boolean
  /**
   * Returns the advice to store in the record of a failed build. By default, the advice names this build's command.
   */
  readonly advise?: (lines: readonly string[]) => string
}

/**
 * Builds a version from the snapshot folder, and makes it current. Throws SnapshotError if the snapshot is wrong, and
 * Error if the disk fails. After an error, nothing is published.
 */
export function build(
  snapshots: string,
  indexDir: string,
  { force = false, advise = (lines) => buildAdvice(lines, snapshots) }: BuildOptions = {},
): Promise<BuildResult> {
  return inFolder(indexDir, versionAsItWas, async () => {
    makeFolder(indexDir)
    const unlock = await lockBuilds(indexDir)
    const started = performance.now()
    const progress = new Progress()
    try {
      await removeRemains(indexDir)
      const staging = new Staging(indexDir)
      try {
        const compiled = await compile({ snapshots, indexDir, progress, force, staging })
        const { manifest, cache, warnings, history, report } = compiled
        await publish(indexDir, staging, manifest)
        // The version is now current, so a failure in this loop is only a warning.
        const cleanUps = [removeBuildFailure, prune, () => writeBuildCache(indexDir, cache)]
        for (const cleanUp of cleanUps) {
          const then = 'the new version is current all the same'
          await inFolder(indexDir, then, () => cleanUp(indexDir)).catch((error: Error) => warnings.push(error.message))
        }
        return { manifest, history, warnings, report, seconds: (performance.now() - started) / 1000 }
      } catch (error) {
        await writeBuildFailure(indexDir, snapshots, { error, advice: advise((error as Error).message.split('\n')) })
        throw error
      } finally {
        await staging.remove()
      }
    } finally {
      progress.clear()
      unlock()
    }
  })
}

/**
 * Returns advice with the command that publishes the snapshot after a failed build.
 * @param lines the lines of the error
 * @param words further words of the command
 */
export function buildAdvice(lines: readonly string[], snapshots: string, ...words: readonly string[]): string {
  const command = (...more: readonly string[]) => commandLine('build', '--snapshots', snapshots, ...words, ...more)
  return lines.some((line) => line.includes('--force'))
    ? `if that is right, publish it (${command('--force')})`
    : `correct it and build again (${command()})`
}

interface Work {
  readonly snapshots: string
  readonly indexDir: string
  readonly progress: Progress
  readonly force: boolean
  readonly staging: Staging
}

async function compile({ snapshots, indexDir, progress, force, staging }: Work) {
  const problems = new Problems()
  progress.step('reading sets and cards')
  const imports = readImportChanges(snapshots)
  const content = await contentOf(snapshots, await readKnownContent(indexDir))
  const about = await readAbout(snapshots, problems)
  checkCurrency(snapshots, about, problems)
  const catalog = await readCatalog(snapshots, about.currency ?? null, problems)
  const { ids, cards, sets, newestUpdate } = catalog
  const current = await readCurrentVersion(indexDir, ids)
  const base = current === undefined || 'unknown' in current ? null : await readHistoryBase(indexDir, current)
  // A snapshot with problems, or without sets, is rejected below, so it is not compiled.
  const isSound = problems.count === 0 && sets.length > 0
  const compiling = isSound ? compileCatalog(catalog, staging.put) : undefined
  const reading = compileHistory({ snapshots, ids, base, problems, progress: (done) => progress.reading(done) })
  // If compiling or reading fails, the build waits for the other one before it removes the staging folder.
  await Promise.allSettled([compiling, reading])
  const [history] = await Promise.all([reading, compiling])
  if (isImportUnfinished(snapshots) || !isUntouched(content, await contentOf(snapshots, content.files))) {
    throw new SnapshotError([`${snapshots}: changed while it was read, and nothing was published: build it again`])
  }
  problems.check()
  const wrong = incompleteness(catalog, current, force, imports)
  if (wrong !== undefined) throw new SnapshotError([wrong])
  progress.step('writing the index')
  const asOf = history.newestDate ?? newestUpdate
  const changedOn = daysOfChange(history.changedOn, cards, asOf === null ? noDay : dayOfDate(asOf))
  for (const [part, pieces] of history.parts.entries()) staging.put(partName('history', part), pieces)
  const cardGame = Uint8Array.from(cards, ({ game }) => game)
  const changes = compileChanges({ changes: history.changes, changedOn }, cardGame)
  staging.put(changesFileName, writeChangesFile(changes))
  if (Object.keys(about).length > 0) staging.put(aboutFileName, writeAboutFile(about))
  let report: Report = { base: null, reason: 'first' }
  const counts = { cards: cards.length, sets: sets.length, historyRows: history.report.rows }
  const snapshot = { sha256: content.fingerprint, imports: lastImportOf(imports) }
  const sequence = await nextSequence(indexDir)
  const manifest = await staging.finish({ asOf, counts, sequence, snapshot }, (version) => {
    report = compareWith(current, catalog, version)
    return writeReport(report)
  })
  return {
    manifest,
    report,
    history: history.report,
    cache: { version: manifest.version, content: content.files, history: history.cache },
    warnings: [...warningsOf(current, asOf), ...acceptedByImports(catalog, current, imports)],
  }
}

/**
 * The day of each card's last change. A card without history rows changed on the day of its `updatedAt`, but at the
 * latest on the day after `asOf`. So the changes since `asOf` include each such card whose `updatedAt` is later, and
 * the changes since any later day include none.
 * @param changedOn the day that the history gives each card; `noDay` for a card without rows
 */
const daysOfChange = (changedOn: Int32Array, cards: readonly Card[], asOf: number): Int32Array =>
  changedOn.map((day, card) => (day === noDay ? Math.min(cards[card]!.updated, asOf + 1) : day))

/**
 * Checks that about.json names the currency of the imported prices. Imports check this as well, but an operator can
 * change about.json after an import. A folder without imports may be in any currency.
 */
function checkCurrency(snapshots: string, { currency }: About, problems: Problems): void {
  const { currency: chosen } = readChoices(snapshots)
  if (wrongCurrency(currency, 'imports', chosen) === undefined) return
  const errors = new ImportErrors()
  const source = pricedSource(loadCatalogs(snapshots, null, false, errors), loadLayers(snapshots, errors).values())
  const wrong = wrongCurrency(currency, source, chosen)
  if (wrong !== undefined) problems.add(aboutName, 'currency', wrong, shown(currency))
}
