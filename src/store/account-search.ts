/** Searches accounts in the order of their names, in steps, and counts accounts without a scan. */
import { foldName } from '../names/fold.ts'
import type { PlanName } from '../plans.ts'
import type { Account } from './store-records.ts'
import { accountColumns, type Tables } from './tables.ts'

export interface AccountFilter {
  /** Part of the name, without regard to case, accents and punctuation. */
  readonly text: string
  readonly plan: PlanName | undefined
  readonly isSuspended: boolean | undefined
}

/** How many accounts a step of a search compares. A step takes a millisecond or two. */
const accountsCompared = 1000

/**
 * Finds accounts that are not deleted. Yields the accounts that each step finds.
 * @param from the number of the account after which the search begins; undefined for the first or the last account
 * @param isBackward true if the search goes to earlier names
 */
export function* findAccounts(
  { database }: Tables,
  { text, plan, isSuspended }: AccountFilter,
  from: number | undefined,
  isBackward: boolean,
): Generator<Account[]> {
  const folded = foldName(text)
  const [after, order] = isBackward ? ['<', 'DESC'] : ['>', 'ASC']
  const place = `AND (folded_name, number) ${after} (SELECT folded_name, number FROM accounts WHERE number = ?)`
  for (let last = from; ; ) {
    const sql = `SELECT ${accountColumns}, folded_name FROM accounts WHERE deleted_at IS NULL ${last === undefined ? '' : place}
      ORDER BY folded_name ${order}, number ${order} LIMIT ${accountsCompared}`
    const some = database.all<Account & { foldedName: string }>(sql, ...(last === undefined ? [] : [last]))
    yield some
      .filter(({ foldedName }) => foldedName.includes(folded))
      .filter((account) => plan === undefined || account.plan === plan)
      .filter(({ suspendedAt }) => isSuspended === undefined || (suspendedAt !== null) === isSuspended)
      .map(({ foldedName: _, ...account }) => account)
    if (some.length < accountsCompared) return
    last = some.at(-1)!.number
  }
}

/** Counts the accounts that are not deleted. */
export function countAccounts({ database }: Tables, { plan, isSuspended }: Omit<AccountFilter, 'text'>): number {
  const sql = `SELECT sum(accounts) AS count FROM account_counts WHERE ifnull(plan = ?1, 1) AND ifnull(is_suspended = ?2, 1)`
  const state = isSuspended === undefined ? null : Number(isSuspended)
  return database.get<{ count: number }>(sql, plan ?? null, state)!.count
}
