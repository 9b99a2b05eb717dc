/**
 * Parts of a page that are too large to be rendered with it at once. Each is rendered in turns, to bytes. The page has a mark in its
 * place, which no text can have, because texts are escaped.
 */
import { raw } from 'hono/html'
import type { Html } from './pages/frame.ts'
import { Turns } from './turns.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const sliceChars = 8192

export class LargeParts {
  readonly turns = new Turns()
  readonly #parts: Buffer[] = []

  async rows<Row>(rows: readonly Row[], render: (row: Row) => unknown): Promise<Html> {
    const rendered: Buffer[] = []
    for (const row of rows) {
      rendered.push(Buffer.from(`${render(row)}\n`))
      await this.turns.pause()
    }
    return this.#add(rendered)
  }

  async text(text: string): Promise<Html> {
    const escaped: Buffer[] = []
    for (let from = 0; from < text.length; ) {
      let to = from + sliceChars
      // Not between the halves of a surrogate pair.
      if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to++
      escaped.push(Buffer.from(text.slice(from, to).replace(/[&<>"']/g, (sign) => escapes[sign]!)))
      from = to
      await this.turns.pause()
    }
    return this.#add(escaped)
  }

  #add(rendered: readonly Buffer[]): Html {
    this.#parts.push(Buffer.concat(rendered))
    return raw(mark(this.#parts.length - 1)) as Html
  }

  /** The page with its parts. */
  async in(page: Response): Promise<Response> {
    const pieces = (await page.text()).split(/<!--part (\d+)-->/)
    const bytes = pieces.map((piece, i) => (i % 2 === 0 ? Buffer.from(piece) : this.#parts[Number(piece)]!))
    return new Response(Buffer.concat(bytes), { status: page.status, headers: page.headers })
  }
}

const mark = (part: number): string => `<!--part ${part}-->`
