/**
 * Counts a file's records, and the wrong records among them. A few wrong records are left out; too many end the import.
 */
import * as v from 'valibot'
import type { GameSlug } from '../../../src/games.ts'
import { shownIssue } from '../../read/snapshot-problems.ts'
import type { ImportErrors } from '../import-errors.ts'
import type { Report } from '../import-report.ts'

const wrongShareMax = 0.05

/** The lists of an import's errors and records. */
export interface Reporting {
  readonly errors: ImportErrors
  readonly report: Report
}

export class FileRecords {
  readonly file: string
  readonly game: GameSlug | null
  readonly errors: ImportErrors
  readonly report: Report
  #total = 0
  #wrong = 0
  /** True if the last counted record is wrong. */
  #isWrong = false
  #first: readonly [place: string, wrong: string] | undefined

  constructor(file: string, game: GameSlug | null, { errors, report }: Reporting) {
    this.file = file
    this.game = game
    this.errors = errors
    this.report = report
  }

  /** Counts a record, wrong or not. */
  count(): void {
    this.#total++
    this.#isWrong = false
  }

  /**
   * Lists one problem of the current record. A record with several problems is one wrong record.
   * @param place the record's place in the file
   */
  wrong(place: string, wrong: string, found?: string): void {
    if (!this.#isWrong) this.#wrong++
    this.#isWrong = true
    const text = found === undefined ? wrong : `${wrong} (${found})`
    this.#first ??= [place, text]
    this.leftOut(place, 'wrong', text)
  }

  leftOut(place: string, reason: string, record: string, times = 1): void {
    this.report.leftOut({ ...this.#located(reason, record), place }, times)
  }

  leftOutOften(reason: string, record: string): void {
    this.report.leftOutOften(this.#located(reason, record))
  }

  doubtful(place: string, reason: string, record: string): void {
    this.report.doubtful({ ...this.#located(reason, record), place })
  }

  #located(reason: string, record: string) {
    return { game: this.game, file: this.file, reason, record }
  }

  /** Returns the schema's output; undefined if the record is wrong. This does not count the record. */
  check<Checked>(schema: v.GenericSchema<unknown, Checked>, record: unknown, place: string): Checked | undefined {
    const result = v.safeParse(schema, record)
    if (result.success) return result.output
    const [path, wrong, found] = shownIssue(result.issues[0])
    this.wrong(path === null ? place : `${place}.${path}`, wrong, found)
    return undefined
  }

  /** Call this after the last record. It adds an error if too many records are wrong. */
  end(): void {
    if (this.#wrong <= this.#total * wrongShareMax) return
    const [place, wrong] = this.#first!
    const share = `${this.#wrong} of ${this.#total} records are wrong, more than 5 %; the first`
    this.errors.add(this.file, place, `${wrong}; ${share} is shown`)
  }
}

/** If a file has fewer records, all of them may lack a field by chance. */
const recordsMin = 20

/**
 * Finds expected fields that no record has. The source has then renamed the field. Without this check, all prices could
 * silently become unknown, or all products sealed.
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

  /** Adds an error for fields that no record has: `no price of the mirror has marketPrice`. */
  check(what: string, place: string, errors: ImportErrors): void {
    if (this.#missing.size > 0 && this.#records >= recordsMin)
      errors.add(this.#file!, place, `no ${what} has ${[...this.#missing].join(' and ')}`)
  }
}
