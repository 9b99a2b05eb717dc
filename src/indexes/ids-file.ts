/**
 * `ids.msgpack`: from a card's id to its details, and to its item, two hash tables that all threads share.
 *
 *   details, items   mark and place + 1 │ 0 │ mark and place + 1 │ …   open addressing, a power of two, at most half full
 *
 * A look-up starts at the slot that the hash's low bits name and goes on to a slot with the hash's mark, or to an empty one.
 * The mark is the hash's high bits, as many as places leave free in 32. The ids themselves are not here: a card's texts start
 * with its id, and the response needs them anyway. A place names a part and where in it the record starts, so that nothing
 * has to be read between a slot and a record.
 *
 * Invariants: a look-up by each card's id finds its record; all other slots are empty, and at least half of them are, so that
 * every look-up ends.
 */

import assert from 'node:assert/strict'
import { indexFileBytesMax } from '../limits.ts'
import { IndexError, indexFile, lineBytes, noMeta, partCards, u32Column } from './format.ts'

/** The low bits of a 32-bit place number the record in its part; the others number the part. */
const placeRecordBits = 25
/** One fewer than the bits allow, so that no place is the highest number or next to it. */
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
 * Throws RangeError if there are more cards than places can name.
 * @param at the record's first byte in its part, a multiple of `lineBytes`
 */
export function placeOf(part: number, at: number): number {
  if (part >= partsMax) throw new RangeError(`an index holds at most ${cardsMax} cards`)
  return part * 2 ** placeRecordBits + at / lineBytes
}

export const partOfPlace = (place: number): number => place >>> placeRecordBits
export const startOfPlace = (place: number): number => (place & recordMask) * lineBytes

const wordBytes = 4

/** A hash of `length` bytes from `start` on, a word at a time; unsigned. */
export function idHash(bytes: DataView, start: number, length: number): number {
  let hash = length
  let at = start
  for (; at + wordBytes <= start + length; at += wordBytes) hash = mixed(hash ^ bytes.getInt32(at, true))
  let rest = 0
  for (; at < start + length; at++) rest = (rest << 8) | bytes.getUint8(at)
  return mixed(hash ^ rest) >>> 0
}

/** Multiplies by a large odd number, which moves bits up, and moves them down again. */
function mixed(hash: number): number {
  const product = Math.imul(hash, 0x9e3779b1)
  return product ^ (product >>> 15)
}

const { write, read } = indexFile('ids', { details: u32Column, items: u32Column }, noMeta)

/** Throws IndexError, also if a look-up could go on for ever. */
export function readIds(bytes: Uint8Array): ReturnType<typeof read> {
  const tables = read(bytes)
  for (const [name, slots] of Object.entries(tables)) {
    let taken = 0
    for (let slot = 0; slot < slots.length; slot++) if (slots[slot] !== 0) taken++
    if (Number.isInteger(Math.log2(slots.length)) && 2 * taken <= slots.length) continue
    throw new IndexError(`the ids file is damaged: ${name} must be a power of two of slots, at most half of them full`)
  }
  return tables
}

/** @param hashes by card index, of the ids */
export const writeIds = (hashes: ArrayLike<number>, places: Places): Uint8Array[] =>
  write({ details: slotsOf(hashes, places.details), items: slotsOf(hashes, places.items) })

function slotsOf(hashes: ArrayLike<number>, places: ArrayLike<number>): Uint32Array {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(hashes.length, 1) * 2)))
  for (let number = 0; number < hashes.length; number++) addSlot(slots, hashes[number]!, places[number]!)
  return slots
}

/** The bits of a slot that hold a place: the table's size limits how many parts there are. The others are the mark. */
export const placeMaskOf = (slots: Uint32Array): number =>
  2 ** placeRecordBits * Math.max(1, slots.length / (2 * partCards)) - 1

/** Puts a place into a table that has an empty slot. */
export function addSlot(slots: Uint32Array, hash: number, place: number): void {
  const mask = slots.length - 1
  let slot = hash & mask
  while (slots[slot] !== 0) slot = (slot + 1) & mask
  slots[slot] = ((hash & ~placeMaskOf(slots)) | (place + 1)) >>> 0
}
