/** TCGCSV's records: TCGplayer's groups, products and prices. Unknown fields are ignored. */
import * as v from 'valibot'
import { text, wellFormed } from '../../../read/snapshot-schema.ts'
import { optionalText, wholeNumber } from '../../source-values.ts'

/** `{"totalItems":254,"success":true,"errors":[],"results":[…]}`; prices have no `totalItems`. */
export const envelopeSchema = v.object({
  success: v.nullish(v.literal(true, 'must be true')),
  errors: v.nullish(v.pipe(v.array(v.unknown(), 'must be an array'), v.maxLength(0, 'must be empty'))),
  results: v.array(v.unknown(), 'must be an array'),
})

export const categorySchema = v.object({ categoryId: wholeNumber, name: text })

export const groupSchema = v.object({
  groupId: wholeNumber,
  name: text,
  abbreviation: optionalText,
  publishedOn: optionalText,
  modifiedOn: optionalText,
  categoryId: v.nullish(wholeNumber, null),
})
export type Group = v.InferOutput<typeof groupSchema>

export const productSchema = v.object({
  productId: wholeNumber,
  name: text,
  imageUrl: optionalText,
  groupId: v.nullish(wholeNumber, null),
  modifiedOn: optionalText,
  extendedData: v.nullish(
    v.array(
      v.object({
        name: v.string('must be a string'),
        value: v.nullish(v.union([v.pipe(v.string(), wellFormed), v.number(), v.boolean()], 'must be a string'), null),
      }),
      'must be an array',
    ),
    [],
  ),
})

const price = v.nullish(v.pipe(v.number('must be a number or null'), v.minValue(0, 'must be 0 or more')), null)

export const priceSchema = v.object({
  productId: wholeNumber,
  subTypeName: text,
  lowPrice: price,
  midPrice: price,
  highPrice: price,
  marketPrice: price,
})

export const priceFields = ['lowPrice', 'midPrice', 'highPrice', 'marketPrice'] as const
