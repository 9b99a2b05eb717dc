/** The history day of a mirror: the prices of its cards. */
import type { SourceCard, SourceHistory } from '../source.ts'
import { unknownCents } from '../source.ts'

/** @param staying cards whose rows of the day, if there are any, are not replaced */
export function dayHistory(day: string, cards: readonly SourceCard[], staying: readonly SourceCard[]): SourceHistory {
  let stays: (id: string) => boolean
  const column = (pick: (card: SourceCard) => number | null): Int32Array =>
    Int32Array.from(cards, (card) => pick(card) ?? unknownCents)
  return {
    ids: (idOf) => {
      const stayingIds = new Set(staying.map(idOf))
      stays = (id) => stayingIds.has(id)
      return cards.map(idOf)
    },
    *days() {
      yield {
        day,
        market: column(({ market }) => market),
        low: column(({ low }) => low),
        high: column(({ high }) => high),
      }
    },
    staying: staying.length === 0 ? null : (id) => stays(id),
  }
}
