/** Damage by disks, transfers and people: bytes cut off, flipped, overwritten, put in; lines lost, moved, changed. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'

/** Of a case: all that it does follows from it. */
export const caseRandom = (seed: number, number: number): Random =>
  randomFrom(Math.imul(seed ^ Math.imul(number + 1, 0x9e37_79b1), 0x85eb_ca6b) >>> 0)

type Damage = (random: Random, bytes: Buffer) => Buffer

const somewhere = (random: Random, bytes: Buffer) => drawBelow(random, bytes.length + 1)
const anyBytes = (random: Random, most: number) =>
  Buffer.from(Array.from({ length: 1 + drawBelow(random, most) }, () => drawBelow(random, 256)))

const ofBytes: readonly Damage[] = [
  // Cut off, at any place or by a few bytes.
  (random, bytes) => bytes.subarray(0, somewhere(random, bytes)),
  (random, bytes) => bytes.subarray(0, Math.max(0, bytes.length - 1 - drawBelow(random, 16))),
  // Bits flipped.
  ...Array.from({ length: 4 }, () => (random: Random, bytes: Buffer) => {
    const copy = Buffer.from(bytes)
    for (let flips = 1 + drawBelow(random, 6); flips > 0 && copy.length > 0; flips--) {
      const at = drawBelow(random, copy.length)
      copy[at] = copy[at]! ^ (1 << drawBelow(random, 8))
    }
    return copy
  }),
  // A run overwritten: by anything, by zeros as after a crash, by ones.
  (random, bytes) => overwritten(random, bytes, anyBytes(random, 64)),
  (random, bytes) => overwritten(random, bytes, Buffer.alloc(1 + drawBelow(random, 5000))),
  (random, bytes) => overwritten(random, bytes, Buffer.alloc(1 + drawBelow(random, 64), 0xff)),
  // A number made another one.
  (random, bytes) => {
    const number = Buffer.alloc(4)
    number.writeUInt32LE(drawFrom(random, [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe]))
    return overwritten(random, bytes, number)
  },
  (random, bytes) => {
    const at = somewhere(random, bytes)
    return Buffer.concat([bytes.subarray(0, at), anyBytes(random, 20), bytes.subarray(at)])
  },
  (random, bytes) => {
    const at = somewhere(random, bytes)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + drawBelow(random, 40))])
  },
  // A block at the place of another, as by a lost write.
  (random, bytes) => {
    const size = drawFrom(random, [64, 512, 4096])
    const from = size * drawBelow(random, Math.ceil(bytes.length / size))
    return overwritten(random, bytes, bytes.subarray(from, from + size), size)
  },
  (random, bytes) => Buffer.concat([bytes, anyBytes(random, 300)]),
  (random, bytes) => anyBytes(random, bytes.length + 1),
  () => Buffer.alloc(0),
]

/** @param grid the place is a multiple of it */
function overwritten(random: Random, bytes: Buffer, by: Buffer, grid = 1): Buffer {
  const copy = Buffer.from(bytes)
  by.copy(copy, Math.floor(somewhere(random, bytes) / grid) * grid)
  return copy
}

const values = [
  ...['null', '-1', '1e999', '0.005', '99999999999', '"x"', '[]', '{}', 'true', '""', '1e-7', '12345678901234567890'],
  ...[
    '\0',
    '\0'.repeat(10),
    '\ufeff',
    '9999-12-31',
    '1969-12-31',
    '2026-02-30',
    '"',
    ',',
    '\r',
    '\n',
    '\u2028',
    '\ud83d',
  ],
]

const ofLines: readonly ((random: Random, lines: string[]) => void)[] = [
  (random, lines) => lines.splice(drawBelow(random, lines.length), 1),
  (random, lines) => lines.splice(drawBelow(random, lines.length), 0, drawFrom(random, lines)),
  (random, lines) => {
    const [line = ''] = lines.splice(drawBelow(random, lines.length), 1)
    lines.splice(drawBelow(random, lines.length + 1), 0, line)
  },
  // A field made another one.
  ...Array.from({ length: 4 }, () => (random: Random, lines: string[]) => {
    const at = drawBelow(random, lines.length)
    const parts = (lines[at] ?? '').split(/([,:])/)
    parts[drawBelow(random, parts.length)] = drawFrom(random, values)
    lines[at] = parts.join('')
  }),
]

const bytesDamaged: Damage = (random, bytes) => drawFrom(random, ofBytes)(random, bytes)

const linesDamaged: Damage = (random, bytes) => {
  const lines = bytes.toString('utf8').split('\n')
  for (let changes = 1 + drawBelow(random, 3); changes > 0 && lines.length > 0; changes--) {
    drawFrom(random, ofLines)(random, lines)
  }
  return Buffer.from(lines.join('\n'))
}

/** A copy with one to three damages. */
export function damaged(random: Random, bytes: Buffer): Buffer {
  let result = bytes
  for (let damages = drawFrom(random, [1, 1, 1, 2, 3]); damages > 0; damages--) result = bytesDamaged(random, result)
  return result
}

/** The same for a file of lines; one whose name ends in `.gz` is damaged as it lies there, or in what it holds. */
export function damagedText(random: Random, name: string, bytes: Buffer): Buffer {
  const isPacked = name.endsWith('.gz')
  if (isPacked && drawBelow(random, 3) > 0) return damaged(random, bytes)
  const text = isPacked ? gunzipSync(bytes) : bytes
  const result = drawBelow(random, 3) === 0 ? damaged(random, text) : linesDamaged(random, text)
  return isPacked ? gzipSync(result) : result
}
