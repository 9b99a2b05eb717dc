/** How addresses, waits and refusals are told to operators. */

/** Without user info and query. */
export const shownAddress = ({ origin, pathname }: URL): string => origin + pathname

export const inBrackets = (words: string): string => (words === '' ? '' : ` (${JSON.stringify(words)})`)

export const durationText = (ms: number): string =>
  ms < 120_000 ? `${Math.ceil(ms / 1000)} seconds` : `${Math.ceil(ms / 60_000)} minutes`

/** Seconds or a date, in ms from now. */
export function retryDelayMs(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0)
}

export function adviceOf(status: number): string {
  if (status === 401) return 'it may want another name of this program (--agent NAME/VERSION), or a token'
  if (status === 403) return 'do not ask again before you know why; its rules are in docs/data.md, or ask the publisher'
  if (status === 404) return 'see whether the publisher has moved it, and whether --from is right'
  return 'see what is there by hand, and run it again'
}
