/** Draws queries like those that people type: whole names, beginnings of names, some of a name's words. */
import { drawBelow, drawFrom, type Random } from '../../test/support/random.ts'

/** Draws `count` different queries from the names, or fewer if the names do not suffice. */
export function distinctQueries(random: Random, names: readonly string[], count: number): string[] {
  const queries = new Set<string>()
  for (let attempts = 0; queries.size < count && attempts < 4 * count; attempts++) {
    const query = queryFor(random, drawFrom(random, names)).trim()
    if (query !== '') queries.add(query)
  }
  return [...queries]
}

function queryFor(random: Random, name: string): string {
  const kind = random()
  if (kind < 0.4) return name
  const signs = [...name]
  if (kind < 0.7) return signs.slice(0, 1 + drawBelow(random, signs.length)).join('')
  const words = name.split(/\s+/)
  const first = drawBelow(random, words.length)
  const some = words.slice(first, first + 1 + drawBelow(random, 3))
  const last = [...some.at(-1)!]
  // People stop typing within a word once they see the card.
  if (kind > 0.85) some[some.length - 1] = last.slice(0, 1 + drawBelow(random, last.length)).join('')
  return some.join(' ')
}
