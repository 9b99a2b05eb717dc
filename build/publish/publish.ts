/** What was compiled becomes a version: staged, checked, made current, as `src/indexes/publish/versions.ts` draws it. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sum } from '../../src/checksum.ts'
import { formatVersion, IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { type Manifest, manifestName } from '../../src/indexes/manifest.ts'
import { replaceFile, syncFolder, writeSynced } from '../../src/indexes/publish/durable.ts'
import { linkOrCopy, makeCurrent, place, stagingOf, versionNameOf } from '../../src/indexes/publish/versions.ts'

/** A file of a version to be: its pieces, or the file of an older version that holds the very same bytes. */
export type FileSource = { readonly pieces: readonly Uint8Array[] } | (Sum & { readonly from: string })

interface Publication {
  readonly asOf: string | null
  readonly counts: Manifest['counts']
  readonly catalogSource: string
  readonly files: ReadonlyMap<string, FileSource>
}

/** Writes the version, checks it, makes it current. Returns its manifest. */
export async function publish(indexDir: string, publication: Publication): Promise<Manifest> {
  const staging = stagingOf(indexDir)
  try {
    await mkdir(staging)
    const files: Manifest['files'] = []
    for (const [name, source] of publication.files) files.push({ name, ...(await putFile(staging, name, source)) })
    const { asOf, counts, catalogSource } = publication
    const version = versionNameOf(asOf, files)
    const builtAt = new Date().toISOString()
    const manifest: Manifest = { format: formatVersion, version, asOf, builtAt, counts, catalogSource, files }
    await writeSynced(join(staging, manifestName), [manifestText(manifest)])
    await syncFolder(staging)
    await settle(indexDir, staging, manifest)
    await makeCurrent(indexDir, version)
    return manifest
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

const manifestText = (manifest: Manifest) => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

async function putFile(folder: string, name: string, source: FileSource): Promise<Sum> {
  const path = join(folder, name)
  if ('pieces' in source) return writeSynced(path, source.pieces)
  await linkOrCopy(source.from, path)
  return { bytes: source.bytes, sha256: source.sha256 }
}

/** Moves a staged version to its place, unless it lies there whole already: then only its time is brought up to date. */
async function settle(indexDir: string, staging: string, manifest: Manifest): Promise<void> {
  const { version } = manifest
  const staged = await loadVersion(indexDir, version).catch((error: unknown) => {
    if (error instanceof IndexError) return undefined
    throw error
  })
  if (staged !== undefined) {
    await replaceFile(join(indexDir, version, manifestName), manifestText(manifest))
    return
  }
  await place(indexDir, staging, version)
  await loadVersion(indexDir, version)
}
