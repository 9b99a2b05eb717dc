/** The dashboard's section "Look up": a search by name, by set and number, or by id; names while one types; and how many of them an account may make. */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import { lookUpHitsMax, lookUpsPerMinuteMax, queryCharsMax } from '../../limits.ts'
import { type Card, findCards, type Hits, namesLike } from '../cards.ts'
import type { PageContext, Site } from '../site.ts'
import { count, inCurrency, number, price } from './figures.ts'
import type { Html } from './frame.ts'

export interface LookUpOutcome {
  readonly section: Html
  readonly status: 200 | 400 | 429
}

/** Counts a look-up of the account, if it may make one. Why not, if it may not; the answer's header says when it may. */
export function refusalOfLookUp(site: Site, context: PageContext): string | undefined {
  const waitMs = site.lookUps.take(context.var.session.account.number, site.clock())
  if (waitMs === 0) return undefined
  const seconds = Math.ceil(waitMs / 1000)
  context.header('Retry-After', String(seconds))
  return (
    `An account may look up ${lookUpsPerMinuteMax} cards a minute on these pages: go on in ${seconds} s. ` +
    'Programs are bounded by the plan alone.'
  )
}

/** Names for what is typed, undefined if the account asks too often. */
export async function suggestedNames(site: Site, context: PageContext, typed: string): Promise<string[] | undefined> {
  if (site.lookUps.takeSuggestions(context.var.session.account.number, site.clock()) > 0) return undefined
  const data = await site.data.open()
  return data === undefined || typed.trim() === '' || [...typed].length > queryCharsMax ? [] : namesLike(data, typed)
}

/** @param name as it was typed; undefined: nothing is asked. @param page as its address has it, from 1 */
export async function lookUp(
  site: Site,
  context: PageContext,
  name: string | undefined,
  page: string | undefined,
): Promise<LookUpOutcome> {
  if (name === undefined) return nothingAsked
  if (name.trim() === '' || [...name].length > queryCharsMax) {
    const message = `A card name has 1 to ${queryCharsMax} characters.`
    return { section: section(name, wrong(message), true), status: 400 }
  }
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return { section: section(name, wrong(refused)), status: 429 }
  const data = await site.data.open()
  if (data === undefined) return { section: section(name, html`<p>There are no cards here yet.</p>`), status: 200 }
  const from = /^[1-9]\d{0,5}$/.test(page ?? '') ? Number(page) - 1 : 0
  return {
    section: section(name, hits(name, findCards(data, name, from), from, site.data.about.currency)),
    status: 200,
  }
}

const wrong = (message: string) => html`<p class="wrong" id="card-name-wrong" role="alert">${message}</p>`

const section = (
  name: string,
  found: Html | string,
  isWrong = false,
) => html`<section class="panel" aria-labelledby="look-up">
<h2 id="look-up">Look up</h2>
<form method="get" action="/dashboard#look-up" role="search" class="search">
<label for="card-name">Card name</label>
<div class="choice">
<input id="card-name" name="q" type="search" required autocomplete="off" value="${name}" list="card-names"${
  isWrong ? html` autofocus aria-invalid="true" aria-describedby="card-name-wrong"` : ''
}>
<button type="submit" class="primary">Search</button>
</div>
<datalist id="card-names"></datalist>
</form>
${found}
</section>`

function hits(name: string, { total, cards }: Hits, page: number, currency: string | undefined) {
  if (total === 0)
    return html`<p class="first">No card has a name like this. Parts of words do, from their beginning on: <em>char</em> finds <em>Charizard</em>. With a number or a set behind it, a name finds one printing: <em>charizard 4/102</em>.</p>`
  const first = page * lookUpHitsMax + 1
  const shown = cards.length === 0 ? 'none on this page' : `${number(first)} to ${number(first + cards.length - 1)}`
  return html`<p class="hint">${count(total)} ${total === 1 ? 'card' : 'cards'}, shown: ${shown}.</p>
<table class="data stacked hits">
<caption>Cards found</caption>
<thead><tr><th scope="col">Card</th><th scope="col">Game</th><th scope="col">Set</th><th scope="col">Number</th><th scope="col">Rarity</th><th scope="col" class="figure">${inCurrency('Market price', currency)}</th></tr></thead>
<tbody>
${cards.map(hit)}
</tbody>
</table>
<p class="choice pages">${page > 0 ? turn(name, page, 'Page before') : ''} ${first + cards.length <= total && cards.length > 0 ? turn(name, page + 2, 'Next page') : ''}</p>`
}

const turn = (name: string, page: number, label: string) =>
  html`<a href="/dashboard?q=${encodeURIComponent(name)}&amp;page=${page}#look-up">${label}</a>`

const hit = ({ id, name, game, set, number, rarity, prices }: Card) => html`<tr>
<th scope="row"><a href="${cardPath(id)}">${name}</a></th>
<td>${gameName(game)}</td><td>${set}</td><td>${number ?? 'unknown'}</td><td>${rarity ?? 'unknown'}</td><td class="figure">${price(prices.market)}</td>
</tr>`

export const nothingAsked: LookUpOutcome = { section: section('', ''), status: 200 }

export const gameName = (slug: string): string => games.find(({ id }) => id === slug)?.name ?? slug

export const cardPath = (id: string): string => `/dashboard/cards/${encodeURIComponent(id)}`
