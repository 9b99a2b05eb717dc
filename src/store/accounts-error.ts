/**
 * The errors of the store, accounts and commands. Each has one line that says what is wrong. Any other error is a bug.
 */
import { systemText } from '../platform/system-error.ts'

/**
 * An error of the store, its accounts, or a command. The operator can resolve it. The message is one line for
 * operators.
 */
export class AccountsError extends Error {}

/** The accounts or keys do not allow a request. The message may be shown to the account's people. */
export class Refusal extends AccountsError {}

/**
 * The database that servers share is unavailable or rejected a request. If `isAnswer` is true, it rejected the request
 * and changed nothing.
 */
export class StoreError extends AccountsError {
  readonly isAnswer: boolean

  constructor(message: string, isAnswer = false) {
    super(message)
    this.isAnswer = isAnswer
  }
}

/** Another thread or process kept the write lock for too long. */
export class Busy extends AccountsError {}

/** A change was sent to the database, but no answer arrived. The change may have been made. */
export class UnknownOutcome extends StoreError {}

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const sqliteBusy = 5
const sqliteCorrupt = 11
const sqliteNotADatabase = 26

/** Replaces all but printable ASCII by blanks, because SQLite's messages quote damaged bytes. */
export const oneLine = (text: string) => text.replace(/[^ -~]+/g, ' ')

interface SqliteError extends Error {
  readonly code: string
  /** An extended result code: the primary one is its low byte. */
  readonly errcode?: number
}

/**
 * The fields of a log line for an error. The message of a known error, such as a full disk, is enough: no stack trace.
 */
export const errorFields = (error: unknown): { readonly reason: string } | { readonly err: unknown } =>
  error instanceof AccountsError ? { reason: error.message } : { err: error }

/** Turns an error of SQLite or of the system into an AccountsError. Returns any other error unchanged. */
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
