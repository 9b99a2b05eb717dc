/** Keys are made, renamed, given a new secret and ended: by the same functions as the operators' commands. */
import { html } from 'hono/html'
import {
  checkName,
  createKey,
  type IssuedKey,
  isLive,
  listKeys,
  regenerateKey,
  renameKey,
  revokeKey,
} from '../../accounts/registry.ts'
import { invalidateThreads } from '../../accounts/shared.ts'
import { dayMs } from '../../calendar.ts'
import { keysMadePerDayMax } from '../../limits.ts'
import { Refusal, StoreError, UnknownOutcome } from '../../store/accounts-error.ts'
import type { KeyRecord } from '../../store/records.ts'
import type { App } from '../app.ts'
import { formIn } from '../forms.ts'
import { type KeyChange, keysPath } from '../notices.ts'
import { tokenField } from '../sender.ts'
import type { PageContext, Site } from '../site.ts'
import { keysTab } from './dashboard.ts'
import { type ExpiryForm, expiryOf } from './expiry.ts'
import { type Html, pageOf } from './frame.ts'
import type { KeyForm } from './keys.ts'
import { problemPage } from './problem.ts'

type Wrong = NonNullable<KeyForm['wrong']>

export function keyPages(app: App, site: Site): void {
  /** A change in the name of the person, or a page that says that keys can't be changed now. Rejects with a Refusal. */
  const change = async <T>(context: PageContext, action: () => T): Promise<T | Response> => {
    try {
      return await site.replication.change(() => site.store.as(`page ${context.var.session.account.name}`, action))
    } catch (error) {
      // Servers share the accounts, and their store can't be asked.
      if (!(error instanceof StoreError)) throw error
      site.log.warn({ reason: error.message }, 'a key could not be changed on a page')
      return problemPage(site, context, 503, error instanceof UnknownOutcome ? unknownText : unchangedText)
    }
  }
  /** Waits until the change is in force in every thread and on every live server. False if one has not confirmed it. */
  const isConfirmed = async (context: PageContext, change: KeyChange, keyId: string): Promise<boolean> => {
    invalidateThreads(site.accounts)
    site.log.info({ account: context.var.session.account.name, keyId }, `a key was ${change} on a page`)
    const unconfirmed = await site.replication.confirm()
    if (unconfirmed !== undefined) site.log.warn({ keyId }, unconfirmed)
    return unconfirmed === undefined
  }
  /** Says so if a server has not confirmed the change. */
  const done = async (context: PageContext, change: KeyChange, keyId: string) =>
    (await isConfirmed(context, change, keyId))
      ? context.redirect(keysPath(change, keyId), 303)
      : problemPage(site, context, 503, unconfirmedText)
  /** The next page shows the key, once. This response shows it if the key can't wait for that page, or has a note. */
  const show = async (context: PageContext, change: KeyChange, { keyId, key }: IssuedKey) => {
    const made = { keyId, key, change }
    if (!(await isConfirmed(context, change, keyId)))
      return keysTab(site, context, { made: { ...made, note: unconfirmedText } })
    try {
      await site.newKeys.put(context.var.session, keyId, key, site.clock())
    } catch (error) {
      site.log.warn({ keyId, reason: (error as Error).message }, 'a new key could not wait for the next page')
      return keysTab(site, context, { made })
    }
    return context.redirect(keysPath(change, keyId), 303)
  }

  app.post('/dashboard/keys', async (context) => {
    const { account } = context.var.session
    const form = await formIn(context)
    const name = form.get('name')?.trim() ?? ''
    const typed = { name, expires: form.get('expires') ?? '', expiresIn: form.get('expires-in') ?? '' }
    const asked = newKeyIn(site, account.number, typed)
    if ('field' in asked) return keysTab(site, context, { ...typed, wrong: asked })
    const { expiresAt } = asked
    const create = () => createKey(site.store, account.name, name, expiresAt, site.clock())
    const issued = await change(context, create).catch((error) =>
      keysTab(site, context, { ...typed, wrong: { field: 'form', message: messageOf(error) } }),
    )
    if (issued instanceof Response) return issued
    return show(context, 'created', issued)
  })

  app.on(['GET', 'POST'], '/dashboard/keys/:keyId/rename', async (context) => {
    const asked = liveKeyIn(site, context)
    if ('refused' in asked) return asked.refused
    const { keyId, record } = asked
    if (context.req.method !== 'POST') return renamePage(site, context, asked, record.name)
    const name = (await formIn(context)).get('name')?.trim() ?? ''
    const refused = await change(context, () => renameKey(site.store, keyId, name, site.clock())).catch((error) =>
      renamePage(site, context, asked, name, messageOf(error)),
    )
    if (refused instanceof Response) return refused
    return done(context, 'renamed', keyId)
  })

  app.on(['GET', 'POST'], '/dashboard/keys/:keyId/regenerate', async (context) => {
    const asked = liveKeyIn(site, context)
    if ('refused' in asked) return asked.refused
    if (context.req.method !== 'POST') return questionPage(site, context, asked, 'regenerate')
    const issued = await change(context, () => regenerateKey(site.store, asked.keyId, site.clock()))
    if (issued instanceof Response) return issued
    return show(context, 'regenerated', issued)
  })

  app.on(['GET', 'POST'], '/dashboard/keys/:keyId/revoke', async (context) => {
    const asked = liveKeyIn(site, context)
    if ('refused' in asked) return asked.refused
    const { keyId } = asked
    if (context.req.method !== 'POST') return questionPage(site, context, asked, 'revoke')
    const revoked = await change(context, () => revokeKey(site.store, keyId, site.clock()))
    if (revoked instanceof Response) return revoked
    return done(context, 'revoked', keyId)
  })
}

const unconfirmedText =
  'Your change is saved, but one of our servers has not confirmed it yet. That server may use the old state for a moment.'

const unchangedText = 'Keys can’t be changed right now. Try again in a few minutes. Your keys work as before.'

const unknownText =
  'We don’t know yet whether this change was made. Check your keys in a few minutes. If you find a new key or a regenerated one ' +
  'that you never saw, regenerate it.'

interface Asked {
  readonly keyId: string
  readonly record: KeyRecord
}

/** The key that the address names: a live one of this account, or a page that says what is wrong with it. */
function liveKeyIn(site: Site, context: PageContext): Asked | { readonly refused: Response | Promise<Response> } {
  const keyId = context.req.param('keyId') ?? ''
  const record = site.store.key(keyId)
  if (record === undefined || record.account !== context.var.session.account.number) {
    return { refused: problemPage(site, context, 404, 'This account has no such key.') }
  }
  if (isLive(record, site.clock())) return { keyId, record }
  const ended = record.revokedAt === null ? 'has already expired' : 'is already revoked'
  return { refused: problemPage(site, context, 409, `The key ${record.name} ${ended}, so nothing was changed.`) }
}

/** When a new key expires, or what is wrong with it. */
function newKeyIn(
  site: Site,
  account: number,
  typed: ExpiryForm & { readonly name: string },
): { readonly expiresAt: number | null } | Wrong {
  const now = site.clock()
  try {
    checkName('a key', typed.name)
  } catch (error) {
    return { field: 'name', message: messageOf(error) }
  }
  const expiresAt = expiryOf(typed, now)
  if (typeof expiresAt === 'string') return { field: 'expires', message: expiresAt }
  const made = listKeys(site.store, account).filter(({ createdAt }) => createdAt > now - dayMs).length
  if (made < keysMadePerDayMax) return { expiresAt }
  return {
    field: 'form',
    message: `You have created ${made} keys in the last 24 hours, which is the limit. Try again tomorrow.`,
  }
}

/** For the person. Throws an error that is no Refusal. */
function messageOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error
  const { message } = error
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

const questions = {
  regenerate: {
    title: 'Regenerate',
    yes: 'Yes, regenerate',
    effect: 'It gets a new secret. The old one stops working at once.',
  },
  revoke: {
    title: 'Revoke',
    yes: 'Yes, revoke',
    effect: 'It stops working at once. This can’t be undone.',
  },
} as const

const keyLine = ({ name, prefix }: KeyRecord): Html => html`<strong>${name}</strong> (<code>${prefix}…</code>)`

const choice = (button: Html, back: string) =>
  html`<p class="choice">${button}<a class="button" href="/dashboard/keys">${back}</a></p>`

function questionPage(site: Site, context: PageContext, { keyId, record }: Asked, change: 'regenerate' | 'revoke') {
  const { title, yes, effect } = questions[change]
  const main = html`<div class="panel">
<h1>${title} the key ${record.name}?</h1>
<p>${keyLine(record)}</p>
<p>${effect}</p>
<form method="post" action="/dashboard/keys/${keyId}/${change}">
${tokenField(context.var.session.id)}
${choice(html`<button type="submit" class="${change === 'revoke' ? 'primary grave' : 'primary'}">${yes}</button>`, 'No, go back')}
</form>
</div>`
  return pageOf(site, context, { title: `${title} ${record.name}`, main, isShort: true })
}

function renamePage(site: Site, context: PageContext, { keyId, record }: Asked, name: string, wrong?: string) {
  const main = html`<div class="panel">
<h1>Rename the key ${record.name}</h1>
<p>${keyLine(record)}</p>
<p>Only the name changes. The key works as before.</p>
<form method="post" action="/dashboard/keys/${keyId}/rename">
${tokenField(context.var.session.id)}
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${name}"${
    wrong === undefined ? '' : html` aria-invalid="true" aria-describedby="name-wrong"`
  }>
${wrong === undefined ? '' : html`<p class="wrong" id="name-wrong" role="alert">${wrong}</p>`}
</div>
${choice(html`<button type="submit" class="primary">Rename</button>`, 'Back')}
</form>
</div>`
  const status = wrong === undefined ? 200 : 400
  return pageOf(site, context, { title: `Rename ${record.name}`, main, isShort: true }, status)
}
