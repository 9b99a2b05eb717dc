/** One line on a terminal that says how far a build is; nothing where standard error is no terminal. */
const showEveryMs = 200

export class Progress {
  readonly #terminal = process.stderr.isTTY === true
  readonly #started = performance.now()
  #shownAt = 0

  /** Shown at once. */
  step(text: string): void {
    if (!this.#terminal) return
    this.#shownAt = performance.now()
    process.stderr.write(`\r\u001b[2K${text}`)
  }

  /** How far reading is; shown now and then. */
  reading({ bytes, bytesTotal, file }: { bytes: number; bytesTotal: number; file: string }): void {
    const now = performance.now()
    if (!this.#terminal || now - this.#shownAt < showEveryMs) return
    const seconds = (now - this.#started) / 1000
    const left = bytes > 0 ? Math.round((seconds * (bytesTotal - bytes)) / bytes) : 0
    const done = Math.floor((100 * bytes) / Math.max(bytesTotal, 1))
    this.step(`${file}  ${done} %  ${left} s left`)
  }

  clear(): void {
    if (this.#terminal) process.stderr.write('\r\u001b[2K')
  }
}
