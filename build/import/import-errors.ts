/** The errors that end an import, collected so that one run shows more than the first. */
import { Problems, SnapshotError } from '../read/snapshot-problems.ts'

/** Nothing was written; `lines` go to standard error. */
export class ImportError extends SnapshotError {}

export class ImportErrors {
  readonly #problems = new Problems('error', 'nothing was written', ImportError)

  get count(): number {
    return this.#problems.count
  }

  /** The first one. */
  get first(): string | undefined {
    return this.#problems.shown[0]
  }

  /**
   * @param place in the file: a line, or a path such as `results[3].productId`; empty for the whole file
   * @param found the wrong value
   */
  add(file: string, place: string, wrong: string, found?: string): void {
    const where = place === '' ? file : `${file}: ${place}`
    const text = `${where}: ${wrong}${found === undefined ? '' : ` (${found})`}`.replaceAll('\n', ' ')
    this.#problems.addLine(text)
  }

  /** Throws ImportError if anything was added. */
  check(): void {
    this.#problems.check()
  }
}
