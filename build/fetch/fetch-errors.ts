/** Errors that end the fetch of a source. Each is one line, with advice. Also how messages show addresses and times. */

const excerptCharsMax = 200

export class FetchError extends Error {
  readonly status: number | undefined

  /**
   * @param where an address without secrets, or a file
   * @param status the status of the response, if the publisher rejected the request
   */
  constructor(where: string, wrong: string, advice: string, status?: number) {
    super(oneLine(`${where} ${wrong}: ${advice}`))
    this.status = status
  }
}

/** The source could not be reached, because of the network, a 5xx or a 429. The same call may succeed later. */
export class SourceAway extends FetchError {}

/** The content of a response is wrong. */
export class WrongContent extends Error {}

export const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
    .replace(/[\x00-\x20\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim()

/** The text of a response for a message: without tags, on one line, shortened. */
export function excerpt(text: string): string {
  const plain = oneLine(text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' '))
  return plain.length > excerptCharsMax ? `${plain.slice(0, excerptCharsMax)}…` : plain
}

/** An address without user info and without its query. */
export const shownAddress = ({ origin, pathname }: URL): string => origin + pathname

export const inBrackets = (text: string): string => (text === '' ? '' : ` (${JSON.stringify(text)})`)

export const durationText = (ms: number): string =>
  ms < 120_000 ? `${Math.ceil(ms / 1000)} seconds` : `${Math.ceil(ms / 60_000)} minutes`

/** A `Retry-After` of seconds or a date, in ms from now. */
export function retryDelayMs(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0)
}

export function adviceOf(status: number): string {
  if (status === 401) return 'the publisher may need another name of this program (--agent NAME/VERSION), or a token'
  if (status === 403) return 'find out why before you ask again: see its rules in docs/data.md, or ask the publisher'
  if (status === 404) return 'check whether the publisher has moved it, and whether --from is right'
  return 'look at the address yourself, and run it again'
}
