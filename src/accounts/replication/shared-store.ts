/** The accounts in the shared database, as typed calls. src/postgres/schema.ts has the tables and functions. */
import { randomBytes } from 'node:crypto'
import { usageDaysKept } from '../../limits.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { SharedRow, TableRows } from '../../store/shared-rows.ts'
import type { CopyState } from '../../store/store-records.ts'
import { type SharedTable, type SharedTableName, sharedTableNames, sharedTables } from '../../store/store-schema.ts'
import type { Numbered } from '../../store/tables.ts'
import type { ServerList, ServerStatus } from './servers.ts'

/** A server sends this report each time that it asks for changes. */
export interface Heartbeat extends Readonly<Record<Numbered, number>> {
  readonly id: string
  /** A value that differs at each start, so that two servers with one id are noticed. */
  readonly process: string
  readonly address: string
  /** The version that the server serves. */
  readonly version?: string | undefined
}

/**
 * How a copy relates to the shared accounts, as the SQL function `standing` returns it. A copy is `behind` the
 * database; a database is `empty`, `older` than the copy, or has `other` accounts.
 */
export type Standing = 'same' | 'behind' | 'incomplete' | 'empty' | 'other' | 'older' | 'diverged'

export interface SyncResult {
  /** `unknown`: the database does not know this server, which must enter again. */
  readonly state: Standing | 'unknown'
  readonly id: string | null
  readonly number: number | null
  /** The process of PostgreSQL that answered. */
  readonly pid: number
}

/** A position in the history of changes. */
export type Position = Pick<CopyState, 'id' | 'number' | 'mark'>

interface ChangedRow {
  readonly number: number
  readonly table: SharedTableName
  readonly key: SharedRow
  /** Null if the row is deleted. */
  readonly row: SharedRow | null
}

interface ChangedRows {
  /** The last change at the time when these rows were read. */
  readonly last: Position
  readonly rows: readonly ChangedRow[]
  readonly isLast: boolean
}

/** The most rows of one answer. Applying 1,000 rows takes some milliseconds. */
export const rowsAtOnce = 1000
/** How long reading, or changing, `rowsAtOnce` rows may take. */
const rowsMsMax = 5000

export const newMark = (): string => randomBytes(6).toString('hex')
export const newDatabaseId = (): string => randomBytes(8).toString('hex')

/** The types to which the values of a key in JSON are cast. */
const types = { number: 'bigint', text: 'text', time: 'timestamptz', day: 'date', bytes: 'bytea' } as const

const columnsOf = (table: SharedTableName): SharedTable => sharedTables[table]

/** Selects the current row of a changed key. A branch of the union runs only for rows of its own table. */
const presentRow = sharedTableNames
  .map((table) => {
    const { key, columns } = columnsOf(table)
    const same = key.map((column) => `t.${column} = (c.key->>'${column}')::${types[columns[column]!]}`)
    return `SELECT to_jsonb(t) AS row FROM card_prices.${table} t WHERE c.table_name = '${table}' AND ${same.join(' AND ')}`
  })
  .join(' UNION ALL ')

/** $1, $2 and $3 are the number, table and key of the last row of the previous answer. */
const changedRows = `SELECT h.id, h.number::float8 AS last, h.mark, c.number::float8 AS number, c.table_name AS table, c.key, r.row
  FROM card_prices.history h LEFT JOIN LATERAL (
    SELECT * FROM card_prices.changed_rows WHERE (number, table_name, key) > ($1::bigint, $2::text, $3::jsonb)
    ORDER BY number, table_name, key LIMIT ${rowsAtOnce}) c ON true
  LEFT JOIN LATERAL (${presentRow}) r ON true ORDER BY c.number, c.table_name, c.key`

export class SharedStore {
  readonly connection: PostgresConnection

  constructor(connection: PostgresConnection) {
    this.connection = connection
  }

  /** Returns how the copy relates to the shared accounts. @param heartbeat of a server; absent for other processes */
  async sync(copy: CopyState | undefined, heartbeat?: Heartbeat): Promise<SyncResult> {
    const sql = 'SELECT card_prices.sync($1, $2) AS result'
    const values = [jsonOrNull(copy), jsonOrNull(heartbeat)]
    const [found] = await this.connection.query<{ result: SyncResult }>(sql, values)
    return found!.result
  }

  /**
   * Yields, in batches, the rows that have changed since the change of that number. A row that changes between two
   * batches is yielded again in a later batch.
   */
  async *changesAfter(number: number): AsyncGenerator<ChangedRows> {
    let from: unknown[] = [number + 1, '', '{}']
    for (;;) {
      type Found = Position & ChangedRow & { readonly last: number }
      const found = await this.connection.query<Found>(changedRows, from, rowsMsMax)
      if (found.length === 0) return
      const { id, last, mark } = found[0]!
      const rows = found.filter((row) => row.table !== null)
      const isLast = rows.length < rowsAtOnce
      yield { last: { id, number: last, mark }, rows, isLast }
      if (isLast) return
      const end = rows.at(-1)!
      from = [end.number, end.table, JSON.stringify(end.key)]
    }
  }

  /** Reads all shared tables as they are at one moment. Resolves with the last change at that moment. */
  copyAll(
    take: (table: SharedTableName, rows: readonly SharedRow[], isLast: boolean) => Promise<void>,
  ): Promise<Position | undefined> {
    return this.connection.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (query) => {
      const [last] = await query<Position>('SELECT id, number::float8 AS number, mark FROM card_prices.history')
      if (last === undefined) return undefined
      for (const table of sharedTableNames) {
        const { key } = columnsOf(table)
        let after: SharedRow | undefined
        for (let isLast = false; !isLast; ) {
          const places = key.map((_, i) => `$${i + 1}`)
          const where = after === undefined ? '' : `WHERE (${key}) > (${places})`
          const sql = `SELECT to_jsonb(t) AS row FROM card_prices.${table} t ${where} ORDER BY ${key} LIMIT ${rowsAtOnce}`
          const values = after === undefined ? [] : key.map((column) => after![column])
          const rows = (await query<{ row: SharedRow }>(sql, values, rowsMsMax)).map(({ row }) => row)
          isLast = rows.length < rowsAtOnce
          await take(table, rows, isLast)
          after = rows.at(-1)
        }
      }
      return last
    })
  }

  /** Makes a change that was tried on that state of a copy. Sending the change again does no harm. */
  async change(
    copy: CopyState,
    mark: string,
    changes: readonly TableRows[],
  ): Promise<Standing | 'made' | 'recovering'> {
    const sql = 'SELECT card_prices.change($1, $2, $3) AS state'
    const rows = changes.reduce((sum, { keys }) => sum + keys.length, 0)
    const values = [JSON.stringify(copy), mark, JSON.stringify(changes)]
    const msMax = rowsMsMax * Math.ceil(rows / rowsAtOnce)
    const [found] = await this.connection.query<{ state: Standing | 'made' | 'recovering' }>(sql, values, msMax)
    return found!.state
  }

  /** Creates shared accounts in an empty database. Returns `begun`, `recovering`, or why that is refused. */
  async begin(): Promise<string> {
    const sql = 'SELECT card_prices.begin($1, $2) AS state'
    const [found] = await this.connection.query<{ state: string }>(sql, [newDatabaseId(), newMark()])
    return found!.state
  }

  async servers(): Promise<ServerList> {
    const [found] = await this.connection.query<{ servers: ServerStatus[] | null; runsMs: number }>(`SELECT
      extract(epoch FROM clock_timestamp() - since)::float8 * 1000 AS "runsMs",
      (SELECT jsonb_agg(jsonb_build_object('address', address, 'store', copy_of, 'number', copy_number, 'version', version,
        'nextAccount', next_account, 'nextKey', next_key, 'silentMs', silent_ms, 'isConnected', is_connected))
        FROM card_prices.server_states) AS servers FROM (SELECT card_prices.note_run() AS since) r`)
    return { servers: found!.servers ?? [], runsMs: found!.runsMs }
  }

  /**
   * Deletes old usage, leases of past days, and changes so old that only a server that was away for `days` needs them.
   */
  async removeOld(days: number): Promise<void> {
    await this.connection.query(
      `WITH old AS (SELECT max(number) AS number FROM card_prices.change_log WHERE time < now() - $1 * interval '1 day'
          AND number < (SELECT number FROM card_prices.history)),
        log AS (DELETE FROM card_prices.change_log WHERE number <= (SELECT number FROM old)),
        rows AS (DELETE FROM card_prices.changed_rows WHERE number <= (SELECT number FROM old)),
        leases AS (DELETE FROM card_prices.leases WHERE day < current_date - 1),
        quotas AS (DELETE FROM card_prices.quotas WHERE day < current_date - 1),
        usage AS (DELETE FROM card_prices.usage WHERE day <= current_date - $2::int),
        uses AS (DELETE FROM card_prices.key_uses WHERE key NOT IN (SELECT number FROM card_prices.keys)),
        lessees AS (DELETE FROM card_prices.lessees WHERE time < now() - interval '2 days')
      UPDATE card_prices.history SET complete_from = old.number + 1 FROM old WHERE old.number >= complete_from`,
      [days, usageDaysKept],
      10 * rowsMsMax,
    )
  }
}

const jsonOrNull = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))
