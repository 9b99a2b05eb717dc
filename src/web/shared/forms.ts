/** Decides which forms are accepted: who sent them, and how long they are. */

import type { OperatorSession } from '../../accounts/sign-ins.ts'
import type { PageContext, Site } from '../site.ts'
import { formAgain } from './form-again.ts'
import { formOf } from './form-reader.ts'
import { formBytes, isListForm } from './form-table.ts'
import { problemPage } from './problem.ts'
import { formSecretIn, formToken, operatorSessionIn, sessionIn, signsIn } from './session.ts'

const multipart = /^multipart\/form-data\s*;.*\bboundary="?([\w'()+,./:=? -]{1,70})"?/i

type Sender = 'here' | 'elsewhere' | 'untold'

/**
 * Finds out whether a page of ours sent the form, as far as the browser reveals it. A browser always sends Origin with
 * a form, but the value is `null` from a page with our Referrer-Policy. It sends Sec-Fetch-Site only if the page came
 * over https or from the same machine. If neither header reveals the sender, a token in the form does. A client that
 * sends neither header is no browser, and acts for no user.
 * @param own the origins of our pages
 */
function senderOf(
  { origin, site }: { readonly origin: string | undefined; readonly site: string | undefined },
  own: readonly string[],
): Sender {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'elsewhere'
  if (origin !== undefined && origin !== 'null') return own.includes(origin) ? 'here' : 'elsewhere'
  return origin === 'null' && site === undefined ? 'untold' : 'here'
}

/**
 * Returns the origins of our pages. WEB_URL may be a proxy's address, and people may also open the pages at the
 * server's own address. But if WEB_URL is https, a page that came over http is not accepted.
 */
function originsOf(site: Site, asked: string): readonly string[] {
  const { origin } = new URL(asked)
  const isDowngrade = site.url.startsWith('https:') && origin.startsWith('http:')
  return isDowngrade ? [new URL(site.url).origin] : [new URL(site.url).origin, origin]
}

/** Returns a page that says why the form is rejected; undefined if the form is accepted. */
export async function refusalOfForm(site: Site, context: PageContext): Promise<Response | undefined> {
  const { req } = context
  const refuse = (status: 403 | 411 | 413 | 415, message: string) => problemPage(site, context, status, message)
  const sender = senderOf(
    { origin: req.header('Origin'), site: req.header('Sec-Fetch-Site') },
    originsOf(site, req.url),
  )
  const fromElsewhere = 'This form was sent from another site, so nothing was done.'
  if (sender === 'elsewhere') return refuse(403, fromElsewhere)
  if (req.header('Transfer-Encoding') !== undefined) return refuse(411, 'The form was sent without its length.')
  const changes = !isListForm(req.path)
  const type = req.header('Content-Type')
  const mayHaveFile = !changes && multipart.test(type ?? '')
  if (Number(req.header('Content-Length') ?? 0) > formBytes(req.path, mayHaveFile))
    return refuse(413, 'This form is too large.')
  if (mayHaveFile) return undefined
  if (type !== undefined && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return refuse(415, 'Forms must be sent as application/x-www-form-urlencoded.')
  }
  if (!changes || sender !== 'untold' || (await holdsToken(site, context))) return undefined
  // The form may be from a session that has ended. Then it is shown again.
  const hasSession = isOfAccount(context) || isOfOperator(site, context)
  return hasSession && !signsIn(site, context) ? showAgain(site, context) : refuse(403, fromElsewhere)
}

const isOfAccount = ({ req }: PageContext): boolean => req.path.startsWith('/dashboard/')

const isOfOperator = ({ desk }: Site, { req }: PageContext): boolean =>
  desk !== undefined && req.path.startsWith('/operator/')

/** True if the request is a form of an account's pages that may change something. */
export const changesAccount = (context: PageContext): boolean =>
  context.req.method === 'POST' && isOfAccount(context) && !isListForm(context.req.path)

/** Returns a page that shows what was typed, so that it can be sent again. */
export async function showAgain(site: Site, context: PageContext): Promise<Response> {
  return formAgain(site, context, await formIn(context), await sessionOf(site, context))
}

/** Returns the session for the form's page: the operator's session, or that of an account. */
const sessionOf = (site: Site, context: PageContext): Promise<OperatorSession | undefined> =>
  (isOfOperator(site, context) ? operatorSessionIn : sessionIn)(site, context, false)

/**
 * True if the form has the right token. This is the token of the session. For signing in, it is the token of the
 * browser that was shown the page.
 */
async function holdsToken(site: Site, context: PageContext): Promise<boolean> {
  const held = (await formIn(context)).get('form')
  const secret = signsIn(site, context) ? formSecretIn(context) : (await sessionOf(site, context))?.id
  return secret !== undefined && held === formToken(secret)
}

/** Returns the fields of a form that form-table.ts allows. */
export async function formIn(context: PageContext): Promise<URLSearchParams> {
  return new URLSearchParams([...(await formOf(context)).texts])
}
