/** Tells whether a candidate may have the printing that a question names. Candidates may have other printings, too. */
import type { ListCard } from './cards.ts'

const inBrackets = /[([]([^()[\]]+)[)\]]/g
const words = new Map(Object.entries({ holo: 'holofoil', first: '1st', ed: 'edition' }))
/** The beginnings of printings that name one kind of foil, and so mean no other kind. */
const ownFoils = /^(?:holofoil|reverse|1st|unlimited)/

/**
 * True if the card may have the printing that a question names, or if the question names none. `foil`, and a foil of
 * some products such as `Cold Foil`, may mean any foil.
 * @param asked the question's printing
 */
export function hasPrinting({ name, printing }: ListCard, asked: string | null | undefined): boolean {
  if (asked == null) return true
  const key = keyOf(asked)
  const isAnyFoil = key.includes('foil') && !ownFoils.test(key)
  const own = [printing ?? '', ...[...name.matchAll(inBrackets)].map(([, inner]) => inner!)]
  return own.map(keyOf).some((one) => one.startsWith(key) || (isAnyFoil && /foil|^reverse$/.test(one)))
}

/** Returns the text by which a printing is compared. All names of the reverse printing give `reverse`. */
function keyOf(printing: string): string {
  const all = printing.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (all[0] === 'reverse') return 'reverse'
  return all.map((word) => words.get(word) ?? word).join(' ')
}
