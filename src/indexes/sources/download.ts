/**
 * A version that is published behind an address comes to lie in INDEX_DIR, and becomes current there, as if a build had
 * published it.
 *
 *   manifest ─ format, names, the version's own name ─▶ its files ─┬─ a version here has the same bytes ─▶ linked ──┐
 *                                                                  └─ else fetched, two at a time, by parts ─▶ linked ┤
 *   current ◀─ rename ◀─ is it still the one that is named there? ◀─ all checksums fit ◀────── .staging-… ◀───────────┘
 *
 * Whoever is killed at any moment leaves what was served whole, and parts that the next try goes on with.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sum } from '../../checksum.ts'
import { manifestBytesMax } from '../../limits.ts'
import { checksumOfFile } from '../file-checksum.ts'
import { IndexError } from '../format.ts'
import { type Manifest, manifestIn, manifestName, readCurrent, readManifest } from '../manifest.ts'
import { inFolder } from '../publish/disk-errors.ts'
import { writeSynced } from '../publish/durable.ts'
import { lockBuilds } from '../publish/lock.ts'
import {
  linkOrCopy,
  makeCurrent,
  place,
  prune,
  publishedVersions,
  removeLeftovers,
  stagingOf,
  versionAsItWas,
  versionNameOf,
} from '../publish/versions.ts'
import { fetchFiles } from './fetch-files.ts'
import { fetchingName, Parts } from './partial-files.ts'
import type { WebFolder } from './web-folder.ts'

type File = Manifest['files'][number]

export interface Brought {
  /** Fetched, of the version's. */
  readonly files: number
  readonly bytes: number
}

export interface DownloadJob {
  readonly web: WebFolder
  readonly indexDir: string
  readonly version: string
  /** Whether it is still the version that is named there. */
  readonly isNamed: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Throws IndexError for what is wrong there, Error with one line if somebody else builds here or the disk refuses. */
export function download(errand: DownloadJob): Promise<Brought> {
  const { indexDir } = errand
  return inFolder(indexDir, versionAsItWas, async () => {
    await mkdir(indexDir, { recursive: true })
    const unlock = await lockBuilds(indexDir, 'build or fetch')
    try {
      return await downloadLocked(errand)
    } finally {
      await unlock()
    }
  })
}

async function downloadLocked(errand: DownloadJob): Promise<Brought> {
  const { indexDir, version, signal } = errand
  const isHere = await isWhole(indexDir, version, signal)
  const brought = isHere ? { files: 0, bytes: 0 } : await stage(errand)
  // What is current already is left alone: who follows it would take it for another one.
  if (!isHere || (await nameOfCurrent(indexDir)) !== version) await makeCurrent(indexDir, version)
  await prune(indexDir)
  await new Parts(indexDir).remove()
  return brought
}

/** True if it lies here with all its files, each with its checksum. */
async function isWhole(indexDir: string, version: string, signal: AbortSignal): Promise<boolean> {
  const manifest = await readManifest(indexDir, version).catch(unlessIndexError)
  if (manifest === undefined) return false
  for (const file of manifest.files) {
    signal.throwIfAborted()
    if (!(await holds(join(indexDir, version, file.name), file))) return false
  }
  return true
}

const nameOfCurrent = (indexDir: string) => readCurrent(indexDir).catch(unlessIndexError)

function unlessIndexError(error: unknown): undefined {
  if (!(error instanceof IndexError)) throw error
}

/** What the system says of a file that is to be fetched then: it is not there, or not to be read. */
const noFile: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EIO', 'ENXIO'])

async function holds(path: string, { bytes, sha256 }: Sum): Promise<boolean> {
  try {
    const sum = await checksumOfFile(path)
    return sum.bytes === bytes && sum.sha256 === sha256
  } catch (error) {
    if (error instanceof IndexError || noFile.has((error as NodeJS.ErrnoException).code)) return false
    throw error
  }
}

async function stage({ web, indexDir, version, isNamed, signal }: DownloadJob): Promise<Brought> {
  const { manifest, text } = await fetchManifest(web, version, signal)
  await removeLeftovers(indexDir, fetchingName)
  const parts = new Parts(indexDir)
  await parts.keepOnly(manifest.files)
  const staging = stagingOf(indexDir)
  try {
    await mkdir(staging)
    const missing = await linkHeld(indexDir, staging, manifest.files, signal)
    const wanted = [...new Map(missing.map((file) => [file.sha256, file])).values()]
    const bytes = await fetchFiles(web, version, wanted, parts, signal)
    if (!(await isNamed())) throw new IndexError(`${web.addressOf(version)} was replaced by another version meanwhile`)
    for (const file of missing) await linkOrCopy(parts.pathOf(file), join(staging, file.name))
    await writeSynced(join(staging, manifestName), [Buffer.from(text)])
    signal.throwIfAborted()
    await place(indexDir, staging, version)
    return { files: wanted.length, bytes }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function fetchManifest(web: WebFolder, version: string, signal: AbortSignal) {
  const path = `${version}/${manifestName}`
  const { text } = (await web.text(path, manifestBytesMax, signal))!
  const address = web.addressOf(path)
  const manifest = manifestIn(text, version, address)
  const names = new Set(manifest.files.map(({ name }) => name))
  if (names.size !== manifest.files.length) throw new IndexError(`${address} names a file twice`)
  if (versionNameOf(manifest.asOf, manifest.files) !== version) {
    throw new IndexError(`${address} is damaged: the version's name does not come from its files' checksums`)
  }
  return { manifest, text }
}

/** Those of which a version here holds the very bytes. Returns the others. */
async function linkHeld(
  indexDir: string,
  staging: string,
  files: readonly File[],
  signal: AbortSignal,
): Promise<File[]> {
  const held = new Map<string, string>()
  for (const { version, files: its } of await publishedVersions(indexDir)) {
    for (const { name, sha256 } of its) held.set(sha256, join(indexDir, version, name))
  }
  const missing: File[] = []
  for (const file of files) {
    signal.throwIfAborted()
    const path = held.get(file.sha256)
    if (path !== undefined && (await holds(path, file))) await linkOrCopy(path, join(staging, file.name))
    else missing.push(file)
  }
  return missing
}
