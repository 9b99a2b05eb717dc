/** A line of progress on standard error, if that is a terminal. */
import { printableLine } from '../src/log/printable.ts'

const showEveryMs = 200

export class Progress {
  readonly #terminal = process.stderr.isTTY === true
  readonly #started = performance.now()
  #shownAt = 0

  step(text: string): void {
    if (!this.#terminal) return
    this.#shownAt = performance.now()
    process.stderr.write(`\r\u001b[2K${printableLine(text)}`)
  }

  /** Shows at most five updates a second. */
  reading({ bytes, bytesTotal, file }: { bytes: number; bytesTotal: number; file: string }): void {
    const now = performance.now()
    if (!this.#terminal || now - this.#shownAt < showEveryMs) return
    const seconds = (now - this.#started) / 1000
    const left = Math.round((seconds * (bytesTotal - bytes)) / bytes)
    const done = Math.floor((100 * bytes) / bytesTotal)
    this.step(`${file}  ${done} %  ${left} s left`)
  }

  clear(): void {
    if (this.#terminal) process.stderr.write('\r\u001b[2K')
  }
}
