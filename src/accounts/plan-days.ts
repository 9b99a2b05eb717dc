/** Which plan accounts were on, day by day: a day counts as of the plan that it ended with. */
import { isPlanName, type PlanName } from '../plans.ts'
import type { Account } from '../store/records.ts'
import type { Store } from '../store/store.ts'

/** Of accounts from `first` to before `end`: one query for all. Returns the plan of an account on a day. */
export function plansByDay(store: Store, first: number, end: number): (account: Account, day: number) => PlanName {
  const found = store.planDays(first, end)
  return ({ number, plan }, day) => {
    const known = found.get(number)
    const then = (known?.find(({ fromDay }) => fromDay <= day) ?? known?.at(-1))?.plan
    return then !== undefined && isPlanName(then) ? then : plan
  }
}
