/** What can go wrong with a request: one table of codes, statuses and messages, and the bodies made from it. */
import { batchBodyBytesMax, batchIdsMax } from '../limits.ts'
import type { ApiForm } from '../settings.ts'

/** An answer other than 200. */
export interface Problem {
  /** As HTTP's status line has it: `404 Not Found`. */
  readonly status: string
  /** What Retry-After tells: one more try soon, or the time until the day's end. */
  readonly retry: 'soon' | 'next day' | undefined
  readonly body: Uint8Array
}

const table = {
  NOT_FOUND: ['404 Not Found', 'There is no such endpoint.'],
  METHOD_NOT_ALLOWED: [
    '405 Method Not Allowed',
    'The endpoint does not have this method; Allow names those that it has.',
  ],
  MISSING_API_KEY: ['401 Unauthorized', 'An API key is needed: send it in the header X-API-Key.'],
  INVALID_API_KEY: ['401 Unauthorized', 'The API key does not exist, is expired or is revoked.'],
  SERVICE_UNAVAILABLE: ['503 Service Unavailable', 'The service can’t answer right now; try again shortly.', 'soon'],
  RATE_LIMIT_EXCEEDED: [
    '429 Too Many Requests',
    'The day’s requests are used up; X-RateLimit-Reset tells when new ones come.',
    'next day',
  ],
  PLAN_RESTRICTION: [
    '403 Forbidden',
    'The account’s plan does not include this endpoint; the Trader plan and above do.',
  ],
  UNSUPPORTED_MEDIA_TYPE: ['415 Unsupported Media Type', 'The body must be sent as Content-Type: application/json.'],
  PAYLOAD_TOO_LARGE: ['413 Payload Too Large', `The body is larger than ${batchBodyBytesMax / 1024} KiB.`],
  INVALID_BODY: ['400 Bad Request', 'The body must be a JSON object with ids, an array of strings.'],
  BATCH_TOO_LARGE: ['400 Bad Request', `A batch has at most ${batchIdsMax} ids.`],
  INVALID_PARAMETER: ['400 Bad Request', 'A parameter has a bad value.'],
  CARD_NOT_FOUND: ['404 Not Found', 'No card has this id.'],
  INTERNAL_ERROR: ['500 Internal Server Error', 'The service failed to answer; the fault is ours.'],
} as const satisfies Record<string, readonly [status: string, message: string, retry?: Problem['retry']]>

export type ProblemCode = keyof typeof table

export const problemCodes = Object.keys(table) as ProblemCode[]

/** The problems in one form of the interface, rendered once. */
export class Problems {
  readonly #form: ApiForm
  readonly #rendered: Readonly<Record<ProblemCode, Problem>>

  constructor(form: ApiForm) {
    this.#form = form
    const entries = problemCodes.map((code) => [code, this.#render(code, table[code][1])])
    this.#rendered = Object.fromEntries(entries) as Record<ProblemCode, Problem>
  }

  of(code: ProblemCode): Problem {
    return this.#rendered[code]
  }

  /** @param wrong names the parameter, what is allowed and what was given */
  invalidParameter(wrong: string): Problem {
    return this.#render('INVALID_PARAMETER', wrong)
  }

  #render(code: ProblemCode, message: string): Problem {
    const [status, , retry]: readonly [string, string, Problem['retry']?] = table[code]
    const error =
      this.#form === 'A' ? { code, message, status: Number.parseInt(status, 10) } : { code: codeInFormB(code), message }
    return { status, retry, body: Buffer.from(JSON.stringify({ error })) }
  }
}

const codeInFormB = (code: ProblemCode) =>
  code === 'MISSING_API_KEY' || code === 'INVALID_API_KEY' ? 'unauthorized' : code
