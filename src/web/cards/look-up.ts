/**
 * Look-ups of cards: by name, set and number, or id, with filters; and the cards of a set. They work with and without a
 * session.
 */
import { html } from 'hono/html'
import {
  lookUpsPerMinuteMax,
  queryCharsMax,
  strangerCardsPerMinuteMax,
  strangerLookUpsPerMinuteMax,
} from '../../limits.ts'
import { pageOf } from '../shared/frame.ts'
import { visitorNetwork } from '../shared/look-ups.ts'
import { count, day, number } from '../shared/page-figures.ts'
import { listOf, panel } from '../shared/page-parts.ts'
import { mayLookUp, searchForm, searchPath, setPagePath } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import { Turns } from '../shared/turns.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import {
  type Card,
  findCards,
  type Hits,
  lookUpHitsMax,
  namesLike,
  type SetDetails,
  setMeant,
  setsLike,
} from './card-data.ts'
import { cardsTable, gameName, nameText, pictureOrigins, setPath } from './card-parts.ts'
import { type Instead, insteadOf } from './fewer-words.ts'
import { filterFields } from './look-up-filters.ts'
import {
  addressOf,
  isEmpty,
  type LookUpQuery,
  lookUpQueryOf,
  pageIn,
  questionOf,
  type WrongField,
} from './look-up-query.ts'
import { versionDataOf } from './version-data.ts'

interface LookUpOutcome {
  readonly section: Html
  readonly status: 200 | 400 | 429
  readonly title: string
  readonly picturesFrom: readonly string[]
}

/** The pages for people without a session. An account has the same pages at /dashboard/look-up. */
export function lookUpPages(app: App, site: Site): void {
  app.get('/look-up', async (context) => {
    await knowSession(site, context)
    const { search } = new URL(context.req.url)
    if (context.var.session !== undefined) return context.redirect(`/dashboard/look-up${search}`, 303)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    const { section, status, ...page } = await lookUp(site, context)
    // The page contains text from a visitor, but no secret. So it may be compressed.
    return compressed(context, await pageOf(site, context, { ...page, main: section, hasSearch: true }, status))
  })

  app.get('/suggestions.json', async (context) => {
    if (!mayLookUp(site, context)) return context.json({ error: 'not public' }, 403)
    return suggestions(site, context)
  })
}

/** The key of the limits: the account, or else the network. */
const askerOf = (site: Site, context: PageContext) =>
  context.var.session?.account.number ?? visitorNetwork(site, context)

/** Counts further look-ups in the window of the one that `refusalOfLookUp` counted. */
export const countLookUps = (site: Site, context: PageContext, count: number): void =>
  site.lookUps.cards.add(askerOf(site, context), count)

/**
 * Counts a look-up if it is within the limit. Otherwise returns the reason, and sets a header with the seconds to wait.
 */
export function refusalOfLookUp(
  site: Site,
  context: PageContext,
  kind: 'search' | 'card' = 'search',
): string | undefined {
  const isStrangersCard = kind === 'card' && context.var.session === undefined
  const limit = isStrangersCard ? site.lookUps.opened : site.lookUps.cards
  const waitMs = limit.take(askerOf(site, context), site.clock())
  if (waitMs === 0) return undefined
  const seconds = Math.ceil(waitMs / 1000)
  context.header('Retry-After', String(seconds))
  if (isStrangersCard) {
    return `Without an account you can open ${strangerCardsPerMinuteMax} cards a minute. Try again in ${seconds} s.`
  }
  return context.var.session === undefined
    ? `Without an account you can look up ${strangerLookUpsPerMinuteMax} cards a minute. Try again in ${seconds} s.`
    : `You can look up ${lookUpsPerMinuteMax} cards a minute on these pages. Try again in ${seconds} s. This does not limit your programs.`
}

/**
 * Returns names of cards that begin with the typed text. With `of=sets`, they are names of sets. If the address has a
 * game, they are names of that game.
 */
export async function suggestions(site: Site, context: PageContext): Promise<Response> {
  const { q: typed = '', of = '', game = '' } = context.req.query()
  if (site.lookUps.names.take(askerOf(site, context), site.clock()) > 0) {
    return context.json({ error: 'too many' }, 429)
  }
  const data = await site.data.open()
  const isNothing = data === undefined || typed.trim() === '' || [...typed].length > queryCharsMax
  if (isNothing) return context.json({ names: [] })
  const ofGame = data.games.numberOf(game)
  const names =
    of === 'sets' ? [...new Set(setsLike(data, typed, ofGame).map(({ name }) => name))] : namesLike(data, typed, ofGame)
  return compressed(context, context.json({ names }))
}

/** Makes the section for the page's address: a heading, the fields, and the cards found. */
export async function lookUp(site: Site, context: PageContext): Promise<LookUpOutcome> {
  const { games } = site.data
  const query = lookUpQueryOf(context, games)
  const data = await site.data.open()
  const options = data && (await versionDataOf(data)).options
  const outcome = ({ status = 200, found, wrong, title, cards = [] }: Found): LookUpOutcome => {
    const filters = filterFields(site, context, query, { options: options?.get(games.numberOf(query.game)), wrong })
    const isWrong = status !== 200 && (wrong === undefined || wrong.field === 'q')
    const form = searchForm(context, { value: query.q, isLarge: true, wrong: isWrong ? wrongId : undefined, filters })
    const isFirst = context.var.session === undefined
    return {
      section: panel({ id: 'look-up', title: 'Look up', isFirst }, html`${form}\n${found}`),
      status,
      title: `${title === undefined || title === '' ? '' : `${title} · `}Look up`,
      picturesFrom: pictureOrigins(site, cards),
    }
  }
  if (isEmpty(query) && context.req.query('q') === undefined) return outcome({ found: '' })
  const title = query.q.trim()
  const question = questionOf(query, games)
  if ('message' in question) return outcome({ status: 400, found: wrongText(question.message), wrong: question, title })
  const refused = refusalOfLookUp(site, context)
  if (refused !== undefined) return outcome({ status: 429, found: wrongText(refused), title })
  if (data === undefined) return outcome({ found: html`<p class="note">No cards have been published yet.</p>`, title })
  const page = pageIn(context)
  const hits = findCards(data, question, page)
  const instead =
    hits.total > 0
      ? []
      : await insteadOf(query, {
          data,
          options: options?.get(games.numberOf(query.game)),
          games: site.data.listedGames,
          questionOf: (shorter) => {
            const asked = questionOf(shorter, games)
            return 'message' in asked ? undefined : asked
          },
          turns: new Turns(),
        })
  const set = query.set === '' ? undefined : setMeant(data, query.set, question.filter.game)
  const found = html`${set && setHead(site, set)}
${hits.total === 0 ? (instead.length > 0 ? insteadText(context, query, instead) : nothing(context, query, query.set === '' ? [] : setsLike(data, query.set, question.filter.game))) : hitsShown(site, context, { query, page, hits, isOneSet: set !== undefined })}`
  return outcome({ found, title: title === '' && set !== undefined ? set.name : title, cards: hits.cards })
}

interface Found {
  readonly status?: LookUpOutcome['status']
  readonly found: Html | ''
  readonly wrong?: WrongField
  readonly title?: string
  readonly cards?: readonly Card[]
}

const wrongId = 'card-name-wrong'

const wrongText = (message: string) => html`<p class="wrong" id="${wrongId}" role="alert">${message}</p>`

const setHead = (
  site: Site,
  { name, code, game, releaseDate, cardCount, printedTotal }: SetDetails,
) => html`<div class="set-head">
<h2>${nameText(name)}</h2>
${listOf({
  Game: gameName(site, game),
  Code: html`<code>${code}</code>`,
  Released: releaseDate === null ? 'unknown' : day(releaseDate),
  Cards: count(cardCount),
  'Printed total': printedTotal === null ? 'unknown' : count(printedTotal),
})}
<p><a href="${setPagePath({ game, code })}">What this set costs, and a checklist</a></p>
</div>`

interface Shown {
  readonly query: LookUpQuery
  /** The page's number, from 0. */
  readonly page: number
  readonly hits: Hits
  readonly isOneSet: boolean
}

function hitsShown(site: Site, context: PageContext, { query, page, hits, isOneSet }: Shown): Html {
  const { total, cards } = hits
  const first = page * lookUpHitsMax + 1
  const shown =
    cards.length === 0 ? 'none on this page' : `${number(first)} to ${number(first + cards.length - 1)} shown`
  const isAll = cards.length === total
  const turn = (to: number, label: string) =>
    html`<a class="button" href="${addressOf(searchPath(context), query, to)}">${label}</a>`
  return html`<p class="hint">${count(total)} ${total === 1 ? 'card' : 'cards'}${isAll ? '' : `, ${shown}`}.</p>
${cardsTable(site, context, cards, isOneSet)}
<p class="choice">${page > 0 && turn(page, 'Previous page')} ${first + cards.length <= total && cards.length > 0 && turn(page + 2, 'Next page')}</p>`
}

function insteadText(context: PageContext, query: LookUpQuery, instead: readonly Instead[]): Html | '' {
  if (instead.length === 0) return ''
  const links = instead.map(({ query: shorter, without, as, cards }) => {
    const how = as === undefined ? html`without <em>${without}</em>` : html`with the filter ${as}`
    return html`<li><a href="${addressOf(searchPath(context), shorter)}">${count(cards)} ${cards === 1 ? 'card' : 'cards'} ${how}</a></li>`
  })
  return html`<p class="first">Nothing for <em>${query.q.trim()}</em>.</p>
<ul>${links}</ul>`
}

function nothing(context: PageContext, query: LookUpQuery, sets: ReturnType<typeof setsLike>): Html {
  const meant = sets
    .slice(0, 5)
    .map(({ game, code, name }) => html`<a href="${setPath(context, game, code)}">${nameText(name)}</a>`)
  if (meant.length > 0 && query.q.trim() === '') {
    return html`<p class="first">No set is called exactly so. Did you mean ${meant.map((link, i) => [i === 0 ? '' : ', ', link])}?</p>`
  }
  const isFiltered = query.game !== '' || query.set !== '' || query.printing !== '' || query.rarity !== ''
  return html`<p class="first">No card has a name like this${isFiltered && ' within these filters'}. The beginnings of words are enough: <em>char</em> finds <em>Charizard</em>. Add a number or a set to find one printing: <em>charizard 4/102</em>.</p>`
}
