/** How prices have changed, as answers: written from the columns of the changes file. */
import { dateOfDay, dayOfDate } from '../calendar.ts'
import { isKnown, percentTenths, periods, rangeDays } from '../history/change.ts'
import { readCardsPart } from '../indexes/cards-file.ts'
import { type ChangesFile, change, changesFileName, readChangesFile } from '../indexes/changes-file.ts'
import { noPrice } from '../indexes/lists-file.ts'
import { fileOf, partsOf, type VersionFiles } from '../indexes/version.ts'
import { partCards, partCardsShift, searchLimitMax } from '../limits.ts'
import type { HitPage } from '../search/search.ts'
import { AnswerBuffer, envelopeEnd, Items, Source } from './answer-buffer.ts'

export class Changes {
  readonly #changes: ChangesFile['changes']
  readonly #asOf: string | null
  /** As JSON: so many days before the newest. */
  readonly #dates: readonly string[]
  readonly #summaries: readonly { readonly source: Source; readonly at: Uint32Array }[]
  readonly #items = new Items(searchLimitMax)
  readonly #answer = new AnswerBuffer()

  /** Throws IndexError if a file can't be read. */
  constructor(version: VersionFiles) {
    const { asOf } = version.manifest
    this.#changes = readChangesFile(fileOf(version, changesFileName)).changes
    this.#asOf = asOf
    this.#dates = asOf === null ? [] : Array.from({ length: rangeDays }, (_, days) => dateOfDay(dayOfDate(asOf) - days))
    this.#summaries = partsOf(version, 'cards').map((part) => {
      const { bytes, at } = readCardsPart(part).summaries
      return { source: new Source(bytes), at }
    })
  }

  /** The answer of a card's changes, good until the next answer. @param card its number */
  body(card: number, id: string): Uint8Array {
    const changes = this.#changes
    const at = card * change.size
    const to = changes[at + change.to]!
    const answer = this.#answer
    answer.start('{"data":{"cardId":"')
    answer.addAscii(id)
    answer.addAscii(this.#asOf === null ? '","asOf":null,"market":' : `","asOf":"${this.#asOf}","market":`)
    this.#addPrice(to)
    answer.addAscii(',"changes":{')
    for (let period = 0; period < periods.length; period++) {
      const from = changes[at + change.from + period]!
      answer.addAscii(ofPeriod[period]!)
      if (from === noPrice) answer.addAscii('null')
      else this.#addChange(from, to)
    }
    const days = changes[at + change.days]!
    answer.addAscii('},"high":')
    this.#addExtreme(changes[at + change.high]!, days >>> 16)
    answer.addAscii(',"low":')
    this.#addExtreme(changes[at + change.low]!, days & 0xffff)
    return answer.finish('}}')
  }

  /** Of movers that were found in a period; the answer, good until the next one. */
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
    answer.askForLines(items)
    for (let i = 0; i < count; i++) {
      if (i > 0) answer.addAscii(',')
      answer.addBytes(items.sources[i]!, items.from[i]!, items.to[i]!)
      answer.addAscii(ofMover[period]!)
      const at = cards[i]! * change.size
      const from = this.#changes[at + change.from + period]!
      const to = this.#changes[at + change.to]!
      answer.addDecimal(from, 100)
      answer.addAscii(',"to":')
      answer.addDecimal(to, 100)
      this.#addMove(from, to)
      answer.addAscii('}')
    }
    return answer.finish(envelopeEnd(total, limit, offset))
  }

  #addChange(from: number, to: number): void {
    this.#answer.addAscii('{"from":')
    this.#answer.addDecimal(from, 100)
    this.#addMove(from, to)
  }

  /** The last fields of a change, and its end. */
  #addMove(from: number, to: number): void {
    const answer = this.#answer
    answer.addAscii(',"amount":')
    if (to === noPrice) answer.addAscii('null')
    else answer.addDecimal(to - from, 100)
    answer.addAscii(',"percent":')
    if (isKnown(from, to)) answer.addDecimal(percentTenths(from, to), 10)
    else answer.addAscii('null')
    answer.addAscii('}')
  }

  #addPrice(cents: number): void {
    if (cents === noPrice) this.#answer.addAscii('null')
    else this.#answer.addDecimal(cents, 100)
  }

  #addExtreme(cents: number, days: number): void {
    const answer = this.#answer
    if (cents === noPrice) {
      answer.addAscii('null')
      return
    }
    answer.addAscii('{"date":"')
    answer.addAscii(this.#dates[days]!)
    answer.addAscii('","market":')
    answer.addDecimal(cents, 100)
    answer.addAscii('}')
  }
}

const ofPeriod = periods.map(({ name }, period) => `${period === 0 ? '' : ','}"${name}":`)
const ofMover = periods.map(({ name }) => `,"change":{"period":"${name}","from":`)
