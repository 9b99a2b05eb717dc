/** The problems of a snapshot, collected so that one run shows more than the first. */
import * as v from 'valibot'
import { lineBytesMax, problemsShownMax, quotedCharsMax } from '../../src/limits.ts'

/** Nothing is published; `lines` go to standard error. */
export class SnapshotError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

export class Problems {
  /** The first problems, one line each. */
  readonly shown: string[] = []
  readonly #name: string
  readonly #outcome: string
  readonly #Failure: typeof SnapshotError
  #count = 0

  constructor(name = 'problem', outcome = 'nothing was published', Failure = SnapshotError) {
    this.#name = name
    this.#outcome = outcome
    this.#Failure = Failure
  }

  get count(): number {
    return this.#count
  }

  /**
   * @param place the file's path from the snapshot folder, and the line: `cards/a.ndjson:1`. `about.json` has no line,
   * since it is one value
   * @param field a path, `prices.market`; `line` if the line as a whole is wrong
   */
  add(place: string, field: string, wrong: string, found?: string): void {
    this.addLine(`${place}: ${field}: ${wrong}${found === undefined ? '' : ` (${found})`}`)
  }

  addLine(text: string): void {
    this.#count++
    if (this.shown.length < problemsShownMax) this.shown.push(text)
  }

  /** Throws SnapshotError, or the class that the constructor got, if there is a problem. */
  check(): void {
    if (this.#count === 0) return
    const rest = this.#count - this.shown.length
    const total = `${this.#count} ${this.#name}${this.#count === 1 ? '' : 's'}${rest > 0 ? `, the first ${this.shown.length} shown` : ''}; ${this.#outcome}`
    throw new this.#Failure([...this.shown, total])
  }
}

/** A schema's issue: the field's path, the message, and the value on one line. */
export function shownIssue(issue: v.BaseIssue<unknown>): [field: string | null, wrong: string, found?: string] {
  const found = issue.path === undefined ? issue.input : issue.path.at(-1)!.value
  return found === undefined ? [v.getDotPath(issue), 'is missing'] : [v.getDotPath(issue), issue.message, shown(found)]
}

/** The length of a line is measured without its line break; the length of a CSV record, over all its lines. */
export const lineTooLong = `must be at most ${lineBytesMax} bytes`

/** A value on one line, shortened. */
export function shown(value: unknown): string {
  const text = jsonOf(value) ?? String(value)
  return text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax - 3)}…` : text
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // JSON.parse accepts any depth; JSON.stringify overflows the stack.
    return 'nested too deep to be shown'
  }
}
