/** Secrets that a person's browser holds: random, and known to the store by their hash alone, as keys are. */
import { randomBytes } from 'node:crypto'
import { hashOf } from './keys.ts'

const randomBytesOfToken = 32
const shape = /^[\w-]{43}$/

export interface NewToken {
  /** Base64url: 43 characters. */
  readonly token: string
  /** All that is stored of it. */
  readonly hash: Buffer
}

export function makeToken(): NewToken {
  const token = randomBytes(randomBytesOfToken).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Its hash; undefined if the text can be no token, whatever its length. */
export const hashOfToken = (text: string): Buffer | undefined => (shape.test(text) ? hashOf(text) : undefined)
