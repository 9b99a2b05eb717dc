/** Prices that an overlay or a price guide lays over cards. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, copyOf, errorsOf, file, importInto } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'
import { tcgcsv } from './market-files.ts'

describe('prices laid over cards', () => {
  const overlay = file(
    'own-sales.csv',
    `price,id,key
340,pokemon-bs-004-holofoil,near_mint
250.5,pokemon-bs-004-holofoil,damaged
12000,pokemon-bs-004-holofoil,psa_10
0.07,fab-arc-arc000,market
1,pokemon-nowhere-1,low
1,nowhere-1,low
,pokemon-bs-001-holofoil,low
`,
  )
  const guide = file(
    'price-guide.csv',
    `id,console-name,product-name,loose-price,graded-price,manual-only-price
1,Pokemon Silver Tempest,Lugia VSTAR #139,$4.50,$20.00,"$1,234.56"
2,Pokemon Base Set,Alakazam #1,$40.00,,$900
3,Pokemon Base Set,Alakazam #2,$40.00,,$900
8,Pokemon Base Set,Kadabra #1,$40.00,,$900
9,Pokemon Base Set 2,Alakazam #1,$40.00,,$900
10,Magic Base Set,Alakazam #1,$40.00,,$900
4,Pokemon Japanese SV: 超電ブレイカー,ピカチュウex #33,,$7,
5,Pokemon Base Set,Unown [A],$1.00,$2.00,
6,Xbox,Halo,$1.00,$2.00,
7,Lorcana The First Chapter,Elsa - Spirit of Winter #42,$1.00,$0.00,$80
11,Pokemon Base Set,Charizard #4,$350.00,$0.00,
`,
  )

  it('by id, and by game, set, number and name; and again when the cards are imported anew', async () => {
    const out = copyOf(tcgcsv)
    const { report } = await importInto(out, 'overlay', [overlay], { date: '2026-11-19' })
    const guideReport = (await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })).report
    await importInto(out, 'tcgcsv', [writeMirror(mirrorGroups)], { date: '2026-11-21' })
    const cards = cardsById(out)
    const charizard = cards.get('pokemon-bs-004-holofoil')
    const more = { conditions: { near_mint: 340, damaged: 250.5 }, graded: { psa_10: 12000 } }
    assert.deepEqual(charizard.prices, { market: 350.12, low: 200, mid: 340, high: 900, ...more })
    assert.deepEqual(charizard.sources, ['tcgplayer', 'own-sales'])
    assert.equal(charizard.updatedAt, '2026-11-21T00:00:00Z', 'the day of its own prices')
    const { prices, updatedAt } = cards.get('fab-arc-arc000')
    assert.deepEqual([prices.market, updatedAt], [0.07, '2026-11-19T00:00:00Z'])
    assert.deepEqual(cards.get('pokemon-swsh12-139-holofoil').prices.graded, { grade_9: 20, psa_10: 1234.56 })
    assert.deepEqual(cards.get('pokemon-bs-001-holofoil').prices.graded, { psa_10: 900 })
    assert.deepEqual(cards.get('pokemonjp-g24001-033-holofoil').prices.graded, { grade_9: 7 })
    assert.deepEqual(cards.get('lorcana-1-42').prices.graded, { psa_10: 80 })
    assert.deepEqual(cards.get('lorcana-1-42').sources, ['tcgplayer', 'pricecharting'])
    assert.equal(report.game(null).leftOut.get('no such card'), 2)
    const leftOut = guideReport.records.filter(({ file }) => file?.endsWith(basename(guide)))
    const expected = [
      'no number: Pokemon Base Set: Unown [A]',
      'another game: Xbox: Halo',
      'no graded price: Pokemon Base Set: Charizard #4',
      'no card of that game, set, number and name: Base Set: Alakazam #2',
      'no card of that game, set, number and name: Base Set: Kadabra #1',
      'no card of that game, set, number and name: Base Set 2: Alakazam #1',
      'no card of that game, set, number and name: Base Set: Alakazam #1',
    ]
    assert.equal(leftOut.map(({ reason, record }) => `${reason}: ${record}`).join('\n'), expected.join('\n'))
  })

  it('by names of signs alone too, which are equal to themselves and to no other', async () => {
    const out = temporaryFolder()
    const blank = (name: string, id: number) => ({ id, name, number: '23', prices: [{ subType: 'Normal', market: 1 }] })
    const groups = withGroups({ 604: (group) => ({ ...group, products: [blank('_____', 1), blank('???', 2)] }) })
    await importInto(out, 'tcgcsv', [writeMirror(groups)])
    const rows = ['Pokemon Base Set,＿＿＿ ＿＿ #23,$900', 'Pokemon Base Set,!!! #23,$1', 'Pokemon ?,_____ #23,$1']
    const path = file('signs.csv', ['console-name,product-name,manual-only-price', ...rows].join('\n'))
    const { report } = await importInto(out, 'pricecharting', [path], { date: '2026-11-19' })
    const graded = [...cardsById(out).values()].filter(({ prices }) => Object.keys(prices.graded ?? {}).length > 0)
    assert.deepEqual(
      graded.map(({ name, prices }) => [name, prices.graded]),
      [['_____', { psa_10: 900 }]],
    )
    assert.equal(report.game('pokemon').leftOut.get('no card of that game, set, number and name'), 2)
  })

  it('are written alike for any order of their rows', async () => {
    const rows = ['psa_10,12000', 'damaged,250.5', 'bgs_9_5,5000', 'near_mint,340', 'psa_9,900', 'heavily_played,280']
    const written = [rows, [...rows].reverse(), [...rows].sort()].map(async (order) => {
      const out = copyOf(tcgcsv)
      const path = join(temporaryFolder(), 'own.csv')
      writeFileSync(path, `id,key,price\n${order.map((row) => `pokemon-bs-004-holofoil,${row}\n`).join('')}`)
      await importInto(out, 'overlay', [path], { date: '2026-11-19' })
      return readFileSync(join(out, 'cards/tcgcsv-pokemon.ndjson'), 'utf8')
    })
    const [first, ...others] = await Promise.all(written)
    assert.ok(first!.includes('"graded":{"bgs_9_5":5000,"psa_10":12000,"psa_9":900}'))
    for (const other of others) assert.equal(other, first)
  })

  it('with --games replace those of these games alone', async () => {
    const out = copyOf(tcgcsv)
    await importInto(out, 'overlay', [overlay], { date: '2026-11-19' })
    await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })
    const games = new Set(['lorcana', 'fab'] as const)
    const rows = ['fab-arc-arc000,market,0.08', 'pokemon-bs-004-holofoil,psa_10,1']
    const guided = ['Lorcana The First Chapter,Elsa - Spirit of Winter #42,$90', 'Pokemon Base Set,Alakazam #1,$1']
    const later = file('later.csv', ['id,key,price', ...rows].join('\n'))
    const laterGuide = file('guide-2.csv', ['console-name,product-name,manual-only-price', ...guided].join('\n'))
    await importInto(out, 'overlay', [later], { date: '2026-11-19', games, as: 'own-sales' })
    await importInto(out, 'pricecharting', [laterGuide], { date: '2026-11-19', games })
    const pricesOf = (id: string) => cardsById(out).get(id).prices
    assert.equal(pricesOf('fab-arc-arc000').market, 0.08)
    assert.deepEqual(pricesOf('lorcana-1-42').graded, { psa_10: 90 })
    assert.deepEqual(pricesOf('pokemon-bs-004-holofoil').graded, { psa_10: 12000 }, 'the other game’s overlay stays')
    assert.deepEqual(pricesOf('pokemon-bs-001-holofoil').graded, { psa_10: 900 }, 'and so does its guide')
    await importInto(out, 'pricecharting', [guide], { date: '2026-11-19' })
    assert.deepEqual(pricesOf('lorcana-1-42').graded, { psa_10: 80 }, 'without --games all are replaced')
  })

  it('of a file that mixes dollars and cents are refused', async () => {
    const rows = ['Pokemon Base Set,Alakazam #1,$900', 'Pokemon Base Set,Charizard #4,90000']
    const mixed = file('mixed.csv', ['console-name,product-name,manual-only-price', ...rows].join('\n'))
    assert.match(
      await errorsOf(importInto(temporaryFolder(), 'pricecharting', [mixed])),
      /mixed\.csv: line 3\.manual-only-price: must be in dollars, as the file's first price \("90000"\); 1 of 2 /,
    )
  })
})
