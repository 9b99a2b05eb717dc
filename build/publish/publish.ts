/** What was compiled becomes a version: staged, checked, made current, as `src/indexes/publish/versions.ts` draws it. */
import { join } from 'node:path'
import { IndexError } from '../../src/indexes/format.ts'
import { type Manifest, manifestName } from '../../src/indexes/manifest.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { makeCurrent, place } from '../../src/indexes/publish/versions.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { checkVersion } from './check.ts'
import { manifestText, type Staged } from './staging.ts'

/** Checks what was written, and makes it current. */
export async function publish(indexDir: string, { folder, manifest }: Staged, crew: WorkerPool): Promise<void> {
  await settle(indexDir, folder, manifest, crew)
  await makeCurrent(indexDir, manifest.version)
}

/** Moves a staged version to its place, unless it lies there whole already: then only its time is brought up to date. */
async function settle(indexDir: string, staging: string, manifest: Manifest, crew: WorkerPool): Promise<void> {
  const { version } = manifest
  const isThere = await checkVersion(indexDir, version, crew).then(
    () => true,
    (error: unknown) => {
      if (error instanceof IndexError) return false
      throw error
    },
  )
  if (isThere) {
    await replaceFile(join(indexDir, version, manifestName), manifestText(manifest))
    return
  }
  await place(indexDir, staging, version)
  await checkVersion(indexDir, version, crew)
}
