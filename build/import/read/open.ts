/**
 * Opens a file of an operator's download, plain or `.gz`: whole, or as chunks. Its name is its path.
 */
import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { chunkBytes, isReadError, openFile, type StoredFile } from '../../read/files.ts'
import type { ImportErrors } from '../import-errors.ts'

export interface InputFile extends StoredFile {
  readonly mtimeMs: number
}

/** Undefined if there is no such file. Anything but a plain file is an error. */
export function inputFile(path: string, errors: ImportErrors): InputFile | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) {
    errors.add(path, '', 'must be a plain file')
    return undefined
  }
  return { name: path, path, bytes: found.size, mtimeMs: found.mtimeMs }
}

/** Throws ImportError if there is no such file, or after any earlier error. */
export function existingFile(path: string, errors: ImportErrors): InputFile {
  const file = inputFile(path, errors)
  if (file === undefined && errors.count === 0) errors.add(path, '', 'does not exist')
  errors.check()
  return file!
}

/** The content, unpacked; undefined after an error. Of small files, or those of the snapshot folder itself. */
export function readWhole(file: InputFile, errors: ImportErrors): Buffer | undefined {
  try {
    const bytes = readFileSync(file.path)
    return file.path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  } catch (error) {
    errors.add(file.path, '', cantBeRead(error))
    return undefined
  }
}

/** Calls `take` with each chunk until it returns false. False if that, or an error, ended the reading. */
export async function readChunks(
  file: InputFile,
  errors: ImportErrors,
  take: (chunk: Buffer) => boolean,
): Promise<boolean> {
  if (file.bytes <= chunkBytes && !file.path.endsWith('.gz')) {
    // A mirror has thousands of small files: a stream of each takes longer than its content.
    const bytes = readWhole(file, errors)
    return bytes !== undefined && take(bytes)
  }
  const chunks = openFile(file)[Symbol.asyncIterator]()
  try {
    for (;;) {
      // Only the file's errors, not those that `take` throws.
      const next = await chunks.next().catch((error: unknown) => {
        errors.add(file.path, '', cantBeRead(error))
      })
      if (next === undefined) return false
      if (next.done === true) return true
      if (!take(next.value)) return false
    }
  } finally {
    await chunks.return?.()
  }
}

/** The message for an error of the system or of zlib. Throws any other error on. */
const cantBeRead = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined && !isReadError(error)) throw error
  return `can't be read: ${code?.startsWith('Z_') ? `the gzip is ${code === 'Z_BUF_ERROR' ? 'cut short' : `damaged, ${message}`}` : message}`
}
