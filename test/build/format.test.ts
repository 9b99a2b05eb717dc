/**
 * The snapshot format: each rule of it broken once, so that the message names file, line and field, and nothing is published; and
 * documents that commands write, among them its reference, are as the code has it.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { build } from '../../build/build.ts'
import { orderCards, orderSets } from '../../build/compile/order.ts'
import { documents, postmanConverter, stable } from '../../build/format/documents.ts'
import { fieldsOf } from '../../build/format/fields.ts'
import { exampleOf, kinds, referenceFiles } from '../../build/format/reference.ts'
import { onlyDefaultGames } from '../../build/games/folder-games.ts'
import { SnapshotError } from '../../build/read/snapshot-problems.ts'
import { cardSchemaOf, centsOf, setSchemaOf } from '../../build/read/snapshot-schema.ts'
import { build as buildCommand, projectDir, temporaryFolder } from '../support/command.ts'
import { aCard, aSet, aSnapshot, snapshotOf } from '../support/snapshot.ts'

type Files = Parameters<typeof snapshotOf>[0]

const good: Files = { ...aSnapshot, 'history/a.csv': 'date,id,market,low,high\n2026-11-20,pokemon-base1-004,1,1,1\n' }

/** The second card of cards/a.ndjson, so that its line is 2. */
const card = (changed: object): Files => ({
  'cards/a.ndjson': [aCard, { ...aCard, id: 'pokemon-base1-005', ...changed }],
})
const set = (changed: object): Files => ({ 'sets/a.ndjson': [aSet, { ...aSet, code: 'base2', ...changed }] })
const id = 'pokemon-base1-004'

/** By rule and field, values that break it. */
type Wrong = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>

const noCount = [0, -1, 0.5, 2 ** 53, '42382', true, [1]]
const inCard: Wrong = {
  'is missing': { id: [undefined], game: [undefined], name: [undefined], setCode: [undefined] },
  'must be a string': { id: [7] },
  'must be a string or null': { number: [4], rarity: [[]] },
  'must not be blank': { name: [' '] },
  'must not hold a lone surrogate': {
    name: ['Pika\ud83d'],
    number: ['\udc00'],
    rarity: ['Rare\udc00 Holo'],
    setCode: ['base\ud800'],
    image: ['https://images.example/\ud800.webp'],
    printing: ['Foil\ud800'],
  },
  'must be an address or null': { image: [5] },
  'must have 1 to 60 characters, not all of them blank': { printing: [' ', 'x'.repeat(61)] },
  'must be a UUID in lower case': {
    scryfallId: ['0000579F-7B35-4ED3-B44C-DB2A538066FE'],
    mtgjsonId: ['00010d56-fe38-5e35-8aed-518019aa36a'],
  },
  'must start with its game and a hyphen': { id: ['mtg-base1-005'] },
  'may hold only a-z 0-9 - . _ ~': { id: ['pokemon-BASE1'] },
  'must be unique, is also at cards/a.ndjson:1': { id: [id] },
  'must be one of pokemon, pokemonjp, mtg, yugioh, lorcana, onepiece, swu, fab; card-prices games add adds another': {
    game: ['chess'],
  },
  'must be the code of a set of its game': { setCode: ['nowhere'] },
  'must be an http or https address': { image: ['charizard.png'] },
  'must be an array of strings or null': { sources: ['ebay'] },
  'must be a UTC timestamp, 2026-11-20T06:00:00Z': {
    updatedAt: ['2026-11-20T06:00:00', '2026-02-30T06:00:00Z', '2026-11-20T25:00:00Z', '2026-11-20', ''],
  },
  'must be a UTC timestamp, 2026-11-20T06:00:00Z, or null': { updatedAt: [7] },
  'must be an object or null': { prices: [[]], 'prices.conditions': [[]], 'prices.graded': ['psa_10'] },
  'must be a number or null': { 'prices.market': ['1.5'], 'prices.conditions.near_mint': [true] },
  'must be 0 or more': { 'prices.low': [-0.01], 'prices.graded.psa_10': [-1] },
  'must be at most 10000000': { 'prices.mid': [10_000_000.01] },
  'must be a grader and a grade, psa_10, bgs_9_5': {
    'prices.graded.PSA_10': [1],
    'prices.graded.psa': [1],
    'prices.graded.psa_100': [1],
    'prices.graded.psa_1_2_3': [1],
  },
  'must be a whole number above 0, or null': { tcgplayerId: noCount, cardmarketId: noCount },
  'must be an array of at most 8 markets, or null': { markets: [{}] },
}

const inSet: Wrong = {
  'is missing': { code: [undefined] },
  'must be a string': { name: [1] },
  'must not hold a lone surrogate': { name: ['\ud800'], code: ['\ud800'] },
  'must be one of pokemon, pokemonjp, mtg, yugioh, lorcana, onepiece, swu, fab; card-prices games add adds another': {
    game: ['Pokemon'],
  },
  'must be unique in its game, is also at sets/a.ndjson:1': { code: ['base1'] },
  'must be a date, YYYY-MM-DD': { releaseDate: ['2026-13-01', ''] },
  'must be a date, YYYY-MM-DD, or null': { releaseDate: [2026] },
  'must be a whole number from 1 to 9999, or null': { printedTotal: [0, 10_000, 1.5, '102'] },
}

type Bad = readonly [files: Files, line: string]

const badFields = (wrong: Wrong, file: string, filesOf: (changed: object) => Files): Bad[] =>
  Object.entries(wrong).flatMap(([rule, fields]) =>
    Object.entries(fields).flatMap(([path, values]) =>
      values.map((value): Bad => {
        const changed = path.split('.').reduceRight((inner: unknown, name) => ({ [name]: inner }), value) as object
        const found = value === undefined ? '' : ` (${JSON.stringify(value)})`
        return [filesOf(changed), `${file}:2: ${path}: ${rule}${found}`]
      }),
    ),
  )

const market = { market: 'cardmarket', currency: 'EUR', price: 1 }
const dayOrTime = 'markets.0.updatedAt: must be a date or a UTC timestamp, 2026-11-20 or 2026-11-20T06:00:00Z'

/** A card's list of markets, and how the line begins that says what is wrong. */
const badMarkets: readonly (readonly [markets: readonly unknown[], wrong: string])[] = [
  [Array.from({ length: 9 }, (_, i) => ({ ...market, market: `m${i}` })), 'markets: must be an array of at most 8 '],
  [[market, { ...market, low: 1 }], 'markets: must have each market and currency once'],
  [[null], 'markets.0: must be an object or null'],
  [[{ ...market, market: 'Cardmarket' }], 'markets.0.market: must be 1 to 32 of a-z 0-9 -'],
  [[{ ...market, market: 'm'.repeat(33) }], 'markets.0.market: must be 1 to 32 of a-z 0-9 -'],
  [[{ ...market, market: '' }], 'markets.0.market: must be 1 to 32 of a-z 0-9 -'],
  [[{ ...market, currency: 'EURO' }], 'markets.0.currency: must be three capital letters, EUR'],
  [[{ ...market, currency: 'eur' }], 'markets.0.currency: must be three capital letters, EUR'],
  [[{ ...market, currency: undefined }], 'markets.0.currency: is missing'],
  [[{ ...market, price: -1 }], 'markets.0.price: must be 0 or more'],
  [[{ ...market, buylist: '1' }], 'markets.0.buylist: must be a number or null'],
  [[{ ...market, price: null }], 'markets.0: must have a price'],
  [[{ ...market, updatedAt: '2026-02-30' }], dayOrTime],
  [[{ ...market, updatedAt: '2026-11-20T06:00:00+01:00' }], dayOrTime],
]

const cutShort = "line: can't be read (unexpected end of file)"
const infinite = JSON.stringify({ ...aCard, prices: { high: 1 } }).replace('"high":1', '"high":1e999')

/** The files that differ from those of a good snapshot, and how the line begins that says what is wrong. */
const bad: readonly Bad[] = [
  [{ 'cards/b.ndjson': '\ufeff\n\ufeff{}\n' }, 'cards/b.ndjson:2: line: must be JSON ("\ufeff{}")'],
  [{ 'cards/a.ndjson': Buffer.from('{"id":"\xff"}\n', 'latin1') }, 'cards/a.ndjson:1: line: must be UTF-8'],
  [
    // A lone surrogate as bytes.
    { 'cards/a.ndjson': Buffer.from(JSON.stringify(aCard).replace('Charizard', '\xed\xa0\x80'), 'latin1') },
    'cards/a.ndjson:1: line: must be UTF-8',
  ],
  [
    { 'cards/b.ndjson.gz': gzipSync(`${JSON.stringify({ ...aCard, id: 'pokemon-x' })}\n`).subarray(0, 40) },
    `cards/b.ndjson.gz:1: ${cutShort}`,
  ],
  [{ 'cards/a.ndjson': `${infinite}\n` }, 'cards/a.ndjson:1: prices.high: must be'],
  [card({ id: `pokemon-${'x'.repeat(121)}` }), 'cards/a.ndjson:2: id: must have 1 to 128 characters ("pokemon-xxx'],
  [card({ sources: ['ebay', 7] }), 'cards/a.ndjson:2: sources.1: must be a string (7)'],
  [card({ sources: ['ebay', '\ud800'] }), 'cards/a.ndjson:2: sources.1: must not hold a lone surrogate ("\\ud800")'],
  [
    { ...set({ game: 'mtg' }), ...card({ setCode: 'base2' }) },
    'cards/a.ndjson:2: setCode: must be the code of a set of its game ("base2")',
  ],
  ...badFields(inCard, 'cards/a.ndjson', card),
  ...badMarkets.map(([markets, wrong]): Bad => [card({ markets }), `cards/a.ndjson:2: ${wrong}`]),
  ...badFields(inSet, 'sets/a.ndjson', set),
]

it('A valid snapshot may use all fields at their longest, and missing values become null', () => {
  const id = `mtg-${'x'.repeat(124)}`
  const ids = { scryfallId: '0000579f-7b35-4ed3-b44c-db2a538066fe', cardmarketId: 1 }
  const named = { name: ' x ', setCode: 'y', image: 'HTTP://x', printing: '🃏'.repeat(60) }
  const updatedAt = '2026-11-20T23:59:59.123456789Z'
  const times = ['2026-11-20', '2026-11-20T06:00Z', updatedAt, null]
  const markets = Array.from({ length: 8 }, (_, i) => ({
    market: `${9 - i}`.repeat(32),
    currency: 'EUR',
    price: null,
    low: 1,
    buylist: null,
    updatedAt: times[i % 4],
  }))
  const prices = { low: 0, graded: { z_10: 0.01, bgs_9_5: 1, psa_9: null }, conditions: { damaged: 1, near_mint: 2 } }
  const unknown = { number: null, rarity: null, mtgjsonId: null, tcgplayerId: null }
  const others = { game: 'mtg', artist: 'x', rarity: '', mtgjsonId: '', updatedAt }
  const given = { id, ...others, ...ids, ...named, markets, prices }
  assert.deepEqual(v.parse(cardSchemaOf(onlyDefaultGames), given), {
    id,
    game: 2,
    ...unknown,
    ...ids,
    ...named,
    sources: [],
    updatedAt,
    prices: {
      market: null,
      low: 0,
      mid: null,
      high: null,
      conditions: Object.entries({ near_mint: 200, damaged: 100 }),
      graded: Object.entries({ z_10: 1, bgs_9_5: 100 }),
    },
    markets: markets.toReversed().map((offer) => ({ ...offer, low: 100 })),
  })
  assert.equal(v.parse(setSchemaOf(onlyDefaultGames), { ...aSet, printedTotal: 9999 }).printedTotal, 9999)
})

it('A build sorts sets by release date, and cards by set and collector number', () => {
  const set = (code: string, releaseDate: string | null, game = 0) => ({
    game,
    code,
    name: code,
    releaseDate,
    printedTotal: null,
  })
  // The later in the list, the earlier by id.
  const sets = [
    set('b', '2020-02-29'),
    set('a', '2020-02-28'),
    set('z', '2020-02-28'),
    set('a', '2020-02-28', 1),
    set('x', '1999-12-31', 3),
    set('c', null),
    set('c', null, 2),
    set('d', null, 2),
  ]
  assert.deepEqual(orderSets(sets.toReversed()), sets)
  const numbers = ['2', '12', '12a', '12a1', '12b', '100', 'A', 'A2', 'A2b', 'A10', 'B1', null]
  const listed = ['b', 'a', 'z', 'c'].flatMap((code) => numbers.map((number) => ({ code, number })))
  const cards = listed.map(({ code, number }, i) => {
    // Where two games have the set, cards of both lie together.
    const games = sets.flatMap((set, place) => (set.code === code ? [place] : []))
    return { id: `pokemon-${99 - i}`, setNumber: games[i % games.length]!, number }
  })
  assert.deepEqual(orderCards(cards.toReversed(), sets), cards)
  const equal = ['012', '12', '0012'].map((number, i) => ({ ...cards[0]!, id: `pokemon-${i}`, number }))
  assert.deepEqual(orderCards(equal.toReversed(), sets), equal)
})

describe('A snapshot that is wrong', { concurrency: 2 }, () => {
  for (const [files, line] of bad) {
    it(`A snapshot that is wrong is refused: ${line}`, async () => {
      const indexDir = temporaryFolder()
      await assert.rejects(build(snapshotOf({ ...good, ...files }), indexDir), (error) => {
        assert.ok(error instanceof SnapshotError)
        assert.equal(error.lines[0]!.slice(0, line.length), line)
        assert.deepEqual(error.lines.slice(1), ['1 problem; nothing was published'])
        return true
      })
      const left = readdirSync(indexDir)
      assert.deepEqual(left, ['.lock.db', 'build-failure.json'], 'nothing is published, the refusal alone is recorded')
    })
  }

  it('A price of at most 10,000,000 is rounded to cents from its decimal digits as written', () => {
    const texts = new Map<number | string, (string | number)[]>([
      [0, ['0.0049999999999999999', '0.0005', '9e-9', '0e99', '-0', '-0.00', '0.00e99', 0]],
      [1, ['0.005', '5e-3', '0.5E-2', '0.00999', 0.005]],
      [2, ['0.015']],
      [10, [0.1]],
      [100, ['1.00499', 1.004]],
      [101, ['1.005', 1.005]],
      [700, ['007']],
      [1000, ['9.995']],
      [1235, ['000000000000012.345']],
      [100_000, ['1e3']],
      [1_000_000_000, ['10000000', '1e7', '10000000.004', 1e7]],
      ['must be at most 10000000', ['10000000.005', '10000000.01', '1e99', 10_000_000.01, 1e300]],
      ['must be 0 or more', ['-0.001', -0.01]],
      ['must be a number', ['', '1,5', '.5', 'Infinity', Number.NaN]],
    ])
    for (const [cents, written] of texts) for (const text of written) assert.equal(centsOf(text), cents, `${text}`)
  })

  it('A wrong snapshot is reported with its first 20 problems and their total number', async () => {
    const cards = Array.from({ length: 30 }, (_, i) => ({ ...aCard, id: `pokemon-${i}`, name: 7 }))
    const indexDir = temporaryFolder()
    for (const [count, total] of [
      [20, '20 problems; nothing was published'],
      [30, '30 problems, the first 20 shown; nothing was published'],
    ] as const) {
      const files = { ...good, 'cards/a.ndjson': cards.slice(0, count) }
      const shown = Array.from({ length: 20 }, (_, i) => `cards/a.ndjson:${i + 1}: name: must be a string (7)\n`)
      const stderr = `${shown.join('')}${total}\n`
      assert.deepEqual(await buildCommand(snapshotOf(files), indexDir), { code: 1, stdout: '', stderr })
    }
  })
})

for (const [name, content] of referenceFiles()) {
  it(`The file snapshots/${name} is what \`npm run reference\` makes of the schemas`, () => {
    assert.equal(readFileSync(join(projectDir, 'snapshots', name), 'utf8'), content)
  })
}

for (const [name, make] of Object.entries(documents)) {
  it(`The file ${name} is what \`npm run documents\` makes of the code and the packages`, () => {
    assert.equal(readFileSync(join(projectDir, name), 'utf8'), make())
    assert.ok(name !== 'docs/llms.txt' || Buffer.byteLength(make()) < 8192, 'it is under 8 KB')
  })
}

it('The file docs/postman.json is the converted description, without ids, examples of responses and made-up values', () => {
  const text = readFileSync(join(projectDir, 'docs/postman.json'), 'utf8')
  const converted = JSON.parse(text, (key, value) => {
    if (key === 'request') return { ...value, id: '0b7e', _postman_id: '0b7f' }
    if (key === 'response') return [{}]
    return value?.disabled === true ? { ...value, disabled: false, value: 'made up' } : value
  })
  const all = JSON.stringify({ ...converted, variable: [] })
  assert.equal(stable(all, documents['docs/openapi.json']()), text)
})

it('CI tests the collection for Postman with the converter that npm run documents calls', () => {
  assert.ok(readFileSync(join(projectDir, '.ci/run'), 'utf8').split(/\s/).includes(postmanConverter))
})

for (const kind of kinds) {
  it(`The example of "${kind.title}" is right, as a whole and field by field`, () => {
    const fields = fieldsOf(kind.schema)
    assert.deepEqual(v.safeParse(kind.schema, exampleOf(fields)).issues, undefined)
    for (const { path, example } of fields) {
      const record = structuredClone(exampleOf(fields)) as Record<string, unknown>
      const names = path.split('.')
      let within = record
      for (const name of names.slice(0, -1)) {
        within[name] ??= {}
        within = within[name] as Record<string, unknown>
      }
      const last = names.at(-1)!
      within[last === '*' ? (Array.isArray(within) ? '0' : 'psa_10') : last] = example
      assert.deepEqual(v.safeParse(kind.schema, record).issues, undefined, path)
    }
  })
}
