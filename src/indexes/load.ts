/** From `indexes/<version>/` to memory that every thread can share, each file checked against the manifest. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { IndexError } from './format.ts'
import { type Manifest, readManifest } from './manifest.ts'

/** A version in shared memory; it can be handed to other threads as it is. */
export interface VersionFiles {
  readonly manifest: Manifest
  /** Each file's bytes over a SharedArrayBuffer, by its name. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** So much is read and hashed between two turns of the event loop. */
const sliceBytes = 4 * 1024 * 1024

/** Throws IndexError if the version is incomplete, damaged, or of an unknown format. */
export async function loadVersion(indexDir: string, version: string): Promise<VersionFiles> {
  const manifest = await readManifest(indexDir, version)
  const loaded = await Promise.all(
    manifest.files.map(async ({ name, bytes, sha256 }) => {
      const content = await readShared(join(indexDir, version, name), bytes)
      if ((await sha256Of(content)) !== sha256) throw new IndexError(`${version}/${name} has a wrong checksum`)
      return [name, content] as const
    }),
  )
  return { manifest, files: new Map(loaded) }
}

async function readShared(path: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new IndexError(`${shortName(path)} can't be opened (${error.code})`)
  })
  try {
    const { size } = await handle.stat()
    if (size !== bytes) throw new IndexError(`${shortName(path)} has ${size} bytes, its manifest says ${bytes}`)
    const content = new Uint8Array(new SharedArrayBuffer(bytes))
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await handle.read(content, at, Math.min(sliceBytes, bytes - at), at)
      if (bytesRead === 0) throw new IndexError(`${shortName(path)} ended early`)
      at += bytesRead
    }
    return content
  } finally {
    await handle.close()
  }
}

const shortName = (path: string) => path.split('/').slice(-2).join('/')

async function sha256Of(content: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < content.length; at += sliceBytes) {
    hash.update(content.subarray(at, at + sliceBytes))
    await new Promise(setImmediate)
  }
  return hash.digest('hex')
}

/** The parts `stem-000.msgpack`, `stem-001.msgpack`, … of a version, in order. */
export function partsOf({ files }: VersionFiles, stem: string): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let part = files.get(partName(stem, 0)); part !== undefined; part = files.get(partName(stem, parts.length))) {
    parts.push(part)
  }
  return parts
}

export const partName = (stem: string, part: number): string => `${stem}-${String(part).padStart(3, '0')}.msgpack`

/** The file's bytes. Throws IndexError if the version lacks it. */
export function fileOf({ files, manifest }: VersionFiles, name: string): Uint8Array {
  const content = files.get(name)
  if (content === undefined) throw new IndexError(`version ${manifest.version} lacks ${name}`)
  return content
}
