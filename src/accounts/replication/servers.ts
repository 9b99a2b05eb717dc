/**
 * Finds the servers that live, and those of them that lack a change. A silent server may be dead, frozen, or cut off
 * from the database:
 *
 *   its last heartbeat is at most 3.5 s old ························ it lives
 *   its connection is open, so its advisory lock is held ··········· frozen or cut off; it may still accept keys
 *   the database was started a moment ago, and no sign-off came ···· it may be reconnecting
 *   none of these ·················································· dead: nobody waits for it
 */
import { serverGoneMsMin, serverHeardMsMax } from './timing.ts'

export interface ServerStatus {
  readonly address: string
  /** The id of the accounts that the server has a copy of; null without a copy. */
  readonly store: string | null
  /** The last change in the server's copy. */
  readonly number: number
  /** The version that the server serves; null before its first version. */
  readonly version: string | null
  readonly nextAccount: number
  readonly nextKey: number
  /** The time (ms) since the server's last heartbeat. */
  readonly silentMs: number
  readonly isConnected: boolean
}

export interface ServerList {
  readonly servers: readonly ServerStatus[]
  /** How long ago (ms) servers first saw the current run of the database. */
  readonly runsMs: number
}

/** Returns the servers that may be live and lack that change. */
export function lackingServers({ servers, runsMs }: ServerList, store: string, number: number): ServerStatus[] {
  return servers.filter((server) => {
    if (server.store === store && server.number >= number) return false
    return server.isConnected || server.silentMs < serverGoneMsMin || runsMs < serverHeardMsMax
  })
}
