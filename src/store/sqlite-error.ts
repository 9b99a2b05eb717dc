/** Turns SQLite's errors into AccountsErrors, each with one line for operators. */
import { systemText } from '../platform/system-error.ts'
import { AccountsError, Busy } from './accounts-error.ts'

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const sqliteBusy = 5
const sqliteCorrupt = 11
const sqliteNotADatabase = 26

/** SQLite's messages quote damaged bytes. */
export const oneLine = (text: string) => text.replace(/[^ -~]+/g, ' ')

interface SqliteError extends Error {
  readonly code: string
  /** An extended result code: the primary one is its low byte. */
  readonly errcode?: number
}

/** Returns an error that is no failure of the file unchanged. */
export function accountsErrorOf(error: unknown, name: string, advice = ''): unknown {
  const { code, errcode, errno } = error as SqliteError & NodeJS.ErrnoException
  const message = oneLine((error as Error).message)
  if (errno !== undefined) return new AccountsError(`${name} can't be opened (${systemText(error)})`)
  const result = errcode === undefined ? undefined : errcode & 0xff
  if (result === sqliteCorrupt || result === sqliteNotADatabase || code === 'ERR_OUT_OF_RANGE') {
    return new AccountsError(`${name} is damaged (${message})${advice}`)
  }
  if (result === sqliteBusy) return new Busy(`${name} is locked by another process: try again`)
  return result === undefined ? error : new AccountsError(`${name} can't be read or written (${message})`)
}
