/** The accounts' store as those who copy and change it speak to it: what its scripts take and tell, in words. */

import { feedAnswerBytesMax } from '../../limits.ts'
import type { Changed, Numbered } from '../../store/changed.ts'
import type { CopyOf } from '../../store/records.ts'
import { type FeedConnection, keyNamed } from './connection.ts'
import { changedOf, type Entry, loggedBytes } from './entry.ts'
import { askScript, changeScript, leaveScript, replaceScript } from './scripts.ts'
import { type FoundServers, foundServers } from './servers.ts'

declare module 'ioredis' {
  interface RedisCommander {
    askAccountsBuffer(...values: (string | number | Buffer)[]): Promise<Buffer[]>
    changeAccounts(...values: (string | number | Buffer)[]): Promise<string[]>
    replaceAccounts(...values: (string | number | Buffer)[]): Promise<string[]>
    leaveAccounts(...values: (string | number | Buffer)[]): Promise<void>
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

export type Lack =
  | { readonly state: 'empty' | 'supplanted' }
  /** Whether the copy is as the store, must be made anew, or is of another history. */
  | {
      readonly state: 'same' | 'copy' | 'other' | 'older' | 'diverged'
      readonly id: string
      readonly number: number
      readonly chain: string
    }
  | { readonly state: 'changes'; readonly id: string; readonly number: number; readonly entries: readonly Buffer[] }

export type Made = 'made' | 'behind' | 'settling' | 'empty' | 'other' | 'older' | 'diverged'

export type Replaced =
  | { readonly state: 'made'; readonly number: number; readonly counters: Readonly<Record<Numbered, number>> }
  | { readonly state: 'settling' }
  | { readonly state: 'taken'; readonly id: string }
  | { readonly state: 'other'; readonly id: string }
  | { readonly state: 'newer'; readonly number: number }
  | { readonly state: 'server'; readonly address: string; readonly number: number }

/** What is published on with each change. */
export const changedChannel = keyNamed('changed')

const keys = ['store', 'records', 'log', 'servers'].map(keyNamed)
const recordsKey = keyNamed('records')
/** Of records, in one answer. */
const pageRecords = 2000

export class SharedStore {
  readonly connection: FeedConnection

  constructor(connection: FeedConnection) {
    this.connection = connection
    const { redis } = connection
    redis.defineCommand('askAccounts', { numberOfKeys: 4, lua: askScript })
    redis.defineCommand('changeAccounts', { numberOfKeys: 4, lua: changeScript })
    redis.defineCommand('replaceAccounts', { numberOfKeys: 5, lua: replaceScript })
    redis.defineCommand('leaveAccounts', { numberOfKeys: 4, lua: leaveScript })
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
    const values = [serverId, process, Number(isFirst), ...wordsOf(copy), next.nextAccount, next.nextKey, address]
    const told = await this.connection.ask((redis) =>
      redis.askAccountsBuffer(...keys, this.#run, ...values, feedAnswerBytesMax),
    )
    const [state, id = '', number = '', chain = ''] = told.slice(0, 4).map((word) => word.toString('latin1'))
    if (state === 'empty' || state === 'supplanted') return { state }
    if (state === 'changes') return { state, id, number: Number(number), entries: told.slice(4) }
    return { state: state as 'same', id, number: Number(number), chain }
  }

  /** Makes the change if the store is still where the copy is. */
  async change({ id, number, chain }: CopyOf, entry: Entry): Promise<Made> {
    const values = [id, number, chain, entry.chain, entry.records, loggedBytes(entry), changedChannel]
    const [state] = await this.connection.ask((redis) => redis.changeAccounts(...keys, this.#run, ...values))
    return state as Made
  }

  /** Of the change with that number, if the store knows it still. */
  async chainAt(number: number): Promise<string | undefined> {
    const logged = await this.connection.ask((redis) => redis.hgetBuffer(keyNamed('log'), String(number)))
    return logged?.toString('latin1', 0, 32)
  }

  /** All records, page by page; one that is changed meanwhile is there as it was or as it is, or twice. */
  async *records(): AsyncGenerator<readonly Changed[]> {
    let cursor = '0'
    do {
      const [next, found] = await this.connection.ask((redis) =>
        redis.hscanBuffer(recordsKey, cursor, 'COUNT', pageRecords),
      )
      const page: Changed[] = []
      for (let i = 0; i < found.length; i += 2) page.push(changedOf(found[i]!.toString('utf8'), found[i + 1]!))
      yield page
      cursor = next.toString('latin1')
    } while (cursor !== '0')
  }

  /**
   * Puts records beside the store's, for `replace`; those that were staged before for the same name are gone.
   * @param name of the records that are staged together
   */
  async stage(name: string, pages: Iterable<readonly [place: string, record: Buffer][]>): Promise<void> {
    const key = keyNamed(`staged:${name}`)
    await this.connection.ask((redis) => redis.del(key))
    for (const page of pages) {
      if (page.length === 0) continue
      // The process that stages can die after any of them.
      await this.connection.ask((redis) =>
        redis
          .multi()
          .hset(key, ...page.flat())
          .expire(key, stagedSeconds)
          .exec(),
      )
    }
  }

  /** Makes what was staged the accounts of the store. @param number of the copy that they are from */
  async replace(
    name: string,
    copy: { readonly id: string; readonly number: number; readonly chain: string },
    how: 'begin' | 'push',
    isForced: boolean,
  ): Promise<Replaced> {
    const staged = keyNamed(`staged:${name}`)
    const values = [copy.id, copy.number, copy.chain, how, Number(isForced), changedChannel]
    const [state, first = '', second = '', third = ''] = await this.connection.ask((redis) =>
      redis.replaceAccounts(...keys, staged, this.#run, ...values),
    )
    if (state === 'made') {
      const counters = { nextAccount: Number(second), nextKey: Number(third) }
      return { state, number: Number(first), counters }
    }
    if (state === 'settling') return { state }
    if (state === 'newer') return { state, number: Number(first) }
    if (state === 'server') return { state, address: first, number: Number(second) }
    return { state: state as 'taken', id: first }
  }

  /** The servers that there are, and what they have. */
  servers(): Promise<FoundServers> {
    return this.connection.ask(foundServers)
  }

  async leave({ serverId, process }: Pick<Asking, 'serverId' | 'process'>): Promise<void> {
    await this.connection.ask((redis) => redis.leaveAccounts(...keys, serverId, process))
  }
}

/** What was staged and never taken goes by itself. */
export const stagedSeconds = 3600

const wordsOf = (copy: CopyOf | undefined): (string | number)[] =>
  copy === undefined || copy.number < 0 ? ['-', -1, '-', 0] : [copy.id, copy.number, copy.chain, Number(copy.whole)]
