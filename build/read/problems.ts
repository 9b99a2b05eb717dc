/** What is wrong with a snapshot, collected so that one run shows the operator more than the first mistake. */
import { lineBytesMax, problemsShownMax, quotedCharsMax } from '../../src/limits.ts'

/** The snapshot can't be built; `lines` are for standard error. */
export class SnapshotError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

export class Problems {
  readonly #shown: string[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  /**
   * @param file as seen from the snapshot folder, `cards/a.ndjson`
   * @param line counted from 1; undefined of a file that is one value
   * @param field as a path, `prices.market`; `line` where the line as a whole is wrong
   */
  add(file: string, line: number | undefined, field: string, wrong: string, found?: string): void {
    this.#count++
    if (this.#shown.length >= problemsShownMax) return
    const place = line === undefined ? file : `${file}:${line}`
    this.#shown.push(`${place}: ${field}: ${wrong}${found === undefined ? '' : ` (${found})`}`)
  }

  /** Throws SnapshotError if anything was added. */
  check(): void {
    if (this.#count === 0) return
    const rest = this.#count - this.#shown.length
    const total = `${this.#count} problem${this.#count === 1 ? '' : 's'}${rest > 0 ? `, the first ${this.#shown.length} shown` : ''}; nothing was published`
    throw new SnapshotError([...this.#shown, total])
  }
}

/** Of a line without its line break; of a CSV record with all of its lines. */
export const lineTooLong = `must be at most ${lineBytesMax} bytes`

/** A found value on one line, cut to a readable length. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))
  return text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax - 3)}…` : text
}
