/** Exports accounts to a file, and imports them on other machines: names, plans and the hashes of keys, no secrets, no counts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { dayOfMs } from '../calendar.ts'
import { accountNameCharsMax } from '../limits.ts'
import { planNames } from '../plans.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { replaceFile } from '../store/replaced-file.ts'
import type { Store } from '../store/store.ts'
import { systemText } from '../system-error.ts'
import { accountNamed, addAccount, addKey, checkName, isForgotten, listKeys } from './registry.ts'

const moment = v.pipe(v.number(), v.integer(), v.minValue(0))
const name = v.pipe(v.string(), v.maxLength(accountNameCharsMax))
const keySchema = v.object({
  keyId: v.pipe(v.string(), v.regex(/^key_[0-9A-Za-z]{10}$/)),
  name,
  prefix: v.pipe(v.string(), v.regex(/^cpl_live_[0-9A-Za-z]{4}$/)),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  createdAt: moment,
  expiresAt: v.nullable(moment),
  revokedAt: v.nullable(moment),
})
const fileSchema = v.object({
  format: v.literal(1),
  accounts: v.array(
    v.object({
      name,
      plan: v.picklist(planNames),
      createdAt: moment,
      suspendedAt: v.exactOptional(v.nullable(moment)),
      suspendedFor: v.exactOptional(v.nullable(v.string())),
      keys: v.array(keySchema),
    }),
  ),
})

type ExportFile = v.InferOutput<typeof fileSchema>
type ExportedAccount = ExportFile['accounts'][number]

/** Writes the file. Rejects with an AccountsError. */
export async function exportAccounts(store: Store, file: string): Promise<{ accounts: number; keys: number }> {
  const accounts: ExportedAccount[] = []
  for (const { number, deletedAt, ...account } of store.allAccounts()) {
    if (deletedAt !== null) continue
    const keys = listKeys(store, number).map(({ number: _, account: __, lastUsedAt: ___, ...key }) => key)
    accounts.push({ ...account, keys })
  }
  const text = `${JSON.stringify({ format: 1, accounts } satisfies ExportFile, null, 1)}\n`
  await replaceFile(file, (beside) => writeFileSync(beside, text))
  return { accounts: accounts.length, keys: accounts.reduce((sum, account) => sum + account.keys.length, 0) }
}

/**
 * Creates and changes accounts and keys to be as in the file. Others stay as they are. It imports all of the file or nothing, and
 * importing it again changes nothing. Throws AccountsError.
 */
export function importAccounts(
  store: Store,
  file: string,
  now: number,
): { accounts: number; keys: number; changed: number } {
  const { accounts } = readExport(file)
  let changed = 0
  store.change(() => {
    const firstNew = store.counter('nextAccount')
    for (const account of accounts) {
      if (importAccount(store, account, firstNew, now)) changed++
      for (const key of account.keys) if (importKey(store, account.name, key, now)) changed++
    }
  })
  return { accounts: accounts.length, keys: accounts.reduce((sum, account) => sum + account.keys.length, 0), changed }
}

function readExport(file: string): ExportFile {
  let data: unknown
  try {
    data = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new AccountsError(`${file} can't be read (${systemText(error)})`)
  }
  const checked = v.safeParse(fileSchema, data)
  if (checked.success) return checked.output
  const issue = checked.issues[0]
  throw new AccountsError(`${file}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`)
}

/** @param firstNew accounts with lower numbers existed before. Within a file, two names may fold alike: older stores allowed that. */
function importAccount(store: Store, account: ExportedAccount, firstNew: number, now: number): boolean {
  const { name, plan, createdAt } = account
  const number = store.accountNumber(name)
  if (number === undefined) {
    const like = store.accountLike(name)
    if (like !== undefined && like.number < firstNew) {
      throw new AccountsError(`the account ${name} of the file is too similar to ${like.name}, which exists here`)
    }
  }
  const before = number === undefined ? addAccount(store, name, plan, createdAt) : store.account(number)
  // Files of an earlier release lack these.
  const { suspendedAt = before.suspendedAt, suspendedFor = before.suspendedFor } = account
  const isSame = before.plan === plan && before.suspendedAt === suspendedAt && before.suspendedFor === suspendedFor
  if (!isSame) store.putAccount({ ...before, plan, suspendedAt, suspendedFor })
  if (before.plan !== plan) store.putPlanDay(before.number, dayOfMs(now), plan)
  if (isSame && number !== undefined) return false
  store.record({ action: 'account imported', account: before, detail: plan }, now)
  return true
}

function importKey(
  store: Store,
  accountName: string,
  { keyId, ...key }: ExportedAccount['keys'][number],
  now: number,
): boolean {
  checkName('a key', key.name)
  const account = accountNamed(store, accountName)
  const before = store.key(keyId)
  if (before === undefined) {
    // A forgotten key would be deleted again, and importing the file again would change something.
    if (isForgotten(key, now)) return false
    addKey(store, account, keyId, key, now)
    store.record({ action: 'key imported', account, keyId }, now)
    return true
  }
  if (before.account !== account.number) throw new AccountsError(`the key ${keyId} belongs to another account here`)
  const { number: _, account: __, ...known } = before
  if (isDeepStrictEqual(known, key)) return false
  store.putKey(keyId, { ...before, ...key })
  store.record({ action: 'key imported', account, keyId }, now)
  return true
}
