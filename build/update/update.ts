/**
 * Fetches and imports each source, then builds what is new.
 *
 *   fetch ─ new, or not imported yet ─▶ import ─┐
 *   fetch ─ failed: reported, others continue   ├─ changed, or not built yet ─▶ build ─▶ push ─▶ last.json
 *   fetch ─ new, or not imported yet ─▶ import ─┘
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readBuildFailure, removeBuildFailure } from '../../src/build-failure.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { commandLine } from '../../src/command/command-line.ts'
import { unlessDamaged } from '../../src/indexes/format.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { type Pushed, push } from '../../src/indexes/publish/push-version.ts'
import type { Report as VersionReport } from '../../src/indexes/report-file.ts'
import {
  type LastUpdate,
  type LastUpdates,
  readLastUpdates,
  updateLine,
  writeLastUpdates,
} from '../../src/last-updates.ts'
import { build, buildAdvice } from '../build.ts'
import { type FetchOptions, type FetchResult, fetchedSources, fetchSource, type SourceName } from '../fetch/fetch.ts'
import type { Chosen } from '../fetch/fetch-command.ts'
import { SourceAway } from '../fetch/fetch-errors.ts'
import { updateRetryLateMsMax } from '../fetch/fetch-limits.ts'
import { readFetchState } from '../fetch-state.ts'
import { type FolderGames, gamesOf } from '../games/folder-games.ts'
import { type ImportResult, runImport } from '../import/import.ts'
import { sources as importedSources } from '../import/import-command.ts'
import { Report } from '../import/import-report.ts'
import type { ImportOptions } from '../import/sources/source.ts'
import { chooseFor, type GivenChoices } from '../import/write/choices.ts'
import { filesIn, idsFile, importFolder } from '../import/write/folder.ts'
import { readHeld } from '../import/write/held.ts'
import { acceptedGamesIn } from '../import/write/plausibility.ts'
import { finishImport } from '../import/write/staging.ts'
import { isOutdated } from '../outdated.ts'

export interface SourceRun {
  readonly name: SourceName
  readonly fetched: FetchResult | undefined
  readonly imported: readonly ImportResult[]
  readonly update: LastUpdate
  readonly isFirst: boolean
}

export interface UpdateResult {
  readonly runs: readonly SourceRun[]
  /** Undefined if there was nothing to build, or if the build failed. */
  readonly version: string | undefined
  readonly warnings: readonly string[]
  /** For each version that was built: the changes from the version before it. */
  readonly reports: readonly VersionReport[]
  /** Undefined if there was nothing to push, or if the push failed. */
  readonly pushed: Pushed | undefined
  /** The steps that failed, in the order in which they ran. */
  readonly failures: readonly Failure[]
}

interface Failure {
  readonly step: string
  readonly lines: readonly string[]
  readonly advice: string
}

type ImportChoices = Pick<ImportOptions, 'accept' | 'force' | 'partial' | 'date'>

interface UpdateOptions extends Partial<ImportChoices>, GivenChoices {
  /** The folder from which servers download versions. */
  readonly pushTo?: string | undefined
  /** The options to repeat when a message prints this update's command: `--games`, `--from`, `--push` and others. */
  readonly words?: readonly string[]
}

interface Work extends ImportChoices {
  readonly given: GivenChoices
  readonly words: readonly string[]
  /** True if the choices have changed. Everything is then imported, even if it was imported before. */
  readonly isChanged: boolean
  readonly snapshots: string
  readonly folder: FolderGames
  readonly failures: Failure[]
}

export const mirrorOf = (snapshots: string, name: SourceName): string => join(snapshots, importFolder, 'mirror', name)

/**
 * Updates the sources, and builds. If a choice differs from the folder's and `force` is not set, throws ImportError and
 * does nothing.
 */
export async function update(
  chosen: Chosen,
  snapshots: string,
  indexDir: string,
  { accept = new Set(), pushTo, words = [], force = false, partial = false, date, ...given }: UpdateOptions = {},
): Promise<UpdateResult> {
  const folder = await gamesOf(snapshots)
  const all = new Map(
    chosen.map(
      ([name]) => [name, chooseFor(snapshots, name, importedSources[name], { ...given, force, folder })] as const,
    ),
  )
  const before = readLastUpdates(snapshots)
  const failures: Failure[] = []
  const runs: SourceRun[] = []
  const isRetry = chosen.some(([name]) => wasKeptAway(before[name]))
  for (const [name, options] of chosen) {
    const isDone = isRetry && before[name]?.isAway !== true
    const again = options.again && !isDone
    const { choices, isChanged } = all.get(name)!
    const games = options.games.filter((game) => choices.games.has(game))
    const fetching = { ...options, games, again, isRetry: isDone, out: mirrorOf(snapshots, name) }
    const work = { given, words, isChanged, snapshots, folder, accept, force, partial, date, failures }
    runs.push(await updateSource(name, fetching, work, before[name]))
  }
  const { version, warnings, reports } = await buildNew(snapshots, indexDir, { force, pushTo, failures })
  const pushed = pushTo === undefined ? undefined : await pushNew(indexDir, pushTo, failures)
  const later = failures.find(({ step }) => step === buildStep || step === pushStep)
  const after: LastUpdates = { ...before }
  for (const { name, update } of runs) {
    const error = update.error ?? later?.lines[0] ?? null
    const advice = update.error === null ? (later?.advice ?? null) : update.advice
    after[name] = { ...update, success: error === null, error, advice, version: version ?? null }
  }
  try {
    await writeLastUpdates(snapshots, indexDir, after)
  } catch (error) {
    failures.push({ step: 'the record of this run', lines: linesOf(error), advice: 'run it again after that' })
  }
  return { runs, version, warnings, reports, pushed, failures }
}

/**
 * True if the source could not be reached a moment ago, so that this run is a retry. A run that ended in the future had
 * a wrong clock, and does not count.
 */
function wasKeptAway(before: LastUpdate | undefined): boolean {
  if (before?.isAway !== true) return false
  const sinceMs = Date.now() - Date.parse(before.endedAt)
  return sinceMs >= 0 && sinceMs < updateRetryLateMsMax
}

/**
 * The exit code EX_TEMPFAIL. A source could not be reached, but no publisher rejected a request. The same call may
 * succeed later.
 */
export const exitTryLater = 75

export function exitCodeOf({ runs, failures }: UpdateResult): number {
  if (failures.length === 0) return 0
  const notFetched = runs.filter(({ fetched }) => fetched === undefined)
  return notFetched.length > 0 && notFetched.every(({ update }) => update.isAway) ? exitTryLater : 1
}

const buildStep = 'build'
const pushStep = 'push'

const notBuilt = { version: undefined, warnings: [], reports: [] }

/** Builds what is new. This includes what an earlier run imported, but could not build. */
async function buildNew(
  snapshots: string,
  indexDir: string,
  { force, pushTo, failures }: Pick<UpdateOptions, 'pushTo'> & Pick<Work, 'force' | 'failures'>,
): Promise<Pick<UpdateResult, 'version' | 'warnings' | 'reports'>> {
  const hasCards = filesIn(snapshots, 'cards').length > 0
  const push = pushTo === undefined ? '' : `, then push it (${commandLine('push', pushTo)})`
  const advise = (lines: readonly string[]) => `${buildAdvice(lines, snapshots)}${push}`
  try {
    if (!hasCards) return notBuilt
    if (!(await isOutdated(indexDir, snapshots))) {
      const failure = await readBuildFailure(indexDir)
      if (failure?.snapshots === resolve(snapshots)) await removeBuildFailure(indexDir)
      return notBuilt
    }
    await finishImport(snapshots)
    const { manifest, warnings, report } = await build(snapshots, indexDir, { force, advise })
    return { version: manifest.version, warnings, reports: [report] }
  } catch (error) {
    const lines = linesOf(error)
    failures.push({ step: buildStep, lines, advice: advise(lines) })
    return notBuilt
  }
}

/** Pushes what is new. This includes what an earlier run built, but could not push. */
async function pushNew(indexDir: string, target: string, failures: Failure[]): Promise<Pushed | undefined> {
  try {
    const version = await readCurrent(indexDir)
    if (version === undefined || version === (await unlessDamaged(readCurrent(target)))) return undefined
    return await push(indexDir, target)
  } catch (error) {
    failures.push({
      step: pushStep,
      lines: linesOf(error),
      advice: `correct it and run ${commandLine('push', target)}`,
    })
    return undefined
  }
}

/** The advice after a failed import: the narrowest option that helps, or none. */
function importAdvice(lines: readonly string[], again: (...options: readonly string[]) => string): string {
  const games = acceptedGamesIn(lines)
  if (games.length > 0) return `if the prices are right, take them as they are (${again('--accept', games.join(','))})`
  if (lines.some((line) => line.includes('--force')))
    return `if the prices are right, import them (${again('--force')})`
  return `look at the files, then run it again (${again()})`
}

const linesOf = (error: unknown): readonly string[] => (error as Error).message.split('\n')

async function updateSource(
  name: SourceName,
  fetching: FetchOptions,
  { given, words, isChanged, snapshots, folder, failures, ...choices }: Work,
  before: LastUpdate | undefined,
): Promise<SourceRun> {
  const startedAt = new Date().toISOString()
  const imported: ImportResult[] = []
  const revisions: Record<string, string> = { ...before?.imported }
  let fetched: FetchResult | undefined
  let error: string | null = null
  let isAway = false
  let step = 'fetch'
  let advice: string | null = null
  try {
    fetched = await fetchSource(name, fetching)
    step = 'import'
    const takesHeld = choices.force || choices.accept.size > 0
    const isAccepting = takesHeld && readHeld(snapshots).some(({ source }) => source === name)
    for (const task of fetchedSources[name].imports(fetched.state, folder)) {
      const paths = task.names.length === 0 ? [fetching.out] : task.names.map((file) => join(fetching.out, file))
      const key = task.names.join(' ') || name
      const isImported = revisions[key] === task.revision && existsSync(join(snapshots, idsFile))
      if (isImported && !isAccepting && !isChanged) continue
      const options: ImportOptions = {
        ...given,
        ...choices,
        paths,
        out: snapshots,
        gamesOfPaths: new Set(task.games),
        date: choices.date ?? task.date,
        report: undefined,
        keepsRecords: true,
      }
      imported.push(await runImport(name, importedSources[name], options))
      revisions[key] = task.revision
    }
  } catch (thrown) {
    const lines = linesOf(thrown)
    error = lines[0]!
    isAway = thrown instanceof SourceAway
    const again = (...more: readonly string[]) => {
      const date = choices.date === undefined ? [] : ['--date', choices.date]
      return updateLine(name, snapshots, ...words, ...date, ...more)
    }
    const isUnfinished = readFetchState(fetching.out)?.state === 'unfinished'
    const next = `the next run ${isUnfinished ? 'resumes' : 'begins anew'} (${again()})`
    advice = step === 'import' ? importAdvice(lines, again) : next
    failures.push({ step: `${name}: ${step}`, lines, advice })
  }
  const day = imported.at(-1)?.date ?? null
  const update: LastUpdate = {
    snapshots: resolve(snapshots),
    startedAt,
    endedAt: new Date().toISOString(),
    success: error === null,
    error,
    advice,
    options: [...words],
    isAway,
    stamp: fetched?.state.stamp ?? before?.stamp ?? null,
    isNew: imported.length > 0,
    requests: fetched?.requests ?? 0,
    bytes: fetched?.bytes ?? 0,
    counts: imported.length > 0 ? countsOf(imported) : (before?.counts ?? null),
    day: day ?? before?.day ?? null,
    missingDays: day === null ? (before?.missingDays ?? []) : missingBefore(snapshots, name, day),
    held: readHeld(snapshots).filter(({ source }) => source === name),
    imported: revisions,
    version: null,
  }
  return { name, fetched, imported, update, isFirst: fetched !== undefined && (before?.stamp ?? null) === null }
}

function countsOf(imported: readonly ImportResult[]): NonNullable<LastUpdate['counts']> {
  const games = [...sumOf(imported).games.values()]
  const sum = (key: 'sets' | 'cards' | 'prices' | 'newIds') => games.reduce((all, counts) => all + counts[key], 0)
  return { sets: sum('sets'), cards: sum('cards'), prices: sum('prices'), newIds: sum('newIds') }
}

/** The counts of all imports together. */
export function sumOf(imported: readonly ImportResult[]): Report {
  const sum = new Report()
  for (const { report } of imported) sum.addCounts(report)
  return sum
}

/** The days without history between `day` and the newest earlier day that has history. */
function missingBefore(snapshots: string, name: SourceName, day: string): string[] {
  const ending = `-${name}.csv.gz`
  const days = filesIn(snapshots, 'history')
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice('history/'.length, -ending.length))
  const last = days.filter((other) => other < day).at(-1)
  if (last === undefined) return []
  const first = dayOfDate(last) + 1
  return Array.from({ length: dayOfDate(day) - first }, (_, i) => dateOfDay(first + i))
}
