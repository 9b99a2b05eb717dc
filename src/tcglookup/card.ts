/** Renders a card for the compatibility API, from the card's extended view. */
import type { ResponseOf } from '../api/schemas.ts'
import { conditions } from '../catalog/card-fields.ts'
import { slugOf } from './games.ts'
import type { Card, GradedPrices, RawPrices } from './shapes.ts'
import { setSlug, type VersionFacts } from './version-facts.ts'

/** A card in the extended view. */
export type OurCard = ResponseOf<'extendedCard'>

export function cardOf(card: OurCard, { games, day }: VersionFacts): Card {
  const { id, tcgplayerId, name, number, rarity, printing, image, updatedAt, setCode, prices } = card
  const slug = slugOf(card.game)
  const codeSlug = setSlug(setCode)
  const raw = rawOf(prices)
  const graded = gradedOf(prices.graded)
  return {
    id,
    tcgplayer_id: tcgplayerId,
    name,
    number,
    rarity,
    variant: printing,
    image_url: image,
    updated_at: updatedAt ?? day,
    set: { id: `${slug}-${codeSlug}`, slug: codeSlug, name: card.set },
    game: { id: slug, slug, name: games.find((game) => game.slug === slug)!.name },
    prices: graded === undefined ? { raw } : { raw, graded },
  }
}

/** Renders a card of a list: the same fields, and `last_price_update`. */
export function foundCardOf(card: OurCard, facts: VersionFacts): Card & { last_price_update: string } {
  const rendered = cardOf(card, facts)
  return Object.assign(rendered, { last_price_update: rendered.updated_at })
}

/** The prices of an ungraded card. If the card has no near-mint price, its market price takes that place. */
function rawOf({ market, low, mid, high, conditions: own }: OurCard['prices']): RawPrices {
  const raw: RawPrices = {}
  const nearMint = own.near_mint ?? market
  if ([nearMint, low, mid, high].some((price) => price !== null)) {
    raw.near_mint = { tcgplayer: { market: nearMint, low, mid, high } }
  }
  for (const condition of conditions) {
    const price = own[condition]
    if (condition === 'near_mint' || price === undefined) continue
    raw[condition] = { tcgplayer: { market: price, low: null, mid: null, high: null } }
  }
  return raw
}

/**
 * Turns `{"bgs_9_5":40}` into `{"bgs":{"9.5":…}}`, with the price in `avg_30d`. The client packages read a graded price
 * from that field alone.
 */
function gradedOf(own: OurCard['prices']['graded']): GradedPrices | undefined {
  const graded: GradedPrices = {}
  let hasAny = false
  for (const [key, price] of Object.entries(own)) {
    const [grader, ...grade] = key.split('_') as [string, ...string[]]
    graded[grader] ??= {}
    graded[grader][grade.join('.')] = { ebay: { avg_1d: null, avg_7d: null, avg_30d: price } }
    hasAny = true
  }
  return hasAny ? graded : undefined
}
