/**
 * Checks the lines of sets and cards as the build does, before they are written: one record of a publisher must not stop a build. A
 * line that the build would reject is left out, counted and reported.
 */
import * as v from 'valibot'
import { lineBytesMax } from '../../../src/limits.ts'
import { lineTooLong } from '../../read/snapshot-problems.ts'
import { cardSchema, setSchema } from '../../read/snapshot-schema.ts'
import { type ComposedCard, type ComposedSet, isSealed } from '../catalog.ts'
import type { Report } from '../report.ts'
import { recordOf } from './compose.ts'
import { isPriced } from './plausibility.ts'

export class LineCheck {
  readonly #report: Report
  /** By `game code`. */
  readonly #setsLeftOut = new Set<string>()

  constructor(report: Report) {
    this.#report = report
  }

  /** The lines of a file of sets. Check all sets before the first card. */
  *sets(file: string, sets: readonly ComposedSet[]): Generator<string> {
    for (const set of sets) {
      const { game, code } = set
      const line = JSON.stringify(set)
      const wrong = problemOf(line, set, setSchema)
      if (wrong === undefined) {
        this.#report.game(game).sets++
        yield line
      } else {
        this.#setsLeftOut.add(`${game} ${code}`)
        this.#report.leftOut(game, file, null, wrong, code)
      }
    }
  }

  /** The lines of a file of cards. */
  *cards(file: string, cards: readonly ComposedCard[]): Generator<string> {
    for (const card of cards) {
      const { game, id, setCode, prices } = card
      const record = recordOf(card)
      const line = JSON.stringify(record)
      const hasSet = this.#setsLeftOut.size === 0 || !this.#setsLeftOut.has(`${game} ${setCode}`)
      const wrong = hasSet ? problemOf(line, record, cardSchema) : 'its set is left out'
      if (wrong === undefined) {
        const counts = this.#report.game(game)
        counts.cards++
        if (isSealed(card)) counts.sealed++
        if (isPriced(prices)) counts.prices++
        yield line
      } else this.#report.leftOut(game, file, null, wrong, id)
    }
  }
}

function problemOf(line: string, record: object, schema: typeof setSchema | typeof cardSchema): string | undefined {
  if (Buffer.byteLength(line) > lineBytesMax) return `line ${lineTooLong}`
  const { issues } = v.safeParse<typeof setSchema | typeof cardSchema>(schema, record, { abortEarly: true })
  if (issues === undefined) return undefined
  // Without the grade, which could be anything: reasons are counted.
  const field = v.getDotPath(issues[0])!.split('.').slice(0, 2).join('.')
  return `${field} ${issues[0].message}`
}
