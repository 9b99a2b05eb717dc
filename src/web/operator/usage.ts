/**
 * Requests of all accounts and of some accounts, as the operator sees them. They include those of this server up to a
 * second ago, and those of all other servers.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { StoreError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/store-records.ts'
import { blockAccounts, countsIn } from '../../store/usage-block.ts'
import { keysOf, requestsOf } from '../account-usage.ts'
import type { Site } from '../site.ts'

/** `isWhole` is false if the requests of other servers are missing. */
interface Whole {
  readonly isWhole: boolean
}

/** The requests of all accounts on a day. */
export async function requestsOfDay({ store, others }: Site, day: number): Promise<Whole & { requests: number }> {
  let requests = 0
  for (let block = 0; block * blockAccounts < store.counter('nextAccount'); block++) {
    for (const counted of countsIn(store.usageBlock(day, block))) requests += counted
  }
  if (others === undefined) return { requests, isWhole: true }
  try {
    for (const counted of await others.onDay(day)) requests += counted
    return { requests, isWhole: true }
  } catch (error) {
    if (error instanceof StoreError) return { requests, isWhole: false }
    throw error
  }
}

export interface AccountUse extends Whole {
  readonly account: Account
  readonly liveKeys: number
  readonly today: number
  readonly month: number
  /** ms since 1970; null if the account was never used */
  readonly lastUsedAt: number | null
}

const monthDays = 30

/**
 * The use of each account. The accounts are read one after the other, so that other pages are answered in between.
 * @param today the current day
 */
export async function usesOf(site: Site, accounts: readonly Account[], today: number): Promise<readonly AccountUse[]> {
  const uses: AccountUse[] = []
  const now = site.clock()
  for (const account of accounts) {
    const { number } = account
    const { counts, isWhole } = await requestsOf(site, number, today - monthDays + 1, today)
    const keys = await keysOf(site, number)
    const lastUsedAt = keys.reduce<number | null>(
      (last, key) => ((key.lastUsedAt ?? 0) > (last ?? 0) ? key.lastUsedAt : last),
      null,
    )
    const liveKeys = site.store.liveKeys(number, number + 1, now).get(number) ?? 0
    const month = counts.reduce((sum, requests) => sum + requests, 0)
    uses.push({ account, liveKeys, today: counts.at(-1)!, month, lastUsedAt, isWhole })
    await pause()
  }
  return uses
}
