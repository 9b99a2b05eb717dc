/** Shows what a list was worth over time, in words, as a chart and as a table, and which lines changed most. */
import { html, raw } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { percentTenths } from '../../indexes/changes-file.ts'
import type { OverTime } from '../../lists/over-time.ts'
import { historyPlan, plans } from '../../plans.ts'
import { cardOf } from '../cards/card-data.ts'
import { nameText } from '../cards/card-parts.ts'
import { changeText, count, day, either, inCurrency, price } from '../shared/page-figures.ts'
import { type Columns, cellsOf, chart, foldedFigures, panel, table } from '../shared/page-parts.ts'
import { cardPath } from '../shared/search-form.ts'
import type { Turns } from '../shared/turns.ts'
import type { Html, PageContext } from '../site.ts'
import { type ListOverTime, periods, yearAt } from './over-time.ts'

/** True if the account's plan includes histories. */
export function mayShowOverTime(context: PageContext): boolean {
  const account = context.var.session?.account
  return account !== undefined && plans[account.plan].rank >= plans[historyPlan].rank
}

const heading = { id: 'over-time', title: 'Over time' }

/** Replaces the section for a stranger, and on a plan without histories. */
export const withoutOverTime = (context: PageContext): Html =>
  panel(
    heading,
    html`<p class="note">What a list was worth over time comes with the ${plans[historyPlan].name} plan and above${
      context.var.session === undefined ? html`: <a href="/#plans">see the plans</a>.` : '.'
    }</p>`,
  )

/** The days over which the total is compared. */
const comparedDays = [7, 30, 90]

export interface Shown {
  readonly overTime: ListOverTime
  readonly data: Dataset
  readonly currency: string | undefined
}

/** Renders the panels. Rejects with SenderGone if the reader has disconnected. */
export async function overTimePanels(context: PageContext, shown: Shown, turns: Turns): Promise<Html> {
  const { periods: all, moved } = shown.overTime
  const year = all[yearAt]!
  if (year.days.length === 0) return panel(heading, html`<p class="note">No line of this list has a price history.</p>`)
  const parts: Html[] = []
  for (const [i, period] of periods.entries()) parts.push(await periodPart(period, all[i]!, shown, turns))
  const choice = periods.map(
    ({ name, label }, i) =>
      html`<input type="radio" class="unseen" form="" name="worth-over" id="worth-${name}" autocomplete="off"${i === 0 && html` checked`}><label for="worth-${name}">${label}</label>\n`,
  )
  return html`${panel({ ...heading, kind: 'over-time' }, html`${changesList(year, shown.currency)}${all.some(({ counted }) => counted < year.counted) && html`<p class="hint">Of the ${lines(year.counted)} with a price in the last year.</p>\n`}${choice}${parts}`)}
${moved.length > 0 && movedPanel(context, shown)}`
}

function changesList(year: OverTime, currency: string | undefined): Html {
  const known = comparedDays.filter((days) => changeOver(year, days) !== null)
  const unknown = comparedDays.filter((days) => !known.includes(days)).map((days) => `${days} days`)
  return html`<dl class="changes" aria-label="Changes">
<div><dt>Now</dt><dd>${price(year.days.at(-1)!.total)}${currency && ` ${currency}`}</dd></div>
${known.map((days) => html`<div><dt>${days} days</dt><dd>${changeText(changeOver(year, days))}</dd></div>\n`)}
</dl>
${unknown.length > 0 && html`<p class="hint">No price is known from ${either.format(unknown)} ago.</p>\n`}<p class="hint" data-not-over-time hidden>The cards that you have chosen below are not in it. They are once you keep the list on this device and open it.</p>
`
}

/** Returns the change over that many days; null if the values do not reach back so far. */
function changeOver({ days }: OverTime, over: number) {
  const [before, now] = [days.at(-1 - over), days.at(-1)!]
  return before === undefined ? null : changeOf(Math.round(before.total * 100), Math.round(now.total * 100))
}

/** @param from in cents, as `to` */
const changeOf = (from: number, to: number) => ({
  from: from / 100,
  amount: (to - from) / 100,
  percent: from === 0 ? null : percentTenths(from, to) / 10,
})

async function periodPart(
  { name, label }: (typeof periods)[number],
  { days, counted, leftOut, backfilled }: OverTime,
  { currency, overTime: { atConditions } }: Shown,
  turns: Turns,
): Promise<Html> {
  const [first] = days
  const part = (content: Html) => html`<div class="of-${name}">\n${content}\n</div>\n`
  if (first === undefined) return part(html`<p class="note">No line of this list has a price in this period.</p>`)
  const id = `worth-days-${name}`
  const columns = { Date: 'heading', [inCurrency('Worth', currency)]: 'figure' } as const
  let rows = ''
  for (const { date, total } of days.toReversed()) {
    rows += html`<tr>${cellsOf(columns, [day(date), price(total)])}</tr>\n`
    await turns.pause()
  }
  const caption = html`${lines(counted)} at the market price of each day since ${day(first.date)}.${
    backfilled > 0 &&
    html` ${lines(backfilled)} ${backfilled === 1 ? 'has its' : 'have their'} first price later, and ${backfilled === 1 ? 'counts' : 'count'} at it before.`
  }${leftOut > 0 && html` Left out: ${lines(leftOut)}, graded, without a price, or without a history.`}${
    atConditions > 0 &&
    html` The last point is the sum of market prices; the total counts ${lines(atConditions)} at the price of ${atConditions === 1 ? 'its' : 'their'} condition.`
  }`
  const figures = { caption: `Over ${label}`, isCaptionUnseen: true, id, columns, rows: raw(rows) as Html }
  return part(html`${chart({ kind: 'line', table: id, name: `Worth over ${label}` })}
<p class="hint">${caption}</p>
${foldedFigures(`Over ${label}`, table(figures))}`)
}

const lines = (counted: number): Html => html`${count(counted)} ${counted === 1 ? 'line' : 'lines'}`

const movedColumns = (currency: string | undefined): Columns => ({
  Quantity: 'figure',
  Card: 'heading',
  Set: 'text',
  Number: 'text',
  Printing: 'text',
  [inCurrency('30 days ago', currency)]: 'figure',
  [inCurrency('Now', currency)]: 'figure',
  Change: 'figure',
})

function movedPanel(context: PageContext, { data, currency, overTime: { moved } }: Shown): Html {
  const columns = movedColumns(currency)
  const rows = moved.map(({ id, quantity, from, to }) => {
    const { name, set, number, printing } = cardOf(data, id)!
    return html`<tr>${cellsOf(columns, [
      count(quantity),
      html`<a href="${cardPath(context, id)}" target="_blank">${nameText(name)}</a>`,
      nameText(set),
      number ?? '–',
      printing ?? '–',
      price(from / 100),
      price(to / 100),
      changeText(changeOf(from, to)),
    ])}</tr>\n`
  })
  return panel(
    { id: 'moved', title: 'What moved in it' },
    html`<p class="hint">The lines whose amount at the market price changed most in 30 days.</p>
${table({ caption: 'What moved in the list', isCaptionUnseen: true, columns, narrow: 'line', rows })}`,
  )
}
