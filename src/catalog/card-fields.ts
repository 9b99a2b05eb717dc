/** The fields of cards in responses. JSON has several views. CSV follows RFC 4180, and the build renders its rows. */

/** The views of a card in a list: main fields, all fields, or all fields with printing, currency and external ids. */
export const views = ['summary', 'full', 'extended'] as const

export type View = (typeof views)[number]

/** The views of a single card. */
export const cardViews = ['full', 'extended'] as const satisfies View[]

/** The conditions in which a card may have a price, in the order of responses. */
export const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** A body as CSV. */
export class Csv {
  readonly body: Uint8Array
  /** The number of rows of all pages together. */
  readonly total: number

  constructor(body: Uint8Array, total: number) {
    this.body = body
    this.total = total
  }

  /** A copy with a byte order mark before it. The mark tells Excel that the text is UTF-8. */
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

/** The header line of cards. The build renders the other lines. */
export const cardsHead = cardFields.join() + lineEnd
export const moversHead = [...cardFields, 'period', 'from', 'to', 'amount', 'percent'].join() + lineEnd

/**
 * Spreadsheets interpret a text that starts with one of these signs as a formula. Some do so even for the full-width
 * signs.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * The text as a field of CSV, in quotation marks if needed (RFC 4180). A text that looks like a formula gets a `'`
 * before it.
 */
export function csvField(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
