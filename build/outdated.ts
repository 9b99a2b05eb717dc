/** Compares the content of a snapshot folder with the version that was published last. */
import { existsSync } from 'node:fs'
import { publishedVersions } from '../src/indexes/publish/versions.ts'
import { readKnownContent } from './compile/base.ts'
import { isImportUnfinished } from './import/write/staging.ts'
import { contentOf } from './snapshot-content.ts'

/**
 * True if the index must be built: no version is published, the last published one was built from other content, or an
 * import must be finished. A rollback does not change which version was published last. So after a rollback,
 * the same snapshot is not built again.
 */
export async function isOutdated(indexDir: string, snapshots: string): Promise<boolean> {
  if (isImportUnfinished(snapshots)) return true
  const [last] = await publishedVersions(indexDir).catch(() => [])
  if (last === undefined) return true
  if (!existsSync(snapshots)) return false
  const { fingerprint } = await contentOf(snapshots, await readKnownContent(indexDir))
  return fingerprint !== last.snapshot?.sha256
}
