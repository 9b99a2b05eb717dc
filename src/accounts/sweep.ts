/** Removes what has ended of the people's tables, in pieces, so that nobody waits for long. */
import { lookUpWindowMs, sweepRecordsMax } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { sessionEnd } from './sessions.ts'
import { isForgotten } from './sign-in.ts'

/** Yields after each piece. Throws AccountsError. */
export function* sweepPeople(store: Store, now: number): Generator<void> {
  const { signInLinks, sessions, lookUps } = store.people
  yield* sweep(store, signInLinks, ([, expiresAt]) => isForgotten(expiresAt, now))
  yield* sweep(store, sessions, (session) => now >= sessionEnd(session))
  yield* sweep(store, lookUps, ([from]) => now >= from + lookUpWindowMs)
}

/** What a sweep needs of lmdb's table. */
interface Table<Key, Value> {
  getRange(options: { start?: Key; limit: number }): Iterable<{ key: Key; value: Value }>
  removeSync(key: Key): unknown
}

function* sweep<Key, Value>(
  store: Store,
  table: Table<Key, Value>,
  hasEnded: (value: Value) => boolean,
): Generator<void> {
  let start: Key | undefined
  for (;;) {
    store.refresh()
    const seen = [
      ...table.getRange(start === undefined ? { limit: sweepRecordsMax } : { start, limit: sweepRecordsMax }),
    ]
    const ended = seen.filter(({ value }) => hasEnded(value))
    if (ended.length > 0) {
      store.write(() => {
        // A session may have been used meanwhile.
        for (const { key } of ended) removeEnded(table, key, hasEnded)
      })
    }
    if (seen.length < sweepRecordsMax) return
    start = seen.at(-1)!.key
    yield
  }
}

function removeEnded<Key, Value>(table: Table<Key, Value>, key: Key, hasEnded: (value: Value) => boolean): void {
  const [found] = [...table.getRange({ start: key, limit: 1 })]
  if (found !== undefined && hasEnded(found.value)) table.removeSync(found.key)
}
