/** What all pages have around them. */
import { html } from 'hono/html'
import type { FoundSession } from '../../accounts/sign-ins.ts'
import { contactOf, titleOf } from '../../indexes/about-file.ts'
import { softwareVersion } from '../../version.ts'
import { tokenField } from '../sender.ts'
import type { PageContext, Site } from '../site.ts'

export type Html = ReturnType<typeof html>

export interface Page {
  readonly title: string
  readonly main: Html
  /** Assets beside those of all pages, in their order. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** A page of a few lines, with at most one form: narrow, in the middle. */
  readonly isShort?: boolean
}

type Status = 200 | 400 | 403 | 404 | 409 | 410 | 411 | 413 | 415 | 429 | 500 | 503

/** What others keep is no module. All are run in the order of the page, when it is there. */
const plainScripts: ReadonlySet<string> = new Set(['uplot.js', 'reference.js'])

const scriptElement = (name: string, path: string) =>
  plainScripts.has(name)
    ? html`<script src="${path}" defer></script>`
    : html`<script src="${path}" type="module"></script>`

export function pageOf(
  site: Site,
  context: PageContext,
  page: Page,
  status: Status = 200,
): Response | Promise<Response> {
  const { assets, data } = site
  const siteName = titleOf(data.about)
  const session = context.var.session
  const styles = [...(page.styles ?? []), 'style.css'].map((name) => assets.path(name))
  const scripts = ['figures.js', ...(session === undefined ? [] : ['fresh.js']), ...(page.scripts ?? [])]
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${page.title} · ${siteName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.path('icon.svg')}" type="image/svg+xml">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map((name) => scriptElement(name, assets.path(name)))}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<div class="within">
<a class="name" href="/">${siteName}</a>
<nav aria-label="Site">
${session === undefined ? '' : siteLink(context, '/dashboard', 'Dashboard')}
${siteLink(context, '/docs', 'Reference')}
${session === undefined ? '' : signOutForm(session)}
</nav>
</div>
</header>
<main id="main" class="${page.isShort ? 'within short' : 'within'}">
${page.main}
</main>
<footer>${data.about.contact === undefined ? '' : contactLine(data.about.contact)}<p>card-prices ${softwareVersion}</p></footer>
</body>
</html>
`
  return context.html(document, status)
}

const siteLink = (context: PageContext, path: string, label: string) =>
  html`<a href="${path}"${context.req.path === path ? html` aria-current="page"` : ''}>${label}</a>`

function contactLine(contact: string): Html {
  const { url, email } = contactOf(contact)
  const address = url ?? (email && `mailto:${email}`)
  return html`<p>Contact: ${
    address === undefined ? contact : html`<a href="${address}" rel="noreferrer">${contact}</a>`
  }</p>`
}

const signOutForm = ({ id, account }: FoundSession) => html`
<form class="sign-out" method="post" action="/sign-out">
${tokenField(id)}
<span class="account">${account.name}</span>
<button type="submit">Sign out</button>
</form>`
