/** Replaces a file completely or not at all. Only this user can read the new file. */
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemText } from '../platform/system-error.ts'
import { AccountsError } from './accounts-error.ts'

/**
 * If the file can't be written, rejects with an AccountsError and leaves no temporary file.
 * @param write writes the new content to the path that it gets
 */
export async function replaceFile<Result>(
  file: string,
  write: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  const beside = `${resolve(file)}.${randomUUID()}.tmp`
  const umask = process.umask(0o077)
  try {
    const result = await write(beside)
    sync(beside)
    renameSync(beside, file)
    sync(dirname(beside))
    return result
  } catch (error) {
    rmSync(beside, { force: true })
    if (error instanceof AccountsError) throw error
    throw new AccountsError(`${file} can't be written (${systemText(error)})`)
  } finally {
    process.umask(umask)
  }
}

/** Flushes a file's bytes, or the names in a folder, to disk. */
export function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
