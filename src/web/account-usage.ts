/** An account's usage as the pages show it: the usage of this server up to now, and the usage of all other servers. */
import type { OthersUsage } from '../accounts/fleet/others-usage.ts'
import { type ListedKey, listKeys } from '../accounts/registry.ts'
import { LiveUsage } from '../quota/live-usage.ts'
import { StoreError } from '../store/accounts-error.ts'
import type { Site } from './site.ts'

export interface Requests {
  /** Requests of each day, from the first day to the last. */
  readonly counts: readonly number[]
  /** False if the requests of other servers are missing. */
  readonly isWhole: boolean
}

/** @param last today */
export async function requestsOf(site: Site, account: number, first: number, last: number): Promise<Requests> {
  const { store, accounts, others } = site
  const added = await fromOthers(others, (known) => known.ofAccount(account, first, last))
  const live = new LiveUsage(accounts.quota, store)
  const counts = Array.from({ length: last - first + 1 }, (_, i) => {
    const own = first + i === last ? live.on(last, account) : store.usedOn(first + i, account)
    return own + (added?.[i] ?? 0)
  })
  return { counts, isWhole: others === undefined || added !== undefined }
}

export async function keysOf({ store, others, clock }: Site, account: number): Promise<readonly ListedKey[]> {
  const listed = listKeys(store, account, clock())
  return (await fromOthers(others, (known) => known.usedAnywhere(listed))) ?? listed
}

/** Undefined if no other server shares the accounts, or if the others' usage can't be read now. */
async function fromOthers<Answer>(
  others: OthersUsage | undefined,
  ask: (others: OthersUsage) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (others === undefined) return undefined
  try {
    return await ask(others)
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}
