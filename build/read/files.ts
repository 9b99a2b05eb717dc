/** The files of a snapshot folder, in name order, plain or gzip, as streams of bounded chunks. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

export interface SnapshotFile {
  /** As the operator sees it from the snapshot folder: `cards/a.ndjson`. */
  readonly name: string
  readonly path: string
  /** Of the file as it lies there, compressed or not. */
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

const chunkBytes = 1024 * 1024

/**
 * The files `folder/*.extension` and `folder/*.extension.gz` of a snapshot, in name order; none if the folder is
 * missing. Throws if it can't be read.
 */
export async function snapshotFiles(snapshots: string, folder: string, extension: string): Promise<SnapshotFile[]> {
  const names = await readdir(join(snapshots, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const wanted = names.filter((name) => name.endsWith(`.${extension}`) || name.endsWith(`.${extension}.gz`)).sort()
  return Promise.all(
    wanted.map(async (name) => {
      const path = join(snapshots, folder, name)
      const { size, mtimeMs, ctimeMs } = await stat(path)
      return { name: `${folder}/${name}`, path, bytes: size, mtimeMs, ctimeMs }
    }),
  )
}

/** The file's content, unpacked. `onBytes` sees each piece as it lies on the disk, for a checksum or for progress. */
export function openFile(file: SnapshotFile, onBytes?: (piece: Buffer) => void): Readable {
  const stored = createReadStream(file.path, { highWaterMark: chunkBytes })
  if (onBytes !== undefined) stored.on('data', (piece) => onBytes(piece as Buffer))
  if (!file.name.endsWith('.gz')) return stored
  const unpacked = createGunzip({ chunkSize: chunkBytes })
  stored.on('error', (error) => unpacked.destroy(error))
  return stored.pipe(unpacked)
}
