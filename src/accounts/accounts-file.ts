/**
 * The export file, which carries accounts to other machines (merge.ts imports it). It contains names, plans and the
 * hashes of keys. It contains no secrets and no counts.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { dayMs } from '../calendar.ts'
import { accountNameCharsMax, suspensionReasonCharsMax } from '../limits.ts'
import { planNames } from '../plans.ts'
import { systemText } from '../platform/system-error.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { replaceFile } from '../store/replaced-file.ts'
import type { Store } from '../store/store.ts'
import { KeyHistory } from './key-history.ts'
import { brokenRule, listKeys } from './registry.ts'

/** A text that obeys the rules of commands for names and reasons. */
const text = (charsMax: number) =>
  v.pipe(
    v.string(),
    v.rawCheck(({ dataset, addIssue }) => {
      const rule = dataset.typed ? brokenRule(dataset.value, charsMax) : undefined
      if (rule !== undefined) addIssue({ message: `a text here ${rule}` })
    }),
  )
/** ms since 1970, before the year 10,000, because dates are written with a year of four digits. */
const moment = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Date.UTC(10_000, 0) - 1))
/** A moment in the past. The clock of the machine that wrote the file may be ahead by up to a day. */
const past = v.pipe(
  moment,
  v.check((time) => time <= Date.now() + dayMs, 'the time must not be later than now'),
)
const name = text(accountNameCharsMax)
const keyId = v.pipe(v.string(), v.regex(/^key_[0-9A-Za-z]{10}$/))
const keySchema = v.object({
  keyId,
  name,
  prefix: v.pipe(v.string(), v.regex(/^cpl_live_[0-9A-Za-z]{4}$/)),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  createdAt: past,
  expiresAt: v.nullable(moment),
  revokedAt: v.nullable(past),
  /** When the key's secret was last replaced; absent if the key still has its first secret. */
  regeneratedAt: v.exactOptional(past),
})
/** Absent for accounts that a release without ids created; see Tables.accountId. */
const id = v.exactOptional(name)
const fileSchema = v.object({
  format: v.literal(1),
  accounts: v.array(
    v.object({
      id,
      name,
      plan: v.picklist(planNames),
      createdAt: past,
      suspendedAt: v.exactOptional(v.nullable(past)),
      suspendedFor: v.exactOptional(v.nullable(text(suspensionReasonCharsMax))),
      keys: v.array(keySchema),
    }),
  ),
  deleted: v.exactOptional(v.array(v.object({ id }))),
})

type ExportFile = v.InferOutput<typeof fileSchema>
export type ExportedAccount = ExportFile['accounts'][number]
export type DeletedAccount = NonNullable<ExportFile['deleted']>[number]

/** Writes the file. Rejects with an AccountsError. */
export async function exportAccounts(store: Store, file: string): Promise<{ accounts: number; keys: number }> {
  const history = new KeyHistory(store)
  const accounts: ExportedAccount[] = []
  // This release reads only the ids of deleted accounts. The release before needs their names and key ids, too.
  const deleted: (DeletedAccount & { readonly name: string; readonly keyIds: readonly string[] })[] = []
  for (const { number, deletedAt, ...account } of store.allAccounts()) {
    const id = store.ownAccountId({ number })
    const keys = listKeys(store, number).map(({ number: _, account: __, lastUsedAt: ___, ...key }) => {
      const regeneratedAt = history.regeneratedAt(key.keyId)
      return regeneratedAt === undefined ? key : { ...key, regeneratedAt }
    })
    if (deletedAt === null) accounts.push({ ...(id !== undefined && { id }), ...account, keys })
    else deleted.push({ id: id ?? account.name, name: account.name, keyIds: keys.map(({ keyId }) => keyId) })
  }
  const text = `${JSON.stringify({ format: 1, accounts, deleted } satisfies ExportFile, null, 1)}\n`
  await replaceFile(file, (beside) => writeFileSync(beside, text))
  return { accounts: accounts.length, keys: keysIn(accounts) }
}

export const keysIn = (accounts: readonly ExportedAccount[]) => accounts.reduce((sum, { keys }) => sum + keys.length, 0)

/** Throws AccountsError. */
export function readExport(file: string): ExportFile {
  let data: { readonly accounts?: readonly { readonly name?: unknown }[] }
  try {
    data = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new AccountsError(`${file} can't be read (${systemText(error)})`)
  }
  const checked = v.safeParse(fileSchema, data)
  if (checked.success) return checked.output
  const issue = checked.issues[0]
  const path = v.getDotPath(issue) ?? 'the file'
  const [, number, field] = /^accounts\.(\d+)\.(.+)$/.exec(path) ?? []
  const account = data.accounts?.[Number(number)]?.name
  const isNamed = typeof account === 'string' && brokenRule(account, accountNameCharsMax) === undefined
  const where = isNamed ? `account ${account}: ${field}` : path
  throw new AccountsError(`${file}: ${where}: ${issue.message}`)
}
