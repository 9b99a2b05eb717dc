/**
 * A new key waits for the page that shows it, a minute at most and once, in a cookie. It is encrypted with the session's token: each
 * server that shares the accounts can show it, to that session alone, and none has to keep it.
 *
 *   | 12 bytes, random | the key, encrypted (AES-256-GCM) | 16 bytes that tell whether it is whole |
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { newKeyWaitMsMax } from '../limits.ts'
import { cookieAttributes } from './session.ts'
import type { PageContext, Site } from './site.ts'

const cookieName = 'cpl_new_key'
const cipher = 'aes-256-gcm'
const [secretBytes, ivBytes, tagBytes] = [32, 12, 16]
const path = '/dashboard/keys'

export function giveNewKey(site: Site, context: PageContext, keyId: string, key: string): void {
  const sealed = seal(context.var.session.token, keyId, key)
  setCookie(context, cookieName, sealed, { ...cookieAttributes(site), path, maxAge: newKeyWaitMsMax / 1000 })
}

/** The key with that id, the first time alone. */
export function takeNewKey(site: Site, context: PageContext, keyId: string): string | undefined {
  const sealed = getCookie(context, cookieName)
  if (sealed === undefined) return undefined
  deleteCookie(context, cookieName, { ...cookieAttributes(site), path })
  return unseal(context.var.session.token, keyId, sealed)
}

const secretOf = (token: string) => Buffer.from(hkdfSync('sha256', token, '', 'a new key', secretBytes))

export function seal(token: string, keyId: string, key: string): string {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, secretOf(token), iv, { authTagLength: tagBytes }).setAAD(Buffer.from(keyId))
  return Buffer.concat([iv, sealing.update(key, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString('base64url')
}

/** Undefined if it was sealed with another token or for another key, or is not whole. */
export function unseal(token: string, keyId: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const iv = bytes.subarray(0, ivBytes)
    const opening = createDecipheriv(cipher, secretOf(token), iv, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(keyId)).setAuthTag(bytes.subarray(-tagBytes))
    return opening.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8')
  } catch {
    return undefined
  }
}
