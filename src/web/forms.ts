/** Decides which forms are accepted, and reads their fields. */

import type { OperatorSession } from '../accounts/sign-ins.ts'
import { formBytesMax, listFieldsMax, listFormBytesMax } from '../limits.ts'
import { bodyOf } from './form-bodies.ts'
import { formAgain } from './pages/form-again.ts'
import { problemPage } from './pages/problem.ts'
import { formSecretIn, formToken, operatorSessionIn, sessionIn, signsIn } from './session.ts'
import type { PageContext, Site } from './site.ts'
import type { Turns } from './turns.ts'

/**
 * Forms that change nothing. They may contain a file. They need no token even if the browser does not reveal the
 * sender.
 */
export const listForms: readonly string[] = ['', '/dashboard'].flatMap((place) => [
  `${place}/value`,
  `${place}/value.csv`,
])
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

/** A page that says why the form is rejected; undefined if it is accepted. */
export async function refusalOfForm(site: Site, context: PageContext): Promise<Response | undefined> {
  const { req } = context
  const refuse = (status: 403 | 411 | 413 | 415, message: string) => problemPage(site, context, status, message)
  const own = [site.url, new URL(req.url).origin]
  const sender = senderOf({ origin: req.header('Origin'), site: req.header('Sec-Fetch-Site') }, own)
  const fromElsewhere = 'This form was sent from another site, so nothing was done.'
  if (sender === 'elsewhere') return refuse(403, fromElsewhere)
  if (req.header('Transfer-Encoding') !== undefined) return refuse(411, 'The form was sent without its length.')
  const changes = !listForms.includes(req.path)
  const type = req.header('Content-Type')
  const mayHaveFile = !changes && multipart.test(type ?? '')
  const bytesMax = mayHaveFile ? listFormBytesMax : formBytesMax
  if (Number(req.header('Content-Length') ?? 0) > bytesMax) return refuse(413, 'This form is too large.')
  if (mayHaveFile) return undefined
  if (type !== undefined && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return refuse(415, 'Forms must be sent as application/x-www-form-urlencoded.')
  }
  if (!changes || sender !== 'untold' || (await holdsToken(site, context))) return undefined
  // The form may be from a session that has ended. It is then shown again.
  const hasSession = isOfAccount(context) || isOfOperator(site, context)
  return hasSession && !signsIn(site, context) ? showAgain(site, context) : refuse(403, fromElsewhere)
}

const isOfAccount = ({ req }: PageContext): boolean => req.path.startsWith('/dashboard/')

const isOfOperator = ({ desk }: Site, { req }: PageContext): boolean =>
  desk !== undefined && req.path.startsWith('/operator/')

/** True if the request is a form of an account's pages that may change something. */
export const changesAccount = (context: PageContext): boolean =>
  context.req.method === 'POST' && isOfAccount(context) && !listForms.includes(context.req.path)

/** A page that shows what was typed, so that it can be sent again. */
export async function showAgain(site: Site, context: PageContext): Promise<Response> {
  return formAgain(site, context, await formIn(context), await sessionOf(site, context))
}

/** The session of the kind that the form's page has: the operator's, or an account's. */
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

/** The fields of a form. The server has bounded the form's length. */
export async function formIn(context: PageContext): Promise<URLSearchParams> {
  return new URLSearchParams((await bodyOf(context)).toString())
}

/** The fields of a form that may have a file. Each field occurs once, as bytes. */
export async function bytesIn(context: PageContext, turns: Turns): Promise<ReadonlyMap<string, Uint8Array>> {
  const boundary = multipart.exec(context.req.header('Content-Type') ?? '')?.[1]
  if (boundary === undefined) {
    return new Map([...(await formIn(context))].map(([name, value]) => [name, Buffer.from(value)]))
  }
  const fields = new Map<string, Uint8Array>()
  const body = await bodyOf(context)
  await turns.pause()
  const mark = `\r\n--${boundary}`
  let at = body.indexOf(mark.trimStart()) + mark.trimStart().length
  for (let end = body.indexOf(mark, at); end !== -1 && fields.size < listFieldsMax; end = body.indexOf(mark, at)) {
    const head = body.indexOf('\r\n\r\n', at)
    const name = head > end ? undefined : / name="([^"]*)"/.exec(body.toString('utf8', at, head))?.[1]
    if (name !== undefined && head !== -1) fields.set(name, body.subarray(head + 4, end))
    at = end + mark.length
    await turns.pause()
  }
  return fields
}
