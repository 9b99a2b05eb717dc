/** Compares a replica with the accounts' store without changing either, as the sync script does (accounts-scripts.ts). */
import type { Redis } from 'ioredis'
import type { ReplicaState } from '../../store/store-records.ts'
import { storeKey } from './accounts-scripts.ts'
import { rejectionOf } from './rejections.ts'
import { keyNamed } from './replication-connection.ts'

const changesKey = keyNamed('changes')

export interface Rejection {
  /** How the store differs from the replica. */
  readonly state: 'empty' | 'other' | 'older' | 'diverged'
  /** As `rejectionOf` says it, without advice. */
  readonly reason: string
}

/** Why the replica can't follow the store; undefined if it can. Rejects with errors of Redis. */
export async function rejectionIn(redis: Redis, replica: ReplicaState): Promise<Rejection | undefined> {
  const rejection = (state: Rejection['state'], number = -1): Rejection => ({
    state,
    reason: rejectionOf({ state, number }, replica, ''),
  })
  const id = await redis.hget(storeKey, 'id')
  if (id === null) return rejection('empty')
  if (id !== replica.id) return rejection('other')
  const number = numberIn(await redis.xrevrange(changesKey, '+', '-', 'COUNT', 1))
  if (replica.number > number) return rejection('older', number)
  const oldest = numberIn(await redis.xrange(changesKey, '-', '+', 'COUNT', 1))
  if (!replica.whole || replica.number < oldest) return undefined
  const own = `${replica.number}-${replica.mark}`
  const isThere = (await redis.xrange(changesKey, own, own)).length > 0
  return isThere ? undefined : rejection('diverged')
}

/** The number of the one change in the list; -1 if the list is empty. */
const numberIn = ([change]: readonly (readonly [id: string, fields: unknown])[]): number =>
  change === undefined ? -1 : Number.parseInt(change[0], 10)
