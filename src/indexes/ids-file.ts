/**
 * `ids.msgpack`: two hash tables that all threads share. One finds a card's details by the card's id, the other finds
 * the card's item.
 *
 *   details, items   mark and place + 1 │ 0 │ mark and place + 1 │ …   open addressing; 0 is an empty slot
 *
 * The number of slots is a power of two, and at most half of the slots are full. The low bits of the id's hash are the
 * number of the first slot that a look-up visits. It continues until a slot has the hash's mark, or is empty. A place
 * leaves some high bits of a slot free, and the mark is the hash's bits there.
 *
 * The tables do not contain the ids. A card's texts start with its id, so a look-up compares the id there, and the
 * response needs these texts anyway. A place has a part, and the start of the record in the part. So a look-up reads
 * nothing between a slot and a record.
 *
 * Invariants: a look-up by each card's id finds its record. All other slots are empty. At least half of the slots are
 * empty, so a look-up visits few slots. It ends at the first empty slot.
 */

import assert from 'node:assert/strict'
import { indexFileBytesMax } from '../limits.ts'
import { IndexError, indexFile, lineBytes, noMeta, partCards, u32Column } from './format.ts'

/**
 * How many low bits of a 32-bit place are the start of the record in its part, in cache lines. The other bits are the
 * part's number.
 */
const placeRecordBits = 25
/** One part fewer than the bits allow, so that neither the highest 32-bit number nor the one below it is a place. */
export const partsMax = 2 ** (32 - placeRecordBits) - 1
export const cardsMax = partsMax * partCards

assert(partCards * lineBytes <= indexFileBytesMax, "a part's records have room for a line each")
assert(2 ** placeRecordBits * lineBytes > indexFileBytesMax, 'every record of a part can be named')
assert(2 * cardsMax <= 2 ** 32, 'a posting, a name and one bit, takes 32 bits')

/** The places of the records, by card index. */
interface Places {
  readonly details: ArrayLike<number>
  readonly items: ArrayLike<number>
}

const recordMask = 2 ** placeRecordBits - 1

/**
 * The place of a record. Throws RangeError if there are more cards than places can name.
 * @param at the record's first byte in its part, a multiple of `lineBytes`
 */
export function placeOf(part: number, at: number): number {
  if (part >= partsMax) throw new RangeError(`an index holds at most ${cardsMax} cards`)
  return part * 2 ** placeRecordBits + at / lineBytes
}

export const partOfPlace = (place: number): number => place >>> placeRecordBits
export const startOfPlace = (place: number): number => (place & recordMask) * lineBytes

const wordBytes = 4

/** The unsigned hash of `length` bytes from `start` on. It takes four bytes at a time. */
export function idHash(bytes: DataView, start: number, length: number): number {
  let hash = length
  let at = start
  for (; at + wordBytes <= start + length; at += wordBytes) hash = mixed(hash ^ bytes.getInt32(at, true))
  let rest = 0
  for (; at < start + length; at++) rest = (rest << 8) | bytes.getUint8(at)
  return mixed(hash ^ rest) >>> 0
}

/** Multiplies by a large odd number, which moves information to high bits, and mixes these into the low bits. */
function mixed(hash: number): number {
  const product = Math.imul(hash, 0x9e3779b1)
  return product ^ (product >>> 15)
}

const { write, read } = indexFile('ids', { details: u32Column, items: u32Column }, noMeta)

/** Reads the tables. Throws IndexError if a table has no empty slot: a look-up of an unknown id would never end. */
export function readIds(bytes: Uint8Array): ReturnType<typeof read> {
  const tables = read(bytes)
  for (const [name, slots] of Object.entries(tables)) {
    // Half of the slots are empty, so the search for one is short.
    if (Number.isInteger(Math.log2(slots.length)) && slots.includes(0)) continue
    throw new IndexError(`the ids file is damaged: ${name} must be a power of two of slots, and have an empty one`)
  }
  return tables
}

/** @param hashes the hashes of the ids, by card index */
export const writeIds = (hashes: ArrayLike<number>, places: Places): Uint8Array[] =>
  write({ details: slotsOf(hashes, places.details), items: slotsOf(hashes, places.items) })

function slotsOf(hashes: ArrayLike<number>, places: ArrayLike<number>): Uint32Array {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(hashes.length, 1) * 2)))
  for (let number = 0; number < hashes.length; number++) addSlot(slots, hashes[number]!, places[number]!)
  return slots
}

/**
 * A mask of the slot's bits that contain a place. A small table needs few of them, because it has few parts. The other
 * bits are the mark.
 */
export const placeMaskOf = (slots: Uint32Array): number =>
  2 ** placeRecordBits * Math.max(1, slots.length / (2 * partCards)) - 1

/** Puts a place into a table that has an empty slot. */
export function addSlot(slots: Uint32Array, hash: number, place: number): void {
  const mask = slots.length - 1
  let slot = hash & mask
  while (slots[slot] !== 0) slot = (slot + 1) & mask
  slots[slot] = ((hash & ~placeMaskOf(slots)) | (place + 1)) >>> 0
}
