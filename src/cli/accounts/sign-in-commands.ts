/** The `accounts` commands for signing in on the pages. */
import { isServed } from '../../accounts/control.ts'
import * as registry from '../../accounts/registry.ts'
import { OperatorSignIns, SignIns, signInLinkMsMax } from '../../accounts/sign-ins.ts'
import { addressOf, operatorSignInAddress, signInAddress } from '../../addresses.ts'
import { type ProgramCommand, UsageError } from '../../command/command.ts'
import { readSetting } from '../../settings.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import { type Context, iso, minutes, storeAction } from './store-action.ts'

interface SignInOptions {
  readonly operator: boolean
}

export function addSignInCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('sign-in')
    .description('Makes a link to sign in on the pages as an account, or as the operator.')
    .argument('[NAME]', 'the account')
    .option('--operator', "for the operator's pages", false)
    .addHelpText('after', `\nThe link works once, for ${signInLinkMsMax / 60_000} minutes.`)
    .action(
      storeAction(
        context,
        { needsFresh: true },
        async ({ store, now, replication }, name: string | undefined, { operator }: SignInOptions) => {
          requireOne('sign-in', name, operator)
          if (name !== undefined) registry.accountNamed(store, name)
          const { address, warning } = findPages(store, operator)
          const made = (url: string, expiresAt: number, who: string) =>
            `${url}\nIt works once, until ${minutes(iso(expiresAt))} UTC. Anyone who opens it can sign in as ${who}.`
          if (name === undefined) {
            const { token, expiresAt } = await new OperatorSignIns(store, replication).makeLink(now)
            const url = operatorSignInAddress(address, token)
            return { value: { url, expiresAt: iso(expiresAt) }, text: made(url, expiresAt, 'the operator'), warning }
          }
          const { account, token, expiresAt } = await new SignIns(store, replication).makeLink(name, now)
          const url = signInAddress(address, token)
          return { value: { account, url, expiresAt: iso(expiresAt) }, text: made(url, expiresAt, account), warning }
        },
      ),
    )
  accounts
    .command('sign-out')
    .description('Ends all sessions of an account on the pages, or those of the operator, and unused links, at once.')
    .argument('[NAME]', 'the account')
    .option('--operator', "of the operator's pages", false)
    .action(
      storeAction(
        context,
        { needsFresh: true },
        async ({ store, now, replication }, account: string | undefined, { operator }: SignInOptions) => {
          requireOne('sign-out', account, operator)
          const ended = (sessions: number, who: string) =>
            `${sessions} sessions of ${who} are ended, and all links to sign in`
          if (account === undefined) {
            const sessions = await new OperatorSignIns(store, replication).signOut(now)
            return { value: { sessions }, text: ended(sessions, 'the operator') }
          }
          const sessions = await new SignIns(store, replication).signOut(account, now)
          return { value: { account, sessions }, text: ended(sessions, account) }
        },
      ),
    )
}

/** Throws UsageError unless exactly one of NAME and --operator is given. */
function requireOne(command: string, name: string | undefined, isOperator: boolean): void {
  if (isOperator === (name !== undefined)) throw new UsageError(`${command} takes NAME, or --operator`)
}

/**
 * Finds the address of the pages: `WEB_URL`, else the address of the running server, else the address in the settings
 * here. The running server comes before the settings, because its port may be any free one. Also returns a warning if
 * no server can show the link now. Throws AccountsError if no address is known.
 * @param forOperator true if the link is for the operator's pages
 */
function findPages(store: Store, forOperator: boolean) {
  const server = isServed(store) ? store.setting('server') : undefined
  const running = server?.pages
  // With shared accounts there is no warning, because servers on other machines accept the link, too.
  const warning =
    running === undefined && store.setting('copyOf') === undefined
      ? 'no server with pages runs on this store: the link works when one runs'
      : forOperator && running !== undefined && server?.hasOperatorPages !== true
        ? "the server that runs on this store has no operator's pages: the link works when it runs with OPERATOR_PAGES=on"
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
