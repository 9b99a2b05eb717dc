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
  readonly form?: Form
}

type Form = 'json' | '.json' | 'json.gz' | 'csv' | 'csv.gz'

/** Card texts by product. */
const texts: Readonly<Record<number, string>> = {
  452001: 'Choose two &mdash;\r\n<br>"Creatures", you don\'t control, get -2/-0.',
  452002: 'plain',
}

/** A group's line `category|id|name|abbreviation|published|form`, and those of its products, indented. */
function groupOf(lines: string): MirrorGroup {
  const [head = '', ...products] = lines.split('\n  ')
  const [category, id, name = '', abbreviation = '', published = '', form] = head.split('|')
  const group = { category: Number(category), id: Number(id), name, abbreviation, published }
  return { ...group, products: products.map(productOf), ...(form && { form: form as Form }) }
}

/** `id|name|number|rarity|sub-type: market,low,mid,high|…` */
function productOf(product: string): MirrorProduct {
  const [id, name, number, rarity, ...prices] = product.split('|') as [string, string, string, string, ...string[]]
  const text = texts[Number(id)]
  const known = { ...(number && { number }), ...(rarity && { rarity }), ...(text !== undefined && { text }) }
  return { id: Number(id), name, ...known, prices: prices.map(priceOf) }
}

function priceOf(price: string): MirrorPrice {
  const [subType, amounts] = price.split(': ') as [string, string]
  const [market = null, low = null, mid = null, high = null] = JSON.parse(`[${amounts}]`)
  return { subType, market, low, mid, high }
}

export const mirrorGroups: readonly MirrorGroup[] = `3|604|Base Set|BS|1999-01-09T00:00:00
  42346|Alakazam|001/102|Holo Rare|Holofoil: 44.1,30,45.5,99.99
  42382|Charizard|004/102|Holo Rare|1st Edition Holofoil: 9000,7500,9500.5,25000|Holofoil: 350.12,200,340,900
  42400|Base Set Booster Pack|||Normal: 412.5,400,420,500
3|3170|SWSH12: Silver Tempest|SWSH12|2022-11-11T00:00:00|.json
  451396|Lugia VSTAR|139/195|Ultra Rare|Holofoil: 4.53,3.1,5,25.51
  451397|Pidgey|143/195|Common|Reverse Holofoil: 0.25,0.1,0.3,5|Normal: 0.05,0.01,0.15,1000000
  451398|Serena - SV001/SV122|SV001/SV122|Rare|Holofoil: null,1,2,3
  451399|Skarmory EX (145 Full Art)|145/195|Ultra Rare
  451400|Silver Tempest Code Card||Code Card|Normal: 0.01
  451401|Regidrago &amp; Friends  <em>Promo</em>|N/A|Promo|Cosmos Holofoil Deluxe: 3
  451402|Silver Tempest Elite Trainer Box|||Normal: 60
3|23120|Prismatic Evolutions|PRE|2025-01-17T00:00:00.000|json.gz
  610001|Exeggcute|001/131|Common|Normal: 0.07,0.09,0.2,7
  610002|Exeggcute (Poke Ball Pattern)|001/131|Common|Holofoil: 2
  610003|Exeggcute - 001/131 (Master Ball Pattern)|001/131|Common|Holofoil: 20.5
  610004|Steelix (H29)|H29/H32|Rare|Holofoil: 29.99
  610005|Unown (!)|!/28|Rare|Normal: 12
  610006|Golem (14)|14|Rare|Normal: 1
  610007|Pikachu & Zekrom (2024)|099/102 & 100/102|Rare|Normal: 8
  610008|Charmander|101/078 SAR|Special Art|Normal: 88.88
  610009|Third|THREE|Rare|Normal: 3
85|24001|SV: 超電ブレイカー||2024-10-18T00:00:00
  700001|ピカチュウex|033/106|Double Rare|Holofoil: 10
  700002|リザードン|034/106|Rare|Holofoil: 3.5
85|24002|Promos||2026-11-20T20:00:05.5114499Z
  700010|ミュウ|PW 1|Promo|Normal: 25,30,40,50
85|24003|Empty|S1a|2020-01-01T00:00:00
1|3100|The Brothers' War|BRO|2022-11-18T00:00:00.12|csv
  452001|Urza's Command|070|R|Normal: 0.2,0.05,0.25,10|Foil: 1.5,1,2,12
  452002|Cityscape Leveler|233|M
  452003|Draft Booster, "sealed"|||Normal: 4
1|2|Antiquities|ATQ|1994-03-04T00:00:00|csv.gz
  3001|Ashnod&#39;s Altar||U|Normal: 15
1|2576|Secret Lair|SLD|2019-12-02T00:00:00
  200100|Bitterblossom|001|M|Foil: 30
  200050|Bitterblossom (Secret)|001|M|Foil: 33
2|330|Rise of Destiny|RDS|2004-12-01T00:00:00
  22001|Blue-Eyes White Dragon|RDS-EN001|Ultra Rare|1st Edition: 20|Unlimited: 10
2|331|Rise of Destiny (Special)|RDS|2005-01-01T00:00:00
  22010|Blue-Eyes White Dragon|RDS-ENSE1|Ultra Rare|Limited: 5
2|332|Tins|CT|2005-01-01T00:00:00|csv
  22020|Tin|||Unlimited: 50
71|22937|The First Chapter|1|2023-08-18T00:00:00
  508001|Elsa - Spirit of Winter|42/204|Legendary|Cold Foil: 40|Normal: 22
71|22938|Rise of the Floodborn|2|2023-11-17T00:00:00|csv
  508101|Bucky|73/204|Uncommon|Normal: 0.5|Cold Foil: 2
71|22939|Promos|P1|2023-08-18T00:00:00
  508201|Mickey|1/P1|Promo|Holofoil: 9
68|3188|Romance Dawn|OP01|2022-12-02T00:00:00
  450001|Roronoa Zoro (001)|OP01-001|L|Normal: 1.2
  450002|Roronoa Zoro (001) (Alternate Art)|OP01-001|L|Normal: 80
  450003|DON!! Card||DON!!|Normal: 0.4
  450004|X.Drake (054)|OP01-054|R|Foil: 0.3
68|3189|Starter Deck 1|ST-01|2022-12-02T00:00:00|csv
  450101|Monkey.D.Luffy|ST01-001|L|Normal: 3
68|3190|Release Event|OP01-RE|2022-12-02T00:00:00
  450201|Nami (V.2)|OP01-016|R|Normal: 7
79|23405|Spark of Rebellion|SOR|2024-03-08T00:00:00
  530001|Darth Vader - Dark Lord of the Sith|010/252|Rare|Normal: 2
79|23406|Shadows|SHD|2024-07-12T00:00:00|csv
  530101|Bossk|011/262|Common|Normal: 0.1|Foil: 0.9
79|23407|Judge Promos|J24|2024-07-12T00:00:00
  530201|Boba Fett|1|Special|Foil: 300
62|2724|Welcome to Rathe|WTR|2019-10-11T00:00:00
  220001|Heart of Fyendal (Blue)|WTR000|Fabled|1st Edition Cold Foil: 4200|Unlimited Edition Normal: 11
62|2725|Arcane Rising|ARC|2020-03-27T00:00:00|csv
  220101|Eye of Ophidia|ARC000|Fabled
62|2726|Monarch|MON|2021-05-07T00:00:00
  220201|Great Library|MON000|Fabled|Rainbow Foil: 100,100,100,100`
  .split(/\n(?! )/)
  .map(groupOf)
