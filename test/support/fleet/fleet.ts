/**
 * Three servers and all that stands around them, each a real program:
 *
 *   callers ─▶ HAProxy ─┬▶ server 1 ─┬─ line ─▶ Redis: accounts and quotas
 *                       ├▶ server 2 ─┤
 *                       └▶ server 3 ─┴─ faulty files ─▶ nginx: versions
 *
 * Each server has its own STORE_DIR, INDEX_DIR and line, as if it stood on a machine of its own.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../src/process/port.ts'
import { type Outcome, runAccountsHere, runAccountsOf, temporaryFolder } from '../command.ts'
import { skipWithout } from '../programs.ts'
import { type Service, send, startService } from '../service.ts'
import { aSet, snapshotOf } from '../snapshot.ts'
import { until } from '../until.ts'
import { addVersion } from '../versions.ts'
import { startVersionsNginx, type VersionsNginx } from '../versions-nginx.ts'
import { Balancer } from './balancer.ts'
import { DurableRedis } from './durable-redis.ts'
import { FaultyFiles } from './faulty-files.ts'
import { OneWayLine } from './one-way-line.ts'

export const skipFleet = skipWithout('haproxy') || skipWithout('nginx') || skipWithout('redis-server')

export const serverCount = 3
const versionCount = 4
const filesWord = 'a-word-of-the-test'
const askMsMax = 12_000

export interface Member {
  readonly number: number
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  readonly line: OneWayLine
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

export class Fleet {
  readonly redis: DurableRedis
  readonly files: FaultyFiles
  readonly balancer: Balancer
  readonly members: readonly Member[]
  /** Versions that can be published. */
  readonly versions: readonly string[]
  /** The folder that nginx serves. */
  readonly #published: string
  readonly #nginx: VersionsNginx
  readonly #built: string
  current = ''

  private constructor(
    parts: Pick<Fleet, 'redis' | 'files' | 'balancer' | 'members' | 'versions'>,
    nginx: VersionsNginx,
    published: string,
    built: string,
  ) {
    this.redis = parts.redis
    this.files = parts.files
    this.balancer = parts.balancer
    this.members = parts.members
    this.versions = parts.versions
    this.#nginx = nginx
    this.#published = published
    this.#built = built
  }

  /**
   * Servers that run and serve the first version, over accounts that a server alone had.
   * @param accountsOf makes them, by a STORE_DIR without ACCOUNTS_STORE
   * @param env more settings of all servers
   */
  static async start(
    accountsOf: (storeDir: string) => Promise<unknown>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Fleet> {
    const built = temporaryFolder()
    const versions: string[] = []
    for (let price = 1; price <= versionCount; price++) versions.push(await addVersion(built, snapshotAt(price)))
    const redis = await DurableRedis.start()
    const [published, filesPort] = [temporaryFolder(), await freePort('127.0.0.1', 0)]
    const nginx = await startVersionsNginx(published, filesPort, { word: filesWord })
    const files = await FaultyFiles.open(filesPort)
    const members: Member[] = []
    for (let number = 1; number <= serverCount; number++) {
      const line = await OneWayLine.open(redis.program.port)
      const [port, url] = [await freePort('127.0.0.1', 0), redis.url(line.port)]
      const stores = {
        ACCOUNTS_STORE: url,
        QUOTA_STORE: url,
        STORE_DIR: temporaryFolder(),
        INDEX_DIR: temporaryFolder(),
      }
      const settings = {
        ...stores,
        INDEX_URL: files.address,
        INDEX_URL_HEADER: `Authorization: Bearer ${filesWord}`,
        PORT: `${port}`,
        DRAIN_SECONDS: '3',
      }
      members.push({ number, port, line, env: { ...settings, ...env }, service: undefined })
    }
    await accountsOf(members[0]!.env['STORE_DIR']!)
    const balancer = await Balancer.start(members.map(({ port }) => port))
    const fleet = new Fleet({ redis, files, balancer, members, versions }, nginx, published, built)
    const moved = await runAccountsHere(members[0]!.env['STORE_DIR']!, 'move', redis.url())
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
    const folder = this.#published
    if (!existsSync(join(folder, version)))
      cpSync(join(this.#built, version), join(folder, version), { recursive: true })
    writeFileSync(join(folder, 'current.new'), `${version}\n`)
    renameSync(join(folder, 'current.new'), join(folder, 'current'))
    this.current = version
  }

  /** Of a server; undefined while it serves none, or does not answer. */
  async served({ port }: Member): Promise<string | undefined> {
    const answer = await send(`http://127.0.0.1:${port}`, '/healthz').catch(() => undefined)
    return answer?.status === 200 ? answer.json.version : undefined
  }

  /** Returns how long it took until every server that runs served what `current` names (ms). */
  async untilServed(msMax = 30_000): Promise<number> {
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
  async ask({ port }: Member, key: string): Promise<Said> {
    const late = new AbortController()
    const nothing = pause(askMsMax, 'nothing' as const, { signal: late.signal, ref: false }).catch(
      () => 'nothing' as const,
    )
    const asked = send(`http://127.0.0.1:${port}`, '/v1/games', { headers: { 'x-api-key': key } })
    const said = await Promise.race([
      asked.then(
        ({ status }) => status,
        () => 'nothing' as const,
      ),
      nothing,
    ])
    late.abort()
    return said
  }

  askAll(key: string): Promise<Said[]> {
    return Promise.all(this.members.map((member) => this.ask(member, key)))
  }

  /** The result of `npm run accounts` on a server's machine. */
  accounts({ env }: Member, ...args: string[]): Promise<Outcome> {
    return runAccountsOf(env, ...args)
  }

  /** The counts of all servers, by account. */
  async usage(member: Member): Promise<ReadonlyMap<string, number>> {
    const { code, stdout, stderr } = await this.accounts(member, 'usage', '--all', '--json')
    assert.equal(code, 0, stderr)
    const rows = JSON.parse(stdout) as { account: string; requests: number }[]
    const sums = new Map<string, number>()
    for (const { account, requests } of rows) sums.set(account, (sums.get(account) ?? 0) + requests)
    return sums
  }

  async stop(): Promise<void> {
    for (const { service } of this.members) {
      service?.child.kill('SIGCONT')
      service?.child.kill('SIGTERM')
    }
    for (const { service } of this.members)
      if (service !== undefined && service.child.exitCode === null) await once(service.child, 'exit')
    await this.balancer.program.end('SIGTERM')
    await this.#nginx.stop()
    await this.redis.program.end('SIGKILL')
    this.files.close()
    for (const { line } of this.members) line.close()
  }
}
