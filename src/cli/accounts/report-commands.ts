/**
 * `accounts usage` shows the requests of accounts, for bills. `accounts log` shows the changes of accounts and keys.
 */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import * as registry from '../../accounts/registry.ts'
import { dateOfDay, dayOfDate, dayOfMs, noDay } from '../../calendar.ts'
import { optionOf, type ProgramCommand, UsageError } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { auditDaysKept, usageDaysKept, usageDaysShown } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'
import { report } from './long-report.ts'
import { type Context, type Given, iso, momentOf, type Result, storeAction } from './store-action.ts'

interface UsageOptions {
  readonly all: boolean
  readonly month?: string
  readonly csv: boolean
  readonly json: boolean
}

interface LogOptions {
  readonly since?: string
  readonly csv: boolean
  readonly json: boolean
}

export function addReportCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('usage')
    .description('Shows the requests of each day, of an account or of all.')
    .argument('[NAME]', 'the account')
    .option('--all', 'of all accounts, for bills', false)
    .addOption(
      optionOf(
        '--month <YYYY-MM>',
        'a month',
        `the last ${usageDaysShown} days of an account, the last ${usageDaysKept} of all`,
      ),
    )
    .option('--csv', 'as CSV; with --all', false)
    .examples('card-prices accounts usage "Card Shop"', 'card-prices accounts usage --all --month 2026-10 --csv')
    .action(
      storeAction(
        context,
        { needsFresh: true, readsOthers: true },
        async (given, name: string | undefined, { all, month, csv, json }: UsageOptions) => {
          if (all === (name !== undefined)) throw new UsageError('usage takes NAME, or --all')
          if (name !== undefined) {
            if (csv) throw new UsageError('--csv goes with --all')
            return usageOf(given, name, month)
          }
          if (csv && json) throw new UsageError('usage takes --csv or --json')
          const [first, last] = daysOf(month, dayOfMs(given.now), usageDaysKept)
          const rows = usageRows(given.store, first, last, given.others)
          return { parts: report(csv ? 'csv' : json ? 'json' : 'table', usageColumns, rows) }
        },
      ),
    )
  accounts
    .command('log')
    .description(`Shows the audit log, newest first, of the last ${auditDaysKept} days.`)
    .argument('[NAME]', 'an account, else of all')
    .addOption(optionOf('--since <DATE>', 'from a date or a date-time with a zone on', 'all that is kept'))
    .option('--csv', 'as CSV', false)
    .action(
      storeAction(
        context,
        { needsFresh: true },
        async ({ store }, name: string | undefined, { since, csv, json }: LogOptions) => {
          if (csv && json) throw new UsageError('log takes --csv or --json')
          const account = name === undefined ? undefined : registry.accountOnceNamed(store, name).number
          const rows = logRows(store, account, since === undefined ? 0 : momentOf('--since', since))
          return { parts: report(csv ? 'csv' : json ? 'json' : 'table', logColumns, rows) }
        },
      ),
    )
}

async function usageOf({ store, now, others }: Given, name: string, month: string | undefined): Promise<Result> {
  const [first, last] = daysOf(month, dayOfMs(now), usageDaysShown)
  const account = registry.accountOnceNamed(store, name)
  const ofOthers = await others?.ofAccount(account.number, first, last)
  const planOn = registry.plansByDay(store, account.number, account.number + 1)
  const days = []
  for (let day = first; day <= last; day++) {
    const requests = store.usedOn(day, account.number) + (ofOthers?.[day - first] ?? 0)
    if (requests > 0 || day === last) days.push({ date: dateOfDay(day), requests, ...planOn(account, day) })
  }
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  const rows = days.map(({ date, requests, plan, planChangedTo }) => [
    date,
    `${requests}`,
    planChangedTo === undefined ? plan : `${plan}, then ${planChangedTo}`,
  ])
  return { value: days, text: table([['DATE', 'REQUESTS', 'PLAN'], ...rows, ['total', `${total}`, '']], [1]) }
}

const logWidths = { time: 24, actor: 24, action: 20, account: 20, keyId: 14, detail: 0 }
const logColumns = { table: logWidths, csv: Object.keys(logWidths) }

function* logRows(store: Store, account: number | undefined, since: number) {
  for (const entries of store.auditLog(account, since))
    yield entries.map((entry) => ({ ...entry, time: iso(entry.time) }))
}

/**
 * Returns the first and the last day of a month, or up to today if the month has not ended. Throws UsageError if the
 * text is not a month, and AccountsError if the month has not begun.
 * @param month if it is undefined, the days are the last `lastDays` up to today
 * @param lastDays how many days that is
 */
function daysOf(month: string | undefined, today: number, lastDays: number): [first: number, last: number] {
  if (month === undefined) return [today - lastDays + 1, today]
  const first = /^\d{4}-\d\d$/.test(month) ? dayOfDate(`${month}-01`) : noDay
  if (first === noDay) throw new UsageError(`--month takes 2027-01, not ${JSON.stringify(month)}`)
  if (first > today) throw new AccountsError(`--month ${month} has not begun`)
  // The day 31 days after the first of a month is in the next month.
  const next = dayOfDate(`${dateOfDay(first + 31).slice(0, 7)}-01`)
  return [first, Math.min(next - 1, today)]
}

interface UsageRow extends registry.DayPlan {
  /** YYYY-MM-DD */
  readonly date: string
  readonly requests: number
  /** The account's name. The name of a deleted account is marked, because another account may have that name now. */
  readonly account: string
}

const usageColumns = {
  table: { account: 24, plan: 8, date: 10, requests: -8, planChangedTo: 0 },
  csv: ['account', 'plan', 'date', 'requests'],
}

/**
 * Yields a row for each account and day with requests: by account in order of creation, then by date. Each batch is
 * read in a transaction of its own, so the WAL does not grow while someone reads the report slowly.
 * @param others the requests of other servers, if they share the accounts
 */
export async function* usageRows(
  store: Store,
  first: number,
  last: number,
  others?: Pick<OthersUsage, 'ofBlock'>,
): AsyncGenerator<UsageRow[]> {
  const dates = Array.from({ length: last - first + 1 }, (_, i) => dateOfDay(first + i))
  for (let number = 0; number < store.counter('nextAccount'); number += blockAccounts) {
    const block = blockOf(number)
    const ofOthers = await others?.ofBlock(block, first, last)
    const own = dates.map((_, i) => countsIn(store.usageBlock(first + i, block)))
    const planOn = registry.plansByDay(store, number, number + blockAccounts)
    yield store.accountsFrom(number, number + blockAccounts).flatMap((account) =>
      dates.flatMap((date, i) => {
        const place = account.number - number
        const requests = (own[i]![place] ?? 0) + (ofOthers?.[i]?.[place] ?? 0)
        if (requests === 0) return []
        const name = account.deletedAt === null ? account.name : `${account.name} (deleted)`
        const { plan, ...changed } = planOn(account, first + i)
        return [{ account: name, plan, date, requests, ...changed }]
      }),
    )
  }
}
