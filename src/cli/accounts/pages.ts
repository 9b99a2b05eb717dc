/** Where the pages are to which a link is made. */
import { isServed } from '../../accounts/control.ts'
import { addressOf } from '../../addresses.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

interface Pages {
  readonly address: string
  readonly warning: string | undefined
}

/**
 * `WEB_URL` is right wherever it is set; else the server that runs knows best, since its port may be any free one; else
 * what is set for one that will run. Throws AccountsError if nothing tells.
 */
export async function findPages(store: Store): Promise<Pages> {
  const { readSetting } = await import('../../settings.ts')
  const running = isServed(store) ? store.setting('server')?.pages : undefined
  // Where servers share accounts, any of them takes it.
  const warning =
    running === undefined && store.setting('copyOf') === undefined
      ? 'no server with pages runs on this store now: the link waits for one'
      : undefined
  const port = readSetting('WEB_PORT')
  const set =
    port === undefined || port === 0
      ? undefined
      : addressOf(readSetting('WEB_HOST') ?? readSetting('HOST'), port, { TLS_CERT: readSetting('TLS_CERT') })
  const address = readSetting('WEB_URL') ?? running ?? set
  if (address !== undefined) return { address, warning }
  throw new AccountsError(
    'no server with pages runs on this store, and no address is known: start one with WEB_PORT, or set WEB_URL or WEB_PORT here',
  )
}
