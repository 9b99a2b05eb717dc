/**
 * From `indexes/<version>/` to memory that every thread can share: each file by the manifest, then all it holds, unless
 * these very bytes were checked before.
 */
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Checksum, type Sum } from '../checksum.ts'
import { checkLists, checkRecords } from './check.ts'
import { IndexError } from './format.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { openPlain } from './plain-file.ts'
import { isVerified, recordVerified } from './verification-record.ts'
import type { VersionFiles } from './version.ts'

/** So much is read at a time, and hashed between two turns of the event loop, in 2 ms. */
const sliceBytes = 4 * 1024 * 1024

export interface LoadingVersion {
  /** What can be opened already, but not answered from. */
  readonly version: VersionFiles
  /** Resolves when all of it is checked. Rejects with an IndexError. */
  readonly whole: Promise<void>
}

/**
 * Throws IndexError, with the absolute path of what is wrong, if the version is incomplete, damaged, of an unknown
 * format, or can't be read at this moment.
 */
export async function loadVersion(indexDir: string, version: string): Promise<VersionFiles> {
  const loading = await startLoading(indexDir, version)
  await loading.whole
  return loading.version
}

/** The same for those who can use the time that the check of records takes: half a second for 100,000 cards. */
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
  if (checked) return { version: read, whole: Promise.resolve() }
  await checkLists(read, folder)
  const whole = checkRecords(read, folder).then(() => recordVerified(folder, manifest))
  // Whoever never asks must not end the process.
  whole.catch(() => undefined)
  return { version: read, whole }
}

/**
 * One of its files alone. Throws IndexError if the version has none of that name, or as `loadVersion`.
 * @param room of the file's size, else shared memory is found for it
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
    // The system's own (EMFILE, EIO), or no memory for it.
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
