/** The field "Card name": in the top bar of every page, or large in a page that is about looking cards up. And where it leads. */
import { html } from 'hono/html'
import type { PageContext, Site } from '../site.ts'

/** Paths to look cards up are under the dashboard if there is a session. */
export const placeOf = (context: PageContext) => (context.var.session === undefined ? '' : '/dashboard')
export const searchPath = (context: PageContext): string => `${placeOf(context)}/look-up`
export const cardPath = (context: PageContext, id: string): string =>
  `${placeOf(context)}/cards/${encodeURIComponent(id)}`

export const valuePath = (context: PageContext): string => `${placeOf(context)}/value`

/** Whether this visitor may look cards up. */
export const mayLookUp = ({ data }: Site, context: PageContext): boolean =>
  context.var.session !== undefined || data.about.public !== false

interface SearchForm {
  /** The field's value. */
  readonly value?: string
  /** The id of an element that says what is wrong with it. */
  readonly wrong?: string | undefined
  readonly isLarge?: boolean
}

export function searchForm(context: PageContext, { value = '', wrong, isLarge = false }: SearchForm = {}) {
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true" aria-describedby="${wrong}"`
  return html`<form method="get" action="${searchPath(context)}" role="search" class="${isLarge ? 'find wide' : 'find'}">
<label for="card-name"${isLarge ? '' : html` class="unseen"`}>Card name</label>
<div class="combo"><input id="card-name" name="q" type="search" required autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Name, number or set" value="${value}" data-suggestions="${placeOf(context)}/suggestions.json"${invalid}></div>
<button type="submit"${isLarge ? html` class="primary"` : ''}>Search</button>
</form>`
}
