/** Examines the data: INDEX_DIR, the last build, fetch and import. */
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readFetchState } from '../../../build/fetch-state.ts'
import { importFolder } from '../../../build/import/write/folder.ts'
import { readHeld } from '../../../build/import/write/held.ts'
import { isImportUnfinished } from '../../../build/import/write/staging.ts'
import { IndexError } from '../../indexes/format.ts'
import { verifyVersion } from '../../indexes/load.ts'
import { emptyMessageOf, readCurrent, readManifest } from '../../indexes/manifest.ts'
import { publishedVersions } from '../../indexes/publish/versions.ts'
import { readLastUpdates } from '../../last-updates.ts'
import { ago, bad, freshMsMax, type Look, ok, warn } from './finding.ts'

export const lookAtIndex: Look = async ({ INDEX_DIR, INDEX_URL }) => {
  const folder = resolve(INDEX_DIR)
  try {
    const current = await readCurrent(folder)
    if (current !== undefined) {
      const { version, asOf, builtAt, files } = await readManifest(folder, current)
      await verifyVersion(folder, version)
      const dates = `as of ${asOf ?? 'an unknown day'}, built ${ago(Date.parse(builtAt))}`
      return ok(`version ${version}, ${dates}; the checksums of all ${files.length} files are right`)
    }
  } catch (error) {
    if (!(error instanceof IndexError)) throw error
    return bad(error.message, 'make another version current (card-prices rollback) or build one (card-prices build)')
  }
  const nothing = emptyMessageOf(folder)
  if (INDEX_URL !== undefined) return warn(nothing, 'a running server downloads one from INDEX_URL')
  return bad(nothing, 'build one (card-prices build), or correct INDEX_DIR')
}

export const lookAtBuild: Look = async ({ INDEX_DIR }) => {
  const versions = await publishedVersions(INDEX_DIR).catch(() => [])
  const [last] = versions
  const again = 'build a new one (card-prices build)'
  if (last === undefined) return warn('there is no version that this release can read', again)
  const builtMs = Date.parse(last.builtAt)
  const found = `the last one ${ago(builtMs)} (${last.builtAt}); versions kept: ${versions.length}`
  return Date.now() - builtMs > freshMsMax ? warn(found, again) : ok(found)
}

/** The usual folders of snapshots. */
const snapshotFolders = ['snapshots', 'prices']

export const lookAtFetch: Look = async () => {
  const mirrors = (await Promise.all(snapshotFolders.map(mirrorsIn))).flat()
  if (mirrors.length === 0) return ok(`none into ${snapshotFolders.join(' or ')} here`)
  const unfinished = mirrors.filter(({ isComplete }) => !isComplete).map(({ folder }) => folder)
  if (unfinished.length > 0) {
    return warn(`${unfinished.join(', ')} is unfinished`, 'the next card-prices update continues it')
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
    return [{ folder: join(folder, name), source, isComplete: state.state === 'whole', ms: Date.parse(`${askedAt}`) }]
  })
}

export const lookAtImport: Look = async () => {
  const unfinished = snapshotFolders.find(isImportUnfinished)
  if (unfinished !== undefined) {
    const found = `one into ${unfinished} is being put in place, or was cut short`
    return warn(found, 'the next import or build finishes it')
  }
  const updates = snapshotFolders.flatMap((folder) => Object.entries(readLastUpdates(folder)))
  const [failed] = updates.filter(([, { success }]) => !success)
  if (failed !== undefined) {
    const [source, { error, endedAt }] = failed
    const found = `the last update of ${source} failed ${ago(Date.parse(endedAt))}: ${error}`
    return warn(found, 'fix that and run card-prices update again')
  }
  const held = snapshotFolders
    .flatMap(readHeld)
    .map(({ source, game, code, runs, figures }) => `${game}/${code} of ${source} (run ${runs}: ${figures})`)
  if (held.length > 0) {
    const advice = 'look at their source; card-prices update SOURCE --accept SET,… takes them as they are'
    return warn(`sets that keep earlier prices: ${held.join('; ')}`, advice)
  }
  const imports = (await Promise.all(snapshotFolders.map(importsIn))).flat().sort((a, b) => b.ms - a.ms)
  const [last] = imports
  if (last === undefined) return ok(`none in ${snapshotFolders.join(' or ')} here`)
  return ok(`the last one ${ago(last.ms)}, of ${last.source} into ${last.folder}`)
}

/** An import leaves a file for each source. */
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
