/** Values a list by the version that the pages show, and writes it as CSV: in turns of a few milliseconds, because others wait. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { html, raw } from 'hono/html'
import { type ListLine, type ReadList, readList } from '../../clients/typescript/src/list.ts'
import { priceOf, type Totals, totalsOf, type ValuedLine, valueLines } from '../../clients/typescript/src/valuation.ts'
import type { Dataset } from '../api/dataset.ts'
import { csvField } from '../catalog/card-fields.ts'
import { pageTurnMsMax } from '../limits.ts'
import { matchOf } from './card-data.ts'
import type { Html } from './site.ts'

export class Turns {
  #since = performance.now()

  /** Waits if this turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < pageTurnMsMax) return
    await nextTurn()
    this.#since = performance.now()
  }
}

export async function rowsInTurns<Row>(
  rows: readonly Row[],
  render: (row: Row) => unknown,
  turns: Turns,
): Promise<Html> {
  let rendered = ''
  for (const row of rows) {
    rendered += String(render(row))
    await turns.pause()
  }
  return raw(rendered) as Html
}

/** A text, escaped line by line. */
export const textInTurns = (text: string, turns: Turns): Promise<Html> =>
  rowsInTurns(text.split(/(?<=\n)/), (line) => html`${line}`, turns)

/** @param game of lines that name none. Undefined if there are more lines than `max`. */
export async function linesIn(
  text: string,
  game: string | undefined,
  max: number,
  turns: Turns,
): Promise<ReadList | undefined> {
  const steps = readList(text, { game })
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) {
    if (step.value > max) return undefined
    await turns.pause()
  }
  return step.value
}

/** @param choices by line, the id of the candidate that is meant */
export async function valuedIn(
  data: Dataset,
  read: ReadList,
  choices: ReadonlyMap<number, string>,
  turns: Turns,
): Promise<{ readonly totals: Totals; readonly lines: readonly ValuedLine[] }> {
  const { lines } = await valueLines(read, async (questions) => {
    const matches = []
    for (const question of questions) {
      matches.push(matchOf(data, question))
      await turns.pause()
    }
    return matches
  })
  const chosen = lines.map((line, i) => chosenIn(line, read.lines[i]!, choices.get(line.line)))
  return { totals: totalsOf(chosen, read.columns), lines: chosen }
}

function chosenIn(line: ValuedLine, listed: ListLine, id: string | undefined): ValuedLine {
  const card = id === undefined ? undefined : line.candidates.find((candidate) => candidate.id === id)
  return card === undefined ? line : { ...line, card, ...priceOf(card, listed, line.quantity) }
}

/** It begins with a byte order mark: without one, Excel reads UTF-8 as the Windows encoding. */
export const csvHead = '\ufeffline,quantity,name,set,number,printing,condition,unit price,amount,currency,match,id,text'

/** A line of RFC 4180 that a spreadsheet opens without running anything in it. */
export function csvRow({ line, quantity, card, condition, unitPrice, amount, match, text }: ValuedLine): string {
  const cells = [
    `${line}`,
    `${quantity}`,
    ...[card?.name, card?.set, card?.number, card?.printing, condition].map(textCell),
    unitPrice?.toFixed(2) ?? '',
    amount?.toFixed(2) ?? '',
    ...[card?.currency, match, card?.id, text].map(textCell),
  ]
  return cells.join(',')
}

const textCell = (text: string | null | undefined): string => csvField(text ?? '')
