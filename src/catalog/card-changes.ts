/** Renders price changes from the columns of the changes file. */
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { readCardsPart } from '../indexes/cards-file.ts'
import {
  type ChangesFile,
  change,
  changesFileName,
  isKnown,
  percentTenths,
  periods,
  rangeDays,
  readChangesFile,
} from '../indexes/changes-file.ts'
import { noPrice } from '../indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/load.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd } from './answer-buffer.ts'
import { Csv, lineEnd, moversHead } from './card-fields.ts'
import { NumberedTexts } from './card-texts.ts'

const periodKeys = periods.map(({ name }, period) => `${period === 0 ? '' : ','}"${name}":`)

export class Changes {
  readonly #changes: ChangesFile['changes']
  /** The newest day as JSON. */
  readonly #asOf: string
  /** The dates of the last `rangeDays` days, the newest first. */
  readonly #dates: readonly string[]
  readonly #summaries: NumberedTexts
  readonly #rows: NumberedTexts
  readonly #answer = new AnswerBuffer()

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    const { asOf } = version.manifest
    this.#changes = readChangesFile(fileOf(version, changesFileName)).changes
    this.#asOf = JSON.stringify(asOf)
    const newestDay = asOf === null ? 0 : dayOfDate(asOf)
    this.#dates = Array.from({ length: rangeDays }, (_, days) => dateOfDay(newestDay - days))
    const parts = partsOf(version, 'cards').map(readCardsPart)
    this.#summaries = new NumberedTexts(parts.map(({ summaries }) => summaries))
    this.#rows = new NumberedTexts(parts.map(({ rows }) => rows))
  }

  /** The body of a card's changes, valid until the next call. @param card the card's index */
  body(card: number, id: string): Uint8Array {
    const changes = this.#changes
    const at = card * change.size
    const to = this.#to(card)
    const answer = this.#answer
    answer.start('{"data":{"cardId":"')
    answer.addAscii(id)
    answer.addAscii('","asOf":')
    answer.addAscii(this.#asOf)
    answer.addAscii(',"market":')
    this.#addPrice(to)
    answer.addAscii(',"changes":{')
    for (let period = 0; period < periods.length; period++) {
      const from = this.#from(card, period)
      answer.addAscii(periodKeys[period]!)
      if (from === noPrice) {
        answer.addAscii('null')
        continue
      }
      answer.addAscii('{"from":')
      answer.addDecimal(from, 100)
      this.#addMove(from, to)
      answer.addAscii('}')
    }
    const days = changes[at + change.days]!
    answer.addAscii('},"high":')
    this.#addExtreme(changes[at + change.high]!, days >>> 16)
    answer.addAscii(',"low":')
    this.#addExtreme(changes[at + change.low]!, days & 0xffff)
    return answer.finish('}}')
  }

  /** The body of a page of movers, valid until the next call. @param period index in `periods` */
  moversPage(found: HitPage, period: number, limit: number, offset: number): Uint8Array {
    const items = this.#summaries.itemsOf(found, '}'.length)
    const start = `,"change":{"period":"${periods[period]!.name}","from":`
    const answer = this.#answer
    answer.start('{"data":[')
    answer.prefetch(items)
    for (let i = 0; i < found.count; i++) {
      if (i > 0) answer.addAscii(',')
      answer.addBytes(items.sources[i]!, items.from[i]!, items.to[i]!)
      const from = this.#from(found.cards[i]!, period)
      const to = this.#to(found.cards[i]!)
      answer.addAscii(start)
      answer.addDecimal(from, 100)
      answer.addAscii(',"to":')
      answer.addDecimal(to, 100)
      this.#addMove(from, to)
      answer.addAscii('}}')
    }
    return answer.finish(envelopeEnd(found.total, limit, offset))
  }

  /** A page of movers as CSV, valid until the next call. @param period index in `periods` */
  moversCsv(found: HitPage, period: number): Csv {
    const items = this.#rows.itemsOf(found, lineEnd.length)
    const answer = this.#answer
    answer.start(moversHead)
    answer.prefetch(items)
    for (let i = 0; i < found.count; i++) {
      const from = this.#from(found.cards[i]!, period)
      const to = this.#to(found.cards[i]!)
      const percent = percentTenths(from, to) / 10
      answer.addBytes(items.sources[i]!, items.from[i]!, items.to[i]!)
      answer.addAscii(`,${[periods[period]!.name, from / 100, to / 100, (to - from) / 100, percent].join()}${lineEnd}`)
    }
    return new Csv(answer.finish(''), found.total)
  }

  /** The price in cents at the start of a period, `noPrice` if unknown. */
  #from(card: number, period: number): number {
    return this.#changes[card * change.size + change.from + period]!
  }

  /** The newest price in cents, `noPrice` if unknown. */
  #to(card: number): number {
    return this.#changes[card * change.size + change.to]!
  }

  /** Adds `amount` and `percent`, the last fields of a change. */
  #addMove(from: number, to: number): void {
    const answer = this.#answer
    answer.addAscii(',"amount":')
    if (to === noPrice) answer.addAscii('null')
    else answer.addDecimal(to - from, 100)
    answer.addAscii(',"percent":')
    if (isKnown(from, to)) answer.addDecimal(percentTenths(from, to), 10)
    else answer.addAscii('null')
  }

  #addPrice(cents: number): void {
    if (cents === noPrice) this.#answer.addAscii('null')
    else this.#answer.addDecimal(cents, 100)
  }

  /** Adds a high or a low. @param days how many days it lies before the newest day */
  #addExtreme(cents: number, days: number): void {
    const answer = this.#answer
    if (cents !== noPrice) {
      answer.addAscii('{"date":"')
      answer.addAscii(this.#dates[days]!)
      answer.addAscii('","market":')
    }
    this.#addPrice(cents)
    if (cents !== noPrice) answer.addAscii('}')
  }
}
