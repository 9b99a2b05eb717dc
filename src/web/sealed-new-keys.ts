/**
 * New keys, if several servers share the accounts: another server may show the next page, so a key waits in the accounts' store. It
 * is encrypted with the session's token, of which the store has only a hash.
 *
 *   | 12 bytes, random | the key, encrypted (AES-256-GCM) | 16 bytes that tell whether it is whole |
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { keyOfAccounts, type ReplicationConnection, replicatedId } from '../accounts/replication/connection.ts'
import type { FoundSession } from '../accounts/sign-ins.ts'
import { newKeyWaitMsMax } from '../limits.ts'
import type { Store } from '../store/store.ts'
import type { NewKeys } from './new-keys.ts'

const cipher = 'aes-256-gcm'
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16]

export class SealedNewKeys implements NewKeys {
  readonly #connection: ReplicationConnection
  readonly #store: Store

  constructor(connection: ReplicationConnection, store: Store) {
    this.#connection = connection
    this.#store = store
  }

  async put({ id: session, token }: FoundSession, keyId: string, key: string): Promise<void> {
    const id = replicatedId(this.#store, this.#connection)
    const name = nameOf(id, session, keyId)
    await this.#connection.query((redis) => redis.set(name, seal(token, key), 'PX', newKeyWaitMsMax))
  }

  async take({ id: session, token }: FoundSession, keyId: string): Promise<string | undefined> {
    if (keyId === '') return undefined
    const id = replicatedId(this.#store, this.#connection)
    const name = nameOf(id, session, keyId)
    const sealed = await this.#connection.query((redis) => redis.getdelBuffer(name))
    return sealed === null ? undefined : unseal(token, sealed)
  }
}

const nameOf = (id: string, session: string, keyId: string) => keyOfAccounts(id, `new-key:${session}:${keyId}`)

const secretOf = (token: string) => Buffer.from(hkdfSync('sha256', token, '', 'a new key', keyBytes))

export function seal(token: string, key: string): Buffer {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, secretOf(token), iv)
  return Buffer.concat([iv, sealing.update(key, 'utf8'), sealing.final(), sealing.getAuthTag()])
}

/** Throws if it was sealed with another token, or is no longer whole. */
export function unseal(token: string, sealed: Buffer): string {
  const opening = createDecipheriv(cipher, secretOf(token), sealed.subarray(0, ivBytes))
  opening.setAuthTag(sealed.subarray(-tagBytes))
  return opening.update(sealed.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8')
}
