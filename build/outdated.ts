/** Compares the times of an index and its snapshots. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { publishedVersions } from '../src/indexes/publish/versions.ts'
import { isImportUnfinished } from './import/write/staging.ts'
import { aboutName, isLogoName } from './read/about.ts'

const folders = ['sets', 'cards', 'history']

/**
 * True if the index must be built again: a snapshot file or folder changed after the last publication, no version is
 * published, or an import must be finished.
 */
export async function isOutdated(indexDir: string, snapshots: string): Promise<boolean> {
  if (isImportUnfinished(snapshots)) return true
  const versions = await publishedVersions(indexDir).catch(() => [])
  const builtAt = versions[0]?.builtAt
  return builtAt === undefined || (await newestChange(snapshots)) > Date.parse(builtAt)
}

/**
 * The newest time of change of the snapshots' files and folders, in ms since 1970. It differs after one of them was
 * added, replaced or removed.
 */
export async function newestChange(snapshots: string): Promise<number> {
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const path = join(snapshots, folder)
      return [path, ...(await readdir(path).catch(() => [])).map((name) => join(path, name))]
    }),
  )
  const logos = (await readdir(snapshots).catch(() => [])).filter(isLogoName)
  // If about.json or a logo was removed, the time of the snapshot folder itself has changed.
  paths.push([snapshots, ...[aboutName, ...logos].map((name) => join(snapshots, name))])
  const times = await Promise.all(
    paths.flat().map((path) =>
      // A copied file may keep an old mtime, but gets a new ctime.
      stat(path).then(
        ({ mtimeMs, ctimeMs }) => Math.max(mtimeMs, ctimeMs),
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
