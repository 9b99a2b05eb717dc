/**
 * The form of an API key.
 *
 *   cpl_live_ Xk3…32 random characters…9a 0pQz4T
 *   └prefix ┘ └──── 190 random bits ────┘ └ CRC-32 of all that precedes it, as ASCII
 *
 * Characters are base62 in the order 0-9 A-Z a-z; the checksum is written with six of them, most significant first.
 * If a key is mistyped, its check digits are wrong, and the server does not look the key up. The prefix lets scanners
 * find leaked keys.
 */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const keyPrefix = 'cpl_live_'
const randomChars = 32
const checkChars = 6
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${randomChars + checkChars}}$`)

export interface NewKey {
  /** The key itself, a secret that its owner sees once. */
  readonly key: string
  /** The part of the key that a list may show. */
  readonly prefix: string
  readonly hash: Buffer
}

export function makeKey(): NewKey {
  const text = keyPrefix + randomBase62(randomChars)
  const key = text + checkDigits(text)
  return { key, prefix: publicPrefix(key), hash: hashOf(key) }
}

/** True if the text has the form of a key and its check digits are right. */
export const isWellFormed = (key: string): boolean =>
  shape.test(key) && key.endsWith(checkDigits(key.slice(0, -checkChars)))

/**
 * Returns the SHA-256. It has no salt and is no slow hash, because 190 random bits can't be guessed, and a request must
 * not wait.
 */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/**
 * Returns the prefix and four characters. They distinguish an account's ten keys, while 28 characters (166 bits) stay
 * unknown to readers of a list.
 */
const publicPrefix = (key: string) => key.slice(0, keyPrefix.length + 4)

/** Random characters, each of the 62 equally likely. */
export function randomBase62(chars: number): string {
  let text = ''
  for (let i = 0; i < chars; i++) text += base62[randomInt(base62.length)]
  return text
}

function checkDigits(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checkChars; i++) {
    digits = base62[rest % base62.length] + digits
    rest = Math.floor(rest / base62.length)
  }
  return digits
}
