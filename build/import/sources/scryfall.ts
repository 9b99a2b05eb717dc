/** Scryfall's bulk data: Magic cards and their prices, one JSON array, or a card a line. Unknown prices are null, never 0. */

import * as v from 'valibot'
import { centsOf } from '../../read/cents.ts'
import { shown } from '../../read/problems.ts'
import { text, wellFormed } from '../../read/schema.ts'
import type { Market, SourceCard, SourceSet } from '../catalog.ts'
import { readLines, readValues } from '../read/json.ts'
import { firstByte } from '../read/lines.ts'
import { existingFile } from '../read/open.ts'
import { ExpectedFields, FileRecords } from '../read/records.ts'
import { withHeldSets } from '../write/held.ts'
import { cardNow } from '../write/successors.ts'
import { printingsOf } from './finishes.ts'
import { numberOf, plainText } from './names.ts'
import type { Import, Reading, Source } from './source.ts'
import { dayOfText, dayOfTime, imageOf, sourceId } from './values.ts'

const optionalText = v.nullish(v.pipe(v.string('must be a string or null'), wellFormed), null)
const product = v.nullish(
  v.pipe(v.number('must be a whole number'), v.safeInteger('must be a whole number'), v.minValue(1)),
  null,
)
const images = v.nullish(v.object({ normal: optionalText }), null)

const cardSchema = v.object({
  id: sourceId,
  name: text,
  lang: optionalText,
  set: text,
  set_name: text,
  collector_number: optionalText,
  rarity: optionalText,
  released_at: optionalText,
  digital: v.nullish(v.boolean(), false),
  finishes: v.pipe(v.array(text, 'must be an array'), v.minLength(1, 'must not be empty')),
  image_uris: images,
  card_faces: v.nullish(v.array(v.object({ image_uris: images })), []),
  tcgplayer_id: product,
  tcgplayer_etched_id: product,
  cardmarket_id: product,
  prices: v.record(v.string(), v.nullish(v.string('must be a string or null'), null)),
})
type ScryfallCard = v.InferOutput<typeof cardSchema>

const game = 'mtg'
const openArray = 0x5b
/** By finish, the prices at TCGplayer and at Cardmarket. */
const priceKeys: Readonly<Record<string, readonly [usd: string, eur: string]>> = {
  nonfoil: ['usd', 'eur'],
  foil: ['usd_foil', 'eur_foil'],
  etched: ['usd_etched', 'eur_etched'],
}

async function readBulk(task: Import): Promise<Reading> {
  const { options, errors, report, before, hold } = task
  const file = existingFile(options.paths[0]!, errors)
  const day = options.date ?? dayOfTime(file.mtimeMs)
  const records = new FileRecords(file.path, game, errors, report)
  const sets = new Map<string, SourceSet>()
  const cards = new Map<string, SourceCard>()
  const fields = new ExpectedFields(['usd'])
  const otherCurrencies = new Map<string, number>()
  const take = (record: unknown, place: string): void => {
    records.count()
    const card = records.check(cardSchema, record, place)
    if (card === undefined) return
    if (card.digital) {
      report.leftOut(game, file.path, place, 'digital', `${card.id} ${card.name}`)
      return
    }
    if (cards.has(`${card.id} ${card.finishes[0]}`)) {
      records.wrong(`${place}.id`, 'is there twice', shown(card.id))
      return
    }
    fields.see(card.prices, file.path)
    for (const [key, price] of Object.entries(card.prices)) {
      if (price !== null && !/^(usd|eur)/.test(key)) otherCurrencies.set(key, (otherCurrencies.get(key) ?? 0) + 1)
    }
    const printings = cardsOf(card, place, day, options.imageBase, records)
    if (printings === undefined) return
    for (const printing of printings) cards.set(printing.key, printing)
    takeSet(sets, card)
  }
  if ((await firstByte(file, errors)) === openArray) {
    const complete = await readValues(file, '', errors, (place, value) => take(value, `[${place}]`))
    if (complete && cards.size === 0) errors.add(file.path, 'line 1', 'has no cards')
  } else await readLines(file, records, errors, take)
  records.end()
  const missing = fields.missing()
  if (missing !== undefined) errors.add(missing[0], 'prices', `no card of the file has ${missing[1]}`)
  for (const [key, count] of otherCurrencies)
    report.leftOut(game, file.path, `prices.${key}`, 'not in US dollars or euros', key, count)
  const now = { sets: [...sets.values()], cards: [...cards.values()] }
  const held = hold(() => true, cardNow(before.cards, now.cards), day)
  return { catalog: withHeldSets(before, now, held), date: day }
}

/** Undefined if a price is wrong. */
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
  /** Undefined if it is wrong. */
  const priceOf = (key = ''): number | null | undefined => {
    const price = card.prices[key] ?? ''
    const cents = price === '' ? null : centsOf(price)
    if (typeof cents !== 'string') return cents
    records.wrong(`${place}.prices.${key}`, cents, shown(price))
    return undefined
  }
  const cards: SourceCard[] = []
  for (const printing of printings) {
    const [usd, eur] = priceKeys[printing.key.slice(printing.key.indexOf(' ') + 1)] ?? []
    const market = priceOf(usd)
    const inEuros = priceOf(eur)
    if (market === undefined || inEuros === undefined) return undefined
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
      ...(card.cardmarket_id === null ? {} : { cardmarketId: card.cardmarket_id }),
      ...(inEuros === null ? {} : { markets: [cardmarketPrice(inEuros, day)] }),
    })
  }
  return cards
}

const cardmarketPrice = (price: number, updatedAt: string): Market => ({
  ...{ market: 'cardmarket', currency: 'EUR', price, low: null, buylist: null, updatedAt },
})

/** A set's release is that of its oldest card. */
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

export const scryfall: Source = {
  catalog: 'scryfall',
  composes: true,
  pathsMax: 1,
  paths: 'FILE',
  adds: 'bulk data, .json or .jsonl: sets, cards, prices of mtg, also in euros',
  games: ['mtg'],
  read: readBulk,
}
