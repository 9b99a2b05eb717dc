/**
 * What all servers know together, beside the accounts themselves: what was requested, when keys were used, keys just made. It
 * is about accounts by their numbers, so the id of the shared accounts is in all names.
 */
import type { Store } from '../../store/store.ts'
import { type FeedConnection, keyNamed } from '../feed/connection.ts'

export const nameIn = (id: string, name: string): string => keyNamed(`${id}:${name}`)

/** The id of the accounts that this is a copy of. Throws a StoreError as long as it is of none, or not whole. */
export function copiedId(store: Store, connection: FeedConnection): string {
  const copied = store.setting('copyOf')
  if (copied?.whole !== true) throw connection.away
  return copied.id
}
