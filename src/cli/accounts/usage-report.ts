/** The usage of all accounts, for bills. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { type DayPlan, plansByDay } from '../../accounts/registry.ts'
import { dateOfDay } from '../../calendar.ts'
import type { Store } from '../../store/store.ts'
import { blockAccounts, blockOf, countsIn } from '../../store/usage-block.ts'

interface UsageRow extends DayPlan {
  /** YYYY-MM-DD */
  readonly date: string
  readonly requests: number
  /** A deleted account is marked, because another account may have its name. */
  readonly account: string
}

export const usageColumns = {
  table: { account: 24, plan: 8, date: 10, requests: -8, planChangedTo: 0 },
  csv: ['account', 'plan', 'date', 'requests'],
}

/**
 * A row for each account and day with requests: by account in order of creation, then by date. Each batch is read in its own
 * transaction, so a slow reader does not make the WAL grow.
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
    const planOn = plansByDay(store, number, number + blockAccounts)
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
