/** An account's usage as the pages show it: the usage of this server up to now, and the usage of all other servers. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { type ListedKey, listEndedKeys, listLiveKeys } from '../../accounts/registry.ts'
import { pageRowsMax } from '../../limits.ts'
import { LiveUsage } from '../../quota/live-usage.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { PageContext, Site } from '../site.ts'

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

/** An account's keys as a page shows them. */
export interface ShownKeys {
  /** The live keys, in order of creation. */
  readonly live: readonly ListedKey[]
  /** Some of the keys that have ended, the latest first. */
  readonly ended: readonly ListedKey[]
  /** True if there are keys that ended earlier than these. */
  readonly hasMore: boolean
}

/** @param page the page of keys that have ended, from 1, with `pageRowsMax` keys each */
export async function keysOf({ store, others, clock }: Site, account: number, page: number): Promise<ShownKeys> {
  const now = clock()
  const live = listLiveKeys(store, account, now)
  const some = listEndedKeys(store, account, now, { limit: pageRowsMax + 1, offset: (page - 1) * pageRowsMax })
  const keys = [...live, ...some.slice(0, pageRowsMax)]
  const used = (await fromOthers(others, (known) => known.usedAnywhere(keys))) ?? keys
  return { live: used.slice(0, live.length), ended: used.slice(live.length), hasMore: some.length > pageRowsMax }
}

/** Returns the page's number in a page's address; 1 if there is none. */
export const pageNumberIn = ({ req }: PageContext): number =>
  /^[1-9]\d{0,5}$/.test(req.query('page') ?? '') ? Number(req.query('page')) : 1

/** Returns undefined if no other server shares the accounts, or if the others' usage can't be read now. */
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
