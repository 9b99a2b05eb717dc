/**
 * Scryfall's bulk data: Magic cards and their prices, as one JSON array, or with one card a line. An unknown price is
 * null, never 0.
 */

import * as v from 'valibot'
import { shown } from '../../read/snapshot-problems.ts'
import { centsOf, text } from '../../read/snapshot-schema.ts'
import { cardsByFinish, magicSet } from '../finishes.ts'
import { ExpectedFields, FileRecords } from '../read/file-records.ts'
import { readLines, readValues } from '../read/json.ts'
import { firstByte } from '../read/lines.ts'
import { existingFile } from '../read/open.ts'
import type { SourceCard, SourceSet } from '../source-catalog.ts'
import { dayOfText, dayOfTime, imageOf, optionalText, sourceId, wholeNumber } from '../source-values.ts'
import { withHeldSets } from '../write/held.ts'
import { cardNow } from '../write/successors.ts'
import type { Import, Reading, Source } from './source.ts'

const product = v.nullish(wholeNumber, null)
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
/** For each finish, the fields of its prices at TCGplayer and at Cardmarket. */
const priceKeys: ReadonlyMap<string, readonly [usd: string, eur: string]> = new Map([
  ['nonfoil', ['usd', 'eur']],
  ['foil', ['usd_foil', 'eur_foil']],
  ['etched', ['usd_etched', 'eur_etched']],
])

const importedPrices = new Set([...priceKeys.values()].flat())

async function readBulk(task: Import): Promise<Reading> {
  const { options, errors, before, hold } = task
  const file = existingFile(options.paths[0]!, errors)
  const day = options.date ?? dayOfTime(file.mtimeMs)
  const records = new FileRecords(file.path, game, task)
  const sets = new Map<string, SourceSet>()
  const cards = new Map<string, SourceCard>()
  const fields = new ExpectedFields(['usd'])
  const take = (record: unknown, place: string): void => {
    records.count()
    const card = records.check(cardSchema, record, place)
    if (card === undefined) return
    if (card.digital) {
      records.leftOut(place, 'digital', `${card.id} ${card.name}`)
      return
    }
    if (cards.has(`${card.id} ${card.finishes[0]}`)) {
      records.wrong(`${place}.id`, 'is there twice', shown(card.id))
      return
    }
    fields.see(card.prices, file.path)
    for (const [key, price] of Object.entries(card.prices)) {
      if (price === null || price === '' || importedPrices.has(key)) continue
      records.leftOutOften(/^(usd|eur)_/.test(key) ? 'of another finish' : 'not in US dollars or euros', key)
    }
    const image = imageOf(card.image_uris?.normal ?? card.card_faces[0]?.image_uris?.normal, options.imageBase)
    const printings = pricedCards(card, image, day, (at, ...wrong) => records.wrong(`${place}.${at}`, ...wrong))
    if (printings === undefined) return
    for (const printing of printings) cards.set(printing.key, printing)
    takeSet(sets, card)
  }
  if ((await firstByte(file, errors)) === openArray) {
    const complete = await readValues(file, '', errors, { onValue: (place, value) => take(value, `[${place}]`) })
    if (complete && cards.size === 0) errors.add(file.path, 'line 1', 'has no cards')
  } else await readLines(file, records, take)
  records.end()
  fields.check('card of the file', 'prices', errors)
  const now = { sets: [...sets.values()], cards: [...cards.values()] }
  const held = hold(() => true, cardNow(before.cards, now.cards), day)
  return { catalog: withHeldSets(before, now, held), date: day }
}

/** A card for each finish; undefined if a price is wrong. */
function pricedCards(
  card: ScryfallCard,
  image: string | null,
  day: string,
  onWrong: (place: string, wrong: string, found: string) => void,
): SourceCard[] | undefined {
  /** The price in cents, null if it is unknown; undefined if it is wrong. */
  const priceOf = (key = ''): number | null | undefined => {
    const price = card.prices[key] ?? ''
    const cents = price === '' ? null : centsOf(price)
    if (typeof cents !== 'string') return cents
    onWrong(`prices.${key}`, cents, shown(price))
    return undefined
  }
  const cards: SourceCard[] = []
  const { collector_number: number, tcgplayer_id: product, tcgplayer_etched_id: etchedProduct } = card
  const printed = { ...card, number, image, product, etchedProduct, cardmarketId: card.cardmarket_id }
  for (const printing of cardsByFinish(printed)) {
    const [usd, eur] = priceKeys.get(printing.key.slice(printing.key.indexOf(' ') + 1)) ?? []
    const market = priceOf(usd)
    const price = priceOf(eur)
    if (market === undefined || price === undefined) return undefined
    const inEuros = { market: 'cardmarket', currency: 'EUR', price, low: null, buylist: null, updatedAt: day }
    cards.push({
      ...printing,
      market,
      day: market === null ? null : day,
      ...(price === null ? {} : { markets: [inEuros] }),
    })
  }
  return cards
}

/** Adds the set of a card. The set's release date is that of its oldest card. */
function takeSet(sets: Map<string, SourceSet>, { set, set_name, released_at }: ScryfallCard): void {
  const known = sets.get(set)
  const day = dayOfText(released_at)
  if (known !== undefined && (day === null || (known.releaseDate !== null && known.releaseDate <= day))) return
  sets.set(set, magicSet(set, set_name, day, null))
}

export const scryfall: Source = {
  catalog: 'scryfall',
  paths: 'FILE',
  adds: 'bulk data, .json or .jsonl: sets, cards, prices of mtg, also in euros',
  games: ['mtg'],
  read: readBulk,
}
