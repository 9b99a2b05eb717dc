/**
 * Checks the lines of sets and cards as the build does, before they are written. One wrong record of a publisher must
 * not stop a build. A line that the build would reject is left out, counted and reported.
 */
import * as v from 'valibot'
import { lineBytesMax } from '../../../src/limits.ts'
import type { FolderGames } from '../../games/folder-games.ts'
import { lineTooLong } from '../../read/snapshot-problems.ts'
import { cardSchemaOf, setSchemaOf } from '../../read/snapshot-schema.ts'
import type { Report } from '../import-report.ts'
import { type ComposedCard, type ComposedSet, isSealed } from '../source-catalog.ts'
import { recordOf } from './compose.ts'
import { isPriced } from './plausibility.ts'

/**
 * Returns two generators: one for the lines of a file of sets, one for the lines of a file of cards. Check all sets
 * before the first card.
 * @param onCard gets each card that is not left out
 */
export function lineCheck(report: Report, games: FolderGames, onCard: (card: ComposedCard) => void) {
  const [setSchema, cardSchema] = [setSchemaOf(games), cardSchemaOf(games)]
  /** Sets as `game code`. */
  const setsLeftOut = new Set<string>()
  return {
    *sets(file: string, sets: readonly ComposedSet[]): Generator<string> {
      for (const set of sets) {
        const { game, code } = set
        const line = JSON.stringify(set)
        const wrong = problemOf(line, set, setSchema)
        if (wrong === undefined) {
          report.game(game).sets++
          yield line
        } else {
          setsLeftOut.add(`${game} ${code}`)
          report.leftOut({ game, file, reason: wrong, record: code })
        }
      }
    },
    *cards(file: string, cards: readonly ComposedCard[]): Generator<string> {
      for (const card of cards) {
        const { game, id, setCode, prices } = card
        const record = recordOf(card)
        const line = JSON.stringify(record)
        const isLeftOut = setsLeftOut.has(`${game} ${setCode}`)
        const wrong = isLeftOut ? 'its set is left out' : problemOf(line, record, cardSchema)
        if (wrong === undefined) {
          const counts = report.game(game)
          counts.cards++
          if (isSealed(card)) counts.sealed++
          if (isPriced(prices)) counts.prices++
          onCard(card)
          yield line
        } else report.leftOut({ game, file, reason: wrong, record: id })
      }
    },
  }
}

type LineSchema = ReturnType<typeof setSchemaOf> | ReturnType<typeof cardSchemaOf>

function problemOf(line: string, record: object, schema: LineSchema): string | undefined {
  if (Buffer.byteLength(line) > lineBytesMax) return `line ${lineTooLong}`
  const { issues } = v.safeParse<LineSchema>(schema, record, { abortEarly: true })
  if (issues === undefined) return undefined
  // The name of a grade is dropped, since it could be anything, and records are counted by reason.
  const field = v.getDotPath(issues[0])!.split('.').slice(0, 2).join('.')
  return `${field} ${issues[0].message}`
}
