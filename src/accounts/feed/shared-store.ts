/** The accounts' store as those who copy and change it speak to it: what its scripts take and return, in words. */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { feedAnswerBytesMax, feedLogBytesMax, feedLogChangesMax, feedSettlingMs } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { CopyOf } from '../../store/records.ts'
import type { Numbered } from '../../store/store.ts'
import { type FeedConnection, keyNamed } from './connection.ts'
import { askScript, changeScript, leaveScript, replaceScript, snapshotScript } from './scripts.ts'
import { type FoundServers, foundServers } from './servers.ts'

/** No other Uint8Array than a Buffer: its numbers would be sent as text. */
type Value = string | number | Buffer

declare module 'ioredis' {
  interface RedisCommander {
    askAccountsBuffer(...values: Value[]): Promise<Buffer[]>
    changeAccounts(...values: Value[]): Promise<string[]>
    snapshotAccounts(...values: Value[]): Promise<number>
    replaceAccounts(...values: Value[]): Promise<string[]>
    leaveAccounts(...values: Value[]): Promise<void>
  }
}

/** Who asks as a server that lives. */
export interface Asking {
  readonly serverId: string
  /** Of its own for every start. */
  readonly process: string
  readonly isFirst: boolean
  readonly address: string
}

/** A state of the shared accounts. */
export interface At {
  readonly number: number
  readonly mark: string
}

export interface Change extends At {
  readonly changeset: Uint8Array
}

export type Lack =
  | { readonly state: 'empty' | 'supplanted' }
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

export type Made = 'made' | 'behind' | 'settling' | 'empty' | 'other' | 'older' | 'diverged'

export type Replaced =
  | { readonly state: 'made'; readonly number: number }
  | { readonly state: 'settling' }
  | { readonly state: 'unstaged' }
  | { readonly state: 'taken' }
  | { readonly state: 'other' }
  | { readonly state: 'newer'; readonly number: number }
  | { readonly state: 'server'; readonly address: string; readonly number: number }

/** What is published on with each change. */
export const changedChannel = keyNamed('changed')

const keys = ['store', 'changes', 'servers'].map(keyNamed)
const snapshotKey = (name: string) => keyNamed(`snapshot:${name}`)
const pieceBytes = 1024 * 1024
/** What was staged and never taken goes by itself. */
export const stagedSeconds = 3600
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
  readonly connection: FeedConnection

  constructor(connection: FeedConnection) {
    this.connection = connection
    const { redis } = connection
    redis.defineCommand('askAccounts', { numberOfKeys: 3, lua: askScript })
    redis.defineCommand('changeAccounts', { numberOfKeys: 3, lua: changeScript })
    redis.defineCommand('snapshotAccounts', { numberOfKeys: 4, lua: snapshotScript })
    redis.defineCommand('replaceAccounts', { numberOfKeys: 4, lua: replaceScript })
    redis.defineCommand('leaveAccounts', { numberOfKeys: 3, lua: leaveScript })
  }

  /** All of it reject with an AccountsError where the store can't be asked. */
  get #run(): string {
    const { run, away } = this.connection
    if (run === undefined) throw away
    return run
  }

  /** What the copy lacks. @param asking absent: by one that is no server */
  async ask(copy: CopyOf | undefined, next: Readonly<Record<Numbered, number>>, asking?: Asking): Promise<Lack> {
    const { serverId = '', process = '', isFirst = false, address = '' } = asking ?? {}
    const own = copy === undefined || copy.number < 0 ? ['-', -1, '-', 0] : wordsOf(copy)
    const values = [serverId, process, Number(isFirst), ...own, next.nextAccount, next.nextKey, address]
    const told = await this.connection.ask((redis) =>
      redis.askAccountsBuffer(...keys, this.#run, ...values, feedAnswerBytesMax),
    )
    const [word, id = '', last = '', snapshot = '', base = ''] = told.slice(0, 5).map((part) => part.toString('latin1'))
    const state = word as Lack['state']
    const number = Number(last)
    if (state === 'empty' || state === 'supplanted') return { state }
    if (state === 'copy') return { state, id, number, snapshot, base: atIn(base) }
    if (state !== 'changes') return { state, id, number }
    const changes: Change[] = []
    for (let i = 3; i < told.length; i += 2)
      changes.push({ ...atIn(told[i]!.toString('latin1')), changeset: told[i + 1]! })
    return { state, id, number, changes }
  }

  /** Makes changes, in order, if the store is still where the copy is. */
  async change(
    { id, number, mark }: CopyOf,
    changes: readonly Change[],
  ): Promise<{ made: Made; wantsSnapshot: boolean }> {
    const [made, count, bytes] = await this.connection.ask((redis) =>
      redis.changeAccounts(...keys, this.#run, id, number, mark, changedChannel, ...pairsOf(changes)),
    )
    const wantsSnapshot = Number(count) > feedLogChangesMax || Number(bytes) > feedLogBytesMax
    return { made: made as Made, wantsSnapshot }
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
  async snapshot(file: string, { id, number, mark }: CopyOf): Promise<void> {
    const { name, pieces } = await this.#stage(file)
    await this.connection.ask((redis) =>
      redis.snapshotAccounts(...keys, snapshotKey(name), this.#run, id, `${number}-${mark}`, name, pieces),
    )
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
    changes: readonly Omit<Change, 'number'>[] = [],
  ): Promise<Replaced> {
    const { name, pieces } = await this.#stage(file)
    const values = [
      copy.id,
      copy.number,
      copy.mark,
      how,
      Number(isForced),
      changedChannel,
      name,
      pieces,
      ...pairsOf(changes),
    ]
    for (const until = performance.now() + 2 * feedSettlingMs; ; await pause(lookMs)) {
      const [word, first = '', second = ''] = await this.connection.ask((redis) =>
        redis.replaceAccounts(...keys, snapshotKey(name), this.#run, ...values),
      )
      const state = word as Replaced['state']
      if (state === 'settling' && performance.now() <= until) continue
      if (state === 'made' || state === 'newer') return { state, number: Number(first) }
      if (state === 'server') return { state, address: first, number: Number(second) }
      return { state }
    }
  }

  /** What is staged may be lost on the way: its script compares the number of pieces. */
  async #stage(file: string): Promise<{ name: string; pieces: number }> {
    const name = randomBytes(8).toString('hex')
    const key = snapshotKey(name)
    const bytes = readFileSync(file)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      // The process that stages can die after any of them.
      await this.connection.ask((redis) => redis.multi().rpush(key, piece).expire(key, stagedSeconds).exec())
    }
    return { name, pieces: Math.ceil(bytes.length / pieceBytes) }
  }

  /** The servers that there are, when those that live have had time to tell a store that was just started. */
  async settledServers(): Promise<FoundServers> {
    for (;;) {
      // By that the store knows since when it runs.
      await this.ask(undefined, { nextAccount: 0, nextKey: 0 })
      const found = await this.servers()
      if (found.runsMs >= feedSettlingMs) return found
      await pause(lookMs)
    }
  }

  /** The servers that there are, and what they have. */
  servers(): Promise<FoundServers> {
    return this.connection.ask(foundServers)
  }

  async leave({ serverId, process }: Pick<Asking, 'serverId' | 'process'>): Promise<void> {
    await this.connection.ask((redis) => redis.leaveAccounts(...keys, serverId, process))
  }
}

const pairsOf = (changes: readonly Omit<Change, 'number'>[]) =>
  changes.flatMap(({ mark, changeset }) => [mark, Buffer.from(changeset)])

const wordsOf = ({ id, number, mark, whole }: CopyOf) => [id, number, mark, Number(whole)]

function atIn(entryId: string): At {
  const [number, mark] = entryId.split('-')
  return { number: Number(number), mark: mark! }
}
