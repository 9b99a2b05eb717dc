/** The accounts' store that servers share, as typed calls of its scripts (accounts-scripts.ts describes its keys and answers). */

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AccountsError } from '../../store/accounts-error.ts'
import type { ReplicaState } from '../../store/store-records.ts'
import type { Numbered } from '../../store/tables.ts'
import { accountsScripts, storeKey } from './accounts-scripts.ts'
import { keyNamed, type ReplicationConnection } from './replication-connection.ts'
import { listServers, type ServerList } from './servers.ts'
import { replicationRecoveryMs } from './timing.ts'

/** The bytes must be Buffers, because ioredis would send any other Uint8Array as text. */
type Script<Answer> = (json: string, ...bytes: Buffer[]) => Promise<Answer>

declare module 'ioredis' {
  interface RedisCommander {
    syncAccountsBuffer: Script<Buffer[]>
    appendAccounts: Script<string>
    snapshotAccounts: Script<string>
    replaceAccounts: Script<string>
  }
}

/** A server sends this report each time that it asks for changes. */
export interface Heartbeat {
  readonly serverId: string
  /** Differs at each start, so that two servers with one id are noticed. */
  readonly process: string
  readonly isFirst: boolean
  readonly address: string
  /** The version that the server serves. */
  readonly version?: string | undefined
  /** Signs the server off: nobody waits for it any more. */
  readonly leaves?: true
}

/** A place in the history of changes. */
export interface Position {
  readonly number: number
  readonly mark: string
}

export interface Change extends Position {
  readonly changeset: Uint8Array
}

export type SyncResult =
  | { readonly state: 'empty' | 'duplicate' | 'left'; readonly number?: never }
  /** The replica is up to date, or can't follow this store. */
  | { readonly state: 'same' | 'other' | 'older' | 'diverged'; readonly id: string; readonly number: number }
  | {
      readonly state: 'snapshot'
      readonly id: string
      readonly number: number
      readonly snapshot: string
      readonly base: Position
    }
  | { readonly state: 'changes'; readonly id: string; readonly number: number; readonly changes: readonly Change[] }

export interface Appended {
  readonly state: 'made' | 'behind' | 'recovering' | 'empty' | 'other' | 'older' | 'diverged'
  /** The number of the store's last change. */
  readonly number?: number
  /** If appended: the changes since the last snapshot, and their bytes. */
  readonly changes?: number
  readonly bytes?: number
}

export interface Replacing {
  /** `begin` writes only into an empty store, `push` also into an older one. */
  readonly how: 'begin' | 'push'
  /** Writes into any store, even if servers have more changes. */
  readonly isForced?: boolean
  /** Changes to append after the file's accounts. */
  readonly changes?: readonly Change[]
}

export type Replaced =
  | { readonly state: 'recovering' | 'unstaged' | 'taken' | 'other' }
  | { readonly state: 'made'; readonly number: number }
  | { readonly state: 'newer'; readonly number: number }
  | { readonly state: 'server'; readonly address: string; readonly number: number }

const snapshotKey = (name: string) => keyNamed(`snapshot:${name}`)
/** `RANDOM-SHA256`, so that a reader can check the parts. Random, because the same file may be staged twice at once. */
const newSnapshotName = (bytes: Buffer) =>
  `${randomBytes(8).toString('hex')}-${createHash('sha256').update(bytes).digest('hex')}`
/** Releases up to 2.0 named snapshots without a checksum. */
const checksumIn = (name: string): string | undefined => name.split('-')[1]
const partBytes = 1024 * 1024
/** A staged snapshot that is never used expires. */
const stagedSeconds = 3600
const pollMs = 100

export const newStoreId = (): string => randomBytes(8).toString('hex')
/** The mark of a new history. */
export const newMark = (): string => String(randomInt(1, 2 ** 48 - 1))

/** Numbers and marks changesets that follow a position. */
export function changesAfter({ number, mark }: Position, changesets: readonly Uint8Array[]): Change[] {
  let before = mark
  return changesets.map((changeset, i) => {
    before = markAfter(before, changeset)
    return { number: number + i + 1, mark: before, changeset }
  })
}

/** 48 bits of a hash over the previous mark and the change. */
export const markAfter = (mark: string, changeset: Uint8Array): string =>
  String(Number.parseInt(createHash('sha256').update(mark).update(changeset).digest('hex').slice(0, 12), 16))

/** All methods reject with an AccountsError if the store can't be asked. */
export class SharedStore {
  readonly connection: ReplicationConnection

  constructor(connection: ReplicationConnection) {
    this.connection = connection
    connection.define(accountsScripts, storeKey)
  }

  get #runId(): string {
    const { runId, awayError } = this.connection
    if (runId === undefined) throw awayError
    return runId
  }

  /** Returns what the replica lacks. @param heartbeat of a server; absent for other processes */
  async sync(
    replica: ReplicaState | undefined,
    nextNumbers: Readonly<Record<Numbered, number>>,
    heartbeat?: Heartbeat,
  ): Promise<SyncResult> {
    const sent = replica === undefined || replica.number < 0 ? undefined : replica
    const json = JSON.stringify({ run: this.#runId, replica: sent, server: heartbeat, ...nextNumbers })
    const [answer, ...changesets] = await this.connection.query((redis) => redis.syncAccountsBuffer(json))
    const result = JSON.parse(answer!.toString('utf8')) as SyncResult & { readonly marks: readonly string[] }
    if (result.state !== 'changes') return result
    const changes = changesets.map((changeset, i) => {
      return { number: replica!.number + i + 1, mark: result.marks[i]!, changeset }
    })
    return { ...result, changes }
  }

  async append(replica: ReplicaState, changes: readonly Change[]): Promise<Appended> {
    const json = JSON.stringify({ run: this.#runId, replica, marks: changes.map(({ mark }) => mark) })
    return JSON.parse(await this.connection.query((redis) => redis.appendAccounts(json, ...bytesOf(changes))))
  }

  /** Whether the store's stream contains that change. */
  async has({ number, mark }: Position): Promise<boolean> {
    const entryId = `${number}-${mark}`
    return (await this.connection.query((redis) => redis.xrange(keyNamed('changes'), entryId, entryId))).length > 0
  }

  /**
   * Writes a snapshot into the file. Rejects also if the snapshot is damaged, or if it was replaced and expires during
   * the load.
   */
  async loadSnapshot(snapshot: string, file: string): Promise<void> {
    rmSync(file, { force: true })
    const key = snapshotKey(snapshot)
    const parts = await this.connection.query((redis) => redis.llen(key))
    if (parts === 0) {
      throw new AccountsError("the accounts' store has lost its snapshot: push a replica (card-prices accounts push)")
    }
    const hash = createHash('sha256')
    for (let i = 0; i < parts; i++) {
      const part = await this.connection.query((redis) => redis.lindexBuffer(key, i))
      if (part === null) {
        throw new AccountsError("the accounts' store has replaced the snapshot that was read: try again")
      }
      hash.update(part)
      appendFileSync(file, part, { mode: 0o600 })
    }
    const checksum = checksumIn(snapshot)
    if (checksum !== undefined && checksum !== hash.digest('hex')) {
      throw new AccountsError(
        "the accounts' store holds a damaged snapshot: push a replica (card-prices accounts push)",
      )
    }
  }

  /** Uploads a file as a newer snapshot of the store's accounts. @param replica the state that the file shows */
  async saveSnapshot(file: string, replica: ReplicaState): Promise<void> {
    const staged = await this.#stage(file)
    const json = JSON.stringify({ run: this.#runId, replica, ...staged })
    await this.connection.query((redis) => redis.snapshotAccounts(json))
  }

  /**
   * Replaces the accounts of the store by those of the file. Waits while the store recovers from a restart.
   * @param replica the file's state, with the mark of the new history
   */
  async replace(
    file: string,
    replica: Position & { readonly id: string },
    { how, isForced = false, changes = [] }: Replacing,
  ): Promise<Replaced> {
    const staged = await this.#stage(file)
    const marks = changes.map(({ mark }) => mark)
    const json = JSON.stringify({ run: this.#runId, replica, how, isForced, marks, ...staged })
    for (const until = performance.now() + 2 * replicationRecoveryMs; ; await pause(pollMs)) {
      const answer = await this.connection.query((redis) => redis.replaceAccounts(json, ...bytesOf(changes)))
      const replaced = JSON.parse(answer) as Replaced
      if (replaced.state !== 'recovering' || performance.now() > until) return replaced
    }
  }

  /** Uploads the file. Parts can be lost on the way, so the script compares their number. */
  async #stage(file: string): Promise<{ snapshot: string; parts: number }> {
    const bytes = readFileSync(file)
    const snapshot = newSnapshotName(bytes)
    const key = snapshotKey(snapshot)
    for (let at = 0; at < bytes.length; at += partBytes) {
      const part = bytes.subarray(at, at + partBytes)
      // Each part renews the expiry, because this process can be killed after any of them.
      await this.connection.query((redis) => redis.multi().rpush(key, part).expire(key, stagedSeconds).exec())
    }
    return { snapshot, parts: Math.ceil(bytes.length / partBytes) }
  }

  /**
   * Returns the servers. If the store was just started, first waits until live servers have had time for a heartbeat.
   */
  async serversAfterRecovery(): Promise<ServerList> {
    for (;;) {
      // The script records since when the store runs.
      await this.sync(undefined, { nextAccount: 0, nextKey: 0 })
      const list = await this.servers()
      if (list.runsMs >= replicationRecoveryMs) return list
      await pause(pollMs)
    }
  }

  servers(): Promise<ServerList> {
    return this.connection.query(listServers)
  }
}

const bytesOf = (changes: readonly Change[]) => changes.map(({ changeset }) => Buffer.from(changeset))
