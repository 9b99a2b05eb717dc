/** Damages of a store's file: cut, zeroed, overwritten. Seeded, so that a case can be run again. */
import { closeSync, copyFileSync, ftruncateSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeKey } from '../../src/accounts/keys.ts'
import { addAccount, addKey, revokeKey, setPlan } from '../../src/accounts/registry.ts'
import { Store } from '../../src/store/store.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'

/** As database.ts sets it. */
export const pageBytes = 8192

/**
 * A store with keys, usage, and pages that were freed; returns the ids of its keys. Beside it, `revoked` has the keys that are
 * revoked, a line each.
 */
export async function fillStore(storeDir: string, accounts: number): Promise<string[]> {
  const store = new Store(storeDir)
  const keyIds: string[] = []
  const keys: string[] = []
  const add = (from: number, to: number) =>
    store.change(() => {
      for (let i = from; i < to; i++) {
        const account = addAccount(store, `account ${i}`, 'free', i)
        for (const name of ['live', 'test']) {
          const { key, prefix, hash } = makeKey()
          keys.push(key)
          const record = { name, prefix, hash: hash.toString('hex'), createdAt: i, expiresAt: null, revokedAt: null }
          keyIds.push(`key_${`${keyIds.length}`.padStart(10, '0')}`)
          addKey(store, account, keyIds.at(-1)!, record, i)
        }
        for (let day = 0; day < 5; day++) store.addUsage(20_000 + day, i, i + day)
      }
    })
  add(0, accounts >> 1)
  const revoked: string[] = []
  for (let i = 0; i < Math.min(accounts, 100); i += 5) {
    revokeKey(store, keyIds[i]!, i)
    revoked.push(keys[i]!)
    setPlan(store, `account ${i >> 1}`, 'trader')
  }
  add(accounts >> 1, accounts)
  await store.close()
  writeFileSync(join(storeDir, 'revoked'), revoked.join('\n'))
  return keyIds
}

/** Makes a copy and damages it as the number says; returns what was done. */
export function damagedCopy(from: string, to: string, seed: number): string {
  const random = randomFrom(seed)
  copyFileSync(from, to)
  const { size } = statSync(to)
  const file = openSync(to, 'r+')
  const noise = (bytes: number) => Uint8Array.from({ length: bytes }, () => drawBelow(random, 256))
  const page = drawBelow(random, size / pageBytes)
  const kinds: (() => string)[] = [
    () => {
      const length = drawBelow(random, size)
      ftruncateSync(file, length)
      return `cut to ${length}`
    },
    () => {
      const length = drawBelow(random, size / pageBytes) * pageBytes
      ftruncateSync(file, length)
      return `cut to ${length}`
    },
    () => {
      writeSync(file, new Uint8Array(pageBytes), 0, pageBytes, page * pageBytes)
      return `page ${page} zeroed`
    },
    () => {
      writeSync(file, noise(pageBytes), 0, pageBytes, page * pageBytes)
      return `page ${page} overwritten`
    },
    () => {
      // Where a page's own structure is, or the places of its cells.
      const at = page * pageBytes + drawFrom(random, [drawBelow(random, 24), drawBelow(random, 400)])
      writeSync(file, noise(2), 0, 2, at)
      return `2 bytes at ${at}`
    },
    () => {
      const [at, bytes] = [drawBelow(random, size), 1 + drawBelow(random, 64)]
      writeSync(file, noise(bytes), 0, bytes, at)
      return `${bytes} bytes at ${at}`
    },
    () => {
      const other = drawBelow(random, size / pageBytes)
      const bytes = new Uint8Array(pageBytes)
      readSync(file, bytes, 0, pageBytes, other * pageBytes)
      writeSync(file, bytes, 0, pageBytes, page * pageBytes)
      return `page ${other} over page ${page}`
    },
  ]
  const done = drawFrom(random, kinds)()
  closeSync(file)
  return done
}
