/** What was compiled becomes a version: staged, checked, made current, as `src/indexes/publish/versions.ts` draws it. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sum } from '../../src/checksum.ts'
import { formatVersion, IndexError } from '../../src/indexes/format.ts'
import { type Manifest, manifestName } from '../../src/indexes/manifest.ts'
import { replaceFile, syncFolder, writeSynced } from '../../src/indexes/publish/durable.ts'
import { linkOrCopy, makeCurrent, place, stagingOf, versionNameOf } from '../../src/indexes/publish/versions.ts'
import type { Crew } from '../crew/crew.ts'
import { checkVersion } from './check.ts'

/**
 * A file of a version to be: its pieces, each good until the next one is taken, or the file of an older version that holds
 * the very same bytes.
 */
export type FileSource = { readonly pieces: Iterable<Uint8Array> } | (Sum & { readonly from: string })

interface Publication {
  readonly asOf: string | null
  readonly counts: Manifest['counts']
  readonly catalogSource: string
  readonly files: ReadonlyMap<string, FileSource>
}

/** A version that is written, but not published. */
export interface Staged {
  readonly folder: string
  readonly manifest: Manifest
}

/** Writes the version beside the others. Whatever fails, `removeStaged` is to be called in the end. */
export async function stage(indexDir: string, { asOf, counts, catalogSource, ...rest }: Publication): Promise<Staged> {
  const folder = stagingOf(indexDir)
  await mkdir(folder)
  const put = await Promise.allSettled(
    Array.from(rest.files, async ([name, source]) => ({ name, ...(await putFile(folder, name, source)) })),
  )
  const files: Manifest['files'] = put.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
  const version = versionNameOf(asOf, files)
  const builtAt = new Date().toISOString()
  const manifest: Manifest = { format: formatVersion, version, asOf, builtAt, counts, catalogSource, files }
  await writeSynced(join(folder, manifestName), [manifestText(manifest)])
  await syncFolder(folder)
  return { folder, manifest }
}

/** Checks what was written, and makes it current. */
export async function publish(indexDir: string, { folder, manifest }: Staged, crew: Crew): Promise<void> {
  await settle(indexDir, folder, manifest, crew)
  await makeCurrent(indexDir, manifest.version)
}

export const removeStaged = (indexDir: string): Promise<void> =>
  rm(stagingOf(indexDir), { recursive: true, force: true })

const manifestText = (manifest: Manifest) => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

async function putFile(folder: string, name: string, source: FileSource): Promise<Sum> {
  const path = join(folder, name)
  if ('pieces' in source) return writeSynced(path, source.pieces)
  await linkOrCopy(source.from, path)
  return { bytes: source.bytes, sha256: source.sha256 }
}

/** Moves a staged version to its place, unless it lies there whole already: then only its time is brought up to date. */
async function settle(indexDir: string, staging: string, manifest: Manifest, crew: Crew): Promise<void> {
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
