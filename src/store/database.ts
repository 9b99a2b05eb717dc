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
import { backup, DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { AccountsError, accountsErrorOf, oneLine } from './accounts-error.ts'
import { sync } from './replaced-file.ts'
import { fromShared, keyRow, keyText, type SharedRow, type TableRows, toShared } from './shared-rows.ts'
import { migrations, type SharedTableName, sharedTableNames, sharedTables } from './store-schema.ts'

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
  #notesKeys = false
  /**
   * Creates the folder, the file and its tables if they are missing. Throws AccountsError.
   * @param name how errors name a file that is not the store in use, for example a backup
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

  /**
   * Returns which rows of shared tables `action` would change, and their new state. The file stays as it is.
   */
  rehearse<T>(action: () => T): { result: T; changes: readonly TableRows[] } {
    this.#noteKeys()
    this.#exec('BEGIN IMMEDIATE')
    try {
      this.run('DELETE FROM temp.changed')
      const result = action()
      const keys = this.all<{ tableName: SharedTableName; key: string }>(
        'SELECT DISTINCT table_name, key FROM temp.changed',
      )
      return {
        result,
        changes: [...Map.groupBy(keys, ({ tableName }) => tableName)].map((each) => this.#rowsOf(...each)),
      }
    } finally {
      if (this.#db.isTransaction) this.#exec('ROLLBACK')
    }
  }

  /** Makes this connection record the keys of all rows of shared tables that change, in a temporary table. */
  #noteKeys(): void {
    if (this.#notesKeys) return
    this.#notesKeys = true
    const triggers = sharedTableNames.flatMap((table) =>
      (['INSERT', 'UPDATE', 'DELETE'] as const).map((event) => {
        const row = event === 'DELETE' ? 'OLD' : 'NEW'
        const key = sharedTables[table].key.map((column) => keyText(table, column, `${row}.${column}`))
        return `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN
          INSERT INTO changed VALUES ('${table}', json_array(${key})); END`
      }),
    )
    const changed = 'CREATE TEMP TABLE changed (table_name TEXT, key TEXT)'
    this.#exec(['PRAGMA temp_store = MEMORY', changed, ...triggers].join(';'))
  }

  #rowsOf(table: SharedTableName, noted: readonly { readonly key: string }[]): TableRows {
    const { key } = sharedTables[table]
    const places = key.map((column) => `${keyText(table, column, column)} = ?`).join(' AND ')
    const keys = noted.map((one) => JSON.parse(one.key) as (string | number)[])
    const rows = keys.flatMap((values) => this.#sharedRows(table, `WHERE ${places}`, values))
    return { table, keys: keys.map((values) => keyRow(table, values)), rows }
  }

  /** Rows of a shared table, in the form for PostgreSQL (shared-rows.ts). */
  #sharedRows(table: SharedTableName, where: string, values: SQLInputValue[]): SharedRow[] {
    return this.#do(() => {
      const { statement } = this.#prepared(`SELECT * FROM main.${table} ${where}`)
      return (statement.all(...values) as unknown as Cells[]).map((cells) => toShared(table, cells))
    })
  }

  /** All rows of a shared table, in batches. Call it within a transaction, so that the table does not change. */
  *sharedRows(table: SharedTableName, most: number): Generator<SharedRow[]> {
    const key = sharedTables[table].key.join(', ')
    for (let offset = 0; ; offset += most) {
      const rows = this.#sharedRows(table, `ORDER BY ${key} LIMIT ? OFFSET ?`, [most, offset])
      if (rows.length > 0) yield rows
      if (rows.length < most) return
    }
  }

  /** Replaces rows of a shared table: deletes the rows with these keys, then adds the new rows. */
  putShared({ table, keys, rows }: TableRows): void {
    const { key, columns } = sharedTables[table]
    const remove = `DELETE FROM main.${table} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
    for (const one of keys) this.run(remove, ...fromShared(table, key, one))
    const names = Object.keys(columns)
    // REPLACE, because another row may still have this row's unique name or hash until a later batch changes that row.
    const add = `INSERT OR REPLACE INTO main.${table} (${names}) VALUES (${names.map(() => '?')})`
    for (const row of rows) this.run(add, ...fromShared(table, names, row))
  }

  /**
   * Deletes the rows of a shared table whose key is after `after` and up to `last`. If one of them is undefined, there
   * is no bound on that side.
   */
  removeShared(table: SharedTableName, after: SharedRow | undefined, last: SharedRow | undefined): void {
    const { key } = sharedTables[table]
    const places = `(${key.map(() => '?')})`
    const bounds = [
      ...(after === undefined ? [] : [`(${key}) > ${places}`]),
      ...(last === undefined ? [] : [`(${key}) <= ${places}`]),
    ]
    const values = [after, last].flatMap((row) => (row === undefined ? [] : fromShared(table, key, row)))
    this.run(`DELETE FROM main.${table} ${bounds.length === 0 ? '' : `WHERE ${bounds.join(' AND ')}`}`, ...values)
  }

  /**
   * Runs `action` in one read transaction, so that all its reads see the file at one moment. `action` writes nothing.
   */
  async readAtOnce<T>(action: () => Promise<T>): Promise<T> {
    this.#exec('BEGIN')
    try {
      return await action()
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
          // An earlier start that was killed before its commit may have left a copy; this replaces it.
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

/** Makes an object of a row. Node.js takes six times as long if it creates the objects itself. */
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
  // Without this, REPLACE fires no triggers for the rows it deletes, and `account_counts` still counts them.
  db.exec('PRAGMA recursive_triggers = ON')
  // The unit is KiB. The main thread gets a larger cache, because it writes many rows at once; server threads read
  // single rows.
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
