/** Records of each source in the shape that its publisher documents, with their oddities, and fields of tomorrow. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, file, importInto, importNew } from '../support/import.ts'

/** What an import reports of fields, each once. */
const fieldsOf = (report: { readonly records: readonly { reason: string; record: string }[] }) =>
  report.records.flatMap(({ reason, record }) =>
    /^(is of other prices|of another finish|not in US|another shop|in another currency)/.test(reason) ? [record] : [],
  )

function mirrorWith(prices: readonly object[]): string {
  const dir = temporaryFolder()
  const write = (name: string, content: object) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), JSON.stringify(content))
  }
  const group =
    '{"groupId":3170,"name":"SWSH12: Silver Tempest","abbreviation":"SWSH12","isSupplemental":false,"publishedOn":"2022-11-11T00:00:00","modifiedOn":"2026-11-20T00:00:00","categoryId":3}'
  const product =
    '{"productId":451396,"name":"Lugia VSTAR","cleanName":"Lugia VSTAR","imageUrl":"https://tcgplayer-cdn.example/451396_200w.jpg","categoryId":3,"groupId":3170,"url":"https://www.tcgplayer.example/451396","modifiedOn":"2026-11-20T00:00:00","imageCount":1,"presaleInfo":{"isPresale":false,"releasedOn":null,"note":null},"extendedData":[{"name":"Number","displayName":"Card Number","value":"139/195"},{"name":"Rarity","displayName":"Rarity","value":"Ultra Rare"}]}'
  const envelope = { success: true, errors: [] }
  write('3/groups', { totalItems: 1, ...envelope, results: [JSON.parse(group)] })
  write('3/3170/products', { totalItems: 1, ...envelope, results: [JSON.parse(product)] })
  write('3/3170/prices', { ...envelope, results: prices })
  return dir
}
const price = {
  productId: 451396,
  lowPrice: 0.1,
  midPrice: 0.51,
  highPrice: 25.51,
  marketPrice: 0.53,
  directLowPrice: 0.44,
  subTypeName: 'Holofoil',
}

describe('A documented shape of a source', () => {
  for (const [more, reported] of [
    [{}, []],
    [{ marketPriceEUR: null, foilPrice: 0, updated: 5 }, []],
    [
      { marketPriceEUR: 0.5, foilPrice: 3, reverseLow: 1, conditionId: 1, skuCount: 3 },
      ['marketPriceEUR', 'foilPrice', 'reverseLow', 'conditionId'],
    ],
  ] as const) {
    it(`TCGCSV’s documented rows are imported with the extra fields ${JSON.stringify(more)}`, async () => {
      const rows = [
        { ...price, ...more },
        { ...price, ...more, subTypeName: 'Reverse Holofoil', marketPrice: null },
      ]
      const { out, report } = await importNew('tcgcsv', [mirrorWith(rows)])
      const found = [...cardsById(out).values()].map(({ id, prices }) => [id, prices.market, prices.low])
      const expected = [
        ['pokemon-swsh12-139-holofoil', 0.53, 0.1],
        ['pokemon-swsh12-139-reverse-holofoil', null, 0.1],
      ]
      assert.deepEqual(found, expected)
      assert.deepEqual(fieldsOf(report), reported)
    })
  }

  it('An import of Scryfall reads prices as strings or null, and reports each unknown price field once', async () => {
    const lines = [
      '{"id":"0000419b-0bba-4488-8f7a-6194544ce91e","name":"Titania","lang":"en","set":"bro","set_name":"The Brothers\' War","collector_number":"99b","rarity":"mythic","released_at":"2022-11-18","digital":false,"finishes":["nonfoil","foil"],"image_uris":{"normal":"https://cards.example/a.jpg"},"cardmarket_id":681234,"prices":{"usd":"26.65","usd_foil":"31.39","usd_etched":null,"eur":"19.24","eur_foil":"29.19","tix":"5.82"}}',
      '{"id":"0000579f-7b35-4ed3-b44c-db2a538066fe","name":"Star","lang":"ja","set":"bro","set_name":"The Brothers\' War","collector_number":"★","rarity":"rare","released_at":"2022-11-18","finishes":["foil","surge"],"prices":{"usd":"1","usd_foil":"2.00","usd_surge":"9.00","gbp":"1.10","tix":"0.1"}}',
    ]
    const path = file('default-cards.jsonl', `${lines.join('\n')}\n`)
    const { out, report } = await importNew('scryfall', [path], { date: '2026-11-20' })
    const found = [...cardsById(out).values()].map(({ number, printing, prices }) => [number, printing, prices.market])
    const expected = [
      ['99b', 'Normal', 26.65],
      ['99b', 'Foil', 31.39],
      ['★', 'Foil', 2],
      ['★', 'surge', null],
    ]
    assert.deepEqual(found.sort(), expected.sort())
    assert.deepEqual(fieldsOf(report), ['tix', 'usd_surge', 'gbp'])
  })

  it('An import of MTGJSON accepts prices that lack any level, and reports unknown shops, currencies and finishes once', async () => {
    const uuid = (end: number) => `aa261b2e-59a7-53a6-83c4-d1f55f51a9e${end}`
    const card = (end: number, number: string) => ({
      uuid: uuid(end),
      name: 'Titania',
      number,
      rarity: 'mythic',
      finishes: ['nonfoil', 'foil'],
      identifiers: {
        scryfallId: '0000419b-0bba-4488-8f7a-6194544ce91e',
        tcgplayerProductId: `45200${end}`,
        mcmId: '681234',
      },
    })
    const meta = { date: '2026-08-01', version: '5.2.2+20260801' }
    const set = {
      name: "The Brothers' War",
      code: 'BRO',
      releaseDate: '2022-11-18',
      cards: [card(1, '1'), card(2, '2'), card(3, '3')],
    }
    const day = { '2026-08-01': 14.87 }
    const data = {
      [uuid(1)]: {
        paper: {
          tcgplayer: { currency: 'USD', retail: { normal: day, foil: {}, etched: {} }, buylist: {} },
          cardmarket: { currency: 'EUR', retail: { foil: day, surge: day } },
          cardkingdom: { currency: 'USD', buylist: { glossy: day, foil: { '2026-08-01': 3 } } },
          manapool: { currency: 'GBP', retail: { normal: day } },
          newshop: { currency: 'USD', retail: { normal: day } },
        },
        mtgo: { cardhoarder: {} },
      },
      [uuid(2)]: { paper: {} },
      [uuid(3)]: { mtgo: {} },
    }
    const files = [
      file('AllPrintings.json', JSON.stringify({ meta, data: { BRO: set } })),
      file('AllPrices.json', JSON.stringify({ meta, data })),
    ]
    const { out, report } = await importNew('mtgjson', files)
    const cards = cardsById(out)
    assert.equal(cards.get('mtg-bro-1').prices.market, 14.87)
    assert.equal(cards.get('mtg-bro-1-foil').prices.market, null)
    // biome-ignore lint/suspicious/noExplicitAny: records of files
    const markets = cards.get('mtg-bro-1-foil').markets.map((one: any) => [one.market, one.price, one.buylist])
    assert.deepEqual(markets, [
      ['cardmarket', 14.87, null],
      ['cardkingdom', null, 3],
    ])
    assert.deepEqual(fieldsOf(report), ['cardmarket surge', 'cardkingdom glossy', 'manapool GBP', 'newshop'])
  })

  it('A PriceCharting guide with all documented columns, commas in dollars and unknown grades is imported', async () => {
    const columns =
      'id,console-name,product-name,loose-price,cib-price,new-price,graded-price,box-only-price,manual-only-price,bgs-10-price,condition-17-price,condition-18-price,gamestop-price,gamestop-trade-price,retail-loose-buy,retail-loose-sell,retail-cib-buy,retail-cib-sell,retail-new-buy,retail-new-sell,upc,sales-volume,genre,tcg-id,asin,epid,release-date'
    const prices =
      '"$1,234.56",,$8.00,$9.00,$9.50,$10.00,$0.00,$17.00,$18.00,,,$1.00,$2.00,,,,,,120,Pokemon Card,451396,,,2022-11-11'
    const row = `1,Pokemon Silver Tempest,Lugia VSTAR #139,${prices}`
    for (const [header, values, reported] of [
      ['', '', []],
      [
        ',tag-10-graded-price,cgc-pristine-price,loose-price-gbp',
        ',$1.00,$2.00,£3',
        ['tag-10-graded-price', 'cgc-pristine-price', 'loose-price-gbp'],
      ],
    ] as const) {
      const { out } = await importNew('tcgcsv', [mirrorWith([price])])
      const path = file('pokemon-cards.csv', `${columns}${header}\r\n${row}${values}\r\n`)
      const { report } = await importInto(out, 'pricecharting', [path])
      const expected = { bgs_10: undefined, cgc_10: 17, grade_8: 8, grade_9: 9, grade_9_5: 9.5, psa_10: 10, sgc_10: 18 }
      assert.deepEqual(
        { bgs_10: undefined, ...cardsById(out).get('pokemon-swsh12-139-holofoil').prices.graded },
        expected,
      )
      assert.deepEqual(fieldsOf(report), reported)
    }
  })

  it('A Cardmarket guide with all documented fields and zeros is imported', async () => {
    const guide =
      '{"version":1,"createdAt":"2026-11-20T02:45:00+0200","priceGuides":[{"idProduct":1,"idCategory":51,"avg":0.6,"low":0.02,"trend":0.55,"avg1":0.5,"avg7":0.6,"avg30":0.7,"avg-holo":1.6,"low-holo":0.5,"trend-holo":1.54,"avg1-holo":0,"avg7-holo":1.4,"avg30-holo":1.5}]}'
    const rows = [price, { ...price, subTypeName: 'Reverse Holofoil' }]
    const { out } = await importNew('tcgcsv', [mirrorWith(rows)])
    const ids = [...cardsById(out).keys()].map((id) => `${id},cardmarketId,1\n`)
    await importInto(out, 'overlay', [file('ids.csv', `id,key,price\n${ids.join('')}`)])
    const path = file('price_guide_6.json', guide)
    const { report } = await importInto(out, 'cardmarket', [dirname(path)])
    const found = [...cardsById(out).values()].map(({ markets: [{ price, low }] }) => [price, low])
    assert.deepEqual(found, [
      [0.55, 0.02],
      [1.54, 0.5],
    ])
    assert.deepEqual(fieldsOf(report), [])
  })
})
