/** The value of a whole list at once: the client's sums, and the assistants'. */
import type { ListCard } from './cards.ts'
import type { Column } from './columns.ts'
import type { ReadList } from './read-list.ts'
import { noLines, plus, type Totals, totalsOf } from './totals.ts'
import { type Ask, type AskOptions, type ValuedLine, valuesOf } from './values.ts'

export interface ValuedList<Card extends ListCard = ListCard> extends Totals {
  /** Section headings that were passed over. */
  readonly headings: number
  /** Of a CSV with a header: how each was read. */
  readonly columns: readonly Column[]
  readonly lines: readonly ValuedLine<Card>[]
}

/**
 * Throws what `ask` throws, with the list as far as it was valued in its `found`.
 * @param onDone gets the number of lines that need no further question
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
