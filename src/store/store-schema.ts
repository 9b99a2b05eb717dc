/**
 * The tables of STORE_DIR/accounts.db. Times are ms since 1970 unless a column says otherwise. Days are counted since
 * 1970.
 *
 * Servers that share accounts copy the tables in `sharedTables` from PostgreSQL. The other tables belong to one server.
 */
import { planNames } from '../plans.ts'

/**
 * An SQL expression for the time at which a key ends or ended; the greatest integer if it never ends. An index contains
 * the expression, so queries must have the same text.
 */
export const keyEnd = 'min(ifnull(revoked_at, 9007199254740991), ifnull(expires_at, 9007199254740991))'

/** Updates `account_counts` when rows of `accounts` change. */
const countingTrigger = (name: string, when: string, row: 'new' | 'old', step: 1 | -1) =>
  `CREATE TRIGGER ${name} ${when} ON accounts WHEN ${row}.deleted_at IS NULL BEGIN
  UPDATE account_counts SET accounts = accounts + ${step}
    WHERE plan = ${row}.plan AND is_suspended = (${row}.suspended_at IS NOT NULL);
END;`

/** A file's `user_version` is the number of migrations that it has had. Append to this list; never change an entry. */
export const migrations: readonly string[] = [
  `
CREATE TABLE accounts (
  number        INTEGER PRIMARY KEY,  -- from 0; never reused, since it is an index into shared memory
  name          TEXT NOT NULL,
  folded_name   TEXT NOT NULL,        -- for comparison without regard to case, folded as in search
  plan          TEXT NOT NULL CHECK (plan IN (${planNames.map((name) => `'${name}'`).join(', ')})),
  created_at    INTEGER NOT NULL,
  suspended_at  INTEGER,
  suspended_for TEXT,                 -- the reason that its people see
  deleted_at    INTEGER               -- the row stays, for bills
) STRICT;
CREATE UNIQUE INDEX accounts_by_name ON accounts (name) WHERE deleted_at IS NULL;
CREATE INDEX accounts_by_folded_name ON accounts (folded_name) WHERE deleted_at IS NULL;

CREATE TABLE plan_days (              -- which plan an account was on, from which day
  account  INTEGER NOT NULL,
  from_day INTEGER NOT NULL,
  plan     TEXT NOT NULL,
  PRIMARY KEY (account, from_day)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  number     INTEGER PRIMARY KEY,     -- from 0; never reused, since it is an index into shared memory
  id         TEXT NOT NULL UNIQUE,
  account    INTEGER NOT NULL,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,           -- the public beginning of the key
  hash       BLOB NOT NULL,           -- SHA-256 of the key
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX keys_by_hash ON keys (hash) WHERE revoked_at IS NULL;
CREATE INDEX keys_by_account ON keys (account);

CREATE TABLE next_numbers (           -- the number that the next account or key gets
  name TEXT PRIMARY KEY,
  next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_in_links (
  hash       BLOB PRIMARY KEY,        -- SHA-256 of the link's token
  account    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  hash         BLOB PRIMARY KEY,      -- SHA-256 of the cookie's token
  account      INTEGER NOT NULL,
  started_at   INTEGER NOT NULL,
  last_page_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log (
  number         INTEGER PRIMARY KEY,
  time           INTEGER NOT NULL,
  actor          TEXT NOT NULL,
  action         TEXT NOT NULL,
  account_number INTEGER,
  account        TEXT,                -- its name at that time
  key_id         TEXT,
  detail         TEXT
) STRICT;
CREATE INDEX audit_log_by_account ON audit_log (account_number);

CREATE TABLE usage (                  -- requests that this server answered
  day    INTEGER NOT NULL,
  block  INTEGER NOT NULL,            -- accounts 256 × block to 256 × block + 255
  counts BLOB NOT NULL,               -- one 32-bit little-endian count an account, up to the last that is not 0
  unsent INTEGER NOT NULL,            -- 1: other servers that share the accounts do not know it yet
  PRIMARY KEY (day, block),
  CHECK (length(counts) <= 1024 AND length(counts) % 4 = 0)
) STRICT;
CREATE INDEX usage_unsent ON usage (day) WHERE unsent = 1;

CREATE TABLE key_uses (               -- when this server last let a key in
  key    INTEGER PRIMARY KEY,
  second INTEGER NOT NULL,            -- seconds since 1970
  unsent INTEGER NOT NULL             -- as in usage
) STRICT;
CREATE INDEX key_uses_unsent ON key_uses (key) WHERE unsent = 1;

CREATE TABLE settings (               -- of this server
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL                 -- JSON
) STRICT, WITHOUT ROWID;
`,
  `
CREATE TABLE account_ids (            -- absent: the account is of a release without ids, and its id is its name
  account INTEGER PRIMARY KEY,
  id      TEXT NOT NULL               -- the same in all stores that have the account, and for good
) STRICT;
`,
  `
DROP INDEX keys_by_account;
CREATE INDEX keys_by_end ON keys (account, ${keyEnd});

DROP INDEX audit_log_by_account;
CREATE INDEX audit_log_by_time ON audit_log (time);
CREATE INDEX audit_log_by_action ON audit_log (action, time);
CREATE INDEX audit_log_by_account ON audit_log (account_number, time);
CREATE INDEX audit_log_by_account_and_action ON audit_log (account_number, action, time);

CREATE TABLE account_counts (         -- accounts that are not deleted; triggers keep it
  plan         TEXT NOT NULL,
  is_suspended INTEGER NOT NULL,
  accounts     INTEGER NOT NULL
) STRICT;
INSERT INTO account_counts VALUES ${planNames.map((name) => `('${name}', 0, 0), ('${name}', 1, 0)`).join(', ')};
UPDATE account_counts SET accounts = (SELECT count(*) FROM accounts
  WHERE plan = account_counts.plan AND (suspended_at IS NOT NULL) = is_suspended AND deleted_at IS NULL);
${countingTrigger('accounts_inserted', 'AFTER INSERT', 'new', 1)}
${countingTrigger('accounts_removed', 'AFTER DELETE', 'old', -1)}
${countingTrigger('accounts_updated_from', 'AFTER UPDATE', 'old', -1)}
${countingTrigger('accounts_updated_to', 'AFTER UPDATE', 'new', 1)}
`,
]

/** The kind of a column. For PostgreSQL, numbers and texts stay as they are, and other kinds become text. */
type Kind = 'number' | 'text' | 'time' | 'day' | 'bytes'

export interface SharedTable {
  /** The columns that identify a row. */
  readonly key: readonly string[]
  /** In the column order of both databases. */
  readonly columns: Readonly<Record<string, Kind>>
}

/** The tables that servers copy from PostgreSQL. Rows are converted in both directions by this list. */
export const sharedTables = {
  accounts: {
    key: ['number'],
    columns: {
      number: 'number',
      name: 'text',
      folded_name: 'text',
      plan: 'text',
      created_at: 'time',
      suspended_at: 'time',
      suspended_for: 'text',
      deleted_at: 'time',
    },
  },
  account_ids: { key: ['account'], columns: { account: 'number', id: 'text' } },
  plan_days: { key: ['account', 'from_day'], columns: { account: 'number', from_day: 'day', plan: 'text' } },
  keys: {
    key: ['number'],
    columns: {
      number: 'number',
      id: 'text',
      account: 'number',
      name: 'text',
      prefix: 'text',
      hash: 'bytes',
      created_at: 'time',
      expires_at: 'time',
      revoked_at: 'time',
    },
  },
  next_numbers: { key: ['name'], columns: { name: 'text', next: 'number' } },
  sign_in_links: {
    key: ['hash'],
    columns: { hash: 'bytes', account: 'number', expires_at: 'time', used_at: 'time' },
  },
  sessions: {
    key: ['hash'],
    columns: { hash: 'bytes', account: 'number', started_at: 'time', last_page_at: 'time' },
  },
  audit_log: {
    key: ['number'],
    columns: {
      number: 'number',
      time: 'time',
      actor: 'text',
      action: 'text',
      account_number: 'number',
      account: 'text',
      key_id: 'text',
      detail: 'text',
    },
  },
} as const satisfies Record<string, SharedTable>

export type SharedTableName = keyof typeof sharedTables
export const sharedTableNames = Object.keys(sharedTables) as readonly SharedTableName[]
