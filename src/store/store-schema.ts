/**
 * The tables of STORE_DIR/accounts.db. Times are ms since 1970 unless a column says otherwise; days are counted since 1970.
 *
 * Servers that share accounts replicate the tables in `sharedTables`. The other tables belong to one server. While
 * servers of two releases run, an older server ignores tables that it lacks. But if a shared table has a column that
 * the older server lacks, that server loses all changes of the table. So add tables, and no columns to shared tables.
 */
import { planNames } from '../plans.ts'

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
]

/**
 * Shared table → the column by whose number ranges a snapshot is copied in steps; null: the table is copied in one
 * step.
 */
export const sharedTables = {
  accounts: 'number',
  account_ids: 'account',
  plan_days: 'account',
  keys: 'number',
  next_numbers: null,
  sign_in_links: null,
  sessions: null,
  audit_log: 'number',
} as const
