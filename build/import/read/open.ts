/**
 * Opens a file of an operator's download, which may be plain or `.gz`. It is read whole, or in chunks. The file's name
 * is its path.
 */
import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { chunkBytes, isReadError, openFile, type StoredFile } from '../../read/files.ts'
import type { ImportErrors } from '../import-errors.ts'

export interface InputFile extends StoredFile {
  readonly mtimeMs: number
}

/** The file; undefined if it is missing. Anything but a plain file is an error. */
export function inputFile(path: string, errors: ImportErrors): InputFile | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) {
    errors.add(path, '', 'must be a plain file')
    return undefined
  }
  return { name: path, path, bytes: found.size, mtimeMs: found.mtimeMs }
}

/** The file. Throws ImportError if it is missing, or after any earlier error. */
export function existingFile(path: string, errors: ImportErrors): InputFile {
  const file = inputFile(path, errors)
  if (file === undefined && errors.count === 0) errors.add(path, '', 'does not exist')
  errors.check()
  return file!
}

/**
 * The whole content, unpacked; undefined after an error. Use it for small files, and for files of the snapshot folder
 * itself.
 */
export function readWhole(file: InputFile, errors: ImportErrors): Buffer | undefined {
  try {
    const bytes = readFileSync(file.path)
    return file.path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  } catch (error) {
    errors.add(file.path, '', cantBeRead(error))
    return undefined
  }
}

/** Calls `take` with each chunk until `take` returns false. Returns false if `take` or an error ended the reading. */
export async function readChunks(
  file: InputFile,
  errors: ImportErrors,
  take: (chunk: Buffer) => boolean,
): Promise<boolean> {
  if (file.bytes <= chunkBytes && !file.path.endsWith('.gz')) {
    // A mirror has thousands of small files. Opening a stream of such a file takes longer than reading its content.
    const bytes = readWhole(file, errors)
    return bytes !== undefined && take(bytes)
  }
  const chunks = openFile(file)[Symbol.asyncIterator]()
  try {
    for (;;) {
      // This catches only errors of the file, and not errors that `take` throws.
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

/** The message for an error of the system or of zlib. Any other error is thrown again. */
const cantBeRead = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined && !isReadError(error)) throw error
  return `can't be read: ${code?.startsWith('Z_') ? `the gzip is ${code === 'Z_BUF_ERROR' ? 'cut short' : `damaged, ${message}`}` : message}`
}
