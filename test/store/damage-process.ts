/**
 * Opens damaged copies of a store, one after the other, and does all that commands and a server do with each. A line a
 * case, written before it is opened and ended after: where the process ends by a signal, its last line names the case.
 *
 *   FOLDER with first/accounts.db and first/revoked, FROM and TO: the seeds of the cases
 */
import { mkdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { exportAccounts } from '../../src/accounts/exchange.ts'
import { Flusher } from '../../src/accounts/flusher.ts'
import { makeKey } from '../../src/accounts/keys.ts'
import * as registry from '../../src/accounts/registry.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { usageOf } from '../../src/quota/usage.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { damagedCopy } from './damaged-store.ts'

const [folder, from, to] = process.argv.slice(2) as [string, string, string]

const revoked = readFileSync(join(folder, 'first', 'revoked'), 'latin1').split('\n')

for (let seed = Number(from); seed < Number(to); seed++) {
  const storeDir = join(folder, `case-${seed}`)
  mkdirSync(storeDir)
  const damage = damagedCopy(join(folder, 'first', 'accounts.db'), join(storeDir, 'accounts.db'), seed)
  writeSync(1, `${seed} ${damage}: `)
  writeSync(1, `${await use(storeDir)}\n`)
  rmSync(storeDir, { recursive: true })
}

/** 'refused: ' and why, or how many steps could be taken of how many. */
async function use(storeDir: string): Promise<string> {
  let store: Store
  try {
    store = new Store(storeDir)
  } catch (error) {
    return `${error instanceof AccountsError ? 'refused' : 'THREW'}: ${(error as Error).message}`
  }
  const now = Date.now()
  const shared = reserveAccounts(storeDir, false)
  const authenticator = new Authenticator(shared)
  const flusher = new Flusher(shared.quota, store)
  const accounts = Array.from({ length: 12 }, (_, i) => `account ${i * 30}`)
  let created = ''
  const steps: (() => unknown)[] = [
    () => registry.listAccounts(store, 20_003, now),
    () => exportAccounts(store, join(storeDir, 'export')),
    ...accounts.map((name) => () => registry.listKeys(store, registry.accountNamed(store, name).number)),
    ...accounts.map((name) => () => usageOf(store, registry.accountNamed(store, name).number, 19_914, 20_003)),
    () => [...store.auditLog(undefined, 0)],
    () => store.unsentKeyUses(1000),
    ...accounts.map((name, i) => () => registry.createKey(store, name, `further ${i}`, null, now)),
    ...accounts.map((name) => () => registry.setPlan(store, name, 'business')),
    ...accounts.map((_, i) => () => registry.revokeKey(store, `key_${`${i * 60}`.padStart(10, '0')}`, now)),
    () => {
      created = registry.createAccount(store, `account of ${'x'.repeat(40)}`, 'free', now).key
    },
    () => authenticator.identify(makeKey().key),
    () => {
      const access = authenticator.identify(created)
      if (access !== undefined) authenticator.take(access)
    },
    () =>
      store.write(() => {
        for (let account = 0; account < 400; account++) store.addUsage(dayOfMs(now), account, account)
      }),
    () => flusher.flush(),
  ]
  let taken = 0
  for (const step of steps) {
    try {
      await step()
      taken++
    } catch {
      // Any exception is a command's one line, or a request's refusal; a signal must not be.
    }
  }
  const letIn = revoked.filter((key) => isLetIn(authenticator, key)).length
  await authenticator.close()
  await store.close()
  return letIn === 0 ? `opened, ${taken} of ${steps.length}` : `LET IN ${letIn} revoked keys`
}

function isLetIn(authenticator: Authenticator, key: string): boolean {
  try {
    return authenticator.identify(key) !== undefined
  } catch {
    return false
  }
}
