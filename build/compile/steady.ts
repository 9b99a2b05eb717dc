/**
 * Whether anything but prices moved since the last version: names, words, sets, numbers and the order of cards mostly stay, and
 * what was compiled from them alone is taken as it is.
 */
import { createHash } from 'node:crypto'
import type { Card } from '../read/cards-and-sets.ts'
import type { SetRecord } from '../read/records.ts'
import { steadyFields } from './described.ts'

/** So much is hashed at a time. */
const bytesAtOnce = 64 * 1024

/**
 * SHA-256, hexadecimal.
 * @param sets in list order
 * @param cards in the order of files and lines
 */
export function steadyOf(sets: readonly SetRecord[], cards: readonly Card[]): string {
  const sum = createHash('sha256')
  sum.update(JSON.stringify(sets))
  let room = new Uint8Array(2 * bytesAtOnce)
  let length = 0
  for (const card of cards) {
    const { start, end } = steadyFields(card)
    const { texts } = card.block
    if (length + end - start > room.length) room = new Uint8Array(length + end - start)
    for (let from = start; from < end; ) room[length++] = texts[from++]!
    if (length < bytesAtOnce) continue
    sum.update(room.subarray(0, length))
    length = 0
  }
  sum.update(room.subarray(0, length))
  sum.update(Float64Array.from(cards, ({ block, place }) => block.products[place]!))
  return sum.digest('hex')
}
