/**
 * Versions on the disk. A new version is staged, verified, and made current by a single rename:
 *
 *   .staging-…/            files are written here and synced
 *   <version>/             the folder, renamed
 *   current                a text file that names the version, replaced by rename
 *
 * So a crash at any moment leaves the served version complete, and the next build removes the remains.
 */
import { createHash, randomBytes } from 'node:crypto'
import { copyFile, link, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { compareTexts } from '../../text-order.ts'
import { currentName, isVersionName, type Manifest, readAnyManifest, readCurrent, readManifest } from '../manifest.ts'
import { replaceFile, sync } from './durable.ts'

const versionsKeptMax = 3

/** Names of what crashed builds and downloads leave. Only older releases leave `.removing…` and `.lock…`. */
const leftover = /^\.(staging|removing|fetching)(-|$)|^\.lock(-\d.*)?$/

/** Removes remains of crashed builds and downloads, except `kept`. The caller must have the lock. */
export async function removeRemains(indexDir: string, kept?: string): Promise<void> {
  for (const name of await readdir(indexDir)) {
    if (leftover.test(name) && name !== kept) await rm(join(indexDir, name), { recursive: true, force: true })
  }
}

/** The end of messages about failures before a version became current. */
export const versionAsItWas = 'the served version is as it was'

/** The path of a new staging folder. Its random name differs from those of all processes, even in other containers. */
export const newStaging = (parent: string): string => join(parent, `.staging-${randomBytes(6).toString('hex')}`)

/** The version's name: the date of the data, and a checksum over the files' checksums. */
export function versionNameOf(asOf: string | null, files: Manifest['files']): string {
  const sum = createHash('sha256').update(files.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(''))
  return `${asOf ?? 'undated'}-${sum.digest('hex').slice(0, 12)}`
}

/** Links the file if the file system can, else copies it. */
export const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))

/** Moves a staged version, whose files are synced, to its place. Replaces an incomplete version there. */
export async function place(indexDir: string, staging: string, version: string): Promise<void> {
  await sync(staging)
  await removeVersion(indexDir, version)
  await rename(staging, join(indexDir, version))
  await sync(indexDir)
}

/** Makes the version current. The caller must have verified it. */
export const makeCurrent = (indexDir: string, version: string): Promise<void> =>
  replaceFile(join(indexDir, currentName), Buffer.from(`${version}\n`))

/** All versions that this release can read, the last published first. */
export async function publishedVersions(indexDir: string): Promise<Manifest[]> {
  return readAll((await readdir(indexDir)).filter(isVersionName), (name) => readManifest(indexDir, name))
}

/**
 * Removes all versions except the current one and the last three of each format. An older release can't read a newer
 * format, so it needs versions of its own.
 */
export async function prune(indexDir: string): Promise<void> {
  const current = await readCurrent(indexDir)
  const names = (await readdir(indexDir)).filter(isVersionName)
  const published = await readAll(names, (name) => namedManifest(indexDir, name))
  const kept = published.filter(
    ({ format }, i) => published.slice(0, i).filter((later) => later.format === format).length < versionsKeptMax,
  )
  for (const name of names) {
    if (name !== current && !kept.some((version) => version.name === name)) await removeVersion(indexDir, name)
  }
}

/** The sequence number of the next version. It is above those of all versions, including other formats. */
export async function nextSequence(indexDir: string): Promise<number> {
  const names = (await readdir(indexDir)).filter(isVersionName)
  const [last] = await readAll(names, (name) => namedManifest(indexDir, name))
  return (last?.sequence ?? 0) + 1
}

const namedManifest = async (indexDir: string, name: string) => ({ name, ...(await readAnyManifest(indexDir, name)) })

/**
 * All versions with a readable manifest, the last published first. They are sorted by sequence number, because a clock
 * may have been wrong. Versions of older releases have no number and are sorted by `builtAt`.
 */
async function readAll<Known extends Pick<Manifest, 'builtAt' | 'sequence'>>(
  names: readonly string[],
  read: (name: string) => Promise<Known>,
): Promise<Known[]> {
  const known = await Promise.all(names.map((name) => read(name).catch(() => undefined)))
  return known
    .filter((one) => one !== undefined)
    .sort((a, b) => b.sequence - a.sequence || compareTexts(b.builtAt, a.builtAt))
}

/** Renames the folder first, so that no half-removed folder counts as a version. */
export async function removeVersion(indexDir: string, version: string): Promise<void> {
  const removing = newStaging(indexDir)
  try {
    await rename(join(indexDir, version), removing)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await rm(removing, { recursive: true, force: true })
}
