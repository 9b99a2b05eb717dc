/**
 * Whether a form was sent by a page of ours, as far as the browser tells. A browser always sends Origin with a form, but
 * `null` from a page with our Referrer-Policy, and Sec-Fetch-Site only where the page came over https or from the same
 * machine. Where it tells nothing, a token in the form does. A client that sends neither header is not a browser, and acts for no user.
 */

import { hash } from 'node:crypto'
import { html } from 'hono/html'

export type Sender = 'here' | 'elsewhere' | 'untold'

/** @param own the origins of our pages */
export function senderOf(
  { origin, site }: { readonly origin: string | undefined; readonly site: string | undefined },
  own: readonly string[],
): Sender {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'elsewhere'
  if (origin !== undefined && origin !== 'null') return own.includes(origin) ? 'here' : 'elsewhere'
  return origin === 'null' && site === undefined ? 'untold' : 'here'
}

/** The token that tells a form from another site's. @param secret of the session, or else of the browser */
export const formToken = (secret: string): string => hash('sha256', `form ${secret}`, 'base64url')

/** A hidden field of each form, for browsers that send neither header. */
export const tokenField = (secret: string | undefined) =>
  secret === undefined ? '' : html`<input type="hidden" name="form" value="${formToken(secret)}">`
