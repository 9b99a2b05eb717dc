/**
 * The advisory lock that shows that a server lives. It belongs to the server's connection and ends with it. If a
 * machine vanishes, PostgreSQL notices within 11 s.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { lockClass } from '../../postgres/schema.ts'
import { AccountsError } from '../../store/accounts-error.ts'

/** Another server has this one's id. */
export class Duplicate extends AccountsError {}

export const transactionPooler = 'a pooler in transaction mode is between: use its session mode (pool_mode=session)'

/** How long to wait for the lock. A process that was killed a moment ago may still have its connection. */
const lockMsMax = 1000
const lockPollMs = 50

/** Makes this process the server with that id. Rejects with Duplicate if another process is that server. */
export async function enter(
  connection: PostgresConnection,
  id: string,
  process: string,
  address: string,
): Promise<void> {
  await connection.query(
    `INSERT INTO card_prices.servers (id, process, address, heard) VALUES ($1, $2, $3, clock_timestamp())
    ON CONFLICT DO NOTHING`,
    [id, process, address],
  )
  const [server] = await connection.query<{ number: number; process: string }>(
    'SELECT number, process FROM card_prices.servers WHERE id = $1',
    [id],
  )
  const place = [lockClass, server!.number]
  // Ends an old connection of this process that PostgreSQL does not yet know to be lost.
  if (server!.process === process) await connection.query(endHolders, place)
  for (const until = performance.now() + lockMsMax; ; await pause(lockPollMs)) {
    const [taken] = await connection.query<{ has: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS has', place)
    if (taken!.has) break
    if (performance.now() > until) throw new Duplicate('another server has this id')
  }
  const sql = `UPDATE card_prices.servers SET process = $2, address = $3, heard = clock_timestamp(), has_left = false
    WHERE id = $1`
  await connection.query(sql, [id, process, address])
}

const endHolders = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1
  AND objid = $2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND pid <> pg_backend_pid()`

/** Signs the server off, so that no change waits for its confirmation. */
export async function leave(connection: PostgresConnection, id: string, process: string): Promise<void> {
  await connection.query('UPDATE card_prices.servers SET has_left = true WHERE id = $1 AND process = $2', [id, process])
}
