/**
 * The operator's page of an account: plan, state and name, keys, usage as the account's people see it, and audit log.
 */
import { html } from 'hono/html'
import { signInAddress } from '../../addresses.ts'
import { dateOfDay, dayOfMs } from '../../calendar.ts'
import { suspensionReasonCharsMax } from '../../limits.ts'
import { planNames, plans } from '../../plans.ts'
import type { Account } from '../../store/store-records.ts'
import { keysOf, pageNumberIn, requestsOf, type ShownKeys } from '../account/account-usage.ts'
import { endedKeyLinks } from '../account/keys-tab.ts'
import { pageOf } from '../shared/frame.ts'
import { count, day, lastDayBefore, moment } from '../shared/page-figures.ts'
import { chart, copyButton, foldedFigures, listOf, notice, panel, table } from '../shared/page-parts.ts'
import { tokenField } from '../shared/session.ts'
import { takeOnce } from '../shared/shown-once.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { auditTable } from './audit-log.ts'
import { deskPage, deskPaths } from './frame.ts'

type Answer = Response | Promise<Response>

const usageDays = 30
const entriesShownMax = 20

export const accountPath = (number: number): string => `${deskPaths.accounts}/${number}`

/** Names the cookie in which a new key, or a sign-in link, waits until the account's page shows it once. */
export const shownOnceOf = ({ var: { operator } }: PageContext, number: number) => ({
  token: operator.token,
  path: deskPaths.accounts,
  id: `account ${number}`,
})

/** A form that was refused. */
interface Wrong {
  /** The last part of the form's address. */
  readonly form: string
  readonly typed: URLSearchParams
  readonly message: string
}

export async function accountPage(
  site: Site,
  context: PageContext,
  account: Account,
  wrong?: Wrong,
): Promise<Response> {
  const { number, name, plan, createdAt, suspendedAt, suspendedFor } = account
  const today = dayOfMs(site.clock())
  const page = pageNumberIn(context)
  const [requests, keys] = await Promise.all([
    requestsOf(site, number, today - usageDays + 1, today),
    keysOf(site, number, page),
  ])
  const secrets = takeOnce(site, context, shownOnceOf(context, number))
  const facts = listOf({
    Plan: plans[plan].name,
    State: suspendedAt === null ? 'live' : html`<span class="tag">suspended</span> ${moment(suspendedAt)}`,
    Reason: suspendedFor,
    Created: moment(createdAt),
    Number: count(number),
  })
  const main = html`${secrets !== undefined && shownSecrets(site, secrets)}
${secrets === undefined && doneNotice(site, context, account)}
${panel({ id: 'account', title: 'Account' }, html`${facts}${forms(context, account, wrong)}`)}
${panel({ id: 'usage', title: 'Usage' }, usage(requests, today, plans[plan].requestsPerDay))}
${panel({ id: 'keys', title: 'Keys' }, html`${keysTable(number, keys)}${endedKeyLinks(accountPath(number), page, keys)}`)}
${panel({ id: 'log', title: 'Audit log' }, auditTable(site.store.auditEntries({ account: number, since: 0 }, entriesShownMax)))}`
  const status = wrong === undefined ? 200 : 400
  return deskPage(site, context, 'accounts', {
    title: name,
    main,
    status,
    styles: ['uplot.css'],
    scripts: ['copy.js', 'uplot.js', 'charts.js'],
  })
}

/**
 * A notice of what was done. The address names it and the store confirms it, so a forged address shows nothing false.
 */
function doneNotice(site: Site, context: PageContext, { name, plan, suspendedAt }: Account): Html | '' {
  const { done, key: keyId = '', unconfirmed } = context.req.query()
  const key = site.store.key(keyId)
  const said =
    done === 'plan'
      ? html`<em>${name}</em> is on the plan ${plans[plan].name}.`
      : done === 'suspend' && suspendedAt !== null
        ? html`<em>${name}</em> is suspended.`
        : done === 'resume' && suspendedAt === null
          ? html`<em>${name}</em> is resumed.`
          : done === 'rename'
            ? html`The account is now called <em>${name}</em>.`
            : done === 'revoke' && key != null && key.revokedAt !== null
              ? html`The key <em>${key.name}</em> is revoked.`
              : undefined
  if (said === undefined) return ''
  const late = 'One of the servers has not confirmed it yet, and may use the old state for a moment.'
  return notice(html`<p>${said}${unconfirmed !== undefined && html` ${late}`}</p>`)
}

function shownSecrets(site: Site, secrets: string): Html {
  const { key, token } = JSON.parse(secrets) as { key?: string; token: string }
  return notice(html`${
    key !== undefined &&
    html`<p><strong>The account is created.</strong> This is its key. Copy it now: it is shown only once.</p>
<p class="choice"><code id="new-key">${key}</code> ${copyButton('new-key', 'Copy key', true)}</p>`
  }
<p>This link signs a person in, once, within 15 minutes. Hand it out as a secret:</p>
<p class="choice"><code id="new-link">${signInAddress(site.url, token)}</code> ${copyButton('new-link', 'Copy link')}</p>`)
}

interface Field {
  /** The last part of the form's address. */
  readonly action: string
  /** The name of the field. */
  readonly input: string
  readonly label: string
  readonly value: string
  readonly attributes: Html
}

function forms(context: PageContext, { number, name, plan, suspendedAt }: Account, wrong: Wrong | undefined): Html {
  const form = (action: string, fields: Html | '', button: Html) => html`
<form method="post" action="${accountPath(number)}/${action}" class="field">
${tokenField(context.var.operator.id)}
${wrong?.form === action && html`<p class="wrong" id="${action}-wrong" role="alert">${wrong.message}</p>`}
${fields === '' ? button : html`<div class="find">${fields}${button}</div>`}
</form>`
  const field = ({ action, input, label, value, attributes }: Field) => html`
<label for="${action}-field">${label}</label>
<input id="${action}-field" name="${input}" autocomplete="off" value="${wrong?.form === action ? (wrong.typed.get(input) ?? '') : value}"${attributes}${wrong?.form === action && html` autofocus aria-invalid="true" aria-describedby="${action}-wrong"`}>`
  const reason = {
    action: 'suspend',
    input: 'reason',
    label: 'Reason, which its people see',
    value: '',
    attributes: html` maxlength="${suspensionReasonCharsMax}"`,
  }
  const newName = { action: 'rename', input: 'name', label: 'Name', value: name, attributes: html` required` }
  const chosen = wrong?.form === 'plan' ? wrong.typed.get('plan') : plan
  return html`${form(
    'plan',
    html`<label for="plan-field">Plan</label>
<select id="plan-field" name="plan">
${planNames.map((each) => html`<option value="${each}"${each === chosen && html` selected`}>${plans[each].name}</option>`)}
</select>`,
    html`<button type="submit">Change plan</button>`,
  )}
${
  suspendedAt === null
    ? form('suspend', field(reason), html`<button type="submit" class="grave">Suspend</button>`)
    : form('resume', '', html`<button type="submit">Resume</button>`)
}
${form('rename', field(newName), html`<button type="submit">Rename</button>`)}
${form('sign-in', '', html`<button type="submit">Sign-in link</button>`)}`
}

function usage({ counts, isWhole }: Awaited<ReturnType<typeof requestsOf>>, today: number, limit: number): Html {
  const sum = counts.reduce((total, requests) => total + requests, 0)
  const byDay = table({
    caption: 'Requests a day',
    id: 'requests-a-day',
    columns: { 'Date (UTC)': 'heading', Requests: 'figure' },
    rows: counts.toReversed().map((requests, i) => [day(dateOfDay(today - i)), count(requests)]),
  })
  return html`<p class="used"><strong>${count(counts.at(-1)!)} of ${count(limit)}</strong> requests used today.</p>
${!isWhole && html`<p class="note">Requests to other servers are missing, because their store can’t be asked right now.</p>`}
${
  sum === 0
    ? html`<p class="first">No requests in the last ${usageDays} days.</p>`
    : html`<p>${count(sum)} requests in ${usageDays} days.</p>
${chart({ kind: 'bars', table: 'requests-a-day', name: 'Requests a day' })}`
}
${foldedFigures('Requests a day', byDay)}`
}

function keysTable(number: number, { live, ended }: ShownKeys): Html {
  if (live.length + ended.length === 0) return html`<p class="first">This account has no key.</p>`
  return table({
    caption: 'Keys of the account',
    isCaptionUnseen: true,
    kind: 'keys',
    narrow: 'labelled',
    columns: { Name: 'heading', Key: 'text', Created: 'text', 'Last used': 'text', Expires: 'text', '': 'text' },
    rows: [...live, ...ended].map((key) => {
      const { keyId, name, prefix, createdAt, lastUsedAt, expiresAt, revokedAt } = key
      const last = live.includes(key)
        ? html`<form method="get" action="${accountPath(number)}/keys/${keyId}/revoke"><button type="submit" aria-describedby="${keyId}">Revoke</button></form>`
        : html`<span class="tag">${revokedAt === null ? 'expired' : 'revoked'}</span>`
      return [
        html`<span id="${keyId}">${name}</span>`,
        html`<code>${prefix}…</code>`,
        moment(createdAt),
        lastUsedAt === null ? 'never' : moment(lastUsedAt),
        expiresAt === null ? 'never' : lastDayBefore(expiresAt),
        last,
      ]
    }),
  })
}

interface AskedKey {
  readonly keyId: string
  readonly name: string
  readonly prefix: string
}

export function revokePage(
  site: Site,
  context: PageContext,
  account: Account,
  { keyId, name, prefix }: AskedKey,
): Answer {
  const main = html`<div class="panel">
<h1>Revoke the key ${name}?</h1>
<p><strong>${name}</strong> (<code>${prefix}…</code>) of ${account.name}</p>
<p>It stops working at once. This can’t be undone.</p>
<form method="post" action="${accountPath(account.number)}/keys/${keyId}/revoke">
${tokenField(context.var.operator.id)}
<p class="choice"><button type="submit" class="primary grave">Yes, revoke</button><a class="button" href="${accountPath(account.number)}">No, go back</a></p>
</form>
</div>`
  return pageOf(site, context, { title: `Revoke ${name}`, main, isShort: true })
}
