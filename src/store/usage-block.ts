/**
 * A usage block: the requests of 256 neighbouring accounts on a day, as the table `usage` stores them. A block has a
 * 32-bit little-endian count for each account, up to the last count that is not 0. A month of 100,000 accounts takes
 * 12 MB. One row for each account and day would be three million rows.
 */
export const blockAccounts = 256

export const blockOf = (account: number): number => Math.floor(account / blockAccounts)

/** All counts of a block, up to the last count that is not 0. */
export function countsIn(block: Uint8Array | undefined): Uint32Array {
  // A Uint32Array must begin at a multiple of four bytes, so the bytes are copied. All supported machines are
  // little-endian.
  return block === undefined ? new Uint32Array() : new Uint32Array(Uint8Array.from(block).buffer)
}
