/** A card's picture. It is shown if its host is ours or is named in about.json; otherwise it is a link. */
import { html } from 'hono/html'
import type { Card } from '../cards.ts'
import type { Site } from '../site.ts'

/** The origins that the policy must allow for it, beside ours. Undefined if it is not shown. */
export function pictureOrigins({ data, url }: Site, { image }: Pick<Card, 'image'>): readonly string[] | undefined {
  if (image === null || !URL.canParse(image)) return undefined
  const { origin } = new URL(image)
  if (origin === url) return []
  return data.about.images?.includes(origin) ? [origin] : undefined
}

/** It has the size of a card before it loads, so nothing moves. */
export const picture = ({ name, image }: Pick<Card, 'name' | 'image'>) =>
  html`<img class="picture" src="${image}" alt="${name}" width="245" height="342" referrerpolicy="no-referrer">`

/** Nothing if there is none. */
export function pictureLink({ name, image }: Pick<Card, 'name' | 'image'>) {
  if (image === null || !URL.canParse(image)) return ''
  return html`<a href="${image}" rel="noreferrer" target="_blank">Picture of ${name}</a> (on ${new URL(image).host})`
}
