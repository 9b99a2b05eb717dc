/**
 * Versions on the disk. One is written beside the others, checked, and made current by a single rename:
 *
 *   .staging-…/            written here, each file and the folder synced
 *   <version>/             the folder renamed
 *   current                a text file that names the version, replaced by rename
 *
 * So whoever is killed at any moment leaves the served version whole; what was left lying is removed by the next.
 */
import { createHash } from 'node:crypto'
import { copyFile, link, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { versionsKeptMax } from '../../limits.ts'
import { compareTexts } from '../../text-order.ts'
import { loadVersion } from '../load.ts'
import { currentName, isVersionName, type Manifest, readAnyManifest, readCurrent, readManifest } from '../manifest.ts'
import type { VersionFiles } from '../version.ts'
import { replaceFile, syncFolder } from './durable.ts'

/** The last: a lock that earlier builders left, which no builder of now looks at. */
const leftover = /^\.(staging|removing|fetching)(-|$)|^\.lock$/

/** Removes what killed builds and fetches left, but for `kept`. Only for who holds the lock. */
export async function removeLeftovers(indexDir: string, kept?: string): Promise<void> {
  const names = await readdir(indexDir)
  await Promise.all(
    names
      .filter((name) => leftover.test(name) && name !== kept)
      .map((name) => rm(join(indexDir, name), { recursive: true, force: true })),
  )
}

/** What is so when anything of this fails before a version was made current. */
export const versionAsItWas = 'the served version is as it was'

/** Where a version is put together, by this process. */
export const stagingOf = (indexDir: string): string => join(indexDir, `.staging-${process.pid}`)

/** The name of the data: its date, and what the files' checksums come to. */
export function versionNameOf(asOf: string | null, files: Manifest['files']): string {
  const sum = createHash('sha256').update(files.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(''))
  return `${asOf ?? 'undated'}-${sum.digest('hex').slice(0, 12)}`
}

/** One file under two names where the file system has that, else a copy. */
export const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))

/** Moves a staged version, whose files are synced, to its place, in which nothing whole lies. */
export async function place(indexDir: string, staging: string, version: string): Promise<void> {
  await syncFolder(staging)
  await removeVersion(indexDir, version)
  await rename(staging, join(indexDir, version))
  await syncFolder(indexDir)
}

/** Makes a published version the one in use. Throws IndexError if it is not there whole. */
export async function switchTo(indexDir: string, version: string): Promise<VersionFiles> {
  const loaded = await loadVersion(indexDir, version)
  await makeCurrent(indexDir, version)
  return loaded
}

/** Only for a version that is there whole. */
export const makeCurrent = (indexDir: string, version: string): Promise<void> =>
  replaceFile(join(indexDir, currentName), Buffer.from(`${version}\n`))

/** The versions there are, the last published first. Damaged ones are left out, and those of another format. */
export async function publishedVersions(indexDir: string): Promise<Manifest[]> {
  return readAll((await readdir(indexDir)).filter(isVersionName), (name) => readManifest(indexDir, name))
}

/**
 * Removes of each format the versions past the last three, the current one apart: a server of an older release can read none
 * of the newer format.
 */
export async function prune(indexDir: string): Promise<void> {
  const current = await readCurrent(indexDir)
  const names = (await readdir(indexDir)).filter(isVersionName)
  const published = await readAll(names, (name) => readAnyManifest(indexDir, name).then((read) => ({ name, ...read })))
  const kept = published.filter(
    ({ format }, i) => published.slice(0, i).filter((later) => later.format === format).length < versionsKeptMax,
  )
  for (const name of names) {
    if (name !== current && !kept.some((version) => version.name === name)) await removeVersion(indexDir, name)
  }
}

/** All whose manifest can be read, the last published first. */
async function readAll<Known extends { readonly builtAt: string }>(
  names: readonly string[],
  read: (name: string) => Promise<Known>,
): Promise<Known[]> {
  const known = await Promise.all(names.map((name) => read(name).catch(() => undefined)))
  return known.filter((one) => one !== undefined).sort((a, b) => compareTexts(b.builtAt, a.builtAt))
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
