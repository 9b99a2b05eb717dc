/** The tab "Keys": the table of keys, a key that was just made, and the form for a new key. */
import { html } from 'hono/html'
import type { ListedKey } from '../../accounts/registry.ts'
import type { FoundSession } from '../../accounts/sign-ins.ts'
import { keysPerAccountMax } from '../../limits.ts'
import { lastDayBefore, moment } from '../shared/page-figures.ts'
import { type Columns, cellsOf, copyButton, pageLinks, panel, table } from '../shared/page-parts.ts'
import { tokenField } from '../shared/session.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { tabPage, tabPaths } from './account.ts'
import { keysOf, pageNumberIn, type ShownKeys } from './account-usage.ts'
import { curlLine } from './dashboard.ts'
import { type ExpiryForm, expiryFields } from './expiry.ts'

interface MadeKey {
  readonly keyId: string
  readonly key: string
  /** True if the key existed before, and only its secret is new. */
  readonly isNewSecret: boolean
  readonly note?: string
}

/** The form's messages, and the key that was just made. */
export interface KeyForm extends ExpiryForm {
  readonly made?: MadeKey
  readonly name?: string
  /** The error and its field. */
  readonly wrong?: { readonly field: 'name' | 'expires' | 'form'; readonly message: string }
  /** The status if something is wrong; by default 400. */
  readonly status?: 400 | 429 | undefined
}

/** @param form the typed values and messages of the form, and a key that was just made */
export async function keysTab(site: Site, context: PageContext, form: KeyForm): Promise<Response> {
  const { session } = context.var
  const page = pageNumberIn(context)
  const keys = await keysOf(site, session.account.number, page)
  const { live, ended } = keys
  const section = html`${form.made && newKey(site, form.made, live)}
${live.length + ended.length === 0 && page === 1 ? html`<p class="first">No keys yet. Create one to send your first request.</p>` : keysTable(live, ended)}
${endedKeyLinks(tabPaths.keys, page, keys)}`
  const main = html`${panel({ id: 'keys', title: 'Keys' }, section)}
${createForm(session, form, live.length, site.clock())}`
  const status = form.wrong === undefined ? 200 : (form.status ?? 400)
  return tabPage(site, context, 'keys', { main, status, scripts: ['copy.js', 'keys.js'] })
}

/** Links to keys that ended later, and to keys that ended earlier. */
export const endedKeyLinks = (path: string, page: number, { hasMore }: ShownKeys): Html | '' =>
  pageLinks('Revoked and expired keys', {
    previous: page > 1 && `${path}?page=${page - 1}`,
    next: hasMore && `${path}?page=${page + 1}`,
  })

function newKey({ api }: Site, { keyId, key, isNewSecret, note }: MadeKey, keys: readonly ListedKey[]) {
  const name = keys.find((known) => known.keyId === keyId)?.name ?? ''
  const done = isNewSecret
    ? html`The key <em>${name}</em> has a new secret, and the old one no longer works.`
    : html`The key <em>${name}</em> is created.`
  return html`<div role="status" class="notice new-key">
<p><strong>${done}</strong> Copy it now: it is shown only once.</p>
<p class="choice"><code id="new-key">${key}</code> ${copyButton('new-key', 'Copy key', true)}</p>
<p>To try it, paste this line into a terminal:</p>
<pre tabindex="0"><code id="new-key-line">${curlLine(api, key)}</code></pre>
<p class="choice">${copyButton('new-key-line', 'Copy line')}</p>
${note && html`<p>${note}</p>`}
</div>`
}

const columns = {
  Name: 'heading',
  Key: 'text',
  Created: 'text',
  'Last used': 'text',
  Expires: 'text',
  '': 'text',
} as const satisfies Columns

const keysTable = (live: readonly ListedKey[], ended: readonly ListedKey[]): Html =>
  table({
    caption: 'Keys of this account',
    isCaptionUnseen: true,
    columns,
    kind: 'keys',
    narrow: 'labelled',
    rows: [
      ...live.map((key) => html`<tr>${cells(key, buttons(key))}</tr>\n`),
      ...ended.map((key) => html`<tr class="ended">${cells(key, end(key))}</tr>\n`),
    ],
  })

const cells = ({ keyId, name, prefix, createdAt, lastUsedAt, expiresAt }: ListedKey, last: Html): readonly Html[] =>
  cellsOf(
    columns,
    [
      html`<span id="${keyId}">${name}</span>`,
      html`<code>${prefix}…</code>`,
      moment(createdAt),
      lastUsedAt === null ? 'never' : moment(lastUsedAt),
      expiresAt === null ? 'never' : lastDayBefore(expiresAt),
      last,
    ],
    true,
  )

/** Actions that can't be undone are in a menu. All menus have one name, so that a browser keeps one open at a time. */
const buttons = ({ keyId }: ListedKey) => html`${button(keyId, 'rename', 'Rename')}
<details class="menu" name="menu">
<summary aria-describedby="${keyId}">More</summary>
<div>${button(keyId, 'regenerate', 'Regenerate')}${button(keyId, 'revoke', 'Revoke')}</div>
</details>`

/** A button that leads to a page, which asks for confirmation. */
const button = (keyId: string, change: string, label: string) =>
  html`<form method="get" action="/dashboard/keys/${keyId}/${change}" class="${change}"><button type="submit" aria-describedby="${keyId}">${label}</button></form>`

const end = ({ revokedAt }: ListedKey) =>
  revokedAt === null
    ? html`<span class="tag">expired</span>`
    : html`<span class="tag">revoked</span> ${moment(revokedAt)}`

function createForm(session: FoundSession, form: KeyForm, live: number, now: number) {
  const { name, wrong } = form
  const isFull = live >= keysPerAccountMax
  return panel(
    { id: 'create-key', title: 'Create a key' },
    html`<form method="post" action="/dashboard/keys" aria-labelledby="create-key">
${tokenField(session.id)}
${wrongField(wrong, 'form')}
${isFull && html`<p class="note">This account has ${keysPerAccountMax} live keys, the maximum. Revoke one to create another.</p>`}
<fieldset${isFull && html` disabled`}>
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${name}"${isWrong(wrong, 'name')}>
${wrongField(wrong, 'name')}
<p class="hint">For example, the program that uses it.</p>
</div>
<div class="field">
${expiryFields(form, now, isWrong(wrong, 'expires'), wrongField(wrong, 'expires'))}
</div>
<button type="submit" class="primary">Create key</button>
</fieldset>
</form>`,
  )
}

type Field = NonNullable<KeyForm['wrong']>['field']

/** Attributes of the field if it is wrong. */
export const isWrong = (wrong: KeyForm['wrong'], field: Field): Html | '' =>
  wrong?.field === field ? html` autofocus aria-invalid="true" aria-describedby="${field}-wrong"` : ''

/** The message beside the field if it is wrong. */
export const wrongField = (wrong: KeyForm['wrong'], field: Field): Html | '' =>
  wrong?.field === field ? html`<p class="wrong" id="${field}-wrong" role="alert">${wrong.message}</p>` : ''
