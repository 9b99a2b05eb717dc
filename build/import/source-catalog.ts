/**
 * One form for the catalogs, prices and history of all sources, and the schemas by which source caches are read. Prices
 * are whole cents from here until they are written.
 */
import * as v from 'valibot'
import { type GameSlug, slugForm } from '../../src/games.ts'

/** The sources of cards, by their names in files and options, in the default order of preference. */
export const catalogSources = ['tcgcsv', 'scryfall', 'mtgjson'] as const
export type CatalogSource = (typeof catalogSources)[number]

/** The name of each source in a card's field `sources`. */
export const sourceLabels: Readonly<Record<CatalogSource, string>> = {
  tcgcsv: 'tcgplayer',
  scryfall: 'scryfall',
  mtgjson: 'mtgjson',
}

/** The currency of a snapshot folder's own prices. */
export const currencies = ['USD', 'EUR'] as const
export type Currency = (typeof currencies)[number]

const game = v.pipe(v.string(), v.regex(slugForm))
const text = v.string()
const textOrNull = v.nullable(text)
const wholeOrNull = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))
/** Null if unknown. */
const cents = wholeOrNull

export const sourceSetSchema = v.strictObject({
  /** TCGplayer's group, else the source's set code. */
  key: text,
  game,
  /** The abbreviation from which the set's code is made; empty if unknown. */
  abbreviation: text,
  name: text,
  /** YYYY-MM-DD */
  releaseDate: textOrNull,
  /** TCGplayer's group; null if the source has none. */
  group: wholeOrNull,
  /** The total in the printed numbers of the set's cards: 102 in `4/102`. */
  printedTotal: v.exactOptional(v.number()),
})
export type SourceSet = Readonly<v.InferOutput<typeof sourceSetSchema>>

/** A card's prices at one market, besides the card's own prices. At least one of them is known. */
export const marketSchema = v.strictObject({
  market: text,
  currency: text,
  price: cents,
  low: cents,
  /** The price that a shop pays. */
  buylist: cents,
  /** YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ */
  updatedAt: textOrNull,
})
export type Market = Readonly<v.InferOutput<typeof marketSchema>>

/** A card of a source. Each printing is a card. */
export const sourceCardSchema = v.strictObject({
  /**
   * The source's own key, as in `import/ids.ndjson`. TCGplayer's key has the product and the sub-type with a space
   * between them, and only the product if it is unpriced. MTGJSON's key has the uuid and the finish; Scryfall's key,
   * the id and the finish.
   */
  key: text,
  set: text,
  game,
  name: text,
  number: textOrNull,
  rarity: textOrNull,
  image: textOrNull,
  /**
   * TCGplayer's product and sub-type. If cards of two sources have the same product and sub-type, they are one card.
   */
  product: wholeOrNull,
  subType: textOrNull,
  /** True for the product's first sub-type: `Normal`, else the first by name. */
  first: v.boolean(),
  market: cents,
  low: cents,
  mid: cents,
  high: cents,
  /** When the prices were valid, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ; null if there are none. */
  day: textOrNull,
  /** The card's id at Scryfall, if the source is another one and knows the id. */
  scryfallId: v.exactOptional(text),
  /**
   * A second product, to which the finish may belong instead of `product`. TCGplayer's own catalog decides between
   * them.
   */
  alternativeProduct: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  cardmarketId: v.exactOptional(v.number()),
  /** Each market and currency occurs once. */
  markets: v.exactOptional(v.pipe(v.array(marketSchema), v.readonly())),
})
export type SourceCard = Readonly<v.InferOutput<typeof sourceCardSchema>>

export const unpriced = { market: null, low: null, mid: null, high: null, day: null }

/** The rarity of sealed products, which have no number. */
export const sealedRarity = 'Sealed'
export const isSealed = ({ number, rarity }: Pick<SourceCard, 'number' | 'rarity'>): boolean =>
  number === null && rarity === sealedRarity

export type LinkedCard = Pick<SourceCard, 'product' | 'alternativeProduct' | 'subType' | 'first'>

/** TCGplayer's products to which the card may belong. */
export const productsOf = ({ product, alternativeProduct }: LinkedCard): readonly number[] =>
  [product, alternativeProduct].filter((one) => one !== null && one !== undefined)

/** All sets and cards of a source. Some were read in this import, and some are kept from the previous import. */
export interface SourceCatalog {
  readonly sets: readonly SourceSet[]
  readonly cards: readonly SourceCard[]
}

/**
 * A price of an existing card. `key` is `market`, `low`, `mid`, `high`, a condition (`near_mint`), a grade (`psa_10`),
 * or a market and its currency (`market:cardmarket:EUR`).
 */
export const layerPriceSchema = v.strictObject({ id: text, key: text, cents: v.pipe(v.number(), v.integer()) })
export type LayerPrice = Readonly<v.InferOutput<typeof layerPriceSchema>>

/** An overlay's row with this key has a card's id at Cardmarket in place of a price. */
export const cardmarketKey = 'cardmarketId'

/** An existing card's product at Cardmarket. */
export interface CardmarketProduct {
  readonly id: string
  readonly cardmarketId: number
}

/** Prices of a Cardmarket product. They apply to the cards that have the product's id. */
export const productPricesSchema = v.strictObject({
  product: v.number(),
  /** The games whose cards may have the product's id. The first game names the guide. */
  games: v.pipe(v.array(game), v.readonly()),
  /** The day of the prices, YYYY-MM-DD. */
  day: text,
  price: cents,
  low: cents,
  /** The prices of the product's other finish, which is Reverse Holofoil or foil: `write/guide-prices.ts`. */
  foilPrice: cents,
  foilLow: cents,
})
export type ProductPrices = Readonly<v.InferOutput<typeof productPricesSchema>>

/** Prices of an existing card, which is named by set, number and name. `prices` are pairs of a key and cents. */
export const namedPricesSchema = v.strictObject({
  game,
  setName: text,
  number: text,
  name: text,
  prices: v.pipe(v.array(v.pipe(v.tuple([text, v.number()]), v.readonly())), v.readonly()),
})
export type NamedPrices = Readonly<v.InferOutput<typeof namedPricesSchema>>

/**
 * Prices that replace or complete those of existing cards, and ids at Cardmarket, by which cards get prices from other
 * layers.
 */
export interface Layer {
  /** The layer's name in a card's field `sources`. */
  readonly label: string
  /** The imported file's name without its folder, so that the same file in another folder gives the same bytes. */
  readonly file: string
  /** The day of the prices, YYYY-MM-DD. */
  readonly day: string
  readonly byId: readonly LayerPrice[]
  readonly cardmarketIds: readonly CardmarketProduct[]
  readonly byName: readonly NamedPrices[]
  readonly byProduct: readonly ProductPrices[]
}

/** The prices of a day as columns: cents, or `unknownCents`. */
export interface DayPrices {
  readonly day: string
  readonly market: Int32Array
  readonly low: Int32Array | null
  readonly high: Int32Array | null
}

export const unknownCents = -1

export interface SourceHistory {
  /**
   * The ids by index in the columns. By default, they are the ids of the catalog's cards except the first `kept` cards.
   * The history rows of those first cards stay as they were.
   */
  readonly ids?: readonly string[]
  readonly kept?: number
  /** Lazy, so that only one day is in memory. */
  readonly days: () => Iterable<DayPrices> | AsyncIterable<DayPrices>
  /** The prices' currency: US dollars if it is absent. */
  readonly currency?: Currency
  /**
   * True for an id whose history rows stay, besides those of the first `kept` cards. An import of an archive keeps the
   * rows of games that it does not import.
   */
  readonly isKept?: ((id: string) => boolean) | undefined
}

/** A set to be written. Its fields have the order of the format. */
export interface ComposedSet {
  readonly game: GameSlug
  readonly code: string
  readonly name: string
  readonly releaseDate: string | null
  readonly printedTotal?: number
}

/** A card to be written. */
export interface ComposedCard {
  readonly id: string
  readonly game: GameSlug
  readonly name: string
  readonly setCode: string
  readonly setName: string
  readonly number: string | null
  readonly rarity: string | null
  readonly image: string | null
  readonly prices: Record<'market' | 'low' | 'mid' | 'high', number | null>
  /**
   * `conditions` has cents by condition, and `graded` has cents by grade. Each is null if no layer has such a price.
   */
  conditions: Map<string, number> | null
  graded: Map<string, number> | null
  sources: string[]
  /** YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ */
  updatedAt: string | null
  readonly tcgplayerId: number | null
  readonly printing: string | null
  readonly scryfallId: string | null
  readonly mtgjsonId: string | null
  cardmarketId: number | null
  /** Each market and currency occurs once. */
  markets: readonly Market[]
  readonly writer: CatalogSource
}
