/** Prices that can't be those that follow the ones imported last are refused, though each record is right. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, contentOf, errorsOf, importInto, importNew, runImportHere } from '../support/import.ts'
import { groupsOf, type Market, mirrorFiles, writeFiles, writeMirror } from '../support/mirror.ts'

const all = (count: number, market: Market = 10): Market[] => new Array<Market>(count).fill(market)
/** The first ones of so many have another price. */
const some = (changed: number, count: number, market: Market): Market[] => [
  ...all(changed, market),
  ...all(count - changed),
]

/** @param times what the others' prices are now; none if there are none */
const figures = (lost: number, had: number, times?: string): string =>
  `${lost} of ${had} cards that had a market price have none now${
    times === undefined ? '' : `, and the median of the others is ${times} times what it was`
  }`

const day = { date: '2026-11-20' }
const dayAfter = { date: '2026-11-21' }

async function importedOf(...groups: readonly (readonly MirrorGroup[])[]): Promise<string> {
  const { out } = await importNew('tcgcsv', [writeMirror(groups.flat())], day)
  return out
}

describe('a mirror of a game', () => {
  const refused: readonly (readonly [what: string, earlier: Market[], later: Market[], figures: string])[] = [
    ['with every price null', all(120), all(120, null), figures(120, 120)],
    ['with more than a tenth null', all(100), some(11, 100, null), figures(11, 100, '1')],
    ['with more than a tenth gone', all(120), all(107), figures(13, 120, '1')],
    ['a thousandfold', all(120), all(120, 10_000), figures(0, 120, '1,000')],
    ['in cents in place of dollars, of a few cards alone', all(3), all(3, 1000), figures(0, 3, '100')],
    ['a little over two times', all(120), all(120, 20.01), figures(0, 120, '2.001')],
    ['a little below a half', all(120), all(120, 4.99), figures(0, 120, '0.499')],
    [
      'a thousandfold, but for those that were 0 and are',
      [...all(40), ...all(40, 0), ...all(40)],
      [...all(40, 10_000), ...all(40, 0), ...all(40, 10_000)],
      figures(0, 120, '1,000'),
    ],
    ['tenfold for more than half of it', all(120), some(61, 120, 100), figures(0, 120, '10')],
  ]
  for (const [what, earlier, later, found] of refused) {
    it(`is refused ${what}, and taken with --force`, async () => {
      const out = await importedOf(groupsOf(earlier))
      const before = contentOf(out)
      const dir = writeMirror(groupsOf(later))
      assert.equal(
        await errorsOf(importInto(out, 'tcgcsv', [dir], dayAfter)),
        `${dir}: pokemon: ${found}: --force imports all the same, and the build needs it, too\n1 error; nothing was written`,
      )
      assert.deepEqual(contentOf(out), before)
      const args = ['tcgcsv', dir, '--out', out, '--date', dayAfter.date, '--force']
      const { code, stdout, stderr } = await runImportHere(...args)
      assert.equal(code, 0, stderr)
      assert.match(stdout, /\ncard-prices build may need --force for these prices, too\n$/)
      assert.notDeepEqual(contentOf(out), before)
    })
  }

  const taken: readonly (readonly [what: string, earlier: Market[], later: Market[]])[] = [
    ['with a tenth null', all(100), some(10, 100, null)],
    ['with a tenth gone', all(100), all(90)],
    ['with all of fewer than a hundred null', [...all(99), ...all(50, null)], all(149, null)],
    ['two times', all(120), all(120, 20)],
    ['a half', all(120), all(120, 5)],
    ['a thousandfold for half of it', all(120), some(60, 120, 10_000)],
    ['of prices that were 0 and are', all(120, 0), all(120, 0)],
    ['priced for the first time', all(120, null), all(120, 10_000)],
  ]
  for (const [what, earlier, later] of taken) {
    it(`is taken ${what}`, async () => {
      const out = await importedOf(groupsOf(earlier))
      await importInto(out, 'tcgcsv', [writeMirror(groupsOf(later))], dayAfter)
    })
  }
})

describe('what is compared', () => {
  it('is reported with the day, where both are wrong', async () => {
    const out = await importedOf(groupsOf(all(100)))
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [writeMirror(groupsOf(all(100, 30)))])),
      /: is dated 2026-11-20, .*\n.*: pokemon: 0 of 100 cards .* 3 times .*\n2 errors; nothing was written$/,
    )
  })

  it('is each game by itself', async () => {
    const [pokemon, mtg] = [all(1000), all(100)]
    const out = await importedOf(groupsOf(pokemon), groupsOf(mtg, 1))
    const dir = writeMirror([...groupsOf(pokemon), ...groupsOf(some(11, 100, null), 1)])
    assert.match(await errorsOf(importInto(out, 'tcgcsv', [dir], dayAfter)), /: mtg: 11 of 100 .*\n1 error;/)
    // Games that are not imported stay as they are.
    await importInto(out, 'tcgcsv', [dir], { ...dayAfter, games: new Set(['pokemon'] as const) })
  })

  it('is what was read: groups without files, which stay, speak for none', async () => {
    const out = await importedOf(groupsOf(all(200)))
    const files = mirrorFiles(groupsOf(all(200, 10_000)))
    for (const group of [301, 302, 303, 304]) files.delete(`3/${group}/prices`)
    assert.match(
      await errorsOf(importInto(out, 'tcgcsv', [writeFiles(files)], { ...dayAfter, partial: true })),
      /: pokemon: 0 of 40 cards .* 1,000 times/,
    )
  })

  it('is also an overlay, with the one of that name', async () => {
    const out = await importedOf(groupsOf(all(120)))
    const overlay = (name: string, price: number, rows = 120): string => {
      const path = join(temporaryFolder(), name)
      const ids = [...cardsById(out).keys()].slice(0, rows)
      writeFileSync(path, ['id,key,price', ...ids.map((id) => `${id},market,${price}`), ''].join('\n'))
      return path
    }
    await importInto(out, 'overlay', [overlay('sales.csv', 10)])
    assert.match(
      await errorsOf(importInto(out, 'overlay', [overlay('sales.csv', 10_000)])),
      /sales\.csv: pokemon: 0 of 120 cards .* 1,000 times/,
    )
    assert.match(await errorsOf(importInto(out, 'overlay', [overlay('sales.csv', 10, 100)])), /: pokemon: 20 of 120 /)
    await importInto(out, 'overlay', [overlay('others.csv', 10_000)])
  })
})

describe('the report', () => {
  it('lists a group whose prices are gone, and counts the prices that are known', async () => {
    const out = await importedOf(groupsOf(all(979)))
    const later = groupsOf([...all(960), ...all(19, null)])
    const { report } = await importInto(out, 'tcgcsv', [writeMirror(later)], dayAfter)
    const listed = () =>
      report.records.filter(({ kind }) => kind === 'doubtful').map(({ game, reason, record }) => [game, reason, record])
    assert.deepEqual(listed(), [['pokemon', 'had prices, and has none now', '324 Group 24']])
    const { cards, prices, doubtful } = report.game('pokemon')
    assert.deepEqual({ cards, prices, doubtful }, { cards: 979, prices: 960, doubtful: 1 })
    const again = await importInto(out, 'tcgcsv', [writeMirror(later)], dayAfter)
    assert.equal(again.report.game('pokemon').doubtful, 0)
  })

  it('counts in an archive the rows that have a price', async () => {
    const out = await importedOf(groupsOf(all(40)))
    const archive = writeFiles(mirrorFiles(groupsOf(some(30, 40, null))))
    const { report } = await importInto(out, 'tcgcsv-archive', [archive], { date: '2026-11-19' })
    assert.equal(report.game('pokemon').prices, 10)
  })
})
