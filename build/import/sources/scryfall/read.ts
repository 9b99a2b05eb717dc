/** Bulk data: one JSON array of any size, or a card a line. */

import { centsOf } from '../../../read/cents.ts'
import { shown } from '../../../read/problems.ts'
import { readPieces } from '../../read/json.ts'
import { inputFile } from '../../read/open.ts'
import { FileRecords } from '../../read/records.ts'
import { ExpectedFields } from '../expected-fields.ts'
import { printingsOf } from '../finishes.ts'
import { numberOf, plainText } from '../names.ts'
import type { Import, Reading, SourceCard, SourceSet } from '../source.ts'
import { dayOfText, dayOfTime, imageOf } from '../values.ts'
import { firstByte, readLines } from './lines.ts'
import { cardSchema, type ScryfallCard } from './shapes.ts'

const game = 'mtg'
const openArray = 0x5b
/** Which price is a finish's. */
const priceKeys: Readonly<Record<string, string>> = { nonfoil: 'usd', foil: 'usd_foil', etched: 'usd_etched' }

export async function readBulk(task: Import): Promise<Reading> {
  const { options, errors, report } = task
  const file = inputFile(options.paths[0]!, errors)
  if (file === undefined && errors.count === 0) errors.add(options.paths[0]!, '', 'there is no such file')
  errors.check()
  const day = options.date ?? dayOfTime(file!.mtimeMs)
  const records = new FileRecords(file!.path, game, errors, report)
  const sets = new Map<string, SourceSet>()
  const cards = new Map<string, SourceCard>()
  const fields = new ExpectedFields(['usd'])
  const otherCurrencies = new Map<string, number>()
  const take = (record: unknown, place: string): void => {
    records.count()
    const card = records.check(cardSchema, record, place)
    if (card === undefined) return
    if (card.digital) {
      report.leftOut(game, file!.path, place, 'digital', `${card.id} ${card.name}`)
      return
    }
    if (cards.has(`${card.id} ${card.finishes[0]}`)) {
      records.wrong(`${place}.id`, 'is there twice', shown(card.id))
      return
    }
    fields.see(card.prices, file!.path)
    for (const [key, price] of Object.entries(card.prices)) {
      if (price !== null && !key.startsWith('usd')) otherCurrencies.set(key, (otherCurrencies.get(key) ?? 0) + 1)
    }
    const printings = cardsOf(card, place, day, options.imageBase, records)
    if (printings === undefined) return
    for (const printing of printings) cards.set(printing.key, printing)
    takeSet(sets, card)
  }
  if ((await firstByte(file!, errors)) === openArray) {
    const complete = await readPieces(
      file!,
      '',
      errors,
      (place, value) => take(value, `[${place}]`),
      () => {},
    )
    if (complete && cards.size === 0) errors.add(file!.path, 'line 1', 'has no cards')
  } else await readLines(file!, records, errors, take)
  records.end()
  const missing = fields.missing()
  if (missing !== undefined) errors.add(missing[0], 'prices', `no card of the file has ${missing[1]}`)
  for (const [key, count] of otherCurrencies)
    report.leftOut(game, file!.path, `prices.${key}`, 'not in US dollars', key, count)
  return { catalog: { sets: [...sets.values()], cards: [...cards.values()] }, date: day }
}

/** Undefined if a price of it is wrong. */
function cardsOf(
  card: ScryfallCard,
  place: string,
  day: string,
  imageBase: string | undefined,
  records: FileRecords,
): SourceCard[] | undefined {
  const address = card.image_uris?.normal ?? card.card_faces[0]?.image_uris?.normal
  const printings = printingsOf({
    id: card.id,
    name: plainText(card.name) || card.name,
    finishes: card.finishes,
    product: card.tcgplayer_id,
    etchedProduct: card.tcgplayer_etched_id,
  })
  const cards: SourceCard[] = []
  for (const printing of printings) {
    const key = priceKeys[printing.key.slice(printing.key.indexOf(' ') + 1)]
    const price = key === undefined ? null : (card.prices[key] ?? null)
    const market = price === null || price === '' ? null : centsOf(price)
    if (typeof market === 'string') {
      records.wrong(`${place}.prices.${key}`, market, shown(price))
      return undefined
    }
    cards.push({
      ...printing,
      set: card.set,
      game,
      number: card.collector_number === null ? null : numberOf(card.collector_number),
      rarity: card.rarity === '' ? null : card.rarity,
      image: imageOf(address, imageBase),
      market,
      low: null,
      mid: null,
      high: null,
      day: market === null ? null : day,
    })
  }
  return cards
}

/** A set is as old as its first card. */
function takeSet(sets: Map<string, SourceSet>, { set, set_name, released_at }: ScryfallCard): void {
  const known = sets.get(set)
  const day = dayOfText(released_at)
  if (known !== undefined && (day === null || (known.releaseDate !== null && known.releaseDate <= day))) return
  sets.set(set, {
    key: set,
    game,
    abbreviation: set,
    name: plainText(set_name) || set_name,
    releaseDate: day,
    group: null,
  })
}
