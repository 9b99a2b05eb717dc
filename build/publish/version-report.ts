/** The report of a build: what changed from the current version to the version that the build publishes. */

import { moverCentsDefault } from '../../src/api/parameters.ts'
import { percentTenths } from '../../src/indexes/changes-file.ts'
import { noPrice } from '../../src/indexes/lists-file.ts'
import {
  type Comparison,
  type Report,
  type ReportedCard,
  type ReportedMove,
  reportListMax,
  reportMovesMax,
  reportText,
} from '../../src/indexes/report-file.ts'
import { type CurrentVersion, type readCurrentVersion, setName } from '../compile/base.ts'
import type { Catalog } from '../compile/catalog-files.ts'
import type { Card } from '../compile/compiled-cards.ts'

/** @param version the name of the new version */
export function compareWith(
  current: Awaited<ReturnType<typeof readCurrentVersion>>,
  now: Catalog,
  version: string,
): Report {
  if (current === undefined) return { base: null, reason: 'first' }
  if ('unknown' in current) return { base: null, reason: 'unreadable' }
  return current.manifest.version === version ? { base: null, reason: 'same' } : compare(current, now)
}

/** Two known prices in cents, and the change in tenths of a percent. */
interface Move {
  readonly card: Card
  readonly before: number
  readonly price: number
  readonly tenths: number
}

/** Compares all cards in one pass. */
function compare(base: CurrentVersion, { games: { slugs }, cards, sets }: Catalog): Comparison {
  const byGame = slugs.map(() => ({ now: 0, added: 0, changed: 0 }))
  const cardCounts = new Uint32Array(sets.length)
  const added: Card[] = []
  const unpriced: Pick<Move, 'card' | 'before'>[] = []
  const [up, down]: [Move[], Move[]] = [[], []]
  const counts = { added: 0, unpriced: 0 }
  for (const card of cards) {
    cardCounts[card.setNumber]!++
    const ofGame = byGame[card.game]!
    ofGame.now++
    const index = base.ids.get(card.id)
    if (index === undefined) {
      ofGame.added++
      if (counts.added++ < reportListMax) added.push(card)
      continue
    }
    const before = base.markets[index]!
    const price = card.market ?? noPrice
    if (before === price) continue
    ofGame.changed++
    if (price === noPrice && counts.unpriced++ < reportListMax) unpriced.push({ card, before })
    if (before === noPrice || price === noPrice || before < moverCentsDefault || price < moverCentsDefault) continue
    addMove(price > before ? up : down, { card, before, price, tenths: percentTenths(before, price) })
  }
  const described = ({ id, name, setNumber, number }: Card) => cardOf(id, name, sets[setNumber]!.name, number)
  const moved = (moves: readonly Move[]): ReportedMove[] =>
    moves.map(({ card, before, price, tenths }) => ({
      ...described(card),
      before: before / 100,
      price: price / 100,
      percent: tenths / 10,
    }))
  const newSets = [...sets.entries()].filter(([, { game, code }]) => !base.sets.has(setName(slugs[game]!, code)))
  const gone = [...base.cardsByGame.keys()].filter((slug) => !slugs.includes(slug))
  const games = [...slugs, ...gone].flatMap((slug, game) => {
    const { now, added, changed } = byGame[game] ?? { now: 0, added: 0, changed: 0 }
    const before = base.cardsByGame.get(slug) ?? 0
    return before + now === 0 ? [] : [{ game: slug, new: added, gone: before - (now - added), changed }]
  })
  return {
    base: { version: base.manifest.version, asOf: base.manifest.asOf },
    games,
    newCards: {
      count: counts.added,
      first: added.map((card) => ({ ...described(card), price: card.market === null ? null : card.market / 100 })),
    },
    goneCards: { count: games.reduce((sum, { gone }) => sum + gone, 0), first: base.goneCards.map(goneCard) },
    newSets: {
      count: newSets.length,
      first: newSets.slice(0, reportListMax).map(([set, { game, code, name, releaseDate }]) => ({
        game: slugs[game]!,
        code: reportText(code),
        name: reportText(name),
        releaseDate,
        cards: cardCounts[set]!,
      })),
    },
    unpricedCards: {
      count: counts.unpriced,
      first: unpriced.map(({ card, before }) => ({ ...described(card), before: before / 100 })),
    },
    up: moved(up),
    down: moved(down),
  }
}

/**
 * Adds a move to the largest moves, which are sorted by size, largest first. Equal moves keep the order in which they
 * were added.
 */
function addMove(largest: Move[], move: Move): void {
  const size = Math.abs(move.tenths)
  if (largest.length === reportMovesMax && size <= Math.abs(largest.at(-1)!.tenths)) return
  const place = largest.findIndex(({ tenths }) => Math.abs(tenths) < size)
  largest.splice(place === -1 ? largest.length : place, 0, move)
  if (largest.length > reportMovesMax) largest.pop()
}

const goneCard = ({ id, name, set, number, prices }: CurrentVersion['goneCards'][number]): ReportedCard => ({
  ...cardOf(id, name, set, number),
  price: prices.market,
})

const cardOf = (id: string, name: string, set: string, number: string | null) => ({
  id,
  name: reportText(name),
  set: reportText(set),
  number: number === null ? null : reportText(number),
})
