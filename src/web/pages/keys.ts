/** The dashboard's section "Keys". */
import { html } from 'hono/html'
import { isLive, type ListedKey } from '../../accounts/registry.ts'
import type { FoundSession } from '../../accounts/sign-ins.ts'
import { endedKeysShownMax, keysPerAccountMax } from '../../limits.ts'
import { tokenField } from '../sender.ts'
import { count, isoDate, lastDayBefore, moment } from './figures.ts'
import type { Html } from './frame.ts'

export interface MadeKey {
  readonly keyId: string
  readonly key: string
  /** More to say of it. */
  readonly note?: string
}

/** What the form says beside its fields, and the key that was just made. */
export interface KeyForm {
  readonly made?: MadeKey
  readonly name?: string
  readonly expires?: string
  /** What is wrong, and with which field. */
  readonly wrong?: { readonly field: 'name' | 'expires' | 'form'; readonly message: string }
}

export function keysSection(keys: readonly ListedKey[], session: FoundSession, form: KeyForm, now: number) {
  const live = keys.filter((key) => isLive(key, now))
  const ended = keys.filter((key) => !isLive(key, now)).reverse()
  const left = ended.length - endedKeysShownMax
  return html`<section class="panel" aria-labelledby="keys">
<h2 id="keys">Keys</h2>
${form.made === undefined ? '' : newKey(form.made, keys)}
${keys.length === 0 ? html`<p class="first">There is no key yet: create one to send the first request.</p>` : table(live, ended)}
${left > 0 ? html`<p class="hint">${count(left)} more that are revoked or expired are not shown.</p>` : ''}
${createForm(session, form, live.length, now)}
</section>`
}

const newKey = ({ keyId, key, note }: MadeKey, keys: readonly ListedKey[]) => html`
<div role="status" class="new-key">
<p>The key of <strong>${keys.find((known) => known.keyId === keyId)?.name ?? ''}</strong>. Keep it now: it is not shown again.</p>
<p class="choice"><code id="new-key">${key}</code>
<button type="button" class="primary" data-copy="new-key" hidden>Copy key</button>
<span class="copied" id="new-key-copied"></span></p>
${note === undefined ? '' : html`<p>${note}</p>`}
</div>`

const table = (live: readonly ListedKey[], ended: readonly ListedKey[]) => html`
<table class="data stacked keys">
<caption>Keys of this account</caption>
<thead><tr>
<th scope="col">Name</th><th scope="col">Key</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th><td></td>
</tr></thead>
<tbody>
${live.map((key) => row(key, buttons(key), false))}
${ended.slice(0, endedKeysShownMax).map((key) => row(key, end(key), true))}
</tbody>
</table>`

const row = (key: ListedKey, last: Html, isEnded: boolean) => html`<tr${isEnded ? html` class="ended"` : ''}>
<th scope="row" id="${key.keyId}">${key.name}</th>
<td data-label="Key"><code>${key.prefix}…</code></td>
<td data-label="Created">${moment(key.createdAt)}</td>
<td data-label="Last used">${key.lastUsedAt === null ? 'never' : moment(key.lastUsedAt)}</td>
<td data-label="Expires">${key.expiresAt === null ? 'never' : lastDayBefore(key.expiresAt)}</td>
<td class="actions">${last}</td>
</tr>`

const changes = [
  ['regenerate', 'Regenerate'],
  ['rename', 'Rename'],
  ['revoke', 'Revoke'],
] as const

/** Each leads to a page that asks. */
const buttons = ({ keyId }: ListedKey) =>
  html`${changes.map(
    ([change, label]) =>
      html`<form method="get" action="/dashboard/keys/${keyId}/${change}"><button type="submit" aria-describedby="${keyId}">${label}</button></form>`,
  )}`

const end = ({ revokedAt }: ListedKey) =>
  revokedAt === null
    ? html`<span class="tag">expired</span>`
    : html`<span class="tag">revoked</span> ${moment(revokedAt)}`

function createForm(session: FoundSession, { name, expires, wrong }: KeyForm, live: number, now: number) {
  const isFull = live >= keysPerAccountMax
  const about = (field: 'name' | 'expires') =>
    wrong?.field === field ? html` autofocus aria-invalid="true" aria-describedby="${field}-wrong"` : ''
  const message = (field: 'name' | 'expires' | 'form') =>
    wrong?.field === field ? html`<p class="wrong" id="${field}-wrong" role="alert">${wrong.message}</p>` : ''
  return html`<form class="create" method="post" action="/dashboard/keys" aria-labelledby="create-key">
<h3 id="create-key">A new key</h3>
${tokenField(session.id)}
${message('form')}
${
  isFull
    ? html`<p class="note">This account has ${keysPerAccountMax} live keys, the most that it can have: revoke one to create another.</p>`
    : ''
}
<fieldset${isFull ? html` disabled` : ''}>
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${name ?? ''}"${about('name')}>
${message('name')}
<p class="hint">What it is for, such as the program that sends it.</p>
</div>
<div class="field">
<label for="expires">Expires</label>
<input id="expires" name="expires" type="date" min="${isoDate(now)}" value="${expires ?? ''}"${about('expires')}>
${message('expires')}
<p class="hint">The last day on which it works, UTC; empty: it never expires.</p>
</div>
<button type="submit" class="primary">Create key</button>
</fieldset>
</form>`
}
