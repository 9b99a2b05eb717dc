/**
 * Requests of all accounts and of some accounts, as the operator sees them. They include the requests to this server up
 * to a second ago, and the requests to all other servers.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { endOf } from '../../accounts/registry.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { Account } from '../../store/store-records.ts'
import { blockAccounts, countsIn } from '../../store/usage-block.ts'
import { keysOf, requestsOf } from '../account/account-usage.ts'
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
 * Returns the use of each account. The accounts are read one after the other, so that other pages are answered in
 * between.
 * @param today the current day
 */
export async function usesOf(site: Site, accounts: readonly Account[], today: number): Promise<readonly AccountUse[]> {
  const uses: AccountUse[] = []
  for (const account of accounts) {
    const { number } = account
    const { counts, isWhole } = await requestsOf(site, number, today - monthDays + 1, today)
    const month = counts.reduce((sum, requests) => sum + requests, 0)
    uses.push({ account, ...(await keyUseOf(site, number)), today: counts.at(-1)!, month, isWhole })
    await pause()
  }
  return uses
}

/**
 * Reads the account's keys, page by page. It stops at keys that ended before the last known use, because their last use
 * was even earlier.
 */
async function keyUseOf(site: Site, account: number): Promise<Pick<AccountUse, 'liveKeys' | 'lastUsedAt'>> {
  let liveKeys = 0
  let lastUsedAt = 0
  for (let page = 1; ; page++) {
    const { live, ended, hasMore } = await keysOf(site, account, page)
    liveKeys = live.length
    for (const key of [...live, ...ended]) lastUsedAt = Math.max(lastUsedAt, key.lastUsedAt ?? 0)
    const earliest = ended.at(-1)
    if (!hasMore || earliest === undefined || endOf(earliest) < lastUsedAt) break
    await pause()
  }
  return { liveKeys, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
}
