/** What commands ask that is of all servers which share the accounts. Where none does, the store alone has it. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { dayOfMs } from '../../calendar.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

export class AllServers {
  readonly #store: Store
  readonly #url: string | undefined
  #close = () => {}
  /** Why what is told is of this server alone; undefined if it is of all. */
  warning: string | undefined

  /** @param url of the accounts' store, if there is one: its client is loaded when it is needed */
  constructor(store: Store, url: string | undefined) {
    this.#store = store
    this.#url = url
  }

  /** What other servers know; undefined if there are none, or they can't be asked for, with a warning. */
  async others(): Promise<OthersUsage | undefined> {
    if (this.#url === undefined) return undefined
    const { OthersUsage } = await import('../../accounts/fleet/others-usage.ts')
    const others = new OthersUsage(await this.#connect(this.#url), this.#store)
    try {
      const today = dayOfMs(Date.now())
      await others.ofBlock(0, today, today)
      return others
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.warning = `${error.message}: what other servers answered is not counted in`
      return undefined
    }
  }

  close(): void {
    this.#close()
  }

  async #connect(url: string) {
    const { ReplicationConnection } = await import('../../accounts/replication/connection.ts')
    const connection = new ReplicationConnection(url)
    this.#close = () => connection.close()
    await connection.connect()
    return connection
  }
}
