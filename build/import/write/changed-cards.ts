/** Cards that changed since a source's last import. */
import type { CatalogSource, SourceCard, SourceCatalog } from '../catalog.ts'
import { gameOf, type Ids } from '../ids.ts'
import type { Report } from '../report.ts'

/** Of the last import, by id. */
export function cardsById(source: CatalogSource | null, { cards }: SourceCatalog, ids: Ids): Map<string, SourceCard> {
  if (source === null) return new Map()
  return new Map(cards.map((card) => [ids.idOf(source, card.key)!, card]))
}

const comparedFields = ['set', 'name', 'number', 'rarity', 'image', 'market', 'low', 'mid', 'high'] as const

/**
 * Reports cards that are new, were changed or renamed, or are gone since the source's last import.
 * @param ids of the cards
 * @param earlier the last import's, by id; cards that still exist are removed from it
 */
export function reportChanges(
  { cards }: SourceCatalog,
  ids: readonly string[],
  earlier: Map<string, SourceCard>,
  report: Report,
): void {
  cards.forEach((card, i) => {
    const { game, name } = card
    const id = ids[i]!
    const before = earlier.get(id)
    if (before === undefined) {
      report.game(game).added++
      return
    }
    if (comparedFields.some((field) => before[field] !== card[field])) report.game(game).changed++
    if (before.name !== name) report.change('renamed', game, id, `was ${before.name}, is ${name}`)
    earlier.delete(id)
  })
  for (const [id, { name }] of earlier) report.change('gone', gameOf(id), id, `the source no longer has ${name}`)
}
