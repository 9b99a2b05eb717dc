/** Shows, makes, renames, regenerates and revokes keys, with the same functions as the operator's commands. */
import { html } from 'hono/html'
import {
  checkName,
  createKey,
  type IssuedKey,
  isLive,
  regenerateKey,
  renameKey,
  revokeKey,
} from '../../accounts/registry.ts'
import { type BoundedChange, changeBySession } from '../../accounts/session-changes.ts'
import { dayEndMs, dayOfMs } from '../../calendar.ts'
import { pageActor, type Store } from '../../store/store.ts'
import type { KeyRecord } from '../../store/store-records.ts'
import { changeAccounts, sentenceOf } from '../shared/account-changes.ts'
import { formIn } from '../shared/forms.ts'
import { pageOf } from '../shared/frame.ts'
import { problemPage } from '../shared/problem.ts'
import { tokenField } from '../shared/session.ts'
import { giveOnce, takeOnce } from '../shared/shown-once.ts'
import type { App, PageContext, Site } from '../site.ts'
import { tabPaths } from './account.ts'
import { type ExpiryForm, expiryOf } from './expiry.ts'
import { isWrong, type KeyForm, keysTab, wrongField } from './keys-tab.ts'

type Wrong = NonNullable<KeyForm['wrong']>
type WrongStatus = NonNullable<KeyForm['status']>
type Answer = Response | Promise<Response>

interface Question {
  readonly title: string
  readonly effect: string
  readonly buttons: readonly [yes: string, no: string]
  /** What was done, in the words of the log and of the next page's address. */
  readonly done: string
  /** The kind of change, if the number of such changes on a day is bounded. */
  readonly bounded?: BoundedChange
  /** Returns the new key if there is one. @param name the name that was typed */
  change(store: Store, keyId: string, now: number, name: string): IssuedKey | unknown
}

const questions = {
  rename: {
    title: 'Rename',
    effect: 'Only the name changes. The key works as before.',
    buttons: ['Rename', 'Back'],
    done: 'renamed',
    bounded: 'key renamed',
    change: (store, keyId, now, name) => renameKey(store, keyId, name, now),
  },
  regenerate: {
    title: 'Regenerate',
    effect: 'It gets a new secret. The old one stops working at once.',
    buttons: ['Yes, regenerate', 'No, go back'],
    done: 'regenerated',
    bounded: 'key regenerated',
    change: regenerateKey,
  },
  revoke: {
    title: 'Revoke',
    effect: 'It stops working at once. This can’t be undone.',
    buttons: ['Yes, revoke', 'No, go back'],
    done: 'revoked',
    change: revokeKey,
  },
} as const satisfies Record<string, Question>
type Change = keyof typeof questions

export function keyPages(app: App, site: Site): void {
  app.get(tabPaths.keys, (context) => {
    const { key: keyId = '', done } = context.req.query()
    const key = takeOnce(site, context, shownKey(context, keyId))
    if (key !== undefined) return keysTab(site, context, { made: { keyId, key, isNewSecret: done === 'regenerated' } })
    noticeOfKey(site, context)
    return keysTab(site, context, {})
  })

  app.post(tabPaths.keys, async (context) => {
    const { account } = context.var.session
    const form = await formIn(context)
    const name = form.get('name')?.trim() ?? ''
    const typed = { name, expires: form.get('expires') ?? '', expiresIn: form.get('expires-in') ?? '' }
    const refuse = (wrong: Wrong, status?: WrongStatus) => keysTab(site, context, { ...typed, wrong, status })
    const asked = newKeyIn(site, typed)
    if ('field' in asked) return refuse(asked)
    const create = () => createKey(site.store, account.name, { name, expiresAt: asked.expiresAt }, site.clock())
    const made = { done: 'created', bounded: 'key created', action: create } as const
    return makeChange(site, context, made, (message, status) => refuse({ field: 'form', message }, status))
  })

  for (const change of Object.keys(questions) as Change[]) {
    const question: Question = questions[change]
    app.on(['GET', 'POST'], `/dashboard/keys/:keyId/${change}`, async (context) => {
      const asked = liveKeyIn(site, context)
      if ('refused' in asked) return asked.refused
      const { keyId, record } = asked
      const ask = (name: string, wrong?: string, status?: WrongStatus) =>
        questionPage(site, context, { ...asked, change, name, wrong, status })
      if (context.req.method !== 'POST') return ask(record.name)
      const name = (await formIn(context)).get('name')?.trim() ?? ''
      const action = () => question.change(site.store, keyId, site.clock(), name)
      const made = { done: question.done, bounded: question.bounded, action, keyId }
      return makeChange(site, context, made, (wrong, status) => ask(name, wrong, status))
    })
  }
}

/**
 * Sets a notice that says what the last action did to a key. The address names the action (`?done=revoked&key=ID`) and
 * the store confirms it, so a forged address shows nothing false. A new key is shown with its secret instead of a
 * notice.
 */
function noticeOfKey(site: Site, context: PageContext): void {
  const { done, key: keyId = '' } = context.req.query()
  const key = site.store.key(keyId)
  if (key === undefined || key.account !== context.var.session.account.number) return
  if (done === 'revoked' && key.revokedAt !== null)
    context.set('notice', html`The key <em>${key.name}</em> is revoked.`)
  if (done === 'renamed') context.set('notice', html`The key is now called <em>${key.name}</em>.`)
}

interface ChangeOfKey extends Pick<Question, 'done'> {
  readonly bounded: BoundedChange | undefined
  /** The id of an existing key. If it is absent, the action returns a new key, which has its id. */
  readonly keyId?: string
  action(): IssuedKey | unknown
}

/**
 * Makes the change in the name of the person, and waits until it is in force in every thread and on every live server.
 * Then redirects to the page that reports the change.
 * @param refuse called with the reason if the change is refused
 */
async function makeChange(
  site: Site,
  context: PageContext,
  { done, bounded, keyId: known, action }: ChangeOfKey,
  refuse: (message: string, status: WrongStatus) => Answer,
): Promise<Response> {
  const { name: account, number } = context.var.session.account
  const now = site.clock()
  const change = () =>
    bounded === undefined ? action() : changeBySession(site.store, { account: number, action: bounded, now }, action)
  const changed = await changeAccounts(site, pageActor(account), change)
  if (changed.outcome === 'refused') {
    if (changed.status === 429) context.header('Retry-After', `${Math.ceil((dayEndMs(dayOfMs(now)) - now) / 1000)}`)
    return refuse(changed.message, changed.status)
  }
  if (changed.outcome === 'away') {
    return problemPage(site, context, 503, changed.isUnknown ? unknownText : unchangedText)
  }
  const { keyId = known!, key } = (changed.result ?? {}) as Partial<IssuedKey>
  site.log.info({ account, keyId }, `a key was ${done} on a page`)
  if (!changed.isConfirmed) {
    if (key === undefined) return problemPage(site, context, 503, unconfirmedText)
    return keysTab(site, context, { made: { keyId, key, isNewSecret: done === 'regenerated', note: unconfirmedText } })
  }
  if (key !== undefined) giveOnce(site, context, shownKey(context, keyId), key)
  return context.redirect(`${tabPaths.keys}?done=${done}&key=${keyId}`, 303)
}

const shownKey = ({ var: { session } }: PageContext, id: string) => ({ token: session.token, path: tabPaths.keys, id })

const unconfirmedText =
  'Your change is saved, but one of our servers has not confirmed it yet. That server may use the old state for a moment.'

const unchangedText = 'Keys can’t be changed right now. Try again in a few minutes. Your keys work as before.'

const unknownText =
  'We don’t know yet whether this change was made. Check your keys in a few minutes. If you find a new key or a regenerated one ' +
  'that you never saw, regenerate it.'

interface Live {
  readonly keyId: string
  readonly record: KeyRecord
}

/**
 * Returns the live key of this account that the address names. If there is none, `refused` is a page that says what is
 * wrong.
 */
function liveKeyIn(site: Site, context: PageContext): Live | { readonly refused: Answer } {
  const keyId = context.req.param('keyId') ?? ''
  const record = site.store.key(keyId)
  if (record === undefined || record.account !== context.var.session.account.number) {
    return { refused: problemPage(site, context, 404, 'This account has no such key.') }
  }
  if (isLive(record, site.clock())) return { keyId, record }
  const ended = record.revokedAt === null ? 'has already expired' : 'is already revoked'
  return { refused: problemPage(site, context, 409, `The key ${record.name} ${ended}, so nothing was changed.`) }
}

/** Returns when the new key expires, or what is wrong with the form. */
function newKeyIn(
  site: Site,
  typed: ExpiryForm & { readonly name: string },
): { readonly expiresAt: number | null } | Wrong {
  try {
    checkName('a key', typed.name)
  } catch (error) {
    return { field: 'name', message: sentenceOf(error as Error) }
  }
  const expiresAt = expiryOf(typed, site.clock())
  return typeof expiresAt === 'string' ? { field: 'expires', message: expiresAt } : { expiresAt }
}

interface Asked extends Live {
  readonly change: Change
  /** The text of the field for the key's name. */
  readonly name: string
  readonly wrong?: string | undefined
  /** The status if something is wrong. */
  readonly status?: WrongStatus | undefined
}

function questionPage(
  site: Site,
  context: PageContext,
  { keyId, record, change, name, wrong, status = 400 }: Asked,
): Answer {
  const { title, effect, buttons } = questions[change]
  const isRename = change === 'rename'
  const about = wrong === undefined ? undefined : ({ field: 'name', message: wrong } as const)
  const main = html`<div class="panel">
<h1>${title} the key ${record.name}${isRename ? '' : '?'}</h1>
<p><strong>${record.name}</strong> (<code>${record.prefix}…</code>)</p>
<p>${effect}</p>
<form method="post" action="/dashboard/keys/${keyId}/${change}">
${tokenField(context.var.session.id)}
${
  isRename &&
  html`<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${name}"${isWrong(about, 'name')}>
</div>`
}
${wrongField(about, 'name')}
<p class="choice"><button type="submit" class="${change === 'revoke' ? 'primary grave' : 'primary'}">${buttons[0]}</button><a class="button" href="/dashboard/keys">${buttons[1]}</a></p>
</form>
</div>`
  return pageOf(
    site,
    context,
    { title: `${title} ${record.name}`, main, isShort: true },
    wrong === undefined ? 200 : status,
  )
}
