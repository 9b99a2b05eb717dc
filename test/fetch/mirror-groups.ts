/**
 * A small mirror of TCGCSV, written by hand after what its files are like: three groups or more of each of the
 * eight games, with the oddities that were met in real ones.
 */

export interface MirrorPrice {
  readonly subType: string
  readonly low?: number | null
  readonly mid?: number | null
  readonly high?: number | null
  readonly market?: number | null
}

export interface MirrorProduct {
  readonly id: number
  readonly name: string
  readonly number?: string
  readonly rarity?: string
  /** Card text, which holds HTML. */
  readonly text?: string
  readonly prices?: readonly MirrorPrice[]
}

export interface MirrorGroup {
  readonly category: number
  readonly id: number
  readonly name: string
  readonly abbreviation: string
  readonly published: string
  readonly products: readonly MirrorProduct[]
  /** How its files lie there: two of JSON, or one of CSV. */
  readonly form?: 'json' | '.json' | 'json.gz' | 'csv' | 'csv.gz'
}

const price = (
  subType: string,
  market: number | null,
  low: number | null = null,
  mid: number | null = null,
  high: number | null = null,
): MirrorPrice => ({
  subType,
  market,
  low,
  mid,
  high,
})

const pokemon: readonly MirrorGroup[] = [
  {
    category: 3,
    id: 604,
    name: 'Base Set',
    abbreviation: 'BS',
    published: '1999-01-09T00:00:00',
    products: [
      {
        id: 42346,
        name: 'Alakazam',
        number: '001/102',
        rarity: 'Holo Rare',
        prices: [price('Holofoil', 44.1, 30, 45.5, 99.99)],
      },
      {
        id: 42382,
        name: 'Charizard',
        number: '004/102',
        rarity: 'Holo Rare',
        prices: [price('1st Edition Holofoil', 9000, 7500, 9500.5, 25000), price('Holofoil', 350.12, 200, 340, 900)],
      },
      { id: 42400, name: 'Base Set Booster Pack', prices: [price('Normal', 412.5, 400, 420, 500)] },
    ],
  },
  {
    category: 3,
    id: 3170,
    name: 'SWSH12: Silver Tempest',
    abbreviation: 'SWSH12',
    published: '2022-11-11T00:00:00',
    form: '.json',
    products: [
      {
        id: 451396,
        name: 'Lugia VSTAR',
        number: '139/195',
        rarity: 'Ultra Rare',
        prices: [price('Holofoil', 4.53, 3.1, 5, 25.51)],
      },
      {
        id: 451397,
        name: 'Pidgey',
        number: '143/195',
        rarity: 'Common',
        prices: [price('Reverse Holofoil', 0.25, 0.1, 0.3, 5), price('Normal', 0.05, 0.01, 0.15, 1000000)],
      },
      {
        id: 451398,
        name: 'Serena - SV001/SV122',
        number: 'SV001/SV122',
        rarity: 'Rare',
        prices: [price('Holofoil', null, 1, 2, 3)],
      },
      { id: 451399, name: 'Skarmory EX (145 Full Art)', number: '145/195', rarity: 'Ultra Rare', prices: [] },
      { id: 451400, name: 'Silver Tempest Code Card', rarity: 'Code Card', prices: [price('Normal', 0.01)] },
      {
        id: 451401,
        name: 'Regidrago &amp; Friends  <em>Promo</em>',
        number: 'N/A',
        rarity: 'Promo',
        prices: [price('Cosmos Holofoil Deluxe', 3)],
      },
      { id: 451402, name: 'Silver Tempest Elite Trainer Box', prices: [price('Normal', 60)] },
    ],
  },
  {
    category: 3,
    id: 23120,
    name: 'Prismatic Evolutions',
    abbreviation: 'PRE',
    published: '2025-01-17T00:00:00.000',
    form: 'json.gz',
    products: [
      {
        id: 610001,
        name: 'Exeggcute',
        number: '001/131',
        rarity: 'Common',
        prices: [price('Normal', 0.07, 0.09, 0.2, 7)],
      },
      {
        id: 610002,
        name: 'Exeggcute (Poke Ball Pattern)',
        number: '001/131',
        rarity: 'Common',
        prices: [price('Holofoil', 2)],
      },
      {
        id: 610003,
        name: 'Exeggcute - 001/131 (Master Ball Pattern)',
        number: '001/131',
        rarity: 'Common',
        prices: [price('Holofoil', 20.5)],
      },
      { id: 610004, name: 'Steelix (H29)', number: 'H29/H32', rarity: 'Rare', prices: [price('Holofoil', 29.99)] },
      { id: 610005, name: 'Unown (!)', number: '!/28', rarity: 'Rare', prices: [price('Normal', 12)] },
      { id: 610006, name: 'Golem (14)', number: '14', rarity: 'Rare', prices: [price('Normal', 1)] },
      {
        id: 610007,
        name: 'Pikachu & Zekrom (2024)',
        number: '099/102 & 100/102',
        rarity: 'Rare',
        prices: [price('Normal', 8)],
      },
      {
        id: 610008,
        name: 'Charmander',
        number: '101/078 SAR',
        rarity: 'Special Art',
        prices: [price('Normal', 88.88)],
      },
      { id: 610009, name: 'Third', number: 'THREE', rarity: 'Rare', prices: [price('Normal', 3)] },
    ],
  },
]

const japaneseMagicYugioh: readonly MirrorGroup[] = [
  {
    category: 85,
    id: 24001,
    name: 'SV: 超電ブレイカー',
    abbreviation: '',
    published: '2024-10-18T00:00:00',
    products: [
      { id: 700001, name: 'ピカチュウex', number: '033/106', rarity: 'Double Rare', prices: [price('Holofoil', 10)] },
      { id: 700002, name: 'リザードン', number: '034/106', rarity: 'Rare', prices: [price('Holofoil', 3.5)] },
    ],
  },
  {
    category: 85,
    id: 24002,
    name: 'Promos',
    abbreviation: '',
    published: '2026-11-20T20:00:05.5114499Z',
    products: [
      { id: 700010, name: 'ミュウ', number: 'PW 1', rarity: 'Promo', prices: [price('Normal', 25, 30, 40, 50)] },
    ],
  },
  { category: 85, id: 24003, name: 'Empty', abbreviation: 'S1a', published: '2020-01-01T00:00:00', products: [] },
  {
    category: 1,
    id: 3100,
    name: "The Brothers' War",
    abbreviation: 'BRO',
    published: '2022-11-18T00:00:00.12',
    form: 'csv',
    products: [
      {
        id: 452001,
        name: "Urza's Command",
        number: '070',
        rarity: 'R',
        text: 'Choose two &mdash;\r\n<br>"Creatures", you don\'t control, get -2/-0.',
        prices: [price('Normal', 0.2, 0.05, 0.25, 10), price('Foil', 1.5, 1, 2, 12)],
      },
      { id: 452002, name: 'Cityscape Leveler', number: '233', rarity: 'M', text: 'plain', prices: [] },
      { id: 452003, name: 'Draft Booster, "sealed"', prices: [price('Normal', 4)] },
    ],
  },
  {
    category: 1,
    id: 2,
    name: 'Antiquities',
    abbreviation: 'ATQ',
    published: '1994-03-04T00:00:00',
    form: 'csv.gz',
    products: [{ id: 3001, name: 'Ashnod&#39;s Altar', rarity: 'U', prices: [price('Normal', 15)] }],
  },
  {
    category: 1,
    id: 2576,
    name: 'Secret Lair',
    abbreviation: 'SLD',
    published: '2019-12-02T00:00:00',
    products: [
      { id: 200100, name: 'Bitterblossom', number: '001', rarity: 'M', prices: [price('Foil', 30)] },
      { id: 200050, name: 'Bitterblossom (Secret)', number: '001', rarity: 'M', prices: [price('Foil', 33)] },
    ],
  },
  {
    category: 2,
    id: 330,
    name: 'Rise of Destiny',
    abbreviation: 'RDS',
    published: '2004-12-01T00:00:00',
    products: [
      {
        id: 22001,
        name: 'Blue-Eyes White Dragon',
        number: 'RDS-EN001',
        rarity: 'Ultra Rare',
        prices: [price('1st Edition', 20), price('Unlimited', 10)],
      },
    ],
  },
  {
    category: 2,
    id: 331,
    name: 'Rise of Destiny (Special)',
    abbreviation: 'RDS',
    published: '2005-01-01T00:00:00',
    products: [
      {
        id: 22010,
        name: 'Blue-Eyes White Dragon',
        number: 'RDS-ENSE1',
        rarity: 'Ultra Rare',
        prices: [price('Limited', 5)],
      },
    ],
  },
  {
    category: 2,
    id: 332,
    name: 'Tins',
    abbreviation: 'CT',
    published: '2005-01-01T00:00:00',
    form: 'csv',
    products: [{ id: 22020, name: 'Tin', prices: [price('Unlimited', 50)] }],
  },
]

const others: readonly MirrorGroup[] = [
  {
    category: 71,
    id: 22937,
    name: 'The First Chapter',
    abbreviation: '1',
    published: '2023-08-18T00:00:00',
    products: [
      {
        id: 508001,
        name: 'Elsa - Spirit of Winter',
        number: '42/204',
        rarity: 'Legendary',
        prices: [price('Cold Foil', 40), price('Normal', 22)],
      },
    ],
  },
  {
    category: 71,
    id: 22938,
    name: 'Rise of the Floodborn',
    abbreviation: '2',
    published: '2023-11-17T00:00:00',
    form: 'csv',
    products: [
      {
        id: 508101,
        name: 'Bucky',
        number: '73/204',
        rarity: 'Uncommon',
        prices: [price('Normal', 0.5), price('Cold Foil', 2)],
      },
    ],
  },
  {
    category: 71,
    id: 22939,
    name: 'Promos',
    abbreviation: 'P1',
    published: '2023-08-18T00:00:00',
    products: [{ id: 508201, name: 'Mickey', number: '1/P1', rarity: 'Promo', prices: [price('Holofoil', 9)] }],
  },
  {
    category: 68,
    id: 3188,
    name: 'Romance Dawn',
    abbreviation: 'OP01',
    published: '2022-12-02T00:00:00',
    products: [
      { id: 450001, name: 'Roronoa Zoro (001)', number: 'OP01-001', rarity: 'L', prices: [price('Normal', 1.2)] },
      {
        id: 450002,
        name: 'Roronoa Zoro (001) (Alternate Art)',
        number: 'OP01-001',
        rarity: 'L',
        prices: [price('Normal', 80)],
      },
      { id: 450003, name: 'DON!! Card', rarity: 'DON!!', prices: [price('Normal', 0.4)] },
      { id: 450004, name: 'X.Drake (054)', number: 'OP01-054', rarity: 'R', prices: [price('Foil', 0.3)] },
    ],
  },
  {
    category: 68,
    id: 3189,
    name: 'Starter Deck 1',
    abbreviation: 'ST-01',
    published: '2022-12-02T00:00:00',
    form: 'csv',
    products: [{ id: 450101, name: 'Monkey.D.Luffy', number: 'ST01-001', rarity: 'L', prices: [price('Normal', 3)] }],
  },
  {
    category: 68,
    id: 3190,
    name: 'Release Event',
    abbreviation: 'OP01-RE',
    published: '2022-12-02T00:00:00',
    products: [{ id: 450201, name: 'Nami (V.2)', number: 'OP01-016', rarity: 'R', prices: [price('Normal', 7)] }],
  },
  {
    category: 79,
    id: 23405,
    name: 'Spark of Rebellion',
    abbreviation: 'SOR',
    published: '2024-03-08T00:00:00',
    products: [
      {
        id: 530001,
        name: 'Darth Vader - Dark Lord of the Sith',
        number: '010/252',
        rarity: 'Rare',
        prices: [price('Normal', 2)],
      },
    ],
  },
  {
    category: 79,
    id: 23406,
    name: 'Shadows',
    abbreviation: 'SHD',
    published: '2024-07-12T00:00:00',
    form: 'csv',
    products: [
      {
        id: 530101,
        name: 'Bossk',
        number: '011/262',
        rarity: 'Common',
        prices: [price('Normal', 0.1), price('Foil', 0.9)],
      },
    ],
  },
  {
    category: 79,
    id: 23407,
    name: 'Judge Promos',
    abbreviation: 'J24',
    published: '2024-07-12T00:00:00',
    products: [{ id: 530201, name: 'Boba Fett', number: '1', rarity: 'Special', prices: [price('Foil', 300)] }],
  },
  {
    category: 62,
    id: 2724,
    name: 'Welcome to Rathe',
    abbreviation: 'WTR',
    published: '2019-10-11T00:00:00',
    products: [
      {
        id: 220001,
        name: 'Heart of Fyendal (Blue)',
        number: 'WTR000',
        rarity: 'Fabled',
        prices: [price('1st Edition Cold Foil', 4200), price('Unlimited Edition Normal', 11)],
      },
    ],
  },
  {
    category: 62,
    id: 2725,
    name: 'Arcane Rising',
    abbreviation: 'ARC',
    published: '2020-03-27T00:00:00',
    form: 'csv',
    products: [{ id: 220101, name: 'Eye of Ophidia', number: 'ARC000', rarity: 'Fabled', prices: [] }],
  },
  {
    category: 62,
    id: 2726,
    name: 'Monarch',
    abbreviation: 'MON',
    published: '2021-05-07T00:00:00',
    products: [
      {
        id: 220201,
        name: 'Great Library',
        number: 'MON000',
        rarity: 'Fabled',
        prices: [price('Rainbow Foil', 100, 100, 100, 100)],
      },
    ],
  },
]

export const mirrorGroups: readonly MirrorGroup[] = [...pokemon, ...japaneseMagicYugioh, ...others]
