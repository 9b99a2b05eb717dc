/**
 * Which servers live, and whether they have a change. One that is silent may be dead, frozen, or cut off from the store:
 *
 *   silent for less than some seconds ······························ lives
 *   its connection is open: its kernel has not closed it ··········· frozen or cut off, and may let callers in
 *   the store was started a moment ago, and it took no leave ······· may be on its way back
 *   else ··························································· dead: nobody waits for it
 */
import type { Redis } from 'ioredis'
import { serverGoneMsMin, serverHeardMsMax } from '../../limits.ts'
import { connectionNameOf, keyNamed } from './connection.ts'

export interface FoundServer {
  readonly address: string
  /** Of which store its copy is; undefined of none. */
  readonly store?: string
  readonly number: number
  /** The numbers that its copy gives next. */
  readonly nextAccount: number
  readonly nextKey: number
  /** Since when (ms) nothing was heard of it. */
  readonly silentMs: number
  readonly isConnected: boolean
}

export interface FoundServers {
  readonly servers: readonly FoundServer[]
  /** Since when (ms) the store has run. */
  readonly runsMs: number
}

export async function foundServers(redis: Redis): Promise<FoundServers> {
  const asked = redis.pipeline().time().hget(keyNamed('store'), 'since').hgetall(keyNamed('servers'))
  const [time, since, entries, clients] = (await asked.call('CLIENT', 'LIST').exec())!.map(([error, value], i) => {
    // Where that is forbidden, silence alone tells.
    if (error !== null && i < 3) throw error
    return value
  }) as [[number, number], string | null, Record<string, string>, unknown]
  const now = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000)
  const names = new Set(typeof clients === 'string' ? clients.match(/(?<= name=)\S+/g) : [])
  const servers = Object.entries(entries).map(([id, entry]) => {
    const { heard, ...server } = JSON.parse(entry) as FoundServer & { readonly heard: number }
    return { ...server, silentMs: now - heard, isConnected: names.has(connectionNameOf(id)) }
  })
  return { servers, runsMs: now - Number(since ?? now) }
}

/** Those that live and do not have that change of the store yet. */
export function lackingServers({ servers, runsMs }: FoundServers, store: string, number: number): FoundServer[] {
  return servers.filter((server) => {
    if (server.store === store && server.number >= number) return false
    return server.isConnected || server.silentMs < serverGoneMsMin || runsMs < serverHeardMsMax
  })
}
