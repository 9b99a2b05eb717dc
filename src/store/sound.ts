/** Reading a record that may be damaged: a page of the file can be whole and what is in it be overwritten. */
import { AccountsError } from './accounts-error.ts'

/** Throws AccountsError if what is read is not what the table holds. */
export function readSound<T>(table: string, read: () => T | undefined, isSound: (record: T) => boolean): T | undefined {
  let record: T | undefined
  let reason = ''
  try {
    record = read()
    if (record === undefined || isSound(record)) return record
  } catch (error) {
    reason = ` (${(error as Error).message})`
  }
  throw new AccountsError(`the store holds a damaged record in its table ${table}${reason}: restore a backup`)
}
