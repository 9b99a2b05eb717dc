/**
 * Cards as CSV by RFC 4180, a row a card, made of their JSON. A text that a spreadsheet would run as a formula gets an
 * apostrophe.
 */
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

/** The fields in their order; those of a mover follow. */
const cardFields = [
  ...['id', 'name', 'game', 'set', 'setCode', 'number', 'rarity', 'printing', 'currency'],
  ...['market', 'low', 'mid', 'high', ...conditions, 'updatedAt'],
]
const moverFields = [...cardFields, 'period', 'from', 'to', 'amount', 'percent']

interface Card {
  readonly prices: { readonly conditions: object }
}

/**
 * @param cards the body of a card or of a page of cards, in the extended view
 * @param movers the body of the same page of movers
 */
export function cardsCsv(cards: Uint8Array, movers?: Uint8Array): Csv {
  const { data, total = 1 }: { data: Card | readonly Card[]; total?: number } = parsed(cards)
  const moved: readonly { readonly change: object }[] = movers === undefined ? [] : parsed(movers).data
  const fields = movers === undefined ? cardFields : moverFields
  const rows = [data].flat().map((card, i) => {
    const values: Record<string, unknown> = { ...card, ...card.prices, ...card.prices.conditions, ...moved[i]?.change }
    return fields.map((field) => cellOf(values[field])).join()
  })
  return new Csv(Buffer.from([fields.join(), ...rows, ''].join('\r\n')), total)
}

const parsed = ({ buffer, byteOffset, length }: Uint8Array) =>
  JSON.parse(Buffer.from(buffer, byteOffset, length).toString())

const cellOf = (value: unknown): string => (typeof value === 'string' ? csvField(value) : String(value ?? ''))

/** A text as a field. One that a spreadsheet would take for a formula gets a `'` before it. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
