/**
 * Checks a list that a person sent, reads its lines, and counts the lines against the quota. The list can then be
 * valued. If a step fails, the result is the reason, and the page still shows the list.
 */
import { html } from 'hono/html'
import type { ReadList } from '../../clients/typescript/src/list.ts'
import type { Dataset } from '../api/dataset.ts'
import { dayEndMs, dayOfMs } from '../calendar.ts'
import {
  listBytesMax,
  listLineCharsMax,
  listLinesMax,
  listLinesPerLookUp,
  retrySoonSeconds,
  strangerListLinesMax,
} from '../limits.ts'
import { plans } from '../plans.ts'
import { StoreError } from '../store/accounts-error.ts'
import { countRequests } from './list-quota.ts'
import { countLookUps, refusalOfLookUp } from './pages/look-up.ts'
import { durationText, number } from './pages/page-figures.ts'
import { type SentList, textOf } from './sent-list.ts'
import { sessionIn } from './session.ts'
import type { Html, PageContext, Site } from './site.ts'
import type { Turns } from './turns.ts'
import { linesIn } from './valued-list.ts'

/** A list whose lines have been counted against the quota. */
export interface BegunList {
  readonly data: Dataset
  readonly read: ReadList
  /** Call this when the list's response ends. Lines that were not valued do not count. @param valued how many were */
  refund(valued: number): void
}

export interface Refusal {
  readonly wrong: Html | string
  readonly status: 400 | 401 | 403 | 413 | 429 | 500 | 503
}

const refusal = (status: Refusal['status'], wrong: Html | string): Refusal => ({ status, wrong })

export const megabytes = `${listBytesMax / 2 ** 20} MB`
const stillHere = 'Your list is still here.'

export const linesMaxOf = (context: PageContext): number =>
  context.var.session === undefined ? strangerListLinesMax : listLinesMax

/** The promise never rejects. */
export async function beginList(
  site: Site,
  context: PageContext,
  sent: SentList,
  turns: Turns,
): Promise<BegunList | Refusal> {
  try {
    return (await refusalOfAccount(site, context)) ?? (await read(site, context, sent, turns))
  } catch (error) {
    return failureOf(site, error)
  }
}

/** The message for a list that could not be valued because of an error. */
export function failureOf(site: Site, error: unknown): Refusal {
  if (error instanceof StoreError) {
    return refusal(503, `Your account can’t be asked right now. ${stillHere} Try again soon.`)
  }
  site.log.error({ err: error }, 'a list could not be valued')
  return refusal(500, `The list could not be valued because of an error on our side. ${stillHere}`)
}

export const crowded = refusal(503, `Other lists are being valued. ${stillHere} Try again in a minute.`)

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

async function read(site: Site, context: PageContext, sent: SentList, turns: Turns): Promise<BegunList | Refusal> {
  const isStranger = context.var.session === undefined
  const linesMax = linesMaxOf(context)
  // A browser sends the end of each line as two characters.
  if (sent.bytes.length > listBytesMax + listLinesMax) {
    return refusal(413, `A list has at most ${megabytes}. ${stillHere} Value it in several parts.`)
  }
  await turns.pause()
  const text = textOf(sent.bytes)
  await turns.pause()
  if (!/\S/.test(text)) return refusal(400, 'Write or paste a list, or choose a file.')
  const data = await site.data.open()
  if (data === undefined) return refusal(400, `No cards have been published yet. ${stillHere}`)
  const lookUp = isStranger ? refusalOfLookUp(site, context) : undefined
  if (lookUp !== undefined) {
    return refusal(429, `${lookUp} ${listLinesPerLookUp} lines count as one card. ${stillHere}`)
  }
  const isListed = isReadable(text, linesMax)
  await turns.pause()
  const list = isListed ? await linesRead(text, sent, linesMax, turns) : undefined
  if (list === undefined) {
    const which = isStranger ? 'Without an account, a list' : 'A list'
    return refusal(400, `${which} has at most ${number(linesMax)} lines. ${stillHere} Value it in several parts.`)
  }
  if (list.lines.length === 0) return refusal(400, 'This list has no line with a card.')
  const requests = Math.ceil(list.lines.length / listLinesPerLookUp)
  if (isStranger) {
    countLookUps(site, context, requests - 1)
    return { data, read: list, refund: () => undefined }
  }
  const counted = await countRequests(site.quota, allowanceOf(context), requests, site.clock)
  if (counted.isCounted) {
    return { data, read: list, refund: (valued) => counted.refund(Math.ceil(valued / listLinesPerLookUp)) }
  }
  return refusalOfQuota(site, context, list.lines.length, counted.left)
}

/**
 * False if the list has too many lines, or a line that is too long. Blank lines and headings are included, so twice as
 * many lines are allowed.
 */
function isReadable(list: string, linesMax: number): boolean {
  let [lines, from] = [0, 0]
  while (from <= list.length) {
    const end = list.indexOf('\n', from)
    const to = end === -1 ? list.length : end
    if (++lines > 2 * linesMax || to - from > listLineCharsMax) return false
    from = to + 1
  }
  return true
}

async function linesRead(text: string, { game, columns }: SentList, max: number, turns: Turns) {
  try {
    return await linesIn(text, { game, columns }, max, turns)
  } catch (error) {
    // The columns may have been chosen for another list.
    if (columns === undefined || !(error instanceof TypeError)) throw error
    return linesIn(text, { game }, max, turns)
  }
}

function allowanceOf(context: PageContext) {
  const { number: account, plan } = context.var.session.account
  return { account, limit: plans[plan].requestsPerDay }
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
