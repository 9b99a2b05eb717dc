/**
 * Three servers and all that stands around them, each a real program:
 *
 *   callers ─▶ HAProxy ─┬▶ server 1 ─┬─ line ─▶ PostgreSQL: accounts and quotas
 *                       ├▶ server 2 ─┤
 *                       └▶ server 3 ─┴────────▶ nginx: versions
 *
 * Each server has its own STORE_DIR, INDEX_DIR and line to PostgreSQL, as if it stood on a machine of its own.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Outcome, runAccountsHere, runAccountsOf, temporaryFolder } from '../support/command.ts'
import { unusedPort } from '../support/port.ts'
import { Postgres } from '../support/postgres.ts'
import type { Program } from '../support/program.ts'
import { type Disk, skipWithout } from '../support/programs.ts'
import { startBalancer, startVersionsNginx } from '../support/proxies.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'
import { Line } from './line.ts'

export const skipFleet = skipWithout('haproxy') || skipWithout('nginx') || skipWithout('postgres')

export const serverCount = 3
const versionCount = 4
const filesWord = 'a-word-of-the-test'
const askMsMax = 12_000

export interface Member {
  readonly number: number
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  /** To PostgreSQL. */
  readonly line: Line
  service: Service | undefined
}

/** A server's answer to a direct request: a status, or that it said nothing. */
export type Said = number | 'nothing'

const ids = Array.from({ length: 200 }, (_, i) => `pokemon-base1-${i}`)

/** Cards whose prices tell the version. */
const snapshotAt = (price: number): string =>
  snapshotOf({
    'sets/a.ndjson': [aSet],
    'cards/a.ndjson': ids.map((id) => ({
      id,
      game: 'pokemon',
      name: `Card ${id}`,
      setCode: 'base1',
      prices: { market: price },
    })),
  })

interface Parts {
  readonly postgres: Postgres
  readonly nginx: Program
  readonly balancer: Program
  readonly members: readonly Member[]
  /** Versions that can be published. */
  readonly versions: readonly string[]
  readonly built: string
  /** The folder that nginx serves. */
  readonly published: string
  readonly disk: Disk | undefined
}

/** A folder for a PostgreSQL. */
function postgresFolder(disk: Disk | undefined): string {
  // Its user must get through.
  if (disk !== undefined) chmodSync(dirname(disk.folder), 0o755)
  return disk === undefined ? temporaryFolder() : mkdtempSync(join(disk.folder, 'postgres-'))
}

/** So that a small disk has room for two. */
const walSettings = ['min_wal_size = 32MB', 'max_wal_size = 48MB']

/** HAProxy's line: time of the request, status, server. */
const balanced = /^\S+ \[([^:]+):(\S+)\] GET \S+ 200 .* \S+(\d)$/

export class Fleet {
  readonly #parts: Parts
  /** The present primary. */
  postgres: Postgres
  #standby: Postgres | undefined
  readonly balancer: Program
  readonly members: readonly Member[]
  readonly versions: readonly string[]
  current = ''

  private constructor(parts: Parts) {
    this.#parts = parts
    this.postgres = parts.postgres
    this.balancer = parts.balancer
    this.members = parts.members
    this.versions = parts.versions
  }

  /**
   * Servers that run and serve the first version, over accounts that a server alone had.
   * @param accountsOf makes them, by a STORE_DIR without DATABASE_URL
   * @param env more settings of all servers
   * @param disk has the files of PostgreSQL
   */
  static async start(
    accountsOf: (storeDir: string) => Promise<unknown>,
    env: Readonly<Record<string, string>> = {},
    disk?: Disk,
  ): Promise<Fleet> {
    const [built, published] = [temporaryFolder(), temporaryFolder()]
    const versions: string[] = []
    for (let price = 1; price <= versionCount; price++) versions.push(await addVersion(built, snapshotAt(price)))
    const folder = postgresFolder(disk)
    const postgres = await Postgres.start({ folder, settings: walSettings })
    const nginx = await startVersionsNginx(published, await unusedPort(), { word: filesWord })
    const members: Member[] = []
    for (let number = 1; number <= serverCount; number++) {
      const line = await Line.open(postgres.port)
      const [port, url] = [await unusedPort(), postgres.url(line.port)]
      const dirs = { STORE_DIR: temporaryFolder(), INDEX_DIR: temporaryFolder() }
      const origin = {
        INDEX_URL: `http://127.0.0.1:${nginx.port}`,
        INDEX_URL_HEADER: `Authorization: Bearer ${filesWord}`,
      }
      const own = { DATABASE_URL: url, ...dirs, ...origin, PORT: `${port}`, DRAIN_SECONDS: '3', ...env }
      members.push({ number, port, line, env: own, service: undefined })
    }
    await accountsOf(members[0]!.env['STORE_DIR']!)
    const balancer = await startBalancer(members.map(({ port }) => port))
    const fleet = new Fleet({ postgres, nginx, balancer, members, versions, built, published, disk })
    const moved = await runAccountsHere(members[0]!.env['STORE_DIR']!, 'move', postgres.url())
    assert.equal(moved.code, 0, moved.stderr)
    fleet.publish(versions[0]!)
    await Promise.all(members.map((member) => fleet.startServer(member)))
    await fleet.untilServed()
    return fleet
  }

  async startServer(member: Member): Promise<void> {
    member.service = await startService({ ...member.env })
  }

  /** Returns when it has ended. */
  async endServer(member: Member, signal: NodeJS.Signals): Promise<void> {
    const { child } = member.service!
    member.service = undefined
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  /** As a copy does it: the version's folder first, then `current` in one step. */
  publish(version: string): void {
    const { built, published } = this.#parts
    if (!existsSync(join(published, version)))
      cpSync(join(built, version), join(published, version), { recursive: true })
    makeCurrent(published, version)
    this.current = version
  }

  /** How many 200s HAProxy has given: all, or a server's to requests since a moment (ms since 1970). */
  answered(server?: Member, since = 0): number {
    return this.balancer.lines.filter((line) => {
      const [, date, time, number] = balanced.exec(line) ?? []
      if (date === undefined || server === undefined) return date !== undefined
      return Number(number) === server.number && Date.parse(`${date.replaceAll('/', ' ')} ${time}`) >= since
    }).length
  }

  /** Of a server; undefined while it serves none, or does not answer. */
  async served({ port }: Member): Promise<string | undefined> {
    const answer = await send(`http://127.0.0.1:${port}`, '/healthz').catch(() => undefined)
    return answer?.status === 200 ? answer.json.version : undefined
  }

  /** Returns how long it took until every server that runs served what `current` names (ms). */
  async untilServed(msMax?: number): Promise<number> {
    const start = performance.now()
    const running = this.members.filter(({ service }) => service !== undefined)
    for (const member of running) {
      await until(
        `server ${member.number} serves ${this.current}`,
        async () => (await this.served(member)) === this.current,
        msMax,
      )
    }
    return performance.now() - start
  }

  /** Asks a server itself. */
  ask({ port }: Member, key: string): Promise<Said> {
    const asked = send(`http://127.0.0.1:${port}`, '/v1/games', { headers: { 'x-api-key': key } })
    const late = pause(askMsMax, 'nothing' as const, { ref: false })
    return Promise.race([asked.then(({ status }) => status).catch(() => 'nothing' as const), late])
  }

  askAll(key: string): Promise<Said[]> {
    return Promise.all(this.members.map((member) => this.ask(member, key)))
  }

  /** The result of `npm run accounts` on a server's machine. */
  accounts({ env }: Member, ...args: string[]): Promise<Outcome> {
    return runAccountsOf(env, ...args)
  }

  /** From now on, the address of the database is that of another program. */
  lead(port: number): void {
    for (const { line } of this.members) line.lead(port)
  }

  async addStandby(): Promise<Postgres> {
    this.#standby = await this.postgres.standby(postgresFolder(this.#parts.disk))
    return this.#standby
  }

  /** Promotes the standby, which gets the address of the primary. That has ended. */
  async failOver(): Promise<void> {
    const [old, standby] = [this.postgres, this.#standby!]
    await standby.promote()
    this.lead(standby.port)
    this.postgres = standby
    this.#standby = undefined
    rmSync(dirname(old.data), { recursive: true })
  }

  get disk(): Disk | undefined {
    return this.#parts.disk
  }

  /** The requests that all servers have counted. */
  async usage(member: Member): Promise<number> {
    const { code, stdout, stderr } = await this.accounts(member, 'usage', '--all', '--json')
    assert.equal(code, 0, stderr)
    return (JSON.parse(stdout) as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0)
  }

  async stop(): Promise<void> {
    const running = this.members.filter(({ service }) => service !== undefined)
    for (const { service } of running) service!.child.kill('SIGCONT')
    await Promise.all(running.map((member) => this.endServer(member, 'SIGTERM')))
    await this.balancer.stop()
    await this.#parts.nginx.stop()
    await this.postgres.end('SIGKILL')
    await this.#parts.disk?.unmount()
    for (const { line } of this.members) line.close()
  }
}
