/** The history day of a mirror: the prices of its cards. */
import type { SourceCard, SourceHistory } from '../source.ts'
import { unknownCents } from '../source.ts'

/**
 * @param staying how many cards of before stand before the cards in the catalog; rows of the day that they have already are
 *   not replaced
 */
export function dayHistory(day: string, cards: readonly SourceCard[], staying: number): SourceHistory {
  let stays: (id: string) => boolean
  const column = (pick: (card: SourceCard) => number | null): Int32Array =>
    Int32Array.from(cards, (card) => pick(card) ?? unknownCents)
  return {
    ids: (given) => {
      const stayingIds = new Set(given.slice(0, staying))
      stays = (id) => stayingIds.has(id)
      return given.slice(staying)
    },
    *days() {
      yield {
        day,
        market: column(({ market }) => market),
        low: column(({ low }) => low),
        high: column(({ high }) => high),
      }
    },
    staying: staying === 0 ? null : (id) => stays(id),
  }
}
