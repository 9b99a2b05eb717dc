/** Accounts of a store alone: a change is there at once. */
import { confirmMsMax } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { tellServer } from '../control.ts'
import type { Feed } from './feed.ts'

export class AloneFeed implements Feed {
  readonly confirm: Feed['confirm']

  /** @param confirm has the store's server know of a change */
  constructor(confirm: Feed['confirm']) {
    this.confirm = confirm
  }

  async refresh(): Promise<void> {}

  async change<T>(action: () => T): Promise<T> {
    return action()
  }

  async close(): Promise<void> {}
}

/** For another process than the server. */
export async function confirmedByServer(store: Store, storeDir: string): Promise<string | undefined> {
  const silent = await tellServer(store, storeDir)
  if (silent === undefined) return undefined
  const seconds = confirmMsMax / 1000
  return `the change is stored, but the server with process id ${silent} did not confirm it within ${seconds} s`
}
