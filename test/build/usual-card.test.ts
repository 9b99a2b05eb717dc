/** Cards that are taken without the schema: each is one that the schema takes, too, and comes to the same record. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Problems } from '../../build/read/problems.ts'
import { checkCard } from '../../build/read/schema.ts'
import { usualCard } from '../../build/read/usual-card.ts'
import { aCard } from '../support/snapshot.ts'

const bySchema = (card: object) => checkCard(card, 'cards/a.ndjson', 1, new Problems())

/** As a line has it. */
const read = (card: object): object => JSON.parse(JSON.stringify(card))

const full = {
  ...aCard,
  rarity: 'Rare Holo',
  image: 'https://images.example/a/b.webp?size=2#top',
  prices: {
    market: 350.12,
    low: 0,
    mid: null,
    high: 10_000_000,
    conditions: { damaged: 1, near_mint: 2.5, mint: 3, heavily_played: null },
    graded: { psa_10: 12000, bgs_9_5: null, cgc_9: 1.005 },
  },
  sources: ['tcgplayer', 'ebay'],
  updatedAt: '2026-11-20T06:00:00Z',
  tcgplayerId: 42382,
  artist: 'not a field',
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
  ],
]

describe('a card that is as usual', () => {
  it('is taken without the schema', () => {
    for (const card of [full, aCard, { ...full, prices: null, sources: null, image: null, updatedAt: null }]) {
      const taken = usualCard(read(card))
      assert.notEqual(taken, undefined)
      assert.deepEqual(taken, bySchema(read(card)))
    }
  })

  it('is what the schema makes of it, whatever a field holds', () => {
    let taken = 0
    for (const field of Object.keys(full)) {
      for (const value of odd) {
        const card = read({ ...full, [field]: value })
        const record = usualCard(card)
        if (record === undefined) continue
        taken++
        assert.deepEqual(record, bySchema(card), `${field}: ${JSON.stringify(value)}`)
      }
    }
    assert.ok(taken > 100, `${taken} were taken`)
  })

  it('is what the schema makes of it, in any order of cards', () => {
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
          const card = read({ ...full, image: host + path, ...Object.fromEntries(changes) })
          const record = usualCard(card)
          if (record !== undefined) assert.deepEqual(record, bySchema(card))
        }
      }),
      { numRuns: 3000, seed: 20_261_120 },
    )
  })
})
