/**
 * Requests by day and account, in blocks of neighbours: a month of 100,000 accounts is 12 MB that are read in
 * milliseconds, where an entry for each would be three million.
 *
 *   [day, account ÷ 256] → | count of the block's first account | of the second | … up to the last that has one |
 *                            4 bytes each, little-endian
 */
import type { Database, RootDatabase } from 'lmdb'

export const blockAccounts = 256
const countBytes = 4

export const blockOf = (account: number): number => Math.floor(account / blockAccounts)

export type UsageBlock = Uint8Array

export const isUsageBlock = (block: UsageBlock): boolean =>
  block instanceof Uint8Array && block.length % countBytes === 0 && block.length <= blockAccounts * countBytes

/** What a block holds of the account at that place in it. */
export function countAt(block: UsageBlock | undefined, place: number): number {
  if (block === undefined || block.length <= place * countBytes) return 0
  return new DataView(block.buffer, block.byteOffset).getUint32(place * countBytes, true)
}

/** All counts of a block; those that it leaves out are undefined. */
export function countsIn(block: UsageBlock | undefined): Uint32Array {
  // Numbers of four bytes must begin at a multiple of four; the machines served are little-endian.
  return block === undefined ? new Uint32Array() : new Uint32Array(Uint8Array.from(block).buffer)
}

/** The block with another count there: the same bytes, or longer ones. */
export function withCount(block: UsageBlock | undefined, place: number, count: number): UsageBlock {
  const long = new Uint8Array(Math.max(block?.length ?? 0, (place + 1) * countBytes))
  if (block !== undefined) long.set(block)
  new DataView(long.buffer).setUint32(place * countBytes, count, true)
  return long
}

export type UsageKey = [day: number, block: number]

export type UsageTable = Database<UsageBlock, UsageKey>

export const openUsageTable = (root: RootDatabase): UsageTable => root.openDB('usageBlocks', { encoding: 'binary' })

/**
 * Format 1 had an entry for each account and day: they become blocks, and their table goes. Within a write; a year of
 * 100,000 accounts takes about a minute.
 */
export function carryOverUsage(root: RootDatabase, table: UsageTable): void {
  const entries: Database<number, [day: number, account: number]> = root.openDB('usage', {})
  let at: [day: number, block: number] | undefined
  let block: UsageBlock | undefined
  for (const { key, value } of entries.getRange({})) {
    const [day, account] = key
    if (at === undefined || at[0] !== day || at[1] !== blockOf(account)) {
      if (at !== undefined) table.putSync(at, block!)
      at = [day, blockOf(account)]
      block = undefined
    }
    block = withCount(block, account % blockAccounts, value)
  }
  if (at !== undefined) table.putSync(at, block!)
  entries.dropSync()
}
