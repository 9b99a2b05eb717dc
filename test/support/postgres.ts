/**
 * A PostgreSQL server of one test, in its own folder and on a free port. It ends after the tests of the file. If
 * PostgreSQL is not installed, tests that need it are skipped. PostgreSQL refuses to run as root, so root starts it as
 * Debian's user `postgres`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterTests } from './after-tests.ts'
import { temporaryFolder } from './command.ts'
import { unusedPort } from './port.ts'
import { pathOf } from './programs.ts'
import { until } from './until.ts'

/** The lines of docs/cluster.md that create the user and the database. */
export const setUp: readonly string[] = [
  "CREATE ROLE card_prices LOGIN PASSWORD 'CHANGE-THIS'",
  'CREATE DATABASE card_prices OWNER card_prices',
]

interface User {
  readonly uid: number
  readonly gid: number
}

/** The user that runs PostgreSQL; undefined for the current user. */
function otherUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export interface PostgresOptions {
  /** Further lines of the configuration. */
  readonly settings?: readonly string[]
  /** The folder for its files; by default a temporary folder. */
  readonly folder?: string
  /** With a certificate and its key, the server also accepts TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /** True if it syncs its writes, as a server that must survive a power failure. */
  readonly isDurable?: boolean
}

export class Postgres {
  readonly port: number
  /** The data directory. */
  readonly data: string
  readonly #user: User | undefined
  #child: ChildProcess | undefined
  #log = ''
  #databases = 0
  #isHung = false

  private constructor(port: number, data: string, user: User | undefined) {
    this.port = port
    this.data = data
    this.#user = user
    afterTests(() => {
      // Stopped processes would not notice that the first one has ended, and would stay.
      if (this.#isHung) this.#signal('SIGKILL')
      this.#child?.kill('SIGKILL')
    })
  }

  static async start({ settings = [], folder = temporaryFolder(), isDurable = false, tls }: PostgresOptions = {}) {
    const port = await unusedPort()
    const isInstalled = pathOf('postgres') !== undefined
    const postgres = new Postgres(port, join(folder, 'data'), isInstalled ? otherUser() : undefined)
    if (!isInstalled) return postgres
    postgres.#own(folder)
    const args = ['-D', postgres.data, '-A', 'scram-sha-256', '--pwfile', postgres.#password(folder), '-U', 'postgres']
    postgres.#run('initdb', [...args, '-E', 'UTF8', '--locale=C', '--no-sync'])
    const durability = isDurable ? [] : ['fsync = off', 'full_page_writes = off']
    const own = [`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", ...durability]
    writeFileSync(join(postgres.data, 'postgresql.auto.conf'), [...own, ...settings, ''].join('\n'))
    if (tls !== undefined) postgres.#secure(tls)
    await postgres.begin()
    for (const line of setUp) await postgres.asks(line)
    return postgres
  }

  /** The value of DATABASE_URL. @param port another port that leads to this server */
  url(port = this.port): string {
    return `postgres://card_prices:CHANGE-THIS@127.0.0.1:${port}/card_prices`
  }

  /** Creates a further, empty database for the same user. Returns its DATABASE_URL. */
  async database(): Promise<string> {
    const name = `test_${this.#databases++}`
    if (pathOf('postgres') !== undefined) await this.asks(`CREATE DATABASE ${name} OWNER card_prices`)
    return this.url().replace(/[^/]*$/, name)
  }

  get log(): string {
    return this.#log
  }

  /** Starts the server on its port, or restarts it there. */
  async begin(): Promise<void> {
    let from = this.#log.length
    let child = this.#spawn()
    await until('PostgreSQL answers', async () => {
      if (child.exitCode !== null && child.stderr!.closed) {
        // After a kill, the old processes hold their shared memory for a moment.
        if (!/shared memory block .* is still in use/.test(this.#log.slice(from))) {
          throw new Error(`PostgreSQL ended: ${this.#log}`)
        }
        from = this.#log.length
        child = this.#spawn()
      }
      return this.asks('SELECT 1', 'postgres').then(
        () => true,
        () => false,
      )
    })
  }

  #spawn(): ChildProcess {
    const child = spawn(pathOf('postgres')!, ['-D', this.data], { ...this.#user, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    child.stderr.on('data', (text) => {
      this.#log += text
    })
    child.stderr.on('error', () => undefined)
    child.unref()
    ;(child.stderr as unknown as { unref(): void }).unref()
    return child
  }

  /** Ends the server: SIGINT is a fast, orderly shutdown, SIGKILL and SIGQUIT are crashes. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#child!
    this.#child = undefined
    child.kill(signal)
    await until('PostgreSQL ends', () => child.exitCode !== null || child.signalCode !== null)
    rmSync(join(this.data, 'postmaster.pid'), { force: true })
  }

  async restart(signal?: 'SIGINT' | 'SIGKILL'): Promise<void> {
    await this.end(signal)
    await this.begin()
  }

  /** Stops all processes. Connections stay open, but get no answers. */
  hang(): void {
    // The first process creates the others. It is stopped first, so no process is added while the others are listed.
    process.kill(this.#child!.pid!, 'SIGSTOP')
    this.#signal('SIGSTOP')
    this.#isHung = true
  }

  resume(): void {
    this.#signal('SIGCONT')
    this.#isHung = false
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    for (const pid of this.#processes()) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        // A process can have ended with its connection after the processes were listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  #processes(): number[] {
    const pid = this.#child!.pid!
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
    return [pid, ...children.trim().split(/\s+/).map(Number)]
  }

  /** The CPU time of its running processes, in seconds. */
  cpuSeconds(): number {
    const ticks = this.#processes().map((pid) => {
      const [user, system] = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')
        .slice(11, 13)
      return Number(user) + Number(system)
    })
    return ticks.reduce((sum, one) => sum + one, 0) / 100
  }

  /** Runs a query as the superuser. */
  // biome-ignore lint/suspicious/noExplicitAny: each question has its own rows
  async asks(sql: string, database = 'postgres', values: unknown[] = []): Promise<any[]> {
    const client = new Client({
      connectionString: `postgres://postgres:super@127.0.0.1:${this.port}/${database}`,
      connectionTimeoutMillis: 2000,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(sql, values)).rows
    } finally {
      await client.end()
    }
  }

  /** The same in the database that servers share. */
  // biome-ignore lint/suspicious/noExplicitAny: each question has its own rows
  shared(sql: string, values: unknown[] = []): Promise<any[]> {
    return this.asks(sql, 'card_prices', values)
  }

  /** Ends all connections of servers. */
  cut(): Promise<unknown> {
    return this.asks("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'card-prices'")
  }

  /** Uses up what is left of a full disk. Resolves when it can write no more. */
  untilFull(): Promise<unknown> {
    // Each needs a new file of 16 MB.
    const sql = "SELECT pg_switch_wal() FROM (SELECT pg_logical_emit_message(false, 'x', 'x')) m"
    return until('it can write no more', () =>
      this.shared(sql).then(
        () => false,
        () => true,
      ),
    )
  }

  /** A dump of the shared database. */
  dump(): string {
    const file = join(temporaryFolder(), 'dump')
    execFileSync('/bin/sh', ['-c', `'${this.#program('pg_dump')}' -Fc -f '${file}' '${this.url()}'`])
    return file
  }

  /** Empties the database. @param dump to be restored */
  async replace(dump?: string): Promise<void> {
    await this.asks('DROP DATABASE card_prices WITH (FORCE)')
    if (dump !== undefined) {
      // Servers must not create tables before the dump does.
      await this.asks('ALTER ROLE card_prices NOLOGIN')
      await this.asks(setUp[1]!)
      const url = `postgres://postgres:super@127.0.0.1:${this.port}/card_prices`
      execFileSync(this.#program('pg_restore'), ['-d', url, '--role=card_prices', '--no-owner', dump])
      await this.asks('ALTER ROLE card_prices LOGIN')
    } else await this.asks(setUp[1]!)
  }

  /** A standby of it that follows. @param folder on this disk */
  async standby(folder = temporaryFolder()): Promise<Postgres> {
    const standby = new Postgres(await unusedPort(), join(folder, 'data'), this.#user)
    standby.#own(folder)
    const url = `postgres://postgres:super@127.0.0.1:${this.port}/postgres?application_name=standby`
    this.#run('pg_basebackup', ['-D', standby.data, '-d', url, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'])
    appendFileSync(join(standby.data, 'postgresql.auto.conf'), `port = ${standby.port}\n`)
    await standby.begin()
    return standby
  }

  /** From now on, nothing that its standby lacks is committed. */
  async waitForStandby(): Promise<void> {
    await this.asks("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.asks('SELECT pg_reload_conf()')
    await until('the standby is synchronous', async () => {
      const [standby] = await this.asks('SELECT sync_state FROM pg_stat_replication')
      return standby?.sync_state === 'sync'
    })
  }

  promote(): Promise<unknown> {
    return this.asks('SELECT pg_promote()')
  }

  #secure(files: NonNullable<PostgresOptions['tls']>): void {
    for (const [name, bytes] of [
      ['server.crt', files.cert],
      ['server.key', files.key],
    ] as const) {
      const path = join(this.data, name)
      writeFileSync(path, bytes, { mode: 0o600 })
      if (this.#user !== undefined) chownSync(path, this.#user.uid, this.#user.gid)
    }
    appendFileSync(join(this.data, 'postgresql.auto.conf'), 'ssl = on\n')
  }

  #own(folder: string): void {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
    if (this.#user !== undefined) chownSync(folder, this.#user.uid, this.#user.gid)
  }

  #password(folder: string): string {
    const file = join(folder, 'password')
    writeFileSync(file, 'super')
    if (this.#user !== undefined) chownSync(file, this.#user.uid, this.#user.gid)
    return file
  }

  #program(name: string): string {
    // A link to it may lie elsewhere, by itself.
    return join(dirname(realpathSync(pathOf('postgres')!)), name)
  }

  #run(name: string, args: readonly string[]): void {
    execFileSync(this.#program(name), args, { ...this.#user, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' })
  }
}
