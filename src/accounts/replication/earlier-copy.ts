/**
 * Stores of servers of releases before 3.0, which shared accounts in Redis. `accounts move` moves the accounts of one
 * such store. The stores of the other servers become copies at their first start, and keep their own counts.
 */
import type { PostgresConnection } from '../../postgres/connection.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { CopyState } from '../../store/store-records.ts'

/**
 * Makes the store of an earlier release a copy of the accounts that were moved. Rejects with an AccountsError if the
 * store has other accounts, or more changes than were moved. Other stores stay as they are.
 */
export async function adoptEarlierCopy(store: Store, connection: PostgresConnection): Promise<void> {
  const earlier = store.setting('copyOf')
  if (earlier === undefined) return
  const how = 'docs/cluster.md says how, in "Move a cluster of 2.x"'
  if (!connection.isUp) {
    throw new AccountsError(
      `the store ${store.dir} is of release 2.x, and joins the others only while the database answers (${connection.reason})`,
    )
  }
  const [moved] = await connection.query<{ id: string; movedFrom: CopyState | null }>(
    'SELECT id, moved_from AS "movedFrom" FROM card_prices.history',
  )
  if (moved?.movedFrom?.id !== earlier.id) {
    throw new AccountsError(
      `the store ${store.dir} is a copy of accounts in Redis, which are not in the database at ${connection.place}: move them there by card-prices accounts move postgres://… (${how})`,
    )
  }
  if (earlier.number > moved.movedFrom.number) {
    throw new AccountsError(
      `the store ${store.dir} has ${earlier.number} changes, more than the ${moved.movedFrom.number} that were moved to the database: move from this STORE_DIR instead (${how})`,
    )
  }
  store.write(() => {
    store.setSetting('copy', { id: moved.id, number: -1, mark: '', whole: false })
    store.setSetting('copyOf', undefined)
  })
}
