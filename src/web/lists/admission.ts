/**
 * Decides whether a list may be valued: who sent it, how large it is, and whether the quota has room for its lines. If
 * not, the result is a Refusal, and the page still shows the list. `failureOf` turns errors into a Refusal.
 */
import { html } from 'hono/html'
import type { Dataset } from '../../api/dataset.ts'
import { dayEndMs, dayOfMs } from '../../calendar.ts'
import {
  listBytesMax,
  listLineCharsMax,
  listLinesMax,
  listLinesPerLookUp,
  retrySoonSeconds,
  strangerListLinesMax,
} from '../../limits.ts'
import { plans } from '../../plans.ts'
import { StoreError } from '../../store/accounts-error.ts'
import { countLookUps, refusalOfLookUp } from '../cards/look-up.ts'
import { durationText, number } from '../shared/page-figures.ts'
import { sessionIn } from '../shared/session.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { countRequests } from './list-quota.ts'

export interface Refusal {
  readonly wrong: Html | string
  readonly status: 400 | 401 | 403 | 413 | 429 | 500 | 503
}

const refusal = (status: Refusal['status'], wrong: Html | string): Refusal => ({ status, wrong })

export const megabytes = `${listBytesMax / 2 ** 20} MB`
const stillHere = 'Your list is still here.'

export const linesMaxOf = (context: PageContext): number =>
  context.var.session === undefined ? strangerListLinesMax : listLinesMax

/** The message for a list that could not be valued because of an error. */
export function failureOf(site: Site, error: unknown): Refusal {
  if (error instanceof StoreError) {
    return refusal(503, `Your account can’t be asked right now. ${stillHere} Try again soon.`)
  }
  site.log.error({ err: error }, 'a list could not be valued')
  return refusal(500, `The list could not be valued because of an error on our side. ${stillHere}`)
}

export const crowded = refusal(503, `Other lists are being valued. ${stillHere} Try again in a minute.`)
export const blank = refusal(400, 'Write or paste a list, or choose a file.')
export const noCards = refusal(400, 'This list has no line with a card.')
export const noList = ({ message }: Error): Refusal => refusal(400, `${message} ${stillHere}`)

export function tooManyLines(context: PageContext): Refusal {
  const which = context.var.session === undefined ? 'Without an account, a list' : 'A list'
  return refusal(
    400,
    `${which} has at most ${number(linesMaxOf(context))} lines. ${stillHere} Value it in several parts.`,
  )
}

/** Returns the data with which a list of these bytes is valued, or the reason for which the sender may not value it. */
export async function admit(site: Site, context: PageContext, bytes: Uint8Array): Promise<Dataset | Refusal> {
  const refused = await refusalOfAccount(site, context)
  if (refused !== undefined) return refused
  // Allows one more byte for each line, because a browser sends the end of a line as two characters.
  if (bytes.length > listBytesMax + listLinesMax) {
    return refusal(413, `A list has at most ${megabytes}. ${stillHere} Value it in several parts.`)
  }
  const data = await site.data.open()
  if (data === undefined) return refusal(400, `No cards have been published yet. ${stillHere}`)
  const lookUp = context.var.session === undefined ? refusalOfLookUp(site, context) : undefined
  if (lookUp === undefined) return data
  return refusal(429, `${lookUp} ${listLinesPerLookUp} lines count as one card. ${stillHere}`)
}

/** Rejects a list that was sent from an account's page if the session has ended since. */
async function refusalOfAccount(site: Site, context: PageContext): Promise<Refusal | undefined> {
  if (!context.req.path.startsWith('/dashboard/')) return undefined
  const session = await sessionIn(site, context, true)
  if (session === undefined) {
    return refusal(
      401,
      html`Your session has ended. ${stillHere} <a href="/#sign-in" target="_blank">Sign in</a> again in another tab, with a new link from the operator. Then value the list here.`,
    )
  }
  context.set('session', session)
  if (session.account.suspendedAt === null) return undefined
  return refusal(403, `This account is suspended, so its lists are not valued. ${stillHere}`)
}

/**
 * False if the text has too many lines, or a line that is too long. Blank lines and headings count here, so twice
 * `linesMax` lines are allowed.
 */
export function isReadable(text: string, linesMax: number): boolean {
  let [feed, back] = [text.indexOf('\n'), text.indexOf('\r')]
  for (let [lines, from] = [1, 0]; ; lines++) {
    if (feed !== -1 && feed < from) feed = text.indexOf('\n', from)
    if (back !== -1 && back < from) back = text.indexOf('\r', from)
    const isLast = feed === -1 && back === -1
    const end = isLast ? text.length : Math.min(feed === -1 ? text.length : feed, back === -1 ? text.length : back)
    if (lines > 2 * linesMax || end - from > listLineCharsMax) return false
    if (isLast) return true
    from = end + (end === back && feed === back + 1 ? 2 : 1)
  }
}

/** Refunds the requests of lines that were not valued. @param valued how many lines were valued */
export type Refund = (valued: number) => void

/** Counts the lines against the quota of the account, or the look-ups of the stranger. */
export async function countLines(site: Site, context: PageContext, lines: number): Promise<Refund | Refusal> {
  const requests = Math.ceil(lines / listLinesPerLookUp)
  if (context.var.session === undefined) {
    countLookUps(site, context, requests - 1)
    return () => undefined
  }
  const { number: account, plan } = context.var.session.account
  const allowance = { account, limit: plans[plan].requestsPerDay }
  const counted = await countRequests(site.quota, allowance, requests, site.clock)
  if (counted.isCounted) return (valued) => counted.refund(Math.ceil(valued / listLinesPerLookUp))
  return refusalOfQuota(site, context, lines, counted.left)
}

/** @param left the requests left today; undefined if this can't be known now */
function refusalOfQuota(site: Site, context: PageContext, lines: number, left: number | undefined): Refusal {
  if (left === undefined) {
    context.header('Retry-After', String(retrySoonSeconds))
    return refusal(503, `Your quota can’t be counted right now. ${stillHere} Try again soon.`)
  }
  const now = site.clock()
  const waitMs = dayEndMs(dayOfMs(now)) - now
  context.header('Retry-After', String(Math.ceil(waitMs / 1000)))
  const can = left === 0 ? 'No lines' : `${number(left * listLinesPerLookUp)} lines`
  return refusal(
    429,
    `${can} can be valued today: ${number(left)} requests of your quota are left, ${listLinesPerLookUp} lines count as one, and this list has ${number(lines)} lines. ${stillHere} The quota resets at 00:00 UTC (in ${durationText(waitMs)}).`,
  )
}
