/**
 * A connection to PostgreSQL. Queries run one after the other, and each ends within a bound. A connection that is lost,
 * or on which a query takes too long, is replaced, until `close` is called.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type DatabaseError } from 'pg'
import { databaseAddress, type Place } from '../database-address.ts'
import { AccountsError, StoreError } from '../store/accounts-error.ts'
import { queryMsMax, reconnectMs } from './bounds.ts'
import { migrate, Unfit } from './schema.ts'

interface Listener {
  /** Called when the database becomes available, for the first time or again. It may be another one than before. */
  onBack?(): void
  /** Called when the connection is lost, or an attempt to connect fails. @param reason contains no secret */
  onAway?(reason: string): void
}

/**
 * A machine that vanishes closes no connection. With these bounds, PostgreSQL notices that within 11 s, and ends the
 * session and its locks.
 */
const sessionSettings = `SET search_path = pg_catalog; SET TimeZone = 'UTC'; SET jit = off; SET statement_timeout = '120s';
  SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30s'; SET synchronous_commit = on;
  SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;
  SET tcp_user_timeout = '11s'`

/** PostgreSQL 14. */
const versionMin = 140_000

/**
 * After these errors a new connection may succeed: it may reach a writable server, or create the missing tables again.
 */
const reconnectCodes: ReadonlySet<unknown> = new Set([
  '25006', // read-only
  '3F000', // the schema is missing
  '42P01', // a table is missing
  '42883', // a function is missing
])

type Values = readonly unknown[]

export interface ConnectionOptions {
  /** True if connecting creates or migrates the tables, which is the default. */
  readonly migrates?: boolean
}

export class PostgresConnection {
  /** The hosts and ports of the address. The rest of the address may be secret. */
  readonly place: string
  /** Why the database is unavailable. Contains no secret. */
  reason = 'not connected yet'
  /** Why servers must not use this database at all. */
  unfit: string | undefined
  readonly #places: readonly Place[]
  readonly #migrates: boolean
  readonly #listeners: Listener[] = []
  #client: Client | undefined
  #pid = 0
  #isClosed = false
  #connecting: Promise<void> | undefined
  /** Resolves when the current query or transaction has ended. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param url DATABASE_URL */
  constructor(url: string, { migrates = true }: ConnectionOptions = {}) {
    const address = databaseAddress(url)
    if (address === undefined) throw new AccountsError('the address of the database is no postgres://…')
    this.place = address.name
    this.#places = address.places
    this.#migrates = migrates
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /**
   * Resolves when the database is available, or when the first attempt to connect has failed. Further attempts follow.
   * Later calls return the same promise.
   */
  connect(): Promise<void> {
    this.#connecting ??= this.#open().then((isOpen) => {
      if (!isOpen) void this.#keepTrying()
    })
    return this.#connecting
  }

  get isUp(): boolean {
    return this.#client !== undefined
  }

  /** The process of PostgreSQL that serves this connection. */
  get pid(): number {
    return this.#pid
  }

  get awayError(): StoreError {
    return new StoreError(`the database at ${this.place} can't be asked (${this.reason})`)
  }

  /**
   * Rejects with a StoreError if the database is unavailable or rejects the query.
   * @param msMax how long the query may take; after that, the connection is replaced
   */
  query<Row>(sql: string, values: Values = [], msMax = queryMsMax): Promise<Row[]> {
    return this.#inTurn(() => this.#run<Row>(sql, values, msMax))
  }

  /** Runs `action` in a transaction. No other query runs on this connection meanwhile. */
  transaction<T>(begin: string, action: (query: PostgresConnection['query']) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#run(begin, [], queryMsMax)
      try {
        const result = await action((sql, values = [], msMax = queryMsMax) => this.#run(sql, values, msMax))
        await this.#run('COMMIT', [], 10 * queryMsMax)
        return result
      } catch (error) {
        if (this.isUp) await this.#run('ROLLBACK', [], queryMsMax).catch(() => undefined)
        throw error
      }
    })
  }

  /** Replaces the connection. @param reason why this one can't be used */
  drop(reason: string): void {
    if (this.#client !== undefined) this.#lose(this.#client, reason)
  }

  /** Closes the connection for good. Listeners are not called any more. */
  close(): void {
    this.#isClosed = true
    const client = this.#client
    this.#client = undefined
    this.reason = 'the connection is closed'
    if (client !== undefined) endOf(client)
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #run<Row>(sql: string, values: Values, msMax: number): Promise<Row[]> {
    const client = this.#client
    if (client === undefined) throw this.awayError
    const late = setTimeout(() => this.#lose(client, `no answer for ${msMax} ms`), msMax)
    try {
      const result = await client.query(sql, values.length === 0 ? undefined : [...values])
      return result.rows as Row[]
    } catch (error) {
      const { code, message, severity } = error as DatabaseError
      // After an error that is not one of a statement, the connection is already gone.
      if (severity !== 'ERROR' || this.#client !== client) {
        this.#lose(client, message)
        throw this.awayError
      }
      if (reconnectCodes.has(code)) this.#lose(client, message)
      throw new StoreError(`the database at ${this.place} refuses (${message})`, true)
    } finally {
      clearTimeout(late)
    }
  }

  async #keepTrying(): Promise<void> {
    do await pause(reconnectMs)
    while (!this.#isClosed && !(await this.#open()))
  }

  /** Connects to the first writable host. Returns true if there is one, or if `close` was called. */
  async #open(): Promise<boolean> {
    let reason = ''
    for (const place of this.#places) {
      if (this.#isClosed) return true
      const client = newClient(place)
      try {
        await withinMs(client.connect(), 2 * queryMsMax)
        const pid = await withinMs(this.#prepare(client), 10 * queryMsMax)
        if (this.#isClosed) {
          endOf(client)
          return true
        }
        client.on('error', ({ message }) => this.#lose(client, message))
        client.on('end', () => this.#lose(client, 'the connection is closed'))
        this.#pid = pid
        this.#client = client
        this.reason = ''
        for (const { onBack } of this.#listeners) onBack?.()
        return true
      } catch (error) {
        const { message } = error as Error
        endOf(client)
        if (error instanceof Unfit) this.unfit = message
        reason = message
      }
    }
    this.#noteAway(reason)
    return false
  }

  async #prepare(client: Client): Promise<number> {
    const sql = `SELECT current_setting('server_version_num')::int AS version, pg_backend_pid() AS pid,
      current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
    const { version, pid, isReadOnly } = (await client.query(sql)).rows[0]
    if (version < versionMin)
      throw new Unfit(`it is PostgreSQL ${Math.floor(version / 10_000)}: this takes 14 or later`)
    if (isReadOnly) throw new Error('it is read-only')
    await client.query(sessionSettings)
    if (this.#migrates) await migrate(client)
    this.unfit = undefined
    return pid
  }

  #lose(client: Client, reason: string): void {
    endOf(client)
    if (this.#client !== client) return
    this.#client = undefined
    this.#noteAway(reason)
    void this.#keepTrying()
  }

  #noteAway(reason: string): void {
    if (this.#isClosed) return
    this.reason = reason
    for (const { onAway } of this.#listeners) onAway?.(reason)
  }
}

function newClient({ connectionString }: Place): Client {
  const client = new Client({
    connectionString,
    application_name: 'card-prices',
    connectionTimeoutMillis: queryMsMax,
    keepAlive: true,
  })
  // An error without a listener would end the process.
  client.on('error', () => undefined)
  return client
}

/** Closes the connection. If the database does not react, its socket is destroyed. */
function endOf(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  const late = setTimeout(() => stream.destroy(), reconnectMs)
  client.end().then(
    () => clearTimeout(late),
    () => clearTimeout(late),
  )
  late.unref()
}

async function withinMs<T>(awaited: Promise<T>, ms: number): Promise<T> {
  awaited.catch(() => undefined)
  const ended = new AbortController()
  const late = pause(ms, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`no answer for ${ms} ms`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([awaited, late])
  } finally {
    ended.abort()
  }
}
