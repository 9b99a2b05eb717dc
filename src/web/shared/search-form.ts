/**
 * The field "Card name", and the paths to which it leads. It is in the top bar of every page, or large in a page for
 * looking up cards.
 */
import { html } from 'hono/html'
import type { Html, PageContext, Site } from '../site.ts'

/** Paths to look cards up are under the dashboard if there is a session. */
export const placeOf = (context: PageContext) => (context.var.session === undefined ? '' : '/dashboard')
export const searchPath = (context: PageContext): string => `${placeOf(context)}/look-up`
export const cardPath = (context: PageContext, id: string): string =>
  `${placeOf(context)}/cards/${encodeURIComponent(id)}`

/** The page of a set. It is the same with and without a session. */
export const setPagePath = ({ game, code }: { readonly game: string; readonly code: string }): string =>
  `/sets/${game}/${encodeURIComponent(code)}`

export const valuePath = (context: PageContext): string => `${placeOf(context)}/value`

/** Addresses that suggest names and sets to a field. */
export const suggestionsPath = (context: PageContext): string => `${placeOf(context)}/suggestions.json`

/** True if this visitor may look up cards. */
export const mayLookUp = ({ data }: Site, context: PageContext): boolean =>
  context.var.session !== undefined || data.about.public !== false

interface SearchForm {
  /** The field's value. */
  readonly value?: string
  /** The id of an element that says what is wrong with the value. */
  readonly wrong?: string | undefined
  readonly isLarge?: boolean
  /** Further fields of the form. If there are some, the name may be empty. */
  readonly filters?: Html
}

export function searchForm(context: PageContext, { value = '', wrong, isLarge = false, filters }: SearchForm = {}) {
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true" aria-describedby="${wrong}"`
  const required = filters === undefined ? html` required` : ''
  return html`<form method="get" action="${searchPath(context)}" role="search" class="${isLarge ? 'find large-field' : 'find'}">
<label for="card-name"${isLarge ? '' : html` class="unseen"`}>Card name</label>
<div class="combo"><input id="card-name" name="q" type="search"${required} autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Name, number or set" value="${value}" data-suggestions="${suggestionsPath(context)}"${invalid}></div>
<button type="submit"${isLarge ? html` class="primary"` : ''}>Search</button>
${filters ?? ''}
</form>`
}
