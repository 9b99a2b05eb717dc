/**
 * The requests of 256 neighbouring accounts on a day, as the table `usage` holds them: one count an account, up to the last
 * that is not 0; 4 bytes each, little-endian. A month of 100,000 accounts is 12 MB, where a row for each is three million rows.
 */
export const blockAccounts = 256
const countBytes = 4

export const blockOf = (account: number): number => Math.floor(account / blockAccounts)

export type UsageBlock = Uint8Array

export const isBlock = (bytes: Uint8Array): boolean =>
  bytes.length % countBytes === 0 && bytes.length <= blockAccounts * countBytes

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
