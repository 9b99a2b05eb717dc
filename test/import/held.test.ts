/** A slip of one set: it stays as it was for seven days' imports, and the rest is imported. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { build } from '../../build/build.ts'
import type { ImportOptions } from '../../build/import/sources/source.ts'
import { acceptedSets, heldFile } from '../../build/import/write/held.ts'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import {
  assertRefused,
  cardsById,
  copyOf,
  errorsOf,
  file,
  historyOf,
  importInto,
  importNew,
  recordsIn,
  runImportHere,
} from '../support/import.ts'
import { groupsOf, type Market, writeMirror } from '../support/mirror.ts'
import { allPrintings, magicCard, scryfallCard, uuid } from './magic.ts'

const cardsOfGroup = 40
/** Five groups, each of whose cards has the price, but for those of one. */
const pricesWith = (market: number, of301: readonly Market[]): MirrorGroup[] =>
  groupsOf(Array.from({ length: 200 }, (_, i) => (Math.floor(i / cardsOfGroup) === 1 ? of301[i % 40]! : market)))
const same = (market: Market, count = cardsOfGroup): Market[] => new Array<Market>(count).fill(market)
/** Neither number nor rarity: as of sealed products. */
const unnumbered301 = (groups: readonly MirrorGroup[]) =>
  groups.map((group) =>
    group.id !== 301
      ? group
      : { ...group, products: group.products.map(({ id, name, prices }) => ({ id, name, prices: prices! })) },
  )
const without301 = (groups: readonly MirrorGroup[]) => groups.filter(({ id }) => id !== 301)

/** @param times what the others' prices are now; none if there are none */
const figures = (emptied: number, priced: number, times?: string): string =>
  `${emptied} of ${priced} cards that had a price have none now${
    times === undefined ? '' : `, and the median of the others is ${times} times what it was`
  }`

const importDay = (out: string, groups: readonly MirrorGroup[], day: number, options: Partial<ImportOptions> = {}) =>
  importInto(out, 'tcgcsv', [writeMirror(groups)], { date: `2026-11-${day}`, ...options })

async function afterFirstDay(): Promise<string> {
  const out = temporaryFolder()
  await importDay(out, pricesWith(10, same(10)), 10)
  return out
}
const imported = afterFirstDay()
const folder = async () => copyOf(await imported)

const cardsIn = (out: string, set: string) => [...cardsById(out).values()].filter(({ setCode }) => setCode === set)
const rowsOf = (out: string, day: number, set: string) =>
  historyOf(out, `2026-11-${day}-tcgcsv.csv.gz`).filter((row) => row.includes(`,pokemon-${set}-`))
const heldIn = (out: string) => {
  const lines = existsSync(join(out, heldFile)) ? readFileSync(join(out, heldFile), 'utf8').trimEnd().split('\n') : []
  return lines.map((line) => JSON.parse(line)).map(({ code, runs, day }) => `${code} ${runs} ${day}`)
}

describe('A set of 20 priced cards or more', () => {
  const slips: readonly (readonly [what: string, groups: MirrorGroup[], figures: string])[] = [
    ['that is gone', without301(pricesWith(11, same(10))), figures(40, 40)],
    ['that looks sealed', unnumbered301(pricesWith(11, same(10))), figures(40, 40)],
    ['whose prices are gone', pricesWith(11, same(null)), figures(40, 40)],
    [
      'without more than half of its prices',
      pricesWith(11, [...same(null, 21), ...same(11, 19)]),
      figures(21, 40, '1.1'),
    ],
    ['at a hundred times its prices', pricesWith(11, same(1000)), figures(0, 40, '100')],
    ['at a little above five times its prices', pricesWith(11, same(50.01)), figures(0, 40, '5.001')],
    ['at a little below a fifth of its prices', pricesWith(11, same(1.99)), figures(0, 40, '0.199')],
  ]
  for (const [what, groups, found] of slips) {
    it(`An import holds back a set of 20 priced cards or more ${what}, and imports the rest`, async () => {
      const out = await folder()
      const before = { cards: cardsIn(out, 'g1'), sets: recordsIn(out, 'sets'), ids: recordsIn(out, 'import') }
      const report = join(temporaryFolder(), 'report.json')
      const args = ['--date', '2026-11-11', '--report', report]
      const { code, stdout, stderr } = await runImportHere('tcgcsv', writeMirror(groups), '--out', out, ...args)
      assert.equal(code, 0, stderr)
      const taken = '--accept SET,… takes them as they are, as does the run after the last.'
      const [, table, note] = stdout.split('\n\n')
      assert.equal(table, `held back  game     run     because\ng1         pokemon  1 of 7  ${found}`)
      assert.equal(note, `Held sets stay as they were. ${taken}`)
      const { records, games } = JSON.parse(readFileSync(report, 'utf8'))
      const held = records.filter(({ kind }: { kind: string }) => kind === 'held')
      assert.deepEqual(held, [{ kind: 'held', game: 'pokemon', file: null, place: null, reason: found, record: 'g1' }])
      const { held: count, changed, gone, doubtful, cards, prices } = games.pokemon
      assert.deepEqual([count, changed, gone, doubtful, cards, prices], [1, 160, 0, 0, 200, 200])
      assert.deepEqual(cardsIn(out, 'g1'), before.cards)
      assert.deepEqual(recordsIn(out, 'sets'), before.sets)
      const ids = recordsIn(out, 'import').filter(({ runs }) => runs === undefined)
      assert.deepEqual(ids, before.ids)
      assert.ok(
        cardsIn(out, 'g2').every(({ prices, updatedAt }) => prices.market === 11 && /^2026-11-11/.test(updatedAt)),
      )
      assert.deepEqual([rowsOf(out, 11, 'g1').length, rowsOf(out, 11, 'g2').length], [0, 40])
      assert.equal(rowsOf(out, 10, 'g1').length, 40)
      assert.equal((await build(out, temporaryFolder())).manifest.counts.cards, 200)
    })
  }

  const changes: readonly (readonly [what: string, groups: MirrorGroup[]])[] = [
    ['of which half have no price any more', pricesWith(11, [...same(null, 20), ...same(11, 20)])],
    ['at five times its earlier prices', pricesWith(11, same(50))],
    ['at a fifth of its earlier prices', pricesWith(11, same(2))],
    ['with half of its prices a hundred times higher', pricesWith(11, [...same(10, 20), ...same(1000, 20)])],
  ]
  for (const [what, groups] of changes) {
    it(`A set of 20 priced cards or more ${what} is imported`, async () => {
      const out = await folder()
      const { held } = await importDay(out, groups, 11)
      assert.deepEqual([held, heldIn(out)], [[], []])
    })
  }

  it('A set with fewer than 20 priced cards is imported whatever its prices are', async () => {
    const out = temporaryFolder()
    const of301 = [...same(10, 17), ...same(null, 23)]
    await importDay(out, pricesWith(10, of301), 10)
    const { held } = await importDay(out, pricesWith(11, same(null)), 11)
    assert.deepEqual(held, [])
    assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === null))
  })

  it('A set of 20 priced cards or more is not held if its products moved to another set', async () => {
    const out = await folder()
    const groups = pricesWith(11, same(11))
    const moved = groups[1]!.products
    const merged = without301(groups).map((group) =>
      group.id === 302 ? { ...group, products: [...group.products, ...moved] } : group,
    )
    const { held, report } = await importDay(out, merged, 11)
    assert.deepEqual([held, report.game('pokemon').gone], [[], 0])
    assert.deepEqual([cardsIn(out, 'g1').length, cardsIn(out, 'g2').length], [0, 80])
  })
})

describe('A held set', () => {
  const emptied = pricesWith(11, same(null))

  it('A held set is accepted on the eighth day, and several imports of one day count once', async () => {
    const out = await folder()
    for (let day = 11; day <= 17; day++) {
      for (let times = 0; times < 2; times++) {
        await importDay(out, emptied, day)
        assert.deepEqual(heldIn(out), [`g1 ${day - 10} 2026-11-${day}`])
        assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === 10))
      }
    }
    const { held, report } = await importDay(out, emptied, 18)
    assert.deepEqual([held, heldIn(out), existsSync(join(out, heldFile))], [[], [], false])
    assert.equal(report.game('pokemon').doubtful, 1, 'its prices are gone')
    assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === null))
    assert.deepEqual((await importDay(out, emptied, 18)).changed, [])
  })

  it('A held set is imported when its prices are right again, and its days count anew afterwards', async () => {
    const out = await folder()
    await importDay(out, emptied, 11)
    await importDay(out, emptied, 12)
    await importDay(out, pricesWith(12, same(12)), 13)
    assert.deepEqual(heldIn(out), [])
    assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === 12))
    assert.equal(rowsOf(out, 13, 'g1').length, 40)
    await importDay(out, emptied, 14)
    assert.deepEqual(heldIn(out), ['g1 1 2026-11-14'])
  })

  it('A held set keeps the history rows that an earlier import of the same day wrote', async () => {
    const out = await folder()
    await importDay(out, emptied, 10)
    assert.equal(rowsOf(out, 10, 'g1').length, 40)
    assert.equal(rowsOf(out, 10, 'g2')[0]!.split(',')[2], '11')
  })

  it('A held set stays held while other games, other sources and archives are imported', async () => {
    const out = await folder()
    await importDay(out, emptied, 11)
    const mtg = groupsOf(same(10, 40), 1)
    await importDay(out, mtg, 12, { games: new Set(['mtg']) })
    await importInto(out, 'tcgcsv-archive', [writeMirror(emptied)], { date: '2026-11-09' })
    assert.deepEqual(heldIn(out), ['g1 1 2026-11-11'])
    await importDay(out, groupsOf(same(null, 40), 1), 13, { games: new Set(['mtg']) })
    assert.deepEqual(heldIn(out), ['g0 1 2026-11-13', 'g1 1 2026-11-11'], 'in the order of their games')
  })

  for (const accept of ['g1', 'G1', 'Pokemon/G1', ' gROUP 1 ', ' g1 ,, pokemon/group 1']) {
    it(`A held set is accepted with --accept ${accept}`, async () => {
      const out = await folder()
      await importDay(out, emptied, 11)
      const args = ['--out', out, '--date', '2026-11-11', '--accept', accept]
      const { code, stderr } = await runImportHere('tcgcsv', writeMirror(emptied), ...args)
      assert.equal(code, 0, stderr)
      assert.deepEqual(heldIn(out), [])
      assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === null))
    })
  }

  it('A held set is accepted with --force', async () => {
    const out = await folder()
    await importDay(out, emptied, 11, { force: true })
    assert.ok(cardsIn(out, 'g1').every(({ prices }) => prices.market === null))
  })

  it('A wrong name in --accept is refused with a list of the held sets', async () => {
    const out = await folder()
    const accepting = async (accept: string) => {
      const { code, stderr } = await runImportHere('tcgcsv', 'nowhere', '--out', out, '--accept', accept)
      return [code, stderr.split('\n')[0]]
    }
    assert.deepEqual(await accepting('g1'), [2, '--accept: g1: no held set; no set is held'])
    await importDay(out, emptied, 11)
    const held = 'no held set; held are pokemon/g1 (Group 1)'
    assert.deepEqual(await accepting('g7,g1, mtg/g1'), [2, `--accept: g7, mtg/g1: ${held}`])
  })

  it('The option --accept finds a held set by a name with commas', () => {
    const set = { source: 'tcgcsv', set: '1', game: 'mtg', runs: 1, day: '2026-11-20', figures: '' } as const
    const held = [
      { ...set, code: '40k', name: 'Universes Beyond: Warhammer 40,000' },
      { ...set, code: 'und' },
    ]
    const { accepted, unknown } = acceptedSets('x, universes beyond: warhammer 40,000,UND,000', held)
    assert.deepEqual(
      [[...accepted], unknown],
      [
        ['mtg/40k', 'mtg/und'],
        ['x', '000'],
      ],
    )
  })

  it('A game with a held set is imported, and refused if most of its cards are in held sets', async () => {
    const out = await folder()
    // A fifth of the game's prices is gone with the set.
    assert.equal((await importDay(out, pricesWith(10, same(null)), 11)).held.length, 1)
    const most = groupsOf([...same(null, 120), ...same(10, 80)])
    assert.match(await errorsOf(importDay(out, most, 12)), /: pokemon: 120 of 200 cards that had a market price /)
    // An accepted one counts as little.
    await importDay(out, pricesWith(10, same(null)), 12, { accept: new Set(['pokemon/g1']) })
  })
})

describe('A day before the newest one', () => {
  it('An import of an earlier day than the source’s last import is refused without --force', async () => {
    const out = await folder()
    const dir = writeMirror(pricesWith(10, same(10)))
    await assertRefused(
      importInto(out, 'tcgcsv', [dir], { date: '2026-11-09' }),
      `${dir}: is of 2026-11-09, and the last import was of 2026-11-10: --force imports it all the same`,
    )
    await importInto(out, 'tcgcsv', [dir], { date: '2026-11-09', force: true })
    assert.match(cardsIn(out, 'g1')[0].updatedAt, /^2026-11-09/)
  })
})

describe('Held sets of Magic', () => {
  const cardOf = (set: number, i: number) => 100 * set + i
  const numbers = [...Array(25).keys()]
  const setOf = (set: number) => ({
    name: `Set ${set}`,
    releaseDate: '2022-11-18',
    cards: numbers.map((i) => magicCard(uuid(cardOf(set, i)), `Card ${i}`, `${i}`)),
  })
  const printings = file('AllPrintings.json', allPrintings({ S1: setOf(1), S2: setOf(2), S3: setOf(3) }))
  /** @param priceOf a set's prices by day */
  const pricesOf = (priceOf: (set: number) => Record<string, number>): string => {
    const value = (set: number) => ({ paper: { tcgplayer: { currency: 'USD', retail: { normal: priceOf(set) } } } })
    const cards = [1, 2, 3].flatMap((set) => numbers.map((i) => [uuid(cardOf(set, i)), value(set)]))
    return file('AllPrices.json', JSON.stringify({ meta: { date: '2026-11-21' }, data: Object.fromEntries(cards) }))
  }
  const magicRows = (out: string, day: number, set: number) =>
    historyOf(out, `2026-11-${day}-mtgjson.csv.gz`).filter((row) => row.includes(`mtg-s${set}-`))

  it('A held set of MTGJSON keeps the history of past days, even if the new file has other prices for them', async () => {
    const { out } = await importNew('mtgjson', [printings, pricesOf(() => ({ '2026-11-20': 10 }))], {
      date: '2026-11-20',
    })
    const slip = pricesOf(
      (set): Record<string, number> =>
        set === 2 ? { '2026-11-20': 0.1, '2026-11-21': 0.1 } : { '2026-11-20': 10.5, '2026-11-21': 11 },
    )
    const { held } = await importInto(out, 'mtgjson', [printings, slip])
    assert.equal(held.map(({ code, figures }) => `${code} ${figures}`).join(), `s2 ${figures(0, 25, '0.01')}`)
    const priceIn = (row: string | undefined) => row?.split(',')[2]
    const first = (day: number, set: number) => priceIn(magicRows(out, day, set)[0])
    assert.deepEqual([first(20, 1), first(20, 2), first(20, 3)], ['10.5', '10', '10.5'])
    assert.deepEqual([first(21, 1), first(21, 2), first(21, 3)], ['11', undefined, '11'])
    assert.equal([1, 2, 3].map((set) => magicRows(out, 20, set).length).join(), '25,25,25')
    await importInto(out, 'mtgjson', [file('older.json', allPrintings({ S1: setOf(1), S3: setOf(3) }))])
    assert.deepEqual(heldIn(out), ['s2 1 2026-11-21'])
    const markets = ['s1', 's2', 's3'].map((set) => cardsIn(out, set).map(({ prices }) => prices.market))
    const found = markets.flatMap((prices) => [...new Set(prices)])
    assert.deepEqual(found, [11, 10, 11])
  })

  it('A held set of Scryfall keeps all its cards, even if one of them moved to another set', async () => {
    const out = temporaryFolder()
    const bulk = (setOf: (i: number) => string, usd: (set: string) => string | null): string => {
      const lines = Array.from({ length: 75 }, (_, i) => {
        const set = setOf(i)
        const more = { finishes: ['nonfoil'], set, set_name: set, prices: { usd: usd(set) } }
        return `${JSON.stringify(scryfallCard(i, `Card ${i}`, `${i}`, more))}\n`
      })
      return file('bulk.jsonl', lines.join(''))
    }
    const setOf = (i: number) => `s${i % 3}`
    await importInto(out, 'scryfall', [bulk(setOf, () => '10.00')], { date: '2026-11-20' })
    const moved = bulk(
      (i) => (i === 1 ? 's2' : setOf(i)),
      (set) => (set === 's1' ? null : '11.00'),
    )
    const { held } = await importInto(out, 'scryfall', [moved], { date: '2026-11-21' })
    assert.equal(held.map(({ code }) => code).join(), 's1')
    const sizes = ['s0', 's1', 's2'].map((set) => cardsIn(out, set).length)
    assert.deepEqual(sizes, [25, 25, 25])
    assert.equal(cardsById(out).size, 75)
    const remembered = readFileSync(join(out, 'import/kept/scryfall.ndjson'), 'utf8').match(/^\{"key":"[^"]+/gm)!
    assert.deepEqual([remembered.length, new Set(remembered).size], [75, 75])
  })
})
