/**
 * The schema `card_prices` of the database that servers share. Operators may read the tables, so their names and types
 * are readable. A change of several tables is a function of the database, so that one statement makes it.
 *
 *   history         one row: the id of these accounts and the number of the last change; no row before a change is tried
 *   change_log      each change of the last weeks: its number, and a random mark, which tells it from a change with the
 *                   same number in another history
 *   changed_rows    the last change of each row that changed in these weeks, deleted rows included
 *   servers         each server's last heartbeat; a connected server holds the advisory lock of its `number`
 *   database_run    the current run of PostgreSQL, and when servers noticed it. At the start of a run, live servers are
 *                   not connected yet, so changes wait for `recoveryMs`
 *   leases, quotas  the requests of a day granted to servers; a grant locks the account's row in `quotas`
 *   usage, key_uses what servers counted
 */
import type { Client } from 'pg'
import { dayMs } from '../calendar.ts'
import { planNames } from '../plans.ts'
import { sharedTables } from '../store/store-schema.ts'
import { leaseShare, recallShare, recoveryMs } from './bounds.ts'

/** Servers must not use this database: PostgreSQL is too old, a newer release made the schema, or a pooler is unfit. */
export class Unfit extends Error {}

/** The first number of the servers' advisory locks. Used without a second number, it is the lock of migrations. */
export const lockClass = 0x43_50_4c

/** A silent server that has not signed off is forgotten after this time. */
const serverKeptMs = dayMs
/** How long a recalled quota is listed. Servers read the list twice a second. */
const recalledMs = 2000

const interval = (ms: number) => `interval '${ms} ms'`

const plans = planNames.map((name) => `'${name}'`).join(', ')

const tables = `
CREATE TABLE card_prices.accounts (
  number        integer PRIMARY KEY CHECK (number >= 0),
  name          text NOT NULL CHECK (name <> ''),
  folded_name   text NOT NULL,
  plan          text NOT NULL CHECK (plan IN (${plans})),
  created_at    timestamptz NOT NULL,
  suspended_at  timestamptz,
  suspended_for text,
  deleted_at    timestamptz
);
CREATE UNIQUE INDEX accounts_by_name ON card_prices.accounts (name) WHERE deleted_at IS NULL;

CREATE TABLE card_prices.account_ids (
  account integer PRIMARY KEY REFERENCES card_prices.accounts DEFERRABLE INITIALLY DEFERRED,
  id      text NOT NULL
);

CREATE TABLE card_prices.plan_days (
  account  integer NOT NULL REFERENCES card_prices.accounts DEFERRABLE INITIALLY DEFERRED,
  from_day date NOT NULL,
  plan     text NOT NULL CHECK (plan IN (${plans})),
  PRIMARY KEY (account, from_day)
);

CREATE TABLE card_prices.keys (
  number     integer PRIMARY KEY CHECK (number >= 0),
  id         text NOT NULL UNIQUE,
  account    integer NOT NULL REFERENCES card_prices.accounts DEFERRABLE INITIALLY DEFERRED,
  name       text NOT NULL,
  prefix     text NOT NULL,
  hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX keys_by_hash ON card_prices.keys (hash) WHERE revoked_at IS NULL;
CREATE INDEX keys_by_account ON card_prices.keys (account);

CREATE TABLE card_prices.next_numbers (
  name text COLLATE "C" PRIMARY KEY,
  next integer NOT NULL
);

CREATE TABLE card_prices.sign_in_links (
  hash       bytea PRIMARY KEY,
  account    integer NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

CREATE TABLE card_prices.sessions (
  hash         bytea PRIMARY KEY,
  account      integer NOT NULL,
  started_at   timestamptz NOT NULL,
  last_page_at timestamptz NOT NULL
);

CREATE TABLE card_prices.audit_log (
  number         bigint PRIMARY KEY,
  time           timestamptz NOT NULL,
  actor          text NOT NULL,
  action         text NOT NULL,
  account_number integer,
  account        text,
  key_id         text,
  detail         text
);

CREATE TABLE card_prices.usage (
  account  integer NOT NULL CHECK (account >= 0),
  day      date NOT NULL,
  server   text NOT NULL,
  requests integer NOT NULL CHECK (requests >= 0),
  PRIMARY KEY (account, day, server)
) WITH (fillfactor = 70);
CREATE INDEX usage_by_day ON card_prices.usage (day);

CREATE TABLE card_prices.key_uses (
  key       integer PRIMARY KEY,
  last_used timestamptz NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE card_prices.usage_senders (
  server text PRIMARY KEY,
  token  text NOT NULL
);

CREATE TABLE card_prices.history (
  id            text NOT NULL,
  number        bigint NOT NULL,
  mark          text NOT NULL,
  complete_from bigint NOT NULL,
  moved_from    jsonb
);
CREATE UNIQUE INDEX history_has_one_row ON card_prices.history ((true));

CREATE TABLE card_prices.change_log (
  number bigint PRIMARY KEY,
  mark   text NOT NULL,
  time   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE card_prices.changed_rows (
  table_name text COLLATE "C" NOT NULL,
  key        jsonb NOT NULL,
  number     bigint NOT NULL,
  PRIMARY KEY (table_name, key)
);
CREATE INDEX changed_rows_by_number ON card_prices.changed_rows (number, table_name, key);

CREATE TABLE card_prices.servers (
  id           text PRIMARY KEY,
  number       integer NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  process      text NOT NULL,
  address      text NOT NULL,
  version      text,
  heard        timestamptz NOT NULL,
  has_left     boolean NOT NULL DEFAULT false,
  copy_of      text,
  copy_number  bigint NOT NULL DEFAULT -1,
  next_account integer NOT NULL DEFAULT 0,
  next_key     integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE card_prices.database_run (
  run   text NOT NULL,
  since timestamptz NOT NULL
);

CREATE TABLE card_prices.quotas (
  day         date NOT NULL,
  account     integer NOT NULL,
  recalled_at timestamptz,
  recalled_by text,
  PRIMARY KEY (day, account)
) WITH (fillfactor = 70);
CREATE INDEX quotas_recalled ON card_prices.quotas (recalled_at) WHERE recalled_at IS NOT NULL;

CREATE TABLE card_prices.leases (
  day     date NOT NULL,
  account integer NOT NULL,
  server  text NOT NULL,
  process text NOT NULL,
  granted integer NOT NULL,
  PRIMARY KEY (day, account, process)
) WITH (fillfactor = 70);

CREATE TABLE card_prices.lessees (
  process  text PRIMARY KEY,
  exchange bigint NOT NULL,
  time     timestamptz NOT NULL
);
`

/** Each table that servers copy, with the columns of its key. */
const tableKeys = Object.entries(sharedTables)
  .map(([table, { key }]) => `('${table}', ARRAY[${key.map((column) => `'${column}'`)}])`)
  .join(', ')

const functions = `
CREATE FUNCTION card_prices.present_run() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;
INSERT INTO card_prices.database_run VALUES (card_prices.present_run(), clock_timestamp());

CREATE FUNCTION card_prices.note_run() RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  UPDATE card_prices.database_run SET run = card_prices.present_run(), since = clock_timestamp()
    WHERE run <> card_prices.present_run();
  RETURN (SELECT since FROM card_prices.database_run);
END $$;

CREATE VIEW card_prices.server_states AS
  SELECT *, extract(epoch FROM clock_timestamp() - heard) * 1000 AS silent_ms,
    EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = servers.number
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS is_connected
  FROM card_prices.servers WHERE NOT has_left AND heard > clock_timestamp() - ${interval(serverKeptMs)};

-- Compares a copy, by its id, number and mark, with these accounts.
CREATE FUNCTION card_prices.standing(copy jsonb) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  last card_prices.history;
  copied bigint := (copy->>'number')::bigint;
BEGIN
  SELECT * INTO last FROM card_prices.history;
  IF NOT FOUND THEN RETURN 'empty'; END IF;
  IF copied IS NULL OR copied < 0 THEN RETURN 'incomplete'; END IF;
  IF copy->>'id' <> last.id THEN RETURN 'other'; END IF;
  IF copied > last.number THEN RETURN 'older'; END IF;
  IF NOT (copy->>'whole')::boolean OR copied < last.complete_from THEN RETURN 'incomplete'; END IF;
  IF NOT EXISTS (SELECT FROM card_prices.change_log WHERE number = copied AND mark = copy->>'mark') THEN
    RETURN 'diverged';
  END IF;
  RETURN CASE WHEN copied < last.number THEN 'behind' ELSE 'same' END;
END $$;

-- Servers call this as their heartbeat. Commands call it without a server, to ask where their copy stands.
CREATE FUNCTION card_prices.sync(copy jsonb, server jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  -- A heartbeat that is lost does no harm, so nobody waits for the disk.
  PERFORM set_config('synchronous_commit', 'off', true), card_prices.note_run();
  IF server IS NOT NULL THEN
    UPDATE card_prices.servers SET heard = clock_timestamp(), address = server->>'address',
      version = server->>'version', copy_of = copy->>'id', copy_number = coalesce((copy->>'number')::bigint, -1),
      next_account = (server->>'nextAccount')::int, next_key = (server->>'nextKey')::int
      WHERE id = server->>'id' AND process = server->>'process';
    IF NOT FOUND THEN RETURN jsonb_build_object('state', 'unknown'); END IF;
  END IF;
  RETURN jsonb_build_object('state', card_prices.standing(copy), 'pid', pg_backend_pid(),
    'id', (SELECT id FROM card_prices.history), 'number', (SELECT number FROM card_prices.history));
END $$;

CREATE FUNCTION card_prices.put_rows(table_name text, keys jsonb, rows jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE same text;
BEGIN
  SELECT string_agg(format('t.%1$I = k.%1$I', c), ' AND ') INTO STRICT same
    FROM (VALUES ${tableKeys}) shared (name, key), unnest(shared.key) c WHERE shared.name = table_name;
  -- All rows are deleted before the first is inserted, so that two accounts can swap names.
  EXECUTE format('DELETE FROM card_prices.%1$I t USING jsonb_populate_recordset(NULL::card_prices.%1$I, $1) k WHERE ', table_name)
    || same USING keys;
  EXECUTE format('INSERT INTO card_prices.%1$I SELECT * FROM jsonb_populate_recordset(NULL::card_prices.%1$I, $1)', table_name)
    USING rows;
END $$;

-- Takes a change that was tried on a copy, if that copy has the last change.
CREATE FUNCTION card_prices.change(copy jsonb, new_mark text, changes jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  last card_prices.history;
  since timestamptz := card_prices.note_run();
  standing text;
  changed jsonb;
BEGIN
  SELECT * INTO last FROM card_prices.history FOR UPDATE;
  -- An earlier attempt may have succeeded although its answer was lost.
  IF EXISTS (SELECT FROM card_prices.change_log WHERE number = (copy->>'number')::bigint + 1 AND mark = new_mark) THEN
    RETURN 'made';
  END IF;
  standing := card_prices.standing(copy);
  IF standing <> 'same' THEN RETURN standing; END IF;
  IF clock_timestamp() < since + ${interval(recoveryMs)} THEN RETURN 'recovering'; END IF;
  IF EXISTS (SELECT FROM card_prices.server_states
    WHERE is_connected AND copy_of = last.id AND copy_number > last.number) THEN RETURN 'older'; END IF;
  FOR changed IN SELECT jsonb_array_elements(changes) LOOP
    PERFORM card_prices.put_rows(changed->>'table', changed->'keys', changed->'rows');
    INSERT INTO card_prices.changed_rows
      SELECT changed->>'table', key, last.number + 1 FROM jsonb_array_elements(changed->'keys') key
      ON CONFLICT ON CONSTRAINT changed_rows_pkey DO UPDATE SET number = excluded.number;
  END LOOP;
  UPDATE card_prices.history SET number = last.number + 1, mark = new_mark;
  INSERT INTO card_prices.change_log VALUES (last.number + 1, new_mark);
  RETURN 'made';
END $$;

-- Creates shared accounts in an empty database, unless a live server has a copy of other accounts.
CREATE FUNCTION card_prices.begin(new_id text, new_mark text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := card_prices.note_run();
  known text;
BEGIN
  LOCK TABLE card_prices.history IN EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM card_prices.history) THEN RETURN 'begun'; END IF;
  IF clock_timestamp() < since + ${interval(recoveryMs)} THEN RETURN 'recovering'; END IF;
  SELECT format('has a server, %s, with %s changes: push from there (card-prices accounts push)', address, copy_number)
    INTO known FROM card_prices.server_states WHERE is_connected AND copy_of IS NOT NULL LIMIT 1;
  IF FOUND THEN RETURN known; END IF;
  INSERT INTO card_prices.history VALUES (new_id, 0, new_mark, 0);
  INSERT INTO card_prices.change_log VALUES (0, new_mark);
  RETURN 'begun';
END $$;

-- Sets what a process holds of quotas, and grants more. The accounts must be in order, so that exchanges never wait for
-- each other in a circle. Returns nothing if a later exchange of the process has arrived already.
CREATE FUNCTION card_prices.exchange(asking text, its_process text, exchange_number bigint, its_day date,
  accounts int[], held int[], sizes int[], limits int[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  others bigint;
  new_grant int;
  answers jsonb[] := '{}';
BEGIN
  INSERT INTO card_prices.lessees VALUES (its_process, exchange_number, now())
    ON CONFLICT (process) DO UPDATE SET exchange = exchange_number, time = now()
    WHERE lessees.exchange < exchange_number;
  IF NOT FOUND THEN RETURN NULL; END IF;
  FOR i IN 1 .. cardinality(accounts) LOOP
    INSERT INTO card_prices.quotas VALUES (its_day, accounts[i]) ON CONFLICT DO NOTHING;
    PERFORM FROM card_prices.quotas WHERE day = its_day AND account = accounts[i] FOR UPDATE;
    SELECT coalesce(sum(granted), 0) INTO others FROM card_prices.leases
      WHERE day = its_day AND account = accounts[i] AND process <> its_process;
    new_grant := 0;
    IF sizes[i] > 0 AND held[i] + others < limits[i] THEN
      new_grant := greatest(1, least(sizes[i], (limits[i] - held[i] - others) / ${leaseShare}));
    END IF;
    INSERT INTO card_prices.leases VALUES (its_day, accounts[i], asking, its_process, held[i] + new_grant)
      ON CONFLICT (day, account, process) DO UPDATE SET granted = excluded.granted;
    IF sizes[i] > 0 AND others > 0 AND held[i] + others + new_grant > limits[i] * ${recallShare} THEN
      UPDATE card_prices.quotas SET recalled_at = clock_timestamp(), recalled_by = its_process
        WHERE day = its_day AND account = accounts[i];
    END IF;
    answers := answers || jsonb_build_array(new_grant, others);
  END LOOP;
  RETURN jsonb_build_object('answers', to_jsonb(answers), 'recalled', (SELECT coalesce(jsonb_agg(account), '[]')
    FROM card_prices.quotas WHERE recalled_at > clock_timestamp() - ${interval(recalledMs)}
    AND day = its_day AND recalled_by <> its_process));
END $$;

-- A server that starts says what its earlier processes have counted. Their grants are raised to at least that.
CREATE FUNCTION card_prices.report_used(asking text, its_day date, accounts int[], used int[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO card_prices.leases
    SELECT its_day, account, asking, 'before ' || asking, requests - known FROM unnest(accounts, used) u (account, requests),
      LATERAL (SELECT coalesce(sum(granted), 0) AS known FROM card_prices.leases l
        WHERE l.day = its_day AND l.account = u.account AND l.server = asking) k
    WHERE requests > known ORDER BY account
    ON CONFLICT (day, account, process) DO UPDATE SET granted = leases.granted + excluded.granted
$$;

-- Takes a batch of a server's counts, if the database has the batch before it. Returns the token that it has now.
CREATE FUNCTION card_prices.send_usage(sender text, known text, new_token text, accounts int[], days date[], counts int[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT token INTO found FROM card_prices.usage_senders WHERE server = sender FOR UPDATE;
  IF coalesce(found, '') <> known THEN RETURN coalesce(found, ''); END IF;
  INSERT INTO card_prices.usage SELECT account, day, sender, requests
    FROM unnest(accounts, days, counts) u (account, day, requests) ORDER BY account, day
    ON CONFLICT (account, day, server) DO UPDATE SET requests = excluded.requests
    WHERE usage.requests <> excluded.requests;
  IF new_token <> known THEN
    INSERT INTO card_prices.usage_senders VALUES (sender, new_token)
      ON CONFLICT (server) DO UPDATE SET token = new_token;
  END IF;
  RETURN new_token;
END $$;
`

/** The schema's number is the count of migrations that it has had. Append to this list; never change an entry. */
const migrations: readonly string[] = [tables + functions]

/** Reads the system catalog, because functions such as `to_regclass` may not see what another session just created. */
const versionSql = `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'card_prices') AS "hasSchema",
  EXISTS (SELECT FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname = 'card_prices' AND relname = 'schema_version') AS "hasVersion"`

/** The number of the schema; 0 if there is none. */
export async function schemaVersion(client: Pick<Client, 'query'>): Promise<number> {
  const { hasVersion } = (await client.query(versionSql)).rows[0]
  if (!hasVersion) return 0
  return (await client.query('SELECT number FROM card_prices.schema_version')).rows[0].number
}

/** Creates or migrates the schema in one transaction. Rejects with Unfit if it is of a newer release. */
export async function migrate(client: Client): Promise<void> {
  if (isCurrent(await schemaVersion(client))) return
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockClass])
    const found = await schemaVersion(client)
    if (!isCurrent(found)) {
      const { hasSchema } = (await client.query(versionSql)).rows[0]
      // A user without the right to create schemas may still use an existing one.
      if (!hasSchema) await client.query('CREATE SCHEMA card_prices')
      for (const sql of migrations.slice(found)) await client.query(sql)
      await client.query('CREATE TABLE IF NOT EXISTS card_prices.schema_version (number integer NOT NULL)')
      await client.query('DELETE FROM card_prices.schema_version')
      await client.query('INSERT INTO card_prices.schema_version VALUES ($1)', [migrations.length])
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/** Throws Unfit for the schema of a newer release. */
export function isCurrent(found: number): boolean {
  if (found <= migrations.length) return found === migrations.length
  throw new Unfit(
    `its schema card_prices is of a newer release (number ${found}, this one knows ${migrations.length}): use that release`,
  )
}
