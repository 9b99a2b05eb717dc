/**
 * Loads a version from `indexes/<version>/` into memory that all threads share. It verifies each file's checksum, and the
 * contents unless a verification record has them.
 */
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Checksum, type Sum } from '../checksum.ts'
import { checkLists, checkRecords } from './checks/check.ts'
import { isVerified, recordVerified } from './checks/verification-record.ts'
import { IndexError } from './format.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { openPlain } from './plain-file.ts'
import type { VersionFiles } from './version.ts'

/** Bytes of a read; hashing them takes 2 ms. */
const sliceBytes = 4 * 1024 * 1024

export interface LoadingVersion {
  /** May be opened, but not served yet. */
  readonly version: VersionFiles
  /** Resolves when everything is verified. Rejects with an IndexError. */
  readonly verified: Promise<void>
}

/**
 * Throws IndexError, with the absolute path of the file, if the version is incomplete, damaged, of an unknown format, or
 * unreadable.
 */
export async function loadVersion(indexDir: string, version: string): Promise<VersionFiles> {
  const loading = await startLoading(indexDir, version)
  await loading.verified
  return loading.version
}

/** The same without waiting for the check of records, which takes half a second for 100,000 cards. */
export async function startLoading(indexDir: string, version: string): Promise<LoadingVersion> {
  const manifest = await readManifest(indexDir, version)
  const folder = resolve(indexDir, version)
  const [checked, files] = await Promise.all([
    isVerified(folder, manifest),
    Promise.all(
      manifest.files.map(async (file) => [file.name, await readShared(resolve(folder, file.name), file)] as const),
    ),
  ])
  const read: VersionFiles = { manifest, files: new Map(files) }
  if (checked) return { version: read, verified: Promise.resolve() }
  await checkLists(read, folder)
  const verified = checkRecords(read, folder).then(() => recordVerified(folder, manifest))
  // An unobserved rejection must not end the process.
  verified.catch(() => undefined)
  return { version: read, verified }
}

/**
 * Loads one file. Throws IndexError if the version has none of that name, or as `loadVersion`.
 * @param room memory of the file's size; by default new shared memory
 */
export async function readFileOf(
  indexDir: string,
  { version, files }: Manifest,
  name: string,
  room?: Uint8Array,
): Promise<Uint8Array> {
  const file = files.find((file) => file.name === name)
  if (file === undefined) throw new IndexError(`version ${version} lacks ${name}`)
  return readShared(resolve(indexDir, version, name), file, room)
}

async function readShared(path: string, { bytes, sha256 }: Sum, room?: Uint8Array): Promise<Uint8Array> {
  try {
    const handle = await openPlain(path)
    try {
      const { size } = await handle.stat()
      if (size !== bytes) {
        throw new IndexError(`${path} has ${size} bytes, its manifest says ${bytes}: is it still being copied?`)
      }
      const content = room ?? new Uint8Array(new SharedArrayBuffer(bytes))
      if ((await fill(content, handle, path)) !== sha256) throw new IndexError(`${path} has a wrong checksum`)
      return content
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof IndexError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new IndexError(`${path} is not there: is it still being copied?`)
    // An error of the system (EMFILE, EIO), or out of memory.
    throw new IndexError(`${path} can't be read (${code ?? message})`)
  }
}

/** Reads a slice while the one before it is hashed. Returns the SHA-256. */
async function fill(content: Uint8Array, handle: FileHandle, path: string): Promise<string> {
  const sum = new Checksum()
  const read = (at: number) => handle.read(content, at, Math.min(sliceBytes, content.length - at), at)
  let ahead: ReturnType<typeof read> | undefined
  for (let at = 0; at < content.length; ) {
    const { bytesRead } = await (ahead ?? read(at))
    if (bytesRead === 0) throw new IndexError(`${path} ended early`)
    const slice = content.subarray(at, at + bytesRead)
    at += bytesRead
    ahead = at < content.length ? read(at) : undefined
    sum.add(slice)
  }
  return sum.end().sha256
}
