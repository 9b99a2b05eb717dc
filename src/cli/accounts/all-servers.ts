/** Reads for commands the usage of all servers that share the accounts. */
import type { OthersUsage } from '../../accounts/fleet/others-usage.ts'
import { dayOfMs } from '../../calendar.ts'
import { StoreError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

export class AllServers {
  readonly #store: Store
  readonly #url: string | undefined
  #close = () => {}
  /** Set if only this server's usage is known. */
  warning: string | undefined

  /** @param url ACCOUNTS_STORE; its client is loaded when it is needed */
  constructor(store: Store, url: string | undefined) {
    this.#store = store
    this.#url = url
  }

  /** Undefined without ACCOUNTS_STORE, and, with a warning, if that can't be asked. */
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
      this.warning = `${error.message}: requests of other servers are not included`
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
