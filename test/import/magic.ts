/** MTGJSON's and Scryfall's files in small, of the cards that the mirror has and of some that it has not. */

export const magicCard = (uuid: string, name: string, number: string, more: object = {}) => ({
  uuid,
  name,
  number,
  rarity: 'rare',
  finishes: ['nonfoil'],
  identifiers: {},
  ...more,
})

/** A uuid that ends in these digits. */
export const uuid = (end: number): string => `00000000-0000-4000-8000-${String(end).padStart(12, '0')}`

export const brothersWar = {
  name: "The Brothers' War",
  code: 'BRO',
  releaseDate: '2022-11-18',
  cards: [
    magicCard(uuid(1), "Urza's Command", '70', {
      finishes: ['foil', 'nonfoil'],
      identifiers: { tcgplayerProductId: '452001' },
    }),
    magicCard(uuid(2), 'Cityscape Leveler', '233', { identifiers: { tcgplayerProductId: '452002' } }),
    magicCard(uuid(3), 'Mishra // Claimed by Gix', '216', {
      side: 'a',
      finishes: ['nonfoil', 'etched'],
      identifiers: { tcgplayerProductId: '460000', tcgplayerEtchedProductId: '460001' },
    }),
    magicCard(uuid(4), 'Mishra // Claimed by Gix', '216', { side: 'b', identifiers: { tcgplayerProductId: '460000' } }),
    magicCard(uuid(5), 'Arena Only', 'A-1', { isOnlineOnly: true }),
    magicCard(uuid(6), 'Star', '★', {
      finishes: ['foil', 'etched'],
      identifiers: { tcgplayerProductId: '460010', tcgplayerEtchedProductId: '460010' },
    }),
  ],
}

export const meta = { date: '2026-11-20', version: '5.2.2+20261120' }

export const allPrintings = (
  sets: Record<string, object> = {
    BRO: brothersWar,
    XYZ: { name: 'Of its own', releaseDate: '2026-01-01', cards: [magicCard(uuid(7), 'Lonely', '1')] },
  },
): string => JSON.stringify({ meta, data: sets })

/** A shop's prices, or what it pays, by finish and day. */
export const shop = (currency: string, retail: object, buylist?: object) => ({
  currency,
  retail,
  ...(buylist && { buylist }),
})

export const allPrices = (): string =>
  JSON.stringify({
    meta,
    data: {
      [uuid(1)]: {
        paper: {
          tcgplayer: shop(
            'USD',
            { normal: { '2026-11-18': 0.3, '2026-11-20': 2.5 }, foil: { '2026-11-19': 1.25 } },
            {},
          ),
          cardmarket: shop('EUR', { normal: { '2026-11-20': 9 } }),
        },
        mtgo: {},
      },
      [uuid(3)]: { paper: { tcgplayer: shop('USD', { etched: { '2026-11-20': 7 }, normal: {} }) } },
      [uuid(7)]: {
        paper: {
          tcgplayer: shop('USD', { normal: { '2026-11-20': 0.99 } }),
          cardkingdom: shop('USD', { normal: { '2026-11-20': 3 } }),
        },
      },
      [uuid(99)]: { paper: { tcgplayer: shop('USD', { normal: { '2026-11-20': 5 } }) } },
      [uuid(2)]: {},
    },
  })

export const scryfallCard = (id: number, name: string, number: string, more: object = {}) => ({
  id: uuid(1000 + id),
  name,
  lang: 'en',
  set: 'bro',
  set_name: "The Brothers' War",
  collector_number: number,
  rarity: 'mythic',
  released_at: '2022-11-18',
  finishes: ['nonfoil', 'foil'],
  image_uris: { normal: `https://cards.example/normal/${id}.jpg?1` },
  prices: { usd: '26.65', usd_foil: '31.39', usd_etched: null, eur: '19.24', eur_foil: null, tix: '5.82' },
  ...more,
})

export const scryfallCards = [
  scryfallCard(1, "Urza's Command", '70', { tcgplayer_id: 452001 }),
  scryfallCard(2, 'Titania', '99b', { finishes: ['nonfoil'] }),
  scryfallCard(3, 'Digital', '1', { digital: true }),
  scryfallCard(4, 'Etched', '300', {
    finishes: ['etched'],
    prices: { usd: null, usd_foil: null, usd_etched: '4.00' },
    tcgplayer_etched_id: 470000,
  }),
  scryfallCard(5, 'Two Faces', '301', {
    image_uris: undefined,
    card_faces: [{ image_uris: { normal: 'https://cards.example/normal/5.jpg' } }],
    finishes: ['nonfoil'],
    prices: { usd: null },
  }),
]
