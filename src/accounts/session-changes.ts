/** Bounds how often the people of an account may change its keys on pages. Commands have no such bound. */
import { dayMs, dayOfMs } from '../calendar.ts'
import { sessionChangesPerDayMax } from '../limits.ts'
import { Refusal } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'

/** The account's people have made as many changes today as they may. */
export class TooManyChanges extends Refusal {}

/** The bounded changes, by their action in the audit log. */
const words = { 'key created': 'created', 'key renamed': 'renamed', 'key regenerated': 'regenerated' } as const
export type BoundedChange = keyof typeof words

interface ChangeOfSession {
  /** The account's number. */
  readonly account: number
  readonly action: BoundedChange
  readonly now: number
}

/**
 * Makes a change of a session. The store counts the changes of a day, so neither a restart nor a new session resets the
 * count. Throws TooManyChanges.
 */
export function changeBySession<T>(store: Store, { account, action, now }: ChangeOfSession, change: () => T): T {
  return store.change(() => {
    if (store.changesOnPages(account, action, dayOfMs(now) * dayMs) >= sessionChangesPerDayMax) {
      throw new TooManyChanges(
        `you have ${words[action]} ${sessionChangesPerDayMax} keys today, which is the limit: try again after 00:00 UTC`,
      )
    }
    return change()
  })
}
