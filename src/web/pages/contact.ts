/** Whom to ask, as the operator names them. */
import { html } from 'hono/html'
import { type About, contactAddress } from '../../indexes/about-file.ts'
import type { Html } from './frame.ts'

/** A link, if the contact is an address; undefined without one. */
export function contactLink(about: About): Html | undefined {
  const { contact } = about
  const address = contactAddress(about)
  if (contact === undefined) return undefined
  return address === undefined ? html`${contact}` : html`<a href="${address}" rel="noreferrer">${contact}</a>`
}
