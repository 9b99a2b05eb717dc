/** Magic from MTGJSON and Scryfall, alone and beside TCGplayer's cards. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Report } from '../../build/import/import-report.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  cardsById,
  contentOf,
  errorsOf,
  file,
  historyOf,
  importInto,
  importNew,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { allPrices, allPrintings, brothersWar, magicCard, meta, scryfallCard, scryfallCards, uuid } from './magic.ts'

const linked = structuredClone(brothersWar)
Object.assign(linked.cards[0]!.identifiers, { scryfallId: uuid(1001).toUpperCase() })
const ofItsOwn = [magicCard(uuid(7), 'Lonely', '1'), magicCard(uuid(8), 'None', '8', { finishes: [] })]
const sets = {
  BRO: linked,
  XYZ: { name: 'Of its own', releaseDate: '2026-01-01', cards: ofItsOwn },
  ONL: { name: 'Online', isOnlineOnly: true, cards: [1, 2] },
}
const printings = file('AllPrintings.json', allPrintings(sets))
const prices = file('AllPrices.json.gz', gzipSync(allPrices()))
const bulk = file('default-cards.jsonl', scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join(''))
const mirror = writeMirror()
const paths: Readonly<Record<string, readonly string[]>> = {
  tcgcsv: [mirror],
  mtgjson: [printings, prices],
  scryfall: [bulk],
}

/** A folder into which these sources are imported one after the other, of a day where they tell none. */
async function importedOf(...sources: string[]): Promise<string> {
  const out = temporaryFolder()
  for (const source of sources)
    await importInto(out, source, paths[source]!, source === 'mtgjson' ? {} : { date: '2026-11-20' })
  return out
}

/** With uuids cut to their ends. */
const short = (text: string): string => text.replaceAll(/0{8}-0000-4000-8000-0{8}/g, '…')
const linesIn = (out: string, name: string): string => short(readFileSync(join(out, name), 'utf8'))
const leftOutIn = ({ records }: Report) =>
  records.map(({ file, place, reason, record }) => [file, place, reason, short(record)])

describe('MTGJSON alone', () => {
  it('MTGJSON alone gives sets, cards in each finish, and a day of history for each date', async () => {
    const { out, report } = await importNew('mtgjson', [printings, prices])
    const days = ['18', '19', '20'].flatMap((day) => historyOf(out, `2026-11-${day}-mtgjson.csv.gz`))
    assert.equal(
      `${linesIn(out, 'sets/mtgjson.ndjson')}${linesIn(out, 'cards/mtgjson-mtg.ndjson')}${days.join('\n')}`,
      `\
{"game":"mtg","code":"bro","name":"The Brothers' War","releaseDate":"2022-11-18"}
{"game":"mtg","code":"xyz","name":"Of its own","releaseDate":"2026-01-01"}
{"id":"mtg-bro-…0006-etched","game":"mtg","name":"Star [Etched]","setCode":"bro","number":"★","rarity":"rare","image":null,"prices":{"market":null,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":null,"tcgplayerId":460010,"printing":"Etched","scryfallId":null,"mtgjsonId":"…0006"}
{"id":"mtg-bro-…0006-foil","game":"mtg","name":"Star [Foil]","setCode":"bro","number":"★","rarity":"rare","image":null,"prices":{"market":null,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":null,"tcgplayerId":460010,"printing":"Foil","scryfallId":null,"mtgjsonId":"…0006"}
{"id":"mtg-bro-216","game":"mtg","name":"Mishra // Claimed by Gix","setCode":"bro","number":"216","rarity":"rare","image":null,"prices":{"market":null,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":null,"tcgplayerId":460000,"printing":"Normal","scryfallId":null,"mtgjsonId":"…0003"}
{"id":"mtg-bro-216-etched","game":"mtg","name":"Mishra // Claimed by Gix [Etched]","setCode":"bro","number":"216","rarity":"rare","image":null,"prices":{"market":7,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":460001,"printing":"Etched","scryfallId":null,"mtgjsonId":"…0003"}
{"id":"mtg-bro-233","game":"mtg","name":"Cityscape Leveler","setCode":"bro","number":"233","rarity":"rare","image":null,"prices":{"market":null,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":null,"tcgplayerId":452002,"printing":"Normal","scryfallId":null,"mtgjsonId":"…0002"}
{"id":"mtg-bro-70","game":"mtg","name":"Urza's Command","setCode":"bro","number":"70","rarity":"rare","image":null,"prices":{"market":2.5,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":452001,"printing":"Normal","scryfallId":"…1001","mtgjsonId":"…0001","markets":[{"market":"cardmarket","currency":"EUR","price":9,"low":null,"buylist":null,"updatedAt":"2026-11-20"}]}
{"id":"mtg-bro-70-foil","game":"mtg","name":"Urza's Command [Foil]","setCode":"bro","number":"70","rarity":"rare","image":null,"prices":{"market":1.25,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":"2026-11-19T00:00:00Z","tcgplayerId":452001,"printing":"Foil","scryfallId":"…1001","mtgjsonId":"…0001"}
{"id":"mtg-xyz-1","game":"mtg","name":"Lonely","setCode":"xyz","number":"1","rarity":"rare","image":null,"prices":{"market":0.99,"low":null,"mid":null,"high":null},"sources":["mtgjson"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":null,"printing":"Normal","scryfallId":null,"mtgjsonId":"…0007","markets":[{"market":"cardkingdom","currency":"USD","price":3,"low":null,"buylist":null,"updatedAt":"2026-11-20"}]}
2026-11-18,mtg-bro-70,0.3,,
2026-11-19,mtg-bro-70-foil,1.25,,
2026-11-20,mtg-bro-216-etched,7,,
2026-11-20,mtg-bro-70,2.5,,
2026-11-20,mtg-xyz-1,0.99,,`,
    )
    assert.equal(report.game('mtg').leftOut.get('digital'), 3)
    assert.deepEqual(leftOutIn(report), [
      [printings, 'data.BRO.cards[3]', 'another face of a card', '…0004 Mishra // Claimed by Gix'],
      [printings, 'data.BRO.cards[4]', 'digital', '…0005 Arena Only'],
      [printings, 'data.XYZ.cards[1]', 'no finish', '…0008 None'],
      [printings, 'data.ONL', 'digital', 'Online'],
      [prices, null, 'price of no known card', '…0099 nonfoil'],
    ])
  })

  it('A file of only one day of MTGJSON’s prices is imported for the cards in the folder', async () => {
    const out = await importedOf('mtgjson')
    const earlier = cardsById(out).get('mtg-bro-70')
    const today = { tcgplayer: { currency: 'USD', retail: { normal: { '2026-11-21': 2.75 } } } }
    const data = { [uuid(1)]: { paper: today } }
    const path = file('AllPricesToday.json', JSON.stringify({ meta: { date: '2026-11-21' }, data }))
    const { date } = await importInto(out, 'mtgjson', [path])
    assert.equal(date, '2026-11-21')
    assert.deepEqual(historyOf(out, '2026-11-21-mtgjson.csv.gz'), ['2026-11-21,mtg-bro-70,2.75,,'])
    const later = { prices: { ...earlier.prices, market: 2.75 }, updatedAt: '2026-11-21T00:00:00Z' }
    const { markets: _, ...card } = { ...earlier, ...later }
    assert.deepEqual(cardsById(out).get('mtg-bro-70'), card)
  })

  it('MTGJSON’s prices are dated by --date, else by the file’s date, else by the newest day with a price', async () => {
    const out = temporaryFolder()
    const dateOf = async (content: string, options = {}) =>
      (await importInto(out, 'mtgjson', [printings, file('dated.json', content)], options)).date
    assert.equal(await dateOf(allPrices(), { date: '2026-11-22' }), '2026-11-22')
    const fileDate = allPrices().replace('"date":"2026-11-20"', '"date":"2026-11-21"')
    assert.equal(await dateOf(fileDate), '2026-11-21')
    assert.equal(await dateOf(fileDate.replace('"meta"', '"head"')), '2026-11-20')
    const dateOfSets = async (options = {}) => (await importInto(out, 'mtgjson', [printings], options)).date
    assert.equal(await dateOfSets(), meta.date)
    assert.equal(await dateOfSets({ date: '2026-11-22' }), '2026-11-22')
  })

  it('MTGJSON’s file of one set leaves the other sets as they are', async () => {
    const out = await importedOf('mtgjson')
    const data = { ...brothersWar, cards: brothersWar.cards.slice(0, 1) }
    await importInto(out, 'mtgjson', [file('BRO.json', JSON.stringify({ meta, data }))])
    assert.deepEqual([...cardsById(out).keys()], ['mtg-bro-70', 'mtg-bro-70-foil', 'mtg-xyz-1'])
    assert.equal(cardsById(out).get('mtg-bro-70').prices.market, 2.5, 'prices stay where none are given')
    await importInto(out, 'mtgjson', [printings, prices])
    const whole = temporaryFolder()
    await importInto(whole, 'mtgjson', [prices, printings])
    const { 'import/changes.ndjson': changes, ...content } = contentOf(out)
    assert.deepEqual(content, contentOf(whole), 'the order of the files does not matter')
    assert.match(
      changes!,
      /^\{"number":1,"source":"mtgjson","game":"mtg","gone":5,.*\}\n$/,
      'what the first one took away',
    )
  })
})

describe('Wrong prices of MTGJSON', () => {
  const [, any] = brothersWar.cards
  const cards = Array.from({ length: 40 }, (_, i) => ({ ...any, uuid: uuid(100 + i), identifiers: {} }))
  const own = file('Many.json', allPrintings({ BRO: { ...brothersWar, cards } }))
  /** Two cents and a wrong price on several days, for so many of the 40 cards. */
  const pricesWith = (wrong: number, name: string, days: Record<string, unknown>): string => {
    const paper = (normal: object) => ({ paper: { tcgplayer: { currency: 'USD', retail: { normal } } } })
    const good = { '2026-11-20': 0.02 }
    const data = cards.map((card, i) => [card.uuid, paper(i < wrong ? { ...good, ...days } : good)])
    return file(name, JSON.stringify({ meta, data: Object.fromEntries(data) }))
  }
  const wrongs: readonly (readonly [what: string, days: Record<string, unknown>, expected: string])[] = [
    ['below 0', { '2026-11-17': -1, '2026-11-18': -2 }, 'normal.2026-11-17: must be 0 or more (-1)'],
    ['of no day', { '2026-11-31': 1, today: 2 }, 'normal: must have days, YYYY-MM-DD ("2026-11-31")'],
    ['of the newest day', { '2026-11-21': -1, '2026-11-18': -2 }, 'normal.2026-11-21: must be 0 or more (-1)'],
    ['of both kinds', { '2026-11-17': -1, today: 2 }, 'normal.2026-11-17: must be 0 or more (-1)'],
    ['no numbers', { '2026-11-17': '1', '2026-11-18': [] }, 'normal.2026-11-17: must be a number ("1")'],
  ]
  for (const [i, [what, days, expected]] of wrongs.entries()) {
    it(`Two wrong prices among 40 cards are left out, and three end the import: ${what}`, async () => {
      const { out, report } = await importNew('mtgjson', [own, pricesWith(2, `two-${i}.json`, days)])
      const places = report.records.map(({ place }) => place!.slice(0, place!.indexOf('.normal')))
      const [first, second] = [100, 101].map((number) => `data.${uuid(number)}.paper.tcgplayer.retail`)
      assert.deepEqual(places, [first, first, second, second], 'each wrong price is listed once')
      assert.equal(cardsById(out).size, 40)
      const path = pricesWith(3, `three-${i}.json`, days)
      const [line] = (await errorsOf(importInto(out, 'mtgjson', [path]))).split('\n')
      const share = '3 of 40 records are wrong, more than 5 %; the first is shown'
      assert.equal(line, `${path}: data.${uuid(100)}.paper.tcgplayer.retail.${expected}; ${share}`)
    })
  }
})

describe('Scryfall alone', () => {
  it('An etched card of Scryfall gets the etched product, or the card’s own one if it has no other finish', async () => {
    const out = temporaryFolder()
    const card = (id: number, finishes: readonly string[], more: object = {}) =>
      scryfallCard(id, 'Card', `${id}`, { finishes, tcgplayer_id: id, prices: { usd: '1', usd_foil: '2' }, ...more })
    const cards = [
      card(1, ['etched']),
      card(2, ['nonfoil', 'etched']),
      card(3, ['foil', 'etched'], { tcgplayer_etched_id: 30 }),
      card(4, ['signed', 'glossy', 'nonfoil', 'constructor']),
    ]
    await importInto(out, 'scryfall', [file('etched.json', JSON.stringify(cards))], { date: '2026-11-20' })
    const products = [...cardsById(out).values()].map(({ id, name, tcgplayerId }) => `${id} ${name} ${tcgplayerId}`)
    assert.deepEqual(products, [
      'mtg-bro-1-etched Card 1',
      'mtg-bro-2 Card 2',
      'mtg-bro-2-etched Card [Etched] null',
      'mtg-bro-3-etched Card [Etched] 30',
      'mtg-bro-3-foil Card [Foil] 3',
      'mtg-bro-4 Card 4',
      'mtg-bro-4-constructor Card [constructor] 4',
      'mtg-bro-4-glossy Card [Glossy] 4',
      'mtg-bro-4-signed Card [Signed] 4',
    ])
  })

  it('Scryfall alone gives sets, cards and prices, from lines and from an array', async () => {
    const { out, report } = await importNew('scryfall', [bulk], { date: '2026-11-20' })
    assert.equal(
      linesIn(out, 'cards/scryfall-mtg.ndjson'),
      `\
{"id":"mtg-bro-300-etched","game":"mtg","name":"Etched","setCode":"bro","number":"300","rarity":"mythic","image":"https://cards.example/normal/4.jpg?1","prices":{"market":4,"low":null,"mid":null,"high":null},"sources":["scryfall"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":470000,"printing":"Etched","scryfallId":"…1004","mtgjsonId":null}
{"id":"mtg-bro-301","game":"mtg","name":"Two Faces","setCode":"bro","number":"301","rarity":"mythic","image":"https://cards.example/normal/5.jpg","prices":{"market":null,"low":null,"mid":null,"high":null},"sources":["scryfall"],"updatedAt":null,"tcgplayerId":null,"printing":"Normal","scryfallId":"…1005","mtgjsonId":null}
{"id":"mtg-bro-70","game":"mtg","name":"Urza's Command","setCode":"bro","number":"70","rarity":"mythic","image":"https://cards.example/normal/1.jpg?1","prices":{"market":26.65,"low":null,"mid":null,"high":null},"sources":["scryfall"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":452001,"printing":"Normal","scryfallId":"…1001","mtgjsonId":null,"markets":[{"market":"cardmarket","currency":"EUR","price":19.24,"low":null,"buylist":null,"updatedAt":"2026-11-20"}]}
{"id":"mtg-bro-70-foil","game":"mtg","name":"Urza's Command [Foil]","setCode":"bro","number":"70","rarity":"mythic","image":"https://cards.example/normal/1.jpg?1","prices":{"market":31.39,"low":null,"mid":null,"high":null},"sources":["scryfall"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":452001,"printing":"Foil","scryfallId":"…1001","mtgjsonId":null}
{"id":"mtg-bro-99b","game":"mtg","name":"Titania","setCode":"bro","number":"99b","rarity":"mythic","image":"https://cards.example/normal/2.jpg?1","prices":{"market":26.65,"low":null,"mid":null,"high":null},"sources":["scryfall"],"updatedAt":"2026-11-20T00:00:00Z","tcgplayerId":null,"printing":"Normal","scryfallId":"…1002","mtgjsonId":null,"markets":[{"market":"cardmarket","currency":"EUR","price":19.24,"low":null,"buylist":null,"updatedAt":"2026-11-20"}]}
`,
    )
    assert.deepEqual(Object.fromEntries(report.game('mtg').leftOut), { digital: 1, 'not in US dollars or euros': 2 })
    assert.deepEqual(leftOutIn(report), [
      [bulk, null, 'not in US dollars or euros', 'tix'],
      [bulk, 'line 3', 'digital', '…1003 Digital'],
    ])
    const array = temporaryFolder()
    const old = file('old.json.gz', gzipSync(`\ufeff\n${JSON.stringify(scryfallCards, null, 1)}`))
    await importInto(array, 'scryfall', [old], { date: '2026-11-20' })
    assert.deepEqual(contentOf(array), contentOf(out))
    const twice = file('twice.json', JSON.stringify([...scryfallCards, scryfallCards[0]]))
    assert.match(
      await errorsOf(importInto(array, 'scryfall', [twice])),
      /: \[5\]\.id: is there twice \(".*1"\); 1 of 6/,
    )
  })
})

it('A set of Scryfall is as old as its oldest card with a date', async () => {
  const dates = ['2022-11-18', null, '2020-01-02', '2021-05-05', 'soon']
  const lines = dates.map((released_at, i) => JSON.stringify({ ...scryfallCards[1]!, id: uuid(50 + i), released_at }))
  for (const order of [lines, lines.toReversed()]) {
    const { out } = await importNew('scryfall', [file('dates.jsonl', `${order.join('\n \n')}\n`)], {
      date: '2026-11-20',
    })
    assert.equal(recordsIn(out, 'sets')[0].releaseDate, '2020-01-02')
  }
})

describe('A card of several sources', () => {
  for (const order of [
    ['tcgcsv', 'mtgjson', 'scryfall'],
    ['scryfall', 'mtgjson', 'tcgcsv'],
    ['mtgjson', 'scryfall', 'tcgcsv'],
  ]) {
    it(`Several sources’ records of a card become one card with the preferred source’s prices: ${order.join(', ')}`, async () => {
      const out = await importedOf(...order)
      const [cards, sets] = [recordsIn(out, 'cards'), recordsIn(out, 'sets')]
      const ofProduct = (product: number) => cards.filter(({ tcgplayerId }) => tcgplayerId === product)
      assert.equal(ofProduct(452001).length, 2, 'normal and foil')
      const foil = ofProduct(452001).find(({ name }) => name.includes('[Foil]'))
      assert.deepEqual(foil.sources, ['tcgplayer', 'scryfall', 'mtgjson'])
      assert.deepEqual(foil.prices, { market: 1.5, low: 1, mid: 2, high: 12 })
      assert.equal(ofProduct(452002).length, 1, 'an unpriced product is its first finish')
      assert.equal(cardsById(out).size, cards.length, 'each id is one card')
      assert.equal(sets.filter(({ name }) => name === "The Brothers' War").length, 1, 'the set is one')
      const codes = new Set(sets.map(({ game, code }) => `${game} ${code}`))
      for (const { game, setCode } of cards) assert(codes.has(`${game} ${setCode}`), setCode)
      const before = contentOf(out)
      for (const source of order)
        await importInto(out, source, paths[source]!, { date: source === 'mtgjson' ? undefined : '2026-11-20' })
      assert.deepEqual(contentOf(out), before, 'a second time changes nothing')
    })
  }

  it('A card of several sources gets the prices of the source that --prefer names', async () => {
    const out = await importedOf('tcgcsv')
    await runImportHere('scryfall', bulk, '--out', out, '--date', '2026-11-21', '--prefer', 'scryfall')
    const { prices, sources, updatedAt } = cardsById(out).get('mtg-bro-070')
    assert.deepEqual(prices, { market: 26.65, low: null, mid: null, high: null })
    assert.deepEqual([sources, updatedAt], [['scryfall', 'tcgplayer'], '2026-11-21T00:00:00Z'])
  })

  for (const [what, source, key, set, code] of [
    ['with the code of a Scryfall set is that set', 'scryfall', 'BRO', { name: 'Of another name' }, 'bro'],
    ['with the group of a TCGplayer set is that set', 'tcgcsv', 'BR9', { tcgplayerGroupId: 3100 }, 'bro'],
    [
      'that shares only its abbreviation with a TCGplayer set is another set',
      'tcgcsv',
      'BRO',
      { name: 'Of another name', cards: [] },
      'bro-bro',
    ],
    [
      'with neither the code nor the group of another set is a set of its own',
      'tcgcsv',
      'BR9',
      { cards: [], tcgplayerGroupId: 3999 },
      'br9',
    ],
  ] as const) {
    it(`A set of MTGJSON ${what}`, async () => {
      const out = await importedOf(source)
      await importInto(out, 'mtgjson', [file('same-set.json', allPrintings({ [key]: { ...brothersWar, ...set } }))])
      const own = recordsIn(out, 'import').flatMap((line) =>
        line.source === 'mtgjson' && line.code ? [line.code] : [],
      )
      assert.equal(own.join(), code)
    })
  }

  const unnamed: readonly (readonly [what: string, identifiers: object])[] = [
    ['names no product any more', {}],
    ['names a product that TCGplayer does not have', { tcgplayerProductId: '999999' }],
    ['names the same product again', { tcgplayerProductId: '452001' }],
  ]
  for (const [what, identifiers] of unnamed) {
    it(`A card whose source ${what} keeps its id`, async () => {
      const out = await importedOf('tcgcsv', 'mtgjson')
      const idsOf = () =>
        recordsIn(out, 'import').flatMap((line) => (line.uuid === uuid(1) ? [`${line.finish} ${line.id}`] : []))
      const earlier = idsOf()
      assert.deepEqual(earlier, ['foil mtg-bro-070-foil', 'nonfoil mtg-bro-070'])
      const changed = structuredClone(brothersWar)
      changed.cards[0]!.identifiers = identifiers
      const path = file('unnamed.json', allPrintings({ BRO: changed }))
      const { report } = await importInto(out, 'mtgjson', [path])
      assert.deepEqual(idsOf(), earlier)
      assert.equal(report.game('mtg').newIds, 0)
      assert.deepEqual(cardsById(out).get('mtg-bro-070').sources, ['tcgplayer', 'mtgjson'])
    })
  }

  it('A card gets the prices of the first source that has any, and prices ten times apart are reported', async () => {
    const card = (id: number, product: number, usd: string) =>
      JSON.stringify({ ...scryfallCards[1]!, id: uuid(60 + id), tcgplayer_id: product, prices: { usd } })
    const ofUrza = async (usd: string) => {
      const out = await importedOf('tcgcsv')
      const path = file('apart.jsonl', `${card(1, 452001, usd)}\n${card(2, 452002, '3.00')}\n`)
      const { report } = await importInto(out, 'scryfall', [path], { date: '2026-11-21' })
      const { prices, sources, updatedAt } = cardsById(out).get('mtg-bro-233')
      assert.deepEqual([prices.market, sources, updatedAt], [3, ['scryfall', 'tcgplayer'], '2026-11-21T00:00:00Z'])
      assert.equal(cardsById(out).get('mtg-bro-070').prices.market, 0.2)
      return report.records.flatMap(({ kind, file, reason, record }) =>
        kind === 'doubtful' ? [file, reason, record] : [],
      )
    }
    const reason = 'market prices are ten times apart or more: tcgplayer 0.2, scryfall 2'
    assert.deepEqual(await ofUrza('2.00'), ['cards/tcgcsv-mtg.ndjson', reason, 'mtg-bro-070'])
    assert.deepEqual(await ofUrza('1.99'), [])
  })

  it('Two ids whose cards turn out to be one card both stay, and the report says so', async () => {
    const unlinked = { ...brothersWar, cards: [{ ...brothersWar.cards[1]!, identifiers: {} }] }
    const { out } = await importNew('mtgjson', [file('unlinked.json', allPrintings({ BRO: unlinked }))])
    await importInto(out, 'tcgcsv', [mirror])
    const { report } = await importInto(out, 'mtgjson', [printings])
    const reason = 'is also mtg-bro-233-452002: both had ids before they were found to be the same card'
    const [doubtful] = report.records.filter(({ kind }) => kind === 'doubtful')
    const located = { game: 'mtg', file: 'cards/mtgjson-mtg.ndjson', place: null, reason, record: 'mtg-bro-233' }
    assert.deepEqual(doubtful, { kind: 'doubtful', ...located })
  })

  it('When MTGJSON corrects a card’s product, the card gets the new product’s id, and the old product keeps its card', async () => {
    const out = await importedOf('tcgcsv')
    await importInto(out, 'mtgjson', [printings])
    const corrected = structuredClone(brothersWar)
    corrected.cards[1]!.identifiers = { tcgplayerProductId: '3001' }
    await importInto(out, 'mtgjson', [file('corrected.json', allPrintings({ BRO: corrected }))])
    const line = recordsIn(out, 'import').find((record) => record.uuid === uuid(2))
    assert.equal(line.id, 'mtg-atq-3001')
    assert.deepEqual(cardsById(out).get('mtg-bro-233').sources, ['tcgplayer'])
  })
})
