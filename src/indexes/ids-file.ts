/**
 * `ids.msgpack`: from a card's id to its number, a hash table that all threads share.
 *
 *   slots   hash, number + 1 │ 0, 0 │ hash, number + 1 │ …      open addressing, a power of two, at most half full
 *
 * A look-up starts at the slot that the hash names and goes on to the first one with that hash, or to an empty one.
 * The ids themselves are not here: a card's details start with its id, and are about to be sent anyway.
 */
import { decodeIndexFile, encodeIndexFile, u32Column } from './format.ts'

const kind = 'ids'

/** FNV-1a over the id's characters, which are ASCII; unsigned. */
export function idHash(id: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** @param ids by card number */
export function writeIds(ids: readonly string[]): Uint8Array[] {
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(ids.length, 1) * 2))
  const slots = new Uint32Array(slotCount * 2)
  ids.forEach((id, number) => {
    const hash = idHash(id)
    let slot = hash & (slotCount - 1)
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & (slotCount - 1)
    slots[2 * slot] = hash
    slots[2 * slot + 1] = number + 1
  })
  return encodeIndexFile(kind, {}, { slots })
}

/** The slots. Throws IndexError. */
export const readIds = (bytes: Uint8Array): Uint32Array => u32Column(decodeIndexFile(kind, bytes), 'slots')
