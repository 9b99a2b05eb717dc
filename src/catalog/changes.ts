/** Renders price changes from the columns of the changes file. */
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { readCardsPart } from '../indexes/cards-file.ts'
import { type ChangesFile, change, changesFileName, readChangesFile } from '../indexes/changes-file.ts'
import { noPrice } from '../indexes/lists-file.ts'
import { isKnown, percentTenths, periods, rangeDays } from '../indexes/price-change.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/version.ts'
import { partCards, partCardsShift, searchLimitMax } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items, Literal, SharedText } from './answer-buffer.ts'

const literal = {
  cardId: new Literal('{"data":{"cardId":"'),
  changes: new Literal(',"changes":{'),
  ofPeriod: periods.map(({ name }, period) => new Literal(`${period === 0 ? '' : ','}"${name}":`)),
  ofMover: periods.map(({ name }) => new Literal(`,"change":{"period":"${name}","from":`)),
  from: new Literal('{"from":'),
  to: new Literal(',"to":'),
  amount: new Literal(',"amount":'),
  percent: new Literal(',"percent":'),
  high: new Literal('},"high":'),
  low: new Literal(',"low":'),
  unknown: new Literal('null'),
  end: new Literal('}'),
  endOfMover: new Literal('}}'),
  comma: new Literal(','),
}

export class Changes {
  readonly #changes: ChangesFile['changes']
  /** The text between the id and the market price. */
  readonly #asOf: Literal
  /** The start of an extreme, by its days before the newest. */
  readonly #extremes: readonly Literal[]
  readonly #summaries: readonly { readonly source: SharedText; readonly at: Uint32Array }[]
  readonly #items = new Items(searchLimitMax)
  readonly #answer = new AnswerBuffer()

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    const { asOf } = version.manifest
    this.#changes = readChangesFile(fileOf(version, changesFileName)).changes
    this.#asOf = new Literal(`","asOf":${JSON.stringify(asOf)},"market":`)
    const newestDay = asOf === null ? 0 : dayOfDate(asOf)
    const extremeOf = (days: number) => new Literal(`{"date":"${dateOfDay(newestDay - days)}","market":`)
    this.#extremes = Array.from({ length: rangeDays }, (_, days) => extremeOf(days))
    this.#summaries = partsOf(version, 'cards').map((part) => {
      const { bytes, at } = readCardsPart(part).summaries
      return { source: new SharedText(bytes), at }
    })
  }

  /** The body of a card's changes, valid until the next call. @param card its number */
  body(card: number, id: string): Uint8Array {
    const changes = this.#changes
    const at = card * change.size
    const to = changes[at + change.to]!
    const answer = this.#answer
    answer.start('')
    answer.addLiteral(literal.cardId)
    answer.addAscii(id)
    answer.addLiteral(this.#asOf)
    this.#addPrice(to)
    answer.addLiteral(literal.changes)
    for (let period = 0; period < periods.length; period++) {
      const from = changes[at + change.from + period]!
      answer.addLiteral(literal.ofPeriod[period]!)
      if (from === noPrice) {
        answer.addLiteral(literal.unknown)
        continue
      }
      answer.addLiteral(literal.from)
      answer.addDecimal(from, 100)
      this.#addMove(from, to)
      answer.addLiteral(literal.end)
    }
    const days = changes[at + change.days]!
    answer.addLiteral(literal.high)
    this.#addExtreme(changes[at + change.high]!, days >>> 16)
    answer.addLiteral(literal.low)
    this.#addExtreme(changes[at + change.low]!, days & 0xffff)
    return answer.finish('}}')
  }

  /** The body of a page of movers, valid until the next call. @param period index in `periods` */
  moversPage({ cards, count, total }: HitPage, period: number, limit: number, offset: number): Uint8Array {
    const items = this.#items
    items.count = 0
    for (let i = 0; i < count; i++) {
      const { source, at } = this.#summaries[cards[i]! >>> partCardsShift]!
      const local = cards[i]! & (partCards - 1)
      items.add(source, at[local]!, at[local + 1]! - '}'.length)
    }
    const answer = this.#answer
    answer.start('{"data":[')
    answer.prefetch(items)
    for (let i = 0; i < count; i++) {
      if (i > 0) answer.addLiteral(literal.comma)
      answer.addBytes(items.sources[i]!, items.from[i]!, items.to[i]!)
      const at = cards[i]! * change.size
      const from = this.#changes[at + change.from + period]!
      const to = this.#changes[at + change.to]!
      answer.addLiteral(literal.ofMover[period]!)
      answer.addDecimal(from, 100)
      answer.addLiteral(literal.to)
      answer.addDecimal(to, 100)
      this.#addMove(from, to)
      answer.addLiteral(literal.endOfMover)
    }
    return answer.finish(envelopeEnd(total, limit, offset))
  }

  /** The last fields of a change. */
  #addMove(from: number, to: number): void {
    const answer = this.#answer
    answer.addLiteral(literal.amount)
    if (to === noPrice) answer.addLiteral(literal.unknown)
    else answer.addDecimal(to - from, 100)
    answer.addLiteral(literal.percent)
    if (isKnown(from, to)) answer.addDecimal(percentTenths(from, to), 10)
    else answer.addLiteral(literal.unknown)
  }

  #addPrice(cents: number): void {
    if (cents === noPrice) this.#answer.addLiteral(literal.unknown)
    else this.#answer.addDecimal(cents, 100)
  }

  #addExtreme(cents: number, days: number): void {
    const answer = this.#answer
    if (cents === noPrice) {
      answer.addLiteral(literal.unknown)
      return
    }
    answer.addLiteral(this.#extremes[days]!)
    answer.addDecimal(cents, 100)
    answer.addLiteral(literal.end)
  }
}
