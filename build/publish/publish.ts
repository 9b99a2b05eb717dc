/**
 * Versions on the disk. One is written beside the others, checked, and made current by a single rename:
 *
 *   .staging-…/            written here, each file and the folder synced, then read back and checked
 *   <version>/             the folder renamed
 *   current                a text file that names the version, replaced by rename
 *
 * So a build that is killed at any moment leaves the served version whole; what it left lying is removed by the next.
 */
import { createHash } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Checksum, type Sum } from '../../src/checksum.ts'
import { formatVersion, IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import {
  currentName,
  isVersionName,
  type Manifest,
  manifestName,
  readCurrent,
  readManifest,
} from '../../src/indexes/manifest.ts'
import type { VersionFiles } from '../../src/indexes/version.ts'
import { versionsKeptMax } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'

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

/** The last: a lock that earlier builders left, which no builder of now looks at. */
const leftover = /^\.(staging|removing)-|^\.lock$/

/** Removes what killed builds left. Only for who holds the lock. */
export async function removeLeftovers(indexDir: string): Promise<void> {
  const names = await readdir(indexDir)
  await Promise.all(
    names
      .filter((name) => leftover.test(name))
      .map((name) => rm(join(indexDir, name), { recursive: true, force: true })),
  )
}

/** What is so when anything of this fails before a version was made current. */
export const versionAsItWas = 'the served version is as it was'

/** A version that is written, but not published. */
export interface Staged {
  readonly folder: string
  readonly manifest: Manifest
}

/** Writes the version beside the others. Whatever fails, `removeStaged` is to be called in the end. */
export async function stage(indexDir: string, { asOf, counts, catalogSource, ...rest }: Publication): Promise<Staged> {
  const folder = stagingIn(indexDir)
  await mkdir(folder)
  const put = await Promise.allSettled(
    Array.from(rest.files, async ([name, source]) => ({ name, ...(await putFile(folder, name, source)) })),
  )
  const files: Manifest['files'] = put.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
  const version = versionOf(asOf, files)
  const builtAt = new Date().toISOString()
  const manifest: Manifest = { format: formatVersion, version, asOf, builtAt, counts, catalogSource, files }
  await writeSynced(join(folder, manifestName), [manifestText(manifest)])
  await syncFolder(folder)
  return { folder, manifest }
}

/** Checks what was written, and makes it current. */
export async function publish(indexDir: string, { folder, manifest }: Staged): Promise<void> {
  await settle(indexDir, folder, manifest)
  await makeCurrent(indexDir, manifest.version)
}

const stagingIn = (indexDir: string) => join(indexDir, `.staging-${process.pid}`)

export const removeStaged = (indexDir: string): Promise<void> =>
  rm(stagingIn(indexDir), { recursive: true, force: true })

/** The name of the data: its date, and what the files' checksums come to. */
function versionOf(asOf: string | null, files: Manifest['files']): string {
  const sum = createHash('sha256').update(files.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(''))
  return `${asOf ?? 'undated'}-${sum.digest('hex').slice(0, 12)}`
}

const manifestText = (manifest: Manifest) => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

async function putFile(folder: string, name: string, source: FileSource): Promise<Sum> {
  const path = join(folder, name)
  if ('pieces' in source) return writeSynced(path, source.pieces)
  await link(source.from, path).catch(() => copyFile(source.from, path))
  return { bytes: source.bytes, sha256: source.sha256 }
}

async function writeSynced(path: string, pieces: Iterable<Uint8Array>): Promise<Sum> {
  const sum = new Checksum()
  const handle = await open(path, 'w')
  try {
    for (const piece of pieces) {
      sum.add(piece)
      for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return sum.end()
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
  await removeVersion(indexDir, version)
  await rename(staging, join(indexDir, version))
  await syncFolder(indexDir)
  await loadVersion(indexDir, version)
}

/** Makes a published version the one in use. Throws IndexError if it is not there whole. */
export async function switchTo(indexDir: string, version: string): Promise<VersionFiles> {
  const loaded = await loadVersion(indexDir, version)
  await makeCurrent(indexDir, version)
  return loaded
}

const makeCurrent = (indexDir: string, version: string) =>
  replaceFile(join(indexDir, currentName), Buffer.from(`${version}\n`))

/** Replaces a file in one step: at any moment it has its old content or the new one. */
export async function replaceFile(path: string, content: Buffer): Promise<void> {
  const beside = join(dirname(path), `.staging-${basename(path)}`)
  try {
    await writeSynced(beside, [content])
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The versions there are, the last published first. Damaged ones are left out. */
export async function publishedVersions(indexDir: string): Promise<Manifest[]> {
  const names = (await readdir(indexDir)).filter(isVersionName)
  const manifests = await Promise.all(names.map((name) => readManifest(indexDir, name).catch(() => undefined)))
  return manifests.filter((manifest) => manifest !== undefined).sort((a, b) => compareTexts(b.builtAt, a.builtAt))
}

/** Removes the versions past the last three, the current one apart. */
export async function prune(indexDir: string): Promise<void> {
  const current = await readCurrent(indexDir)
  const kept = new Set((await publishedVersions(indexDir)).slice(0, versionsKeptMax).map(({ version }) => version))
  for (const name of (await readdir(indexDir)).filter(isVersionName)) {
    if (name !== current && !kept.has(name)) await removeVersion(indexDir, name)
  }
}

/** Out of sight first, so that no half-removed folder passes for a version. */
async function removeVersion(indexDir: string, version: string): Promise<void> {
  const removing = join(indexDir, `.removing-${version}`)
  await rm(removing, { recursive: true, force: true })
  try {
    await rename(join(indexDir, version), removing)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await rm(removing, { recursive: true, force: true })
}
