/**
 * What all servers know together, beside the accounts themselves: who is signed in, what was requested, when keys were used.
 * It is about accounts by their numbers, so it is read and written only in the store that this copy is of: each script looks
 * at the store's id first, and the id is in all names, so that nothing of other accounts is ever taken for these.
 */
import type { Store } from '../../store/store.ts'
import { type FeedConnection, keyNamed } from '../feed/connection.ts'

/** `KEYS[1]` of every script. */
export const storeName = keyNamed('store')

/** How every script begins; `ARGV[1]` is the id of the store that the copy is of. */
export const sameStore = `
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return redis.error_reply('ERR it holds other accounts than this copy, or none')
end
`

/** The name of something in the store with that id. */
export const nameIn = (id: string, name: string): string => keyNamed(`${id}:${name}`)

/** The id of the store that this is a copy of. Throws a StoreError as long as it is of none, or not whole. */
export function copiedId(store: Store, connection: FeedConnection): string {
  const copied = store.setting('copyOf')
  if (copied?.whole !== true) throw connection.away
  return copied.id
}
