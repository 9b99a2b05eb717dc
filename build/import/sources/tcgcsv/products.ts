/** Turns a product into a card's name, number, rarity and image, or finds why it is no card. */
import type * as v from 'valibot'
import { withoutNumber } from '../../../../src/names/numbers.ts'
import { sealedRarity } from '../../source-catalog.ts'
import { numberOf, plainText } from '../names.ts'
import type { ImportOptions } from '../source.ts'
import { imageOf } from '../values.ts'
import type { productSchema } from './tcgcsv-schemas.ts'

export interface Product {
  readonly productId: number
  /** Without the card's own number; as printed if it is no card. */
  readonly name: string
  readonly number: string | null
  /** Behind the slash of the number, null if there is none. */
  readonly total: number | null
  readonly rarity: string | null
  readonly image: string | null
  /** Why it is no card; null if it is one. A name may be only tags and entities. */
  readonly leftOutAs: 'sealed' | 'code card' | 'name must not be blank' | null
  /** In its group's file. */
  readonly place: string
}

const codeCard = 'Code Card'

export function productOf(
  { productId, name, imageUrl, extendedData }: v.InferOutput<typeof productSchema>,
  place: string,
  { imageBase, sealed }: Pick<ImportOptions, 'imageBase' | 'sealed'>,
): Product {
  const extended = (key: string): string | null => {
    const text = `${extendedData.find((data) => data.name === key)?.value ?? ''}`
    return text.trim() === '' ? null : text
  }
  const [number, rarity] = [extended('Number'), extended('Rarity')]
  const plainName = plainText(name)
  const kind = kindOf(number, rarity)
  const isCard = kind === null || (kind === 'sealed' && sealed === true)
  const leftOutAs = isCard ? (plainName === '' ? 'name must not be blank' : null) : kind
  if (leftOutAs !== null)
    return { ...{ productId, name, number: null, total: null, rarity: null }, image: null, leftOutAs, place }
  const printed = number === null ? null : plainText(number)
  return {
    productId,
    name: withoutNumber(plainName, printed),
    number: number === null ? null : numberOf(number),
    total: totalOf(printed),
    rarity: kind === 'sealed' ? sealedRarity : plainText(rarity ?? '') || null,
    image: imageOf(imageUrl, imageBase),
    leftOutAs,
    place,
  }
}

/** `4/102`: 102. */
function totalOf(number: string | null): number | null {
  const [, total] = /^\w+\/0*([1-9]\d{0,3})$/.exec(number ?? '') ?? []
  return total === undefined ? null : Number(total)
}

function kindOf(number: string | null, rarity: string | null): 'sealed' | 'code card' | null {
  if (number !== null) return null
  if (rarity === null) return 'sealed'
  return plainText(rarity) === codeCard ? 'code card' : null
}
