/**
 * The operator's accounts: a list that can be searched, the creation of an account, and the changes on an account's
 * page.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { html } from 'hono/html'
import {
  createAccount,
  isLive,
  renameAccount,
  resumeAccount,
  revokeKey,
  setPlan,
  suspendAccount,
} from '../../accounts/registry.ts'
import { operatorActor } from '../../accounts/sign-ins.ts'
import { dayOfMs } from '../../calendar.ts'
import { pageRowsMax } from '../../limits.ts'
import { isPlanName, planNames, plans } from '../../plans.ts'
import { type AccountFilter, countAccounts, findAccounts } from '../../store/account-search.ts'
import { Refusal } from '../../store/accounts-error.ts'
import type { Store } from '../../store/store.ts'
import type { Account } from '../../store/store-records.ts'
import { changeAccounts } from '../shared/account-changes.ts'
import { formIn } from '../shared/forms.ts'
import { count, moment } from '../shared/page-figures.ts'
import { pageLinks, panel, table } from '../shared/page-parts.ts'
import { problemPage } from '../shared/problem.ts'
import { tokenField } from '../shared/session.ts'
import { giveOnce } from '../shared/shown-once.ts'
import type { App, Html, PageContext, Site } from '../site.ts'
import { accountPage, accountPath, revokePage, shownOnceOf } from './account-page.ts'
import { deskPage, deskPaths } from './frame.ts'
import { usesOf } from './usage.ts'

type Answer = Response | Promise<Response>

interface Action {
  change(store: Store, name: string, form: URLSearchParams, now: number): unknown
}

/** What an account's page changes, by the last part of the form's address. A Refusal is shown beside the form. */
const actions: Readonly<Record<'plan' | 'suspend' | 'resume' | 'rename', Action>> = {
  plan: {
    change: (store, name, form, now) => {
      const plan = form.get('plan') ?? ''
      if (!isPlanName(plan)) throw new Refusal('choose a plan')
      setPlan(store, name, plan, now)
    },
  },
  suspend: {
    change: (store, name, form, now) => suspendAccount(store, name, form.get('reason')?.trim() || undefined, now),
  },
  resume: { change: (store, name, _, now) => resumeAccount(store, name, now) },
  rename: { change: (store, name, form, now) => renameAccount(store, name, form.get('name')?.trim() ?? '', now) },
}

export function accountPages(app: App, site: Site): void {
  app.get(deskPaths.accounts, (context) => listPage(site, context))

  app.post(deskPaths.accounts, async (context) => {
    const form = await formIn(context)
    const [name, plan] = [form.get('name')?.trim() ?? '', form.get('plan') ?? '']
    if (!isPlanName(plan)) return listPage(site, context, { name, plan, wrong: 'Choose a plan.' })
    const changed = await changeAccounts(site, operatorActor, () => {
      const { key, account } = createAccount(site.store, name, plan, site.clock())
      return { key, number: site.store.accountNumber(account)! }
    })
    if (changed.outcome === 'refused') return listPage(site, context, { name, plan, wrong: changed.message })
    if (changed.outcome === 'away') return awayPage(site, context)
    const { key, number } = changed.result
    const { token } = await site.signIns.makeLink(site.store.account(number).name, site.clock(), operatorActor)
    giveOnce(site, context, shownOnceOf(context, number), JSON.stringify({ key, token }))
    return context.redirect(`${accountPath(number)}?done=create`, 303)
  })

  app.get(`${deskPaths.accounts}/:number`, (context) =>
    withAccount(site, context, (account) => accountPage(site, context, account)),
  )

  for (const [name, { change }] of Object.entries(actions)) {
    app.post(`${deskPaths.accounts}/:number/${name}`, (context) =>
      withAccount(site, context, async (account) => {
        const form = await formIn(context)
        const action = () => change(site.store, account.name, form, site.clock())
        const changed = await changeAccounts(site, operatorActor, action)
        if (changed.outcome === 'refused') {
          return accountPage(site, context, account, { form: name, typed: form, message: changed.message })
        }
        if (changed.outcome === 'away') return awayPage(site, context)
        const unconfirmed = changed.isConfirmed ? '' : '&unconfirmed'
        return context.redirect(`${accountPath(account.number)}?done=${name}${unconfirmed}`, 303)
      }),
    )
  }

  app.post(`${deskPaths.accounts}/:number/sign-in`, (context) =>
    withAccount(site, context, async ({ name, number }) => {
      const { token } = await site.signIns.makeLink(name, site.clock(), operatorActor)
      giveOnce(site, context, shownOnceOf(context, number), JSON.stringify({ token }))
      return context.redirect(`${accountPath(number)}?done=sign-in`, 303)
    }),
  )

  app.on(['GET', 'POST'], `${deskPaths.accounts}/:number/keys/:keyId/revoke`, (context) =>
    withAccount(site, context, async (account) => {
      const keyId = context.req.param('keyId') ?? ''
      const key = site.store.key(keyId)
      if (key === undefined || key.account !== account.number) {
        return problemPage(site, context, 404, 'This account has no such key.')
      }
      if (!isLive(key, site.clock())) {
        return problemPage(site, context, 409, `The key ${key.name} has already ended, so nothing was changed.`)
      }
      if (context.req.method === 'GET') return revokePage(site, context, account, { keyId, ...key })
      const changed = await changeAccounts(site, operatorActor, () => revokeKey(site.store, keyId, site.clock()))
      if (changed.outcome !== 'made') return awayPage(site, context)
      const unconfirmed = changed.isConfirmed ? '' : '&unconfirmed'
      return context.redirect(`${accountPath(account.number)}?done=revoke&key=${keyId}${unconfirmed}`, 303)
    }),
  )
}

const awayPage = (site: Site, context: PageContext): Answer =>
  problemPage(
    site,
    context,
    503,
    'The store of the accounts can’t be asked right now, so it is not known whether anything was changed. Look again soon.',
  )

/** Returns the account's number in a text; undefined if the text is no such number. */
const accountNumberIn = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

/** Answers 404 if the address names no account, or a deleted account. */
async function withAccount(site: Site, context: PageContext, answer: (account: Account) => Answer): Promise<Response> {
  await site.replication.refresh()
  const number = accountNumberIn(context.req.param('number') ?? '') ?? Number.POSITIVE_INFINITY
  const account = number < site.store.counter('nextAccount') ? site.store.account(number) : undefined
  if (account === undefined || account.deletedAt !== null) {
    return problemPage(site, context, 404, 'There is no such account, or no longer.')
  }
  return answer(account)
}

interface NewAccount {
  readonly name: string
  readonly plan: string
  readonly wrong: string
}

const states = { live: 'Not suspended', suspended: 'Suspended' } as const

async function listPage(site: Site, context: PageContext, typed?: NewAccount): Promise<Response> {
  const { q = '', plan = '', state = '', after = '', before = '' } = context.req.query()
  const filter = {
    text: q.slice(0, 200),
    plan: isPlanName(plan) ? plan : undefined,
    isSuspended: Object.hasOwn(states, state) ? state === 'suspended' : undefined,
  }
  const isBackward = before !== ''
  const some = await someAccounts(site.store, filter, accountNumberIn(isBackward ? before : after), isBackward)
  const hasMore = some.length > pageRowsMax
  const found = isBackward ? some.slice(0, pageRowsMax).reverse() : some.slice(0, pageRowsMax)
  const uses = await usesOf(site, found, dayOfMs(site.clock()))
  const rows = uses.map(
    ({ account: { number: id, name, plan: on, suspendedAt }, liveKeys, today, month, lastUsedAt }) => [
      html`<a href="${accountPath(id)}">${name}</a>${suspendedAt !== null && html` <span class="tag">suspended</span>`}`,
      plans[on].name,
      count(liveKeys),
      count(today),
      count(month),
      lastUsedAt === null ? 'never' : moment(lastUsedAt),
    ],
  )
  const to = (side: 'before' | 'after', account: Account | undefined) =>
    account !== undefined &&
    `${deskPaths.accounts}?${new URLSearchParams({ q, plan, state, [side]: `${account.number}` })}`
  const links = pageLinks('Pages', {
    previous: (isBackward ? hasMore : after !== '') && to('before', found[0]),
    next: (isBackward || hasMore) && to('after', found.at(-1)),
  })
  // A search by name shows no total, because counting would compare all names.
  const total = filter.text === '' ? countAccounts(site.store, filter) : undefined
  const list = html`${searchForm({ q, plan, state })}
${total !== undefined && html`<p>${count(total)} ${total === 1 ? 'account' : 'accounts'}</p>`}
${uses.some(({ isWhole }) => !isWhole) && html`<p class="hint">Requests to other servers are missing, because their store can’t be asked right now.</p>`}
${
  rows.length === 0
    ? html`<p class="first">No account is found.</p>`
    : table({
        caption: 'Accounts',
        isCaptionUnseen: true,
        kind: 'rows',
        narrow: 'labelled',
        columns: {
          Account: 'heading',
          Plan: 'text',
          'Live keys': 'figure',
          'Requests today': 'figure',
          'In 30 days': 'figure',
          'Last use': 'text',
        },
        rows,
      })
}
${links}`
  const main = html`${panel({ id: 'find', title: 'All accounts' }, list)}
${panel({ id: 'new', title: 'New account' }, newAccountForm(context, typed))}`
  return deskPage(site, context, 'accounts', { main, status: typed === undefined ? 200 : 400 })
}

/** The accounts of a page, and one more if there are more. The search pauses, so that other pages are answered. */
async function someAccounts(
  store: Store,
  filter: AccountFilter,
  from: number | undefined,
  isBackward: boolean,
): Promise<Account[]> {
  const found: Account[] = []
  for (const some of findAccounts(store, filter, from, isBackward)) {
    found.push(...some)
    if (found.length > pageRowsMax) break
    await pause()
  }
  return found.slice(0, pageRowsMax + 1)
}

const options = (all: string | undefined, named: Readonly<Record<string, string>>, chosen: string): Html =>
  html`${all !== undefined && html`<option value="">${all}</option>`}
${Object.entries(named).map(
  ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
)}`

export const planLabels = Object.fromEntries(planNames.map((name) => [name, plans[name].name]))

const searchForm = ({ q, plan, state }: Readonly<Record<'q' | 'plan' | 'state', string>>) => html`
<form method="get" action="${deskPaths.accounts}" role="search" class="field">
<div class="fields">
<div class="field"><label for="q">Name</label><input id="q" name="q" type="search" autocomplete="off" value="${q}"></div>
<div class="field"><label for="plan">Plan</label><select id="plan" name="plan">${options('All plans', planLabels, plan)}</select></div>
<div class="field"><label for="state">State</label><select id="state" name="state">${options('All states', states, state)}</select></div>
<button type="submit">Search</button>
</div>
</form>`

const newAccountForm = ({ var: { operator } }: PageContext, typed: NewAccount | undefined) => html`
<form method="post" action="${deskPaths.accounts}" aria-labelledby="new" class="field">
${tokenField(operator.id)}
${typed && html`<p class="wrong" id="new-wrong" role="alert">${typed.wrong}</p>`}
<div class="fields">
<div class="field"><label for="new-name">Account name</label><input id="new-name" name="name" required autocomplete="off" value="${typed?.name ?? ''}"${typed && html` autofocus aria-invalid="true" aria-describedby="new-wrong"`}></div>
<div class="field"><label for="new-plan">Plan of the account</label><select id="new-plan" name="plan">${options(undefined, planLabels, typed?.plan ?? '')}</select></div>
</div>
<p class="hint">The next page shows its key, once, and a sign-in link to hand out.</p>
<button type="submit" class="primary">New account</button>
</form>`
