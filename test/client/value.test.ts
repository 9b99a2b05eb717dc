/** The values of lists as programs export them and people write them, on a generated catalog over the real server. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readList } from '../../clients/typescript/src/list.ts'
import { CardPrices, type ValuedList } from '../../clients/typescript/src/value.ts'
import { amount } from '../support/amount.ts'
import { accounts, build, temporaryFolder } from '../support/command.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { type ServiceHere, startServiceHere } from '../web/service-here.ts'
import { answer, startScripted } from './scripted-server.ts'

const sets = [
  { game: 'mtg', code: 'mma', name: 'Modern Masters', releaseDate: '2013-06-07' },
  { game: 'mtg', code: 'mm2', name: 'Modern Masters 2015', releaseDate: '2015-05-22' },
  { game: 'mtg', code: '2xm', name: 'Double Masters', releaseDate: '2020-08-07' },
  { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' },
  { game: 'pokemon', code: 'obf', name: 'SV03: Obsidian Flames', releaseDate: '2023-08-11' },
]
const namesOf = {
  mtg: [
    'Aether Vial',
    'Lightning Bolt',
    'Urza, Lord High Artificer',
    'Fire // Ice',
    'Ach! Hans, Run!',
    'Jötun Grunt',
    '1996 World Champion',
  ],
  pokemon: ['Charizard', 'Charizard ex', 'Pikachu VMAX', 'Mr. Mime', 'Nidoran♀', 'Nidoran♂', 'Farfetch’d'],
}
const uuidOf = (number: number) => `0000579f-7b35-4ed3-b44c-${String(number).padStart(12, '0')}`

/** The first cards of a set have each a second printing; the last one is a foil alone, and the one before of no known printing. */
const cards = sets.flatMap(({ game, code }, set) => {
  const names = namesOf[game as keyof typeof namesOf]
  return names.flatMap((name, i) => {
    const [plain, foil] = game === 'mtg' ? ['Normal', 'Foil'] : ['Holofoil', 'Reverse Holofoil']
    const printings =
      i === names.length - 1 && game === 'mtg' ? [foil] : i === names.length - 2 ? [null] : [plain, foil]
    return printings.map((printing, at) => {
      const market = 3 + set * 7 + i * 1.01 + at * 100.1
      return {
        ...{ id: `${game}-${code}-${i}-${at}`, game, name, setCode: code, number: `${i + 101}`, printing },
        ...{ scryfallId: game === 'mtg' ? uuidOf(set * 100 + i) : null, tcgplayerId: 5000 + set * 100 + i },
        prices: {
          market: i === 2 && set === 0 ? null : Number(market.toFixed(2)),
          conditions:
            i % 2 === 0
              ? { near_mint: Number((market + 0.17).toFixed(2)), lightly_played: Number((market * 0.8).toFixed(2)) }
              : {},
        },
      }
    })
  })
})
type Card = (typeof cards)[number]

interface Drawn {
  readonly card: Card
  readonly quantity: number
  readonly condition: 'near_mint' | 'lightly_played' | 'damaged'
}

const setOf = ({ game, setCode }: Card) => sets.find((set) => set.game === game && set.code === setCode)!
const isFoil = ({ printing }: Card) => printing === 'Foil' || printing === 'Reverse Holofoil'
const words = {
  near_mint: { full: 'Near Mint', short: 'NM', joined: 'NearMint', lower: 'near_mint' },
  lightly_played: { full: 'Lightly Played', short: 'LP', joined: 'LightlyPlayed', lower: 'light_played' },
  damaged: { full: 'Damaged', short: 'DMG', joined: 'Damaged', lower: 'damaged' },
}

/** Fields of a line by their names in a template; a foil is spelled `{foil:yes/no}`. */
function fieldsOf({ card, quantity, condition }: Drawn, random: Random): Readonly<Record<string, unknown>> {
  return {
    ...{ ...card, ...words[condition], quantity },
    ...{ code: card.setCode, CODE: card.setCode.toUpperCase(), set: setOf(card).name },
    ...{ simple: card.name.replace(/[^\w ]/g, ''), half: card.name.replace(' // ', '/') },
    printing: card.printing ?? 'Normal',
    inCondition: [null, 'Normal'].includes(card.printing) ? '' : ` ${card.printing}`,
    line: card.game === 'mtg' ? 'Magic' : 'Pokemon',
    good: condition === 'lightly_played' ? 'Good (Lightly Played)' : words[condition].full,
    sku: 4_000_000 + card.tcgplayerId,
    other: drawFrom(random, cards).tcgplayerId,
  }
}

const filled = (template: string, drawn: Drawn, random: Random): string =>
  template.replaceAll(/\{(\w+)(?::([^/}]*)\/([^}]*))?\}/g, (_, name, yes, no) =>
    name === 'foil' ? (isFoil(drawn.card) ? yes : no) : String(fieldsOf(drawn, random)[name]),
  )

interface Program {
  readonly name: string
  readonly game?: 'mtg' | 'pokemon'
  readonly head?: string
  readonly line: (drawn: Drawn, random: Random) => string
  /** Its lines say no condition. */
  readonly isUngraded?: true
  /** Its lines say neither number nor printing, so many are ambiguous; or they name no set. */
  readonly isVague?: true
}

/** A program whose columns are separated by commas, and quoted where they need it. @param line a template */
const table = (name: string, head: string, line: string, more: Partial<Program> = { game: 'mtg' }): Program => ({
  ...{ name, head, ...more },
  line: (drawn, random) =>
    line
      .split(',')
      .map((cell) => filled(cell, drawn, random))
      .map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(','),
})

const programs: readonly Program[] = [
  table(
    'ManaBox',
    'Binder Name,Binder Type,Name,Set code,Set name,Collector number,Foil,Rarity,Quantity,ManaBox ID,Scryfall ID,Purchase price,Misprint,Altered,Condition,Language,Purchase price currency,Added',
    'Red,binder,{name},{CODE},{set},{number},{foil:foil/normal},rare,{quantity},7,{scryfallId},0.5,false,false,{lower},en,USD,',
  ),
  {
    name: 'Moxfield',
    game: 'mtg',
    head: '"Count","Tradelist Count","Name","Edition","Condition","Language","Foil","Tags","Last Modified","Collector Number","Alter","Proxy","Purchase Price"',
    line: (drawn, random) =>
      '{quantity},0,{name},{code},{full},English,{foil:foil/},,2024-05-01,{number},False,False,'
        .split(',')
        .map((cell) => `"${filled(cell, drawn, random).replaceAll('"', '""')}"`)
        .join(','),
  },
  table(
    'Archidekt',
    'Quantity,Name,Finish,Condition,Date Added,Language,Purchase Price,Tags,Edition Name,Edition Code,Multiverse Id,Scryfall ID,Collector Number',
    '{quantity},{name},{foil:Foil/Normal},{short},2024-05-01,EN,,a,{set},{code},0,{scryfallId},{number}',
  ),
  table(
    'Deckbox',
    'Count,Tradelist Count,Name,Edition,Edition Code,Card Number,Condition,Language,Foil,Signed,Artist Proof,Altered Art,Misprint,Promo,Textless,My Price',
    '{quantity},0,{name},{set},{CODE},{number},{good},English,{foil:foil/},,,,,,,',
  ),
  table(
    'Dragon Shield',
    '"sep=,"\nFolder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing,Language,Price Bought,Date Bought,LOW,MID,MARKET',
    'mine,{quantity},0,{name},{CODE},{set},{number},{joined},{printing},English,0.1,2024-05-01,1,2,3',
    {},
  ),
  {
    name: 'Delver Lens',
    game: 'mtg',
    head: "QuantityX;Name;Edition;Edition code;Collector's number;Foil;Condition;Language",
    line: (drawn, random) =>
      filled('{quantity}x;{name};{set};{code};{number};{foil:Foil/};{full};English', drawn, random),
  },
  table(
    'TopDecked',
    'QUANTITY,NAME,SETCODE,SETNAME,COLLECTOR NUMBER,FINISH,PRICE,RARITY,ID,ACQUIRED DATE,ACQUIRED PRICE,LANG,PRICE SALE,SIGNING,ALTERATION,CONDITION,NOTES,TAGS',
    '{quantity},{name},{CODE},{set},{number},{foil:FOIL/NONFOIL},1.5,RARITY,a1b2,,,EN,,,,{short},,',
  ),
  table('Card Kingdom', 'title,edition,foil,quantity', '{name},{set},{foil:1/0},{quantity}', {
    game: 'mtg',
    isUngraded: true,
  }),
  {
    name: 'MTGO',
    game: 'mtg',
    head: 'Card Name,Quantity,ID #,Rarity,Set,Collector #,Premium,Sideboarded,Annotation',
    line: (drawn, random) =>
      filled('"{half}",{quantity},6893,Common,{CODE},{number}/350,{foil:Yes/No},No,0', drawn, random),
    isUngraded: true,
  },
  table(
    'TCGplayer’s collection',
    'Quantity,Name,Simple Name,Set,Card Number,Set Code,Printing,Condition,Language,Rarity,Product ID,SKU',
    '{quantity},{name},{simple},{set},{number},XYZ,{printing},{full},English,Rare,{tcgplayerId},{sku}',
    {},
  ),
  table(
    'TCGplayer’s pricing, whose id is a SKU',
    'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price,TCG Direct Low,TCG Low Price With Shipping,TCG Low Price,Total Quantity,Add to Quantity,TCG Marketplace Price,Photo URL',
    '{other},{line},{set},{name},,{number},R,{full}{inCondition},1,1,1,1,{quantity},0,1,',
    {},
  ),
  {
    name: 'MTG Arena',
    game: 'mtg',
    head: 'About\nName Mine\n\nDeck',
    line: (drawn, random) => filled('{quantity} {name} ({CODE}) {number}{foil: *F*/}', drawn, random),
    isUngraded: true,
  },
  {
    name: 'deck lists with tags, categories and headings',
    head: '// Lands\nSideboard:\nCreatures (12)\n##Pokémon - 12',
    line: (drawn, random) => {
      const { card } = drawn
      const foil = isFoil(card) ? (card.game === 'mtg' ? '*F*' : '(Reverse Holo)') : ''
      const code = drawFrom(random, ['{code}', '{CODE}'])
      const count = drawFrom(random, ['{quantity}', '{quantity}x', 'SB: {quantity}'])
      const name = drawFrom(random, [card.name, card.name.toUpperCase(), card.name.toLowerCase()])
      const template = drawFrom(random, [
        `${count} ${name} (${code}) {number} ${foil} #Card draw #!Ramp`,
        `${count} ${name} (${code}) {number} ${foil} [Ramp,Maybeboard{noDeck}] ^Have,#37d67a^`,
        `${count} ${name} [${code}] {number} ${foil}`,
        `${count} [${code}#{number}] ${name} ${foil}`,
        `${count} ${name} <{number}> [${code}] ${foil === '*F*' ? '(F)' : foil}`,
        `${count} ${name} ${code} {number} ${foil}`,
        `${count} ${name} {number}/350 {set} ${foil}`,
      ])
      return filled(template.replace('{noDeck}', '\0'), drawn, random).replace('\0', '{noDeck}').trim()
    },
    isUngraded: true,
  },
  {
    name: 'names alone',
    line: (drawn, random) =>
      filled(`{quantity} {name}${drawFrom(random, ['', ' [{code}]', ' ({CODE})'])}`, drawn, random),
    isUngraded: true,
    isVague: true,
  },
  { name: 'ids', line: ({ card, quantity }) => `${quantity} ${card.id}`, isUngraded: true },
]

/** In cents. */
const centsOf = ({ card, quantity, condition }: Drawn, isUngraded = false): number => {
  const own = isUngraded ? undefined : (card.prices.conditions as Record<string, number>)[condition]
  return Math.round((own ?? card.prices.market ?? 0) * 100) * quantity
}

describe('a list', () => {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  let service: ServiceHere
  let prices: CardPrices
  before(async () => {
    await build(
      snapshotOf({
        'sets/sets.ndjson': sets,
        'cards/cards.ndjson': [...cards, foilByName],
        'about.json': '{"currency":"USD"}',
      }),
      indexDir,
    )
    service = await startServiceHere({ storeDir, indexDir })
    prices = await clientOf('business')
  })
  after(() => service.stop())

  async function clientOf(plan: string): Promise<CardPrices> {
    const { key } = await accounts(storeDir, 'create', `${plan} ${Math.random()}`, '--plan', plan)
    return new CardPrices({ baseUrl: service.address, apiKey: key, maxWaitMs: 0 })
  }

  for (const { name, game, head, line, isUngraded, isVague } of programs) {
    it(`of ${name}: every line is on its card and printing, or listed`, async () => {
      const random = randomFrom(name)
      const own = cards.filter((card) => game === undefined || card.game === game)
      const drawn = Array.from({ length: amount(60, 200) }, (): Drawn => {
        const card = drawFrom(random, own)
        return {
          card,
          quantity: 1 + drawBelow(random, 9),
          condition: drawFrom(random, ['near_mint', 'lightly_played', 'damaged']),
        }
      })
      const lines = drawn.map((one) => line(one, random))
      const valued = await prices.value(
        [...(head === undefined ? [] : [head]), ...lines, ''].join(drawFrom(random, ['\n', '\r\n'])),
      )
      assert.equal(valued.lines.length, drawn.length)
      let cents = 0
      for (const [i, one] of valued.lines.entries()) {
        const { card, quantity } = drawn[i]!
        assert.equal(one.text, lines[i])
        assert.equal(one.quantity, quantity, one.text)
        // Without a printing the usual one is meant.
        if (one.card === null) assert.deepEqual([one.unitPrice, one.amount], [null, null])
        else if (isVague) assert.equal(one.card.name, card.name)
        else assert.equal(one.card.id, card.id, one.text)
        if (one.card !== null) cents += isVague ? Math.round((one.amount ?? 0) * 100) : centsOf(drawn[i]!, isUngraded)
      }
      assert.equal(Math.round(valued.total * 100), cents)
      assert.equal(valued.priced + valued.unpriced + valued.ambiguous + valued.unmatched, drawn.length)
      if (isVague !== true)
        assert.deepEqual(
          valued.lines.filter(({ card }) => card === null).map(({ text }) => text),
          [],
        )
      assert.ok(
        valued.headings ===
          (head ?? '').split('\n').filter((text) => text !== '' && !text.includes(',') && !text.includes(';')).length,
      )
    })
  }

  const foilByName = {
    ...cards[0]!,
    id: 'mtg-mma-foil',
    name: 'Vial Smasher [Foil]',
    number: '200',
    printing: null,
    scryfallId: null,
    tcgplayerId: 9999,
  }
  const card = (name: string, setCode = 'mma', printing = 'Normal') =>
    cards.find((one) => one.name === name && one.setCode === setCode && one.printing === printing)!
  const vial = card('Aether Vial')
  /** Lists of one line beside their header; the card, or the candidates if it is ambiguous. */
  const single: readonly (readonly [list: string, match: string, found?: Card])[] = [
    ['Name,Foil,Set Code\nAether Vial,,MMA', 'likely', vial],
    ['Name,Foil,Set Code\nAether Vial,foil,MMA', 'exact', card('Aether Vial', 'mma', 'Foil')],
    ['Name,Foil,Set Code\nAether Vial,etched,MMA', 'none'],
    ['Name,Foil,Set Code\nVial Smasher,normal,MMA', 'ambiguous', foilByName],
    ['Name,Foil,Set Code\nVial Smasher,foil,MMA', 'exact', foilByName],
    ['Name,Foil,Set Code\n1996 World Champion,,MMA', 'ambiguous', card('1996 World Champion', 'mma', 'Foil')],
    ['Name,Printing,Set Name\nMr. Mime,Normal,Base Set', 'ambiguous', card('Mr. Mime', 'base1', 'Holofoil')],
    ['Name,Set\nAether Vial,Modern Masters', 'likely', vial],
    ['Name,Set Name,Set Code\nAether Vial,Modern Masters,ZZZ', 'likely', vial],
    ['Name,Set Name,Set Code\nAether Vial,Masters 2015,ZZZ', 'likely', card('Aether Vial', 'mm2')],
    ['Name,Set Name,Set Code\nAether Vial,2015 Masters,ZZZ', 'ambiguous', card('Aether Vial', 'mm2')],
    ['Name,Set Code,Language\nAether Vial,MMA,German', 'ambiguous', vial],
    ['Name,Set Code,Language\nAether Vial,MMA,en', 'likely', vial],
    [`Name,Scryfall ID\nNobody,${vial.scryfallId}`, 'likely', vial],
    [`Name,Set,Scryfall ID\nAether Vial,MMA,${uuidOf(999)}`, 'ambiguous', vial],
    ['Name,Set,Scryfall ID\nAether Vial,MMA,none', 'likely', vial],
    ['TCGplayer Product ID\n5000', 'likely', vial],
    [`scryfall_id\r\n${vial.scryfallId}\r\n`, 'likely', vial],
    ['TCGplayer Product ID,Name\n5000,Nobody', 'likely', vial],
    ['Product ID,Name,Set\n5000,Lightning Bolt,2XM', 'likely', card('Lightning Bolt', '2xm')],
    ['Quantity,Name,Set Code\nmany,Aether Vial,MMA', 'unreadable'],
    ['Quantity,Name,Set Code\n3,,MMA', 'unreadable'],
    [`Name,Set Code\n${'x'.repeat(201)},MMA`, 'unreadable'],
    ['Name;Set Code\n"Aether Vial;MMA', 'likely', vial],
    ['\tName\tSet\n\tAether Vial\tMMA', 'likely', vial],
    ['4;Aether Vial;101;MMA;Foil', 'exact', card('Aether Vial', 'mma', 'Foil')],
    ['// a; b\n1 Aether Vial [MMA]', 'likely', vial],
    [
      'Name,Printing,Set Code\nCharizard,ReverseHolofoil,base1',
      'exact',
      card('Charizard', 'base1', 'Reverse Holofoil'),
    ],
    ['Name,Set Code,Condition\n1996 World Champion,mma,NM', 'exact', card('1996 World Champion', 'mma', 'Foil')],
    ['Aether Vial', 'ambiguous'],
    ['1 Aether Vial [MMA]', 'likely', vial],
    ['1 aether vial mma', 'likely', vial],
    ['1 Aether Vial MMA 101 foil', 'exact', card('Aether Vial', 'mma', 'Foil')],
    ['Aether Vial (MMA) Foil x3', 'exact', card('Aether Vial', 'mma', 'Foil')],
    ['4x Charizard ex OBF 102', 'likely', card('Charizard ex', 'obf', 'Holofoil')],
    ['1 Charizard 101/102 Base Set Holo', 'exact', card('Charizard', 'base1', 'Holofoil')],
    ['1 Pikachu VMAX 103', 'ambiguous'],
    ['1 Aether Vial (MMA) 999', 'none'],
    ['1 Charizard (PSA 10) 101 Base Set', 'ambiguous', card('Charizard', 'base1', 'Holofoil')],
    [String(vial.scryfallId), 'likely', vial],
  ]
  for (const [list, match, found] of single) {
    it(`${list.split('\n').at(-1)!.slice(0, 60)} is ${match}`, async () => {
      const { lines, total } = await prices.value(list)
      const [line] = lines
      assert.deepEqual([lines.length, line!.match], [1, match])
      if (match === 'exact' || match === 'likely') assert.equal(line!.card?.id, found!.id)
      else assert.deepEqual([line!.card, total], [null, 0])
      if (match === 'ambiguous') assert.ok(found === undefined || line!.candidates.some(({ id }) => id === found.id))
    })
  }

  it('as fields, with a condition, or in one for all', async () => {
    const lines = [
      { quantity: 2, id: vial.id },
      { name: 'Aether Vial', set: 'MMA', printing: 'foil', condition: 'LP' },
      { name: 'Lightning Bolt', set: 'MMA', printing: 'normal' },
    ]
    const { lines: valued } = await prices.value(lines, { condition: 'Near Mint' })
    const { near_mint } = vial.prices.conditions as { near_mint: number }
    const { lightly_played } = card('Aether Vial', 'mma', 'Foil').prices.conditions as { lightly_played: number }
    assert.deepEqual(
      valued.map(({ unitPrice, condition }) => [unitPrice, condition]),
      [
        [near_mint, 'near_mint'],
        [lightly_played, 'lightly_played'],
        [card('Lightning Bolt').prices.market, null],
      ],
    )
    const { currency, total } = await prices.value('2 Lightning Bolt [MMA]', { game: 'mtg' })
    assert.deepEqual([currency, total], ['USD', card('Lightning Bolt').prices.market! * 2])
    assert.deepEqual(await prices.value(['2 Lightning Bolt [MMA]']), await prices.value('2 Lightning Bolt [MMA]'))
    assert.equal((await prices.value('2 Lightning Bolt [MMA]', { game: 'pokemon' })).total, 0)
    await assert.rejects(prices.value('', { condition: 'shiny' }), TypeError)
  })

  it('costs one request for each 20 lines, and another one for those that an id does not find', async () => {
    const cost = async (list: string) => {
      const before = prices.rateLimit!.remaining
      await prices.value(list)
      return before - prices.rateLimit!.remaining
    }
    assert.equal(await cost(`${vial.id}\n1 Aether Vial [MMA]\n`.repeat(50)), 5)
    assert.equal(await cost(`Name,Set,Scryfall ID\n${`Aether Vial,MMA,${uuidOf(999)}\n`.repeat(20)}`), 2)
    assert.equal(await cost('Deck\n\n'), 0)
  })

  it('that a quota or a server ends has what was valued so far in the error', async () => {
    const free = await clientOf('free')
    const list = `${'1 Aether Vial [MMA]\n'.repeat(4_400)}`
    const error: { found: ValuedList } = await free.value(list).catch((error) => error)
    assert.equal((error as unknown as Error).name, 'QuotaError')
    assert.equal(error.found.lines.length, 4000)
    assert.equal(error.found.total, Math.round(vial.prices.market! * 100) * 40)

    const scripted = await startScripted()
    const { data } = { data: await prices.match(Array.from({ length: 20 }, () => ({ id: vial.id }))) }
    scripted.play(answer(200, { data }), answer(503, 'gone'))
    const gone = new CardPrices({ baseUrl: scripted.address, apiKey: 'a', maxWaitMs: 0 })
    const failed: { found: ValuedList } = await gone.value(`${vial.id}\n`.repeat(60)).catch((error) => error)
    assert.deepEqual([failed.found.lines.length, failed.found.priced], [20, 20])
    await scripted.close()
  })

  it('of any text is read', () => {
    const random = randomFrom('lists')
    const pieces =
      '4|x | |;|,|\t|\n|\r\n|"|""|Charizard|4/102|(2X2)|#|name|qty|mtg-a|é|-|*F*|[MMA]|^|<a>|sep=,|SB:|//|\u2028'.split(
        '|',
      )
    for (let round = 0; round < amount(2000, 40_000); round++) {
      const text = Array.from({ length: drawBelow(random, 30) }, () => drawFrom(random, pieces)).join('')
      for (const { line, quantity, questions } of readList(text)) {
        assert.ok(Number.isInteger(quantity) && quantity >= 0 && line > 0, text)
        for (const { name, id } of questions) assert.ok((name ?? id ?? '').trim() !== '', text)
      }
    }
  })

  it('of 300 kB of quotes, or of one line, is read within a second', () => {
    for (const text of [
      `name,set\n${'"a,'.repeat(100_000)}`,
      `name,set\n${'"a\n'.repeat(50_000)}`,
      '#a '.repeat(100_000),
      `1 ${'[a] '.repeat(100_000)}`,
      `name\n${'"'.repeat(300_000)}`,
    ]) {
      const start = performance.now()
      for (const _ of readList(text));
      assert.ok(performance.now() - start < 1000, text.slice(0, 20))
    }
  })
})
