/** Long work on the pages' thread, in turns of a few milliseconds. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { html, raw } from 'hono/html'
import { pageTurnMsMax } from '../limits.ts'
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
