/** Counts a file's records and the wrong ones among them: a few are left out, too many end the import. */
import * as v from 'valibot'
import type { GameSlug } from '../../../src/games.ts'
import { shown } from '../../read/snapshot-problems.ts'
import type { ImportErrors } from '../errors.ts'
import type { Report } from '../report.ts'

const wrongShareMax = 0.05

export class FileRecords {
  readonly file: string
  readonly game: GameSlug | null
  readonly #errors: ImportErrors
  readonly #report: Report
  #total = 0
  #wrong = 0
  #first: readonly [place: string, wrong: string, found: string | undefined] | undefined

  constructor(file: string, game: GameSlug | null, errors: ImportErrors, report: Report) {
    this.file = file
    this.game = game
    this.#errors = errors
    this.#report = report
  }

  /** Counts a record, wrong or not. */
  count(): void {
    this.#total++
  }

  /**
   * @param place of the record in the file
   * @param isCounted false for further problems of one record
   */
  wrong(place: string, wrong: string, found?: string, isCounted = true): void {
    if (isCounted) this.#wrong++
    this.#first ??= [place, wrong, found]
    this.#report.leftOut(this.game, this.file, place, 'wrong', found === undefined ? wrong : `${wrong} (${found})`)
  }

  /** The schema's output; undefined if the record is wrong. Does not count the record. */
  check<Checked>(schema: v.GenericSchema<unknown, Checked>, record: unknown, place: string): Checked | undefined {
    const result = v.safeParse(schema, record)
    if (result.success) return result.output
    const [path, wrong, found] = issueIn(result.issues)
    this.wrong(path === null ? place : `${place}.${path}`, wrong, found)
    return undefined
  }

  /** Call it after the last record: too many wrong records are an error. */
  end(): void {
    if (this.#wrong <= this.#total * wrongShareMax) return
    const [place, wrong, found] = this.#first!
    const share = `${this.#wrong} of ${this.#total} records are wrong, more than 5 %; the first`
    this.#errors.add(this.file, place, `${wrong}${found === undefined ? '' : ` (${found})`}; ${share} is shown`)
  }
}

/** The first issue: its path in the record, what is wrong, and what was found. */
export function issueIn([issue]: v.SafeParseResult<v.GenericSchema>['issues'] & object): [
  string | null,
  string,
  string?,
] {
  const found = issue.path === undefined ? issue.input : issue.path.at(-1)!.value
  return found === undefined ? [v.getDotPath(issue), 'is missing'] : [v.getDotPath(issue), issue.message, shown(found)]
}

/**
 * Finds expected fields that no record has: the source has renamed them. Otherwise all prices would silently be unknown, or all
 * products sealed.
 */
export class ExpectedFields {
  readonly #missing: Set<string>
  #records = 0
  #file: string | undefined

  constructor(names: readonly string[]) {
    this.#missing = new Set(names)
  }

  see(record: unknown, file: string): void {
    if (this.#missing.size === 0 || typeof record !== 'object' || record === null) return
    this.#file ??= file
    this.#records++
    for (const name of this.#missing) if (name in record) this.#missing.delete(name)
  }

  /** The first file, and the fields that no record has; undefined if there is none. */
  missing(): readonly [file: string, fields: string] | undefined {
    if (this.#missing.size === 0 || this.#records < recordsMin) return undefined
    return [this.#file!, [...this.#missing].join(' and ')]
  }
}

/** Fewer records may lack a field by chance. */
const recordsMin = 20

/** Counts values that are left out too often to list each: the report has a record of each reason and value. */
export class LeftOutCounts {
  readonly #counts = new Map<string, { readonly add: (times: number) => void; times: number }>()
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  count(game: GameSlug | null, file: string, reason: string, what: string): void {
    const key = `${game}\n${reason}\n${what}`
    const known = this.#counts.get(key)
    if (known !== undefined) known.times++
    else
      this.#counts.set(key, { add: (times) => this.#report.leftOut(game, file, null, reason, what, times), times: 1 })
  }

  /** Call it once, at the end. */
  end(): void {
    for (const { add, times } of this.#counts.values()) add(times)
  }
}
