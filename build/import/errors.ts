/** The errors that end an import, collected so that one run shows more than the first. */
import { problemsShownMax } from '../../src/limits.ts'

/** Nothing was written; `lines` go to standard error. */
export class ImportError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** Errors as plain values, which threads exchange. */
export interface ImportErrorsSummary {
  readonly shown: readonly string[]
  readonly count: number
}

export class ImportErrors {
  readonly #shown: string[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  /**
   * @param place in the file: a line, or a path such as `results[3].productId`; empty for the whole file
   * @param found the wrong value
   */
  add(file: string, place: string, wrong: string, found?: string): void {
    this.#count++
    if (this.#shown.length >= problemsShownMax) return
    const where = place === '' ? file : `${file}: ${place}`
    this.#shown.push(`${where}: ${wrong}${found === undefined ? '' : ` (${found})`}`.replaceAll('\n', ' '))
  }

  summary(): ImportErrorsSummary {
    return { shown: this.#shown, count: this.#count }
  }

  /** Adds the errors of another thread. */
  merge({ shown, count }: ImportErrorsSummary): void {
    this.#count += count
    this.#shown.push(...shown.slice(0, problemsShownMax - this.#shown.length))
  }

  /** Throws ImportError if anything was added. */
  check(): void {
    if (this.#count === 0) return
    const rest = this.#count - this.#shown.length
    const total = `${this.#count} error${this.#count === 1 ? '' : 's'}${rest > 0 ? `, the first ${this.#shown.length} shown` : ''}; nothing was written`
    throw new ImportError([...this.#shown, total])
  }
}
