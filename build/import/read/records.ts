/** Counts a file's records and those that are wrong: some are left out, too many end the import. */
import * as v from 'valibot'
import type { GameSlug } from '../../../src/games.ts'
import { shown } from '../../read/problems.ts'
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
  count(records = 1): void {
    this.#total += records
  }

  /**
   * @param place of the record in the file
   * @param isCounted whether this is the first that is wrong in the record
   */
  wrong(place: string, wrong: string, found?: string, isCounted = true): void {
    if (isCounted) this.#wrong++
    this.#first ??= [place, wrong, found]
    this.#report.leftOut(this.game, this.file, place, 'wrong', found === undefined ? wrong : `${wrong} (${found})`)
  }

  /** The record as the schema gives it; undefined if it is wrong. Does not count it. */
  check<Checked>(schema: v.GenericSchema<unknown, Checked>, record: unknown, place: string): Checked | undefined {
    const result = v.safeParse(schema, record)
    if (result.success) return result.output
    const [issue] = result.issues
    const path = v.getDotPath(issue)
    const found = issue.path === undefined ? issue.input : issue.path.at(-1)!.value
    const where = path === null ? place : `${place}.${path}`
    if (found === undefined) this.wrong(where, 'is missing')
    else this.wrong(where, issue.message, shown(found))
    return undefined
  }

  /** When the file was read: a fault if too many records were wrong. */
  end(): void {
    if (this.#wrong <= this.#total * wrongShareMax) return
    const [place, wrong, found] = this.#first!
    const share = `${this.#wrong} of ${this.#total} records are wrong, more than 5 %; the first`
    this.#errors.add(this.file, place, `${wrong}${found === undefined ? '' : ` (${found})`}; ${share} is told here`)
  }
}
