/** Cards as CSV by RFC 4180: a row a card, which the build renders. */
import { conditions } from './views.ts'

/** A body as CSV. */
export class Csv {
  readonly body: Uint8Array
  /** The rows of all pages. */
  readonly total: number

  constructor(body: Uint8Array, total: number) {
    this.body = body
    this.total = total
  }
}

/** The bytes of a body in JSON, or in CSV. */
export type Body = Uint8Array | Csv

export const lineEnd = '\r\n'

const cardFields = [
  ...['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity', 'printing', 'currency'],
  ...['market', 'low', 'mid', 'high', ...conditions, 'updatedAt'],
]

/** The first line of cards. The build renders the others. */
export const cardsHead = cardFields.join() + lineEnd
export const moversHead = [...cardFields, 'period', 'from', 'to', 'amount', 'percent'].join() + lineEnd

/** A text as a field. One that a spreadsheet would take for a formula gets a `'` before it. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
