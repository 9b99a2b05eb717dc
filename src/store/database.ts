/**
 * An SQLite file that the server's threads and any number of commands use at once. Its errors are AccountsErrors.
 *
 * WAL mode: readers never wait for the writer. `synchronous=FULL`: a transaction is on disk when it returns.
 * Never open the file with `node:fs` while SQLite has it open. POSIX locks belong to the process, so closing the other
 * descriptor would release SQLite's locks.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  backup,
  constants,
  DatabaseSync,
  type Session,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { AccountsError, accountsErrorOf, Diverged, oneLine } from './accounts-error.ts'
import { sync } from './replaced-file.ts'
import { migrations, sharedTables } from './store-schema.ts'

/** How long a transaction waits for another thread or process. */
const storeBusyMsMax = 5000

export const storeFileName = 'accounts.db'

/** A backup copies all pages in one step, because a change between two steps would restart the backup. */
const allPages = 2 ** 30

export class Database {
  readonly #db: DatabaseSync
  readonly #name: string
  readonly #advice: string
  readonly #statements = new Map<string, Prepared>()
  #session: Session | undefined
  #changesets: Uint8Array[] = []
  /**
   * Creates the folder, the file and its tables if they are missing. Throws AccountsError.
   * @param name the name that errors give the file, if it is no store in use but, for example, a backup
   */
  constructor(path: string, name?: string) {
    this.#name = name ?? path
    this.#advice = name === undefined ? ': restore a backup, or move the file away to begin anew' : ''
    this.#do(() => makeDatabase(path))
    this.#db = this.#do(() => opened(path))
    try {
      this.#migrate(path)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Returns the first row, with the columns in camel case. All methods throw AccountsError. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#do(() => {
      const { statement, columns } = this.#prepared(sql)
      const row = statement.get(...values) as unknown as Cells | undefined
      return row && (rowOf(columns, row) as Row)
    })
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#do(() => {
      const { statement, columns } = this.#prepared(sql)
      return (statement.all(...values) as unknown as Cells[]).map((row) => rowOf(columns, row) as Row)
    })
  }

  /** Inserts or replaces a row. Fields are columns in camel case. */
  put(table: string, key: string, row: Readonly<Record<string, SQLInputValue>>): void {
    const columns = Object.keys(row).map(snake)
    const sets = columns.map((column) => `${column} = excluded.${column}`)
    const places = columns.map(() => '?')
    const sql = `INSERT INTO ${table} (${columns}) VALUES (${places}) ON CONFLICT (${key}) DO UPDATE SET ${sets}`
    this.run(sql, ...Object.values(row))
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#do(() => Number(this.#prepared(sql).statement.run(...values).changes))
  }

  /**
   * The transaction is on disk when this returns. If `action` throws, it is rolled back.
   * @param waitMsMax how long to wait for a transaction of another thread or process
   */
  transaction<T>(action: () => T, waitMsMax = storeBusyMsMax): T {
    try {
      this.#exec(`PRAGMA busy_timeout = ${waitMsMax}; BEGIN IMMEDIATE`)
    } finally {
      this.#exec(`PRAGMA busy_timeout = ${storeBusyMsMax}`)
    }
    try {
      const result = action()
      this.#exec('COMMIT')
      return result
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (this.#db.isTransaction) this.#exec('ROLLBACK')
      throw error
    }
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Returns what `action` would change, as SQLite changesets to apply in order. The file stays as it is. */
  rehearse<T>(action: () => T): { result: T; changesets: readonly Uint8Array[] } {
    this.#exec('BEGIN IMMEDIATE')
    this.#session = this.#db.createSession()
    try {
      const result = action()
      this.startChangeset()
      return { result, changesets: this.#changesets.filter(({ length }) => length > 0) }
    } finally {
      this.#session.close()
      this.#changesets = []
      if (this.#db.isTransaction) this.#exec('ROLLBACK')
    }
  }

  /**
   * Call it during a rehearsal: later changes go into a new changeset. A large changeset would hold up the thread that
   * applies it.
   */
  startChangeset(): void {
    this.#changesets.push(this.#do(() => this.#session!.changeset()))
    this.#session!.close()
    this.#session = this.#db.createSession()
  }

  /**
   * Applies a changeset. Throws Diverged if the rows differ from those that it expects.
   * @param onTable called for each table that it changes
   */
  apply(changeset: Uint8Array, onTable: (table: string) => void): void {
    const filter = (table: string) => {
      onTable(table)
      return Object.hasOwn(sharedTables, table)
    }
    const onConflict = () => constants.SQLITE_CHANGESET_ABORT
    const isApplied = this.#do(() => this.#db.applyChangeset(changeset, { filter, onConflict }))
    if (!isApplied) throw new Diverged(`${this.#name} differs from what a change expects: it is copied again`)
  }

  /** Attaches another SQLite file as the schema `other`. Not allowed within a transaction. */
  attach(path: string): void {
    this.#do(() => makeFile(path))
    this.run('ATTACH ? AS other', path)
  }

  detach(): void {
    this.#statements.clear()
    this.#exec('DETACH other')
  }

  /**
   * Runs `action` in one transaction, so that all its reads see the file at one moment. `action` writes only to
   * `other`.
   */
  readAtOnce<T>(action: () => T): T {
    this.#exec('PRAGMA other.synchronous = OFF; BEGIN')
    try {
      return action()
    } finally {
      this.#exec('COMMIT')
    }
  }

  /**
   * Moves changes from the WAL into the file. The changes stay in the WAL if another program holds the WAL, as
   * litestream does, or if the move fails, as on a full disk. In all cases the changes are on disk.
   */
  checkpoint(): void {
    try {
      this.#db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The next read or write reports the failure.
    } finally {
      this.#exec(`PRAGMA busy_timeout = ${storeBusyMsMax}`)
    }
  }

  /** Copies the file as it is at one moment. Others may write meanwhile. */
  async copyTo(path: string): Promise<void> {
    try {
      await backup(this.#db, path, { rate: allPages })
    } catch (error) {
      throw accountsErrorOf(error, this.#name, this.#advice)
    }
  }

  /** Returns the first damage found, or undefined. `quick_check` does not compare indexes with their tables. */
  damage(check: 'integrity_check' | 'quick_check'): string | undefined {
    const [found] = Object.values(this.get<Record<string, string>>(`PRAGMA ${check}(1)`)!)
    return found === 'ok' ? undefined : oneLine(found!)
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #exec(sql: string): void {
    this.#do(() => this.#db.exec(sql))
  }

  #prepared(sql: string): Prepared {
    let prepared = this.#statements.get(sql)
    if (prepared === undefined) {
      const statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      prepared = { statement, columns: statement.columns().map(({ name }) => camel(name)) }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }

  #do<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw accountsErrorOf(error, this.#name, this.#advice)
    }
  }

  #migrate(path: string): void {
    const version = () => this.get<{ userVersion: number }>('PRAGMA user_version')!.userVersion
    const found = version()
    if (found === migrations.length) return
    if (found === 0) throw new AccountsError(`${this.#name} is no store: it is empty, or another kind of file`)
    if (found > migrations.length) {
      throw new AccountsError(
        `${this.#name} was written by a newer version of this software (its schema is ${found}, this version reads up to ` +
          `${migrations.length}): use the newer version, or restore an older backup`,
      )
    }
    const beside = `${path}.${randomUUID()}.tmp`
    this.#do(() => makeFile(beside))
    try {
      this.run('VACUUM INTO ?', beside)
      this.transaction(() => {
        // Another process may have migrated it already.
        if (version() !== found) return
        this.#do(() => {
          sync(beside)
          // This replaces a copy that an earlier start left, if that start was killed before its commit.
          renameSync(beside, `${path}.schema-${found}`)
        })
        this.#exec(stepsFrom(found))
      })
    } finally {
      rmSync(beside, { force: true })
    }
  }
}

const camel = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

type Cells = readonly SQLOutputValue[]

/** Makes an object of a row. If Node.js creates the objects itself, that takes six times as long. */
function rowOf(columns: readonly string[], cells: Cells): object {
  const row: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = cells[i]!
  return row
}

const stepsFrom = (version: number) =>
  [...migrations.slice(version), `PRAGMA user_version = ${migrations.length}`].join(';')

function opened(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: storeBusyMsMax, enableForeignKeyConstraints: false })
  db.exec('PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF')
  // In KiB. The main thread gets a larger cache, because it writes many rows at once; server threads read single rows.
  if (isMainThread) db.exec('PRAGMA cache_size = -32768')
  return db
}

/** The file gets its name when it is complete, because an empty file counts as damaged. */
function makeDatabase(path: string): void {
  if (existsSync(path)) return
  const beside = `${path}.${randomUUID()}.tmp`
  makeFile(beside)
  try {
    const db = new DatabaseSync(beside)
    // A page holds seven blocks of usage.
    db.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; BEGIN; ${stepsFrom(0)}; COMMIT`)
    db.close()
    linkSync(beside, path)
  } catch (error) {
    // Another process has created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(beside, { force: true })
  }
}

/**
 * Creates the folder and an empty file if they are missing. Only this user can read them, and the files that SQLite
 * creates beside them.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Throws AccountsError if there is no store, so that a mistyped STORE_DIR is noticed. */
export function checkStore(storeDir: string): void {
  if (existsSync(join(storeDir, storeFileName))) return
  throw new AccountsError(`there is no store in ${resolve(storeDir)}: is STORE_DIR right?`)
}
