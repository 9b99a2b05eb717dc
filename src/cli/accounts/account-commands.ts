/** `accounts create`, `list`, `set-plan`, `suspend`, `resume`, `rename`, `delete`, `export` and `import`. */
import { Argument } from 'commander'
import { exportAccounts } from '../../accounts/accounts-file.ts'
import { importAccounts } from '../../accounts/merge.ts'
import * as registry from '../../accounts/registry.ts'
import { dayOfMs } from '../../calendar.ts'
import { optionOf, type ProgramCommand, UsageError } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { type PlanName, planNames } from '../../plans.ts'
import { issued } from './key-commands.ts'
import { type Context, iso, storeAction, written } from './store-action.ts'

export function addAccountCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('create')
    .description('Makes a new account and its first key. The key is shown only once.')
    .argument('<NAME>', 'its name, 1 to 100 characters')
    .addOption(optionOf('--plan <PLAN>', 'its plan', 'required').choices(planNames).makeOptionMandatory())
    .examples('card-prices accounts create "Card Shop" --plan trader')
    .action(
      storeAction(context, { makesStore: true }, async ({ store, now, change }, name: string, { plan }) =>
        issued(await change(() => registry.createAccount(store, name, plan as PlanName, now))),
      ),
    )
  accounts
    .command('list')
    .description('Shows all accounts: plan, live keys, requests of today, state.')
    .action(
      storeAction(context, { needsFresh: true, readsOthers: true }, async ({ store, now, others }) => {
        const listed = registry.listAccounts(store, dayOfMs(now), now, await others?.onDay(dayOfMs(now)))
        const header = ['ACCOUNT', 'PLAN', 'KEYS', 'USED TODAY', 'STATE', 'CREATED', 'NUMBER']
        const rows = listed.map(({ account, plan, keys, usedToday, number, createdAt, suspended }) => [
          account,
          plan,
          `${keys}`,
          `${usedToday}`,
          suspended ? 'suspended' : '',
          iso(createdAt).slice(0, 'YYYY-MM-DD'.length),
          // The access log identifies an account by this number.
          `${number}`,
        ])
        const value = listed.map((account) => ({ ...account, createdAt: iso(account.createdAt) }))
        return { value, text: table([header, ...rows]) }
      }),
    )
}

export function addAccountChangeCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('set-plan')
    .description("Changes an account's plan at once.")
    .argument('<NAME>', 'the account')
    .addArgument(new Argument('<PLAN>', 'the new plan').choices(planNames))
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string, plan: PlanName) => {
        await change(() => registry.setPlan(store, account, plan, now))
        return { value: { account, plan }, text: `${account} is on the plan ${plan} now` }
      }),
    )
  accounts
    .command('suspend')
    .description('Answers 403 to all keys of an account. Nothing is deleted.')
    .argument('<NAME>', 'the account')
    .addOption(optionOf('--reason <TEXT>', 'what its people see', 'none'))
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string, { reason }) => {
        const { suspendedAt } = await change(() => registry.suspendAccount(store, account, reason, now))
        const value = { account, suspendedAt: iso(suspendedAt), reason: reason ?? null }
        return { value, text: `${account} is suspended` }
      }),
    )
  accounts
    .command('resume')
    .description('Ends a suspension.')
    .argument('<NAME>', 'the account')
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string) => {
        await change(() => registry.resumeAccount(store, account, now))
        return { value: { account }, text: `${account} is resumed` }
      }),
    )
  accounts
    .command('rename')
    .description(
      'Renames an account. The new name must differ from the names of other accounts in more than case, accents or punctuation.',
    )
    .argument('<NAME>', 'the account')
    .argument('<NEW>', 'its new name, 1 to 100 characters')
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string, name: string) => {
        await change(() => registry.renameAccount(store, account, name, now))
        return { value: { account: name, before: account }, text: `${account} is ${name} now` }
      }),
    )
  accounts
    .command('delete')
    .description('Ends all keys, sessions and links of an account for good. Its usage stays for bills.')
    .argument('<NAME>', 'the account')
    .option('--yes', 'confirms it', false)
    .action(
      storeAction(context, {}, async ({ store, now, change }, account: string, { yes }) => {
        if (!yes) throw new UsageError('delete ends an account for good: confirm with --yes')
        const keys = await change(() => registry.deleteAccount(store, account, now))
        return { value: { account, keys }, text: `${account} is deleted, with ${keys} live keys` }
      }),
    )
}

export function addExchangeCommands(accounts: ProgramCommand, context: Context): void {
  accounts
    .command('export')
    .description('Writes all accounts and the hashes of their keys to a file, for other servers.')
    .argument('<FILE>', 'the file; an existing one is replaced')
    .action(
      storeAction(context, { needsFresh: true }, async ({ store }, file: string) => {
        const exported = await exportAccounts(store, file)
        return { value: exported, text: `${written(exported)} are in ${file}` }
      }),
    )
  accounts
    .command('import')
    .description('Merges what export wrote. What is deleted, suspended, revoked or expired here stays so.')
    .argument('<FILE>', 'the file')
    .action(
      storeAction(context, { makesStore: true }, async ({ store, now, change }, file: string) => {
        const read = await change(() => importAccounts(store, file, now))
        const counts = `${read.accounts} accounts and ${read.keys} keys read, ${read.changed} of them new or changed`
        return { value: read, text: read.kept === 0 ? counts : `${counts}; ${keptText(read.kept)}` }
      }),
    )
}

const keptText = (kept: number): string =>
  `${kept} stay deleted, suspended, revoked, replaced or expired, though the file has them otherwise (restore brings an older state back)`
