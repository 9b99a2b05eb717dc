/** The errors that end an import, collected so that one run shows more than the first. */
import { Problems, SnapshotError } from '../read/snapshot-problems.ts'

/** An import failed and wrote nothing. `lines` are printed on standard error. */
export class ImportError extends SnapshotError {}

export class ImportErrors extends Problems {
  constructor() {
    super('error', 'nothing was written', ImportError)
  }

  /**
   * @param place the place in the file: a line, or a path such as `results[3].productId`; empty for the whole file
   * @param found the wrong value
   */
  override add(file: string, place: string, wrong: string, found?: string): void {
    const where = place === '' ? file : `${file}: ${place}`
    this.addLine(`${where}: ${wrong}${found === undefined ? '' : ` (${found})`}`.replaceAll('\n', ' '))
  }
}
