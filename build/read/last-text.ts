/** A text that is mostly that of the card before: its bytes are compared, and only another one is made a string and looked at. */
import { startsWith } from './json-cursor.ts'

export class LastText {
  text = ''
  #bytes: Uint8Array = new Uint8Array(0)
  readonly #isRight: (text: string) => boolean

  constructor(isRight: (text: string) => boolean) {
    this.#isRight = isRight
  }

  isRight(bytes: Buffer, start: number, end: number): boolean {
    if (end - start === this.#bytes.length && startsWith(bytes, start, this.#bytes)) return true
    const text = bytes.toString('utf8', start, end)
    if (!this.#isRight(text)) return false
    this.text = text
    this.#bytes = Uint8Array.from(bytes.subarray(start, end))
    return true
  }
}
