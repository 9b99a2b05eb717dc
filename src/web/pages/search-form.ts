/** The field "Card name": in the top bar of every page, or large in a page that is about looking cards up. */
import { html } from 'hono/html'
import type { PageContext, Site } from '../site.ts'

/** Where people look cards up. An account has its own addresses. */
interface Ways {
  readonly search: string
  readonly cards: string
  readonly suggestions: string
}

const strangersWays: Ways = { search: '/look-up', cards: '/cards/', suggestions: '/suggestions.json' }
const accountsWays: Ways = {
  search: '/dashboard/look-up',
  cards: '/dashboard/cards/',
  suggestions: '/dashboard/suggestions.json',
}

export const waysOf = (context: PageContext): Ways => (context.var.session === undefined ? strangersWays : accountsWays)

/** Whether this visitor may look cards up. */
export const mayLookUp = ({ data }: Site, context: PageContext): boolean =>
  context.var.session !== undefined || data.about.public !== false

export interface SearchForm {
  /** The field's value. */
  readonly value?: string
  /** The id of an element that says what is wrong with it. */
  readonly wrong?: string | undefined
  readonly isLarge?: boolean
}

export function searchForm(context: PageContext, { value = '', wrong, isLarge = false }: SearchForm = {}) {
  const { search, suggestions } = waysOf(context)
  const invalid = wrong === undefined ? '' : html` autofocus aria-invalid="true" aria-describedby="${wrong}"`
  return html`<form method="get" action="${search}" role="search" class="${isLarge ? 'find wide' : 'find'}">
<label for="card-name"${isLarge ? '' : html` class="unseen"`}>Card name</label>
<div class="combo"><input id="card-name" name="q" type="search" required autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Name, number or set" value="${value}" data-suggestions="${suggestions}"${invalid}></div>
<button type="submit"${isLarge ? html` class="primary"` : ''}>Search</button>
</form>`
}
