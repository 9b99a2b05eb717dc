/** `accounts keys`, `create-key`, `regenerate` and `revoke`. */
import * as registry from '../../accounts/registry.ts'
import { dayMs } from '../../calendar.ts'
import { optionOf, type ProgramCommand } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { endedKeyDaysKept, keysPerAccountMax } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import { type Context, iso, minutes, momentOf, type Result, storeAction } from './store-action.ts'

export function addKeyCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('keys')
    .description(`Shows the keys of an account, including those that ended in the last ${endedKeyDaysKept} days.`)
    .argument('<NAME>', 'the account')
    .action(
      storeAction(context, { needsFresh: true, readsOthers: true }, async ({ store, now, others }, name: string) => {
        const known = registry.listKeys(store, registry.accountNamed(store, name).number, now)
        const keys = ((await others?.usedAnywhere(known)) ?? known).map(listedKey)
        const header = ['KEY ID', 'NAME', 'BEGINS WITH', 'CREATED', 'LAST USED', 'STATE']
        const rows = keys.map((key) => [
          key.keyId,
          key.name,
          key.prefix,
          minutes(key.createdAt),
          minutes(key.lastUsedAt) || 'never',
          keyState(key, now),
        ])
        return { value: keys, text: table([header, ...rows]) }
      }),
    )
  accounts
    .command('create-key')
    .description(`Makes another key; at most ${keysPerAccountMax} live ones. The key is shown only once.`)
    .argument('<NAME>', 'the account')
    .option('--name <NAME>', "the key's name, 1 to 100 characters", 'default')
    .addOption(
      optionOf(
        '--expires <DATE>',
        'a date (its end, UTC) or a date-time with a zone, in the future',
        'it never expires',
      ),
    )
    .examples('card-prices accounts create-key "Card Shop" --name till --expires 2027-12-31')
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string, { name, expires }) => {
        const expiresAt = expires === undefined ? null : expiry(expires, now)
        return issued(await change(() => registry.createKey(store, account, { name, expiresAt }, now)))
      }),
    )
  accounts
    .command('regenerate')
    .description("Replaces a key's secret at once. The new one is shown only once.")
    .argument('<KEYID>', "the key's id, as keys shows it")
    .action(
      storeAction(context, {}, async ({ store, now, change }, keyId: string) =>
        issued(await change(() => registry.regenerateKey(store, keyId, now))),
      ),
    )
  accounts
    .command('revoke')
    .description('Ends a key at once, for good.')
    .argument('<KEYID>', "the key's id, as keys shows it")
    .action(
      storeAction(context, {}, async ({ store, now, change }, keyId: string) => {
        const { account, revokedAt } = await change(() => registry.revokeKey(store, keyId, now))
        const value = { account, keyId, revokedAt: iso(revokedAt) }
        return { value, text: `${keyId} of ${account} is revoked` }
      }),
    )
}

export function issued(key: registry.IssuedKey): Result {
  const { account, plan, keyId } = key
  return {
    value: { account, plan, keyId, key: key.key },
    text: `${table([
      ['account', `${account} (${plan})`],
      ['key id', keyId],
      ['key', key.key],
    ])}\nKeep the key now: it is not shown again.`,
  }
}

/**
 * Returns the moment (ms since 1970) from which the key no longer works. For a date, this is the end of the day. Throws
 * UsageError for a text of another form, and AccountsError for a moment in the past.
 */
export function expiry(text: string, now: number): number {
  const moment = momentOf('--expires', text)
  const expiresAt = text.includes('T') ? moment : moment + dayMs
  if (expiresAt <= now) throw new AccountsError(`--expires ${text} is in the past`)
  return expiresAt
}

function listedKey({ keyId, name, prefix, ...key }: registry.ListedKey) {
  return {
    keyId,
    name,
    prefix,
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(key.lastUsedAt),
    revokedAt: iso(key.revokedAt),
  }
}

function keyState({ expiresAt, revokedAt }: ReturnType<typeof listedKey>, now: number): string {
  if (revokedAt !== null) return `revoked ${minutes(revokedAt)}`
  if (expiresAt === null) return 'live'
  return `${Date.parse(expiresAt) <= now ? 'expired' : 'live until'} ${minutes(expiresAt)}`
}
