/** A lock that a process holds as long as it lives, across threads, processes and containers: SQLite's, on a file of its own. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFile } from './database.ts'
import { inWords, isBusy } from './sqlite-error.ts'

const readersMsMax = 300

export class FileLock {
  readonly #db: DatabaseSync

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Undefined if another one has it. Throws AccountsError. */
  static take(path: string): FileLock | undefined {
    return FileLock.#open(path, 'BEGIN EXCLUSIVE')
  }

  /** Throws AccountsError. */
  static isTaken(path: string): boolean {
    if (!existsSync(path)) return false
    // Readers keep only the one who takes it waiting, and not for long.
    const reader = FileLock.#open(path, 'SELECT 1 FROM sqlite_schema')
    reader?.release()
    return reader === undefined
  }

  static #open(path: string, sql: string): FileLock | undefined {
    let db: DatabaseSync | undefined
    try {
      makeFile(path)
      db = new DatabaseSync(path, { timeout: sql.startsWith('BEGIN') ? readersMsMax : 0 })
      db.exec(sql)
      return new FileLock(db)
    } catch (error) {
      db?.close()
      if (isBusy(error)) return undefined
      throw inWords(error, path)
    }
  }

  release(): void {
    this.#db.close()
  }
}
