/** Examines the data: INDEX_DIR, the last build, fetch, import and update. */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { readFetchState } from '../../../build/fetch-state.ts'
import { filesIn, importFolder } from '../../../build/import/write/folder.ts'
import { readHeld } from '../../../build/import/write/held.ts'
import { isImportUnfinished } from '../../../build/import/write/staging.ts'
import { readBuildFailure } from '../../build-failure.ts'
import { dateOfDay, dayOfDate, dayOfMs } from '../../calendar.ts'
import { commandLine } from '../../command/command-line.ts'
import { IndexError } from '../../indexes/format.ts'
import { verifyVersion } from '../../indexes/load.ts'
import { emptyMessageOf, readCurrent, readManifest } from '../../indexes/manifest.ts'
import { publishedVersions } from '../../indexes/publish/versions.ts'
import {
  acceptedName,
  type LastUpdate,
  readLastUpdates,
  readUpdatesOfServer,
  updateLine,
  usualSnapshots,
} from '../../last-updates.ts'
import type { Settings } from '../../settings.ts'
import { ago, allOf, bad, type Found, freshMsMax, type Look, ok, warn } from './finding.ts'

export const lookAtIndex: Look = async ({ INDEX_DIR, INDEX_URL }) => {
  const folder = resolve(INDEX_DIR)
  const build = `build one (${await toBuild({ INDEX_DIR })})`
  try {
    const current = await readCurrent(folder)
    if (current !== undefined) {
      const { version, asOf, builtAt, files } = await readManifest(folder, current)
      await verifyVersion(folder, version)
      const dates = `as of ${asOf ?? 'an unknown day'}, built ${ago(Date.parse(builtAt))}`
      const found = `version ${version}, ${dates}; the checksums of all ${files.length} files are right`
      if (asOf !== null && dayOfDate(asOf) > dayOfMs(Date.now())) {
        const today = dateOfDay(dayOfMs(Date.now()))
        const advice = 'check this clock and the newest day in the history: every history window ends on that day'
        return warn(`${found}; the version is dated after today, ${today}`, advice)
      }
      return ok(found)
    }
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    const others = await publishedVersions(folder).catch(() => [])
    const rollback = `make another version current (${commandLine('rollback')}) or `
    return bad(error.message, `${others.length > 1 ? rollback : ''}${build}`)
  }
  const nothing = emptyMessageOf(folder)
  if (INDEX_URL !== undefined) return warn(nothing, 'a running server downloads one from INDEX_URL')
  return bad(nothing, `${build}, or correct INDEX_DIR`)
}

/** A build may be dated this much in the future, because the clocks of two machines differ. */
const clockErrorMsMax = 300_000

export const lookAtBuild: Look = async ({ INDEX_DIR, INDEX_URL }) => {
  const versions = await publishedVersions(INDEX_DIR).catch(() => [])
  const [last] = versions
  const failure = await readBuildFailure(INDEX_DIR)
  if (failure !== undefined) {
    const { error, failedAt, advice } = failure
    return bad(`the last one failed ${ago(Date.parse(failedAt))}, so earlier prices are served: ${error}`, advice)
  }
  const build = `build a new one (${await toBuild({ INDEX_DIR })})`
  const again = INDEX_URL === undefined ? build : 'build and push a new one on the machine that publishes for INDEX_URL'
  if (last === undefined) return warn('there is no version that this release can read', again)
  const builtMs = Date.parse(last.builtAt)
  const found = `the last one ${ago(builtMs)} (${last.builtAt}); versions kept: ${versions.length}`
  const ageMs = Date.now() - builtMs
  if (ageMs < -clockErrorMsMax) return warn(found, 'check this clock, and that of the machine that builds')
  return ageMs > freshMsMax ? warn(found, again) : ok(found)
}

/**
 * The command that builds a version from a snapshot folder with cards. If there is no such folder, the command that
 * updates from tcgcsv.
 */
async function toBuild(settings: Pick<Settings, 'INDEX_DIR'>): Promise<string> {
  const folders = await snapshotFolders(settings)
  const folder = folders.find((each) => filesIn(each, 'cards').length > 0)
  return folder === undefined ? commandLine('update', 'tcgcsv') : commandLine('build', '--snapshots', folder)
}

const usualFolders = [usualSnapshots, 'snapshots']

/**
 * The folders from which updates filled INDEX_DIR, and the folders here with the usual names. Missing folders are left
 * out.
 */
async function snapshotFolders({ INDEX_DIR }: Pick<Settings, 'INDEX_DIR'>): Promise<readonly string[]> {
  const updated = Object.values(await readUpdatesOfServer(INDEX_DIR)).flatMap(({ snapshots }) => snapshots ?? [])
  const there = [...updated, ...usualFolders].filter((folder) => existsSync(folder)).map(shownFolder)
  return [...new Set(there)]
}

/** The path of the folder: relative if it is below the working directory, else absolute. */
function shownFolder(folder: string): string {
  const path = relative('', folder)
  return path === '' || path.startsWith('..') ? resolve(folder) : path
}

const nothingHere = `none in ${usualFolders.join(' or ')} here, and none into INDEX_DIR`

export const lookAtFetch: Look = async (settings) => {
  const folders = await snapshotFolders(settings)
  const mirrors = (await Promise.all(folders.map(mirrorsIn))).flat()
  if (mirrors.length === 0) return ok(nothingHere)
  const unfinished = mirrors.filter(({ isComplete }) => !isComplete)
  if (unfinished.length > 0) {
    const last = await updatesOf(settings, folders)
    const optionsOf = (name: string, snapshots: string) =>
      last.find(({ source, folder }) => source === name && folder === snapshots)?.options ?? []
    const updates = unfinished.map(({ source, snapshots }) =>
      updateLine(source, snapshots, ...optionsOf(source, snapshots)),
    )
    const found = unfinished.map(({ folder }) => `${folder} is unfinished`)
    return warn(found.join(', '), `continue it (${updates.join('; ')})`)
  }
  return ok(mirrors.map(({ source, ms }) => `${source} ${ago(ms)}`).join(', '))
}

async function mirrorsIn(snapshots: string) {
  const folder = join(snapshots, importFolder, 'mirror')
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => {
    const state = readFetchState(join(folder, name))
    if (state === undefined) return []
    const { source, askedAt } = state
    const isComplete = state.state === 'whole'
    return [{ folder: join(folder, name), snapshots, source, isComplete, ms: Date.parse(`${askedAt}`) }]
  })
}

export const lookAtImport: Look = async (settings) => {
  const folders = await snapshotFolders(settings)
  const unfinished = folders.find(isImportUnfinished)
  if (unfinished !== undefined) {
    const found = `one into ${unfinished} is being put in place, or was cut short`
    return warn(found, 'the next import or build finishes it')
  }
  const updates = await updatesOf(settings, folders)
  const wrong = [...updates.flatMap(failureOf), ...heldSets(folders, updates).map(heldFound)]
  if (wrong.length > 0) return allOf(wrong)
  const imports = (await Promise.all(folders.map(importsIn))).flat().sort((a, b) => b.ms - a.ms)
  const [last] = imports
  if (last === undefined) return ok(nothingHere)
  return ok(`the last one ${ago(last.ms)}, of ${last.source} into ${last.folder}`)
}

interface Updated extends LastUpdate {
  readonly source: string
  /** Undefined if an earlier release wrote the record. */
  readonly folder: string | undefined
}

/** The last update of each source: of updates that filled INDEX_DIR, and of updates of the snapshot folders here. */
async function updatesOf(
  { INDEX_DIR }: Pick<Settings, 'INDEX_DIR'>,
  folders: readonly string[],
): Promise<readonly Updated[]> {
  const found = new Map<string, Updated>()
  for (const [source, update] of Object.entries(await readUpdatesOfServer(INDEX_DIR))) {
    const folder = update.snapshots === undefined ? undefined : shownFolder(update.snapshots)
    found.set(`${source} ${update.startedAt}`, { ...update, source, folder })
  }
  // If a folder here fills INDEX_DIR, both have records of the same runs. The folder's records replace the others.
  for (const folder of folders)
    for (const [source, update] of Object.entries(readLastUpdates(folder)))
      found.set(`${source} ${update.startedAt}`, { ...update, source, folder })
  return [...found.values()]
}

function failureOf({ source, folder, success, error, advice, options, isAway, endedAt }: Updated): Found[] {
  if (success) return []
  const found = `the last update of ${source} failed ${ago(Date.parse(endedAt))}: ${error}`
  const again = updateLine(source, folder, ...options)
  if (isAway === true) return [warn(found, `nothing is to be corrected here; try it again later (${again})`)]
  return [warn(found, advice?.includes('(') ? advice : `run it again after that (${again})`)]
}

interface HeldSets {
  readonly source: string
  readonly folder: string | undefined
  readonly sets: LastUpdate['held']
  /** The options of the last update; undefined if there was none. */
  readonly options: readonly string[] | undefined
}

/**
 * The held sets. For folders here, they are read from the folder, because an import may have held more sets since the
 * last update. For other folders, they are those of the record of the last update.
 */
function heldSets(folders: readonly string[], updates: readonly Updated[]): readonly HeldSets[] {
  const inFolders = folders.flatMap((folder) =>
    [...Map.groupBy(readHeld(folder), ({ source }) => source)].map(([source, sets]): HeldSets => {
      const update = updates.find((one) => one.source === source && one.folder === folder)
      return { source, folder, sets, options: update?.options }
    }),
  )
  const elsewhere = updates
    .filter(({ folder, held }) => held.length > 0 && (folder === undefined || !folders.includes(folder)))
    .map(({ source, folder, held, options }): HeldSets => ({ source, folder, sets: held, options }))
  return [...inFolders, ...elsewhere]
}

function heldFound({ source, folder, sets, options }: HeldSets): Found {
  const shown = sets.map((set) => `${acceptedName(set)} of ${source} (run ${set.runs}: ${set.figures})`)
  const names = sets.map(acceptedName).join(',')
  // The paths of an import that an operator ran are not recorded, so the advice can't show its command line.
  const isUpdated = options !== undefined
  const how = isUpdated ? `(${updateLine(source, folder, ...options, '--accept', names)})` : `with --accept ${names}`
  const advice = `look at their source; if it is right, take them as they are ${how}`
  return warn(`sets that keep earlier prices: ${shown.join('; ')}`, advice)
}

/** The time of each source's last import, from the file that an import writes for its source. */
async function importsIn(folder: string) {
  const kept = join(folder, importFolder, 'kept')
  const names = await readdir(kept).catch(() => [])
  return Promise.all(
    names.map(async (name) => ({
      folder,
      source: name.replace(/\.ndjson$/, ''),
      ms: (await stat(join(kept, name))).mtimeMs,
    })),
  )
}
