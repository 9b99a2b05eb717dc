/**
 * The form of an API key.
 *
 *   cpl_live_ Xk3…32 random characters…9a 0pQz4T
 *   └ mark ─┘ └──── 190 random bits ────┘ └ CRC-32 of all that precedes it, as ASCII
 *
 * Characters are base62 in the order 0-9 A-Z a-z; the checksum is written with six of them, most significant first.
 * A mistyped key fails its check digits and costs no look-up; the mark lets scanners find a leaked one.
 */
import { hash, randomInt } from 'node:crypto'

const mark = 'cpl_live_'
const randomChars = 32
const checkChars = 6
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const checkedChars = mark.length + randomChars
const keyChars = checkedChars + checkChars

/** By character code: the digit's value, -1 for all that is none. */
const digitOf = new Int8Array(256).fill(-1)
for (const [value, digit] of [...base62].entries()) digitOf[digit.charCodeAt(0)] = value

/** The usual CRC-32 (polynomial 0xEDB88320), by byte. In JavaScript it costs less than the way into native code. */
const crcOf = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

export interface NewKey {
  /** The key itself, a secret: for its owner, once. */
  readonly key: string
  /** What lists show of it. */
  readonly prefix: string
  /** All that is stored of it. */
  readonly hash: Buffer
}

/** A key that nobody has had before. */
export function makeKey(): NewKey {
  const text = mark + randomBase62(randomChars)
  const key = text + checkDigits(text)
  return { key, prefix: publicPrefix(key), hash: hashOf(key) }
}

/** Whether the text has the form of a key and its check digits are right. */
export function isWellFormed(key: string): boolean {
  if (key.length !== keyChars || !key.startsWith(mark)) return false
  let digits = 0
  for (let i = mark.length; i < keyChars; i++) {
    const code = key.charCodeAt(i)
    const value = code < digitOf.length ? digitOf[code]! : -1
    if (value < 0) return false
    if (i >= checkedChars) digits = digits * base62.length + value
  }
  return digits === checksum(key)
}

/**
 * SHA-256. No salt and no slow hash: 190 random bits can't be guessed, and a request must not wait.
 */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/**
 * The mark and four characters: enough to tell an account's ten keys apart, while 28 characters (166 bits) stay
 * unknown to whoever reads a list.
 */
const publicPrefix = (key: string) => key.slice(0, mark.length + 4)

/** Random characters, each of the 62 equally likely. */
export function randomBase62(chars: number): string {
  let text = ''
  for (let i = 0; i < chars; i++) text += base62[randomInt(base62.length)]
  return text
}

function checkDigits(text: string): string {
  let rest = checksum(text)
  let digits = ''
  for (let i = 0; i < checkChars; i++) {
    digits = base62[rest % base62.length] + digits
    rest = Math.floor(rest / base62.length)
  }
  return digits
}

/** CRC-32 of the ASCII characters before the check digits, as an unsigned number. */
function checksum(text: string): number {
  let crc = -1
  for (let i = 0; i < checkedChars; i++) crc = crcOf[(crc ^ text.charCodeAt(i)) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
