/** The accounts' store as those who copy and change it speak to it: what its scripts take and return, in words. */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { replicationSettlingMs } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { CopyOf } from '../../store/records.ts'
import type { Numbered } from '../../store/tables.ts'
import { keyNamed, type ReplicationConnection } from './connection.ts'
import { askScript, changeScript, leaveScript, replaceScript, snapshotScript } from './scripts.ts'
import { type FoundServers, foundServers } from './servers.ts'

/** No other Uint8Array than a Buffer: its numbers would be sent as text. */
type Script<Answer> = (json: string, ...bytes: Buffer[]) => Promise<Answer>

declare module 'ioredis' {
  interface RedisCommander {
    askAccountsBuffer: Script<Buffer[]>
    changeAccounts: Script<string>
    snapshotAccounts: Script<string>
    replaceAccounts: Script<string>
    leaveAccounts: Script<void>
  }
}

/** Who asks as a server that lives. */
export interface Asking {
  readonly serverId: string
  readonly process: string
  readonly isFirst: boolean
  readonly address: string
}

export interface At {
  readonly number: number
  readonly mark: string
}

export interface Change extends At {
  readonly changeset: Uint8Array
}

export type Lack =
  | { readonly state: 'empty' | 'supplanted'; readonly number?: never }
  /** Whether the copy is as the store, or is of another history. */
  | { readonly state: 'same' | 'other' | 'older' | 'diverged'; readonly id: string; readonly number: number }
  /** It must be made anew. */
  | {
      readonly state: 'copy'
      readonly id: string
      readonly number: number
      readonly snapshot: string
      readonly base: At
    }
  | { readonly state: 'changes'; readonly id: string; readonly number: number; readonly changes: readonly Change[] }

export interface Made {
  readonly state: 'made' | 'behind' | 'settling' | 'empty' | 'other' | 'older' | 'diverged'
  /** Of the store's last change. */
  readonly number?: number
  /** If it was made: changes since the snapshot, and their bytes. */
  readonly changes?: number
  readonly bytes?: number
}

export type Replaced =
  | { readonly state: 'settling' | 'unstaged' | 'taken' | 'other' }
  | { readonly state: 'made'; readonly number: number }
  | { readonly state: 'newer'; readonly number: number }
  | { readonly state: 'server'; readonly address: string; readonly number: number }

const snapshotKey = (name: string) => keyNamed(`snapshot:${name}`)
const pieceBytes = 1024 * 1024
/** A staged snapshot that is never taken expires. */
const stagedSeconds = 3600
const lookMs = 100

export const newStoreId = (): string => randomBytes(8).toString('hex')
/** Of a history that begins. */
export const newMark = (): string => String(randomInt(1, 2 ** 48 - 1))

/** Changes that follow that state, each with a mark that tells whether it is whole and what came before it. */
export function changesAfter({ number, mark }: At, changesets: readonly Uint8Array[]): Change[] {
  let before = mark
  return changesets.map((changeset, i) => {
    before = markAfter(before, changeset)
    return { number: number + i + 1, mark: before, changeset }
  })
}

/** 48 bits of a hash over the mark before and the change. */
export const markAfter = (mark: string, changeset: Uint8Array): string =>
  String(Number.parseInt(createHash('sha256').update(mark).update(changeset).digest('hex').slice(0, 12), 16))

export class SharedStore {
  readonly connection: ReplicationConnection

  constructor(connection: ReplicationConnection) {
    this.connection = connection
    const { redis } = connection
    const scripts = { askScript, changeScript, snapshotScript, replaceScript, leaveScript }
    for (const [name, lua] of Object.entries(scripts)) {
      redis.defineCommand(name.replace('Script', 'Accounts'), { numberOfKeys: 0, lua })
    }
  }

  /** All of it reject with an AccountsError where the store can't be asked. */
  get #run(): string {
    const { run, away } = this.connection
    if (run === undefined) throw away
    return run
  }

  /** Returns what the copy lacks. @param server absent: asked by one that is no server */
  async ask(copy: CopyOf | undefined, next: Readonly<Record<Numbered, number>>, server?: Asking): Promise<Lack> {
    const own = copy === undefined || copy.number < 0 ? undefined : copy
    const question = JSON.stringify({ run: this.#run, copy: own, server, ...next })
    const [told, ...changesets] = await this.connection.ask((redis) => redis.askAccountsBuffer(question))
    const lack = JSON.parse(told!.toString('utf8')) as Lack & { readonly marks: readonly string[] }
    if (lack.state !== 'changes') return lack
    const changes = changesets.map((changeset, i) => {
      return { number: copy!.number + i + 1, mark: lack.marks[i]!, changeset }
    })
    return { ...lack, changes }
  }

  async change(copy: CopyOf, changes: readonly Change[]): Promise<Made> {
    const wish = JSON.stringify({ run: this.#run, copy, marks: changes.map(({ mark }) => mark) })
    return JSON.parse(await this.connection.ask((redis) => redis.changeAccounts(wish, ...bytesOf(changes)))) as Made
  }

  /** Whether the store has had that change, as far as it knows still. */
  async has({ number, mark }: At): Promise<boolean> {
    const at = `${number}-${mark}`
    return (await this.connection.ask((redis) => redis.xrange(keyNamed('changes'), at, at))).length > 0
  }

  /** Writes a snapshot into the file. Rejects also where it is replaced, and expires, while it is read. */
  async load(snapshot: string, file: string): Promise<void> {
    rmSync(file, { force: true })
    const key = snapshotKey(snapshot)
    const pieces = await this.connection.ask((redis) => redis.llen(key))
    if (pieces === 0) throw new AccountsError("the accounts' store has lost its snapshot: push a copy")
    for (let i = 0; i < pieces; i++) {
      const piece = await this.connection.ask((redis) => redis.lindexBuffer(key, i))
      if (piece === null)
        throw new AccountsError("the accounts' store has replaced the snapshot that was read: try again")
      appendFileSync(file, piece, { mode: 0o600 })
    }
  }

  /** Puts a file there as a snapshot of that state of the same accounts. */
  async snapshot(file: string, copy: CopyOf): Promise<void> {
    const staged = await this.#stage(file)
    const wish = JSON.stringify({ run: this.#run, copy, ...staged })
    await this.connection.ask((redis) => redis.snapshotAccounts(wish))
  }

  /**
   * Makes the file the accounts of the store. Waits for a store that settles.
   * @param copy of the state that it is from, with the mark of the history that begins
   * @param changes made after it at once
   */
  async replace(
    file: string,
    copy: At & { readonly id: string },
    how: 'begin' | 'push',
    isForced: boolean,
    changes: readonly Change[] = [],
  ): Promise<Replaced> {
    const staged = await this.#stage(file)
    const marks = changes.map(({ mark }) => mark)
    const wish = JSON.stringify({ run: this.#run, copy, how, isForced, marks, ...staged })
    for (const until = performance.now() + 2 * replicationSettlingMs; ; await pause(lookMs)) {
      const told = await this.connection.ask((redis) => redis.replaceAccounts(wish, ...bytesOf(changes)))
      const replaced = JSON.parse(told) as Replaced
      if (replaced.state !== 'settling' || performance.now() > until) return replaced
    }
  }

  /** Pieces may be lost on the way: the script compares their number. */
  async #stage(file: string): Promise<{ snapshot: string; pieces: number }> {
    const snapshot = randomBytes(8).toString('hex')
    const key = snapshotKey(snapshot)
    const bytes = readFileSync(file)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      // The process that stages can die after any of them.
      await this.connection.ask((redis) => redis.multi().rpush(key, piece).expire(key, stagedSeconds).exec())
    }
    return { snapshot, pieces: Math.ceil(bytes.length / pieceBytes) }
  }

  /** The servers that there are, when those that live have had time to tell a store that was just started. */
  async settledServers(): Promise<FoundServers> {
    for (;;) {
      // By that the store knows since when it runs.
      await this.ask(undefined, { nextAccount: 0, nextKey: 0 })
      const found = await this.servers()
      if (found.runsMs >= replicationSettlingMs) return found
      await pause(lookMs)
    }
  }

  servers(): Promise<FoundServers> {
    return this.connection.ask(foundServers)
  }

  async leave(server: Pick<Asking, 'serverId' | 'process'>): Promise<void> {
    await this.connection.ask((redis) => redis.leaveAccounts(JSON.stringify(server)))
  }
}

const bytesOf = (changes: readonly Change[]) => changes.map(({ changeset }) => Buffer.from(changeset))
