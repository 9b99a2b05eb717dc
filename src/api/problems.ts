/** The table of problems, with their codes, statuses and messages. It also renders the bodies of problems. */
import { views } from '../catalog/card-fields.ts'
import { batchBodyBytesMax, batchIdsMax, historyDaysMax } from '../limits.ts'
import { type PlanName, planNames, plans } from '../plans.ts'
import type { ApiForm } from '../settings.ts'
import { historyPeriod } from './parameters.ts'

/** An error: the parts of its response. */
export interface Problem {
  /** The status as in HTTP's status line: `404 Not Found`. */
  readonly status: string
  readonly retry: Retry
  /** True if the response has the header ETag, with the served version. */
  readonly hasETag: boolean
  readonly body: Uint8Array
}

/** What Retry-After says: a few seconds, or the time until the next day. Undefined if the response lacks the header. */
type Retry = 'soon' | 'next day' | undefined

/** A row of the table. */
interface ProblemRow {
  readonly status: string
  readonly message: string
  readonly retry?: Retry
  readonly hasETag?: boolean
  /** The code in the body. Undefined if it is the row's name. */
  readonly code?: string
}

export const problemTable = {
  NOT_FOUND: { status: '404 Not Found', message: 'There is no such endpoint.' },
  METHOD_NOT_ALLOWED: {
    status: '405 Method Not Allowed',
    message: 'The endpoint does not have this method; Allow names those that it has.',
  },
  MISSING_API_KEY: { status: '401 Unauthorized', message: 'An API key is needed: send it in the header X-API-Key.' },
  INVALID_API_KEY: { status: '401 Unauthorized', message: 'The API key does not exist, is expired or is revoked.' },
  ACCOUNT_SUSPENDED: {
    status: '403 Forbidden',
    message: 'The account is suspended; its dashboard, or the operator, says why.',
  },
  SERVICE_UNAVAILABLE: {
    status: '503 Service Unavailable',
    message: 'The service can’t answer right now; try again shortly.',
    retry: 'soon',
  },
  RATE_LIMIT_EXCEEDED: {
    status: '429 Too Many Requests',
    message: 'The day’s requests are used up; X-RateLimit-Reset tells when new ones come.',
    retry: 'next day',
  },
  PLAN_RESTRICTION: { status: '403 Forbidden', message: 'The account’s plan does not include this endpoint.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: '415 Unsupported Media Type',
    message: 'The body must be sent as Content-Type: application/json.',
  },
  PAYLOAD_TOO_LARGE: {
    status: '413 Payload Too Large',
    message: `The body is larger than ${batchBodyBytesMax / 1024} KiB.`,
  },
  INVALID_BODY: {
    status: '400 Bad Request',
    message: 'The body must be a JSON object with ids, an array of strings.',
  },
  INVALID_VIEW: {
    status: '400 Bad Request',
    code: 'INVALID_BODY',
    message: `The body’s view must be one of ${views.join(', ')}, or absent.`,
  },
  INVALID_PERIOD: {
    status: '400 Bad Request',
    code: 'INVALID_BODY',
    message: `The body’s period must be one of ${historyPeriod.values.join(', ')}, or absent. This body takes no days.`,
  },
  INVALID_DAYS: {
    status: '400 Bad Request',
    code: 'INVALID_BODY',
    message: `The body’s days must be a whole number from 1 to ${historyDaysMax}, or absent. This body takes no period.`,
  },
  BATCH_TOO_LARGE: { status: '400 Bad Request', message: `A batch has at most ${batchIdsMax} ids.` },
  INVALID_PARAMETER: { status: '400 Bad Request', message: 'A parameter has a bad value.' },
  NOT_ACCEPTABLE: {
    status: '406 Not Acceptable',
    message: 'This download is always compressed. Send Accept-Encoding: gzip, or leave the header out.',
  },
  PRECONDITION_FAILED: {
    status: '412 Precondition Failed',
    message: 'If-Match does not name the served version of the data, which this response’s ETag names.',
    hasETag: true,
  },
  CARD_NOT_FOUND: { status: '404 Not Found', message: 'No card has this id.' },
  INTERNAL_ERROR: { status: '500 Internal Server Error', message: 'The service failed to answer; the fault is ours.' },
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof problemTable

export const problemCodes = Object.keys(problemTable) as ProblemCode[]

export const statusOf = (code: ProblemCode): number => Number.parseInt(problemTable[code].status, 10)

/** Returns the message of PLAN_RESTRICTION. @param plan the lowest plan that includes the endpoint */
export function planRestriction(plan: PlanName): string {
  const isHighest = planNames.every((name) => plans[name].rank <= plans[plan].rank)
  const named = `the ${plans[plan].name} plan ${isHighest ? 'does' : 'and above do'}`
  return problemTable.PLAN_RESTRICTION.message.replace(/\.$/, `; ${named}.`)
}

/** Returns the code in the body of a problem, in a form of the interface. */
export const codeIn = (form: ApiForm, code: ProblemCode): string =>
  form === 'B' && (code === 'MISSING_API_KEY' || code === 'INVALID_API_KEY')
    ? 'unauthorized'
    : ((problemTable[code] as ProblemRow).code ?? code)

/** Returns all codes that bodies of problems have, in a form of the interface. */
export const codesIn = (form: ApiForm): string[] => [...new Set(problemCodes.map((code) => codeIn(form, code)))]

/** The problems in one form of the interface. Their bodies are rendered once. */
export class Problems {
  readonly form: ApiForm
  readonly #rendered: Readonly<Record<ProblemCode, Problem>>

  constructor(form: ApiForm) {
    this.form = form
    const entries = problemCodes.map((code) => [code, this.saying(code, problemTable[code].message)])
    this.#rendered = Object.fromEntries(entries) as Record<ProblemCode, Problem>
  }

  of(code: ProblemCode): Problem {
    return this.#rendered[code]
  }

  /** Returns the problem with another message for the API's caller. */
  saying(code: ProblemCode, message: string): Problem {
    const { status, retry, hasETag = false }: ProblemRow = problemTable[code]
    return { status, retry, hasETag, body: Buffer.from(JSON.stringify({ error: this.errorOf(code, message) })) }
  }

  /** The value of `error` in the body. */
  protected errorOf(code: ProblemCode, message: string): unknown {
    const named = { code: codeIn(this.form, code), message }
    return this.form === 'A' ? { ...named, status: statusOf(code) } : named
  }
}
