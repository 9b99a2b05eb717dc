/** Takes the answers of a connection apart, as they come: what is no HTTP answer is a fault. */

export interface Answer {
  readonly status: number
  /** The status line and the headers, as they came. */
  readonly head: string
  /** Bytes as latin1 characters. */
  readonly body: string
  /** Without a length: it ends with the connection. */
  readonly isOpenEnded: boolean
}

const headEnd = '\r\n\r\n'
const dropChars = 64 * 1024

export class Answers {
  #text = ''
  #at = 0

  /** @param text bytes as latin1 characters */
  add(text: string): void {
    if (this.#at > dropChars) {
      this.#text = this.#text.slice(this.#at)
      this.#at = 0
    }
    this.#text += text
  }

  /** The part that has not been taken yet. */
  get rest(): string {
    return this.#text.slice(this.#at)
  }

  /**
   * The next answer, interim ones (100) passed over; undefined while it is not whole.
   * @param isHead it answers a HEAD, and so has no body
   * Throws if what came is no answer.
   */
  next(isHead: boolean): Answer | undefined {
    for (;;) {
      const end = this.#text.indexOf(headEnd, this.#at)
      if (end === -1) return undefined
      const head = this.#text.slice(this.#at, end + 2)
      const match = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n/.exec(head)
      if (match === null) throw new Error(`what came is no answer: ${JSON.stringify(head.slice(0, 200))}`)
      const status = Number(match[1])
      const bodyAt = end + headEnd.length
      if (status >= 200) return this.#taken(status, head, bodyAt, isHead)
      this.#at = bodyAt
    }
  }

  #taken(status: number, head: string, bodyAt: number, isHead: boolean): Answer | undefined {
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)
    const isOpenEnded = length === null && !isHead && status !== 204
    const bytes = isHead || length === null ? 0 : Number(length[1])
    if (bodyAt + bytes > this.#text.length) return undefined
    this.#at = bodyAt + bytes
    return { status, head, body: this.#text.slice(bodyAt, bodyAt + bytes), isOpenEnded }
  }
}

export const isOfJson = ({ head }: Answer): boolean => /\r\ncontent-type: application\/json\r\n/i.test(head)
