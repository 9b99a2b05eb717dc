/** Finds the address of the pages, for links. */
import { isServed } from '../../accounts/control.ts'
import { addressOf } from '../../addresses.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'

interface Pages {
  readonly address: string
  readonly warning: string | undefined
}

/**
 * Uses `WEB_URL`; else the running server's address, because its port may be any free one; else the settings here. Throws AccountsError
 * if none of them is known.
 */
export async function findPages(store: Store): Promise<Pages> {
  const { readSetting } = await import('../../settings.ts')
  const running = isServed(store) ? store.setting('server')?.pages : undefined
  // With shared accounts, any server accepts the link.
  const warning =
    running === undefined && store.setting('copyOf') === undefined
      ? 'no server with pages runs on this store: the link works when one runs'
      : undefined
  const port = readSetting('WEB_PORT')
  const configured =
    port === undefined || port === 0
      ? undefined
      : addressOf(readSetting('WEB_HOST') ?? readSetting('HOST'), port, { TLS_CERT: readSetting('TLS_CERT') })
  const address = readSetting('WEB_URL') ?? running ?? configured
  if (address !== undefined) return { address, warning }
  throw new AccountsError(
    'the address of the pages is not known: start a server with WEB_PORT on this store, or set WEB_URL or WEB_PORT here',
  )
}
