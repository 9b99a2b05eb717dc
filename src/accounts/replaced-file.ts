/** A file that is replaced whole or stays as it was, and is this user's alone. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AccountsError } from '../store/accounts-error.ts'
import { systemText } from '../system-error.ts'

/**
 * What `write` puts at the path that it is given becomes the file. Rejects with an AccountsError, and leaves nothing beside
 * the file, if that fails.
 */
export async function replaceFile<Result>(
  file: string,
  write: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  const beside = `${resolve(file)}.${process.pid}.tmp`
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

/** A file's bytes, or the names in a folder, are on disk when this returns. */
export function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
