/** Turns errors into messages for an assistant, with a remedy. */
import {
  AuthenticationError,
  CardNotFoundError,
  CardPricesError,
  PlanError,
  QuotaError,
} from '../../typescript/src/index.ts'
import type { ValuedList } from '../../typescript/src/value.ts'
import { TooFewRequestsError, WrongColumnsError } from './value-list.ts'

/** Returns the error's message, or undefined if the error is a bug of this program. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof WrongColumnsError) return `${error.message.replace(/\.$/, '')}.`
  if (error instanceof TooFewRequestsError) return error.message
  if (!(error instanceof CardPricesError)) return undefined
  const { message, code } = error
  if (error instanceof AuthenticationError) return `The API rejects the key in CARD_PRICES_KEY (${code}): ${message}`
  if (error instanceof PlanError) return `${message} Do not try again: this account can’t use it.`
  if (error instanceof CardNotFoundError) return `${message} search_cards finds ids.`
  if (error instanceof QuotaError) return `${message}${resetOf(error)}${foundOf(error)}`
  if (error.status !== undefined && error.status < 500) return `${message} (${code})`
  return `The price server can’t be reached or can’t answer now (${code}): ${message} It was tried several times; try again later.${foundOf(error)}`
}

const resetOf = ({ retryAfter }: QuotaError): string =>
  retryAfter === undefined ? '' : ` That is at ${new Date(Date.now() + retryAfter * 1000).toISOString()}.`

/** Returns what was found before the error, if a list was valued in part. */
function foundOf({ found }: CardPricesError): string {
  const valued = found as ValuedList | undefined
  if (valued === undefined) return ''
  const sum = valued.total === null ? 'without a total, since some columns are unsure' : `${valued.total} in all`
  return ` ${valued.lines.length} lines had been valued before: ${sum}.`
}
