/**
 * Downloads a version from a web server to INDEX_DIR, and makes it current there, as a build would.
 *
 *   manifest    verify its format and names
 *   link        files that a local version has, into .staging-…
 *   download    the others to .fetching/, two at a time; verify each one's checksum
 *   ask         does the server still name this version?
 *   link        the downloaded files; then rename .staging-… to VERSION
 *   load, try   verify all files, then the trial; if it fails, remove VERSION
 *   current     names VERSION
 *
 * A crash at any moment leaves the served version complete, and files in .fetching/ that the next try resumes.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestBytesMax } from '../../limits.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { IndexError, unlessDamaged } from '../format.ts'
import { isWhole } from '../load.ts'
import { filesOf, manifestIn, manifestName, readCurrent, type VersionFile } from '../manifest.ts'
import { checksumOfFile, isSameSum, type Sum } from '../plain-file.ts'
import { inFolder, writeSynced } from '../publish/durable.ts'
import { lockBuilds } from '../publish/lock.ts'
import {
  linkOrCopy,
  makeCurrent,
  newStaging,
  place,
  prune,
  publishedVersions,
  removeRemains,
  removeVersion,
  versionAsItWas,
  versionNameOf,
} from '../publish/versions.ts'
import { fetchedPath, fetchFiles } from './fetch-files.ts'
import type { WebFolder } from './web-folder.ts'

const fetchingName = '.fetching'

export interface Downloaded {
  /** The number of downloaded files. Files that were present locally are not counted. */
  readonly files: number
  readonly bytes: number
}

/**
 * Loads and tries a version before it becomes current. Throws IndexError if the version is damaged or fails.
 * @param address the address for the message
 */
export type TryOut = (indexDir: string, version: string, address: string) => Promise<unknown>

export interface DownloadJob {
  readonly web: WebFolder
  readonly indexDir: string
  readonly version: string
  /** Resolves to true if the server still names this version. */
  readonly isNamed: () => Promise<boolean>
  readonly tryOut: TryOut
  readonly signal: AbortSignal
}

/**
 * Downloads the version and makes it current. Throws IndexError for errors of the server or its files, and a one-line
 * Error if another build runs or the disk fails.
 */
export function download(job: DownloadJob): Promise<Downloaded> {
  const { indexDir } = job
  return inFolder(indexDir, versionAsItWas, async () => {
    makeFolder(indexDir)
    const unlock = await lockBuilds(indexDir, 'build or fetch')
    try {
      return await downloadLocked(job)
    } finally {
      unlock()
    }
  })
}

async function downloadLocked(job: DownloadJob): Promise<Downloaded> {
  const { indexDir, version } = job
  const isPresent = await isWhole(indexDir, version)
  const downloaded = isPresent ? { files: 0, bytes: 0 } : await stage(job)
  // `current` is not rewritten with the same version, because its followers would load the version again.
  if (!isPresent || (await unlessDamaged(readCurrent(indexDir))) !== version) {
    try {
      await job.tryOut(indexDir, version, job.web.addressOf(version))
    } catch (error) {
      // The downloaded files stay in .fetching/ for the next try.
      if (!isPresent) await removeVersion(indexDir, version)
      throw error
    }
    await makeCurrent(indexDir, version)
  }
  await prune(indexDir)
  await rm(join(indexDir, fetchingName), { recursive: true, force: true })
  return downloaded
}

/** True if the file has the checksum. False for a missing or unreadable file, which is then downloaded. */
const holds = (path: string, expected: Sum): Promise<boolean> =>
  checksumOfFile(path).then(
    (sum) => isSameSum(sum, expected),
    () => false,
  )

async function stage({ web, indexDir, version, isNamed, signal }: DownloadJob): Promise<Downloaded> {
  const { manifest, text } = await fetchManifest(web, version, signal)
  await removeRemains(indexDir, fetchingName)
  const fetching = join(indexDir, fetchingName)
  const staging = newStaging(indexDir)
  try {
    await mkdir(staging)
    const missing = await linkLocal(indexDir, staging, filesOf(manifest))
    const wanted = new Map(missing.map((file) => [file.sha256, file]))
    await keepOnly(fetching, wanted)
    const bytes = await fetchFiles({ web, version, files: [...wanted.values()], folder: fetching, signal })
    if (!(await isNamed())) throw new IndexError(`${web.addressOf(version)} was replaced by another version meanwhile`)
    for (const file of missing) await linkOrCopy(fetchedPath(fetching, file), join(staging, file.name))
    await writeSynced(join(staging, manifestName), [Buffer.from(text)])
    await place(indexDir, staging, version)
    return { files: wanted.size, bytes }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Makes the folder if it is missing, and removes files of other versions from it. */
async function keepOnly(fetching: string, wanted: ReadonlyMap<string, VersionFile>): Promise<void> {
  await mkdir(fetching, { recursive: true })
  for (const entry of await readdir(fetching, { withFileTypes: true })) {
    if (entry.isFile() && wanted.has(entry.name)) continue
    await rm(join(fetching, entry.name), { recursive: true, force: true })
  }
}

async function fetchManifest(web: WebFolder, version: string, signal: AbortSignal) {
  const path = `${version}/${manifestName}`
  const { text } = (await web.text(path, manifestBytesMax, signal))!
  const address = web.addressOf(path)
  const manifest = manifestIn(text, version, address)
  if (versionNameOf(manifest.asOf, manifest.files) !== version) {
    throw new IndexError(`${address} is damaged: the version's name does not come from its files' checksums`)
  }
  return { manifest, text }
}

/** Links the files that a local version has. Returns the others. */
async function linkLocal(indexDir: string, staging: string, files: readonly VersionFile[]): Promise<VersionFile[]> {
  const local = new Map<string, string>()
  for (const manifest of await publishedVersions(indexDir)) {
    for (const { name, sha256 } of filesOf(manifest)) local.set(sha256, join(indexDir, manifest.version, name))
  }
  const missing: VersionFile[] = []
  for (const file of files) {
    const path = local.get(file.sha256)
    if (path !== undefined && (await holds(path, file))) await linkOrCopy(path, join(staging, file.name))
    else missing.push(file)
  }
  return missing
}
