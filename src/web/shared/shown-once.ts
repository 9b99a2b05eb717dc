/**
 * A new secret, such as a key or a link, waits in a cookie for the page that shows it. It waits at most a minute, and
 * is shown once. The cookie is encrypted with the session's token. So each server that shares the accounts can show the
 * secret, to that session alone, and no server has to keep it.
 *
 *   | 12 bytes, random | the secret, encrypted (AES-256-GCM) | 16 bytes that prove that nothing was changed |
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { PageContext, Site } from '../site.ts'
import { cookieAttributes } from './session.ts'

/** How long a new secret waits for the page that shows it. */
const newKeyWaitMsMax = 60_000

const cookieName = 'cpl_new_key'
const cipher = 'aes-256-gcm'
const [secretBytes, ivBytes, tagBytes] = [32, 12, 16]

interface ShownOnce {
  /** The session's token. */
  readonly token: string
  /** The path of the page that shows the secret. Pages below this path also get the cookie. */
  readonly path: string
  /** What the secret belongs to, such as a key's id. */
  readonly id: string
}

export function giveOnce(site: Site, context: PageContext, { token, path, id }: ShownOnce, secret: string): void {
  const attributes = { ...cookieAttributes(site), path, maxAge: newKeyWaitMsMax / 1000 }
  setCookie(context, cookieName, seal(token, id, secret), attributes)
}

/** Returns the secret that waits for this page. A second call in another request returns undefined. */
export function takeOnce(site: Site, context: PageContext, { token, path, id }: ShownOnce): string | undefined {
  const sealed = getCookie(context, cookieName)
  if (sealed === undefined) return undefined
  deleteCookie(context, cookieName, { ...cookieAttributes(site), path })
  return unseal(token, id, sealed)
}

const secretOf = (token: string) => Buffer.from(hkdfSync('sha256', token, '', 'a new key', secretBytes))

export function seal(token: string, id: string, secret: string): string {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, secretOf(token), iv, { authTagLength: tagBytes }).setAAD(Buffer.from(id))
  return Buffer.concat([iv, sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
    'base64url',
  )
}

/**
 * Returns the secret; undefined if it was sealed with another token or for another id, or if bytes are missing or
 * changed.
 */
export function unseal(token: string, id: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const iv = bytes.subarray(0, ivBytes)
    const opening = createDecipheriv(cipher, secretOf(token), iv, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-tagBytes))
    return opening.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8')
  } catch {
    return undefined
  }
}
