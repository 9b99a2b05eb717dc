/** MTGJSON's sets, cards and prices. */
import * as v from 'valibot'
import { text } from '../../../read/snapshot-schema.ts'
import { optionalText, sourceId, wholeNumber } from '../../source-values.ts'

/** The number is mostly written as a string. */
const product = v.nullish(
  v.pipe(v.union([v.string(), v.number()], 'must be a whole number'), v.transform(Number), wholeNumber),
  null,
)

export const setSchema = v.object({
  name: text,
  releaseDate: optionalText,
  isOnlineOnly: v.nullish(v.boolean(), false),
  tcgplayerGroupId: product,
  baseSetSize: v.nullish(v.number('must be a whole number'), null),
  cards: v.array(v.unknown(), 'must be an array'),
})

export const cardSchema = v.object({
  uuid: sourceId,
  name: text,
  number: optionalText,
  rarity: optionalText,
  side: optionalText,
  isOnlineOnly: v.nullish(v.boolean(), false),
  finishes: v.array(text, 'must be an array'),
  identifiers: v.nullish(
    v.object({
      tcgplayerProductId: product,
      tcgplayerEtchedProductId: product,
      tcgplayerAlternativeFoilProductId: product,
      scryfallId: optionalText,
      mcmId: product,
    }),
    {},
  ),
})

/** The prices of each day. They are checked one by one, since a schema of all 90 days takes ten times as long. */
const days = v.nullish(
  v.custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
  {},
)
export type Days = v.InferOutput<typeof days>
/** The prices by finish. Other finishes are reported. */
const finishes = v.nullish(v.looseObject({ normal: days, foil: days, etched: days }, 'must be an object'), {})
const shop = v.object({ currency: optionalText, retail: finishes, buylist: finishes })
export type Shop = v.InferOutput<typeof shop>
/** The prices of a uuid. Every level may be missing. */
export const pricesSchema = v.object({
  paper: v.nullish(v.record(v.string(), v.nullish(shop, null), 'must be an object'), {}),
})

export const metaSchema = v.object({ date: optionalText })
