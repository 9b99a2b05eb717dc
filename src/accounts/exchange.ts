/**
 * Accounts as a file, so that several machines can be given the same ones: names, plans, the hashes of the keys, never
 * a secret. Counts are not part of it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { dayOfMs } from '../calendar.ts'
import { accountNameCharsMax } from '../limits.ts'
import { planNames } from '../plans.ts'
import { AccountsError } from '../store/accounts-error.ts'
import type { Store } from '../store/store.ts'
import { systemText } from '../system-error.ts'
import { accountNamed, addAccount, addKey, checkName, isForgotten, listKeys } from './registry.ts'
import { replaceFile } from './replaced-file.ts'

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
 * Makes the accounts of the file and their keys as they are there; what the file does not name stays. All of it or
 * nothing, and once more changes nothing. Throws AccountsError.
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

/** @param firstNew those with lower numbers were here before. Two names that fold alike may come from an older store. */
function importAccount(store: Store, account: ExportedAccount, firstNew: number, now: number): boolean {
  const { name, plan, createdAt } = account
  const number = store.accountNumber(name)
  if (number === undefined) {
    const like = store.accountLike(name)
    if (like !== undefined && like.number < firstNew) {
      throw new AccountsError(`the account ${name} of the file can't be told from ${like.name}, which is here already`)
    }
  }
  const before = number === undefined ? addAccount(store, name, plan, createdAt) : store.account(number)
  // A file of an earlier release does not say.
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
    // Once more would change something, if it came and went again.
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
