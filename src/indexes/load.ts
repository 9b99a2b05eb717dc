/** From `indexes/<version>/` to memory that every thread can share: each file by the manifest, then all it holds. */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { checksumOf } from '../checksum.ts'
import { checkLists, checkRecords } from './check.ts'
import { IndexError } from './format.ts'
import { readManifest } from './manifest.ts'
import type { VersionFiles } from './version.ts'

/** So much is read and hashed between two turns of the event loop. */
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
  const loaded = await Promise.all(
    manifest.files.map(async ({ name, bytes, sha256 }) => {
      const path = resolve(folder, name)
      const content = await readShared(path, bytes)
      if ((await checksumOf(slicesOf(content))).sha256 !== sha256) throw new IndexError(`${path} has a wrong checksum`)
      return [name, content] as const
    }),
  )
  const read: VersionFiles = { manifest, files: new Map(loaded) }
  await checkLists(read, folder)
  const whole = checkRecords(read, folder)
  // Whoever never asks must not end the process.
  whole.catch(() => undefined)
  return { version: read, whole }
}

async function readShared(path: string, bytes: number): Promise<Uint8Array> {
  try {
    const handle = await open(path)
    try {
      const { size } = await handle.stat()
      if (size !== bytes) {
        throw new IndexError(`${path} has ${size} bytes, its manifest says ${bytes}: is it still being copied?`)
      }
      const content = new Uint8Array(new SharedArrayBuffer(bytes))
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await handle.read(content, at, Math.min(sliceBytes, bytes - at), at)
        if (bytesRead === 0) throw new IndexError(`${path} ended early`)
        at += bytesRead
      }
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

async function* slicesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += sliceBytes) {
    yield content.subarray(at, at + sliceBytes)
    await new Promise(setImmediate)
  }
}
