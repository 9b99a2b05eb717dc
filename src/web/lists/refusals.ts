/** The reasons for which a list is not valued. The page shows the reason, and still has the list in its field. */
import { listBytesMax, listLinesMax, strangerListLinesMax } from '../../limits.ts'
import { StoreError } from '../../store/accounts-error.ts'
import { number } from '../shared/page-figures.ts'
import type { Html, PageContext, Site } from '../site.ts'

export interface Refusal {
  readonly wrong: Html | string
  readonly status: 400 | 401 | 403 | 413 | 429 | 500 | 503
}

export const refusal = (status: Refusal['status'], wrong: Html | string): Refusal => ({ status, wrong })

export const megabytes = `${listBytesMax / 2 ** 20} MB`
export const stillHere = 'Your list is still here.'

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
