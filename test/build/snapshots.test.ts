/** Each rule of the snapshot format broken once: the message names file, line and field, and nothing is published. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build as buildHere } from '../../build/build.ts'
import { orderCards, orderSets } from '../../build/compile/order.ts'
import { Progress } from '../../build/progress.ts'
import { centsOf } from '../../build/read/cents.ts'
import { SnapshotError } from '../../build/read/problems.ts'
import { build, temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

type Files = Parameters<typeof snapshotOf>[0]

const good: Files = {
  'sets/a.ndjson': [aSet],
  'cards/a.ndjson': [aCard],
  'history/a.csv': 'date,id,market,low,high\n2026-11-20,pokemon-base1-004,1,1,1\n',
}

/** The second card of cards/a.ndjson, so that its line is 2. */
const card = (changed: object): Files => ({
  'cards/a.ndjson': [aCard, { ...aCard, id: 'pokemon-base1-005', ...changed }],
})
const prices = (changed: object): Files => card({ prices: changed })
const set = (changed: object): Files => ({ 'sets/a.ndjson': [aSet, { ...aSet, code: 'base2', ...changed }] })
const history = (...rows: string[]): Files => ({ 'history/a.csv': ['date,id,market,low,high', ...rows, ''].join('\n') })
const id = 'pokemon-base1-004'

const market = { market: 'cardmarket', currency: 'EUR', price: 1 }

const bad: readonly (readonly [what: string, files: Files, expected: RegExp])[] = [
  ['a line that is no JSON', { 'cards/a.ndjson': '{"id":\n' }, /^cards\/a\.ndjson:1: line: must be JSON/m],
  ['a line that is no object', { 'cards/a.ndjson': '[1]\n' }, /^cards\/a\.ndjson:1: line: must be a JSON object/m],
  [
    'bytes that are no UTF-8',
    { 'cards/a.ndjson': Buffer.from('{"id":"\xff"}\n', 'latin1') },
    /^cards\/a\.ndjson:1: line: must be UTF-8/m,
  ],
  [
    'a gzip cut short',
    { 'cards/b.ndjson.gz': gzipSync(`${JSON.stringify({ ...aCard, id: 'pokemon-x' })}\n`).subarray(0, 40) },
    /^cards\/b\.ndjson\.gz:\d+: line: can't be read/m,
  ],
  ['an id missing', card({ id: undefined }), /^cards\/a\.ndjson:2: id: is missing$/m],
  [
    'an id of another game',
    card({ id: 'mtg-base1-005' }),
    /^cards\/a\.ndjson:2: id: must start with its game and a hyphen \("mtg-base1-005"\)$/m,
  ],
  ['an id with capitals', card({ id: 'pokemon-BASE1' }), /^cards\/a\.ndjson:2: id: may hold only/m],
  [
    'an id of 129 characters',
    card({ id: `pokemon-${'x'.repeat(121)}` }),
    /^cards\/a\.ndjson:2: id: must have 1 to 128 characters/m,
  ],
  ['an id that is no string', card({ id: 7 }), /^cards\/a\.ndjson:2: id: must be a string \(7\)$/m],
  [
    'an id twice',
    card({ id }),
    /^cards\/a\.ndjson:2: id: must be unique, is also at cards\/a\.ndjson:1 \("pokemon-base1-004"\)$/m,
  ],
  [
    'an id twice in two files',
    { 'cards/b.ndjson': [aCard] },
    /^cards\/b\.ndjson:1: id: must be unique, is also at cards\/a\.ndjson:1/m,
  ],
  [
    'an unknown game',
    card({ game: 'chess' }),
    /^cards\/a\.ndjson:2: game: must be one of pokemon, pokemonjp,.* \("chess"\)$/m,
  ],
  ['a name missing', card({ name: undefined }), /^cards\/a\.ndjson:2: name: is missing$/m],
  ['a blank name', card({ name: ' ' }), /^cards\/a\.ndjson:2: name: must not be blank \(" "\)$/m],
  ...(
    [
      ['name', 'Pika\ud83d', 'name'],
      ['number', '\udc00', 'number'],
      ['rarity', 'Rare\udc00 Holo', 'rarity'],
      ['image', 'https://images.example/\ud800.webp', 'image'],
      ['sources', ['ebay', '\ud800'], 'sources.1'],
      ['setCode', 'base\ud800', 'setCode'],
    ] as const
  ).map(([field, value, path]): (typeof bad)[number] => [
    `a lone surrogate in ${field}`,
    card({ [field]: value }),
    new RegExp(`^cards/a\\.ndjson:2: ${path}: must not hold a lone surrogate \\(".*\\\\ud`, 'm'),
  ]),
  [
    'a lone surrogate as bytes, which are no UTF-8',
    { 'cards/a.ndjson': Buffer.from(JSON.stringify(aCard).replace('Charizard', '\xed\xa0\x80'), 'latin1') },
    /^cards\/a\.ndjson:1: line: must be UTF-8$/m,
  ],
  [
    'a lone surrogate in the name of a set',
    set({ name: '\ud800' }),
    /^sets\/a\.ndjson:2: name: must not hold a lone surrogate \("\\ud800"\)$/m,
  ],
  [
    'a lone surrogate in the code of a set',
    set({ code: '\ud800' }),
    /^sets\/a\.ndjson:2: code: must not hold a lone surrogate/m,
  ],
  [
    'a set that is not there',
    card({ setCode: 'nowhere' }),
    /^cards\/a\.ndjson:2: setCode: must be the code of a set of its game \("nowhere"\)$/m,
  ],
  [
    'a set of another game',
    { ...set({ game: 'mtg' }), ...card({ setCode: 'base2' }) },
    /^cards\/a\.ndjson:2: setCode: must be the code of a set of its game/m,
  ],
  ['a number that is no string', card({ number: 4 }), /^cards\/a\.ndjson:2: number: must be a string or null \(4\)$/m],
  [
    'a rarity that is no string',
    card({ rarity: [] }),
    /^cards\/a\.ndjson:2: rarity: must be a string or null \(\[\]\)$/m,
  ],
  [
    'an image that is no address',
    card({ image: 'charizard.png' }),
    /^cards\/a\.ndjson:2: image: must be an http or https address/m,
  ],
  [
    'sources that are no array',
    card({ sources: 'ebay' }),
    /^cards\/a\.ndjson:2: sources: must be an array of strings or null/m,
  ],
  [
    'a source that is no string',
    card({ sources: ['ebay', 7] }),
    /^cards\/a\.ndjson:2: sources\.1: must be a string \(7\)$/m,
  ],
  [
    'an updatedAt without a zone',
    card({ updatedAt: '2026-11-20T06:00:00' }),
    /^cards\/a\.ndjson:2: updatedAt: must be a UTC timestamp/m,
  ],
  [
    'an updatedAt that never was',
    card({ updatedAt: '2026-02-30T06:00:00Z' }),
    /^cards\/a\.ndjson:2: updatedAt: must be a UTC timestamp/m,
  ],
  [
    'prices that are no object',
    prices([] as unknown as object),
    /^cards\/a\.ndjson:2: prices: must be an object or null/m,
  ],
  [
    'a price that is no number',
    prices({ market: '1.5' }),
    /^cards\/a\.ndjson:2: prices\.market: must be a number or null \("1.5"\)$/m,
  ],
  ['a price below 0', prices({ low: -0.01 }), /^cards\/a\.ndjson:2: prices\.low: must be 0 or more \(-0.01\)$/m],
  [
    'a price above 10,000,000',
    prices({ mid: 10_000_000.01 }),
    /^cards\/a\.ndjson:2: prices\.mid: must be at most 10000000 \(10000000.01\)$/m,
  ],
  [
    'a price without end',
    { 'cards/a.ndjson': `${JSON.stringify({ ...aCard, prices: { high: 1 } }).replace('"high":1', '"high":1e999')}\n` },
    /^cards\/a\.ndjson:1: prices\.high: must be/m,
  ],
  [
    'a price of a condition',
    prices({ conditions: { near_mint: true } }),
    /^cards\/a\.ndjson:2: prices\.conditions\.near_mint: must be a number or null \(true\)$/m,
  ],
  [
    'a price of a grade',
    prices({ graded: { psa_10: -1 } }),
    /^cards\/a\.ndjson:2: prices\.graded\.psa_10: must be 0 or more \(-1\)$/m,
  ],
  [
    'a grade of another shape',
    prices({ graded: { 'PSA 10': 1 } }),
    /^cards\/a\.ndjson:2: prices\.graded\.PSA 10: must be a grader and a grade/m,
  ],
  ...['tcgplayerId', 'cardmarketId'].flatMap((field) =>
    [0, -1, 0.5, 2 ** 53, '42382', true, [1]].map((id): (typeof bad)[number] => [
      `a ${field} ${JSON.stringify(id)}`,
      card({ [field]: id }),
      new RegExp(`^cards/a\\.ndjson:2: ${field}: must be a whole number above 0, or null \\(.*\\)\n1 problem`),
    ]),
  ),
  ...[0, 10_000, 1.5, '102'].map((printedTotal): (typeof bad)[number] => [
    `a printedTotal ${JSON.stringify(printedTotal)}`,
    set({ printedTotal }),
    /^sets\/a\.ndjson:2: printedTotal: must be a whole number from 1 to 9999, or null \(.*\)\n/,
  ]),
  ...(
    [
      [{}, 'markets: must be an array of at most 8 markets, or null'],
      [
        Array.from({ length: 9 }, (_, i) => ({ ...market, market: `m${i}` })),
        'markets: must be an array of at most 8 ',
      ],
      [[market, { ...market, low: 1 }], 'markets: must have each market and currency once'],
      [[null], 'markets.0: must be an object or null'],
      [[{ ...market, market: 'Cardmarket' }], 'markets.0.market: must be 1 to 32 of a-z 0-9 -'],
      [[{ ...market, market: 'm'.repeat(33) }], 'markets.0.market: must be 1 to 32 of a-z 0-9 -'],
      [[{ ...market, currency: 'eur' }], 'markets.0.currency: must be three capital letters, EUR'],
      [[{ ...market, currency: undefined }], 'markets.0.currency: is missing'],
      [[{ ...market, price: -1 }], 'markets.0.price: must be 0 or more'],
      [[{ ...market, buylist: '1' }], 'markets.0.buylist: must be a number or null'],
      [[{ ...market, price: null }], 'markets.0: must have a price'],
      [[{ ...market, updatedAt: '2026-02-30' }], 'markets.0.updatedAt: must be a date or a UTC timestamp, '],
      [
        [{ ...market, updatedAt: '2026-11-20T06:00:00+01:00' }],
        'markets.0.updatedAt: must be a date or a UTC timestamp, ',
      ],
    ] as const
  ).map(([markets, wrong]): (typeof bad)[number] => [
    `markets ${JSON.stringify(markets).slice(0, 80)}`,
    card({ markets }),
    new RegExp(`^cards/a\\.ndjson:2: ${wrong}.*\n1 problem`),
  ]),
  ['a set code missing', set({ code: undefined }), /^sets\/a\.ndjson:2: code: is missing$/m],
  ['a set name that is no string', set({ name: 1 }), /^sets\/a\.ndjson:2: name: must be a string \(1\)$/m],
  ['a set of an unknown game', set({ game: 'Pokemon' }), /^sets\/a\.ndjson:2: game: must be one of/m],
  [
    'a set twice',
    set({ code: 'base1' }),
    /^sets\/a\.ndjson:2: code: must be unique in its game, is also at sets\/a\.ndjson:1 \("base1"\)$/m,
  ],
  [
    'a release on no day',
    set({ releaseDate: '2026-13-01' }),
    /^sets\/a\.ndjson:2: releaseDate: must be a date, YYYY-MM-DD \("2026-13-01"\)$/m,
  ],
  [
    'a history date out of range',
    history(`9999-12-31,${id},1,1,1`),
    /^history\/a\.csv:2: date: must be from 1990-01-01 to 2099-12-31 \("9999-12-31"\)$/m,
  ],
  ['a history date that is none', history(`2026-02-29,${id},1,1,1`), /^history\/a\.csv:2: date: .*\("2026-02-29"\)$/m],
  [
    'a history price below 0',
    history(`2026-11-20,${id},1,1,1`, `2026-11-19,${id},1,-2,1`),
    /^history\/a\.csv:3: low: must be 0 or more \("-2"\)$/m,
  ],
  [
    'a history price that is no number',
    history(`2026-11-20,${id},one,1,1`),
    /^history\/a\.csv:2: market: must be a number.* \("one"\)$/m,
  ],
  [
    'a history price above 10,000,000',
    history(`2026-11-20,${id},1,1,10000000.01`),
    /^history\/a\.csv:2: high: must be at most 10000000/m,
  ],
  ['a history row without an id', history('2026-11-20,,1,1,1'), /^history\/a\.csv:2: id: /m],
  [
    'a card and date twice in one file',
    history(`2026-11-20,${id},1,1,1`, `2026-11-20,${id},2,2,2`),
    /^history\/a\.csv:3: /m,
  ],
  [
    'a history file without a column',
    { 'history/a.csv': `date,id,market,low\n2026-11-20,${id},1,1\n` },
    /^history\/a\.csv:1: high: /m,
  ],
  [
    'a history gzip cut short',
    { 'history/b.csv.gz': gzipSync(`date,id,market,low,high\n2026-11-20,${id},1,1,1\n`).subarray(0, 40) },
    /^history\/b\.csv\.gz:\d+: line: can't be read/m,
  ],
]

describe('a snapshot that is right', () => {
  const built = async (cards: readonly object[]) =>
    (await buildHere(snapshotOf({ ...good, 'cards/a.ndjson': cards }), temporaryFolder(), new Progress())).manifest

  it('may name no product, or one product several times, by which lists, downloads and extended views alone differ', async () => {
    const second = { ...aCard, id: 'pokemon-base1-005' }
    const plain = await built([aCard, second])
    const others = ({ files }: typeof plain) =>
      files.filter(({ name }) => name !== 'lists.msgpack' && !/^(bulk|cards)-/.test(name))
    for (const tcgplayerId of [42382, 1, Number.MAX_SAFE_INTEGER, null]) {
      const named = await built([
        { ...aCard, tcgplayerId },
        { ...second, tcgplayerId },
      ])
      assert.equal(named.version === plain.version, tcgplayerId === null)
      assert.deepEqual(others(named), others(plain))
    }
  })
})

it('has its sets and cards in the order of lists', () => {
  const set = (code: string, releaseDate: string | null, game = 0) => ({
    ...{ game, code, name: code, releaseDate, printedTotal: null },
  })
  // The later in the list, the earlier by id.
  const sets = [
    ...[set('b', '2020-02-29'), set('a', '2020-02-28'), set('z', '2020-02-28'), set('a', '2020-02-28', 1)],
    ...[set('x', '1999-12-31', 3), set('c', null), set('c', null, 2), set('d', null, 2)],
  ]
  assert.deepEqual(orderSets(sets.toReversed()), sets)
  const numbers = ['2', '12', '12a', '12a1', '12b', '100', 'A', 'A2', 'A2b', 'A10', 'B1', null]
  const listed = ['b', 'a', 'z', 'c'].flatMap((code) => numbers.map((number) => [code, number] as const))
  const cards = listed.map(
    // Where two games have the set, cards of both lie together.
    ([code, number], i) => {
      const games = sets.flatMap((set, place) => (set.code === code && set.code !== 'x' ? [place] : []))
      return { id: `pokemon-${99 - i}`, setNumber: games[i % games.length]!, number }
    },
  )
  assert.deepEqual(orderCards(cards.toReversed(), sets), cards)
  const equal = ['012', '12', '0012'].map((number, i) => ({ ...cards[0]!, id: `pokemon-${i}`, number }))
  assert.deepEqual(orderCards(equal.toReversed(), sets), equal)
})

describe('a snapshot that is wrong', { concurrency: 2 }, () => {
  for (const [what, files, expected] of bad) {
    it(what, async () => {
      const indexDir = temporaryFolder()
      await assert.rejects(buildHere(snapshotOf({ ...good, ...files }), indexDir, new Progress()), (error) => {
        assert.ok(error instanceof SnapshotError)
        assert.match(error.lines.join('\n'), expected)
        return true
      })
      assert.deepEqual(readdirSync(indexDir), ['.lock.db'], 'nothing is published, nothing is left lying')
    })
  }

  it('has prices of at most 10,000,000, which are rounded to cents by their digits as they are written', () => {
    const tooHigh = 'must be at most 10000000'
    for (const [text, cents] of [
      ['0.005', 1],
      ['5e-3', 1],
      ['0.5E-2', 1],
      ['0.00999', 1],
      ['0.0049999999999999999', 0],
      ['0.0005', 0],
      ['9e-9', 0],
      ['1.005', 101],
      ['1.00499', 100],
      ['0.015', 2],
      ['9.995', 1000],
      ['007', 700],
      ['000000000000012.345', 1235],
      ['1e3', 100_000],
      ['10000000', 1_000_000_000],
      ['1e7', 1_000_000_000],
      ['10000000.004', 1_000_000_000],
      ['10000000.005', tooHigh],
      ['10000000.01', tooHigh],
      ['1e99', tooHigh],
      ['0e99', 0],
      ['-0', 0],
      ['-0.00', 0],
      ['0.00e99', 0],
      ['-0.001', 'must be 0 or more'],
      ['', 'must be a number'],
      ['1,5', 'must be a number'],
      ['.5', 'must be a number'],
      ['Infinity', 'must be a number'],
    ] as const) {
      assert.equal(centsOf(text), cents, text)
    }
  })

  it('shows the first 20 problems and the number of all', async () => {
    const cards = Array.from({ length: 30 }, (_, i) => ({ ...aCard, id: `pokemon-${i}`, name: 7 }))
    const indexDir = temporaryFolder()
    const { code, stdout, stderr } = await build(snapshotOf({ ...good, 'cards/a.ndjson': cards }), indexDir)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.equal(existsSync(join(indexDir, 'current')), false)
    assert.equal(stderr.match(/: name: must be a string \(7\)$/gm)?.length, 20)
    assert.match(stderr, /^30 problems/m)
  })
})
