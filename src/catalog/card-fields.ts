/** The fields of cards in responses: the views of JSON, and CSV by RFC 4180, whose rows the build renders. */

/** The views of a card in a list: main fields, all fields, or all fields with printing, currency and external ids. */
export const views = ['summary', 'full', 'extended'] as const

export type View = (typeof views)[number]

/** The views of a card's own address. */
export const cardViews = ['full', 'extended'] as const satisfies View[]

/** The conditions of a card that may have a price, in the order of responses. */
export const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** A body as CSV. */
export class Csv {
  readonly body: Uint8Array
  /** The rows of all pages. */
  readonly total: number

  constructor(body: Uint8Array, total: number) {
    this.body = body
    this.total = total
  }

  /** A copy behind a byte order mark, by which Excel knows UTF-8. */
  marked(): Csv {
    const body = new Uint8Array(byteOrderMark.length + this.body.length)
    body.set(byteOrderMark)
    body.set(this.body, byteOrderMark.length)
    return new Csv(body, this.total)
  }
}

/** The bytes of a body in JSON, or in CSV. */
export type Body = Uint8Array | Csv

export const lineEnd = '\r\n'

const cardFields = [
  'id',
  'name',
  'game',
  'set',
  'setCode',
  'number',
  'rarity',
  'printing',
  'currency',
  'market',
  'low',
  'mid',
  'high',
  ...conditions,
  'updatedAt',
]

/** The first line of cards. The build renders the others. */
export const cardsHead = cardFields.join() + lineEnd
export const moversHead = [...cardFields, 'period', 'from', 'to', 'amount', 'percent'].join() + lineEnd

/** Spreadsheets take it for a formula, some also with full-width signs. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** A text as a field: quoted if needed (RFC 4180). A `'` before a formula makes it text. */
export function csvField(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
