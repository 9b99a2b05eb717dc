/** What ends the fetch of a source: one line, with what to do. */

const saidCharsMax = 200

export class FetchError extends Error {
  readonly status: number | undefined

  /**
   * @param where an address without what is secret in it, or a file
   * @param status of the answer, if it was the publisher's refusal
   */
  constructor(where: string, wrong: string, advice: string, status?: number) {
    super(oneLine(`${where} ${wrong}: ${advice}`))
    this.status = status
  }
}

/** An answer that is not what it must be. */
export class WrongContent extends Error {}

export const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they would be obeyed by a terminal
    .replace(/[\x00-\x20\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim()

/** What a publisher says, for people: without tags, on one line, not too long. */
export function excerpt(text: string): string {
  const plain = oneLine(text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' '))
  return plain.length > saidCharsMax ? `${plain.slice(0, saidCharsMax)}…` : plain
}
