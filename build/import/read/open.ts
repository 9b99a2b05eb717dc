/** A file of an operator's download, plain or `.gz`: whole, or as a stream of chunks. */
import { closeSync, createReadStream, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import type { Faults } from '../faults.ts'

export interface InputFile {
  /** As the operator named it, or as it lies in the folder that they named. */
  readonly path: string
  readonly bytes: number
  readonly mtimeMs: number
}

const chunkBytes = 1024 * 1024

/** Undefined if there is nothing of that name. What is there and no plain file is a fault. */
export function inputFile(path: string, faults: Faults): InputFile | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) faults.add(path, '', 'is a link to nothing')
    return undefined
  }
  if (!found.isFile()) {
    faults.add(path, '', 'must be a plain file')
    return undefined
  }
  return { path, bytes: found.size, mtimeMs: found.mtimeMs }
}

const isPacked = (path: string): boolean => path.endsWith('.gz')

/** The content, unpacked; undefined if it can't be read, which is a fault then. */
export function readWhole(file: InputFile, faults: Faults): Buffer | undefined {
  try {
    const bytes = readFileSync(file.path)
    return isPacked(file.path) ? gunzipSync(bytes) : bytes
  } catch (error) {
    faults.add(file.path, '', cantBeRead(error))
    return undefined
  }
}

/** Reads one file after the other into the same bytes, which are good until the next: tens of thousands make no garbage. */
export class ManyFiles {
  #bytes = Buffer.allocUnsafe(chunkBytes)

  /** The content, unpacked; undefined if it can't be read, which is a fault then. */
  readWhole(file: InputFile, faults: Faults): Buffer | undefined {
    if (isPacked(file.path)) return readWhole(file, faults)
    if (this.#bytes.length < file.bytes) this.#bytes = Buffer.allocUnsafe(file.bytes * 2)
    try {
      const opened = openSync(file.path, 'r')
      try {
        let length = 0
        while (length < file.bytes) {
          const read = readSync(opened, this.#bytes, length, file.bytes - length, null)
          if (read === 0) break
          length += read
        }
        return this.#bytes.subarray(0, length)
      } finally {
        closeSync(opened)
      }
    } catch (error) {
      faults.add(file.path, '', cantBeRead(error))
      return undefined
    }
  }
}

/** Calls `take` with each chunk until it returns false. False if the file can't be read to its end, which is a fault. */
export async function readChunks(file: InputFile, faults: Faults, take: (chunk: Buffer) => boolean): Promise<boolean> {
  const stream = openStream(file)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    for (;;) {
      // What `take` throws is not the file's.
      const next = await chunks.next().catch((error: unknown) => {
        faults.add(file.path, '', cantBeRead(error))
      })
      if (next === undefined) return false
      if (next.done === true) return true
      if (!take(next.value)) return false
    }
  } finally {
    stream.destroy()
  }
}

function openStream(file: InputFile): Readable {
  const stored = createReadStream(file.path, { highWaterMark: chunkBytes })
  const content = isPacked(file.path)
    ? createGunzip({ chunkSize: chunkBytes })
    : new PassThrough({ highWaterMark: chunkBytes })
  // An error of either is thrown where the content is read.
  return pipeline(stored, content, () => {})
}

/** What a system or zlib says of a file, without a path: the line has it. */
const cantBeRead = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return `can't be read: ${code?.startsWith('Z_') ? `the gzip is ${code === 'Z_BUF_ERROR' ? 'cut short' : `damaged, ${message}`}` : message}`
}
