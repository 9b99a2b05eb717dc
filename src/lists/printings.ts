/** Whether a candidate may have the printing that a question asks for: `match` lists cards of other printings, too. */
import type { ListCard } from './cards.ts'

const inBrackets = /[([]([^()[\]]+)[)\]]/g
const words = new Map(Object.entries({ holo: 'holofoil', first: '1st', ed: 'edition' }))
/** Names of foils of their own, which `foil` and the finishes of single products may not mean. */
const ownFoils = /^(?:holofoil|reverse|1st|unlimited)/

/** True if the question asks for no printing. `foil`, and a foil that only some products have, may mean any foil. */
export function hasPrinting({ name, printing }: ListCard, asked: string | null | undefined): boolean {
  if (asked == null) return true
  const key = keyOf(asked)
  const isAnyFoil = key.includes('foil') && !ownFoils.test(key)
  const own = [printing ?? '', ...[...name.matchAll(inBrackets)].map(([, inner]) => inner!)]
  return own.map(keyOf).some((one) => one.startsWith(key) || (isAnyFoil && /foil|^reverse$/.test(one)))
}

/** Every name of the reverse printing is `reverse`. */
function keyOf(printing: string): string {
  const all = printing.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (all[0] === 'reverse') return 'reverse'
  return all.map((word) => words.get(word) ?? word).join(' ')
}
