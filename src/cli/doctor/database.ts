/** Examines the database that servers share. It only reads, and creates no table. */
import { rejectionOf } from '../../accounts/replication/rejections.ts'
import type { Standing } from '../../accounts/replication/shared-store.ts'
import { commandLine } from '../../command/command-line.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { allOf, bad, type Found, type Look, ok, warn } from './finding.ts'
import { copyIn, toCreateAccount } from './stored.ts'

/** A greater difference of the clocks gets a warning, because the days of quotas begin by the servers' clocks. */
const clockMsMax = 2000
/** A standby that is further behind gets a warning, because a failover would lose that many seconds of changes. */
const standbySecondsMax = 10

export const lookAtDatabase: Look = async ({ DATABASE_URL, STORE_DIR }) => {
  // The client of PostgreSQL is loaded only with DATABASE_URL.
  const { PostgresConnection } = await import('../../postgres/connection.ts')
  const connection = new PostgresConnection(DATABASE_URL!, { migrates: false })
  try {
    await connection.connect()
    const { place, reason } = connection
    const advice = 'start it, or correct it or DATABASE_URL with its password'
    if (!connection.isUp) return bad(`it can't be used at ${place} (${reason})`, advice)
    return allOf(await examine(connection, STORE_DIR))
  } catch (error) {
    const { message } = error as Error
    return bad(message, 'give the user of DATABASE_URL its rights, as docs/cluster.md has it')
  } finally {
    connection.close()
  }
}

interface Facts {
  readonly version: string
  readonly clockMs: number
  readonly hasSchema: boolean
  readonly hasVersion: boolean
  readonly mayCreate: boolean
}

async function examine(connection: PostgresConnection, storeDir: string): Promise<Found[]> {
  const from = Date.now()
  const [facts] =
    await connection.query<Facts>(`SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "clockMs",
    to_regnamespace('card_prices') IS NOT NULL AS "hasSchema",
    to_regclass('card_prices.schema_version') IS NOT NULL AS "hasVersion",
    CASE WHEN to_regnamespace('card_prices') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
      ELSE has_schema_privilege('card_prices', 'CREATE') END AS "mayCreate"`)
  const { version, clockMs, hasVersion, mayCreate } = facts!
  const answers = `PostgreSQL ${version} answers at ${connection.place}`
  const found = [...clock(clockMs - (from + Date.now()) / 2), ...(await standbys(connection))]
  if (!hasVersion) {
    if (!mayCreate) {
      const advice = 'create user and database with the lines of docs/cluster.md'
      return [bad(`${answers}, but its user may not create the schema card_prices`, advice), ...found]
    }
    return [
      warn(`${answers}, and has no accounts yet: every key gets 401`, `create one (${toCreateAccount()})`),
      ...found,
    ]
  }
  return [await lookAtAccounts(connection, answers, storeDir), ...found]
}

function clock(differenceMs: number): Found[] {
  if (Math.abs(differenceMs) <= clockMsMax) return []
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1)
  const which = differenceMs > 0 ? 'ahead of' : 'behind'
  return [warn(`its clock is ${seconds} s ${which} this machine's`, 'let both follow a time server (NTP)')]
}

interface Standby {
  readonly name: string
  /** Null for a user without the role pg_monitor. */
  readonly state: string | null
  /** Null also while nothing is written. */
  readonly seconds: number | null
  /** The quoted name of the user who asks. */
  readonly user: string
}

async function standbys(connection: PostgresConnection): Promise<Found[]> {
  const found = await connection.query<Standby>(
    `SELECT coalesce(nullif(application_name, ''), 'a standby') AS name, state,
      extract(epoch FROM replay_lag)::float8 AS seconds, quote_ident(current_user) AS user
    FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`,
  )
  return found.map(({ name, state, seconds, user }) => {
    if (state === null)
      return warn("its user can't see whether the standby follows", `let it (GRANT pg_monitor TO ${user})`)
    const behind = seconds ?? 0
    const isStreaming = state === 'streaming'
    if (isStreaming && behind <= standbySecondsMax) return ok(`the standby ${name} follows`)
    const fault = isStreaming ? `is ${Math.round(behind)} s behind` : `does not follow yet (${state})`
    return warn(`the standby ${name} ${fault}: a failover now would lose changes`, 'check the standby and its network')
  })
}

/** Examines the schema, and checks that servers with this STORE_DIR can use the accounts. */
async function lookAtAccounts(connection: PostgresConnection, answers: string, storeDir: string): Promise<Found> {
  const { isCurrent } = await import('../../postgres/schema.ts')
  const [schema] = await connection.query<{ number: number }>('SELECT number FROM card_prices.schema_version')
  try {
    if (!isCurrent(schema!.number)) return ok(`${answers}; the next start of a server migrates its schema`)
  } catch (error) {
    return bad(`${answers}, but ${(error as Error).message}`, 'use that release')
  }
  const { state: copy, earlier, hasOwn } = copyIn(storeDir)
  if (hasOwn) {
    const advice = `move them there (${commandLine('accounts', 'move', 'postgres://…')}), or set another STORE_DIR`
    return bad(`${answers}, but STORE_DIR has accounts of its own, so that no server starts`, advice)
  }
  const [last] = await connection.query<{ number: number; movedFrom: string | null }>(
    `SELECT number::float8 AS number, moved_from->>'id' AS "movedFrom" FROM card_prices.history`,
  )
  if (earlier !== undefined && earlier.id !== last?.movedFrom) {
    const advice = `move them there (${commandLine('accounts', 'move', 'postgres://…')}), as docs/cluster.md has it`
    return bad(`${answers}, but STORE_DIR is a copy of a 2.x cluster whose accounts are not there`, advice)
  }
  if (last === undefined && copy === undefined) {
    return warn(`${answers}, and has no accounts yet: every key gets 401`, `create one (${toCreateAccount()})`)
  }
  if (copy !== undefined) {
    const [found] = await connection.query<{ standing: Standing }>('SELECT card_prices.standing($1) AS standing', [
      JSON.stringify(copy),
    ])
    const rejected = rejectionWithAdvice(found!.standing, last?.number, copy)
    if (rejected !== undefined) return bad(`${answers}, but servers refuse it: it ${rejected.reason}`, rejected.advice)
  }
  const ahead = await connection.query<{ address: string; number: number }>(
    `SELECT address, copy_number::float8 AS number FROM card_prices.server_states
    WHERE is_connected AND copy_of = (SELECT id FROM card_prices.history)
    AND copy_number > (SELECT number FROM card_prices.history)`,
  )
  if (ahead.length > 0) {
    const names = ahead.map(({ address, number }) => `${address} with ${number} changes`).join(', ')
    const advice = `upload the copy of the server that knows most (${commandLine('accounts', 'push')} there)`
    return bad(`${answers}, but it is older, with ${last!.number} changes, than ${names}`, advice)
  }
  return ok(answers)
}

function rejectionWithAdvice(standing: Standing, number: number | undefined, copy: Parameters<typeof rejectionOf>[2]) {
  if (standing === 'same' || standing === 'behind' || standing === 'incomplete') return undefined
  const isLess = standing === 'empty' || standing === 'older'
  const upload = `restore the database's own backup, or upload this copy (${commandLine('accounts', 'push')})`
  const advice = isLess ? upload : 'decide which accounts are right, as docs/cluster.md has it'
  return { reason: rejectionOf(standing, number, copy, ''), advice }
}
