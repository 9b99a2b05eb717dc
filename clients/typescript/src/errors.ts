/** The errors of calls. The response's code decides the class; if the code is unknown, its status does. */

interface ErrorDetails {
  /**
   * The response's status, or the API's status for an error that the client itself finds. Undefined for a
   * `NetworkError`.
   */
  readonly status?: number | undefined
  /**
   * The API's code, such as `CARD_NOT_FOUND`. For a response of a proxy, `HTTP_502` and the like. For a `NetworkError`,
   * `CONNECTION_FAILED`, `TIMEOUT` or `INVALID_RESPONSE`.
   */
  readonly code: string
  readonly message: string
  /** The seconds in `Retry-After`. */
  readonly retryAfter?: number | undefined
}

export class CardPricesError extends Error {
  override readonly name: string = 'CardPricesError'
  readonly status: number | undefined
  readonly code: string
  readonly retryAfter: number | undefined
  /**
   * The results of the call's other batches. For `cards` and `histories`, a Map by id. For `match`, an array by line,
   * with undefined for lines without a result. For `value`, the list as far as it was valued. Undefined for all other
   * calls.
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
/** The day's requests are used up. `retryAfter` has the seconds until the next UTC day. */
export class QuotaError extends CardPricesError {
  override readonly name: string = 'QuotaError'
}
/** A parameter or a body is wrong. The message names what is wrong. */
export class InvalidRequestError extends CardPricesError {
  override readonly name: string = 'InvalidRequestError'
}
/** The data changed while a walk read its pages. */
export class DataChangedError extends CardPricesError {
  override readonly name: string = 'DataChangedError'
}
/** The server is still unavailable after the retries. */
export class UnavailableError extends CardPricesError {
  override readonly name: string = 'UnavailableError'
}
/** No response arrived in time, the connection failed, or the response can't be read. */
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

/** Returns the error for a response. @param text the response's body, in either form of the API, or from a proxy */
export function errorOf(status: number, text: string, retryAfter: number | undefined): CardPricesError {
  let code = `HTTP_${status}`
  let message = `the server answered ${status}`
  try {
    const { error } = JSON.parse(text)
    code = String(error.code)
    message = String(error.message)
  } catch {
    // The response is a proxy's, not the API's.
  }
  return new (classOf(status, code))({ status, code, message, retryAfter })
}

export const dataChanged = (): DataChangedError =>
  new DataChangedError({ status: 412, code: 'PRECONDITION_FAILED', message: 'The data changed between two pages.' })

/** Equals the API's error for an id that no card has. */
export const unknownCard = (): CardPricesError =>
  new CardNotFoundError({ status: 404, code: 'CARD_NOT_FOUND', message: 'No card has this id.' })

/** Equals the API's error for a game or a set that does not exist. */
export const notFound = (message: string): CardPricesError =>
  new NotFoundError({ status: 404, code: 'NOT_FOUND', message })

export const networkError = (
  code: 'CONNECTION_FAILED' | 'TIMEOUT' | 'INVALID_RESPONSE',
  message: string,
): NetworkError => new NetworkError({ code, message })
