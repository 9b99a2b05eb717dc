/** The `accounts` commands for signing in on the pages. */
import { isServed } from '../../accounts/control.ts'
import * as registry from '../../accounts/registry.ts'
import { SignIns } from '../../accounts/sign-ins.ts'
import { addressOf, signInAddress } from '../../addresses.ts'
import { signInLinkMsMax } from '../../limits.ts'
import { readSetting } from '../../settings.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { iso, minutes, type StoreCommand } from './shape.ts'

export const signInCommands: readonly StoreCommand[] = [
  {
    name: 'sign-in',
    parameters: ['NAME'],
    needsFresh: true,
    help: `a link to sign in on the pages as an account; works once, for ${signInLinkMsMax / 60_000} minutes`,
    run: async ({ store, now, replication }, [name]) => {
      registry.accountNamed(store, name!)
      const { address, warning } = findPages(store)
      const { account, token, expiresAt } = await new SignIns(store, replication).makeLink(name!, now)
      const url = signInAddress(address, token)
      const text = `${url}\nIt works once, until ${minutes(iso(expiresAt))} UTC. Anyone who opens it can sign in as ${account}.`
      return { value: { account, url, expiresAt: iso(expiresAt) }, text, warning }
    },
  },
  {
    name: 'sign-out',
    parameters: ['NAME'],
    needsFresh: true,
    help: 'ends all sessions of an account on the pages, and its unused links, at once',
    run: async ({ store, now, replication }, [account]) => {
      const sessions = await new SignIns(store, replication).signOut(account!, now)
      const text = `${sessions} sessions of ${account} are ended, and all links to sign in`
      return { value: { account, sessions }, text }
    },
  },
]

/**
 * The pages' address: `WEB_URL`; else the running server's, because its port may be any free one; else by the settings here. With a
 * warning if no server can show the link now. Throws AccountsError if none of them is known.
 */
function findPages(store: Store) {
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
