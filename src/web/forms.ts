/** Which forms are accepted, and their fields. */
import { formBytesMax } from '../limits.ts'
import { problemPage } from './pages/problem.ts'
import { formToken, senderOf } from './sender.ts'
import { formSecretIn, sessionIn } from './session.ts'
import type { PageContext, Site } from './site.ts'

/** A page that says why the form is rejected; undefined if it is accepted. */
export async function refusalOfForm(site: Site, context: PageContext): Promise<Response | undefined> {
  const { req } = context
  const refuse = (status: 403 | 411 | 413 | 415, message: string) => problemPage(site, context, status, message)
  const own = [site.url, new URL(req.url).origin]
  const sender = senderOf({ origin: req.header('Origin'), site: req.header('Sec-Fetch-Site') }, own)
  const fromElsewhere = 'This form was sent from another site, so nothing was done.'
  if (sender === 'elsewhere') return refuse(403, fromElsewhere)
  if (req.header('Transfer-Encoding') !== undefined) return refuse(411, 'The form was sent without its length.')
  if (Number(req.header('Content-Length') ?? 0) > formBytesMax) return refuse(413, 'This form is too large.')
  const type = req.header('Content-Type')
  if (type !== undefined && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return refuse(415, 'Forms must be sent as application/x-www-form-urlencoded.')
  }
  if (sender === 'untold' && !(await holdsToken(site, context))) return refuse(403, fromElsewhere)
  return undefined
}

/** Whether the form has the token of its session or, for signing in, of the browser that was shown the page. */
async function holdsToken(site: Site, context: PageContext): Promise<boolean> {
  const held = (await formIn(context)).get('form')
  const signsIn = context.req.path.startsWith('/sign-in/')
  const secret = signsIn ? formSecretIn(context) : (await sessionIn(site, context, false))?.id
  return secret !== undefined && held === formToken(secret)
}

/** The fields of a form; the server has bounded its length. */
export async function formIn(context: PageContext): Promise<URLSearchParams> {
  return new URLSearchParams(await context.req.text())
}
