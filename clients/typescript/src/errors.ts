/** The errors of calls: the class follows from the response's code, else from its status. */

interface ErrorDetails {
  /** The response's status, or that of the response to an id that no path can carry; undefined without a response. */
  readonly status?: number | undefined
  /**
   * The API's, such as `CARD_NOT_FOUND`; `HTTP_502` and the like for a response of a proxy; of a `NetworkError`
   * `CONNECTION_FAILED`, `TIMEOUT` or `INVALID_RESPONSE`.
   */
  readonly code: string
  readonly message: string
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined
}

export class CardPricesError extends Error {
  override readonly name: string = 'CardPricesError'
  readonly status: number | undefined
  readonly code: string
  readonly retryAfter: number | undefined
  /**
   * Results of the call's other batches: for `cards` a Map of the requested ids, for `match` an array by line, with undefined
   * for lines without a result. Undefined for all other calls.
   */
  found: unknown = undefined

  constructor({ status, code, message, retryAfter }: ErrorDetails) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** The key is missing, wrong, expired or revoked, or its account is suspended. */
export class AuthenticationError extends CardPricesError {
  override readonly name: string = 'AuthenticationError'
}
/** The account's plan does not include the endpoint. */
export class PlanError extends CardPricesError {
  override readonly name: string = 'PlanError'
}
export class NotFoundError extends CardPricesError {
  override readonly name: string = 'NotFoundError'
}
export class CardNotFoundError extends NotFoundError {
  override readonly name: string = 'CardNotFoundError'
}
/** The day's requests are used up; `retryAfter` is the time to the next UTC day. */
export class QuotaError extends CardPricesError {
  override readonly name: string = 'QuotaError'
}
/** A parameter or a body is wrong; the message names it. */
export class InvalidRequestError extends CardPricesError {
  override readonly name: string = 'InvalidRequestError'
}
/** The data changed while pages of it were read. */
export class DataChangedError extends CardPricesError {
  override readonly name: string = 'DataChangedError'
}
/** The service is unavailable, also after the retries. */
export class UnavailableError extends CardPricesError {
  override readonly name: string = 'UnavailableError'
}
/** No response, a broken one, or none in time. */
export class NetworkError extends CardPricesError {
  override readonly name: string = 'NetworkError'
}

type ErrorClass = new (details: ErrorDetails) => CardPricesError

const byCode: Readonly<Record<string, ErrorClass>> = {
  MISSING_API_KEY: AuthenticationError,
  INVALID_API_KEY: AuthenticationError,
  unauthorized: AuthenticationError,
  ACCOUNT_SUSPENDED: AuthenticationError,
  PLAN_RESTRICTION: PlanError,
  CARD_NOT_FOUND: CardNotFoundError,
  RATE_LIMIT_EXCEEDED: QuotaError,
  PRECONDITION_FAILED: DataChangedError,
}

const byStatus: Readonly<Record<number, ErrorClass>> = {
  401: AuthenticationError,
  403: PlanError,
  404: NotFoundError,
  429: QuotaError,
}

function classOf(status: number, code: string): ErrorClass {
  if (Object.hasOwn(byCode, code)) return byCode[code]!
  if (status >= 500) return UnavailableError
  return byStatus[status] ?? (status >= 400 ? InvalidRequestError : CardPricesError)
}

/** The error of a response. @param text its body, in either form of the interface, or a proxy's */
export function errorOf(status: number, text: string, retryAfter: number | undefined): CardPricesError {
  let code = `HTTP_${status}`
  let message = `the server answered ${status}`
  try {
    const { error } = JSON.parse(text)
    code = String(error.code)
    message = String(error.message)
  } catch {
    // A proxy answered, not the API.
  }
  return new (classOf(status, code))({ status, code, message, retryAfter })
}

export const dataChanged = (): DataChangedError =>
  new DataChangedError({ status: 412, code: 'PRECONDITION_FAILED', message: 'The data changed between two pages.' })

/** As the API answers an id that no card has, and a game or a set that does not exist. */
export const unknownCard = (): CardPricesError =>
  new CardNotFoundError({ status: 404, code: 'CARD_NOT_FOUND', message: 'No card has this id.' })

export const notFound = (message: string): CardPricesError =>
  new NotFoundError({ status: 404, code: 'NOT_FOUND', message })

export const networkError = (
  code: 'CONNECTION_FAILED' | 'TIMEOUT' | 'INVALID_RESPONSE',
  message: string,
): NetworkError => new NetworkError({ code, message })
