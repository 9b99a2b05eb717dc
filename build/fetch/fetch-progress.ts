/** The progress of a fetch on standard error: a bar on a terminal, else a line every ten seconds. */
import { printableLine } from '../../src/log/printable.ts'
import { fetchProgressMs } from './fetch-limits.ts'

const showEveryMs = 200
const barChars = 20

export class FetchProgress {
  readonly #name: string
  readonly #isQuiet: boolean
  readonly #terminal = process.stderr.isTTY === true
  readonly #started = performance.now()
  #shownAt = performance.now()
  #unit = 'files'
  #done = 0
  #total = 0
  /** How many bytes have arrived. */
  bytes = 0

  constructor(name: string, isQuiet: boolean) {
    this.#name = name
    this.#isQuiet = isQuiet
  }

  /** @param total the number of units; 0 if unknown */
  begin(unit: string, total: number): void {
    this.#unit = unit
    this.#total = total
    this.#done = 0
  }

  step(): void {
    this.#done++
    this.#show()
  }

  add(bytes: number): void {
    this.bytes += bytes
    if (this.#unit === 'bytes') this.#done += bytes
    this.#show()
  }

  readonly note = (note: string): void => {
    if (this.#isQuiet) return
    const text = printableLine(note)
    process.stderr.write(this.#terminal ? `\r\u001b[2K${this.#name}  ${text}` : `${this.#name}: ${text}\n`)
    this.#shownAt = performance.now()
  }

  /** Prints a line that stays, even on a terminal. */
  say(line: string): void {
    this.note(line)
    if (this.#terminal && !this.#isQuiet) process.stderr.write('\n')
  }

  clear(): void {
    if (this.#terminal && !this.#isQuiet) process.stderr.write('\r\u001b[2K')
  }

  #show(): void {
    const now = performance.now()
    if (this.#isQuiet || now - this.#shownAt < (this.#terminal ? showEveryMs : fetchProgressMs)) return
    this.note(this.text(now - this.#started))
  }

  text(ms: number): string {
    const seconds = ms / 1000
    const parts = [`${megabytes(this.bytes)}, ${megabytes(this.bytes / seconds)}/s`]
    if (this.#unit !== 'bytes')
      parts.unshift(`${this.#done.toLocaleString('en')} of ${this.#total.toLocaleString('en')} ${this.#unit}`)
    if (this.#total > 0 && this.#done > 0) {
      const share = Math.min(this.#done / this.#total, 1)
      const bar = '#'.repeat(Math.round(share * barChars)).padEnd(barChars, '-')
      parts.unshift(`[${bar}] ${Math.floor(100 * share)} %`)
      parts.push(`${Math.ceil((seconds * (1 - share)) / share)} s left`)
    }
    return parts.join(', ')
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
