/** Sorts the candidates of an ambiguous line, so that the candidates that agree with most of the line come first. */
import type { ListCard } from '../../lists/cards.ts'
import type { ListLine } from '../../lists/match-questions.ts'
import { foldName } from '../../names/fold.ts'

/** Returns the sorted candidates. Candidates that agree equally keep their order, which is that of a search. */
export function nearestFirst<Card extends ListCard>(candidates: readonly Card[], line: ListLine): readonly Card[] {
  if (candidates.length < 2) return candidates
  const said = saidBy(line)
  const nearness = new Map(candidates.map((card) => [card, agreements(card, said)]))
  return candidates.toSorted((a, b) => nearness.get(b)! - nearness.get(a)!)
}

interface SaidFolded {
  readonly names: ReadonlySet<string>
  readonly sets: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly printing: string | undefined
  readonly rarity: string | undefined
}

/** Collects what a line says, in all ways in which it can be read. */
function saidBy({ questions, said }: ListLine): SaidFolded {
  const all = (texts: readonly (string | null | undefined)[]) =>
    new Set(texts.filter((text) => text != null && text !== '').map((text) => foldName(text!)))
  const [{ printing, rarity } = {}] = questions
  return {
    names: all(questions.map(({ name }) => name)),
    sets: all([...questions.map(({ set }) => set), said.set, said.setCode]),
    numbers: all(questions.map(({ number }) => number)),
    printing: printing == null ? (said.not === undefined ? undefined : 'normal') : foldName(printing),
    rarity: rarity == null ? undefined : foldName(rarity),
  }
}

/** Returns how many of these statements the card agrees with. */
function agreements(card: ListCard, { names, sets, numbers, printing, rarity }: SaidFolded): number {
  const agreed = [
    names.has(foldName(card.name)),
    sets.has(foldName(card.set)) || sets.has(foldName(card.setCode)),
    card.number !== null && numbers.has(foldName(card.number)),
    printing !== undefined && card.printing != null && foldName(card.printing) === printing,
    rarity !== undefined && card.rarity !== null && foldName(card.rarity) === rarity,
  ]
  return agreed.filter(Boolean).length
}
