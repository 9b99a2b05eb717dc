/** Values a whole list at once, for the client package and for assistants. */
import type { ListCard } from './cards.ts'
import type { Column } from './columns.ts'
import type { ReadList } from './read-list.ts'
import { noLines, plus, type Totals, totalsOf } from './totals.ts'
import { type Ask, type AskOptions, type ValuedLine, valuesOf } from './values.ts'

export interface ValuedList<Card extends ListCard = ListCard> extends Totals {
  /** The number of lines that were skipped because they are no cards. */
  readonly headings: number
  /** The columns of a CSV with a header, and how each was read. */
  readonly columns: readonly Column[]
  readonly lines: readonly ValuedLine<Card>[]
}

/**
 * If `ask` throws an error, this function throws it, too. Its `found` then has the list as far as it was valued.
 * @param onDone called with the number of lines that need no further question
 */
export async function valueList<Card extends ListCard>(
  { lines, columns, headings }: ReadList,
  ask: Ask<Card>,
  onDone: (done: number) => void = () => undefined,
  options: Pick<AskOptions, 'games'> = {},
): Promise<ValuedList<Card>> {
  const listOf = (valued: readonly ValuedLine<Card>[]): ValuedList<Card> => ({
    ...totalsOf(plus(noLines, valued), columns),
    headings,
    columns: columns.map(({ column, field, sure }) => ({ column, field, sure })),
    lines: valued,
  })
  const all: ValuedLine<Card>[] = []
  try {
    for await (const valued of valuesOf(lines, ask, { onDone, ...options })) all.push(...valued)
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { found: listOf((error as { found?: [] }).found ?? []) })
    throw error
  }
  return listOf(all)
}
