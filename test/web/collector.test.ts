/** What the pages show of a version: movers, sets and games, look-ups with filters, a set, and a card beside its namesakes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { versionDataOf } from '../../src/web/cards/version-data.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { propertyNames, unknownLike } from '../support/property-names.ts'
import { currentOf } from '../support/servers-here.ts'
import { type Reply, send } from '../support/service.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { rowsOf, textOf, weightOf } from './person.ts'
import { servePages } from './service-here.ts'

const host = 'https://images.example'
const onyx = (id: string, more: object) => ({ id, game: 'mtg', name: 'Onyx', setCode: 'lea', ...more })
const cards = [
  onyx('mtg-lea-o1', {
    number: '7',
    rarity: 'Rare',
    printing: 'Normal',
    prices: { market: 12, conditions: { near_mint: 12, damaged: 3 } },
  }),
  onyx('mtg-lea-o2', {
    number: '7',
    rarity: 'Rare',
    printing: 'Foil',
    prices: { market: 30 },
    image: `${host}/o2.png`,
  }),
  onyx('mtg-base1-o3', { setCode: 'base1', number: '8', rarity: 'Mythic', prices: { market: 0.5 } }),
  onyx('pokemon-base1-o4', { game: 'pokemon', setCode: 'base1', number: '9', prices: { market: 2 } }),
]
/** The market price so many days before the newest. */
const prices = { 'mtg-lea-o1': [12, 8], 'mtg-lea-o2': [30, 40], 'pokemon-base1-o4': [2, 2.5], 'mtg-base1-o3': [0.5, 5] }
const newest = dayOfDate('2026-11-20')
const rows = Object.entries(prices).flatMap(([id, [now, before]]) => [
  `${dateOfDay(newest)},${id},${now},,`,
  `${dateOfDay(newest - 7)},${id},${before},,`,
])

describe('The pages for collectors', () => {
  const files = {
    'cards/onyx.ndjson': cards,
    'history/onyx.csv': `date,id,market,low,high\n${rows.join('\n')}\n`,
    'about.json': JSON.stringify({ currency: 'EUR', images: [host] }),
  }
  const service = servePages((indexDir) => build(snapshotOf(files, fixtureSnapshot()), indexDir), true)
  let addresses = 0
  const open = (path: string): Promise<Reply> =>
    send(service.pages, path, { headers: { 'x-forwarded-for': `2001:db8:${++addresses}::1` } })
  const shown = async (path: string, caption = 'Cards found') => rowsOf((await open(path)).body, caption).slice(1)

  it('The first page shows the week’s biggest rises and falls of cards with a price of at least 1', async () => {
    const { body } = await open('/')
    assert.deepEqual(rowsOf(body, 'Biggest rises'), [
      ['Card', 'Price (EUR)'],
      ['Onyx Limited Edition Alpha 7', '12.00 ▲ up +4.00 ( +50.0 %)'],
    ])
    assert.deepEqual(rowsOf(body, 'Biggest falls').slice(1), [
      ['', 'Onyx Limited Edition Alpha 7', '30.00 ▼ down −10.00 ( −25.0 %)'],
      ['', 'Onyx Base Set 9', '2.00 ▼ down −0.50 ( −20.0 %)'],
    ])
  })

  it('The first page has the newest sets and all games, with links to their cards', async () => {
    const { body } = await open('/')
    assert.deepEqual(rowsOf(body, 'Newest sets').slice(1, 3), [
      ['Jungle Pokémon', '16 Jun 1999'],
      ['Base Set Pokémon', '9 Jan 1999'],
    ])
    assert.deepEqual(rowsOf(body, 'Games').slice(1, 4), [
      ['Pokémon', '3', '4'],
      ['Pokémon Japan', '1', '1'],
      ['Magic: The Gathering', '2', '29'],
    ])
    assert.match(body, /href="\/look-up\?game=mtg&amp;set=base1"/)
    assert.equal((await shown('/look-up?game=pokemonjp')).length, 1)
  })

  it('The first page’s example look-ups find something', async () => {
    const { body } = await open('/')
    const [, examples] = /class="examples">(.*?)<\/p>/s.exec(body)!
    const links = [...examples!.matchAll(/href="(\/look-up\?q=[^"]*)"/g)].map(([, path]) => path!)
    assert.equal(links.length, 3)
    for (const path of links) assert.ok((await shown(path)).length > 0, path)
  })

  it('The first page shows a request with its whole response', async () => {
    const text = textOf((await open('/')).body)
    assert.match(text, /Response \{ "data": \{ "id": "pokemon-base1-004", .* "market": 350\.13,/)
    assert.match(text, /"graded": \{"psa_10": 12000, "bgs_9_5": 5000\}/)
  })

  for (const [what, query, expected] of [
    ['a game', 'game=mtg', ['mtg-lea-o1', 'mtg-lea-o2', 'mtg-base1-o3']],
    ['a set, by its code', 'set=LEA', ['mtg-lea-o1', 'mtg-lea-o2']],
    ['a set, by its name', 'set=limited+edition+alpha', ['mtg-lea-o1', 'mtg-lea-o2']],
    ['a set of a game', 'game=pokemon&set=base1', ['pokemon-base1-o4']],
    ['a rarity', 'rarity=rare', ['mtg-lea-o1', 'mtg-lea-o2']],
    ['a printing', 'printing=Foil', ['mtg-lea-o2']],
    ['a lowest price', 'min_price=12', ['mtg-lea-o1', 'mtg-lea-o2']],
    ['a highest price, with a comma', 'max_price=2,00', ['mtg-base1-o3', 'pokemon-base1-o4']],
    [
      'nothing if all filters are empty',
      'game=&set=&printing=&rarity=&min_price=&max_price=&sort=',
      Object.keys(prices),
    ],
    ['nothing if the game is unknown', 'game=chess', Object.keys(prices)],
    ['all filters together', 'game=mtg&set=lea&rarity=Rare&printing=Normal&min_price=1&max_price=20', ['mtg-lea-o1']],
  ] as const) {
    it(`A look-up filters by ${what}`, async () => {
      const { body } = await open(`/look-up?q=onyx&${query}`)
      const ids = [...body.matchAll(/href="\/cards\/([^"]*)"/g)].map(([, id]) => id!)
      assert.deepEqual(ids.sort(), [...expected].sort())
    })
  }

  for (const [sort, first] of Object.entries({
    price: '0.50',
    '-price': '30.00',
    '-change': '12.00',
    change: '0.50',
    newest: '0.50',
    other: '0.50',
  })) {
    it(`A look-up sorts by ${sort}`, async () => {
      assert.equal((await shown(`/look-up?q=onyx&sort=${sort}`))[0]!.at(-1), first)
    })
  }

  it('A look-up shows set and number first where names are equal, and keeps the filters on the next page', async () => {
    const [head, row] = rowsOf((await open('/look-up?q=onyx&game=pokemon')).body, 'Cards found')
    assert.deepEqual(head, ['Card', 'Set and number', 'Rarity', 'Market price (EUR)'])
    assert.deepEqual(row, ['Onyx', 'Base Set 9', 'unknown', '2.00'])
    const [equal, first] = rowsOf((await open('/look-up?q=onyx&sort=-price')).body, 'Cards found')
    assert.deepEqual(equal, ['', 'Set and number', 'Card', 'Game', 'Rarity', 'Printing', 'Market price (EUR)'])
    assert.deepEqual(first!.slice(1, 4), ['Limited Edition Alpha 7', 'Onyx', 'Magic: The Gathering'])
    const { body } = await open('/look-up?game=mtg&rarity=Common&sort=price')
    const [, next] = /href="([^"]*page=2)"/.exec((await open('/look-up?game=mtg&sort=price')).body)!
    assert.equal(next, '/look-up?game=mtg&amp;sort=price&amp;page=2')
    assert.match(body, /<option value="price" selected>/)
  })

  it('A look-up shows an error beside its field, and suggests the set that was meant', async () => {
    for (const [query, message] of [
      ['q=onyx&min_price=cheap', 'A price is a number such as 1.50.'],
      ['q=onyx&min_price=3&max_price=2', 'The highest price is below the lowest.'],
      ['rarity=Rare', 'Write a card name, or choose a game or a set.'],
    ] as const) {
      const reply = await open(`/look-up?${query}`)
      assert.equal(reply.status, 400, query)
      assert.equal(textOf(/role="alert">(.*?)</.exec(reply.body)![1]!), message)
      for (const typed of new URLSearchParams(query).values()) assert.ok(reply.body.includes(`"${typed}"`), typed)
    }
    for (const name of propertyNames) {
      for (const field of ['sort', 'game', 'printing', 'rarity']) {
        const [one, two] = [name, unknownLike(name)].map(async (text) => {
          const { status, body } = await open(`/look-up?q=onyx&${field}=${text}`)
          return [status, body.replaceAll(text, '…')]
        })
        assert.deepEqual(await one, await two, `${field}: ${name}`)
      }
    }
    assert.match(textOf((await open('/look-up?set=alpha')).body), /Did you mean Limited Edition Alpha ?\?/)
  })

  it('A set’s page begins with its date, count of cards and printed total', async () => {
    const { body } = await open('/look-up?game=pokemon&set=base1')
    const [, head] = /class="set-head">(.*?)<\/dl>/s.exec(body)!
    assert.equal(textOf(head!), 'Base Set Game Pokémon Code base1 Released 9 Jan 1999 Cards 3 Printed total 102')
    assert.deepEqual(rowsOf(body, 'Cards found')[0], ['', 'Card', 'Number', 'Rarity', 'Market price (EUR)'])
    assert.match(body, /<title>Base Set · Look up · /)
  })

  it('A card’s page has its other printings and the cards of its name in other sets, each with a price', async () => {
    const { body } = await open('/cards/mtg-lea-o1')
    assert.deepEqual(rowsOf(body, 'Other printings').slice(1), [['', '7 · Foil Rare', '30.00']])
    assert.deepEqual(rowsOf(body, 'In other sets').slice(1), [['Base Set · 8 Mythic', '0.50']])
    assert.match(textOf(body), /Price history and changes come with the Trader plan and above: see the plans ?\./)
  })

  it('A card’s page has one table of prices, with no figure twice', async () => {
    const table = rowsOf((await open('/cards/mtg-lea-o1')).body, 'Prices (EUR)')
    assert.deepEqual(table, [
      ['Price', 'Amount (EUR)'],
      ['Market also near mint', '12.00'],
      ['Conditions'],
      ['Damaged', '3.00'],
    ])
    const rows = rowsOf((await open('/cards/pokemon-base1-004')).body, 'Prices (EUR)')
    assert.deepEqual(rows.slice(-3), [
      ['Other markets'],
      ['cardmarket low 180.00 , 20 Nov 2026', '310.50 EUR'],
      ['tcgplayer', '1.01 USD'],
    ])
  })

  it('A page marks Japanese names as Japanese, and shows a thumbnail if its host is allowed', async () => {
    const japanese = await open('/cards/pokemonjp-pmcg1-006')
    assert.match(japanese.body, /<h1><span lang="ja">リザードン<\/span><\/h1>/)
    const { body, headers } = await open('/look-up?q=onyx')
    assert.match(
      body,
      /<img class="picture" src="https:\/\/images\.example\/o2\.png" alt="" width="32" height="45" loading="lazy"/,
    )
    assert.match(String(headers['content-security-policy']), /img-src 'self' https:\/\/images\.example;/)
    assert.doesNotMatch(String(japanese.headers['content-security-policy']), /images\.example/)
  })

  it('Suggestions of sets are those of the chosen game', async () => {
    const names = async (query: string) => JSON.parse((await open(`/suggestions.json?${query}`)).body).names
    assert.deepEqual(await names('of=sets&q=ba'), ['Base Set'])
    assert.deepEqual(await names('of=sets&q=l&game=pokemon'), [])
    assert.deepEqual(await names('q=on&game=pokemonjp'), [])
    assert.deepEqual(await names('q=on&game=mtg'), ['Onyx'])
  })

  it('A page with style and scripts weighs at most 45 kB as sent', async () => {
    const guide = ['/docs', '/docs/reference', '/value', '/status']
    for (const path of ['/', '/look-up?q=forest', '/look-up?game=mtg&set=lea', '/cards/pokemon-base1-004', ...guide]) {
      const { bytes } = await weightOf(service.pages, path)
      assert.ok(bytes <= 45_000, `${path}: ${bytes} bytes`)
    }
    const { person } = await service.shop('trader')
    const looked = ['/dashboard/look-up?q=forest', '/dashboard/cards/pokemon-base1-004?period=all']
    for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/value', ...looked]) {
      const { bytes } = await weightOf(service.pages, path, person.cookie)
      assert.ok(bytes <= 45_000, `${path}: ${bytes} bytes`)
    }
  })
})

it('A look-up offers the 60 most frequent rarities as filters, sorted by name', async () => {
  const named = (i: number) => `Rarity ${String(i).padStart(2, '0')}`
  const rarities = [
    ...Array.from({ length: 60 }, (_, i) => [named(i), named(i)]).flat(),
    'A single one',
    'Z single one',
  ]
  const cards = rarities.map((rarity, i) => ({ ...aCard, id: `pokemon-${i}`, name: `Card ${i}`, rarity }))
  const indexDir = temporaryFolder()
  await build(snapshotOf({ ...aSnapshot, 'cards/a.ndjson': cards }), indexDir)
  const { options } = await versionDataOf(await currentOf(indexDir))
  const expected = Array.from({ length: 60 }, (_, i) => ({ name: named(i), cards: 2 }))
  assert.deepEqual(options.get(-1)!.rarities, expected)
})

describe('A look-up that finds nothing', () => {
  const more = [
    { id: 'mtg-lea-t1', game: 'mtg', name: 'Topaz', setCode: 'lea', number: '1', rarity: 'Rare', printing: 'Foil' },
    { id: 'pokemonjp-pmcg1-t', game: 'pokemonjp', name: 'Topas', setCode: 'PMCG1', number: '1', rarity: 'Common' },
    { id: 'mtg-lea-t2', game: 'mtg', name: 'Topaz', setCode: 'lea', number: '2', rarity: 'Common' },
    { id: 'mtg-lea-77', game: 'mtg', name: 'Pearl Twin', setCode: 'lea', number: '77', rarity: 'Rare' },
  ]
  const service = servePages((dir) => build(snapshotOf({ 'cards/topaz.ndjson': more }, fixtureSnapshot()), dir))
  const shown = async (query: string) =>
    textOf((await send(service.pages, `/look-up?q=${encodeURIComponent(query)}`)).body)

  for (const [query, said] of [
    ['topaz psa 10', 'Nothing for topaz psa 10 . 2 cards without psa 10'],
    ['zzyzx topaz', 'Nothing for zzyzx topaz . 2 cards without zzyzx'],
    ['topaz common', '1 card with the filter rarity Common'],
    ['foil topaz', '1 card with the filter printing Foil'],
    ['topas japanese', '1 card with the filter Pokémon Japan'],
  ] as const) {
    it(`A look-up that finds nothing for ${query} offers what fewer words or a filter find`, async () => {
      assert.ok((await shown(query)).includes(said), await shown(query))
    })
  }

  it('A look-up of a set’s code and a number with the total of another set finds the set’s card with the number', async () => {
    for (const query of ['LEA 077/999', '#77/999 lea', 'lea 77 / 999']) {
      const said = await shown(query)
      assert.ok(said.includes('1 card.') && said.includes('Pearl Twin'), said)
    }
    for (const query of ['lea 78/999', 'zzyzx 77/999']) assert.doesNotMatch(await shown(query), /Pearl Twin/)
  })

  it('A look-up with one unknown word, or with no word that finds anything, offers nothing else', async () => {
    for (const query of ['zzyzx', 'zzyzx qqqq']) assert.doesNotMatch(await shown(query), /Nothing for/)
  })
})
