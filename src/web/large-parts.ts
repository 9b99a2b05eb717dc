/**
 * Long work on the pages' thread, in turns of a few milliseconds; and parts of a page that are rendered so, to bytes. The page has a
 * mark in the place of each, which no text can have, because texts are escaped.
 */
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

export class LargeParts {
  readonly turns = new Turns()
  readonly #parts: Buffer[] = []

  async rows<Row>(rows: readonly Row[], render: (row: Row) => unknown): Promise<Html> {
    const rendered: Buffer[] = []
    for (const row of rows) {
      rendered.push(Buffer.from(String(render(row))))
      await this.turns.pause()
    }
    this.#parts.push(Buffer.concat(rendered))
    return raw(`<!--part ${this.#parts.length - 1}-->`) as Html
  }

  /** A text, escaped line by line. */
  text = (text: string): Promise<Html> => this.rows(text.split(/(?<=\n)/), (line) => html`${line}`);

  /** The page with its parts. */
  async in(page: Response): Promise<Response> {
    const pieces = (await page.text()).split(/<!--part (\d+)-->/)
    const bytes = pieces.map((piece, i) => (i % 2 === 0 ? Buffer.from(piece) : this.#parts[Number(piece)]!))
    return new Response(Buffer.concat(bytes), { status: page.status, headers: page.headers })
  }
}
