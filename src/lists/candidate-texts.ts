/** Texts by which a person can tell the candidates of a line apart. */
import type { ListCard } from './cards.ts'

type Named = Pick<ListCard, 'name' | 'set' | 'number' | 'printing' | 'rarity'>

/**
 * Returns the name, set, number and printing of each candidate, and its rarity if another candidate equals it in these
 * four. Unknown parts are left out.
 */
export const candidateParts = (candidates: readonly Named[]): readonly (readonly string[])[] =>
  candidates.map((candidate, place) => {
    const own = partsOf(candidate)
    const isAlone = candidates.every(
      (other, i) => i === place || partsOf(other).some((part, j) => (part ?? null) !== (own[j] ?? null)),
    )
    return [...own, isAlone ? null : candidate.rarity].filter((part) => part != null)
  })

const partsOf = ({ name, set, number, printing }: Named) => [name, set, number, printing]

/** Returns a text for each candidate: `Dark Magician · Legend of Blue Eyes · LOB-005 · Ultra Rare`. */
export const candidateTexts = (candidates: readonly Named[]): readonly string[] =>
  candidateParts(candidates).map((parts) => parts.join(' · '))
