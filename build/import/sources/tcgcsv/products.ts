/** Turns a product into a card's name, number, rarity and image, or finds why it is no card. */
import type { GameSlug } from '../../../../src/games.ts'
import { withoutNumber } from '../../../../src/names/numbers.ts'
import type { Report } from '../../report.ts'
import { numberOf, plainText } from '../names.ts'
import { imageOf } from '../values.ts'

interface PrintedProduct {
  readonly productId: number
  readonly name: string
  readonly imageUrl: string | null
  readonly number: string | null
  readonly rarity: string | null
}

export interface Product {
  readonly productId: number
  /** Without the card's own number; as printed if it is no card. */
  readonly name: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image: string | null
  /** Why it is no card; null if it is one. A name may be only tags and entities. */
  readonly leftOutAs: 'sealed' | 'code card' | 'name must not be blank' | null
  /** In its group's file. */
  readonly place: string
}

const codeCard = 'Code Card'

export function productOf(
  { productId, name, imageUrl, number, rarity }: PrintedProduct,
  place: string,
  imageBase: string | undefined,
): Product {
  const plainName = plainText(name)
  const leftOutAs = whyLeftOut(number, rarity) ?? (plainName === '' ? 'name must not be blank' : null)
  if (leftOutAs !== null) return { productId, name, number: null, rarity: null, image: null, leftOutAs, place }
  return {
    productId,
    name: withoutNumber(plainName, number === null ? null : plainText(number)),
    number: number === null ? null : numberOf(number),
    rarity: rarity === null ? null : plainText(rarity) || null,
    image: imageOf(imageUrl, imageBase),
    leftOutAs,
    place,
  }
}

function whyLeftOut(number: string | null, rarity: string | null): 'sealed' | 'code card' | null {
  if (number !== null) return null
  if (rarity === null) return 'sealed'
  return plainText(rarity) === codeCard ? 'code card' : null
}

export function reportImage(
  { imageUrl }: PrintedProduct,
  { image, leftOutAs, place }: Product,
  game: GameSlug,
  file: string,
  report: Report,
): void {
  if (image !== null || imageUrl === null || leftOutAs !== null) return
  report.doubtful(game, file, `${place}.imageUrl`, 'is no http or https address, so the image is unknown', imageUrl)
}
