/** The frame of all pages: head, top bar and footer. */
import { html } from 'hono/html'
import { type About, contactAddress, titleOf } from '../../indexes/about-file.ts'
import { withoutControls } from '../../log/printable.ts'
import { softwareVersion } from '../../version.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { mayLookUp, searchForm, searchPath, valuePath } from './search-form.ts'
import { signsIn, tokenField } from './session.ts'

export interface Page {
  readonly title: string
  readonly main: Html
  /** One sentence for search engines and links that are shared. */
  readonly description?: string
  /** Present if the page can be shared: the page's path, and the address of its picture. */
  readonly shared?: { readonly path: string; readonly image?: string | undefined }
  /** The origins of pictures in the page, besides our own. */
  readonly picturesFrom?: readonly string[]
  /** The assets of this page, in their order. All pages have some others besides. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /**
   * True if the response is compressed and contains a visitor's text. The page then has no button to sign out, because
   * the button's form contains a secret.
   */
  readonly isWithoutSecret?: boolean
  /** True if a browser may show the page while it arrives. A browser shows any other page once it is complete. */
  readonly arrivesInParts?: boolean
  /** True if the page itself has the field "Card name". The top bar then has none. */
  readonly hasSearch?: boolean
  /** True for a page of a few lines with at most one form. It is narrow, and in the middle of the window. */
  readonly isShort?: boolean
}

/**
 * The Content-Security-Policy: a page loads parts from its own origin only, and runs no inline script.
 * @param pictures other sources of images
 */
export const contentPolicy = (...pictures: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...pictures].join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

type Status = 200 | 400 | 401 | 403 | 404 | 409 | 410 | 411 | 413 | 415 | 429 | 500 | 503

const usualDescription =
  'Trading card prices: look up a card, see how its price has moved, and get the same data through an API.'

/**
 * The id of a page's last line. A browser that draws a table before all rows have arrived moves the columns afterwards.
 * So the head of a page makes the browser wait for this line.
 */
const end = 'end'

/** uPlot is not a module. All scripts run in order after the page is parsed. */
const scriptElement = (name: string, path: string) =>
  name === 'uplot.js'
    ? html`<script src="${path}" defer></script>`
    : html`<script src="${path}" type="module"></script>`

export function pageOf(
  site: Site,
  context: PageContext,
  page: Page,
  status: Status = 200,
): Response | Promise<Response> {
  const { assets } = site
  const { about } = site.data
  const { session, notice } = context.var
  const { stylePath, logoPath } = assets.brandOf(about)
  // A title or an attribute can't isolate a name from the text around it, so control characters are removed.
  const title = withoutControls(page.title)
  const description = withoutControls(page.description ?? usualDescription)
  if (page.picturesFrom?.length) {
    context.header('Content-Security-Policy', contentPolicy(...page.picturesFrom))
  }
  const styles = [...(page.styles ?? []).map((name) => assets.path(name)), stylePath]
  const scripts = ['figures.js', 'suggest.js', ...(session === undefined ? [] : ['fresh.js']), ...(page.scripts ?? [])]
  const icon = logoPath ?? assets.path('icon.svg')
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · ${titleOf(about)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
${page.shared && sharing(site, { title, description }, page.shared)}
<link rel="icon" href="${icon}">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map((name) => scriptElement(name, assets.path(name)))}
${!page.arrivesInParts && html`<link rel="expect" href="#${end}" blocking="render">`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${topBar(site, context, page)}
<main id="main" class="${page.isShort ? 'within short' : 'within'}">
${notice && html`<p role="status" class="notice">${notice}</p>`}
${page.main}
</main>
${foot(site)}
</body>
</html>
`
  return context.html(document, status)
}

const sharing = (
  { url, data }: Site,
  { title, description }: Readonly<Record<'title' | 'description', string>>,
  { path, image }: NonNullable<Page['shared']>,
) => html`
<link rel="canonical" href="${url}${path}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${titleOf(data.about)}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}${path}">
${image && html`<meta property="og:image" content="${image}">`}
<meta name="twitter:card" content="summary">`

function topBar(site: Site, context: PageContext, { hasSearch, isWithoutSecret }: Page) {
  const { session, operator } = context.var
  const { about } = site.data
  const { logoPath: logo } = site.assets.brandOf(about)
  return html`<header class="bar">
<div class="within">
<a class="name" href="/">${logo === undefined ? mark : html`<img src="${logo}" alt="">`}<span>${titleOf(about)}</span></a>
${!hasSearch && !signsIn(site, context) && mayLookUp(site, context) && searchForm(context)}
<nav aria-label="Site">
${
  operator !== undefined
    ? html`${siteLink(context, '/operator', 'Operator')}${signOutForm('/operator/sign-out', operator.id)}`
    : session === undefined
      ? html`${priceLinks(site, context)}<a class="wide" href="/#plans">Plans</a>${siteLink(context, '/docs', 'Docs')}<a href="/#sign-in">Sign in</a>`
      : html`${priceLinks(site, context)}${dashboardLink(context)}${siteLink(context, '/docs', 'Docs')}${isWithoutSecret !== true && signOutForm('/sign-out', session.id, session.account.name)}`
}
</nav>
</div>
</header>`
}

/** Links to the pages of cards, for all visitors who may look up cards. */
const priceLinks = (site: Site, context: PageContext) =>
  mayLookUp(site, context) &&
  html`${siteLink(context, searchPath(context), 'Look up', 'tab')}${siteLink(context, '/sets', 'Sets')}${siteLink(context, valuePath(context), 'Value a list', 'tab')}`

/** The logo of a site whose operator has none, in the operator's accent colour. icon.svg has the same drawing. */
const mark = html`<svg class="mark" viewBox="6 2 20 28" width="20" height="28" aria-hidden="true"><rect x="6" y="2" width="20" height="28" rx="3"/><path d="M10 21l5-6 4 3 4-7"/></svg>`

/**
 * A link that is marked as current on its page and on pages below it.
 * @param kind `tab` if accounts also have the link as a tab. On a narrow page, an account's bar then omits the link
 */
const siteLink = (context: PageContext, path: string, label: string, kind?: string): Html =>
  linkWith(markOf(context, path), path, label, kind)

/**
 * The link to the dashboard. It is not marked on the dashboard's pages for cards, which have their own links in the
 * bar.
 */
function dashboardLink(context: PageContext): Html {
  const path = '/dashboard'
  const isOther = [searchPath(context), valuePath(context)].some((other) => markOf(context, other) !== undefined)
  return linkWith(isOther ? undefined : markOf(context, path), path, 'Dashboard')
}

function markOf({ req }: PageContext, path: string): 'page' | 'true' | undefined {
  if (req.path === path) return 'page'
  return req.path.startsWith(`${path}/`) ? 'true' : undefined
}

const linkWith = (mark: string | undefined, path: string, label: string, kind?: string): Html =>
  html`<a href="${path}"${kind && html` class="${kind}"`}${mark === undefined ? '' : html` aria-current="${mark}"`}>${label}</a>`

function foot({ data: { about } }: Site): Html {
  const { terms, status = '/status' } = about
  const contact = contactLink(about)
  return html`<footer>
${contact && html`<p>Contact: ${contact}</p>`}
<ul>
${terms && html`<li><a href="${terms}" rel="noreferrer">Terms</a></li>`}
<li><a href="${status}"${status === '/status' ? '' : html` rel="noreferrer"`}>Status</a></li>
</ul>
<p id="${end}">card-prices ${softwareVersion}</p>
</footer>`
}

/**
 * The operator's contact: a link, if the contact of about.json is an address, else its text. Undefined if there is no
 * contact.
 */
export function contactLink(about: About): Html | undefined {
  const { contact } = about
  const address = contactAddress(about)
  if (contact === undefined) return undefined
  return address === undefined ? html`${contact}` : html`<a href="${address}" rel="noreferrer">${contact}</a>`
}

/** @param account the account's name, which is shown beside the button */
const signOutForm = (action: string, id: string, account?: string) => html`
<form class="sign-out" method="post" action="${action}">
${tokenField(id)}
${account !== undefined && html`<span class="account">${account}</span>`}
<button type="submit">Sign out</button>
</form>`
