/**
 * Renders cards one after the other in UTF-8: each card's details, batch item, search summary, and the end of its extended
 * view.
 */
import assert from 'node:assert/strict'
import { conditions, summaryConditions } from '../../src/api/schemas.ts'
import type { CardLine } from '../read/card-line.ts'
import * as at from '../read/card-line.ts'
import type { CardRecord } from '../read/schema.ts'
import { details, extras, item, summary } from './card-answers.ts'

assert.deepEqual(
  summaryConditions,
  conditions.slice(0, summaryConditions.length),
  'the first conditions are those of a summary',
)

const text = (json: string): Uint8Array => Buffer.from(json)

/** The bytes around the values that are copied from a line, in the order of the responses. */
const detailsId = text('{"data":{"id":')
const listedId = text('{"id":')
const name = text(',"name":')
const game = text(',"game":')
const set = text(',"set":')
const setCode = text(',"setCode":')
const number = text(',"number":')
const rarity = text(',"rarity":')
const image = text(',"image":')
const market = text(',"prices":{"market":')
const low = text(',"low":')
const mid = text(',"mid":')
const high = text(',"high":')
const conditionsStart = text(',"conditions":{')
const conditionKeys = conditions.map((condition) => text(`"${condition}":`))
const comma = text(',')
const graded = text('},"graded":')
const sources = text('},"sources":')
const updatedAt = text(',"updatedAt":')
const detailsEnd = text('}}')
const itemEnd = text('}}')
const summaryEnd = text('}}}')
const printing = text(',"printing":')
const tcgplayerId = text(',"tcgplayerId":')
const scryfallId = text(',"scryfallId":')
const mtgjsonId = text(',"mtgjsonId":')
const extrasEnd = text('}')
/** More than all these bytes together. */
const bytesAround = 2048

const unknown = text('null')
const noGrades = text('{}')
const noSources = text('[]')

/** Its buffer is reused for each block. */
export class CardTexts {
  #length = 0
  #at: number[] = []
  #buffer = Buffer.alloc(0)
  readonly #currency: string | null
  readonly #currencyField: Uint8Array

  /** @param currency of all prices, null if unknown */
  constructor(currency: string | null = null) {
    this.#currency = currency
    this.#currencyField = text(`,"currency":${JSON.stringify(currency)}`)
  }

  /** Drops all texts. */
  start(bytesExpected: number): void {
    this.#length = 0
    this.#at = [0]
    this.#reserve(2 * bytesExpected)
  }

  addRecord(card: CardRecord, setName: string): void {
    for (const text of [details(card, setName), item(card), summary(card, setName), extras(card, this.#currency)]) {
      this.#reserve(3 * text.length)
      this.#length += this.#buffer.write(text, this.#length)
      this.#at.push(this.#length)
    }
  }

  /**
   * Adds the same texts as `addRecord` of the line's record.
   * @param setName as JSON
   */
  addLine(line: CardLine, setName: Uint8Array): void {
    this.#reserve(3 * (line.at - line.from[at.id]! + setName.length) + bytesAround)
    this.#identity(detailsId, line)
    this.#add(set)
    this.#add(setName)
    this.#value(setCode, line, at.setCode)
    this.#value(number, line, at.number)
    this.#value(rarity, line, at.rarity)
    this.#value(image, line, at.image)
    this.#value(market, line, at.market)
    this.#value(low, line, at.low)
    this.#value(mid, line, at.mid)
    this.#value(high, line, at.high)
    this.#conditions(line, conditions.length)
    this.#value(graded, line, at.graded, noGrades)
    this.#value(sources, line, at.sources, noSources)
    this.#value(updatedAt, line, at.updatedAt)
    this.#end(detailsEnd)

    this.#identity(listedId, line)
    this.#value(market, line, at.market)
    this.#end(itemEnd)

    this.#identity(listedId, line)
    this.#add(set)
    this.#add(setName)
    this.#value(rarity, line, at.rarity)
    this.#value(market, line, at.market)
    this.#conditions(line, summaryConditions.length)
    this.#end(summaryEnd)

    this.#value(printing, line, at.printing)
    this.#add(this.#currencyField)
    this.#value(tcgplayerId, line, at.tcgplayerId)
    this.#value(scryfallId, line, at.scryfallId)
    this.#value(mtgjsonId, line, at.mtgjsonId)
    this.#end(extrasEnd)
  }

  /** A view of all texts, valid until the next `start`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Where each starts, and where the last one ends. */
  get at(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#at)
  }

  #identity(start: Uint8Array, line: CardLine): void {
    this.#value(start, line, at.id)
    this.#value(name, line, at.name)
    this.#value(game, line, at.game)
  }

  /** @param count only the first so many conditions */
  #conditions(line: CardLine, count: number): void {
    this.#add(conditionsStart)
    const start = this.#length
    for (let i = 0; i < count; i++) {
      if (line.from[at.firstCondition + i] === -1) continue
      if (this.#length > start) this.#add(comma)
      this.#value(conditionKeys[i]!, line, at.firstCondition + i)
    }
  }

  #value(before: Uint8Array, line: CardLine, value: number, otherwise = unknown): void {
    this.#add(before)
    const from = line.from[value]!
    if (from === -1) this.#add(otherwise)
    else this.#copy(line.bytes, from, line.to[value]!)
  }

  #end(end: Uint8Array): void {
    this.#add(end)
    this.#at.push(this.#length)
  }

  #add(bytes: Uint8Array): void {
    this.#copy(bytes, 0, bytes.length)
  }

  /** For so few bytes, a loop is faster than a call. */
  #copy(bytes: Uint8Array, from: number, to: number): void {
    const buffer = this.#buffer
    let length = this.#length
    for (let i = from; i < to; i++) buffer[length++] = bytes[i]!
    this.#length = length
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const grown = Buffer.alloc(this.#buffer.length + 2 * bytes)
    grown.set(this.#buffer)
    this.#buffer = grown
  }
}
