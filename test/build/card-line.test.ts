/** Lines that are taken as they lie: each is one that the schema takes, too, and comes to the same texts and columns. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CardTexts } from '../../build/compile/card-texts.ts'
import * as at from '../../build/read/card-line.ts'
import { CardLine } from '../../build/read/card-line.ts'
import { parseLine } from '../../build/read/ndjson.ts'
import { Problems } from '../../build/read/problems.ts'
import { checkCard } from '../../build/read/schema.ts'
import { amount } from '../support/amount.ts'
import { aCard } from '../support/snapshot.ts'

const setName = 'Base "Set"'
/** One for all, as a thread has it. */
const line = new CardLine()

/** The line's result if it is taken as it stands, else undefined. */
function taken(text: string) {
  const bytes = Buffer.from(`x${text}\n`)
  if (!line.take(bytes, 1, bytes.length - 1)) return undefined
  const texts = new CardTexts()
  texts.start(0)
  texts.addLine(line, Buffer.from(JSON.stringify(setName)))
  return {
    ...{ id: textOf(at.id), game: line.game, name: textOf(at.name), setCode: line.setCode },
    ...{ number: textOf(at.number), rarity: textOf(at.rarity), market: line.market },
    ...{ dateOfUpdate: line.dateOfUpdate, texts: textsOf(texts) },
  }
}

/** A text of the line, null if unknown. */
const textOf = (value: number): string | null =>
  line.from[value] === -1 ? null : line.bytes.toString('utf8', line.from[value]! + 1, line.to[value]! - 1)

/** The result of the schema and JSON.stringify. */
function bySchema(text: string) {
  const problems = new Problems()
  const object = parseLine(text, 'cards/a.ndjson', 2, problems)
  const card = object && checkCard(object, 'cards/a.ndjson', 2, problems)
  if (card === undefined) return undefined
  const texts = new CardTexts()
  texts.start(0)
  texts.addRecord(card, setName)
  const { id, game, name, setCode, number, rarity, updatedAt, prices } = card
  const dateOfUpdate = updatedAt?.slice(0, 10) ?? null
  const market = prices.market
  return { id, game, name, setCode, number, rarity, market, dateOfUpdate, texts: textsOf(texts) }
}

const textsOf = ({ at, bytes }: CardTexts) =>
  Array.from(at.subarray(1), (end, i) => Buffer.from(bytes.subarray(at[i], end)).toString())

/** In the order of the format. */
const full = {
  ...{ id: aCard.id, game: aCard.game, name: aCard.name, setCode: aCard.setCode, number: '4/102' },
  rarity: 'Rare Holo',
  image: 'https://images.example/a/b.webp?size=2#top',
  prices: {
    market: 350.12,
    low: 0,
    mid: null,
    high: 10_000_000,
    conditions: { near_mint: 2.5, lightly_played: null, moderately_played: 0.07, damaged: 1 },
    graded: { psa_10: 12000, bgs_9_5: 0.5, cgc_9: 1.25 },
  },
  sources: ['tcgplayer', 'ebay'],
  updatedAt: '2026-11-20T06:00:00Z',
  tcgplayerId: 42382,
  printing: '1st Edition Holofoil',
  scryfallId: '0000579f-7b35-4ed3-b44c-db2a538066fe',
  mtgjsonId: '00010d56-fe38-5e35-8aed-518019aa36a5',
}

/** Right and wrong ones of each kind. */
const odd: readonly unknown[] = [
  ...[undefined, null, '', ' ', 'x', 'é', 7, 0, -1, -0, 0.005, 1.005, 1e7, 10_000_000.01, 1e-9, 2 ** 53, true, [], {}],
  ...['pokemon', 'mtg', 'pokemon-a', 'pokemon-A', 'pokemonjp-1', 'pokemon', `pokemon-${'x'.repeat(121)}`],
  ...['https://', 'https:///', 'https:////x', 'https:///[', 'https://x', 'http://x/', 'HTTP://X/y', 'ftp://x/'],
  ...[
    'https://images.example/',
    'https://images.example',
    'https://[/x',
    'https://a b/',
    'https://x?/y',
    'https://x\\[/',
  ],
  ...['2026-11-20T06:00:00Z', '2026-11-20T06:00Z', '2026-02-30T06:00:00Z', '2026-11-20T25:00:00Z', '2026-11-20'],
  ...[['ebay'], [''], [7], [null], { market: 1 }, { market: '1' }, { market: -1 }, { conditions: [] }, { graded: 7 }],
  ...[
    { conditions: { near_mint: 'x' } },
    { graded: { psa10: 1 } },
    { graded: { psa_10: 1e9 } },
    { graded: { a_1_2: 3 } },
    { graded: { psa_1: 3, psa_10: 3, psa_1_1: 4 } },
    { conditions: { lightly_played: 3 }, graded: {} },
    { conditions: { damaged: 3, near_mint: 2 } },
    { low: 1, graded: null },
    { high: 1, market: 2 },
  ],
]

/** The changed part of a line, and whether the line is taken as it stands. */
const otherwise: readonly (readonly [was: string, is: string, taken: boolean])[] = [
  ['"market":350.12', '"market":350.10', false],
  ['"market":350.12', '"market":0350.1', false],
  ['"market":350.12', '"market":350.', false],
  ['"market":350.12', '"market":350.0', false],
  ['"market":350.12', '"market":350.129', false],
  ['"market":350.12', '"market":3.5e2', false],
  ['"market":350.12', '"market":-1', false],
  ['"market":350.12', '"market":350.02', true],
  ['"market":350.12', '"market":0', true],
  ['"market":350.12', '"market":10000000', true],
  ['"market":350.12', '"market":10000000.01', false],
  ['"market":350.12', '"market": 350.12', false],
  ['"market":350.12,', '', true],
  ['"market":350.12,', '"market":1,"market":2,', false],
  ['"psa_10":12000', '"psa_10":12000,"psa_10":1', false],
  ['"psa_10":12000', '"psa_10":null', false],
  ['"psa_10":12000,', '"psa_10":12000,,', false],
  ['"damaged":1', '"damaged":1,"mint":2', false],
  ['"sources":["tcgplayer","ebay"]', '"sources":[]', true],
  ['"sources":["tcgplayer","ebay"]', '"sources":["tcgplayer" ]', false],
  ['"sources":["tcgplayer","ebay"]', '"sources":["\u3000"]', false],
  ['"name":"', '"name":"\\"', false],
  ['"name":"', '"name":"\\u0041', false],
  ['"name":"', '"name":"リザードン', true],
  ['"name":"', '"name":"\u2028', true],
  ['"name":"', '"name":"\t', false],
  ['"name":"', '"name":7,"x":"', false],
  ['"tcgplayerId":42382', '"tcgplayerId":0', false],
  ['"tcgplayerId":42382', '"tcgplayerId":042382', false],
  ['"tcgplayerId":42382', '"tcgplayerId":9007199254740993', false],
  [',"tcgplayerId":42382', '', true],
  ['}', '} ', false],
  ['"printing":"1st', '"printing":"ファースト', true],
  ['"printing":"1st', `"printing":"${'x'.repeat(60)}`, false],
  ['"printing":"1st Edition Holofoil"', '"printing":" "', false],
  ['"printing":"1st Edition Holofoil"', '"printing":""', false],
  [',"printing":"1st Edition Holofoil"', '', true],
  ['"scryfallId":"0000579f', '"scryfallId":"0000579F', false],
  ['"scryfallId":"0000579f-7', '"scryfallId":"0000579f7', false],
  ['"scryfallId":"0000579f', '"scryfallId":"0000579', false],
  ['-b44c-db2a538066fe', '-b44c-db2a53806-fe', false],
  ['aa36a5"}', 'aa36a5"}\r', false],
  ['aa36a5"}', 'aa36a5","artist":"x"}', false],
  ['aa36a5"}', 'aa36a5"', false],
]

describe('a line in the usual form', () => {
  it('is taken as it lies', () => {
    const unknown = { prices: null, sources: null, image: null, updatedAt: null, number: null, tcgplayerId: null }
    const { id, game, name, setCode } = full
    for (const card of [full, { ...full, ...unknown }, { id, game, name, setCode }]) {
      const text = JSON.stringify(card)
      assert.notEqual(taken(text), undefined)
      assert.deepEqual(taken(text), bySchema(text))
    }
  })

  for (const [was, is, usual] of otherwise) {
    it(`${usual ? 'can have' : 'has no'} ${JSON.stringify(is)} for ${was}`, () => {
      const text = JSON.stringify(full)
      assert.ok(text.includes(was))
      const found = taken(text.replace(was, is))
      assert.equal(found !== undefined, usual)
      if (found !== undefined) assert.deepEqual(found, bySchema(text.replace(was, is)))
    })
  }

  it('has the result of the schema, for any field', () => {
    let count = 0
    for (const field of Object.keys(full)) {
      for (const value of odd) {
        const text = JSON.stringify({ ...full, [field]: value })
        const found = taken(text)
        if (found === undefined) continue
        count++
        assert.deepEqual(found, bySchema(text), `${field}: ${JSON.stringify(value)}`)
      }
    }
    assert.ok(count > 100, `${count} were taken`)
  })

  it('comes to what the schema makes of it, in any order of cards', () => {
    const field = fc.constantFrom(...Object.keys(full))
    const change = fc.tuple(field, fc.constantFrom(...odd))
    const hosts = fc.constantFrom(
      'https://a',
      'https://a/',
      'https:///',
      'https://a/b',
      'http://[',
      'https://a/[',
      'https://a:1/',
    )
    const image = fc.tuple(hosts, fc.constantFrom('', '/', '[', '/x', ':99999/', '@[', '\\[', '?', '\t/'))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(change, { maxLength: 2 }), image), { maxLength: 8 }), (cards) => {
        for (const [changes, [host, path]] of cards) {
          const text = JSON.stringify({ ...full, image: host + path, ...Object.fromEntries(changes) })
          const found = taken(text)
          if (found !== undefined) assert.deepEqual(found, bySchema(text))
        }
      }),
      { numRuns: amount(1000, 3000), seed: 20_261_120 },
    )
  })
})
