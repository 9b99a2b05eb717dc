/**
 * Which servers live, and which of them lack a change. A silent server may be dead, frozen, or cut off from the store:
 *
 *   its last heartbeat is at most 3.5 s old ························ it lives
 *   its connection is open: its kernel has not closed it ··········· frozen or cut off; it may still accept keys
 *   the store was started a moment ago, and no sign-off came ········ it may be reconnecting
 *   none of these ·················································· dead: nobody waits for it
 */

import type { Redis } from 'ioredis'
import { connectionNameOf, keyNamed } from './replication-connection.ts'
import { serverGoneMsMin, serverHeardMsMax } from './timing.ts'

export interface ServerStatus {
  readonly address: string
  /** The id of the accounts that it replicates; undefined without a replica. */
  readonly store?: string
  /** The last change that its replica has. */
  readonly number: number
  /** The version that the server serves. Undefined before its first version, and for servers of earlier releases. */
  readonly version?: string
  readonly nextAccount: number
  readonly nextKey: number
  /** ms since its last heartbeat. */
  readonly silentMs: number
  readonly isConnected: boolean
}

export interface ServerList {
  readonly servers: readonly ServerStatus[]
  /** How long ago (ms) servers first saw the store's present run. */
  readonly runsMs: number
}

export async function listServers(redis: Redis): Promise<ServerList> {
  const pipeline = redis.pipeline().time().hget(keyNamed('store'), 'since').hgetall(keyNamed('servers'))
  const [time, since, entries, clients] = (await pipeline.call('CLIENT', 'LIST').exec())!.map(([error, value], i) => {
    // CLIENT LIST may be forbidden: then only heartbeats count.
    if (error !== null && i < 3) throw error
    return value
  }) as [[number, number], string | null, Record<string, string>, unknown]
  const now = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000)
  const names = new Set(typeof clients === 'string' ? clients.match(/(?<= name=)\S+/g) : [])
  const servers = Object.entries(entries).map(([id, entry]) => {
    const { heard, ...server } = JSON.parse(entry) as ServerStatus & { readonly heard: number }
    return { ...server, silentMs: now - heard, isConnected: names.has(connectionNameOf(id)) }
  })
  return { servers, runsMs: now - Number(since ?? now) }
}

/** The servers that may be live and lack that change. */
export function lackingServers({ servers, runsMs }: ServerList, store: string, number: number): ServerStatus[] {
  return servers.filter((server) => {
    if (server.store === store && server.number >= number) return false
    return server.isConnected || server.silentMs < serverGoneMsMin || runsMs < serverHeardMsMax
  })
}
