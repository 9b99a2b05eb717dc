/** Scryfall's card objects, as its bulk files hold them. */
import * as v from 'valibot'
import { wellFormed } from '../../../read/schema.ts'

const text = v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'), wellFormed)
const optionalText = v.nullish(v.pipe(v.string('must be a string or null'), wellFormed), null)
const product = v.nullish(
  v.pipe(v.number('must be a whole number'), v.safeInteger('must be a whole number'), v.minValue(1)),
  null,
)
const images = v.nullish(v.object({ normal: optionalText }), null)

export const cardSchema = v.object({
  id: text,
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
  prices: v.record(v.string(), v.nullish(v.string('must be a string or null'), null)),
})
export type ScryfallCard = v.InferOutput<typeof cardSchema>
