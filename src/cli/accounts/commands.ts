/** The table of `accounts` commands. */
import { exportAccounts } from '../../accounts/accounts-file.ts'
import { importAccounts } from '../../accounts/merge.ts'
import * as registry from '../../accounts/registry.ts'
import { dateOfDay, dayMs, dayOfDate, dayOfMs, noDay } from '../../calendar.ts'
import { UsageError } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { auditDaysKept, endedKeyDaysKept, keysPerAccountMax, usageDaysKept, usageDaysShown } from '../../limits.ts'
import { isPlanName, type PlanName, planNames } from '../../plans.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { report } from './long-report.ts'
import { type FolderCommand, iso, minutes, type Result, type StoreCommand, written } from './shape.ts'
import { signInCommands } from './sign-in-commands.ts'
import { usageColumns, usageRows } from './usage-report.ts'
import { wholeStoreCommands } from './whole-store.ts'

export const commands: readonly (StoreCommand | FolderCommand)[] = [
  {
    name: 'create',
    parameters: ['NAME'],
    options: ['plan'],
    makesStore: true,
    help: `--plan ${planNames.join('|')}: a new account and its first key`,
    run: async ({ store, now, change }, [name], { plan }) => {
      if (plan === undefined) throw new UsageError(`--plan is missing: one of ${planNames.join(', ')}`)
      const known = planNamed(plan)
      return issued(await change(() => registry.createAccount(store, name!, known, now)))
    },
  },
  {
    name: 'list',
    parameters: [],
    needsFresh: true,
    readsOthers: true,
    help: 'all accounts',
    run: async ({ store, now, others }) => {
      const accounts = registry.listAccounts(store, dayOfMs(now), now, await others?.onDay(dayOfMs(now)))
      const header = ['ACCOUNT', 'PLAN', 'KEYS', 'USED TODAY', 'STATE', 'CREATED', 'NUMBER']
      const rows = accounts.map(({ account, plan, keys, usedToday, number, createdAt, suspended }) => [
        ...[account, plan, `${keys}`, `${usedToday}`],
        suspended ? 'suspended' : '',
        iso(createdAt).slice(0, 'YYYY-MM-DD'.length),
        // The access log shows it.
        `${number}`,
      ])
      const value = accounts.map((account) => ({ ...account, createdAt: iso(account.createdAt) }))
      return { value, text: table([header, ...rows]) }
    },
  },
  {
    name: 'set-plan',
    parameters: ['NAME', 'PLAN'],
    help: "changes an account's plan at once",
    run: async ({ store, now, change }, [account, text]) => {
      const plan = planNamed(text!)
      await change(() => registry.setPlan(store, account!, plan, now))
      return { value: { account, plan }, text: `${account} is on the plan ${plan} now` }
    },
  },
  {
    name: 'usage',
    parameters: ['[NAME]'],
    options: ['all', 'month', 'csv'],
    needsFresh: true,
    readsOthers: true,
    help: `[--month YYYY-MM]: requests a day, of the last ${usageDaysShown} days; --all [--csv]: of all accounts`,
    run: async ({ store, now, others }, [name], { all = false, month, csv = false, json = false }) => {
      if (all === (name !== undefined)) throw new UsageError('usage takes NAME, or --all')
      const today = dayOfMs(now)
      if (all) {
        if (csv && json) throw new UsageError('usage takes --csv or --json')
        const [first, last] = daysOf(month, today, usageDaysKept)
        const rows = usageRows(store, first, last, others)
        return { parts: report(csv ? 'csv' : json ? 'json' : 'table', usageColumns, rows) }
      }
      if (csv) throw new UsageError('--csv goes with --all')
      const [first, last] = daysOf(month, today, usageDaysShown)
      const account = registry.accountOnceNamed(store, name!)
      const ofOthers = await others?.ofAccount(account.number, first, last)
      const planOn = registry.plansByDay(store, account.number, account.number + 1)
      const days = []
      for (let day = first; day <= last; day++) {
        const requests = store.usedOn(day, account.number) + (ofOthers?.[day - first] ?? 0)
        if (requests > 0 || day === last) days.push({ date: dateOfDay(day), requests, ...planOn(account, day) })
      }
      const total = days.reduce((sum, { requests }) => sum + requests, 0)
      const rows = days.map(({ date, requests, plan, planChangedTo }) => [
        ...[date, `${requests}`],
        planChangedTo === undefined ? plan : `${plan}, then ${planChangedTo}`,
      ])
      return { value: days, text: table([['DATE', 'REQUESTS', 'PLAN'], ...rows, ['total', `${total}`, '']], [1]) }
    },
  },
  {
    name: 'keys',
    parameters: ['NAME'],
    needsFresh: true,
    readsOthers: true,
    help: `the keys of an account, including those that ended in the last ${endedKeyDaysKept} days`,
    run: async ({ store, now, others }, [name]) => {
      const known = registry.listKeys(store, registry.accountNamed(store, name!).number, now)
      const keys = ((await others?.usedAnywhere(known)) ?? known).map(listedKey)
      const header = ['KEY ID', 'NAME', 'BEGINS WITH', 'CREATED', 'LAST USED', 'STATE']
      const rows = keys.map((key) => [
        key.keyId,
        key.name,
        key.prefix,
        minutes(key.createdAt),
        minutes(key.lastUsedAt) || 'never',
        keyState(key, now),
      ])
      return { value: keys, text: table([header, ...rows]) }
    },
  },
  {
    name: 'create-key',
    parameters: ['NAME'],
    options: ['name', 'expires'],
    help: `[--name N] [--expires DATE]: another key; at most ${keysPerAccountMax} live ones`,
    run: async ({ store, now, change }, [account], { name = 'default', expires }) => {
      const expiresAt = expires === undefined ? null : expiry(expires, now)
      return issued(await change(() => registry.createKey(store, account!, { name, expiresAt }, now)))
    },
  },
  {
    name: 'regenerate',
    parameters: ['KEYID'],
    help: "replaces a key's secret at once",
    run: async ({ store, now, change }, [keyId]) =>
      issued(await change(() => registry.regenerateKey(store, keyId!, now))),
  },
  {
    name: 'revoke',
    parameters: ['KEYID'],
    help: 'ends a key at once, for good',
    run: async ({ store, now, change }, [keyId]) => {
      const { account, revokedAt } = await change(() => registry.revokeKey(store, keyId!, now))
      const value = { account, keyId, revokedAt: iso(revokedAt) }
      return { value, text: `${keyId} of ${account} is revoked` }
    },
  },
  {
    name: 'suspend',
    parameters: ['NAME'],
    options: ['reason'],
    help: '[--reason TEXT]: answers 403 to all keys of an account; its people see the reason',
    run: async ({ store, now, change }, [account], { reason }) => {
      const { suspendedAt } = await change(() => registry.suspendAccount(store, account!, reason, now))
      const value = { account, suspendedAt: iso(suspendedAt), reason: reason ?? null }
      return { value, text: `${account} is suspended` }
    },
  },
  {
    name: 'resume',
    parameters: ['NAME'],
    help: 'ends a suspension',
    run: async ({ store, now, change }, [account]) => {
      await change(() => registry.resumeAccount(store, account!, now))
      return { value: { account }, text: `${account} is resumed` }
    },
  },
  {
    name: 'rename',
    parameters: ['NAME', 'NEW'],
    help: 'renames an account',
    run: async ({ store, now, change }, [account, name]) => {
      await change(() => registry.renameAccount(store, account!, name!, now))
      return { value: { account: name, before: account }, text: `${account} is ${name} now` }
    },
  },
  {
    name: 'delete',
    parameters: ['NAME'],
    options: ['yes'],
    help: '--yes: ends all keys, sessions and links of an account for good; its usage stays for bills',
    run: async ({ store, now, change }, [account], { yes = false }) => {
      if (!yes) throw new UsageError('delete ends an account for good: confirm with --yes')
      const keys = await change(() => registry.deleteAccount(store, account!, now))
      return { value: { account, keys }, text: `${account} is deleted, with ${keys} live keys` }
    },
  },
  {
    name: 'log',
    parameters: ['[NAME]'],
    options: ['since', 'csv'],
    needsFresh: true,
    help: `[--since DATE] [--csv]: the audit log, newest first, of the last ${auditDaysKept} days`,
    run: async ({ store }, [name], { since, csv = false, json = false }) => {
      if (csv && json) throw new UsageError('log takes --csv or --json')
      const account = name === undefined ? undefined : registry.accountOnceNamed(store, name).number
      const rows = logRows(store, account, since === undefined ? 0 : momentOf('--since', since))
      return { parts: report(csv ? 'csv' : json ? 'json' : 'table', logColumns, rows) }
    },
  },
  ...signInCommands,
  {
    name: 'export',
    parameters: ['FILE'],
    needsFresh: true,
    help: 'writes all accounts and the hashes of their keys to a file, for other servers',
    run: async ({ store }, [file]) => {
      const exported = await exportAccounts(store, file!)
      return { value: exported, text: `${written(exported)} are in ${file}` }
    },
  },
  {
    name: 'import',
    parameters: ['FILE'],
    makesStore: true,
    help: 'reads what export wrote; repeating it changes nothing',
    run: async ({ store, now, change }, [file]) => {
      const read = await change(() => importAccounts(store, file!, now))
      const text = `${read.accounts} accounts and ${read.keys} keys read, ${read.changed} of them new or changed`
      return { value: read, text }
    },
  },
  ...wholeStoreCommands,
]

export const helpText = `Usage: card-prices accounts COMMAND [--json]

${table(commands.map(({ name, parameters, help }) => [`  ${[name, ...parameters].join(' ')}`, help]))}

DATE is a date (its end, UTC) or a date-time with a zone, in the future.
The store is the folder STORE_DIR (default: store); with ACCOUNTS_STORE it is a replica of the accounts there. A key is shown only once.
Exit codes: 0 done, 1 failed, 2 wrong usage.`

const logWidths = { time: 24, actor: 24, action: 20, account: 20, keyId: 14, detail: 0 }
const logColumns = { table: logWidths, csv: Object.keys(logWidths) }

function* logRows(store: Store, account: number | undefined, since: number) {
  for (const entries of store.auditLog(account, since))
    yield entries.map((entry) => ({ ...entry, time: iso(entry.time) }))
}

function issued(key: registry.IssuedKey): Result {
  const { account, plan, keyId } = key
  return {
    value: { account, plan, keyId, key: key.key },
    text: `${table([
      ['account', `${account} (${plan})`],
      ['key id', keyId],
      ['key', key.key],
    ])}\nKeep the key now: it is not shown again.`,
  }
}

/**
 * The days of a month, up to today; without one, the last days. Throws UsageError, or AccountsError if the month has not begun.
 * @param lastDays how many
 */
function daysOf(month: string | undefined, today: number, lastDays: number): [first: number, last: number] {
  if (month === undefined) return [today - lastDays + 1, today]
  const first = /^\d{4}-\d\d$/.test(month) ? dayOfDate(`${month}-01`) : noDay
  if (first === noDay) throw new UsageError(`--month takes 2027-01, not ${JSON.stringify(month)}`)
  if (first > today) throw new AccountsError(`--month ${month} has not begun`)
  // 31 days after a month's first day is the next month.
  const next = dayOfDate(`${dateOfDay(first + 31).slice(0, 7)}-01`)
  return [first, Math.min(next - 1, today)]
}

function planNamed(text: string): PlanName {
  if (!isPlanName(text)) throw new UsageError(`unknown plan ${text}: use one of ${planNames.join(', ')}`)
  return text
}

/** ms since 1970 of the moment from which the key no longer works. Throws UsageError, AccountsError if it is past. */
export function expiry(text: string, now: number): number {
  const moment = momentOf('--expires', text)
  const expiresAt = text.includes('T') ? moment : moment + dayMs
  if (expiresAt <= now) throw new AccountsError(`--expires ${text} is in the past`)
  return expiresAt
}

/** ms since 1970 of a date-time, or of a date's begin. Throws UsageError. */
function momentOf(option: string, text: string): number {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text)
  const moment = form === null ? Number.NaN : Date.parse(text)
  if (!Number.isNaN(moment) && dayOfDate(form![1]!) !== noDay) return moment
  throw new UsageError(`${option} takes 2027-01-31 or 2027-01-31T12:00:00Z, not ${JSON.stringify(text)}`)
}

function listedKey({ keyId, name, prefix, ...key }: registry.ListedKey) {
  return {
    keyId,
    name,
    prefix,
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(key.lastUsedAt),
    revokedAt: iso(key.revokedAt),
  }
}

function keyState({ expiresAt, revokedAt }: ReturnType<typeof listedKey>, now: number): string {
  if (revokedAt !== null) return `revoked ${minutes(revokedAt)}`
  if (expiresAt === null) return 'live'
  return `${Date.parse(expiresAt) <= now ? 'expired' : 'live until'} ${minutes(expiresAt)}`
}
