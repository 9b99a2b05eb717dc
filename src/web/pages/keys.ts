/** The section "Keys". */
import { html } from 'hono/html'
import { isLive, type ListedKey } from '../../accounts/registry.ts'
import type { FoundSession } from '../../accounts/sign-ins.ts'
import { endedKeysShownMax, keysPerAccountMax } from '../../limits.ts'
import type { KeyChange } from '../notices.ts'
import { tokenField } from '../sender.ts'
import type { Site } from '../site.ts'
import { type ExpiryForm, expiryFields } from './expiry.ts'
import { count, lastDayBefore, moment } from './figures.ts'
import type { Html } from './frame.ts'
import { copyButton, curlLine } from './start.ts'

interface MadeKey {
  readonly keyId: string
  readonly key: string
  readonly change: KeyChange
  /** More to say of it. */
  readonly note?: string
}

/** The form's messages, and the key that was just made. */
export interface KeyForm extends ExpiryForm {
  readonly made?: MadeKey
  readonly name?: string
  /** The error and its field. */
  readonly wrong?: { readonly field: 'name' | 'expires' | 'form'; readonly message: string }
}

export function keysSection(site: Site, keys: readonly ListedKey[], session: FoundSession, form: KeyForm) {
  const now = site.clock()
  const live = keys.filter((key) => isLive(key, now))
  const ended = keys.filter((key) => !isLive(key, now)).reverse()
  const left = ended.length - endedKeysShownMax
  return html`<section class="panel" aria-labelledby="keys">
<h2 id="keys">Keys</h2>
${form.made === undefined ? '' : newKey(site, form.made, keys)}
${keys.length === 0 ? html`<p class="first">No keys yet. Create one to send your first request.</p>` : table(live, ended)}
${left > 0 ? html`<p class="hint">${count(left)} more revoked or expired keys are not shown.</p>` : ''}
</section>
${createForm(session, form, live.length, now)}`
}

function newKey({ api }: Site, { keyId, key, change, note }: MadeKey, keys: readonly ListedKey[]) {
  const name = keys.find((known) => known.keyId === keyId)?.name ?? ''
  const done =
    change === 'regenerated'
      ? html`The key <em>${name}</em> has a new secret, and the old one no longer works.`
      : html`The key <em>${name}</em> is created.`
  return html`<div role="status" class="notice new-key">
<p><strong>${done}</strong> Copy it now: it is shown only once.</p>
<p class="choice"><code id="new-key">${key}</code> ${copyButton('new-key', 'Copy key', true)}</p>
<p>To try it, paste this line into a terminal:</p>
<pre tabindex="0"><code id="new-key-line">${curlLine(api, key)}</code></pre>
<p class="choice">${copyButton('new-key-line', 'Copy line')}</p>
${note === undefined ? '' : html`<p>${note}</p>`}
</div>`
}

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

/** Actions that can't be undone are in a menu. All menus have one name, so that a browser keeps one open at a time. */
const buttons = ({ keyId }: ListedKey) => html`${button(keyId, 'rename', 'Rename')}
<details class="menu" name="menu">
<summary aria-describedby="${keyId}">More</summary>
<div>${button(keyId, 'regenerate', 'Regenerate')}${button(keyId, 'revoke', 'Revoke')}</div>
</details>`

/** Each leads to a page that asks. */
const button = (keyId: string, change: string, label: string) =>
  html`<form method="get" action="/dashboard/keys/${keyId}/${change}" class="${change}"><button type="submit" aria-describedby="${keyId}">${label}</button></form>`

const end = ({ revokedAt }: ListedKey) =>
  revokedAt === null
    ? html`<span class="tag">expired</span>`
    : html`<span class="tag">revoked</span> ${moment(revokedAt)}`

function createForm(session: FoundSession, form: KeyForm, live: number, now: number) {
  const { name, wrong } = form
  const isFull = live >= keysPerAccountMax
  const message = (field: 'name' | 'expires' | 'form') =>
    wrong?.field === field ? html`<p class="wrong" id="${field}-wrong" role="alert">${wrong.message}</p>` : ''
  return html`<section class="panel" aria-labelledby="create-key">
<h2 id="create-key">Create a key</h2>
<form method="post" action="/dashboard/keys" aria-labelledby="create-key">
${tokenField(session.id)}
${message('form')}
${
  isFull
    ? html`<p class="note">This account has ${keysPerAccountMax} live keys, the maximum. Revoke one to create another.</p>`
    : ''
}
<fieldset${isFull ? html` disabled` : ''}>
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${name ?? ''}"${isWrong(wrong, 'name')}>
${message('name')}
<p class="hint">For example, the program that uses it.</p>
</div>
<div class="field">
${expiryFields(form, now, isWrong(wrong, 'expires'), message('expires'))}
</div>
<button type="submit" class="primary">Create key</button>
</fieldset>
</form>
</section>`
}

const isWrong = (wrong: KeyForm['wrong'], field: 'name' | 'expires') =>
  wrong?.field === field ? html` autofocus aria-invalid="true" aria-describedby="${field}-wrong"` : ''
