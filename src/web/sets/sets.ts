/**
 * `/sets`: a list of the sets of a game or of all games, with their dates, cards and values. People can search it by
 * name and sort it.
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { queryCharsMax } from '../../limits.ts'
import { gameName, nameText } from '../cards/card-parts.ts'
import { refusalOfLookUp } from '../cards/look-up.ts'
import { pageIn } from '../cards/look-up-query.ts'
import { versionDataOf } from '../cards/version-data.ts'
import { pageOf } from '../shared/frame.ts'
import { count, day, inCurrency, number, price } from '../shared/page-figures.ts'
import { panel, sortsOf, table } from '../shared/page-parts.ts'
import { problemPage } from '../shared/problem.ts'
import { mayLookUp, setPagePath } from '../shared/search-form.ts'
import { knowSession } from '../shared/session.ts'
import { compressed } from '../shared/shared-content.ts'
import { Turns } from '../shared/turns.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { columnOf, inOrder, type PricedSet, pricedSetsOf } from './set-data.ts'

const setsShown = 100

export function setsPages(app: App, site: Site): void {
  app.get('/sets', async (context) => {
    await knowSession(site, context)
    if (!mayLookUp(site, context)) return context.redirect('/', 303)
    const refused = refusalOfLookUp(site, context, 'card')
    if (refused !== undefined) return problemPage(site, context, 429, refused)
    const data = await site.data.open()
    const main =
      data === undefined
        ? panel(
            { id: 'sets', title: 'Sets', isFirst: true },
            html`<p class="note">No cards have been published yet.</p>`,
          )
        : setsSection(site, context, (await versionDataOf(data)).games, await setsFor(context, data))
    const description = 'All sets with their dates, their cards and what one of each card costs.'
    const page = await pageOf(site, context, { title: 'Sets', main, description })
    // The page contains text from a visitor. With a session, it also contains a secret, so it is not compressed.
    return context.var.session === undefined ? compressed(context, page) : page
  })
}

interface Asked {
  readonly q: string
  readonly game: string
  readonly sort: string
  readonly sets: readonly PricedSet[]
}

/** The values by which the columns are sorted. A set without a date comes last. */
const sortKeys: Readonly<Record<string, (set: PricedSet) => number | string | null>> = {
  name: ({ name }) => name,
  date: ({ releaseDate }) => releaseDate,
  cards: ({ cardCount }) => cardCount,
  value: ({ value }) => (value.pricedPrintings === 0 ? null : value.allCents),
}

async function setsFor(context: PageContext, data: Dataset): Promise<Asked> {
  const { q = '', game: slug = '', sort = '' } = context.req.query()
  const all = await pricedSetsOf(data, new Turns())
  const game = data.games.numberOf(slug)
  const isNamed = q.trim() !== '' && [...q].length <= queryCharsMax
  const found = isNamed
    ? data.search.sets(q, game).map((set) => all[set]!)
    : all.filter((set) => game === -1 || set.game === slug)
  const column = columnOf(sort)
  const sets = Object.hasOwn(sortKeys, column) ? inOrder(found, sortKeys[column]!, sort.startsWith('-')) : found
  return { q, game: game === -1 ? '' : slug, sort: Object.hasOwn(sortKeys, column) ? sort : '', sets }
}

function setsSection(
  site: Site,
  context: PageContext,
  games: Awaited<ReturnType<typeof versionDataOf>>['games'],
  asked: Asked,
): Html {
  const { q, game, sort, sets } = asked
  const page = pageIn(context)
  const shown = sets.slice(page * setsShown, (page + 1) * setsShown)
  const { currency } = site.data.about
  const value = inCurrency('All cards', currency)
  const columns = {
    Set: 'heading',
    ...(game === '' && { Game: 'text' as const }),
    Released: 'figure',
    Cards: 'figure',
    [value]: 'figure',
  } as const
  const sorts = sortsOf({ Set: 'name', Released: 'date', Cards: 'cards', [value]: 'value' }, sort, (to) =>
    addressOfSets({ q, game, sort: to }),
  )
  const turn = (to: number, label: string) =>
    html`<a class="button" href="${addressOfSets({ q, game, sort }, to)}">${label}</a> `
  return panel(
    { id: 'sets', title: 'Sets', isFirst: true },
    html`<form method="get" action="/sets" role="search" class="fields">
<div class="field">
<label for="set-name">Set name or code</label>
<input id="set-name" name="q" type="search" maxlength="${queryCharsMax}" autocomplete="off" spellcheck="false" value="${q}">
</div>
<div class="field">
<label for="set-game">Game</label>
<select id="set-game" name="game">
<option value="">All games</option>
${games.map(({ id, name }) => html`<option value="${id}"${id === game ? html` selected` : ''}>${name}</option>`)}
</select>
</div>
${sort !== '' && html`<input type="hidden" name="sort" value="${sort}">`}
<p><button type="submit">Show</button></p>
</form>
<p class="hint">${count(sets.length)} ${sets.length === 1 ? 'set' : 'sets'}${
      shown.length < sets.length &&
      shown.length > 0 &&
      `, ${number(page * setsShown + 1)} to ${number(page * setsShown + shown.length)} shown`
    }.</p>
${
  shown.length === 0
    ? html`<p class="first">${sets.length === 0 ? 'No set is called like this.' : 'There is no set on this page.'}</p>`
    : table({
        caption: 'Sets',
        isCaptionUnseen: true,
        columns,
        sorts,
        narrow: 'line',
        kind: 'rows',
        rows: shown.map((set) => [
          html`<a href="${setPagePath(set)}">${nameText(set.name)}</a> <span class="hint">${set.code}</span>`,
          ...(game === '' ? [gameName(site, set.game)] : []),
          set.releaseDate === null ? 'unknown' : day(set.releaseDate),
          count(set.cardCount),
          price(set.value.pricedPrintings === 0 ? null : set.value.allCents / 100),
        ]),
      })
}
<p class="choice">${page > 0 && turn(page, 'Previous page')}${(page + 1) * setsShown < sets.length && turn(page + 2, 'Next page')}</p>`,
  )
}

function addressOfSets(asked: Omit<Asked, 'sets'>, page = 1): string {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''))
  if (page > 1) query.set('page', String(page))
  return query.size === 0 ? '/sets' : `/sets?${query}`
}
