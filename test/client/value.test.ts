/** The values of lists as programs export them and people write them, on a generated catalog over the real server. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { CardPrices, candidateTexts, ListFormError, type ValuedList } from '../../clients/typescript/src/value.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { readAll } from '../../src/lists/read-list.ts'
import { Store } from '../../src/store/store.ts'
import { amount } from '../support/amount.ts'
import { accounts, build } from '../support/command.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { timesYardstick } from '../support/relative-cost.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { servePages } from '../web/service-here.ts'
import { type Card, cards, sets, uuidOf } from './listed-cards.ts'
import { answer, startScripted } from './scripted-server.ts'

/** None of a text that is no list. */
function linesIn(text: string): ReturnType<typeof readAll>['lines'] {
  try {
    return readAll(text).lines
  } catch (error) {
    assert.ok(error instanceof ListFormError, text)
    return []
  }
}

describe('The value of a list', () => {
  const foilByName = {
    ...cards[0]!,
    id: 'mtg-mma-foil',
    name: 'Vial Smasher [Foil]',
    number: '200',
    printing: null,
    scryfallId: null,
    tcgplayerId: 9999,
  }
  /** A card of the same name and set, which exists as a foil alone. */
  const foilAlone = {
    ...cards.find(({ name, setCode, printing }) => name === 'Fire // Ice' && setCode === 'mm2' && printing === 'Foil')!,
    id: 'mtg-mm2-foil',
    number: '301',
    rarity: 'Special',
    scryfallId: null,
    tcgplayerId: 9998,
  }
  const files = {
    'sets/s.ndjson': sets,
    'cards/c.ndjson': [...cards, foilByName, foilAlone],
    'about.json': '{"currency":"USD"}',
  }
  const service = servePages((indexDir) => build(snapshotOf(files), indexDir))
  let prices: CardPrices
  before(async () => {
    prices = await clientOf('business')
  })

  /** @param used requests of today */
  async function clientOf(plan: string, used = 0): Promise<CardPrices> {
    const name = `${plan} ${Math.random()}`
    const { key } = await accounts(service.storeDir, 'create', name, '--plan', plan)
    const store = new Store(service.storeDir)
    store.write(() => store.addUsage(dayOfMs(Date.now()), store.accountNumber(name)!, used))
    await store.close()
    return new CardPrices({ baseUrl: service.address, apiKey: key, maxWaitMs: 0 })
  }

  const card = (name: string, setCode = 'mma', printing = 'Normal') =>
    cards.find((one) => one.name === name && one.setCode === setCode && one.printing === printing)!
  const vial = card('Aether Vial')
  const foil = card('Aether Vial', 'mma', 'Foil')
  const champion = card('1996 World Champion', 'mma', 'Foil')
  const charizard = card('Charizard', 'base1', 'Holofoil')
  const reverse = card('Charizard', 'base1', 'Reverse Holofoil')
  /** Lists of one line beside their header; the card, or the candidates if it is ambiguous. */
  const single: readonly (readonly [list: string, match: string, found?: Card])[] = [
    ['Name,Foil,Set Code\nAether Vial,,MMA', 'likely', vial],
    ['Name,Foil,Set Code\nAether Vial,foil,MMA', 'exact', foil],
    ['Name,Foil,Set Code\nAether Vial,etched,MMA', 'ambiguous', vial],
    // Its rarity tells a card apart, but none has the printing.
    ['Name,Set Code,Printing,Rarity\nFire // Ice,MM2,Etched,Special', 'ambiguous', foilAlone as Card],
    ['Name,Set Code,Printing,Rarity\nFire // Ice,MM2,Foil,Special', 'likely', foilAlone as Card],
    // The id's card has no such printing, so the name is asked, too.
    ['TCGplayer Product ID,Name,Set Code,Printing\n9998,Charizard,base1,Reverse Holofoil', 'ambiguous', reverse],
    ['Name,Foil,Set Code\nVial Smasher,normal,MMA', 'ambiguous', foilByName],
    ['Name,Foil,Set Code\nVial Smasher,foil,MMA', 'exact', foilByName],
    ['Name,Foil,Set Code\n1996 World Champion,,MMA', 'ambiguous', champion],
    ['Name,Foil,Set Code\nFire // Ice,,MM2', 'likely', card('Fire // Ice', 'mm2')],
    ['Name,Foil,Set Code\nFire // Ice,foil,MM2', 'ambiguous', foilAlone as Card],
    ['Name,Set Code\nFire // Ice,MM2', 'ambiguous', foilAlone as Card],
    ['Name,Printing,Set Name\nMr. Mime,Normal,Base Set', 'ambiguous', card('Mr. Mime', 'base1', 'Holofoil')],
    ['Name,Set Name,Set Code\nAether Vial,Modern Masters,ZZZ', 'likely', vial],
    ['Name,Set Name,Set Code\nAether Vial,Masters 2015,ZZZ', 'likely', card('Aether Vial', 'mm2')],
    ['Name,Set Name,Set Code\nAether Vial,2015 Masters,ZZZ', 'ambiguous', card('Aether Vial', 'mm2')],
    ['Name,Set Code,Language\nAether Vial,MMA,German', 'ambiguous', vial],
    ['Name,Set Code,Language\nAether Vial,MMA,en', 'likely', vial],
    [`Name,Scryfall ID\nNobody,${vial.scryfallId}`, 'likely', vial],
    [`Name,Set,Scryfall ID\nAether Vial,MMA,${uuidOf(999)}`, 'ambiguous', vial],
    ['Name,Set,Scryfall ID\nAether Vial,MMA,none', 'likely', vial],
    ['TCGplayer Product ID\n5000', 'likely', vial],
    ['TCGplayer Product ID,Set Name,Set Code\n5000,Extras,ex_1', 'likely', vial],
    [`scryfall_id\r\n${vial.scryfallId}\r\n`, 'likely', vial],
    ['TCGplayer Product ID,Name\n5000,Nobody', 'likely', vial],
    ['Product ID,Name,Set\n5000,Lightning Bolt,2XM', 'likely', card('Lightning Bolt', '2xm')],
    ['Quantity,Name,Set Code\nmany,Aether Vial,MMA', 'unreadable'],
    ['Quantity,Name,Set Code\n3,,MMA', 'unreadable'],
    [`Name,Set Code\n${'x'.repeat(201)},MMA`, 'unreadable'],
    ['Name;Set Code\n"Aether Vial;MMA', 'likely', vial],
    ['\tName\tSet\n\tAether Vial\tMMA', 'likely', vial],
    ['4;Aether Vial;101;MMA;Foil', 'exact', foil],
    ['// a; b\n1 Aether Vial [MMA]', 'likely', vial],
    ['Name,Printing,Set Code\nCharizard,ReverseHolofoil,base1', 'exact', reverse],
    ['Name,Set Code,Condition\n1996 World Champion,mma,NM', 'exact', champion],
    ['Aether Vial', 'ambiguous'],
    ['1 aether vial mma', 'likely', vial],
    ['1 Aether Vial [mma]', 'likely', vial],
    ['1 Charizard (Base Set) Holo', 'exact', charizard],
    ['1 Aether Vial MMA 101 foil', 'exact', foil],
    ['Aether Vial (MMA) Foil x3', 'exact', foil],
    ['4x Charizard ex OBF 102', 'likely', card('Charizard ex', 'obf', 'Holofoil')],
    ['1 Charizard 101/102 Base Set Holo', 'exact', charizard],
    ['1 Pikachu VMAX 103', 'ambiguous'],
    ['1 Aether Vial (MMA) 999', 'none'],
    ['1 Charizard (PSA 10) 101 Base Set', 'ambiguous', charizard],
    [String(vial.scryfallId), 'likely', vial],
  ]
  it('The text of a candidate names what tells it apart, with the rarity only if all else is equal', () => {
    const one = { name: 'Dark Magician', set: 'Legend', number: 'LOB-005', printing: null, rarity: 'Ultra Rare' }
    const texts = [
      [[one], ['Dark Magician · Legend · LOB-005']],
      [
        [one, { ...one, rarity: 'Secret Rare' }, { ...one, number: null, printing: 'Foil' }],
        [
          'Dark Magician · Legend · LOB-005 · Ultra Rare',
          'Dark Magician · Legend · LOB-005 · Secret Rare',
          'Dark Magician · Legend · Foil',
        ],
      ],
      [
        [{ ...one, rarity: null }, one],
        ['Dark Magician · Legend · LOB-005', 'Dark Magician · Legend · LOB-005 · Ultra Rare'],
      ],
    ] as const
    for (const [candidates, expected] of texts) assert.deepEqual(candidateTexts(candidates), expected)
  })

  for (const [list, match, found] of single) {
    it(`The line "${list.split('\n').at(-1)!.slice(0, 60)}" is matched as "${match}"`, async () => {
      const { lines, total } = await prices.value(list)
      const [line] = lines
      assert.deepEqual([lines.length, line!.match], [1, match])
      if (match === 'exact' || match === 'likely') assert.equal(line!.card?.id, found!.id)
      else assert.deepEqual([line!.card, total], [null, 0])
      if (match === 'ambiguous') assert.ok(found === undefined || line!.candidates.some(({ id }) => id === found.id))
    })
  }

  it('A list may be given as objects in place of text, with a condition for each or one for all', async () => {
    const lines = [
      { quantity: 2, id: vial.id },
      { name: 'Aether Vial', set: 'MMA', printing: 'foil', condition: 'LP' },
      { name: 'Lightning Bolt', set: 'MMA', printing: 'normal' },
    ]
    const { lines: valued } = await prices.value(lines, { condition: 'Near Mint' })
    const { near_mint } = vial.prices.conditions as { near_mint: number }
    const { lightly_played } = foil.prices.conditions as { lightly_played: number }
    const bolt = card('Lightning Bolt').prices.market
    const priced = valued.map(({ unitPrice, condition }) => ({ unitPrice, condition }))
    assert.deepEqual(priced, [
      { unitPrice: near_mint, condition: 'near_mint' },
      { unitPrice: lightly_played, condition: 'lightly_played' },
      { unitPrice: bolt, condition: null },
    ])
    const { currency, total } = await prices.value('2 Lightning Bolt [MMA]', { game: 'mtg' })
    assert.deepEqual([currency, total], ['USD', bolt! * 2])
    assert.deepEqual(await prices.value(['2 Lightning Bolt [MMA]']), await prices.value('2 Lightning Bolt [MMA]'))
    assert.equal((await prices.value('2 Lightning Bolt [MMA]', { game: 'pokemon' })).total, 0)
    await assert.rejects(prices.value('', { condition: 'shiny' }), TypeError)
  })

  /** Rows of Magic's cards, and what each is worth: match, unit price, condition, grade, at market. */
  const priced: readonly (readonly [row: string, match: string, unitPrice: number | null, ...more: unknown[]])[] = [
    ['1,Aether Vial,mma,101,,NM,,en', 'likely', 3.17, 'near_mint', null, false],
    ['1,Aether Vial,mma,101,,HP,,en', 'likely', 3, null, null, true],
    ['1,Aether Vial,mma,101,,mangled,,en', 'likely', 3, null, null, true],
    ['1,Aether Vial,mma,101,,,,en', 'likely', 3, null, null, false],
    ['1,Aether Vial,mma,101,,NM,PSA 10,en', 'likely', 12, null, 'psa_10', false],
    ['1,Aether Vial,mma,101,foil,,BGS 9.5,en', 'exact', 309.3, null, 'bgs_9_5', false],
    ['1,Aether Vial,mma,101,,,CGC 10,en', 'likely', null, null, 'cgc_10', false],
    ['1,Aether Vial,mma,101,,,Authentic,en', 'likely', null, null, 'authentic', false],
    ['1,Aether Vial,mma,101,,NM,,de', 'ambiguous', null, null, null, false],
    ['1,Aether Vial,mma,101,,NM,,Klingon', 'ambiguous', null, null, null, false],
    ['1,Aether Vial (Proxy),mma,101,,NM,,en', 'excluded', null, null, null, false],
    ['2,Urza Lord High Artificer,mma,103,,NM,,en', 'likely', 5.19, 'near_mint', null, false],
    ['2,"Urza, Lord High Artificer",mma,103,,HP,,en', 'likely', null, null, null, false],
  ]
  it('A line has the price of its grade, of its condition or of the market, and says which', async () => {
    const text = ['Count,Name,Edition,Number,Foil,Condition,Grade,Language', ...priced.map(([row]) => row)].join('\n')
    const valued = await prices.value(text)
    const read = valued.lines.map((line) => [line.match, line.unitPrice, line.condition, line.grade, line.atMarket])
    assert.deepEqual(
      read,
      priced.map(([, ...wanted]) => wanted),
    )
    const { total, unpriced, ambiguous, unmatched, excluded, atMarket } = valued
    assert.deepEqual(
      { total, priced: valued.priced, unpriced, ambiguous, unmatched, excluded, atMarket },
      { total: 343.85, priced: 7, unpriced: 3, ambiguous: 2, unmatched: 0, excluded: 1, atMarket: 2 },
    )
  })

  it('A list has no total while a column is a guess', async () => {
    const text = 'Name,Edition,Number,Held,Boxed\nAether Vial,mma,101,5,2\nLightning Bolt,mma,102,2,9'
    const { total, columns, lines } = await prices.value(text)
    assert.equal(total, null)
    assert.deepEqual(columns, [
      { column: 'Name', field: 'name', sure: true },
      { column: 'Edition', field: 'set', sure: true },
      { column: 'Number', field: 'number', sure: true },
      { column: 'Held', field: 'quantity', sure: false },
      { column: 'Boxed', field: 'quantity', sure: false },
    ])
    assert.deepEqual(
      lines.map(({ quantity }) => quantity),
      [7, 11],
    )
    const settled = await prices.value(text, { columns: { Held: 'quantity', Boxed: null } })
    assert.deepEqual([settled.total, settled.columns.every(({ sure }) => sure)], [23.02, true])
    await assert.rejects(
      prices.value(text, { columns: { Shelf: 'quantity' } }),
      /"Shelf" is not a column: there are Name/,
    )
  })

  it('Rows for the two faces of a card count as one card', async () => {
    const rows = [
      'Quantity,Name,Expansion Code,CardNumber',
      '3,Fire,mma,104',
      '3,Lightning Bolt,mma,104',
      '3,Ice,mma,104',
      '1,Fire,mm2,104',
      '1,Fire,mm2,104',
      '3,Fire,mma,104',
      '3,Ice,mma,104',
    ]
    const { lines, total, excluded } = await prices.value(rows.join('\n'))
    const [fire, other] = [card('Fire // Ice'), card('Fire // Ice', 'mm2')]
    assert.deepEqual(
      lines.map(({ match, card }) => [match, card?.id]),
      [
        ['likely', fire.id],
        ['none', undefined],
        ['excluded', undefined],
        ['likely', other.id],
        ['likely', other.id],
        ['likely', fire.id],
        ['excluded', undefined],
      ],
    )
    assert.equal(excluded, 2)
    assert.equal(
      Math.round(total! * 100),
      Math.round(fire.prices.market! * 100) * 6 + Math.round(other.prices.market! * 100) * 2,
    )
  })

  it('The client reports how many lines are done while it values a list', async () => {
    const seen: (readonly [number, number])[] = []
    const list = `${'1 Aether Vial [MMA]\n'.repeat(250)}${'1 Nobody Nowhere at all\n'.repeat(20)}`
    await prices.value(list, { onProgress: (done, lines) => seen.push([done, lines]) })
    assert.deepEqual(seen.at(-1), [270, 270])
    assert.ok(seen.length >= 4)
    for (const [i, [done]] of seen.entries()) assert.ok(i === 0 || done >= seen[i - 1]![0], seen.join(' '))
  })

  it('A list costs one request for each 20 lines, and another one for lines whose id finds nothing', async () => {
    const cost = async (list: string) => {
      const before = prices.rateLimit!.remaining
      await prices.value(list)
      return before - prices.rateLimit!.remaining
    }
    assert.equal(await cost(`${vial.id}\n1 Aether Vial [MMA]\n`.repeat(50)), 5)
    assert.equal(await cost(`Name,Set,Scryfall ID\n${`Aether Vial,MMA,${uuidOf(999)}\n`.repeat(20)}`), 2)
    assert.equal(await cost('1 Nobody Nowhere\n'.repeat(40)), 4)
    assert.equal(await cost('4x Nobody (MMA) 7\n'.repeat(40)), 2)
    assert.equal(await cost('Deck\n\n'), 0)
    assert.equal(await cost('1 Aether Vial (Proxy)\n'.repeat(40)), 0)
  })

  it('A list in JSON, XML or HTML throws a ListFormError that names the format, without a request', async () => {
    const server = await startScripted()
    server.play(answer(500, 'asked'))
    const client = new CardPrices({ baseUrl: server.address, apiKey: 'a', maxWaitMs: 0 })
    const texts = { JSON: '[{"name":"Charizard"}]', XML: '<cards><card/></cards>', HTML: '<html><body>1 Charizard' }
    for (const [form, text] of Object.entries(texts)) {
      const error = await client.value(text).catch((error) => error)
      assert.ok(error instanceof ListFormError, form)
      assert.deepEqual([error.name, error.code], ['ListFormError', 'NOT_A_LIST'])
      assert.match(error.message, new RegExp(`^This is ${form}, not a list of cards\\.`))
    }
    assert.equal(server.asked.length, 0)
    await server.close()
  })

  it('The client asks for the sets once, and only if a column needs them', async () => {
    const server = await startScripted()
    /** The sets in pages of three, and no card. */
    const play = () =>
      server.play((one, response) => {
        const offset = new URL(one.path, server.address).searchParams.get('offset')
        if (offset === null)
          return answer(200, { data: [{ match: 'none', card: null, candidates: [] }] })(one, response)
        const data = sets.slice(Number(offset), Number(offset) + 3)
        return answer(200, { data, total: sets.length, limit: 3, offset: Number(offset) })(one, response)
      })
    const client = () => new CardPrices({ baseUrl: server.address, apiKey: 'a', maxWaitMs: 0 })
    const asked = () => server.asked.map(({ method, path }) => `${method} ${path}`)
    const pages = ['GET /v1/sets?limit=200&offset=0', 'GET /v1/sets?limit=200&offset=3']
    const unsure = 'Qty,Name,Set/Edition\n1,Charizard,Base Set'

    play()
    const first = client()
    for (const list of ['1 Charizard', 'Qty,Name,Set Name,Set Code\n1,Charizard,Base Set,base1', 'Name,Held\na,2']) {
      await first.value(list)
    }
    assert.deepEqual(new Set(asked()), new Set(['POST /v1/match']), 'known columns need none')

    play()
    const { columns } = await first.value(unsure)
    assert.deepEqual(columns.at(-1), { column: 'Set/Edition', field: 'set', sure: false })
    await Promise.all([first.value(unsure), first.value(unsure)])
    assert.deepEqual(asked(), [...pages, 'POST /v1/match', 'POST /v1/match', 'POST /v1/match'])

    play()
    const second = client()
    await Promise.all([second.value(unsure), second.value(unsure)])
    assert.deepEqual(asked(), [...pages, 'POST /v1/match', 'POST /v1/match'], 'another client asks for itself')

    const third = client()
    server.play(answer(503, 'busy'))
    await assert.rejects(third.value(unsure))
    play()
    await third.value(unsure)
    assert.deepEqual(asked(), [...pages, 'POST /v1/match'], 'one that failed is asked for again')
    await server.close()
  })

  it('If the quota or the server fails midway, the error has the value of the lines so far', async () => {
    const free = await clientOf('free', 190)
    const list = `${'1 Aether Vial [MMA]\n'.repeat(440)}`
    const error: { found: ValuedList } = await free.value(list).catch((error) => error)
    assert.equal((error as unknown as Error).name, 'QuotaError')
    assert.equal(error.found.lines.length, 200)
    assert.equal(error.found.total, Math.round(vial.prices.market! * 100) * 2)

    const scripted = await startScripted()
    const data = await prices.match(Array.from({ length: 20 }, () => ({ id: vial.id })))
    scripted.play(answer(200, { data }), answer(503, 'gone'))
    const gone = new CardPrices({ baseUrl: scripted.address, apiKey: 'a', maxWaitMs: 0 })
    const failed: { found: ValuedList } = await gone.value(`${vial.id}\n`.repeat(60)).catch((error) => error)
    assert.deepEqual([failed.found.lines.length, failed.found.priced], [20, 20])
    await scripted.close()
  })

  it('Any text is read as lines or refused with a ListFormError', () => {
    const random = randomFrom('lists')
    const pieces =
      '4|x | |;|,|\t|\n|\r\n|"|""|Charizard|4/102|(2X2)|#|name|qty|mtg-a|é|-|*F*|[MMA]|^|<a>|sep=,|SB:|//|\u2028'.split(
        '|',
      )
    for (let round = 0; round < amount(800, 40_000); round++) {
      const text = Array.from({ length: drawBelow(random, 30) }, () => drawFrom(random, pieces)).join('')
      for (const { line, quantity, questions } of linesIn(text)) {
        assert.ok(Number.isInteger(quantity) && quantity >= 0 && line > 0, text)
        for (const { name, id, set, number } of questions)
          assert.ok((name ?? id ?? (set && number) ?? '').trim() !== '', text)
      }
    }
  })

  it('A list of 300 kB of quotes, or of one line, takes at most 20 times as long to read as a table of its size', () => {
    const table = `name,set,quantity\n${'Charizard,base1,4\n'.repeat(17_000)}`
    const timesMax = 20
    for (const text of [
      `name,set\n${'"a,'.repeat(100_000)}`,
      `name,set\n${'"a\n'.repeat(50_000)}`,
      '#a '.repeat(100_000),
      `1 ${'[a] '.repeat(100_000)}`,
      `name\n${'"'.repeat(300_000)}`,
    ]) {
      const times = timesYardstick(
        () => readAll(text),
        () => readAll(table),
        timesMax,
      )
      assert.ok(times < timesMax, `${times.toFixed(1)} times for ${JSON.stringify(text.slice(0, 20))}`)
    }
  })
})
