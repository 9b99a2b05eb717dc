/** Whether an index is older than its snapshots. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { publishedVersions } from '../src/indexes/publish/versions.ts'
import { isBeingPlaced } from './import/write/place.ts'
import { aboutName, isLogoName } from './read/about.ts'

const folders = ['sets', 'cards', 'history']

/** True if a snapshot file or folder was changed after the last version was published, none was, or the build has an import to finish. */
export async function isOlder(indexDir: string, snapshots: string): Promise<boolean> {
  if (isBeingPlaced(snapshots)) return true
  const versions = await publishedVersions(indexDir).catch(() => [])
  const builtAt = versions[0]?.builtAt
  return builtAt === undefined || (await newestChange(snapshots)) > Date.parse(builtAt)
}

async function newestChange(snapshots: string): Promise<number> {
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const path = join(snapshots, folder)
      return [path, ...(await readdir(path).catch(() => [])).map((name) => join(path, name))]
    }),
  )
  const logos = (await readdir(snapshots).catch(() => [])).filter(isLogoName)
  // The folder itself tells that one of them was removed.
  paths.push([snapshots, ...[aboutName, ...logos].map((name) => join(snapshots, name))])
  const times = await Promise.all(
    paths.flat().map((path) =>
      // A copy can bring an old time of change along, but not the time at which it came.
      stat(path).then(
        ({ mtimeMs, ctimeMs }) => Math.max(mtimeMs, ctimeMs),
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
