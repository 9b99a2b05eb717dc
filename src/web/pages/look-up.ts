/** Looking cards up: by name, set and number, or id. With a session or without one; and how often. */
import { html } from 'hono/html'
import { games } from '../../games.ts'
import { lookUpHitsMax, lookUpsPerMinuteMax, queryCharsMax, strangerLookUpsPerMinuteMax } from '../../limits.ts'
import { findCards, type Hits, namesLike } from '../card-data.ts'
import { visitorNetwork } from '../look-ups.ts'
import { knowSession } from '../session.ts'
import { compressed } from '../shared-content.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { pageOf } from './frame.ts'
import { count, inCurrency, number, price } from './page-figures.ts'
import { panel, table } from './page-parts.ts'
import { cardPath, mayLookUp, searchForm, searchPath } from './search-form.ts'

interface LookUpOutcome {
  readonly section: Html
  readonly status: 200 | 400 | 429
}

/** Without a session. An account has the same at /dashboard/look-up. */
export function lookUpPages(app: App, site: Site): void {
  app.get('/look-up', async (context) => {
    await knowSession(site, context)
    const { search } = new URL(context.req.url)
    if (context.var.session !== undefined) return context.redirect(`/dashboard/look-up${search}`, 303)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    const { section, status } = await lookUp(site, context)
    return pageOf(site, context, { title: titleOf(context), main: section, hasSearch: true }, status)
  })

  app.get('/suggestions.json', async (context) => {
    if (!mayLookUp(site, context)) return context.json({ error: 'not public' }, 403)
    return suggestions(site, context)
  })
}

export const titleOf = (context: PageContext): string => {
  const name = context.req.query('q')?.trim() ?? ''
  return name === '' ? 'Look up' : `${name} · Look up`
}

/** The key of the limits: the account, or else the network. */
const askerOf = (site: Site, context: PageContext) =>
  context.var.session?.account.number ?? visitorNetwork(site, context)

/** Counts look-ups beside the one that was counted last. */
export const countLookUps = (site: Site, context: PageContext, count: number): void =>
  site.lookUps.cards.add(askerOf(site, context), count)

/** Counts a look-up, if it is within the limit. If not: why, and a header with the seconds to wait. */
export function refusalOfLookUp(site: Site, context: PageContext): string | undefined {
  const waitMs = site.lookUps.cards.take(askerOf(site, context), site.clock())
  if (waitMs === 0) return undefined
  const seconds = Math.ceil(waitMs / 1000)
  context.header('Retry-After', String(seconds))
  return context.var.session === undefined
    ? `Without an account you can look up ${strangerLookUpsPerMinuteMax} cards a minute. Try again in ${seconds} s.`
    : `You can look up ${lookUpsPerMinuteMax} cards a minute on these pages. Try again in ${seconds} s. This does not limit your programs.`
}

export async function suggestions(site: Site, context: PageContext): Promise<Response> {
  const typed = context.req.query('q') ?? ''
  if (site.lookUps.names.take(askerOf(site, context), site.clock()) > 0) {
    return context.json({ error: 'too many' }, 429)
  }
  const data = await site.data.open()
  const isNothing = data === undefined || typed.trim() === '' || [...typed].length > queryCharsMax
  return compressed(context, context.json({ names: isNothing ? [] : namesLike(data, typed) }))
}

/** Results for the address's `q` and `page` (from 1): the heading (an account's tab has its own), the field, and the cards found. */
export async function lookUp(site: Site, context: PageContext): Promise<LookUpOutcome> {
  const { q: name, page } = context.req.query()
  const outcome = (status: LookUpOutcome['status'], found: Html | string): LookUpOutcome => {
    const form = searchForm(context, { value: name ?? '', isLarge: true, wrong: status === 400 ? wrongId : undefined })
    const isFirst = context.var.session === undefined
    return { section: panel({ id: 'look-up', title: 'Look up', isFirst }, html`${form}\n${found}`), status }
  }
  if (name === undefined) return outcome(200, '')
  if (name.trim() === '' || [...name].length > queryCharsMax) {
    return outcome(400, wrong(`A card name has 1 to ${queryCharsMax} characters.`))
  }
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return outcome(429, wrong(refused))
  const data = await site.data.open()
  if (data === undefined) return outcome(200, html`<p class="note">No cards have been published yet.</p>`)
  const from = /^[1-9]\d{0,5}$/.test(page ?? '') ? Number(page) - 1 : 0
  return outcome(
    200,
    hits(context, findCards(data, name, from), { name, page: from, currency: site.data.about.currency }),
  )
}

const wrongId = 'card-name-wrong'

const wrong = (message: string) => html`<p class="wrong" id="${wrongId}" role="alert">${message}</p>`

/** @param page from 0 */
function hits(
  context: PageContext,
  { total, cards }: Hits,
  { name, page, currency }: { name: string; page: number; currency: string | undefined },
) {
  if (total === 0)
    return html`<p class="first">No card has a name like this. The beginnings of words are enough: <em>char</em> finds <em>Charizard</em>. Add a number or a set to find one printing: <em>charizard 4/102</em>.</p>`
  const first = page * lookUpHitsMax + 1
  const shown =
    cards.length === 0 ? 'none on this page' : `${number(first)} to ${number(first + cards.length - 1)} shown`
  const isAll = cards.length === total
  const turn = (to: number, label: string) =>
    html`<a href="${searchPath(context)}?q=${encodeURIComponent(name)}&amp;page=${to}">${label}</a>`
  return html`<p class="hint">${count(total)} ${total === 1 ? 'card' : 'cards'}${isAll ? '' : `, ${shown}`}.</p>
${table({
  caption: 'Cards found',
  columns: {
    Card: 'heading',
    Game: 'text',
    Set: 'text',
    Number: 'text',
    Rarity: 'text',
    [inCurrency('Market price', currency)]: 'figure',
  },
  narrow: 'line',
  rows: cards.map(({ id, name, game, set, number, rarity, prices }) => [
    html`<a href="${cardPath(context, id)}">${name}</a>`,
    ...[gameName(game), set, number ?? 'unknown', rarity ?? 'unknown', price(prices.market)],
  ]),
})}
<p class="choice pages">${page > 0 && turn(page, 'Previous page')} ${first + cards.length <= total && cards.length > 0 && turn(page + 2, 'Next page')}</p>`
}

export const gameName = (slug: string): string => games.find(({ id }) => id === slug)!.name
